--TEST--
Vaquita\Kv: rows by their keys, found and written, by mysqli and PDO: types, keys of several columns, several keys at once
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';

$db = connect();
$db->set_charset('utf8mb4');
$db->query("SET sql_mode = 'STRICT_ALL_TABLES'");
$db->query('CREATE TABLE one (id INT PRIMARY KEY, name VARCHAR(50) CHARACTER SET utf8mb4, f DOUBLE, b BIT(5), d DATETIME, j BLOB, big BIGINT UNSIGNED, n DECIMAL(8, 2), UNIQUE (name))');
$db->query('CREATE TABLE two (a VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, b INT, v TEXT, PRIMARY KEY (b, a))');
foreach (['mysqli' => $db, 'PDO' => connect_pdo()] as $name => $link) {
    section($name);
    $link->query('TRUNCATE one');
    $link->query('TRUNCATE two');
    $kv = Vaquita\kv($link, 'one');
    show($kv->set(1, ['name' => "it's\\", 'f' => 0.1, 'b' => 5, 'd' => '2020-01-02 03:04:05', 'j' => "\0\xFF'", 'big' => '18446744073709551615', 'n' => 1.5]));
    show($kv->get(1));
    show($kv->get('1') === $kv->get(1), $kv->get(['id' => 1]) === $kv->get(1), $kv->get([1]) === $kv->get(1));
    show($kv->get(2), $kv->get('1x'), $kv->get('01'), $kv->get(''), $kv->get('99999999999999999999'));
    show($kv->add(1, ['name' => 'other']), $kv->add(2, ['name' => null, 'f' => true, 'b' => false, 'n' => -3]), $kv->add('3', []));
    show($kv->replace(4, ['f' => 1]), $kv->replace(3, ['f' => 1]), $kv->replace(3, ['f' => 1]), $kv->replace(3, []));
    $kv->set(3, ['name' => 'three', 'f' => null]);
    show($kv->getMulti([1, 2, 3, 4])[2], array_map(fn($row) => $row['name'], $kv->getMulti([3, '1', 3, 7, 'x', [2], ['id' => 1]])), $kv->getMulti([]), $kv->getMulti([9]));
    $kv->delete(1);
    show($kv->delete(1), $kv->delete(2), $kv->get(2));


    $by_name = Vaquita\kv($link, '`one`', ['id', 'F'], index: 'name');
    show($by_name->get('three'), $by_name->get('none'), $by_name->replace('three', ['f' => 2.5]), $by_name->getMulti(['three', 'THREE ', 'x']) == [] ?: $by_name->get('three'));
    show(Vaquita\kv($link, server('DATABASE') . '.one', [])->get(3), Vaquita\kv($link, '`' . server('DATABASE') . '`.`one`', [])->get(1));

    $two = Vaquita\kv($link, 'two');
    foreach (range(1, 12) as $i) {
        $two->add([$i, "k$i"], ['v' => "value $i"]) || show('not added');
    }
    show($two->get([3, 'k3']), $two->get(['a' => 'K4', 'b' => '4'])['v'], $two->get([4, 'k3']), $two->get(['a' => 5, 'b' => 4]));
    show($two->getMulti(['x' => [1, 'k1'], 7 => ['a' => 'k2', 'b' => 2], [9, 'none'], [3, 'K3'], [3, 'k3']]));
    $many = $two->getMulti(array_map(fn($i) => [$i, "k$i"], range(0, 15)));
    show(array_keys($many), $many[12]['v']);
    show($two->delete([3, 'k3']), $two->delete(['b' => 3, 'a' => 'k3']));
}

section('keys and values are what they are');
$db->query('CREATE TABLE texts (k VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, v VARCHAR(50) CHARACTER SET utf8mb4)');
$kv = Vaquita\kv($db, 'texts');
$keys = ["a\r\nset x 0 0 1\r\n1", "' OR 1 = 1 -- ", '\\', "'", '"', '`', "\0", '?', ':a', '%', 'ä😀', '5', '-0', '-b', '-', '-1', "get x\r\n", "@@x", '<a', '>=a'];
foreach ($keys as $key) {
    $kv->set($key, ['v' => $key]);
}
$found = $kv->getMulti($keys);
foreach ($keys as $key) {
    ($found[$key]['v'] ?? null) === $key && $kv->get($key) === ['k' => $key, 'v' => $key] || show('differs', $key);
}
show(count($found), (int) $db->query('SELECT COUNT(*) FROM texts')->fetch_row()[0], $kv->get(5), $kv->get('x'), $kv->getMulti([5, 'x', "a\r"]));

