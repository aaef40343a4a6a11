--TEST--
Vaquita\Kv: a server's port gives the rows that SQL gives, and nothing but keys reaches it
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
require 'support/key_value.php';

const EVIL = ["a\r\nset evil 0 0 4\r\nevil", "evil\r\n", "x y", "x\tevil\t=", "\0", "\n", '@@evil', '@@default.evil', '<a', '>=a', "' OR 1 = 1 -- ", '', 'get', "P\t1\tdb", 'ä', 'ä😀'];
$port = getenv('VAQUITA_' . strtoupper(server('NAME')) . '_KEY_VALUE_PORT');
$db = connect();
$db->set_charset('utf8mb4');
$db->query('CREATE TABLE kv_texts (k VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, v VARCHAR(400) CHARACTER SET utf8mb4 NOT NULL, w INT NOT NULL DEFAULT 0) ENGINE=InnoDB');
$db->query('CREATE TABLE kv_numbers (id INT PRIMARY KEY, v VARCHAR(400) CHARACTER SET utf8mb4 NOT NULL, n BIGINT NOT NULL) ENGINE=InnoDB');
$admin = connect();
if ($port) {
    open_port($admin, ['kv_numbers' => ['id', 'v,n'], 'kv_texts' => ['k', 'v']]);
}
$databases = server('DATABASE');
$settings = ['vaquita.kv_address' => "127.0.0.1:$port", 'vaquita.kv_tables' => on_mariadb() ? "$databases.kv_numbers, $databases.kv_texts" : '', 'vaquita.kv_max_stale_ms' => '60000'];
foreach ($port ? $settings : [] as $name => $value) {
    ini_set($name, $value);
}
$numbers = Vaquita\kv($db, 'kv_numbers');
$texts = Vaquita\kv($db, 'kv_texts');
foreach (range(1, 300) as $i) {
    $numbers->add($i, ['v' => str_repeat('y', $i), 'n' => -$i]);
    $texts->add("key $i", ['v' => "value $i", 'w' => $i]);
    $texts->add("key-$i", ['v' => str_repeat('x', $i), 'w' => $i]);
}
foreach (EVIL as $key) {
    $texts->add($key, ['v' => $key]);
}
ini_set('vaquita.kv', $port ? 'on' : 'off');
foreach (['mysqli' => connect(), 'PDO' => connect_pdo()] as $name => $link) {
    section($name);
    $link->query('SET NAMES utf8mb4');
    $numbers = Vaquita\kv($link, 'kv_numbers', ['v', 'n']);
    $texts = Vaquita\kv($link, 'kv_texts', ['v']);
    $expected = fn(string $table, string $key, string $columns) => $db->query("SELECT $columns FROM $table WHERE $key")->fetch_assoc();
    for ($turn = 0; $turn < 4; $turn++) {
        foreach ([1, '2', 150, 300, 301, -1, '1x'] as $id) {
            $row = is_numeric($id) ? $db->execute_query('SELECT v, n FROM kv_numbers WHERE id = ?', [$id])->fetch_assoc() : null;
            $numbers->get($id) == $row || show('differs', $id);
        }
        foreach (['key-1', 'key 2', 'none', ...EVIL] as $key) {
            $texts->get($key) === $db->execute_query('SELECT v FROM kv_texts WHERE k = ?', [$key])->fetch_assoc() || show('differs', $key, $texts->get($key));
        }
        $some = range(290, 310);
        $rows = $numbers->getMulti([...$some, 5, 5, 'x']);
        show(count($rows), $rows[300]['n'], strlen($rows[300]['v']), $rows[5], isset($rows[301]), count($numbers->getMulti(range(1, 1000))), array_sum(array_column($numbers->getMulti(range(1, 250)), 'n')));
        $keys = [...array_map(fn($i) => "key-$i", range(1, 120)), ...EVIL, ...array_map(fn($i) => "key $i", range(1, 5))];
        $rows = $texts->getMulti($keys);
        foreach ($keys as $key) {
            $is = match (true) {
                str_starts_with($key, 'key-') => str_repeat('x', (int) substr($key, 4)),
                str_starts_with($key, 'key ') => 'value ' . substr($key, 4),
                default => $key,
            };
            ($rows[$key]['v'] ?? null) === $is || show('differs', $key, $rows[$key] ?? null);
        }
        show(count($rows) === count($keys));
    }
    // What was just written is what is read, by everybody.
    $numbers->set(7, ['v' => "seven $name"]);
    show($numbers->get(7), $numbers->getMulti([7, 8])[7]['v'], $numbers->delete(8), $numbers->get(8), array_keys($numbers->getMulti([7, 8, 9])), $numbers->add(8, ['v' => 'x', 'n' => 8]), $numbers->getMulti(range(6, 9))[8]);
    $db->query("UPDATE kv_numbers SET v = 'other' WHERE id = 7");
    show($numbers->get(7)['v'], $numbers->getMulti(range(5, 9))[7]['v']);
    $link->query('START TRANSACTION');
    $numbers->set(7, ['v' => 'not committed']);
    show($numbers->get(7)['v'], $numbers->getMulti([7])[7]['v'], $numbers->getMulti(range(1, 9))[7]['v']);
    $link->query('ROLLBACK');
    show($numbers->get(7)['v'], $numbers->getMulti(range(1, 9))[7]['v']);
    ['asked' => $asked, 'answered' => $answered, 'errors' => $errors] = $texts->statistics() + ['asked' => 1500, 'answered' => 1500, 'errors' => 0];
    $said = $texts->statistics();
    show($asked > 400 ?: $said, $answered > 400 ?: $said, $errors, ($said['misses'] ?? 0) === ($said['reasons']['miss'] ?? 0) ?: $said);
}
show((int) $db->query("SELECT COUNT(*) FROM kv_texts")->fetch_row()[0] - 600 - count(EVIL), (int) $db->query("SELECT COUNT(*) FROM kv_texts WHERE k = 'evil'")->fetch_row()[0]);
if ($port && !on_mariadb()) {
    $db->query("DELETE FROM innodb_memcache.containers WHERE name LIKE 'kv\\_%'");
}
?>
--EXPECT--
=== mysqli
12 | -300 | 300 | ["v" => "yyyyy", "n" => -5] | false | 300 | -31375
true
12 | -300 | 300 | ["v" => "yyyyy", "n" => -5] | false | 300 | -31375
true
12 | -300 | 300 | ["v" => "yyyyy", "n" => -5] | false | 300 | -31375
true
12 | -300 | 300 | ["v" => "yyyyy", "n" => -5] | false | 300 | -31375
true
["v" => "seven mysqli", "n" => -7] | "seven mysqli" | true | null | [7, 9] | true | ["v" => "x", "n" => 8]
"other" | "other"
"not committed" | "not committed" | "not committed"
"other" | "other"
true | true | 0 | true
=== PDO
12 | -300 | 300 | ["v" => "yyyyy", "n" => -5] | false | 300 | -31359
true
12 | -300 | 300 | ["v" => "yyyyy", "n" => -5] | false | 300 | -31359
true
12 | -300 | 300 | ["v" => "yyyyy", "n" => -5] | false | 300 | -31359
true
12 | -300 | 300 | ["v" => "yyyyy", "n" => -5] | false | 300 | -31359
true
["v" => "seven PDO", "n" => -7] | "seven PDO" | true | null | [7, 9] | true | ["v" => "x", "n" => 8]
"other" | "other"
"not committed" | "not committed" | "not committed"
"other" | "other"
true | true | 0 | true
0 | 0
