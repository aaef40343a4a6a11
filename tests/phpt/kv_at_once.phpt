--TEST--
vaquita.kv: what is prepared and run in one go goes to the port, too, and what was prepared before a transaction
--SKIPIF--
<?php
require 'support/prelude.php';
require 'support/key_value.php';
skip_without_port();
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
require 'support/key_value.php';

$db = connect();
$db->query('CREATE TABLE kv_at_once (k VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, v VARCHAR(400) CHARACTER SET utf8mb4 NOT NULL) ENGINE=InnoDB');
foreach (range(1, 20) as $i) {
    $db->query("INSERT INTO kv_at_once VALUES ('key-$i', 'value $i')");
}
$admin = connect();
open_port($admin, ['kv_at_once' => ['k', 'v']]);
ini_set('vaquita.kv', 'on');
ini_set('vaquita.kv_address', port_address());
ini_set('vaquita.kv_max_stale_ms', '60000');
$db = connect();
$db->set_charset('utf8mb4');
$answered = fn() => Vaquita\kv($db)->statistics()['answered'];
const SQL = 'SELECT v FROM kv_at_once WHERE k = ?';
function reads(string $what, callable $read): void
{
    global $answered;
    $before = $answered();
    foreach (range(1, 10) as $i) {
        $read("key-$i") === "value $i" || show('differs', $what, $i);
    }
    show($what, $read('none'), match (true) {
        $answered() === $before => 'by SQL',
        $answered() >= $before + 5 => 'by the port',
        default => $answered() - $before,
    });
}

reads('execute_query', fn($key) => $db->execute_query(SQL, [$key])->fetch_row()[0] ?? null);
reads('Vaquita\query', fn($key) => Vaquita\query($db, SQL, [$key])->fetch_row()[0] ?? null);
$statement = $db->prepare(SQL);
$run = function ($key) use ($statement) {
    $statement->execute([$key]);
    return $statement->get_result()->fetch_row()[0] ?? null;
};
reads('prepared', $run);

section('a statement is what it was after');
foreach (['begin_transaction' => 'commit', 'autocommit' => 'autocommit'] as $begin => $end) {
    $begin === 'autocommit' ? $db->autocommit(false) : $db->begin_transaction();
    $db->query("UPDATE kv_at_once SET v = 'changed' WHERE k = 'key-1'");
    $before = $answered();
    show($run('key-1'), $answered() - $before);
    $db->rollback();
    $end === 'autocommit' ? $db->autocommit(true) : $db->commit();
    reads($end, $run);
}
$db->query('LOCK TABLES kv_at_once WRITE');
$db->query('UNLOCK TABLES');
reads('locks', $run);

section('and is not after');
$db->query("SET sql_mode = 'ANSI_QUOTES'");
reads('settings', $run);
reads('settings, prepared anew', fn($key) => $db->execute_query(SQL, [$key])->fetch_row()[0] ?? null);

section('too many values');
try {
    $db->execute_query(SQL, ['key-1', 'key-2']);
} catch (Throwable $e) {
    show($e::class, $e->getMessage());
}
show($db->execute_query(SQL, ['key-3'])->fetch_row()[0]);
?>
--EXPECT--
"execute_query" | null | "by the port"
"Vaquita\\query" | null | "by the port"
"prepared" | null | "by the port"
=== a statement is what it was after
"changed" | 0
"commit" | null | "by the port"
"changed" | 0
"autocommit" | null | "by the port"
"locks" | null | "by the port"
=== and is not after
"settings" | null | "by SQL"
"settings, prepared anew" | null | "by the port"
=== too many values
"ValueError" | "mysqli::execute_query(): Argument #2 ($params) must consist of exactly 1 elements, 2 present"
"value 3"
