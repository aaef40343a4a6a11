<?php
// Rows that are fetched one by one, and what scripts do with each before they fetch the next one: keep, change and refer to it, or to a part of it.
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
require 'support/row_loops.php';

$db = connect();
$db->query('CREATE TEMPORARY TABLE t (id INT, name VARCHAR(90), price DOUBLE, note TEXT, flag CHAR(1))');
$value = fn(int $i) => match (true) {
    $i % 5 === 0 => 'NULL',
    default => "'" . str_repeat(chr(97 + $i % 26), $i * 7 % 70) . "'",
};
$rows = array_map(fn($i) => "($i * $i * 37, {$value($i)}, $i / 8, " . ($i % 41 ? $value($i + 1) : "REPEAT('n', $i * 100)") . ", 'f')", range(1, 120));
$db->query('INSERT INTO t VALUES ' . implode(', ', $rows));
$selects = [
    'SELECT * FROM t', 'SELECT name, id FROM t', 'SELECT id FROM t', 'SELECT flag, note FROM t', 'SELECT id, name, id, name AS `2`, price FROM t', 'SELECT name FROM t LIMIT 6',
];
foreach ([0, 1] as $is_native) {
    $db->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, $is_native);
    foreach ($selects as $number => $sql) {
        section("$sql, " . ($is_native ? 'native' : 'text'));
        for ($seed = 0; $seed < 150; $seed++) {
            show($seed, loop_rows($db, $sql, $seed * 100 + $number * 10 + $is_native));
        }
    }
}

section('what PHP notes about a string, for its next use, holds for those bytes alone');
// The bytes of a row may stand where those of the row before last stood: each is UTF-8 after one that is not, and the other way round.
$values = ["X'C3A9C3A9'", "'abcd'", "X'C3A9FFFF'", "X'80808080'"];
$select = fn(int $i): string => "SELECT {$values[$i % 4]} AS bytes, 'key" . chr(97 + $i % 3) . "' AS name";
$result = $db->query(implode(' UNION ALL ', array_map($select, range(0, 40))));
while ($row = $result->fetch_assoc()) {
    // Whether it is UTF-8, and its hash.
    show(preg_match('//u', $row['bytes']), preg_match('//u', $row['bytes']), ['keya' => 'a', 'keyb' => 'b', 'keyc' => 'c'][$row['name']]);
}
