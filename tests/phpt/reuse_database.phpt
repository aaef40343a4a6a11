--TEST--
Asking for a persistent connection with a database that is not there ends no more than one of those that are idle
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
$connect = fn(string $database) => connect(hostname: 'p:' . address()['hostname'], database: $database);
$links = [$connect(server('DATABASE')), $connect(server('DATABASE')), $connect(server('DATABASE'))];
unset($links);
try {
    @$connect('not_there');
} catch (mysqli_sql_exception $e) {
    echo $e->getCode(), "\n";
}
echo Vaquita\pool_stats()['idle'], " idle\n";
?>
--EXPECT--
1049
2 idle
