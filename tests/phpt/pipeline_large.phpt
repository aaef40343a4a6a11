--TEST--
Vaquita\pipeline sends 64 MB and reads 64 MB at the same time, over each transport
--FILE--
<?php
// places: mariadb-unix mariadb-tcp mariadb-tls mariadb-zlib mysql80-unix mysql80-tcp mysql80-tls mysql80-zstd
// seconds: 120
require 'support/prelude.php';
use function Vaquita\pipeline;
$db = connect();
check_transport($db);

section('1,000 statements of 64 KB with replies of 64 KB');
$value = fn(int $number) => str_pad((string) $number, 65536, "$number,");
$outcomes = pipeline($db, array_map(fn($number) => "SELECT '{$value($number)}'", range(0, 999)));
$right = 0;
foreach ($outcomes as $number => $outcome) {
    $right += $outcome->fetch_row() === [$value($number)];
}
show(count($outcomes), $right);
unset($outcomes);

section('the same with a statement');
$statement = $db->prepare('SELECT ?');
$outcomes = pipeline($statement, array_map(fn($number) => [$value($number)], range(0, 999)));
$right = 0;
foreach ($outcomes as $number => $outcome) {
    $right += $outcome->fetch_row() === [$value($number)];
}
show(count($outcomes), $right);
unset($outcomes);

section('many small ones');
$outcomes = pipeline($db, array_map(fn($number) => "SELECT $number", range(0, 19999)));
$right = 0;
foreach ($outcomes as $number => $outcome) {
    $right += $outcome->fetch_row() === ["$number"];
}
show(count($outcomes), $right);
?>
--EXPECT--
=== 1,000 statements of 64 KB with replies of 64 KB
1000 | 1000
=== the same with a statement
1000 | 1000
=== many small ones
20000 | 20000
