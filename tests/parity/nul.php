<?php
// Names with a NUL in them, which stock takes for their end.
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);
$db = connect();
foreach ([
    'set_charset' => fn() => $db->set_charset("utf8\0x"),
    'select_db' => fn() => $db->select_db("no_such_database\0x"),
    'savepoint' => fn() => $db->savepoint("s\0x"),
    'release_savepoint' => fn() => $db->release_savepoint("s\0x"),
    'begin_transaction' => fn() => $db->begin_transaction(0, "n\0*"),
    'commit' => fn() => $db->commit(0, "n\0*"),
    'rollback' => fn() => $db->rollback(0, "n\0*"),
    'MYSQLI_SET_CHARSET_NAME' => fn() => $db->options(MYSQLI_SET_CHARSET_NAME, "latin1\0x"),
    'host' => fn() => new mysqli("127.0.0.1\0x", 'u', 'p', 'd', 1),
    'socket' => fn() => new mysqli('localhost', 'u', 'p', 'd', 1, "/nonexistent\0x"),
    'user' => fn() => get_debug_type(connect(username: server('USER') . "\0x")),
    'password' => fn() => get_debug_type(connect(password: server('PASSWORD') . "\0x")),
    'database' => fn() => get_debug_type(connect(database: server('DATABASE') . "\0x")),
] as $name => $call) {
    section($name);
    $db = connect();
    attempt($name, $call);
    show_error($db);
}
section('what keeps it');
show($db->query("SELECT 'a\0b'")->fetch_row(), $db->real_escape_string("a\0b"));
$db->real_query("SELECT 'a\0b' AS `c`");
show($db->store_result()->fetch_assoc());
