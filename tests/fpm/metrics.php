<?php
/*
 * vaquita.metrics_shared under PHP-FPM: the page of each worker has what all have done, whoever is killed, and whatever is started again.
 *
 *   php metrics.php SERVER     with VAQUITA_FPM (a program), VAQUITA_FPM_LIBRARIES (a folder), VAQUITA_SO, and the server in the environment
 *
 * Its last line is "N passed, N failed".
 */

declare(strict_types=1);

require __DIR__ . '/fast_cgi.php';

error_reporting(E_ALL);
const WORKERS = 4;
const PATIENCE_S = 20;

[, $server] = $argv;
[$passed, $failed] = [0, 0];
$check = function (string $what, mixed $found, mixed $expected) use (&$passed, &$failed): void {
    if ($found === $expected) {
        $passed++;
        return;
    }
    $failed++;
    echo "FAIL: $what: ", json_encode($found), ', not ', json_encode($expected), "\n";
};

$folder = sys_get_temp_dir() . '/vaquita-metrics-' . getmypid();
mkdir("$folder/run", 0777, true);
chmod($folder, 0755);
chmod("$folder/run", 01777);
copy(__DIR__ . '/counted.php', "$folder/counted.php");
chmod("$folder/counted.php", 0644);
$is_root = posix_getuid() === 0;
$environment = implode('', array_map(fn (string $name) => "env[FPM_$name] = '" . getenv('VAQUITA_' . strtoupper($server) . "_$name") . "'\n", ['HOST', 'PORT', 'USER', 'PASSWORD', 'DATABASE']));
$pool = fn (string $name, string $user) => "[$name]\n" . ($is_root ? "user = $user\ngroup = $user\n" : '') . "listen = $folder/$name.sock\npm = static\npm.max_children = " . WORKERS . "\n$environment";
file_put_contents("$folder/fpm.conf", "[global]\nerror_log = $folder/fpm.log\ndaemonize = no\n" . $pool('one', 'root') . ($is_root ? str_replace('group = nobody', 'group = nogroup', $pool('other', 'nobody')) : ''));
$modules = ['-n', '-d', 'extension=pdo.so', '-d', 'extension=posix.so', '-d', 'extension=' . getenv('VAQUITA_SO'), '-d', 'vaquita.metrics_shared=1', '-d', "vaquita.run_dir=$folder/run"];
$output = [['file', '/dev/null', 'r'], ['file', "$folder/out", 'a'], ['file', "$folder/out", 'a']];
$fpm = proc_open(['env', 'LD_LIBRARY_PATH=' . getenv('VAQUITA_FPM_LIBRARIES'), getenv('VAQUITA_FPM'), ...$modules, '-y', "$folder/fpm.conf", '-F', '-R'], $output, $pipes);
$master = proc_get_status($fpm)['pid'];

/** @return list<?array{int, int}> which process answered each request, and what it says that all have sent */
$ask = fn (string $pool, string ...$queries) => array_map(
    fn (?string $answer) => $answer === null || !preg_match('/^(\d+) (\d+)$/', $answer, $match) ? $answer : [(int) $match[1], (int) $match[2]],
    FastCgi::ask("$folder/$pool.sock", "$folder/counted.php", $queries),
);
/** What the workers say, each several times; and which they are. */
$pages = function (string $pool) use ($ask): array {
    $answers = array_merge(...array_map(fn () => $ask($pool, ...array_fill(0, 2 * WORKERS, 'n=0')), range(1, 3)));
    $workers = array_values(array_unique(array_column($answers, 0)));
    sort($workers);
    return [array_values(array_unique(array_column($answers, 1))), $workers];
};
/** Asks until there are as many workers, none of whom is one of these. */
$until_without = function (array $gone) use ($pages): array {
    for ($until = microtime(true) + PATIENCE_S; ; usleep(20_000)) {
        $found = @$pages('one');
        if (count($found[1]) === WORKERS && array_intersect($found[1], $gone) === []) {
            return $found;
        }
        microtime(true) < $until || throw new Exception('these workers answer: ' . json_encode($found));
    }
};

try {
    for ($until = microtime(true) + PATIENCE_S; !file_exists("$folder/one.sock") || $is_root && !file_exists("$folder/other.sock"); usleep(10_000)) {
        microtime(true) < $until || throw new Exception(file_get_contents("$folder/out") . file_get_contents("$folder/fpm.log"));
    }
    [, $workers] = $until_without([]);
    for ($round = 0; $round < 5; $round++) {
        $ask('one', ...array_fill(0, 2 * WORKERS, 'n=3'));
    }
    $check('the sum, on the page of each worker', $pages('one'), [[5 * 2 * WORKERS * 3], $workers]);

    posix_kill($workers[0], SIGKILL);
    [$sums, $workers] = $until_without([$workers[0]]);
    $check('after one was killed', $sums, [120]);
    $ask('one', ...array_fill(0, 2 * WORKERS, 'n=1'));
    $check('and those that are left, with a new one, went on', $pages('one'), [[128], $workers]);

    [$dead] = $ask('one', 'n=100&dies');
    $check('what one says that is killed in the midst of a request', $dead, null);
    for ($until = microtime(true) + PATIENCE_S; ($found = $pages('one'))[1] === $workers || count($found[1]) < WORKERS; ) {
        microtime(true) < $until || throw new Exception('it was not replaced');
    }
    $check('all but its last request counts, once', $found[0], [128]);

    posix_kill($master, SIGUSR2); // reload: other workers, of the same master
    [$sums, $workers] = $until_without($found[1]);
    $check('after all were started again', $sums, [128]);
    $ask('one', ...array_fill(0, 2 * WORKERS, 'n=1'));
    $check('and they went on', $pages('one'), [[136], $workers]);

    if ($is_root) {
        $ask('other', ...array_fill(0, 2 * WORKERS, 'n=2'));
        $check("a pool of another user's has its own", [$pages('other')[0], $pages('one')[0]], [[16], [136]]);
    } else {
        echo "not looked at: two pools of different users, for only root can have them\n";
    }
} finally {
    proc_terminate($fpm, SIGQUIT);
    proc_close($fpm);
    exec('rm -rf ' . escapeshellarg($folder));
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
