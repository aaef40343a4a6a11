--TEST--
Where a script is near its memory_limit: small results still come, and PDO's loop over all rows neither gets the process killed nor gives too few rows
--FILE--
<?php
// places: mariadb-unix mysql80-tcp
require 'support/prelude.php';
$db = connect();
$db->query('CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a VARCHAR(2000), b MEDIUMTEXT)');
$db->query("INSERT INTO t (a, b) VALUES " . implode(', ', array_fill(0, 1000, "(REPEAT('a', 2000), REPEAT('b', 30000))")));

function ending(string $script, string $limit): void
{
    ob_start();
    child("\$db = connect(); \$pdo = connect_pdo(); $script", ['memory_limit' => $limit]);
    echo trim(preg_replace(['/ of \d+ bytes exhausted \(tried to allocate \d+ bytes\) in FILE on line \d+/', '/\s+/'], [' exhausted', ' '], ob_get_clean())), "\n";
}
section('all that a script may have is in use');
foreach (['1 AS a', "REPEAT('x', 50000) AS a", "REPEAT('x', 500000) AS a"] as $columns) {
    foreach (["\$db->query(\"SELECT $columns\")->fetch_column()", "\$db->query(\"SELECT $columns\", MYSQLI_USE_RESULT)->fetch_column()", "\$pdo->query(\"SELECT $columns\")->fetchColumn()"] as $way) {
        ending("echo strlen($way);", '2M');
    }
}
section('fetchAll()');
// The last is an error in the middle, of which PDO itself says nothing.
foreach ([['true', 'id, a FROM t', '5M'], ['false', 'id, a FROM t', '3M'], ['false', 'id, b FROM t', '3M'], ['false', "id, REPEAT('c', 3000000) FROM t LIMIT 10", '16M']] as [$is_buffered, $query, $limit]) {
    $fetch = "\$pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, $is_buffered);
        try { echo count(\$pdo->query(\"SELECT $query\")->fetchAll()), ' rows'; } catch (PDOException \$e) { echo \$e->errorInfo[1]; }";
    ending("register_shutdown_function(fn() => print(' then ' . \$GLOBALS['db']->query('SELECT 5')->fetch_column())); $fetch", $limit);
    ending($fetch, '160M');
}
?>
--EXPECT--
=== all that a script may have is in use
1 exit code 0
1 exit code 0
1 exit code 0
50000 exit code 0
50000 exit code 0
50000 exit code 0
500000 exit code 0
500000 exit code 0
500000 exit code 0
=== fetchAll()
Fatal error: Allowed memory size exhausted then 5 exit code 255
1000 rows exit code 0
Fatal error: Allowed memory size exhausted then 5 exit code 255
1000 rows exit code 0
Fatal error: Allowed memory size exhausted then 5 exit code 255
1000 rows exit code 0
2008 then 5 exit code 0
10 rows exit code 0
