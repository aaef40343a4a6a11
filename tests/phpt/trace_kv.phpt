--TEST--
A trace tells that a key-value port was asked, and by which shape of statement, and never a key
--SKIPIF--
<?php
require 'support/prelude.php';
require 'support/key_value.php';
skip_without_port();
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
require 'support/key_value.php';
require 'support/trace.php';
$admin = connect();
$admin->query('CREATE TABLE t (k VARCHAR(50) PRIMARY KEY, v VARCHAR(50) NOT NULL, n INT NOT NULL) ENGINE=InnoDB');
$admin->query("INSERT INTO t VALUES ('hidden1', 'hidden2', 1), ('hidden3', 'hidden4', 2)");
open_port($admin, ['t' => ['k', 'v,n']]);
$folder = sys_get_temp_dir() . '/trace-' . bin2hex(random_bytes(6));
mkdir($folder, 0700);

$tables = on_mariadb() ? server('DATABASE') . '.t' : '';
foreach (['off' => '0', 'on' => '1'] as $what => $literals) {
    section("literals $what");
    $script = '
        ini_set("vaquita.kv", "on");
        ini_set("vaquita.kv_address", ' . var_export(port_address(), true) . ');
        ini_set("vaquita.kv_tables", ' . var_export($tables, true) . ');
        ini_set("vaquita.kv_max_stale_ms", "60000");
        $db = connect(database: ' . var_export(server('DATABASE'), true) . ');
        for ($i = 0; $i < 4; $i++) {
            foreach (["hidden1", "hidden3", "hidden5"] as $key) {
                $db->query("SELECT v, n FROM t WHERE k = \'$key\'")->fetch_all();
                $statement = $db->prepare("SELECT v, n FROM t WHERE k = ?");
                $statement->execute([$key]);
                $statement->get_result()->fetch_all();
            }
        }
        $kv = Vaquita\kv($db, "t");
        for ($i = 0; $i < 4; $i++) {
            $kv->get("hidden1");
            $kv->getMulti(["hidden1", "hidden3", "hidden7"]);
            $kv->replace("hidden3", ["v" => "hidden8", "n" => $i]);
        }
        show(Vaquita\statistics()["key_value"]["asked"] > 0);
    ';
    child($script, ['vaquita.trace' => "$folder/$what", 'vaquita.trace_literals' => $literals]);
    $text = file_get_contents("$folder/$what");
    $asked = array_filter(trace_lines($text), fn($line) => $line['event'] === 'kv_get');
    // The key of a statement for which somebody wants literals is one of them.
    show(count($asked) > 0, in_array('SELECT v, n FROM t WHERE k = ' . ($literals ? "'hidden3'" : '?'), array_column($asked, 'sql'), true), str_contains($text, 'hidden'));
}
array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
=== literals off
true

  exit code 0
true | true | false
=== literals on
true

  exit code 0
true | true | true
