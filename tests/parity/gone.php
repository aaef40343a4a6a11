<?php
// The server goes away: before a query, in the middle of an unbuffered and of a buffered result.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$killer = connect();
$calls = [
    'query' => fn($db) => $db->query('SELECT 1'),
    'real_query' => fn($db) => $db->real_query('SELECT 1'),
    'multi_query' => fn($db) => $db->multi_query('SELECT 1; SELECT 2'),
    'ping' => fn($db) => $db->ping(),
    'select_db' => fn($db) => $db->select_db(server('DATABASE')),
    'set_charset' => fn($db) => $db->set_charset('latin1'),
    'autocommit' => fn($db) => $db->autocommit(true),
    'begin_transaction' => fn($db) => $db->begin_transaction(),
    'commit' => fn($db) => $db->commit(),
    'savepoint' => fn($db) => $db->savepoint('s'),
    'real_escape_string' => fn($db) => $db->real_escape_string("'"),
    'close' => fn($db) => $db->close(),
    'mysqli_query' => fn($db) => mysqli_query($db, 'SELECT 1'),
    'mysqli_ping' => fn($db) => mysqli_ping($db),
];
foreach (['off' => MYSQLI_REPORT_OFF, 'error' => MYSQLI_REPORT_ERROR, 'strict' => MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT, 'all' => MYSQLI_REPORT_ALL] as $name => $mode) {
    foreach ($calls as $call_name => $call) {
        section("killed before $call_name, report $name");
        mysqli_report(MYSQLI_REPORT_OFF);
        $db = connect();
        kill_connection($killer, $db->thread_id);
        mysqli_report($mode);
        attempt($call_name, fn() => $call($db));
        if ($call_name !== 'close') {
            show_error($db);
            attempt('  query after it', fn() => $db->query('SELECT 2'));
            show_error($db);
            attempt('  ping', fn() => $db->ping());
            show_error($db);
            attempt('  properties', fn() => [$db->affected_rows, $db->insert_id, $db->info, $db->warning_count, $db->field_count, $db->host_info, $db->thread_id > 0, $db->character_set_name()]);
            attempt('  store_result', fn() => $db->store_result());
            attempt('  more_results', fn() => $db->more_results());
            attempt('  next_result', fn() => $db->next_result());
            attempt('  real_escape_string', fn() => $db->real_escape_string("'"));
            attempt('  real_connect', fn() => $db->real_connect(...address()));
            attempt('  query', fn() => $db->query('SELECT 3')->fetch_row());
            attempt('  close', fn() => $db->close());
        }
    }
}
mysqli_report(MYSQLI_REPORT_OFF);
section('kills itself by query');
foreach (['KILL CONNECTION_ID()', 'KILL QUERY CONNECTION_ID()'] as $sql) {
    $db = connect();
    attempt($sql, fn() => $db->query($sql));
    show_error($db);
    attempt('  next', fn() => $db->query('SELECT 1') ? 'works' : $db->errno);
    show_error($db);
}
section('killed by wait_timeout');
$db = connect();
$id = $db->thread_id;
$db->query('SET SESSION wait_timeout = 1');
while ($killer->query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = $id")->fetch_row()[0] !== '0');
attempt('query', fn() => $db->query('SELECT 1'));
show_error($db);
attempt('query', fn() => $db->query('SELECT 1'));
show_error($db);

// Rows far more than the buffers of the server, the sockets and the client can hold, so that the server is still sending when it is killed.
$db = connect();
$db->query('CREATE TABLE big (n INT, s LONGTEXT)');
$db->query("INSERT INTO big SELECT a.n, REPEAT('x', 100000) FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8) AS a, (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8) AS b,
    (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS c");
foreach (['off' => MYSQLI_REPORT_OFF, 'error' => MYSQLI_REPORT_ERROR, 'strict' => MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT] as $name => $mode) {
    foreach ([
        'fetch_row' => fn($r) => $r->fetch_row(), 'fetch_assoc' => fn($r) => $r->fetch_assoc(), 'fetch_object' => fn($r) => $r->fetch_object(), 'fetch_column' => fn($r) => $r->fetch_column(),
        'mysqli_fetch_array' => fn($r) => mysqli_fetch_array($r),
    ] as $way_name => $way) {
        section("killed while an unbuffered result is fetched by $way_name, report $name");
        mysqli_report(MYSQLI_REPORT_OFF);
        $db = connect();
        $result = $db->query('SELECT * FROM big', MYSQLI_USE_RESULT);
        show(is_null($way($result)));
        kill_connection($killer, $db->thread_id);
        mysqli_report($mode);
        $rows = 0;
        $end = attempt('the end', function () use ($way, $result, &$rows) {
            while ($rows < 1000 && ($row = $way($result))) {
                $rows++;
            }
            return $row;
        });
        show($rows < 255);
        show_error($db);
        attempt('fetch again', fn() => $way($result));
        show_error($db);
        attempt('num_rows', fn() => $result->num_rows < 256);
        attempt('query', fn() => $db->query('SELECT 1'));
        show_error($db);
        attempt('free', fn() => $result->free());
        attempt('query', fn() => $db->query('SELECT 1'));
        show_error($db);
        attempt('close', fn() => $db->close());
    }
    foreach (['fetch_all' => fn($r) => count($r->fetch_all()) < 255, 'foreach' => function ($r) { $rows = 0; foreach ($r as $row) { $rows++; } return $rows < 255; }] as $way_name => $way) {
        section("killed while an unbuffered result is fetched by $way_name, report $name");
        mysqli_report(MYSQLI_REPORT_OFF);
        $db = connect();
        $result = $db->query('SELECT * FROM big', MYSQLI_USE_RESULT);
        kill_connection($killer, $db->thread_id);
        mysqli_report($mode);
        attempt($way_name, fn() => $way($result));
        show_error($db);
        attempt('again', fn() => $way($result));
        attempt('free', fn() => $result->free());
        attempt('close', fn() => $db->close());
    }
    section("killed while an unbuffered result is freed, report $name");
    mysqli_report(MYSQLI_REPORT_OFF);
    $db = connect();
    $result = $db->query('SELECT * FROM big', MYSQLI_USE_RESULT);
    show(count($result->fetch_row()));
    kill_connection($killer, $db->thread_id);
    mysqli_report($mode);
    attempt('free', fn() => $result->free());
    show_error($db);
    attempt('query', fn() => $db->query('SELECT 1'));
    show_error($db);
    section("killed while the rows of a buffered result come, report $name");
    mysqli_report(MYSQLI_REPORT_OFF);
    $db = connect();
    $db->real_query('SELECT * FROM big');
    kill_connection($killer, $db->thread_id);
    mysqli_report($mode);
    attempt('store_result', fn() => $db->store_result());
    show_error($db);
    attempt('store_result', fn() => $db->store_result());
    attempt('query', fn() => $db->query('SELECT 1'));
    show_error($db);
    section("an error in the rows, report $name");
    $db = connect();
    foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $result_mode) {
        $sql = "SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 3 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS x";
        $result = attempt("query, mode $result_mode", fn() => $db->query($sql, $result_mode));
        show_error($db);
        if ($result) {
            for ($i = 0; $i < 4; $i++) {
                attempt('row', fn() => $result->fetch_row());
                show_error($db);
            }
            $result->free();
            show_error($db);
            $result = $db->query($sql, $result_mode);
            attempt('all', fn() => $result->fetch_all());
            show_error($db);
            attempt('row', fn() => $result->fetch_row());
            $result->free();
            $result = $db->query($sql, $result_mode);
            attempt('foreach', function () use ($result) { foreach ($result as $row) { show($row); } });
            show_error($db);
            $result->free();
            $result = $db->query($sql, $result_mode);
            attempt('column', function () use ($result) { while (($value = $result->fetch_column(1)) !== false) { show($value); } });
            $result->free();
            $result = $db->query($sql, $result_mode);
            attempt('object', function () use ($result) { while ($value = $result->fetch_object()) { show($value); } return $value; });
            $result = null;
        }
        attempt('query', fn() => $db->query('SELECT 1')->fetch_row());
    }
}
section('a query that is too large');
mysqli_report(MYSQLI_REPORT_OFF);
$db = connect();
$most = (int) $db->query('SELECT @@max_allowed_packet')->fetch_row()[0];
$db->close();
show($most > 1_000_000);
