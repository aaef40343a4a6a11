--TEST--
Vaquita\Kv: what the session and others do to a table between two calls
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
ini_set('vaquita.kv_max_stale_ms', '60000');
$db = connect();
$db->set_charset('utf8mb4');
$rows = fn(string $table) => array_map(fn($row) => implode(' ', $row), $db->query("SELECT * FROM $table ORDER BY 1")->fetch_all());

section('a temporary table hides it');
$db->query('CREATE TABLE hidden (k INT PRIMARY KEY, v INT)');
$kv = Vaquita\kv($db, 'hidden');
$kv->set(5, ['v' => 5]);
$db->query('CREATE TEMPORARY TABLE hidden (k VARCHAR(10), v INT)');
$db->query("INSERT INTO hidden VALUES ('5', 1), ('5x', 2), ('a', 3)");
foreach (['get' => fn() => $kv->get(0), 'getMulti' => fn() => $kv->getMulti(range(0, 9)), 'set' => fn() => $kv->set(5, ['v' => 7]), 'delete' => fn() => $kv->delete(5), 'another object' => fn() => Vaquita\kv($db, 'hidden')->get(0)] as $name => $call) {
    attempt($name, $call);
}
show($rows('hidden'));
$db->query('DROP TEMPORARY TABLE hidden');
show($kv->get(5), $kv->getMulti([5, 6]));

section('a key that makes numbers');
$db->query('CREATE TABLE numbers (k INT PRIMARY KEY, v INT)');
$kv = Vaquita\kv($db, 'numbers');
show($kv->add(0, ['v' => 1]), $kv->delete(0));
$db->query('ALTER TABLE numbers MODIFY k INT AUTO_INCREMENT');
attempt('set', fn() => $kv->set(0, ['v' => 2]));
attempt('add', fn() => $kv->add(0, ['v' => 2]));
show($rows('numbers'));
$db->query('ALTER TABLE numbers MODIFY k INT');
show($kv->add(0, ['v' => 3]), $rows('numbers'));

section('an index that no statement may name');
$db->query('CREATE TABLE unseen (id INT PRIMARY KEY, k INT NOT NULL, UNIQUE u (k))');
$db->query('INSERT INTO unseen VALUES (1, 10), (2, 20)');
$kv = Vaquita\kv($db, 'unseen', ['id'], 'u');
$keys = [10, 20, 30, 40, 50, 60];
show($kv->getMulti($keys));
on('mysql56') || $db->query('ALTER TABLE unseen ALTER INDEX u ' . (on_mariadb() ? 'IGNORED' : 'INVISIBLE'));
show($kv->getMulti($keys) === $kv->getMulti([10, 20]), Vaquita\kv($db, 'unseen', ['id'], 'u')->getMulti($keys), $kv->get(20));

section('statements are looked at by somebody else');
$db->query('CREATE TABLE watched (k INT PRIMARY KEY, v INT)');
$kv = Vaquita\kv($db, 'watched');
show($kv->add(5, ['v' => 5]));
$db->query('ALTER TABLE watched MODIFY k VARCHAR(10)');
$db->query("INSERT INTO watched VALUES ('a', 1)");
mysqlnd_memcache_set($db);
show($kv->get(0), $kv->get('a'), $kv->replace('5', ['v' => 6]), $rows('watched'));
?>
--EXPECT--
=== a temporary table hides it
get: thrown Error(0): Vaquita\kv(): hidden is no base table
getMulti: thrown Error(0): Vaquita\kv(): hidden is no base table
set: thrown Error(0): Vaquita\kv(): hidden is no base table
delete: thrown Error(0): Vaquita\kv(): hidden is no base table
another object: thrown Error(0): Vaquita\kv(): hidden is no base table
["5 1", "5x 2", "a 3"]
["k" => 5, "v" => 5] | [5 => ["k" => 5, "v" => 5]]
=== a key that makes numbers
true | true
set: thrown ValueError(0): Vaquita\Kv::set(): Argument #1 ($key) must be a key of the table: the column k does not hold this value of the key as it is
add: thrown ValueError(0): Vaquita\Kv::add(): Argument #1 ($key) must be a key of the table: the column k does not hold this value of the key as it is
[]
true | ["0 3"]
=== an index that no statement may name
[10 => ["id" => 1], 20 => ["id" => 2]]
true | [10 => ["id" => 1], 20 => ["id" => 2]] | ["id" => 2]
=== statements are looked at by somebody else
true
null | ["k" => "a", "v" => 1] | true | ["5 6", "a 1"]
