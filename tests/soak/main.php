<?php
/*
 * A long run of scripts/soak: starts the processes, looks at them and at the servers every few seconds, and says at the end what was wrong. It runs on the stock extensions, and so asks
 * the servers by another driver than the one that is tested.
 *
 *   php main.php [OPTION...]   with the servers in the environment (VAQUITA_SERVERS), and SOAK_PHP and SOAK_FPM, the commands of PHP and PHP-FPM, in JSON
 *     --seconds N    (60)
 *     --seed N       (1)
 *     --process N --step M   plays this step once more, on tables made anew, and nothing else
 *     --spoil WHAT   memory, connections (kept), model (rows that no server has) or counter (a write that was none): has to be noticed
 */

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(fn(int $level, string $message, string $file, int $line) => (error_reporting() & $level) === 0 ? true : throw new ErrorException($message, 0, $level, $file, $line));
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);

require __DIR__ . '/model.php';
require __DIR__ . '/series.php';
require __DIR__ . '/fleet.php';
require __DIR__ . '/verdict.php';

/** What a server counts, and how it is when nobody is connected but us. */
const COUNTED = ['Threads_connected', 'Prepared_stmt_count', 'Open_tables'];
const PATIENCE_S = 20;

// Of an option that is there twice the last one holds: scripts/soak puts its own first.
$options = array_map(fn(string|array $value) => is_array($value) ? end($value) : $value, getopt('', ['seconds:', 'seed:', 'process:', 'step:', 'spoil:']));
$refuse = function (string $why): never {
    fwrite(STDERR, "$why\n");
    exit(2);
};
foreach (['seconds', 'seed', 'process', 'step'] as $name) {
    isset($options[$name]) && !ctype_digit($options[$name]) && $refuse("--$name: a whole number, not {$options[$name]}");
}
$seconds = (int) ($options['seconds'] ?? 60);
$seed = (int) ($options['seed'] ?? 1);
$spoil = $options['spoil'] ?? null;
$seconds > 0 || $refuse('--seconds: 1 at the least');
$spoil === null || in_array($spoil, ['memory', 'connections', 'model', 'counter'], true) || $refuse("--spoil: memory, connections, model or counter, not $spoil");
isset($options['process']) === isset($options['step']) || $refuse('--process and --step go together');
($options['process'] ?? 0) < Fleet::PROCESSES || $refuse('--process: 0 to ' . Fleet::PROCESSES - 1);

$servers = explode(' ', getenv('VAQUITA_SERVERS'));
$accounts = $admins = [];
foreach ($servers as $server) {
    foreach (['HOST', 'PORT', 'SOCKET', 'USER', 'PASSWORD', 'DATABASE', 'KEY_VALUE_PORT'] as $name) {
        $accounts[$server][strtolower($name)] = getenv('VAQUITA_' . strtoupper($server) . "_$name");
    }
    $accounts[$server]['port'] = (int) $accounts[$server]['port'];
    ['user' => $user, 'password' => $password, 'database' => $database, 'socket' => $socket] = $accounts[$server];
    $admins[$server] = new mysqli('localhost', $user, $password, $database, 0, $socket);
    $admins[$server]->set_charset('utf8mb4');
}
$folder = rtrim((string) shell_exec('mktemp -d'));
register_shutdown_function(fn() => exec('rm -rf ' . escapeshellarg($folder)));

$model = new Model($seed);
foreach ($admins as $server => $admin) {
    $admin->query('DROP TABLE IF EXISTS soak_data');
    $admin->query(Model::CREATE);
    for ($id = 1; $id <= Model::ROWS; $id += 2000) {
        $admin->query('INSERT INTO soak_data VALUES ' . $model->values($id, $id + 1999));
    }
}
$every = max(0.25, min(5.0, $seconds / 200));
$fleet = new Fleet($servers, $accounts, ['php' => json_decode(getenv('SOAK_PHP')), 'fpm' => json_decode(getenv('SOAK_FPM')), 'seed' => $seed, 'spoil' => $spoil, 'until' => microtime(true) + $seconds, 'every' => $every], $folder);
/** @return array<int, int> what the server has of a process's counters */
$counters = fn(Member $member) => array_map(intval(...), array_column($admins[$member->server]->query("SELECT slot, n FROM " . (new Ledger($member->number, "$folder/ledger-$member->number"))->counters() . ' ORDER BY slot')->fetch_all(), 1, 0));
foreach ($fleet->members as $member) {
    array_map($admins[$member->server]->query(...), (new Ledger($member->number, "$folder/none"))->create());
}
$figures = fn(string $server) => array_map(intval(...), array_column($admins[$server]->query("SHOW GLOBAL STATUS WHERE Variable_name IN ('" . implode("', '", COUNTED) . "')")->fetch_all(), 1, 0));

