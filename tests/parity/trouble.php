<?php
// Networks and servers that fail: no way to the host, silence in the middle of everything.
// places: mariadb-tcp
require 'support/prelude.php';

$modes = ['off' => MYSQLI_REPORT_OFF, 'strict' => MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT];
function impatient(): mysqli
{
    $db = mysqli_init();
    $db->options(MYSQLI_OPT_READ_TIMEOUT, 1);
    $db->real_connect(...address());
    return $db;
}
foreach ($modes as $name => $mode) {
    // No system lets TCP go to everybody.
    foreach (['255.255.255.255', '224.0.0.1'] as $host) {
        section("no way to $host, report $name");
        mysqli_report($mode);
        attempt('new', fn() => new mysqli($host, 'u', 'p', 'd', 3306));
        show(mysqli_connect_errno(), mysqli_connect_error());
        $link = mysqli_init();
        attempt('real_connect', fn() => $link->real_connect($host, 'u', 'p', 'd', 3306));
        show(mysqli_connect_errno(), mysqli_connect_error(), $link->connect_errno, $link->errno);
    }
}
foreach ($modes as $name => $mode) {
    section("a server silent after a query, report $name");
    mysqli_report($mode);
    foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $result_mode) {
        $db = impatient();
        attempt('query', fn() => $db->query('SELECT SLEEP(60)', $result_mode));
        show_error($db);
        attempt('query after it', fn() => $db->query('SELECT 1'));
        show_error($db);
        attempt('store_result', fn() => $db->store_result());
        attempt('close', fn() => $db->close());
    }
}
// Rows as large as the server's buffer, so that they are sent before the one that takes long.
$rows = 'SELECT IF(n = 3, SLEEP(60), REPEAT("x", 100000)) FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) AS t';
foreach ($modes as $name => $mode) {
    section("a server silent between rows, report $name");
    mysqli_report($mode);
    $db = impatient();
    attempt('buffered', fn() => $db->query($rows));
    show_error($db);
    attempt('query after it', fn() => $db->query('SELECT 1'));
    show_error($db);
    $db = impatient();
    $result = $db->query($rows, MYSQLI_USE_RESULT);
    for ($i = 0; $i < 4; $i++) {
        attempt('row', fn() => strlen($result->fetch_row()[0] ?? ''));
        show_error($db);
    }
    attempt('free', fn() => $result->free());
    attempt('query after it', fn() => $db->query('SELECT 1'));
    show_error($db);
}
