--TEST--
Long definitions of columns, of all results and statements that a script holds at once, are bounded by memory_limit: an error that can be caught; what is given back counts no more
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
// 2,000 columns: 700 KiB of definitions.
$columns = implode(', ', array_map(fn($i) => "1 AS `" . str_repeat('ä', 58) . sprintf('%04d', $i) . '`', range(1, 2000)));
$ways = [
    'query' => '$db->query($sql)',
    'statement' => '$db->prepare($sql)',
    'get_result' => '$db->execute_query($sql)',
    'pipeline' => 'Vaquita\pipeline($db, [$sql])[0]',
    'PDO' => '$pdo->query($sql)',
    'PDO, native' => '$native->query($sql)',
];
foreach ($ways as $name => $way) {
    ob_start();
    child("\$db = connect(); \$pdo = connect_pdo(); \$native = connect_pdo([PDO::ATTR_EMULATE_PREPARES => false]); \$sql = 'SELECT $columns';
        // Of which none is held.
        for (\$i = 0; \$i < 60; \$i++) { $way; }
        echo 'one at a time, ';
        \$held = [];
        try {
            for (\$i = 0; \$i < 60; \$i++) { \$held[] = $way; if (end(\$held) instanceof Throwable) throw end(\$held); }
            echo 'not refused';
        } catch (mysqli_sql_exception | PDOException \$e) {
            echo \$e->errorInfo[1] ?? \$e->getCode(), str_contains(\$e->getMessage(), 'than memory_limit allows') ? '' : \$e->getMessage(), ' ', count(\$held) > 5 ? 'after many' : 'after ' . count(\$held);
        }
        \$held = \$e = null;
        \$db = connect(); \$pdo = connect_pdo(); \$native = connect_pdo([PDO::ATTR_EMULATE_PREPARES => false]);
        $way;
        echo ', and again';", ['memory_limit' => '24M']);
    $said = preg_replace('/\s+/', ' ', ob_get_clean());
    echo "$name: $said\n";
}
?>
--EXPECT--
query: one at a time, 2008 after many, and again exit code 0 
statement: one at a time, 2008 after many, and again exit code 0 
get_result: one at a time, 2008 after many, and again exit code 0 
pipeline: one at a time, 2008 after many, and again exit code 0 
PDO: one at a time, 2008 after many, and again exit code 0 
PDO, native: one at a time, 2008 after many, and again exit code 0 