if (isset($options['process'], $options['step'])) {
    $member = $fleet->members[(int) $options['process']];
    $process = proc_open($fleet->worker($member->number, $member->server, (int) $options['step'], 1), [STDIN, STDOUT, STDERR], $pipes);
    exit(proc_close($process));
}

$before = array_map($figures, array_combine($servers, $servers));
$since = microtime(true);
/** @var array<string, array<string, Series>> $series */
$series = [];
$next_look = $next_word = $since;
try {
    $fleet->start();
    do {
        $now = microtime(true);
        if ($now >= $next_look) {
            foreach ($servers as $server) {
                foreach ($figures($server) as $name => $value) {
                    ($series[$server][$name] ??= new Series())->add($now - $since, $value);
                }
            }
            $next_look = $now + $every;
        }
        if ($now >= $next_word + 60) {
            printf("%4d s: %d steps, RSS %s MiB\n", $now - $since, array_sum(array_map(fn(Member $member) => $member->steps, $fleet->members)), implode(' ', array_map(fn(Member $member) => isset($member->series['rss']) ? round($member->series['rss']->last() / 1024) : '-', $fleet->members)));
            $next_word = $now;
        }
        $faulty = array_filter($fleet->members, fn(Member $member) => $member->fault !== null);
    } while ($faulty === [] && $fleet->listen());
} finally {
    $fleet->stop();
}
$took = microtime(true) - $since;

$verdict = new Verdict();
$verdict->processes($fleet->members, $took);
$verdict->servers($series);
$wrong = count(array_filter($fleet->members, fn(Member $member) => $member->is_wrong));
$crashed = count($faulty) - $wrong;
if ($faulty === []) {
    foreach ($fleet->members as $member) {
        $ledger = new Ledger($member->number, "$folder/ledger-$member->number");
        $found = $counters($member);
        foreach (array_keys(array_filter($ledger->slots, fn(int $n, int $slot) => $n !== $found[$slot], ARRAY_FILTER_USE_BOTH)) as $slot) {
            $verdict->faults[] = "process $member->number: counter $slot is $found[$slot] instead of {$ledger->slots[$slot]}";
            $wrong++;
        }
        echo "process $member->number: $ledger->writes writes, all there\n";
    }
    // Nobody is connected any more, and nothing is left behind.
    foreach ($servers as $server) {
        for ($until = microtime(true) + PATIENCE_S; ($after = $figures($server)) && ($after['Threads_connected'] > $before[$server]['Threads_connected'] || $after['Prepared_stmt_count'] > 0) && microtime(true) < $until; usleep(50_000)) {
        }
        foreach (['Threads_connected', 'Prepared_stmt_count'] as $name) {
            $after[$name] <= $before[$server][$name] || $verdict->faults[] = "$server: $name is $after[$name] after all have ended, instead of {$before[$server][$name]}";
        }
    }
}
foreach ($verdict->faults as $fault) {
    echo "FAIL $fault\n";
}
printf("soak: %d processes, %.1f minutes, %d steps, %d wrong, %d crashed, slopes at most %+.2f MiB/h of RSS, %+.2f without PHP's heap, %+.2f and %+.2f of what is in use of PHP's and the C library's%s\n", count($fleet->members), $took / 60, array_sum(array_map(fn(Member $member) => $member->steps, $fleet->members)), $wrong, $crashed, ...array_values($verdict->steepest), ...[$verdict->faults === [] ? '' : ', ' . count($verdict->faults) . ' faults']);
exit($verdict->faults === [] ? 0 : 1);
