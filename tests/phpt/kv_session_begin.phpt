--TEST--
vaquita.kv: what a session did before its first statement by key counts, and what the driver asks leaves no trace
--SKIPIF--
<?php
require 'support/prelude.php';
require 'support/key_value.php';
skip_without_port();
echo on('mysql56') ? 'skip the server does not tell of temporary tables' : '';
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
require 'support/key_value.php';

$admin = connect();
$admin->query('CREATE TABLE kv_begin (k VARCHAR(80) PRIMARY KEY, v VARCHAR(400) NOT NULL) ENGINE=InnoDB');
$admin->query("INSERT INTO kv_begin VALUES ('key', 'of all')");
// On MySQL a function may not be made with binary logging on; a procedure may.
$admin->query("CREATE PROCEDURE kv_hide() BEGIN CREATE TEMPORARY TABLE kv_begin (k VARCHAR(80) PRIMARY KEY, v VARCHAR(400) NOT NULL); INSERT INTO kv_begin VALUES ('key', 'own'); END");
$admin->query('CREATE TABLE kv_calls (i INT PRIMARY KEY)');
$admin->query('CREATE TRIGGER kv_calls_hide BEFORE INSERT ON kv_calls FOR EACH ROW CALL kv_hide()');
open_port($admin, ['kv_begin' => ['k', 'v']]);
ini_set('vaquita.kv', 'on');
ini_set('vaquita.kv_address', port_address());
ini_set('vaquita.kv_max_stale_ms', '60000');
const BY_KEY = "SELECT v FROM kv_begin WHERE k = 'key'";

section('a table that a trigger has made');
$calls = 0;
$read = function (mysqli $db) use (&$calls): void {
    $read = fn() => $db->query(BY_KEY)->fetch_row()[0];
    $db->query('INSERT INTO kv_calls VALUES (' . ++$calls . ')');
    show($read(), $read(), $read(), $read());
};
// Its shape is known to this process.
$db = connect();
for ($i = 0; $i < 5; $i++) {
    $db->query(BY_KEY)->fetch_row();
}
show(Vaquita\kv($db)->statistics()['answered'] > 0);
$read(connect());
$db = connect();
$db->change_user(server('USER'), server('PASSWORD'), server('DATABASE'));
$read($db);
for ($i = 0; $i < 3; $i++) {
    $db = connect(hostname: 'p:' . address()['hostname']);
    show($db->query(BY_KEY)->fetch_row()[0]);
    $read($db);
    $db->close();
}

section('a session that a refused user leaves');
$db = connect();
try {
    $db->change_user(server('USER'), 'wrong', server('DATABASE'));
} catch (mysqli_sql_exception) {
    // MySQL closes the connection then.
}
$db = on_mariadb() ? $db : connect();
$db->select_db(server('DATABASE'));
$read($db);

section('a handle of PDO that was made without');
ini_set('vaquita.kv', 'off');
$pdo = connect_pdo([PDO::ATTR_PERSISTENT => true]);
$id = $pdo->query('SELECT CONNECTION_ID()')->fetchColumn();
unset($pdo);
ini_set('vaquita.kv', 'on');
$pdo = connect_pdo([PDO::ATTR_PERSISTENT => true]);
$pdo->exec('INSERT INTO kv_calls VALUES (' . ++$calls . ')');
$value = fn() => $pdo->query(BY_KEY)->fetchColumn();
show($id === $pdo->query('SELECT CONNECTION_ID()')->fetchColumn(), $value(), $value(), $value());

