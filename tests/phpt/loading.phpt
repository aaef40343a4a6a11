--TEST--
Loading beside the stock modules, twice, and by dl(): one clear warning, no crash
--SKIPIF--
<?php
if (!is_file(ini_get('extension_dir') . '/mysqlnd.so')) {
    echo 'skip the stock modules are built in, or not installed';
}
?>
--FILE--
<?php
require 'support/prelude.php';
$ours = getenv('VAQUITA_SO');

/** Prints what a plain PHP, with these modules only, says of itself. */
function load(array $extensions, string $code = 'echo "runs";', array $settings = []): void
{
    $command = [PHP_BINARY, '-n', '-d', 'display_errors=1', '-d', 'log_errors=0', '-d', 'html_errors=0'];
    foreach ([...$settings, ...array_map(fn($extension) => "extension=$extension", $extensions)] as $setting) {
        array_push($command, '-d', $setting);
    }
    foreach ([['-m'], ['-r', $code]] as $arguments) {
        $environment = getenv();
        unset($environment['PHP_INI_SCAN_DIR']);
        $process = proc_open([...$command, ...$arguments], [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, $environment);
        $lines = array_filter(explode("\n", stream_get_contents($pipes[1])), fn($line) => $arguments !== ['-m'] || preg_match('/^(mysqlnd|mysqli|pdo_mysql|vaquita)$|warning|error/i', $line));
        do {
            $status = proc_get_status($process);
        } while ($status['running']);
        proc_close($process);
        echo str_replace([dirname(getenv('VAQUITA_SO')) . '/', ini_get('extension_dir') . '/'], ['OURS/', 'SYSTEM/'], implode("\n", $lines));
        echo "\n  ", $status['signaled'] ? "killed by signal {$status['termsig']}" : "exit code {$status['exitcode']}", "\n";
    }
}
$who = 'echo (new ReflectionFunction("mysqli_connect"))->getExtensionName(), " ", mysqli_get_client_info(), " ", get_debug_type(mysqli_init()), " ", json_encode(function_exists("Vaquita\\set_query_timeout"));';
section('alone');
load([$ours], $who);
section('mysqlnd first');
load(['mysqlnd', $ours]);
section('mysqlnd and mysqli first');
load(['mysqlnd', 'mysqli', $ours], $who);
section('all three first');
load(['pdo', 'mysqlnd', 'mysqli', 'pdo_mysql', $ours], $who);
section('mysqlnd afterwards');
load([$ours, 'mysqlnd'], $who);
section('twice');
load([$ours, $ours], $who);
section('dl()');
load([], 'var_dump(@dl("' . basename($ours) . '"), error_get_last()["message"] ?? null, function_exists("mysqli_connect"), extension_loaded("mysqli"));', ['enable_dl=1', 'extension_dir=' . dirname($ours)]);
section('dl() beside the stock modules');
load([ini_get('extension_dir') . '/mysqlnd.so', ini_get('extension_dir') . '/mysqli.so'], 'var_dump(@dl("' . basename($ours) . '"), error_get_last()["message"] ?? null); ' . $who, ['enable_dl=1', 'extension_dir=' . dirname($ours)]);
$pdo = 'var_dump(in_array("mysql", PDO::getAvailableDrivers(), true), (new ReflectionExtension("pdo_mysql"))->getVersion() === PHP_VERSION); try { new PDO("mysql:host=127.0.0.1;port=1", "u", "p"); } catch (PDOException $e) { echo $e->getMessage(); }';
section('PDO first');
load(['pdo', $ours], $pdo);
section('PDO afterwards');
load([$ours, 'pdo'], $pdo);
section('stock pdo_mysql afterwards');
load(['pdo', $ours, 'pdo_mysql'], $pdo);
section('never unloaded'); // a thread that looks up a name may outlive the modules
echo preg_match('/FLAGS_1.*NODELETE/', shell_exec('readelf --dynamic ' . escapeshellarg($ours))), "\n";
?>
--EXPECTF--
=== alone
mysqli
mysqlnd
vaquita
  exit code 0
mysqli mysqlnd 8.%d.%d mysqli true
  exit code 0
=== mysqlnd first
Warning: Vaquita: stock mysqlnd %s loaded already, so Vaquita stays inactive; to use it, remove the ini line%S extension=mysqlnd in Unknown on line 0
mysqlnd
vaquita
  exit code 0
%wWarning: Vaquita: stock mysqlnd %s loaded already, so Vaquita stays inactive; to use it, remove the ini line%S extension=mysqlnd in Unknown on line 0
runs
  exit code 0
=== mysqlnd and mysqli first
Warning: Vaquita: stock mysqlnd and mysqli %s loaded already, so Vaquita stays inactive; to use it, remove the ini line%S extension=mysqlnd and extension=mysqli in Unknown on line 0
mysqli
mysqlnd
vaquita
  exit code 0
%wWarning: Vaquita: stock mysqlnd and mysqli %s loaded already, so Vaquita stays inactive; to use it, remove the ini line%S extension=mysqlnd and extension=mysqli in Unknown on line 0
mysqli mysqlnd 8.%d.%d mysqli false
  exit code 0
=== all three first
Warning: Vaquita: stock mysqlnd and mysqli and pdo_mysql %s loaded already, so Vaquita stays inactive; to use it, remove the ini line%S extension=mysqlnd and extension=mysqli and extension=pdo_mysql in Unknown on line 0
mysqli
mysqlnd
pdo_mysql
vaquita
  exit code 0
%wWarning: Vaquita: stock mysqlnd and mysqli and pdo_mysql %s loaded already, so Vaquita stays inactive; to use it, remove the ini line%S extension=mysqlnd and extension=mysqli and extension=pdo_mysql in Unknown on line 0
mysqli mysqlnd 8.%d.%d mysqli false
  exit code 0
=== mysqlnd afterwards
Warning: Module "mysqlnd" is already loaded in Unknown on line 0
mysqli
mysqlnd
vaquita
  exit code 0
%wWarning: Module "mysqlnd" is already loaded in Unknown on line 0
mysqli mysqlnd 8.%d.%d mysqli true
  exit code 0
=== twice
Warning: Module "vaquita" is already loaded in Unknown on line 0
mysqli
mysqlnd
vaquita
  exit code 0
%wWarning: Module "vaquita" is already loaded in Unknown on line 0
mysqli mysqlnd 8.%d.%d mysqli true
  exit code 0
=== dl()
%w  exit code 0
%wWarning: Vaquita: dl() can't load several modules; put extension=vaquita into php.ini instead in Unknown on line 0
bool(%s)
string(%d) "%s"
bool(false)
bool(false)
%w  exit code 0
=== dl() beside the stock modules
mysqli
mysqlnd
  exit code 0
%wWarning: Vaquita: stock mysqlnd and mysqli %s loaded already, so Vaquita stays inactive; to use it, remove the ini line%S extension=mysqlnd and extension=mysqli in Unknown on line 0
bool(%s)
string(%d) "%s"
mysqli mysqlnd 8.%d.%d mysqli false
  exit code 0
=== PDO first
mysqli
mysqlnd
pdo_mysql
vaquita
  exit code 0
bool(true)
bool(true)
SQLSTATE[HY000] [2002] Connection refused
  exit code 0
=== PDO afterwards
mysqli
mysqlnd
pdo_mysql
vaquita
  exit code 0
bool(true)
bool(true)
SQLSTATE[HY000] [2002] Connection refused
  exit code 0
=== stock pdo_mysql afterwards
Warning: PHP Startup: Unable to load dynamic library 'pdo_mysql' %s
mysqli
mysqlnd
pdo_mysql
vaquita
  exit code 0
%wWarning: PHP Startup: Unable to load dynamic library 'pdo_mysql' %s
bool(true)
bool(true)
SQLSTATE[HY000] [2002] Connection refused
  exit code 0
=== never unloaded
1
