<?php
// 64 MiB in both directions, and statements that the server just takes, or just does not.
// places: mariadb-tcp mysql80-unix
// ini: memory_limit=1G
// seconds: 180
require 'support/prelude.php';

$most = (int) connect()->query('SELECT @@max_allowed_packet')->fetch_row()[0];
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
section('64 MiB in both directions');
$db = connect();
$size = 64 << 20;
$value = $db->query("SELECT REPEAT('y', $size), 'after'")->fetch_row();
show(strlen($value[0]), md5($value[0]), $value[1]);
show($db->query("SELECT LENGTH('" . str_repeat('z', $size) . "')")->fetch_row());
section('statements that the server just takes, or just does not');
foreach ([$most - 1, $most] as $size) { // with the command's byte one more
    $db = connect();
    attempt("$size bytes", fn() => $db->query(str_pad('SELECT 1', $size - 1))->fetch_row());
    show_error($db);
}
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
show_error($db);
attempt('ping', fn() => $db->ping());
attempt('close', fn() => $db->close());
