--TEST--
vaquita.kv = advise asks no port, and says of each shape of statement whether one could have answered it
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
$admin = connect();
$columns = '(k VARCHAR(50) PRIMARY KEY, v VARCHAR(50) NOT NULL, n INT NOT NULL) ENGINE=InnoDB';
$admin->query("CREATE TABLE t $columns");
$admin->query("CREATE TABLE u $columns");
$admin->query("INSERT INTO t VALUES ('one', 'eins', 1), ('secret', 'zwei', 2)");
open_port($admin, ['t' => ['k', 'v,n']]);

/** The advice without times, by shape. */
function advice(mysqli|PDO $link): void
{
    $lines = Vaquita\kv($link)->advice();
    $shares = array_sum(array_column($lines, 'share'));
    $seconds = array_column($lines, 'seconds');
    $sorted = $seconds;
    rsort($sorted);
    show($shares > 0.999 && $shares < 1.001, $seconds === $sorted, min($seconds) > 0);
    array_multisort(array_column($lines, 'shape'), $lines);
    foreach ($lines as $line) {
        $table = $line['table'];
        $table = $table === null ? '' : "\n    " . str_replace(server('DATABASE'), 'DATABASE', $table['name']) . ' key ' . implode(',', $table['key']) . ' values ' . implode(',', $table['values'])
            . ' unique ' . text($table['unique']);
        echo "{$line['statements']} {$line['shape']}: ", $line['eligible'] ? 'eligible' : '-', ' ', text($line['reasons']), "$table\n";
    }
}

ini_set('vaquita.kv', 'advise');
ini_set('vaquita.kv_address', port_address());
section('prepared and run in one go');
$db = connect();
$db->execute_query('SELECT n FROM t WHERE k = ?', ['secret'])->fetch_all();
[$line] = Vaquita\kv($db)->advice();
show($line['statements'], (bool) $line['eligible'] !== on_mariadb(), $line['table']['key']);

section('mysqli');
$db = connect();
foreach (['one', 'secret', 'none', str_repeat('x', 60)] as $key) {
    $db->query("SELECT v, n FROM t WHERE k = '$key'")->fetch_all();
}
$db->begin_transaction();
$db->query("select v,n from t where k='one'")->fetch_all();
$db->query("SELECT v, n FROM t WHERE k = 'one'")->fetch_all();
$db->query('SELECT v FROM u LIMIT 1')->fetch_all();
$db->query('SET @a = 1');
$db->commit();
$statement = $db->prepare('SELECT `n`, v FROM t WHERE k=?');
foreach (['one', 'secret'] as $key) {
    $statement->execute([$key]);
    $statement->get_result()->fetch_all();
}
$statement->close();
$db->query("SELECT v FROM u WHERE k = 'secret'")->fetch_all();
$db->query("SELECT v FROM u WHERE n = 12345 AND v = \"secret\"")->fetch_all();
$db->query("SELECT v FROM u WHERE n = 12345")->fetch_all();
foreach ([[1], [2, 3], range(1, 500)] as $numbers) {
    $db->query('SELECT k FROM t WHERE n IN (' . implode(',', $numbers) . ") AND v <> 'secret' LIMIT 10")->fetch_all();
}
$db->query("INSERT INTO u VALUES ('secret', '', -1)");
$db->query("SELECT 'secret'")->fetch_all();
$db->query('SELECT t.v FROM t JOIN u ON t.k = u.k')->fetch_all();
attempt('failed', fn() => $db->query("SELECT v FROM none WHERE k = 'secret'"));
advice($db);
$statistics = Vaquita\kv($db)->statistics();
show($statistics['mode'], $statistics['asked'], $statistics['answered']);

section('PDO');
foreach ([true, false] as $emulates) {
    $pdo = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulates]);
    $statement = $pdo->prepare('SELECT v FROM t WHERE k = ?');
    foreach (['one', 'secret'] as $key) {
        $statement->execute([$key]);
        $statement->fetchAll();
    }
    $pdo->exec("UPDATE u SET v = 'secret'");
    advice($pdo);
}

section('more shapes than are kept');
$db = connect();
for ($i = 0; $i < 510; $i++) {
    $db->query("SELECT v AS a$i FROM t LIMIT 0")->fetch_all();
}
$lines = Vaquita\kv($db)->advice();
show(count($lines), end($lines)['shape'], end($lines)['statements']);

section('what a server may read otherwise');
$db = connect();
$db->query("SELECT v FROM t /*!99999 don't */ WHERE k = 'secret'")->fetch_all();
$db->query("SELECT v FROM t WHERE k = 'secret' /*!99999 don't */")->fetch_all();
$admin->query('CREATE TABLE g (k VARCHAR(50) PRIMARY KEY, v VARCHAR(50) NOT NULL) CHARACTER SET gbk');
$db->query('SET NAMES gbk');
$db->query("SELECT v FROM g WHERE k = '\xBF\\' AND v = 'secret'")->fetch_all();
show(array_filter(array_column(Vaquita\kv($db)->advice(), 'shape'), fn(string $shape) => str_contains($shape, 'secret')), count(Vaquita\kv($db)->advice()) > 1);

section('a wide table');
$admin->query('CREATE TABLE w (k INT PRIMARY KEY, ' . implode(', ', array_map(fn(int $number) => "v$number TINYINT NOT NULL", range(1, 150))) . ')');
$db = connect();
$db->query('SELECT * FROM w WHERE k = 1')->fetch_all();
$values = Vaquita\kv($db)->advice()[0]['table']['values'];
show(count($values), $values[99], $values[100]);

section('without an address');
ini_set('vaquita.kv_address', '');
$db = connect();
$db->query("SELECT v, n FROM u WHERE k = 'one'")->fetch_all();
advice($db);

