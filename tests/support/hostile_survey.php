<?php
/*
 * What becomes of each script of the fake server with several PHPs, as the table of docs/security.md: tests/hostile.php survey.
 *
 * Each way to meet a script is a process of its own, so that one that crashes or hangs takes nothing along; of a family of scripts it is begun
 * again behind the one that it died of.
 */

declare(strict_types=1);

/** Of the ways to take the answer to a query these four; the others have other functions of PHP read the same bytes. */
const SURVEYED = ['query, fetch_all', 'unbuffered, fetch_row', 'PDO, fetchAll', 'PDO, unbuffered, fetch'];
/** When a client hangs: so long it says nothing. It waits for a server no longer than a second at a time. */
const HANGS_SECONDS = 30;
/** How many run at once: most of them wait. */
const SURVEYED_AT_ONCE = 16;
/** The memory that a process may have, in KiB; PHP's own limit is 128 MiB. */
const PROCESS_KIB = 2 << 20;
/** How often a family is begun again. */
const RESTARTS = 12;
const TABLE = __DIR__ . '/../../docs/security.md';
const TABLE_BEGIN = "| script | what the server does | stock | Vaquita |\n|---|---|---|---|\n";

/**
 * Rewrites the table, or some of its rows.
 *
 * @param list<string> $arguments the commands of stock and ours, and which scripts, if not all
 */
function survey(array $arguments): int
{
    if (count($arguments) < 2) {
        fwrite(STDERR, "which two commands?\n");
        return 2;
    }
    $commands = array_slice($arguments, 0, 2);
    $only = array_slice($arguments, 2);
    $text = file_get_contents(TABLE);
    $jobs = $outcomes = [];
    foreach (scripts() as $script => $expected) {
        if ($only !== [] && !in_array($script, $only, true)) {
            continue;
        }
        foreach (surveyed_ways($script, $expected) as $way) {
            foreach ($commands as $which => $command) {
                $jobs[] = ['script' => $script, 'expected' => $expected, 'way' => $way, 'which' => $which, 'command' => $command, 'from' => 0, 'restarts' => RESTARTS];
            }
        }
    }
    run_all($jobs, function (array $job, string $output, int $code) use (&$jobs, &$outcomes) {
        [$found, $next] = outcomes($job, $output, $code);
        $outcomes[$job['script']][$job['which']][] = $found;
        if ($next < $job['expected']['family'] && $job['restarts'] > 0) {
            $jobs[] = ['from' => $next, 'restarts' => $job['restarts'] - 1] + $job;
        }
    });
    $table = TABLE_BEGIN;
    foreach (scripts() as $script => $expected) {
        if (!isset($outcomes[$script])) {
            $table .= preg_match('/^\| `' . preg_quote($script, '/') . '` .*\n/m', $text, $row) ? $row[0] : '';
            continue;
        }
        $family = $expected['family'] > 1 ? " ({$expected['family']} scripts)" : '';
        $said = array_map(fn(int $which) => summary($outcomes[$script][$which]), [0, 1]);
        $table .= "| `$script` | {$expected['does']}$family | $said[0] | $said[1] |\n";
    }
    $begin = strpos($text, TABLE_BEGIN);
    if ($begin === false) {
        fwrite(STDERR, "docs/security.md has no such table\n");
        return 1;
    }
    $end = preg_match('/^(?!\|)/m', $text, $match, PREG_OFFSET_CAPTURE, $begin) ? $match[0][1] : strlen($text);
    file_put_contents(TABLE, substr($text, 0, $begin) . $table . substr($text, $end));
    return 0;
}

/** @return list<string> */
function surveyed_ways(string $script, array $expected): array
{
    $ways = array_keys(ways_to_meet($script, $expected));
    return $ways === array_keys(query_ways()) ? SURVEYED : $ways;
}

/**
 * Runs what is in the list, and what is put there meanwhile, some at once.
 *
 * @param list<array> $jobs
 * @param Closure(array, string, int): void $done
 */
