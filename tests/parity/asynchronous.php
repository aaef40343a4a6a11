<?php
// MYSQLI_ASYNC, poll and reap_async_query: several links, both kinds of result, errors, wrong orders and wrong arguments.
// servers: mariadb mysql80
// transports: tcp unix zlib tls
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

function wait_for(array $links): array
{
    $done = [];
    for ($tries = 0; count($done) < count($links) && $tries < 1000; $tries++) {
        $read = $error = $reject = array_values(array_filter($links, fn($link) => !in_array($link, $done, true)));
        if (mysqli_poll($read, $error, $reject, 1) > 0) {
            $done = [...$done, ...$read];
        }
    }
    return $done;
}

$links = [connect(), connect(), connect()];
$name = fn(mysqli $link) => array_search($link, $links, true);
$db = $links[0];
$db->query('CREATE TABLE t (n INT PRIMARY KEY)');

section('one link, both kinds of result');
foreach (['SELECT 1 UNION SELECT 2', 'INSERT INTO t VALUES (1)', 'INSERT INTO t VALUES (1)', 'nonsense', 'SELECT 1 FROM t WHERE n > 99', 'DO 1', 'SET @a = 5'] as $sql) {
    foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $how) {
        show($sql, $how, $db->query($sql, MYSQLI_ASYNC | $how));
        attempt('query while one is due', fn() => $db->query('SELECT 5'));
        show_error($db);
        show(count(wait_for([$db])));
        $result = $db->reap_async_query();
        show(is_object($result) ? [$result->type, $result->fetch_all()] : $result);
        // Stock keeps the text of the refused query without its number.
        show($db->errno, $db->errno ? $db->error : '');
        show_status($db);
        is_object($result) && $result->free();
    }
}

section('several links');
foreach ($links as $number => $link) {
    show($link->query("SELECT SLEEP(0.0$number), $number", MYSQLI_ASYNC));
}
$seen = array_map($name, wait_for($links));
sort($seen);
show($seen);
foreach ($links as $link) {
    show(mysqli_reap_async_query($link)->fetch_row());
}

section('what is rejected');
$links[1]->query('SELECT 1', MYSQLI_ASYNC);
wait_for([$links[1]]);
$read = $links;
$error = $links;
$reject = ['key' => 'what was there'];
attempt('poll', function () use (&$read, &$error, &$reject) { return mysqli::poll($read, $error, $reject, 0, 1000); });
show(array_map($name, $read), array_keys($read), array_map($name, $error), array_map($name, $reject));
show($links[1]->reap_async_query()->fetch_row());
attempt('reap again', fn() => $links[1]->reap_async_query());
attempt('reap without a query', fn() => $links[2]->reap_async_query());

section('arguments');
$closed = connect();
$closed->close();
foreach ([[null, null, []], [[], [], []], [[], null, []], [null, [], []], [[1], [], []], [[$links[0], 'x'], [], []], [[new stdClass], null, []], [[$closed], null, []], [[mysqli_init()], null, []], [[$links[0]], null, []], [null, [$links[0]], []]] as [$read, $error, $reject]) {
    attempt('poll', function () use ($read, $error, $reject) {
        $count = mysqli_poll($read, $error, $reject, 0);
        return [$count, $read === null ? null : count($read), $error === null ? null : count($error), count($reject)];
    });
}
foreach ([[-1, 0], [0, -1], [0, 5_000_000]] as [$seconds, $microseconds]) {
    $read = [$db];
    $error = null;
    $reject = [];
    attempt("$seconds $microseconds", function () use (&$read, &$error, &$reject, $seconds, $microseconds) { return mysqli_poll($read, $error, $reject, $seconds, $microseconds); });
}
attempt('a wrong mode', fn() => $db->query('SELECT 1', MYSQLI_ASYNC | 4));

section('unbuffered rows, and the next query');
show($db->query('SELECT 1 UNION SELECT 2 UNION SELECT 3', MYSQLI_ASYNC | MYSQLI_USE_RESULT));
$result = $db->reap_async_query();
show($result->fetch_row());
attempt('another', fn() => $db->query('SELECT 9', MYSQLI_ASYNC));
show_error($db);
show($result->fetch_all());
$result->free();
show($db->query('SELECT 9', MYSQLI_ASYNC));
show($db->reap_async_query()->fetch_row());

section('a result that is not due any more');
attempt('real_query, then reap', fn() => [$db->real_query('SELECT 4'), is_object($r = $db->reap_async_query()) ? $r->fetch_row() : $r]);

section('a query while a result waits');
$db = connect();
attempt('real_query, then another', fn() => [$db->real_query('SELECT 5'), $db->query('SELECT 6', MYSQLI_ASYNC), $db->errno]);
attempt('the first', fn() => $db->store_result()->fetch_all());
attempt('afterwards', fn() => $db->query('SELECT 7')->fetch_all());
