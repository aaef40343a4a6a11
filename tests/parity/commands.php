<?php
// stat, dump_debug_info, refresh, kill, change_user: what they return, what they leave behind, and how they fail.
// places: mariadb-unix mysql80-tcp
// without mysql97: COM_REFRESH and COM_PROCESS_KILL are gone there; ours sends SQL instead, where stock fails
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

[$user, $password, $database] = [server('USER'), server('PASSWORD'), server('DATABASE')];
/** A statistics line without its numbers. */
function shape(string|false $line): string|false
{
    return $line === false ? false : preg_replace('/[\d.]+/', 'N', $line);
}
$commands = [
    'stat' => fn(mysqli $db) => shape($db->stat()),
    'stat by function' => fn(mysqli $db) => shape(mysqli_stat($db)),
    'dump_debug_info' => fn(mysqli $db) => $db->dump_debug_info(),
    'dump_debug_info by function' => fn(mysqli $db) => mysqli_dump_debug_info($db),
    'refresh' => fn(mysqli $db) => $db->refresh(MYSQLI_REFRESH_STATUS),
    'refresh by function' => fn(mysqli $db) => mysqli_refresh($db, MYSQLI_REFRESH_TABLES),
    'refresh nothing' => fn(mysqli $db) => $db->refresh(0),
    'refresh beyond a byte' => fn(mysqli $db) => $db->refresh(MYSQLI_REFRESH_BACKUP_LOG),
    'kill unknown' => fn(mysqli $db) => $db->kill(999999999),
    'kill unknown by function' => fn(mysqli $db) => mysqli_kill($db, 999999999),
    'kill 2^32' => fn(mysqli $db) => $db->kill(1 << 32),
    'kill 0' => fn(mysqli $db) => $db->kill(0),
    'kill 0 by function' => fn(mysqli $db) => mysqli_kill($db, 0),
    'kill -1' => fn(mysqli $db) => $db->kill(-1),
    'change_user' => fn(mysqli $db) => $db->change_user($user, $password, 'mysql'),
    'change_user by function' => fn(mysqli $db) => mysqli_change_user($db, $user, $password, null),
    'change_user, empty database' => fn(mysqli $db) => $db->change_user($user, $password, ''),
];
foreach ($commands as $name => $command) {
    section($name);
    $db = connect();
    $db->query('CREATE TEMPORARY TABLE t (a INT PRIMARY KEY AUTO_INCREMENT)');
    $db->query('INSERT INTO t VALUES (NULL), (NULL)');
    attempt('after an insert', fn() => $command($db));
    show_status($db);
    show_error($db);
    $db->query('nonsense');
    attempt('after an error', fn() => $command($db));
    show_status($db);
    show_error($db);
    attempt('ping', fn() => $db->ping());
    show($db->query('SELECT DATABASE(), @@character_set_client, @@collation_connection')->fetch_row());
}
foreach ($commands as $name => $command) {
    section("$name, out of sync");
    $db = connect();
    $result = $db->query('SELECT 1 UNION SELECT 2', MYSQLI_USE_RESULT);
    attempt('while rows wait', fn() => $command($db));
    show_error($db);
    show($result->fetch_all());
    $result->free();
    attempt('query', fn() => $db->query('SELECT 1')->fetch_row());
}
foreach ([MYSQLI_REPORT_ERROR, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT] as $mode) {
    mysqli_report($mode);
    foreach ($commands as $name => $command) {
        section("$name, gone, report $mode");
        $db = connect();
        kill_connection(connect(), $db->thread_id);
        attempt('killed', fn() => $command($db));
        show_error($db);
        attempt('again', fn() => $command($db));
        $db->close();
        attempt('closed', fn() => $command($db));
        attempt('not connected', fn() => $command(mysqli_init()));
    }
}
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
section('reported');
$db = connect();
attempt('kill', fn() => $db->kill(999999999));
attempt('kill -5', fn() => mysqli_kill($db, -5));
attempt('arguments', fn() => $db->kill());
attempt('arguments', fn() => $db->kill('x'));
attempt('arguments', fn() => $db->stat(1));
attempt('arguments', fn() => $db->change_user('a', 'b'));
attempt('arguments', fn() => mysqli_change_user($db, null, [], 1));
attempt('arguments', fn() => $db->refresh('x'));
section('refused'); // no unknown user: MariaDB asks for it by a plugin that stock may lack
foreach (['wrong password' => [$user, 'wrong', 'mysql'], 'unknown database' => [$user, $password, 'no_such_database']] as $name => $arguments) {
    $db = connect();
    attempt($name, fn() => $db->change_user(...$arguments));
    show_error($db);
    attempt('ping', fn() => $db->ping());
    attempt('query', fn() => $db->query('SELECT CURRENT_USER() LIKE \'' . $user . '@%\', DATABASE()')->fetch_row());
    attempt('change back', fn() => $db->change_user($user, $password, $database));
}
mysqli_report(MYSQLI_REPORT_OFF);
section('a fresh session');
$db = connect();
$id = $db->thread_id;
$db->set_charset('gbk');
$db->query('SET @a = 1, autocommit = 0');
$db->query('SET NAMES latin1');
$db->query('CREATE TEMPORARY TABLE gone (a INT)');
attempt('change_user', fn() => $db->change_user($user, $password, $database));
show($db->character_set_name(), $db->real_escape_string("\xbf'"), $id === $db->thread_id);
show($db->query('SELECT @a, @@autocommit, @@character_set_client, @@character_set_connection, @@collation_connection, DATABASE()')->fetch_row());
attempt('temporary table', fn() => $db->query('SELECT * FROM gone'));
section('several statements');
$db->multi_query('SELECT 1; SELECT 2');
do {
    $db->store_result();
} while ($db->next_result());
attempt('change_user', fn() => $db->change_user($user, $password, $database));
attempt('query', fn() => $db->query('SELECT 1; SELECT 2'));
show($db->errno);
attempt('multi_query', fn() => $db->multi_query('SELECT 1; SELECT 2'));
section('itself');
$db = connect();
$db->query('SELECT 1');
attempt('kill', fn() => $db->kill($db->thread_id));
show_status($db);
show_error($db);
attempt('ping', fn() => $db->ping());
show_error($db);
section('another');
[$db, $other] = [connect(), connect()];
$id = $other->thread_id;
attempt('kill', fn() => mysqli_kill($db, $id));
@kill_connection($db, $id); // until it is gone
attempt('ping', fn() => $other->ping());
show($other->errno);
section('a user without rights');
$root = connect();
$poor = 'poor' . $root->thread_id;
$plugin = on_mariadb() || on('mysql56') ? '' : 'WITH mysql_native_password';
$root->query("CREATE USER '$poor' IDENTIFIED $plugin BY 'p'");
attempt('change_user', fn() => $db->change_user($poor, 'p', null));
show($db->query('SELECT CURRENT_USER()')->fetch_row()[0] === "$poor@%");
attempt('stat', fn() => shape($db->stat()));
attempt('dump_debug_info', fn() => $db->dump_debug_info());
show($db->errno);
attempt('refresh', fn() => $db->refresh(MYSQLI_REFRESH_STATUS));
show($db->errno);
attempt('kill', fn() => $db->kill($root->thread_id));
show($db->errno);
attempt('change_user to a database', fn() => $db->change_user($poor, 'p', 'mysql'));
show($db->errno);
$root->query("DROP USER '$poor'");
