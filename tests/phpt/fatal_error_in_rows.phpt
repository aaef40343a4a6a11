--TEST--
A fatal error ends a script in the midst of rows that have no end: nobody reads the rest of them, and the server is let go
--FILE--
<?php
// places: mariadb-unix mysql80-tcp mysql80-compress
require 'support/prelude.php';

// A thousand million rows, made as they are asked for.
$db = connect();
$db->query('CREATE TABLE t (n INT)');
$db->query('INSERT INTO t VALUES ' . implode(', ', array_fill(0, 1000, '(1)')));
$all = "SELECT 'without end', REPEAT('x', 100) FROM t AS a, t AS b, t AS c";

$query = '$r = $db->query($all, MYSQLI_USE_RESULT);';
$statement = '$s = $db->prepare($all); $s->execute(); $s->bind_result($a, $b);';
$pdo = '$pdo = connect_pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]); $r = $pdo->query($all);';
$native = '$pdo = connect_pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false, PDO::ATTR_EMULATE_PREPARES => false]); $r = $pdo->prepare($all); $r->execute();';
$ways = [
    'query, no memory' => "$query \$r->fetch_all();",
    'query, no time' => "$query \$r->fetch_row(); for (;;);",
    'in a function, no memory' => "(function () use (\$db, \$all) { $query return \$r->fetch_all(); })();",
    'in a function, no time' => "(function () use (\$db, \$all) { $query \$r->fetch_row(); for (;;); })();",
    'statement, no memory' => "$statement while (\$s->fetch()) { \$kept[] = [\$a, \$b]; }",
    'statement, no time' => "$statement \$s->fetch(); for (;;);",
    'PDO, no memory' => "$pdo \$r->fetchAll();",
    'PDO, no time' => "$pdo \$r->fetch(); for (;;);",
    'PDO, native, no memory' => "$native \$r->fetchAll();",
    'PDO, native, no time' => "$native \$r->fetch(); for (;;);",
];
foreach ($ways as $name => $way) {
    $begun = microtime(true);
    ob_start();
    child("\$all = \"$all\"; \$db = connect(); $way", ['memory_limit' => '16M', 'max_execution_time' => str_contains($name, 'no time') ? 1 : 0]);
    preg_match('/(Allowed memory size|Maximum execution time).*(exit code \d+)/s', $said = ob_get_clean(), $match);
    echo "$name: ", $match ? "$match[1], $match[2]" : $said, microtime(true) - $begun < 20 ? "\n" : ", late\n";
}

for ($tries = 0; $tries < 100; $tries++) {
    $left = $db->query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO LIKE 'SELECT ''without end''%'")->fetch_column();
    if ($left == 0) {
        break;
    }
    usleep(100_000);
}
echo "$left left on the server\n";
?>
--EXPECT--
query, no memory: Allowed memory size, exit code 255
query, no time: Maximum execution time, exit code 255
in a function, no memory: Allowed memory size, exit code 255
in a function, no time: Maximum execution time, exit code 255
statement, no memory: Allowed memory size, exit code 255
statement, no time: Maximum execution time, exit code 255
PDO, no memory: Allowed memory size, exit code 255
PDO, no time: Maximum execution time, exit code 255
PDO, native, no memory: Allowed memory size, exit code 255
PDO, native, no time: Maximum execution time, exit code 255
0 left on the server
