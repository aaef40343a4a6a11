--TEST--
A persistent connection whose server has said goodbye between its taking and its first command
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
restore_error_handler();
error_reporting(E_ALL & ~E_DEPRECATED); // ping() and kill() are, since PHP 8.4
$admin = connect();
$connect = function () {
    $db = mysqli_init();
    $db->options(MYSQLI_INIT_COMMAND, 'SET SESSION wait_timeout = 1');
    $db->real_connect(...address(hostname: 'p:' . address()['hostname']));
    return $db;
};
foreach (['SELECT 5', 'DO 5', ''] as $first) {
    $db = $connect();
    $id = $db->query('SELECT CONNECTION_ID()')->fetch_row()[0];
    $db->close();
    $db = $connect();
    while ($admin->query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = $id")->fetch_row()[0] !== '0') {
        usleep(10_000);
    }
    $done = $first === '' ? $db->ping() : $db->query($first);
    echo $first ?: 'ping', ': ', $done instanceof mysqli_result ? $done->fetch_row()[0] : ($done ? 'done' : 'failed'), "\n";
    $db->query('DO 1'); // so that it is a new one next time, too
    $db->kill($db->thread_id);
    $db->close();
}
echo Vaquita\pool_stats()['replaced'], " replaced\n";
?>
--EXPECT--
SELECT 5: 5
DO 5: done
ping: done
3 replaced
