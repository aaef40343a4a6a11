<?php
// Report modes: errors, strictness, indexes; warnings with handlers that throw, and that use the link.
// servers: mariadb mysql80
require 'support/prelude.php';

section('default mode');
show((new mysqli_driver)->report_mode);
$db = connect();
$db->query('CREATE TABLE t (id INT PRIMARY KEY, n INT, s VARCHAR(10))');
$db->query("INSERT INTO t VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'c')");
$modes = ['off' => 0, 'error' => 1, 'strict' => 2, 'error|strict' => 3, 'index' => 4, 'index|error' => 5, 'index|strict' => 6, 'index|error|strict' => 7, 'all' => 255, 'unknown bits' => 1024];
$statements = ['fine' => 'SELECT * FROM t WHERE id = 1', 'no index' => 'SELECT * FROM t WHERE n = 1', 'no rows, no index' => 'SELECT * FROM t WHERE n = 99', 'syntax' => 'nonsense', 'unknown table' => 'SELECT * FROM no_such_table', 'duplicate' => "INSERT INTO t VALUES (1, 1, 'x')",
    'warning' => "SELECT CAST('x' AS SIGNED)", 'update without index' => "UPDATE t SET s = 'u' WHERE n = 77", 'quotes' => "SELECT 'it''s \"quoted\" <b>%s</b>' FROM no_such_table", 'long' => 'SELECT * FROM t WHERE n = 1 /* ' . str_repeat('long ', 500) . '*/'];