function run_all(array &$jobs, Closure $done): void
{
    $running = [];
    while ($jobs !== [] || $running !== []) {
        while ($jobs !== [] && count($running) < SURVEYED_AT_ONCE) {
            $job = array_shift($jobs);
            $limits = 'ulimit -c 0; ulimit -v ' . PROCESS_KIB . '; exec "$@"';
            $settings = ['-d', 'memory_limit=128M', '-d', 'display_errors=1', '-d', 'html_errors=0', '-d', 'zend.exception_ignore_args=1', '-d', 'mysqli.allow_local_infile=1'];
            $words = [...explode(' ', $job['command']), ...$settings, $_SERVER['SCRIPT_FILENAME'], 'meet', $job['script'], $job['expected']['line'], $job['way'], (string) $job['from']];
            $pipes = [];
            $process = proc_open(['bash', '-c', $limits, 'bash', ...$words], [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
            stream_set_blocking($pipes[1], false);
            $running[] = ['job' => $job, 'process' => $process, 'pipe' => $pipes[1], 'output' => '', 'heard' => hrtime(true)];
        }
        $ready = array_column($running, 'pipe');
        $none = null;
        stream_select($ready, $none, $none, 1);
        foreach ($running as $index => &$client) {
            $new = stream_get_contents($client['pipe']);
            $client['output'] .= $new;
            if ($new !== '') {
                $client['heard'] = hrtime(true);
            } elseif (hrtime(true) - $client['heard'] > HANGS_SECONDS * 1e9) {
                proc_terminate($client['process'], 9);
            }
            if (feof($client['pipe'])) {
                do {
                    $status = proc_get_status($client['process']);
                } while ($status['running']);
                proc_close($client['process']);
                unset($running[$index]);
                $done($client['job'], $client['output'], $status['signaled'] ? 128 + $status['termsig'] : $status['exitcode']);
            }
        }
        unset($client);
    }
}

/** @return array{list<string>, int} what became of the scripts that a process came to, and the number of the one behind them */
function outcomes(array $job, string $output, int $code): array
{
    $found = $leaks = [];
    $next = $job['from'];
    foreach (explode("\n", $output) as $line) {
        $line = json_decode($line, true);
        if (!is_array($line)) {
            continue;
        }
        $leaks = [...$leaks, ...$line['leaks']];
        if (isset($line['way'])) {
            $found[] = outcome($job['expected'], $line);
            $next = $line['number'] + 1;
        }
    }
    if ($code !== 0) {
        $found[] = match (true) {
            str_contains($output, 'Hard memory limit') => '**PHP is killed** (twice memory_limit)',
            $code === 128 + 9 => 'hangs',
            str_contains($output, 'Allowed memory size') => 'the script ends: memory_limit',
            str_contains($output, 'Out of memory') => 'the script ends: out of memory',
            $code === 128 + 11 => '**crashes** (SIGSEGV)',
            $code > 128 => '**crashes** (signal ' . ($code - 128) . ')',
            default => "the script ends: exit code $code",
        };
        $next++;
    }
    return [[...$found, ...array_map(fn(string $what) => "**tells $what**", array_unique($leaks))], $next];
}

/** What became of one script. */
function outcome(array $expected, array $line): string
{
    $should_break = $expected['stage'] !== 'connect' && $expected['errno'] >= 2000 && $expected['errno'] !== 2068;
    return match (true) {
        $line['stage'] === 'fine' => $expected['stage'] === 'fine' ? 'fine' : 'no error',
        $line['errno'] === -1 => 'fails without an error',
        default => $line['errno'] . ($should_break && $line['afterwards'] === true ? ', the link goes on' : ''),
    };
}

/** @param list<list<string>> $all */
function summary(array $all): string
{
    $counts = array_count_values(array_map(strval(...), array_merge(...$all)));
    arsort($counts);
    if (count($counts) === 1) {
        return (string) array_key_first($counts);
    }
    $part = fn(string $what, int $count) => str_starts_with($what, '**tells') ? $what : "$what ($count)";
    return implode(', ', array_map(fn(int|string $what) => $part((string) $what, $counts[$what]), array_keys($counts)));
}
