--TEST--
VECTOR, on the servers that have it: the bytes of its floats, by every way to take them
--FILE--
<?php
// servers: mariadb118 mysql97
// transports: unix tcp zlib tls tls-zlib
// places: mysql97-zstd
require 'support/prelude.php';
$db = connect();
check_transport($db);
$db->query('CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, v VECTOR(3))');
$from_text = on_mariadb() ? 'VEC_FromText' : 'STRING_TO_VECTOR';
$db->query("INSERT INTO t VALUES (1, $from_text('[1,-2.5,0]')), (2, NULL), (3, $from_text('[1024.125,0.1,-7]'))");
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $result = $db->query('SELECT v, HEX(v) AS hex FROM t ORDER BY id', $mode);
    $type = $result->fetch_field()->type;
    show(on_mariadb() || $type === 242);
    foreach ($result as $row) {
        show($row['v'] === null ? null : array_values(unpack('g*', $row['v'])), $row['v'] === null ? $row['hex'] : bin2hex($row['v']) === strtolower($row['hex']));
    }
}
?>
--EXPECT--
true
[float 1.0, float -2.5, float 0.0] | true
null | null
[float 1024.125, float 0.10000000149011612, float -7.0] | true
true
[float 1.0, float -2.5, float 0.0] | true
null | null
[float 1024.125, float 0.10000000149011612, float -7.0] | true
