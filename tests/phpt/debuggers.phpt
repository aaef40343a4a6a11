--TEST--
Beside Xdebug, in each of its modes, and beside pcov, results and exceptions are the same
--FILE--
<?php
require 'support/prelude.php';
$script = <<<'PHP'
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (n INT, s VARCHAR(20))');
$insert = $db->prepare('INSERT INTO t VALUES (?, ?)');
for ($n = 0; $n < 50; $n++) {
    $insert->execute([$n, $n % 7 ? "s$n" : null]);
}
class Row { public int $n; public ?string $s; public function __construct(public string $extra) {} }
$seen = [];
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $result = $db->query('SELECT n, s FROM t ORDER BY n', $mode);
    while ($row = $result->fetch_object(Row::class, ['x'])) { $seen[] = $row; }
    $result->free();
    $seen[] = $db->query('SELECT s, n FROM t ORDER BY n', $mode)->fetch_all(MYSQLI_ASSOC);
}
$select = $db->prepare('SELECT n, s FROM t WHERE n > ?');
$select->bind_param('i', $from);
$select->bind_result($n, $s);
$from = 40;
$select->execute();
while ($select->fetch()) { $seen[] = [$n, $s]; }
function failing(mysqli $db): void { $db->query('nonsense'); }
try { failing($db); } catch (mysqli_sql_exception $e) {
    $seen[] = [$e->getCode(), $e->getSqlState(), array_column($e->getTrace(), 'function')];
}
try { $db->begin_transaction(name: []); } catch (TypeError $e) { $seen[] = $e->getMessage(); }
$db->close();
try { $db->query('SELECT 1'); } catch (Error $e) { $seen[] = $e->getMessage(); }
echo md5(serialize($seen)), ' ', count($seen), "\n";
echo json_encode([extension_loaded('xdebug') ? ini_get('xdebug.mode') : null, extension_loaded('pcov')]), "\n";
if (extension_loaded('pcov')) { pcov\stop(); echo count(pcov\collect()) > 0 ? "covered\n" : "not covered\n"; }
PHP;
$folder = getenv('VAQUITA_DEBUGGERS');
child($script);
foreach (['develop', 'debug', 'coverage', 'profile', 'trace', 'gcstats', 'develop,debug,coverage'] as $mode) {
    $settings = ['zend_extension' => "$folder/xdebug.so", 'xdebug.mode' => $mode, 'xdebug.start_with_request' => 'no'];
    if (in_array($mode, ['profile', 'trace', 'gcstats'], true)) {
        $files = sys_get_temp_dir() . '/vaquita-xdebug-' . getmypid();
        mkdir($files);
        child($script, ['xdebug.start_with_request' => 'yes', 'xdebug.output_dir' => $files] + $settings);
        echo count(scandir($files)) - 2, " file\n";
        array_map('unlink', glob("$files/*"));
        rmdir($files);
    } else {
        child($script, $settings);
    }
}
child('pcov\start(); ' . $script, ['extension' => "$folder/pcov.so", 'pcov.enabled' => '1', 'pcov.directory' => sys_get_temp_dir()]);
?>
--EXPECT--
fd8a2e537f676a2a17fc4bf2afb3ae10 114
[null,false]

  exit code 0
fd8a2e537f676a2a17fc4bf2afb3ae10 114
["develop",false]

  exit code 0
fd8a2e537f676a2a17fc4bf2afb3ae10 114
["debug",false]

  exit code 0
fd8a2e537f676a2a17fc4bf2afb3ae10 114
["coverage",false]

  exit code 0
fd8a2e537f676a2a17fc4bf2afb3ae10 114
["profile",false]

  exit code 0
1 file
fd8a2e537f676a2a17fc4bf2afb3ae10 114
["trace",false]

  exit code 0
1 file
fd8a2e537f676a2a17fc4bf2afb3ae10 114
["gcstats",false]

  exit code 0
1 file
fd8a2e537f676a2a17fc4bf2afb3ae10 114
["develop,debug,coverage",false]

  exit code 0
fd8a2e537f676a2a17fc4bf2afb3ae10 114
[null,true]
covered

  exit code 0
