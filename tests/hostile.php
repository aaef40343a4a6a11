<?php
/*
 * The two sides of tests/hostile.
 *
 *     php hostile.php judge [SCRIPT...]                  runs a client for each script, and compares what became of it with what the script names
 *     php hostile.php meet SCRIPT LINE                   is such a client: meets the script by each way, and prints what became of it as JSON;
 *                                                        LINE is what the fake server's list says of the script
 *     php hostile.php meet SCRIPT LINE WAY FROM          only by this way, and of a family of scripts only those from this one on
 *     php hostile.php survey PHP...                      what becomes of each script with each of these commands, as the table of docs/security.md
 *
 * The errors are those of the list that the fake server prints: a stage (connect, response, rows) and an error number.
 */

declare(strict_types=1);

require __DIR__ . '/support/hostile_ways.php';
require __DIR__ . '/support/hostile_survey.php';

error_reporting(E_ALL);

/** What a client may need at most, above what PHP itself does: of memory that PHP counts, and of any. */
const PHP_MIB = 20;
const PROCESS_MIB = 48;
/** What those may need that store a result without an end, until memory_limit is reached, and the few MiB that the driver may borrow of the system. */
const LIMIT_MIB = 128;
const LIMITED_PROCESS_MIB = 192;
const AT_ONCE = 8;
/** Of a family of scripts each way meets every so-manieth one, and the next way others, unless VAQUITA_HOSTILE=all. */
const FAMILY_PART = 4;
/** How long a client waits for an answer: where none may come, and where one does, however slow the machine is. */
const READ_TIMEOUT_SECONDS = 1;
const PATIENCE_SECONDS = 20;
const CLIENT_SECONDS = 60;

/** The password, and what stands in the files and the environment that no server may have. */
const PASSWORD = 'correct horse battery staple';
const SECRET = 'nobody may know this';

/** Scripts for clients that ask for what mysqli does not ask for. */
const NOT_FOR_US = ['session-deprecate-eof'];

/** The ways that do not look at rows, and what as in stock the next query says then: that they are in the way, or that the connection was lost there. */
const LEAVING_ROWS = ['PDO, exec' => 2014, 'PDO, unbuffered, closeCursor' => 2006];

/** Those that take enough of a result that has no end, and leave. */
const TAKING_ENOUGH = ['unbuffered', 'PDO, unbuffered'];

/** What is done where all is fine, instead of the ways; the scripts that are not here only take a connection. */
function fine(string $script, mysqli $db): mixed
{
    if (str_starts_with($script, 'session')) {
        $rows = $db->query('SELECT 1')->fetch_all();
        $db->multi_query('SELECT 1; DO 1; SELECT 2');
        do {
            $result = $db->store_result();
            $rows[] = $result ? $result->fetch_all() : $db->affected_rows;
        } while ($db->more_results() && $db->next_result());
        return [$rows, $db->ping()];
    }
    if ($script === 'ok-extremes') {
        return [$db->query('DO 1'), $db->affected_rows, $db->insert_id];
    }
    if ($script === 'column-types-unknown') {
        $result = $db->query('SELECT 1');
        $values = array_map(bin2hex(...), $result->fetch_row());
        return [array_column($result->fetch_fields(), 'type', 'name'), $values, $result->fetch_row(), $db->ping()];
    }
    return null;
}