section('another connection in the place of one that is dead');
$persistent = fn() => connect(hostname: 'p:' . address()['hostname']);
foreach (['INSERT INTO kv_calls VALUES (%d)' => 'ROLLBACK', 'LOCK TABLES kv_begin READ' => 'UNLOCK TABLES', 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE' => 'COMMIT'] as $first => $last) {
    $db = $persistent();
    $id = $db->query('SELECT CONNECTION_ID()')->fetch_row()[0];
    $db->close();
    $db = $persistent();
    kill_connection($admin, (int) $id);
    $db->query(sprintf($first, ++$calls));
    for ($i = 0; $i < 4; $i++) {
        $row = $db->query(BY_KEY)->fetch_row();
    }
    show($row, Vaquita\kv($db)->statistics()['answered']);
    $db->query($last);
    $db->close();
}

section('what does not end it');
$other = mysqli_init();
$other->options(MYSQLI_INIT_COMMAND, 'CREATE TEMPORARY TABLE kv_other (a INT)');
$other->real_connect(...address(), flags: flags());
$db = connect();
$db->prepare('SET @a = 1')->execute();
$db->execute_query('SET @a = 2');
for ($i = 0; $i < 5; $i++) {
    $db->query(BY_KEY)->fetch_row();
}
show(Vaquita\kv($db)->statistics()['answered'] > 0);
child(<<<'PHP'
    require 'support/key_value.php';
    ini_set('vaquita.kv', 'on');
    ini_set('vaquita.kv_address', port_address());
    for ($i = 0; $i < 3; $i++) {
        $db = connect(hostname: 'p:' . address()['hostname']);
        $db->query('SELECT 1')->fetch_row();
        for ($times = 0; $times < 5; $times++) {
            $db->query("SELECT v FROM kv_begin WHERE k = 'key'")->fetch_row();
        }
        show(Vaquita\kv($db)->statistics()['answered'] > 0);
        $db->close();
    }
    PHP, ['vaquita.pool_idle_timeout' => '60', 'vaquita.kv_tables' => ini_get('vaquita.kv_tables')]);

section('FOUND_ROWS() behind what mysqlnd_memcache_set() asks');
ini_set('vaquita.kv', 'off');
$db = connect();
$db->query('SELECT 1 UNION SELECT 2 UNION SELECT 3')->fetch_all();
show(mysqlnd_memcache_set($db, port_address()), $db->query('SELECT FOUND_ROWS()')->fetch_row());
ini_set('vaquita.kv', 'on');

section('FOUND_ROWS() behind a statement that fails');
ini_set('vaquita.kv_max_stale_ms', '1');
foreach ([0, 1, 3, 25, 1234] as $count) {
    $db = connect();
    $admin->query('CREATE TABLE kv_gone (k INT PRIMARY KEY, v INT NOT NULL) ENGINE=InnoDB');
    $db->query('SELECT v FROM kv_gone WHERE k = 1');
    $admin->query('DROP TABLE kv_gone');
    $numbers = implode(' UNION ALL ', array_fill(0, max(1, $count), 'SELECT 1'));
    $db->query("SELECT 1 FROM ($numbers) AS t LIMIT $count");
    attempt('gone', fn() => $db->query('SELECT v FROM kv_gone WHERE k = 1'));
    show($db->query('SELECT FOUND_ROWS()')->fetch_row()[0]);
}
?>
--EXPECT--
=== a table that a trigger has made
true
"own" | "own" | "own" | "own"
"own" | "own" | "own" | "own"
"of all"
"own" | "own" | "own" | "own"
"of all"
"own" | "own" | "own" | "own"
"of all"
"own" | "own" | "own" | "own"
=== a session that a refused user leaves
"own" | "own" | "own" | "own"
=== a handle of PDO that was made without
true | "own" | "own" | "own"
=== another connection in the place of one that is dead
["own"] | 0
["of all"] | 0
["of all"] | 0
=== what does not end it
true
true
true
true

  exit code 0
=== FOUND_ROWS() behind what mysqlnd_memcache_set() asks
true | ["3"]
=== FOUND_ROWS() behind a statement that fails
gone: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.kv_gone' doesn't exist
"0"
gone: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.kv_gone' doesn't exist
"1"
gone: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.kv_gone' doesn't exist
"3"
gone: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.kv_gone' doesn't exist
"25"
gone: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.kv_gone' doesn't exist
"1234"
