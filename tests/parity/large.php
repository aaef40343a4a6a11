<?php
// Values and rows at and beyond the border of 16 MiB where a packet is split, as results and as statements.
// places: mariadb-unix mysql80-unix mariadb-zlib mysql80-zlib mysql80-zstd
// ini: memory_limit=1G
require 'support/prelude.php';

$db = connect();
$db->query('CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a LONGBLOB, b MEDIUMBLOB) ENGINE=MyISAM'); // the other one takes seconds
$digest = fn(?array $row) => $row === null ? null : array_map(fn($value) => is_string($value) ? [strlen($value), md5($value)] : $value, $row);
const PACKET = 0xffffff;
// Each edge once for each server; elsewhere those that show that an edge is one there too. TCP is in packet_sizes.php.
$all = server('TRANSPORT') === 'unix';

// A value has 4 bytes, beyond 16 MiB 9 bytes, for its length: so these make rows that just fill a packet, or two, or just do not.
foreach ($all ? [PACKET - 5, PACKET - 4, PACKET, 2 * PACKET - 9] : [PACKET - 4, PACKET] as $size) {
    section("one value of $size bytes");
    foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
        $result = $db->query("SELECT REPEAT('x', $size) UNION ALL SELECT 'after'", $mode);
        show($digest($result->fetch_row()), $result->lengths, $digest($result->fetch_assoc()), $result->fetch_row());
        $result->free();
    }
}
section('all rows at once');
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $result = $db->query("SELECT 1, REPEAT('x', 17000000) UNION ALL SELECT 2, 'small' UNION ALL SELECT 3, NULL", $mode);
    show(array_map($digest, $result->fetch_all(MYSQLI_ASSOC)));
}
section('several values make a row that is too large for a packet');
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $parts = implode(', ', array_map(fn($i) => "REPEAT('" . chr(97 + $i) . "', 2000000) AS c$i", range(0, 10)));
    $result = $db->query("SELECT $parts", $mode);
    foreach ($result as $row) {
        show($digest($row));
    }
    $result->free();
}
foreach ($all ? [PACKET - 1, PACKET, 2 * PACKET - 1] : [PACKET] as $size) {
    section("a statement of $size bytes");
    $head = 'SELECT LENGTH("';
    $tail = '")';
    $sql = $head . str_repeat('q', $size - strlen($head) - strlen($tail)) . $tail;
    show(strlen($sql), $db->query($sql)->fetch_row());
}
section('stored and read back');
$value = str_repeat(implode('', array_map(chr(...), range(0, 255))), 67_000) . 'end';
$db->query("INSERT INTO t (a, b) VALUES ('" . $db->real_escape_string($value) . "', '" . $db->real_escape_string(substr($value, 0, 70_000)) . "')");
show($db->affected_rows, strlen($value), md5($value));
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    show($digest($db->query('SELECT a, b, id FROM t', $mode)->fetch_row()));
}