function status_kib(string $name): int
{
    preg_match("/^$name:\\s+(\\d+) kB$/m", file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}

/** The scripts that the fake server has, by their names: what should come of them, what the client has to do, how many are of the name, what they do. */
function scripts(): array
{
    exec(escapeshellarg(getenv('VAQUITA_FAKE_SERVER')) . ' --list', $list, $status);
    return array_column(array_map(expectation(...), $list), 1, 0);
}

/** What a line of that list says: the script's name and the rest. */
function expectation(string $line): array
{
    preg_match('/^(\S+)\s+(?:(fine)|(connect|response|rows): (\d+)\S*(?: after a time limit)?)\s+([a-z-]+)\s+(\d+)  (.*)$/', $line, $match)
        || exit("the fake server's list has a line of another kind: $line\n");
    return [$match[1], ['line' => $line, 'stage' => $match[3] ?: 'fine', 'errno' => (int) $match[4], 'deed' => $match[5], 'family' => (int) $match[6], 'does' => $match[7]]];
}

/** The ways to meet a script. */
function ways_to_meet(string $script, array $expected): array
{
    if ($expected['stage'] === 'connect') {
        return connect_ways();
    }
    if ($expected['stage'] !== 'fine' || !in_array($expected['deed'], ['query', 'zlib'], true)) {
        return ways($expected['deed']);
    }
    $is_own = in_array($script, ['session', 'session-deprecate-eof', 'login-only', 'ok-extremes', 'column-types-unknown'], true);
    return $is_own ? ['fine' => fn(mysqli $db) => fine($script, $db)] : harmless_ways();
}

/** A folder with the file that a server may have, and what else it may ask for. */
function folder_of_files(): string
{
    $folder = sys_get_temp_dir() . '/vaquita-hostile-' . getmypid();
    mkdir($folder);
    file_put_contents("$folder/wanted.csv", "1,wanted\n");
    file_put_contents("$folder/other.csv", SECRET);
    symlink('other.csv', "$folder/link.csv");
    posix_mkfifo("$folder/pipe", 0600);
    mkdir("$folder/folder");
    register_shutdown_function(fn() => exec('rm -r ' . escapeshellarg($folder)));
    return $folder;
}

/** What a server has heard that it should not have. */
function leaks(string $heard): array
{
    $secrets = ['the password' => PASSWORD, 'another file' => SECRET, '/etc/passwd' => 'root:x:'];
    return array_keys(array_filter($secrets, fn(string $secret) => str_contains($heard, bin2hex($secret))));
}

/** The driver's error number. */
function errno(mysqli_sql_exception|PDOException $e): int
{
    return $e instanceof PDOException ? (int) ($e->errorInfo[1] ?? 0) : $e->getCode();
}

/** Meets the script by each way; prints one line of JSON for each. */
function meet(string $script, string $line, ?string $only = null, int $from = 0): void
{
    $expected = expectation($line)[1];
    $may_wait = in_array($expected['errno'], [2002, 2006, 2013], true) || $only !== null;
    $timeout = $may_wait ? READ_TIMEOUT_SECONDS : PATIENCE_SECONDS;
    mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
    // Of some packets that can't be read stock only warns, and so do we; but the link knows of the error.
    set_error_handler(function (int $level, string $text) use (&$db, &$warned): bool {
        $warned = true;
        return $db instanceof mysqli && $db->errno === 2027 ? throw new mysqli_sql_exception($text, $db->errno) : true;
    });
    $ways = ways_to_meet($script, $expected);
    if ($only !== null) {
        $ways = [$only => $ways[$only]];
    }
    $numbers = range($from, $expected['family'] - 1);
    $is_all = $only !== null || count($numbers) < FAMILY_PART || getenv('VAQUITA_HOSTILE') === 'all';
    $plan = [];
    foreach (array_keys($ways) as $index => $name) {
        foreach ($numbers as $number) {
            if ($is_all || $number % FAMILY_PART === $index % FAMILY_PART) {
                $plan[] = [$name, $number];
            }
        }
    }
    $words = [getenv('VAQUITA_FAKE_SERVER'), $script, '--connections', (string) count($plan), '--only', implode(',', array_column($plan, 1)), '--seconds', (string) CLIENT_SECONDS];
    $server = proc_open($words, [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
    $port = (int) fgets($pipes[1]);
    stream_set_blocking($pipes[1], false);
    if ($expected['deed'] === 'load-data') {
        chdir(folder_of_files());
    }
    $usual = status_kib('VmHWM');
    foreach ($plan as [$name, $number]) {
        $way = $ways[$name];
        $found = ['way' => $name, 'number' => $number, 'stage' => 'connect', 'errno' => 0];
        $db = $warned = null;
        memory_reset_peak_usage();
        try {
            client((new ReflectionFunction($way))->getParameters()[0]->getType()->getName(), $port, $timeout, $expected['deed'], $db);
            $found['stage'] = 'response';
            $found['value'] = $way($db);
            $found['stage'] = 'fine';
        } catch (mysqli_sql_exception | PDOException $e) {
            $found['errno'] = errno($e);
            $found['message'] = substr($e->getMessage(), 0, 200);
            try {
                $found['afterwards'] = $found['stage'] === 'connect' ? null : (bool) $db->query('SELECT 1');
            } catch (mysqli_sql_exception | PDOException $again) {
                $found['afterwards'] = errno($again);
            }
        } catch (Error $e) {
            // As of a call of what is no object, because something failed without a word.
            $found['errno'] = -1;
            $found['message'] = $e->getMessage();
        }
        $db = $e = $again = null;
        $found += ['php_mib' => memory_get_peak_usage() / 1048576, 'warned' => $warned, 'leaks' => leaks((string) stream_get_contents($pipes[1]))];
        echo json_encode($found, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
    }
    proc_terminate($server, 9);
    stream_set_blocking($pipes[1], true);
    echo json_encode(['process_mib' => (status_kib('VmHWM') - $usual) / 1024, 'leaks' => leaks(stream_get_contents($pipes[1]))]), "\n";
    proc_close($server);
}

/** @return list<string> what is wrong with what became of a client */
function mistakes(string $script, array $expected, string $output, string $end): array
{
    ['stage' => $stage, 'errno' => $errno, 'deed' => $deed] = $expected;
    $wrong = [];
    if ($errno === 2026) {
        $errno = 2002; // as in stock
    }
    if ($script === 'goodbye' && PHP_VERSION_ID >= 80400) {
        $errno = 4031; // what the server says as it goes is the error since then
    }
    if ($end !== 'exit code 0') {
        $wrong[] = $end;
    }
    $lines = array_map(fn(string $line) => json_decode($line, true), explode("\n", trim($output)));
    $last = array_pop($lines);
    if (!isset($last['process_mib'])) {
        return [...$wrong, 'no end: ' . substr($output, -2000)];
    }
    $is_endless = str_starts_with($deed, 'endless');
    if ($last['process_mib'] > ($is_endless ? LIMITED_PROCESS_MIB : PROCESS_MIB)) {
        $wrong[] = sprintf('used %.1f MiB in all', $last['process_mib']);
    }
    foreach ($lines as $found) {
        // What is wrong with the rows, a buffered result says as its response; so the client does not tell the two apart.
        $expected_stage = $stage === 'rows' ? 'response' : $stage;
        $expected_errno = $stage === 'rows' ? LEAVING_ROWS[$found['way'] ?? ''] ?? $errno : $errno;
        if ($found['errno'] === $errno && $found['way'] === 'PDO, unbuffered, closeCursor') {
            $expected_errno = $errno; // there was no first row
        }
        if ($stage === 'rows' && $errno === 2008 && $deed !== 'endless-row' && in_array($found['way'], TAKING_ENOUGH, true)) {
            [$expected_stage, $expected_errno] = ['fine', 0];
        }
        $mib = $is_endless && str_ends_with($found['way'], BY_MEMORY_LIMIT) ? LIMIT_MIB : PHP_MIB;
        if ($found !== null && ($found['php_mib'] > $mib || $found['leaks'] !== [])) {
            $wrong[] = sprintf('used %.1f MiB of PHP\'s memory, told %s: ', $found['php_mib'], implode(' and ', $found['leaks']) ?: 'nothing') . json_encode($found);
        } elseif ($found === null || $found['stage'] !== $expected_stage || $found['errno'] !== $expected_errno) {
            $wrong[] = "expected $stage: $errno, found " . json_encode($found);
        } elseif ($errno >= 2000 && $errno !== 2068 && $found['stage'] === 'response' && !is_int($found['afterwards'] ?? null)) {
            $wrong[] = 'the link still works: ' . json_encode($found);
        } elseif ($expected_errno !== 0 && $script !== 'err-without-message' && ($found['message'] ?? '') === '') {
            $wrong[] = 'an error without a message: ' . json_encode($found);
        } elseif ($script === 'ok-extremes' && $found['value'] !== [true, -1, '18446744073709551615']) {
            $wrong[] = 'found ' . json_encode($found);
        } elseif ($script === 'column-types-unknown' && !unknown_types_are_bytes($found['value'])) {
            $wrong[] = 'found ' . json_encode($found);
        } elseif ($script === 'session' && ($found['value'][1] ?? null) !== true) {
            $wrong[] = 'found ' . json_encode($found);
        }
    }
    return $wrong;
}

/** Whether each type is the number that was sent, which is the column's name too, and each value the bytes. */
function unknown_types_are_bytes(array $value): bool
{
    [$types, $values, $end, $ping] = $value;
    $bytes = array_map(fn(int $type) => sprintf('%02x00ff27', $type), array_values($types));
    return count($types) > 200 && $types[242] === 242 && array_keys($types) === array_values($types) && $values === $bytes && $end === null && $ping;
}

/** @param list<string> $names only these, if any */
function judge(array $names): int
{
    $waiting = [];
    foreach (scripts() as $script => $expected) {
        if ($names === [] ? !in_array($script, NOT_FOR_US, true) : in_array($script, $names, true)) {
            $waiting[] = [$script, $expected];
        }
    }
    $passed = $failed = 0;
    $running = [];
    while ($waiting !== [] || $running !== []) {
        while ($waiting !== [] && count($running) < AT_ONCE) {
            [$script, $expected] = array_shift($waiting);
            // Local files are allowed, and still none is sent: no statement here names one. An exception's arguments would keep the
            // connection, and a server that waits for its end, however the PHP at hand is set.
            $command = ['timeout', '--signal=KILL', (string) CLIENT_SECONDS, ...explode(' ', getenv('VAQUITA_PHP')), '-d', 'memory_limit=128M', '-d', 'display_errors=1', '-d', 'zend.exception_ignore_args=1', '-d', 'mysqli.allow_local_infile=1', __FILE__, 'meet', $script, $expected['line']];
            $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
            stream_set_blocking($pipes[1], false);
            $running[] = ['process' => $process, 'pipe' => $pipes[1], 'output' => '', 'script' => $script, 'expected' => $expected];
        }
        $ready = array_column($running, 'pipe');
        $none = null;
        stream_select($ready, $none, $none, null);
        foreach ($running as $index => &$client) {
            $client['output'] .= stream_get_contents($client['pipe']);
            if (!feof($client['pipe'])) {
                continue;
            }
            do {
                $status = proc_get_status($client['process']);
            } while ($status['running']);
            proc_close($client['process']);
            $code = $status['signaled'] ? 128 + $status['termsig'] : $status['exitcode'];
            $wrong = mistakes($client['script'], $client['expected'], $client['output'], $code > 128 ? 'killed by signal ' . ($code - 128) : "exit code $code");
            foreach ($wrong as $mistake) {
                echo "FAIL {$client['script']}: $mistake\n";
            }
            $wrong === [] ? $passed++ : $failed++;
            unset($running[$index]);
        }
        unset($client);
    }
    echo "$passed passed, $failed failed\n";
    return $failed === 0 && $passed > 0 ? 0 : 1;
}

match ($argv[1] ?? '') {
    'judge' => exit(judge(array_slice($argv, 2))),
    'meet' => meet($argv[2], $argv[3], $argv[4] ?? null, (int) ($argv[5] ?? 0)),
    'survey' => exit(survey(array_slice($argv, 2))),
};
