<?php
/*
 * Runs one of PHP's suites, unchanged, on one stack and against one server.
 *
 *   php run.php STACK SUITE MODE SERVER SOURCE FOLDER [PART PARTS]
 *
 * STACK is `stock` or `vaquita` (whose object $VAQUITA_SO names), SUITE the name of an extension, MODE how it connects: tcp, socket, tls or
 * compress; for pdo_mysql also native, where the server prepares statements. SERVER is in the environment (scripts/with-servers); the suite
 * changes it, so it has to be fresh. SOURCE is what scripts/php-source prints. The result is FOLDER/results, a line `STATUS<tab>TEST` for each test; what a test printed, and how that differs from what it
 * should print, is left beside the test in FOLDER/source. PART of PARTS (from 0 on) is only every so manieth test. If VAQUITA_VALGRIND names a
 * folder, the tests themselves run under valgrind, which writes its reports there.
 */

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(fn(int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));

/** Those that both stacks bring, and that each suite may ask for. */
const MYSQL_MODULES = ['mysqlnd', 'mysqli', 'pdo_mysql'];
const OTHER_MODULES = ['pdo', 'posix', 'simplexml'];
/** How long a test may wait; the slowest takes 12 s, and those with a scripted server wait to the end for a client that died. */
const TEST_SECONDS = 40;
/** How much slower valgrind is, at most, and a PHP for debugging. */
const VALGRIND_SLOWNESS = 30;
const DEBUG_SLOWNESS = 4;
/** Tests expect it under this name, some of them unseen. */
const DATABASE = 'test';

[, $stack, $suite, $mode, $server, $source, $folder] = $argv;
[$part, $parts] = [(int) ($argv[7] ?? 0), (int) ($argv[8] ?? 1)];
in_array($mode, ['tcp', 'socket', 'tls', 'compress', ...($suite === 'pdo_mysql' ? ['native'] : [])], true) || throw new Exception("no mode of $suite is called $mode");
$valgrind = getenv('VAQUITA_VALGRIND');
$account = [];
foreach (['HOST', 'PORT', 'SOCKET', 'USER', 'PASSWORD'] as $name) {
    $account[$name] = getenv('VAQUITA_' . strtoupper($server) . "_$name");
}

mkdir("$folder/extensions", recursive: true);
mkdir("$folder/tmp");
run(['cp', '-R', '--no-preserve=mode', $source, "$folder/source"]);
file_put_contents("$folder/php", launcher($folder, $valgrind));
chmod("$folder/php", 0755);
file_put_contents("$folder/php.ini", settings($stack, $folder));
check_modules($stack, $suite, $folder);

$link = new mysqli('localhost', $account['USER'], $account['PASSWORD'], '', 0, $account['SOCKET']);
$link->query('CREATE DATABASE ' . DATABASE);

$tests = ["ext/$suite/tests"];
if ($parts > 1) {
    $all = array_map(fn(string $file) => "ext/$suite/tests/" . basename($file), glob("$folder/source/ext/$suite/tests/*.phpt"));
    $tests = array_values(array_filter($all, fn(int $number) => $number % $parts === $part, ARRAY_FILTER_USE_KEY));
}
$output = fopen("$folder/output", 'w');
$words = [PHP_BINARY, '-n', 'run-tests.php', '-q', '--offline', '--no-progress', '--no-color', '-n', '-c', "$folder/php.ini", '--set-timeout', (string) (TEST_SECONDS * ($valgrind !== false ? VALGRIND_SLOWNESS : (PHP_DEBUG ? DEBUG_SLOWNESS : 1))),
    '-W', "$folder/results", ...$tests];
$environment = ['TEST_PHP_EXECUTABLE' => "$folder/php", 'NO_INTERACTION' => '1', 'SKIP_IO_CAPTURE_TESTS' => '1', 'TMPDIR' => "$folder/tmp"]
    + ($suite === 'pdo_mysql' ? pdo_environment($link, $mode, $account) : mysqli_environment($mode, $account)) + getenv();
// Its exit code tells nothing: it is 0 when every test was skipped.
proc_close(proc_open($words, [0 => ['file', '/dev/null', 'r'], 1 => $output, 2 => $output], $pipes, "$folder/source", $environment));

/**
 * The PHP that runs the tests. run-tests.php loads a module that it misses out of the extension folder: so that folder is one of our
 * own, where a replacement that does not load can't be replaced by stock. It is named here because an unpacked PHP names its own on the
 * command line, which counts more than php.ini.
 */
