--TEST--
LOAD DATA LOCAL INFILE as the first command on a persistent connection that has died
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
child(<<<'PHP'
$admin = connect();
if (!on_mariadb()) {
    $admin->query('SET GLOBAL local_infile = 1');
}
$admin->query('CREATE TABLE t (a INT)');
$file = tempnam(sys_get_temp_dir(), 'vaquita');
file_put_contents($file, "1\n2\n");
$connect = fn() => connect(hostname: 'p:' . address()['hostname']);
for ($i = 0; $i < 2; $i++) {
    $db = $connect();
    $id = $db->query('SELECT CONNECTION_ID()')->fetch_row()[0];
    $db->close();
}
$db = $connect();
mysqli_report(MYSQLI_REPORT_OFF);
// MySQL may overlook one that comes as a command ends.
do {
    $admin->query("KILL $id");
    usleep(10_000);
} while ($admin->query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = $id")->fetch_row()[0] !== '0');
$db->query("LOAD DATA LOCAL INFILE '$file' INTO TABLE t");
echo $db->affected_rows, ' rows, ';
$db->close();
echo Vaquita\pool_stats()['replaced'], " replaced\n";
unlink($file);
PHP, ['mysqli.allow_local_infile' => 1]);
?>
--EXPECT--
2 rows, 1 replaced

  exit code 0
