<?php
// Statements that the server does not take, nor read to their end, and what it says to them.
// servers: mariadb mysql80
// transports: tcp unix
// ini: memory_limit=1G
// seconds: 180
require 'support/prelude.php';

$most = (int) connect()->query('SELECT @@max_allowed_packet')->fetch_row()[0];
section('a statement that the server does not read to its end');
mysqli_report(MYSQLI_REPORT_OFF);
$db = connect();
attempt('query', fn() => $db->query(str_pad('SELECT 1', $most + (32 << 20))));
show_error($db);
attempt('query after it', fn() => $db->query('SELECT 1')->fetch_row());
show_error($db);
attempt('ping', fn() => $db->ping());
attempt('close', fn() => $db->close());
