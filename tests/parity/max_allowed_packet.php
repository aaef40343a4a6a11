<?php
// 64 MiB in both directions, statements that the server just takes, and what it says to those that it does not.
// servers: mariadb mysql80
// transports: tcp unix
// ini: memory_limit=1G
// seconds: 180
require 'support/prelude.php';

$db = connect();
section('64 MiB in both directions');
$size = 64 << 20;
$value = $db->query("SELECT REPEAT('y', $size), 'after'")->fetch_row();
show(strlen($value[0]), md5($value[0]), $value[1]);
show($db->query("SELECT LENGTH('" . str_repeat('z', $size) . "')")->fetch_row());

$most = (int) $db->query('SELECT @@max_allowed_packet')->fetch_row()[0];
section('statements that the server just takes, or just does not');
foreach ([$most - 1, $most] as $size) { // with the command's byte one more
    $db = connect();
    attempt("$size bytes", fn() => $db->query(str_pad('SELECT 1', $size - 1))->fetch_row());
    show_error($db);
}
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
show_error($db);
section('a statement that the server does not read to its end');
$db = connect();
attempt('query', fn() => $db->query(str_pad('SELECT 1', $most + (32 << 20))));
show_error($db);
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
show_error($db);
