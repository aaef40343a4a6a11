--TEST--
A second object of a persistent PDO handle does not wait for anything where queries have a limit
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
child(<<<'PHP'
$connect = fn() => connect_pdo([PDO::ATTR_PERSISTENT => true]);
$one = $connect();
$one->query('SELECT 1')->fetchAll();
$from = microtime(true);
$two = $connect();
echo microtime(true) - $from < 1 ? 'at once' : 'late', ': ', $two->query('SELECT 2')->fetchColumn(), $one->query('SELECT 3')->fetchColumn(), "\n";
PHP, ['vaquita.query_timeout_ms' => 1500]);
?>
--EXPECT--
at once: 23

  exit code 0