foreach ($modes as $mode_name => $mode) {
    section("report $mode_name");
    attempt('mysqli_report', fn() => mysqli_report($mode));
    show((new mysqli_driver)->report_mode);
    foreach ($statements as $name => $sql) {
        attempt("query: $name", fn() => $db->query($sql));
        attempt("mysqli_query: $name", fn() => mysqli_query($db, $sql));
        attempt("unbuffered: $name", fn() => $db->query($sql, MYSQLI_USE_RESULT)?->fetch_all());
        attempt("real_query: $name", fn() => $db->real_query($sql));
        attempt("mysqli_real_query: $name", fn() => mysqli_real_query($db, $sql));
        attempt("  store_result: $name", fn() => get_debug_type($db->store_result()));
        attempt("multi_query: $name", fn() => $db->multi_query($sql));
        attempt("  store_result: $name", fn() => get_debug_type($db->store_result()));
        attempt("mysqli_multi_query: $name", fn() => mysqli_multi_query($db, "SELECT 1; $sql"));
        attempt("  store_result: $name", fn() => get_debug_type(mysqli_store_result($db)));
        attempt("  next_result: $name", fn() => $db->next_result());
        attempt("  use_result: $name", fn() => get_debug_type($db->use_result()));
        $db = connect();
    }
    attempt('select_db', fn() => $db->select_db('no_such_database'));
    attempt('mysqli_select_db', fn() => mysqli_select_db($db, 'no_such_database'));
    show_error($db);
    attempt('select_db of nothing', fn() => $db->select_db(''));
    show_error($db);
    attempt('database', fn() => $db->query('SELECT DATABASE()')->fetch_row());
    attempt('select_db', fn() => $db->select_db(server('DATABASE')));
    attempt('select_db information_schema', fn() => $db->select_db('information_schema'));
    attempt('database', fn() => $db->query('SELECT DATABASE()')->fetch_row());
    attempt('odd name', fn() => $db->select_db("a`b"));
    show_error($db);
    $db = connect();
}
section('a handler that throws');
mysqli_report(MYSQLI_REPORT_ERROR);
set_error_handler(fn(int $level, string $message) => throw new ErrorException($message, 0, $level));
attempt('query', fn() => $db->query('nonsense'));
show_error($db);
attempt('mysqli_query', fn() => mysqli_query($db, 'nonsense'));
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
attempt('connect', fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', 1));
attempt('mysqli_connect', fn() => mysqli_connect('127.0.0.1', 'u', 'p', 'd', 1));
attempt('real_connect', fn() => mysqli_init()->real_connect('127.0.0.1', 'u', 'p', 'd', 1));
show(mysqli_connect_errno(), mysqli_connect_error());
attempt('unknown host', fn() => new mysqli('no such host', 'u', 'p', 'd', 1));
attempt('next_result', function () use ($db) { $db->multi_query('SELECT 1; nonsense'); $db->store_result(); return $db->next_result(); });
attempt('in mid-result', function () use ($db) {
    $result = $db->query('SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 3 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS x', MYSQLI_USE_RESULT);
    while ($row = $result->fetch_row()) {
        show($row);
    }
});
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_INDEX);
attempt('index', fn() => $db->query('SELECT * FROM t WHERE n = 1'));
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
attempt('index, unbuffered', fn() => $db->query('SELECT * FROM t WHERE n = 1', MYSQLI_USE_RESULT));
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
attempt('deprecation', fn() => $db->get_client_info());
attempt('deprecation', fn() => $db->query(null));
attempt('deprecation', fn() => mysqli_real_escape_string($db, null));
attempt('transaction name', fn() => $db->begin_transaction(0, 'b*d'));
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
section('a handler that queries on the same link');
mysqli_report(MYSQLI_REPORT_ERROR);
set_error_handler(function (int $level, string $message) use (&$db) {
    echo "  in the handler: $message\n";
    show_error($db);
    attempt('  query in the handler', fn() => $db->query('SELECT "handler"')->fetch_row());
    return true;
});
attempt('query', fn() => $db->query('nonsense'));
show_error($db);
attempt('mysqli_real_query', fn() => mysqli_real_query($db, 'nonsense'));
show_error($db);
attempt('next_result', function () use ($db) { $db->multi_query('SELECT 1; nonsense'); $db->store_result(); return $db->next_result(); });
show_error($db);
mysqli_report(MYSQLI_REPORT_INDEX);
attempt('index', fn() => $db->query('SELECT * FROM t WHERE n = 1')->fetch_row());
attempt('index, unbuffered', fn() => $db->query('SELECT * FROM t WHERE n = 1', MYSQLI_USE_RESULT)->fetch_row());
attempt('index, real_query', fn() => $db->real_query('SELECT * FROM t WHERE n = 1'));
attempt('store', fn() => $db->store_result()->fetch_row());
section('a handler that closes the link');
$db = connect();
mysqli_report(MYSQLI_REPORT_ERROR);
set_error_handler(function (int $level, string $message) use (&$db) {
    echo "  closing\n";
    $db->close();
    return true;
});
attempt('query', fn() => $db->query('nonsense'));
attempt('query after it', fn() => $db->query('SELECT 1'));
$db = connect();
mysqli_report(MYSQLI_REPORT_INDEX);
$db->query("CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY, n INT, s VARCHAR(10))");
attempt('index', fn() => $db->query('SELECT * FROM t WHERE n = 1')->fetch_row());
$db = connect();
attempt('index, unbuffered', fn() => $db->query('SELECT * FROM t WHERE n = 1', MYSQLI_USE_RESULT)->fetch_row());
$db = connect();
attempt('index, real_query', fn() => $db->real_query('SELECT * FROM t WHERE n = 1'));
section('a handler that drops the last reference');
mysqli_report(MYSQLI_REPORT_ERROR);
$db = connect();
set_error_handler(function () use (&$db) {
    echo "  dropping\n";
    $db = null;
    return true;
});
attempt('query', fn() => $db->query('nonsense'));
watch_errors();
section('exceptions');
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$db = connect();
try {
    $db->query("SELECT * FROM no_such_table");
} catch (mysqli_sql_exception $e) {
    show($e->getMessage(), $e->getCode(), $e->getSqlState(), $db->errno, $db->sqlstate);
    show(preg_replace('/^#\d+ .*\(\d+\): /m', '', explode("\n", $e->getTraceAsString())[0]));
}
attempt('nested', function () use ($db) {
    try {
        $db->query('nonsense');
    } finally {
        $db->query('SELECT nonsense');
    }
});
section('uncaught');
mysqli_report(MYSQLI_REPORT_ERROR);
restore_error_handler();
while (set_error_handler(null)) {
    restore_error_handler();
    restore_error_handler();
}
$db->query("SELECT 'it''s' FROM no_such_table <b>&");
echo @$db->query('nonsense') === false ? "silenced\n" : "not silenced\n";