function launcher(string $folder, string|false $valgrind): string
{
    $php = escapeshellarg(PHP_BINARY) . ' -d ' . escapeshellarg("extension_dir=$folder/extensions") . " \"\$@\"\n";
    if ($valgrind === false) {
        return "#!/bin/sh\nexec $php";
    }
    // What only prepares a test, and cleans up behind it, is no test.
    return "#!/bin/sh\ncase \"\$*\" in *.skip.php*|*.clean.php*|*' -r '*) exec $php;; esac\n"
        . 'USE_ZEND_ALLOC=0 exec valgrind --quiet --leak-check=full --show-leak-kinds=definite --num-callers=40 --log-file=' . escapeshellarg("$valgrind/%p") . " $php";
}

/** Makes the extension folder too: links to those modules that are not built in. */
function settings(string $stack, string $folder): string
{
    $wanted = $stack === 'stock' ? [...OTHER_MODULES, ...MYSQL_MODULES] : OTHER_MODULES;
    $lines = '';
    foreach ($wanted as $module) {
        $file = ini_get('extension_dir') . "/$module.so";
        if (file_exists($file)) {
            symlink($file, "$folder/extensions/$module.so");
            $lines .= "extension=$module\n";
        }
    }
    return $lines . ($stack === 'stock' ? '' : 'extension=' . getenv('VAQUITA_SO') . "\n");
}

/** Refuses to start if what would be tested is not what was asked for. */
function check_modules(string $stack, string $suite, string $folder): void
{
    $script = 'echo json_encode([PHP_BINARY, array_map(extension_loaded(...), array_slice($argv, 1))]);';
    [$binary, [$has_suite, $has_vaquita]] = json_decode(run(["$folder/php", '-n', '-c', "$folder/php.ini", '-r', $script, '--', $suite, 'vaquita']));
    $has_vaquita === ($stack === 'vaquita') || throw new Exception("the PHP of $stack " . ($has_vaquita ? 'has' : 'lacks') . ' the module vaquita');
    $has_suite || throw new Exception("the PHP of $stack lacks the module $suite");
    $binary !== '' || throw new Exception('PHP does not know its own name, by which tests start scripted servers');
}

/**
 * @param array<string, string> $account
 * @return array<string, string>
 */
function mysqli_environment(string $mode, array $account): array
{
    $flags = ['tls' => MYSQLI_CLIENT_SSL, 'compress' => MYSQLI_CLIENT_COMPRESS][$mode] ?? 0;
    return ['MYSQL_TEST_HOST' => $mode === 'socket' ? 'localhost' : $account['HOST'], 'MYSQL_TEST_PORT' => $account['PORT'],
        'MYSQL_TEST_SOCKET' => $account['SOCKET'], 'MYSQL_TEST_USER' => $account['USER'], 'MYSQL_TEST_PASSWD' => $account['PASSWORD'],
        'MYSQL_TEST_DB' => DATABASE, 'MYSQL_TEST_ENGINE' => 'InnoDB', 'MYSQL_TEST_CONNECT_FLAGS' => (string) $flags];
}

/**
 * @param array<string, string> $account
 * @return array<string, string>
 */
function pdo_environment(mysqli $link, string $mode, array $account): array
{
    $way = $mode === 'socket' ? "unix_socket={$account['SOCKET']}" : "host={$account['HOST']};port={$account['PORT']}";
    $authority = $link->query('SELECT @@ssl_ca')->fetch_row()[0];
    $attributes = match ($mode) {
        'tls' => [PDO::MYSQL_ATTR_SSL_CA => $authority, PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => false],
        'compress' => [PDO::MYSQL_ATTR_COMPRESS => true],
        'native' => [PDO::ATTR_EMULATE_PREPARES => false],
        default => [],
    };
    return ['PDO_MYSQL_TEST_DSN' => "mysql:$way;dbname=" . DATABASE, 'PDO_MYSQL_TEST_HOST' => $account['HOST'], 'PDO_MYSQL_TEST_PORT' => $account['PORT'],
        'PDO_MYSQL_TEST_SOCKET' => $account['SOCKET'], 'PDO_MYSQL_TEST_USER' => $account['USER'], 'PDO_MYSQL_TEST_PASS' => $account['PASSWORD'],
        'PDO_MYSQL_TEST_DB' => DATABASE, 'PDO_MYSQL_TEST_ENGINE' => 'InnoDB']
        + ($attributes === [] ? [] : ['PDO_MYSQL_TEST_ATTR' => serialize($attributes)]);
}

/**
 * Its output.
 *
 * @param list<string> $words
 */
function run(array $words): string
{
    $process = proc_open($words, [1 => ['pipe', 'w']], $pipes);
    $output = stream_get_contents($pipes[1]);
    $code = proc_close($process);
    $code === 0 || throw new Exception("$words[0] ended with exit code $code: $output");
    return $output;
}
