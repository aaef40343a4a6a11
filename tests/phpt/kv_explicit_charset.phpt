--TEST--
Vaquita\Kv: a text that the session's character sets make another one of is no key that is written
--SKIPIF--
<?php
require 'support/prelude.php';
echo on('mysql56') ? 'skip the server does not tell of its settings' : '';
?>
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
$db = connect();
$db->set_charset('utf8mb4');
$db->query('CREATE TABLE converted (k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, v INT)');
$kv = Vaquita\kv($db, 'converted');
$kv->set('?', ['v' => 1]);
$kv->set('ж', ['v' => 2]);
$db->query('SET character_set_connection = latin1');
attempt('set', fn() => $kv->set('щ', ['v' => 3]));
attempt('add', fn() => $kv->add('щ', ['v' => 3]));
$many = $kv->getMulti(['ж', 'щ', '?', 'a', 'b', 'c', 'd']);
show(($many['ж'] ?? null) === $kv->get('ж'), ($many['щ'] ?? null) === $kv->get('щ'), $many['?']['v'], $kv->add('a', []));
$db->query('SET NAMES utf8mb4');
show(array_column($db->query('SELECT k FROM converted ORDER BY 1')->fetch_all(), 0), $kv->add('щ', []));

section('characters that a column does not have');
foreach (['cp1251', 'latin1'] as $charset) {
    $db->query("CREATE TABLE $charset (k VARCHAR(20) CHARACTER SET $charset PRIMARY KEY, v INT)");
    $db->query("INSERT INTO $charset VALUES ('a', 1), ('b', 2)");
    foreach (['mysqli' => $db, 'PDO' => connect_pdo()] as $link) {
        $kv = Vaquita\kv($link, $charset, ['v']);
        show($kv->get("\u{82}"), $kv->get('你'), $kv->getMulti(["a\u{82}"]), $kv->getMulti(["\u{82}", 'a', '你']), array_keys($kv->getMulti(['a', 'x', "\u{82}", 'b', '你', '1', '2'])), $db->errno);
    }
}
?>
--EXPECT--
set: thrown ValueError(0): Vaquita\Kv::set(): Argument #1 ($key) must be a key of the table: the column k does not hold this value of the key as it is
add: thrown ValueError(0): Vaquita\Kv::add(): Argument #1 ($key) must be a key of the table: the column k does not hold this value of the key as it is
true | true | 1 | true
["?", "a", "\320\266"] | true
=== characters that a column does not have
null | null | [] | ["a" => ["v" => 1]] | ["a", "b"] | 0
null | null | [] | ["a" => ["v" => 1]] | ["a", "b"] | 0
null | null | [] | ["a" => ["v" => 1]] | ["a", "b"] | 0
null | null | [] | ["a" => ["v" => 1]] | ["a", "b"] | 0
