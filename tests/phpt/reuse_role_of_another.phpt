--TEST--
The next user of a persistent connection has no role of a user who had it before change_user()
--FILE--
<?php
// servers: mariadb mysql80
// without mysql56: it has no roles
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);
$admin = connect();
$users = ['reuse_one', 'reuse_other'];
$role = 'reuse_default';
$drop = function () use ($admin, $users, $role) {
    foreach ($users as $user) {
        $admin->query("DROP USER IF EXISTS $user@'%', $user@localhost");
    }
    $admin->query("DROP ROLE IF EXISTS $role");
};
$drop();
$admin->query("CREATE ROLE $role");
foreach ($users as $user) {
    foreach (['%', 'localhost'] as $host) {
        $admin->query("CREATE USER $user@'$host' IDENTIFIED BY 'x'");
        $admin->query('GRANT SELECT ON ' . server('DATABASE') . ".* TO $user@'$host'");
    }
}
foreach (['%', 'localhost'] as $host) {
    $admin->query("GRANT $role TO $users[0]@'$host'");
    $admin->query("SET DEFAULT ROLE $role " . (on_mariadb() ? 'FOR' : 'TO') . " $users[0]@'$host'");
}
$connect = fn(int $user) => connect(hostname: 'p:' . address()['hostname'], username: $users[$user], password: 'x');
$has_role = fn(mysqli $db) => str_contains($db->query('SELECT CURRENT_ROLE()')->fetch_row()[0] ?? '', $role) ? 'has the role' : 'has no role';
$db = $connect(0);
$id = $db->thread_id;
echo 'the first ', $has_role($db), "\n";
$db->close();
foreach ([1, 2] as $round) {
    $db = $connect(0);
    $db->change_user($users[1], 'x', server('DATABASE'));
    $db->close();
    $db = $connect(1);
    echo 'the other ', $has_role($db), $db->thread_id === $id ? ', the same connection' : ', another connection', "\n";
    $db->change_user($users[0], 'x', server('DATABASE'));
    $db->close();
}
$db = $connect(0);
echo 'the first ', $has_role($db), $db->thread_id === $id ? ', the same connection' : ', another connection', "\n";
$db->close();
$drop();
?>
--EXPECT--
the first has the role
the other has no role, the same connection
the other has no role, the same connection
the first has the role, the same connection
