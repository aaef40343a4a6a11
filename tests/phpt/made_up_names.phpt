--TEST--
Names of columns that queries make up do not fill the memory of a script that runs for long
--FILE--
<?php
// servers: mariadb
require 'support/prelude.php';
$db = connect();
$pdo = connect_pdo();
$names = [];
$grown = function (int $from, int $to) use ($db, $pdo, &$names): int {
    $before = memory_get_usage();
    for ($i = $from; $i < $to; $i++) {
        foreach ($db->query("SELECT 1 AS made_up_$i UNION ALL SELECT 2") as $row) {
        }
        $one = $pdo->query("SELECT 1 AS other_$i")->fetch(PDO::FETCH_ASSOC);
        if ($row !== ["made_up_$i" => '2'] || $one !== ["other_$i" => 1]) {
            $names[] = $i;
        }
    }
    return memory_get_usage() - $before;
};
$first = $grown(0, 2000);
show($first < 300_000 ?: $first, $grown(2000, 12_000) < 1000, $names);
?>
--EXPECT--
true | true | []