section('not asked for');
foreach (['off', 'on'] as $mode) {
    ini_set('vaquita.kv', $mode);
    $db = connect();
    $db->query('SELECT v FROM t')->fetch_all();
    show(Vaquita\kv($db)->advice());
}

section('into a file');
$file = sys_get_temp_dir() . '/vaquita-advice-' . getmypid();
symlink($file, "$file.link");
$script = <<<'PHP'
    $db = connect();
    $db->query("SELECT v FROM t WHERE k = 'secret'")->fetch_all();
    $db->close();
    $pdo = new PDO(data_source(), server('USER'), server('PASSWORD'), [PDO::ATTR_PERSISTENT => true]);
    $pdo->query("SELECT v FROM t WHERE k = 'one'")->fetchAll();
    PHP;
foreach (['.link' => 'advise', '' => 'advise', '.none' => 'on'] as $name => $mode) {
    foreach (['first', 'second'] as $_) {
        child($script, ['vaquita.kv' => $mode, 'vaquita.kv_advice' => "$file$name", 'vaquita.kv_address' => port_address(), 'vaquita.kv_tables' => ini_get('vaquita.kv_tables')]);
    }
    $lines = is_file($file) ? file($file) : [];
    show($name, count($lines), file_exists("$file.none"));
}
child(<<<'PHP'
    $db = connect();
    $db->query('SELECT n FROM t LIMIT 0');
    if (($child = pcntl_fork()) === 0) {
        exit;
    }
    pcntl_waitpid($child, $status);
    PHP, ['vaquita.kv' => 'advise', 'vaquita.kv_advice' => "$file.fork"]);
$forked = array_map(json_decode(...), file("$file.fork"));
show('a child', array_map(fn(stdClass $line) => $line->shapes[0]->statements, $forked));
unlink("$file.fork");
$outside = '/var/tmp/vaquita-advice-' . getmypid();
child($script, ['vaquita.kv' => 'advise', 'vaquita.kv_advice' => $outside, 'open_basedir' => sys_get_temp_dir() . ':' . getenv('VAQUITA_TESTS')]);
show('outside of open_basedir', file_exists($outside));
show(decoct(fileperms($file) & 0777), preg_match('/secret|one/', implode($lines)));
foreach (array_map(json_decode(...), $lines) as $line) {
    show(abs($line->at - time()) < 60, is_int($line->process), array_map(fn(stdClass $it) => [$it->shape, $it->statements, $it->seconds > 0, $it->eligible, $it->reasons, $it->table?->key], $line->shapes));
}
$summary = shell_exec(PHP_BINARY . ' -n ' . escapeshellarg(getenv('VAQUITA_TESTS') . '/../examples/kv_advice.php') . ' ' . escapeshellarg($file));
echo preg_replace(['/\d+\.\d+ s/', '/ +/', '/' . server('DATABASE') . '/'], ['T s', ' ', 'DATABASE'], $summary);
unlink("$file.link");
unlink($file);
attempt('a path from the root', fn() => ini_set('vaquita.kv_advice', '/tmp/x'));
?>
--EXPECT--
=== prepared and run in one go
1 | true | ["k"]
=== mysqli
failed: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.none' doesn't exist
true | true | true
1 COMMIT: - ["form" => 1]
1 INSERT: - ["form" => 1]
2 SELECT: - ["form" => 2]
2 SELECT `n`, v FROM t WHERE k = ?: eligible []
    DATABASE.t key k values n,v unique true
3 SELECT k FROM t WHERE n IN (?, ...) AND v <> ? LIMIT ?: - ["form" => 3]
1 SELECT v FROM u LIMIT ?: - ["form" => 1]
1 SELECT v FROM u WHERE k = ?: - ["table" => 1]
    DATABASE.u key k values v unique true
1 SELECT v FROM u WHERE n = ?: - ["table" => 1]
    DATABASE.u key n values v unique false
1 SELECT v FROM u WHERE n = ? AND v = ?: - ["form" => 1]
5 SELECT v, n FROM t WHERE k = ?: eligible ["transaction" => 1, "key_value" => 1]
    DATABASE.t key k values v,n unique true
1 SET: - ["form" => 1]
1 START: - ["form" => 1]
1 select v, n from t where k = ?: - ["transaction" => 1]
    DATABASE.t key k values v,n unique true
"advise" | 0 | 0
=== PDO
true | true | true
2 SELECT v FROM t WHERE k = ?: eligible []
    DATABASE.t key k values v unique true
1 UPDATE: - ["form" => 1]
true | true | true
2 SELECT v FROM t WHERE k = ?: eligible []
    DATABASE.t key k values v unique true
1 UPDATE: - ["form" => 1]
=== more shapes than are kept
501 | "(others)" | 10
=== what a server may read otherwise
[] | true
=== a wide table
101 | "v100" | "..."
=== without an address
true | true | true
1 SELECT v, n FROM u WHERE k = ?: - ["table" => 1]
    DATABASE.u key k values v,n unique true
=== not asked for
[]
[]
=== into a file

  exit code 0

  exit code 0
".link" | 0 | false

  exit code 0

  exit code 0
"" | 2 | false

  exit code 0

  exit code 0
".none" | 2 | false

  exit code 0
"a child" | [1]

  exit code 0
"outside of open_basedir" | false
"600" | 0
true | true | [["SELECT v FROM t WHERE k = ?", 2, true, true, stdClass {}, ["k"]]]
true | true | [["SELECT v FROM t WHERE k = ?", 2, true, true, stdClass {}, ["k"]]]
 share time statements eligible
 100.0 % T s 4 100 % SELECT v FROM t WHERE k = ?
 table DATABASE.t, key k (unique), values v
 100.0 % of the time is that of statements which a port could have answered
a path from the root: false
