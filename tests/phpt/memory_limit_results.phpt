--TEST--
A result that is larger than memory_limit allows is an error that can be caught, however it is asked for: the connection is closed, its memory given back
--FILE--
<?php
// places: mariadb-unix mysql80-tcp mysql80-compress
require 'support/prelude.php';
$db = connect();
$db->query('CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a VARCHAR(200), b VARCHAR(2000), c INT)');
$db->query("INSERT INTO t (a, b, c) VALUES " . implode(', ', array_fill(0, 500, "(REPEAT('a', 200), REPEAT('b', 2000), 5)")));
for ($i = 0; $i < 5; $i++) {
    $db->query('INSERT INTO t (a, b, c) SELECT a, b, c FROM t');
}
// 16,000 rows, 36 MB

$all = "'SELECT * FROM t'";
$one = "\"SELECT REPEAT('x', 30000000)\"";
$large = "\"SELECT id, REPEAT('y', 100000) FROM t LIMIT 300\"";
$middle = "\"SELECT id, REPEAT('y', 30000) FROM t LIMIT 2000\"";
$ways = [
    'query' => "\$db->query($all)",
    'a value' => "\$db->query($one)",
    'large values' => "\$db->query($large)",
    'values of 30 KB' => "\$db->query($middle)",
    'values of 30 KB, PDO' => "\$pdo->query($middle)",
    'store_result' => "\$db->real_query($all); \$db->store_result()",
    'a value, store_result' => "\$db->real_query($one); \$db->store_result()",
    'a value, unbuffered' => "\$db->query($one, MYSQLI_USE_RESULT)->fetch_row()",
    'a value, unbuffered, fetch_all' => "\$db->query($one, MYSQLI_USE_RESULT)->fetch_all()",
    'the second result' => "\$db->multi_query('SELECT 1; SELECT * FROM t'); \$db->store_result(); \$db->next_result(); \$db->store_result()",
    'asynchronous' => "\$db->query($all, MYSQLI_ASYNC); \$db->reap_async_query()",
    'get_result' => "\$s = \$db->prepare($all); \$s->execute(); \$s->get_result()",
    'statement store_result' => "\$s = \$db->prepare($all); \$s->execute(); \$s->store_result()",
    'statement, a value' => "\$s = \$db->prepare($one); \$s->execute(); \$s->bind_result(\$x); \$s->fetch()",
    'statement, a value, stored' => "\$s = \$db->prepare($one); \$s->execute(); \$s->store_result()",
    'execute_query' => "\$db->execute_query($all)",
    'Vaquita\query' => "Vaquita\\query(\$db, $all)",
    'Vaquita\rows' => "Vaquita\\rows(\$db->query($all, MYSQLI_USE_RESULT))",
    'PDO' => "\$pdo->query($all)",
    'PDO, a value' => "\$pdo->query($one)->fetchAll()",
    'PDO, prepared' => "\$pdo->prepare($all)->execute()",
    'PDO, native' => "\$pdo->prepare($all, [PDO::ATTR_EMULATE_PREPARES => false])->execute()",
    'PDO, unbuffered, a value' => "\$pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false); \$pdo->query($one)->fetch()",
];
foreach ($ways as $name => $way) {
    echo "$name: ";
    ob_start();
    $on = str_contains($way, 'pdo') ? '$pdo' : '$db';
    child("\$db = connect(); \$pdo = connect_pdo(); \$before = memory_get_usage(true);
        try { $way; echo 'not refused '; } catch (mysqli_sql_exception | PDOException \$e) {
            echo \$e->errorInfo[1] ?? \$e->getCode(), ' ', \$e->errorInfo[0] ?? \$e->getSqlstate(), str_contains(\$e->getMessage(), 'than memory_limit allows') ? '' : \$e->getMessage();
        }
        \$s = \$e = null;
        // The pieces that PHP keeps for itself are of 2 MiB.
        \$more = memory_get_usage(true) - \$before;
        echo \$more <= 1 << 22 ? '' : \" \$more bytes more\", ', ';
        try { {$on}->query('SELECT 7'); echo 'goes on'; } catch (mysqli_sql_exception | PDOException \$e) { echo \$e->errorInfo[1] ?? \$e->getCode(); }
        echo ', ', connect()->query('SELECT 6')->fetch_column(), ', ', strlen(connect()->query(\"SELECT REPEAT('z', 1000000)\")->fetch_column());", ['memory_limit' => '16M', 'error_reporting' => E_ALL & ~E_WARNING]);
    echo preg_replace('/\s+/', ' ', ob_get_clean()), "\n";
}
// In the words that users read.
child("mysqli_report(MYSQLI_REPORT_OFF); \$db = connect(); var_dump(\$db->query($all)); echo preg_replace('/\d+ bytes/', 'N bytes', \$db->error), PHP_EOL;", ['memory_limit' => '16M']);
?>
--EXPECTF--
query: 2008 HY000, 2006, 6, 1000000 exit code 0 
a value: 2008 HY000, 2006, 6, 1000000 exit code 0 
large values: 2008 HY000, 2006, 6, 1000000 exit code 0 
values of 30 KB: 2008 HY000, 2006, 6, 1000000 exit code 0 
values of 30 KB, PDO: 2008 HY000, 2006, 6, 1000000 exit code 0 
store_result: 2008 HY000, 2006, 6, 1000000 exit code 0 
a value, store_result: 2008 HY000, 2006, 6, 1000000 exit code 0 
a value, unbuffered: 2008 HY000, 2006, 6, 1000000 exit code 0 
a value, unbuffered, fetch_all: 2008 HY000, 2006, 6, 1000000 exit code 0 
the second result: 2008 HY000, 2006, 6, 1000000 exit code 0 
asynchronous: 2008 HY000, 2006, 6, 1000000 exit code 0 
get_result: 2008 HY000, 2006, 6, 1000000 exit code 0 
statement store_result: 2008 HY000, 2006, 6, 1000000 exit code 0 
statement, a value: 2008 HY000, 2006, 6, 1000000 exit code 0 
statement, a value, stored: 2008 HY000, 2006, 6, 1000000 exit code 0 
execute_query: 2008 HY000, 2006, 6, 1000000 exit code 0 
Vaquita\query: 2008 HY000, 2006, 6, 1000000 exit code 0 
Vaquita\rows: 2008 HY000, 2006, 6, 1000000 exit code 0 
PDO: 2008 HY000, 2006, 6, 1000000 exit code 0 
PDO, a value: 2008 HY000, 2006, 6, 1000000 exit code 0 
PDO, prepared: 2008 HY000, 2006, 6, 1000000 exit code 0 
PDO, native: 2008 HY000, 2006, 6, 1000000 exit code 0 
PDO, unbuffered, a value: 2008 HY000, 2006, 6, 1000000 exit code 0 
bool(false)
MySQL client ran out of memory: the result is larger than memory_limit allows (tried to allocate N bytes), so the connection was closed; raise memory_limit, ask for less at once, or have the rows unbuffered (MYSQLI_USE_RESULT, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY)

  exit code 0
