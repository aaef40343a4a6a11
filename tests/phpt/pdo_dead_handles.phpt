--TEST--
A persistent handle of PDO that is dead when it is asked for again goes, with its connection: PDO itself forgets it
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';

$admin = connect();
$counts = fn() => array_intersect_key(mysqli_get_client_stats(), ['active_connections' => 0, 'active_persistent_connections' => 0, 'pconnect_success' => 0]);
$before = $counts();
for ($i = 0; $i < 20; $i++) {
    $db = connect_pdo([PDO::ATTR_PERSISTENT => true]);
    $id = $db->query('SELECT CONNECTION_ID()')->fetchColumn();
    $db = null;
    // MySQL forgets one that comes while it resets the session.
    mysqli_report(MYSQLI_REPORT_OFF);
    do {
        $admin->query("KILL $id");
        usleep(1000);
    } while ($admin->query("SELECT 1 FROM information_schema.processlist WHERE id = $id")->num_rows > 0);
}
$db = connect_pdo([PDO::ATTR_PERSISTENT => true]);
show(array_map(fn($now, $then) => $now - $then, $counts(), $before));
?>
--EXPECT--
[21, 1, 1]
