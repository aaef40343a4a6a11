<?php
// error_list: which calls add to it, which begin a new one.
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

/** Without the deprecation that PHP 8.4 raises: another line would be between those that differ. */
function ping(mysqli $db): void
{
    set_error_handler(fn() => true, E_DEPRECATED);
    $db->ping();
    restore_error_handler();
}

$db = connect();
$list = fn() => array_map(fn($error) => $error['errno'] . ' ' . $error['sqlstate'], $db->error_list);
section('server errors');
$db->query('nonsense');
show($db->error_list, mysqli_error_list($db));
$db->query('SELECT nothing_known');
show($list());
$db->query('SELECT 1');
show($list());
section('errors of the client');
foreach (['nonsense', 'more nonsense', 'still nonsense'] as $charset) {
    $db->set_charset($charset);
    show($list());
}
$db->query('nonsense');
show($list());
$db->set_charset('nonsense');
show($list());
$db->query('SELECT 1');
show($list());
section('commands out of sync');
$db->real_query('SELECT 1');
for ($i = 0; $i < 3; $i++) {
    $db->query('SELECT 2');
    show($list());
}
ping($db);
show($list());
$db->store_result();
show($list());
$db->query('SELECT 1');
show($list());
section('gone');
kill_connection(connect(), $db->thread_id);
for ($i = 0; $i < 3; $i++) {
    $db->query('SELECT 2');
    show($list());
}
ping($db);
show($list());
$db->real_connect(...address());
show($list());