section('the table changes');
$kv = Vaquita\kv($db, 'one');
$kv->set(5, []);
show(array_key_last($kv->get(5)));
$db->query('ALTER TABLE one ADD more INT DEFAULT 7');
show($kv->get(5)['more'], $kv->set(5, ['more' => 8]), $kv->get(5)['more']);
$other = connect();
$other->query('ALTER TABLE one DROP more, ADD less INT DEFAULT 9');
$kv->refresh();
show($kv->get(5)['less'], array_key_exists('more', $kv->get(5)));
ini_set('vaquita.kv_max_stale_ms', '0');
$fresh = Vaquita\kv($db, 'one');
$other->query('ALTER TABLE one DROP less');
show(array_key_last($fresh->get(5)));

section('the session is another one');
show(array_key_last($kv->get(5)), count($kv->getMulti([5, 6])[5]), $db->change_user(server('USER'), server('PASSWORD'), server('DATABASE')), $db->query('SELECT 1')->num_rows, count($kv->get(5)), $kv->replace(5, ['f' => 3.5]), $kv->get(5)['f']);
$db->close();
attempt('closed', fn() => $kv->get(5));
$db->connect(...array_values(address()));
show($kv->get(5)['f'], $kv->getMulti(range(1, 9))[5]['f']);
$kv = null;
show($db->query('SELECT 1')->num_rows);
?>
--EXPECT--
=== mysqli
null
["id" => 1, "name" => "it's\\", "f" => float 0.1, "b" => 5, "d" => "2020-01-02 03:04:05", "j" => "\000\377'", "big" => "18446744073709551615", "n" => "1.50"]
true | true | true
null | null | null | null | null
false | true | true
false | true | true | true
["id" => 2, "name" => null, "f" => float 1.0, "b" => 0, "d" => null, "j" => null, "big" => null, "n" => "-3.00"] | [3 => "three", 1 => "it's\\", null] | [] | []
false | true | null
["id" => 3, "f" => null] | null | true | ["id" => 3, "f" => float 2.5]
[] | null
["a" => "k3", "b" => 3, "v" => "value 3"] | "value 4" | null | null
["x" => ["a" => "k1", "b" => 1, "v" => "value 1"], 7 => ["a" => "k2", "b" => 2, "v" => "value 2"], 9 => ["a" => "k3", "b" => 3, "v" => "value 3"], ["a" => "k3", "b" => 3, "v" => "value 3"]]
[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] | "value 12"
true | false
=== PDO
null
["id" => 1, "name" => "it's\\", "f" => float 0.1, "b" => 5, "d" => "2020-01-02 03:04:05", "j" => "\000\377'", "big" => "18446744073709551615", "n" => "1.50"]
true | true | true
null | null | null | null | null
false | true | true
false | true | true | true
["id" => 2, "name" => null, "f" => float 1.0, "b" => 0, "d" => null, "j" => null, "big" => null, "n" => "-3.00"] | [3 => "three", 1 => "it's\\", null] | [] | []
false | true | null
["id" => 3, "f" => null] | null | true | ["id" => 3, "f" => float 2.5]
[] | null
["a" => "k3", "b" => 3, "v" => "value 3"] | "value 4" | null | null
["x" => ["a" => "k1", "b" => 1, "v" => "value 1"], 7 => ["a" => "k2", "b" => 2, "v" => "value 2"], 9 => ["a" => "k3", "b" => 3, "v" => "value 3"], ["a" => "k3", "b" => 3, "v" => "value 3"]]
[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] | "value 12"
true | false
=== keys and values are what they are
20 | 20 | ["k" => "5", "v" => "5"] | null | [5 => ["k" => "5", "v" => "5"]]
=== the table changes
"n"
7 | null | 8
9 | false
"n"
=== the session is another one
"n" | 8 | true | 1 | 8 | true | float 3.5
closed: thrown Error(0): mysqli object is already closed
float 3.5 | float 3.5
1
