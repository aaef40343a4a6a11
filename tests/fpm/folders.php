<?php
/*
 * What a folder's .user.ini may set under PHP-FPM: nothing of what is for php.ini alone, and no limit above php.ini's. A script may write such a file.
 *
 *   php folders.php SERVER     with VAQUITA_FPM (a program), VAQUITA_FPM_LIBRARIES (a folder) and VAQUITA_SO; no server is asked
 *
 * Its last line is "N passed, N failed".
 */

declare(strict_types=1);

require __DIR__ . '/fast_cgi.php';

error_reporting(E_ALL);
const PATIENCE_S = 20;

/** A script that shows what is set, then what of a limit it can set itself, and what is left when it takes that back. */
const SCRIPT = <<<'PHP'
    <?php
    $shown = array_map(ini_get(...), json_decode($_GET['names']));
    foreach (['5M', '15M', '50M', '0'] as $limit) {
        $shown[] = @ini_set('vaquita.max_result_bytes', $limit) === false ? "not $limit" : $limit;
    }
    @ini_restore('vaquita.max_result_bytes');
    $shown[] = ini_get('vaquita.max_result_bytes');
    echo json_encode($shown);
    PHP;

/** What php.ini alone may set, and a value that a script would like. */
const SYSTEM = [
    'vaquita.tls' => '', 'vaquita.tls_crl' => '', 'vaquita.cleartext_password' => 'off', 'vaquita.trace' => '/tmp/vaquita-trace-of-a-script', 'vaquita.trace_literals' => '1',
    'vaquita.host_max_links' => '5', 'vaquita.run_dir' => '/tmp', 'vaquita.metrics_shared' => '1', 'vaquita.pool_check' => 'none', 'vaquita.pool_max_idle' => '7',
    'mysqli.allow_local_infile' => '1', 'mysqli.local_infile_directory' => '/', 'mysqli.allow_persistent' => '0', 'mysqli.max_links' => '9', 'pdo_mysql.default_socket' => '/tmp/socket',
];

[$passed, $failed] = [0, 0];
$check = function (string $what, mixed $found, mixed $expected) use (&$passed, &$failed): void {
    if ($found === $expected) {
        $passed++;
        return;
    }
    $failed++;
    echo "FAIL: $what: ", json_encode($found), ', not ', json_encode($expected), "\n";
};

$folder = sys_get_temp_dir() . '/vaquita-folders-' . getmypid();
mkdir($folder);
$user = posix_getuid() === 0 ? "user = root\ngroup = root\n" : '';
file_put_contents("$folder/fpm.conf", "[global]\nerror_log = $folder/fpm.log\ndaemonize = no\n[www]\n{$user}listen = $folder/fpm.sock\npm = static\npm.max_children = 1\n");
$modules = ['-n', '-d', 'extension=pdo.so', '-d', 'extension=' . getenv('VAQUITA_SO'), '-d', 'vaquita.tls=required', '-d', 'vaquita.max_result_bytes=20M', '-d', 'display_errors=0'];
$output = [['file', '/dev/null', 'r'], ['file', "$folder/out", 'a'], ['file', "$folder/out", 'a']];
$fpm = proc_open(['env', 'LD_LIBRARY_PATH=' . getenv('VAQUITA_FPM_LIBRARIES'), getenv('VAQUITA_FPM'), ...$modules, '-y', "$folder/fpm.conf", '-F', '-R'], $output, $pipes);

/** What the script shows in a folder with these settings. */
$ask = function (array $settings, string ...$names) use ($folder): mixed {
    static $number = 0;
    $site = "$folder/" . $number++;
    mkdir($site);
    file_put_contents("$site/script.php", SCRIPT);
    file_put_contents("$site/.user.ini", implode('', array_map(fn (string $name, string $value) => "$name = \"$value\"\n", array_keys($settings), $settings)));
    return json_decode((string) FastCgi::ask("$folder/fpm.sock", "$site/script.php", ['names=' . urlencode(json_encode($names))])[0]);
};

try {
    for ($until = microtime(true) + PATIENCE_S; !file_exists("$folder/fpm.sock"); usleep(10_000)) {
        microtime(true) < $until || throw new Exception(file_get_contents("$folder/out") . file_get_contents("$folder/fpm.log"));
    }
    $limits = fn (array $settings) => $ask($settings, 'vaquita.max_result_bytes');
    $names = array_keys(SYSTEM);
    $before = $ask([], ...$names);
    $check('what is shown', count($before ?? []), count(SYSTEM) + 5);
    $check('what is for php.ini alone', $ask(SYSTEM, ...$names), $before);
    $check('what a folder may set', $ask(['vaquita.statement_cache' => '3'], 'vaquita.statement_cache')[0] ?? null, '3');
    $check('a limit of php.ini', $limits([]), ['20M', '5M', '15M', 'not 50M', 'not 0', '20M']);
    $check('a folder that lowers it', $limits(['vaquita.max_result_bytes' => '10M'])[0], '10M');
    $check('its script', array_slice($limits(['vaquita.max_result_bytes' => '10M']), 1, 4), ['5M', 'not 15M', 'not 50M', 'not 0']);
    foreach (['50M', '0', '-1', '20971521', '99999999999G', 'much'] as $more) {
        $check("a folder with $more", $limits(['vaquita.max_result_bytes' => $more]), ['20M', '5M', '15M', 'not 50M', 'not 0', '20M']);
    }
} finally {
    proc_terminate($fpm, SIGQUIT);
    proc_close($fpm);
    exec('rm -rf ' . escapeshellarg($folder));
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
