<?php
/*
 * The two sides of tests/hostile.
 *
 *     php hostile.php judge [SCRIPT...]         runs a client for each script, and compares what became of it with what the script names
 *     php hostile.php meet SCRIPT STAGE ERRNO   is such a client: meets the script by each way, and prints what became of it as JSON
 *
 * The errors are those of the list that the fake server prints: a stage (connect, response, rows) and an error number.
 */

declare(strict_types=1);

error_reporting(E_ALL);

/** What a client may need at most, above what PHP itself does: of memory that PHP counts, and of any. */
const PHP_MIB = 20;
const PROCESS_MIB = 48;
const AT_ONCE = 8;
/** How long a client waits for an answer: where none may come, and where one does, however slow the machine is. */
const READ_TIMEOUT_SECONDS = 1;
const PATIENCE_SECONDS = 20;
const CLIENT_SECONDS = 60;

/** Scripts for clients that ask for what mysqli does not ask for. */
const NOT_FOR_US = ['session-deprecate-eof'];

/** The ways that do not look at rows, and what as in stock the next query says then: that they are in the way, or that the connection was lost there. */
const LEAVING_ROWS = ['PDO, exec' => 2014, 'PDO, unbuffered, closeCursor' => 2006];

/** The ways to take the answer to a query; each returns when all has been taken, or throws. */
function ways(): array
{
    return [
        'query, fetch_all' => fn(mysqli $db) => $db->query('SELECT 1')->fetch_all(),
        'unbuffered, fetch_row' => function (mysqli $db) {
            $result = $db->query('SELECT 1', MYSQLI_USE_RESULT);
            while ($result->fetch_row());
        },
        'unbuffered, fetch_all' => fn(mysqli $db) => $db->query('SELECT 1', MYSQLI_USE_RESULT)->fetch_all(MYSQLI_BOTH),
        'unbuffered, foreach' => function (mysqli $db) {
            foreach ($db->query('SELECT 1', MYSQLI_USE_RESULT) as $row);
        },
        'unbuffered, fetch_object' => function (mysqli $db) {
            $result = $db->query('SELECT 1', MYSQLI_USE_RESULT);
            while ($result->fetch_object());
        },
        'real_query, store_result' => function (mysqli $db) {
            $db->real_query('SELECT 1');
            $db->store_result()->fetch_all();
        },
        'Vaquita\rows' => fn(mysqli $db) => Vaquita\rows($db->query('SELECT 1'))->toArray(),
        'unbuffered, Vaquita\rows' => fn(mysqli $db) => Vaquita\rows($db->query('SELECT 1', MYSQLI_USE_RESULT))->toArray(),
        'PDO, Vaquita\rows' => function (PDO $db) {
            $statement = $db->query('SELECT 1');
            Vaquita\rows($statement);
            say_error($statement);
        },
        'PDO, unbuffered, Vaquita\rows' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            Vaquita\rows($statement);
            say_error($statement);
        },
        'PDO, fetchAll' => function (PDO $db) {
            $statement = $db->query('SELECT 1');
            $statement->fetchAll();
            say_error($statement);
        },
        'PDO, execute and fetchColumn' => function (PDO $db) {
            $statement = $db->prepare('SELECT ?');
            $statement->execute([1]);
            while ($statement->fetchColumn() !== false);
        },
        'PDO, exec' => function (PDO $db) {
            $db->exec('SELECT 1');
            $db->query('SELECT 1');
        },
        'PDO, unbuffered, fetch' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            while ($statement->fetch());
        },
        'PDO, unbuffered, fetchAll' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            $statement->fetchAll(PDO::FETCH_NUM);
            say_error($statement);
        },
        'PDO, unbuffered, foreach' => function (PDO $db) {
            foreach (unbuffered($db)->query('SELECT 1', PDO::FETCH_OBJ) as $row);
        },
        'PDO, unbuffered, closeCursor' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            $statement->fetch();
            $statement->closeCursor();
            $db->query('SELECT 1');
        },
    ];
}

/** Throws what PDO keeps to itself: after the first row its fetchAll() throws nothing. */
function say_error(PDOStatement $statement): void
{
    [, $errno, $message] = $statement->errorInfo();
    if ($errno !== null) {
        $e = new PDOException($message);
        $e->errorInfo = $statement->errorInfo();
        throw $e;
    }
}

function unbuffered(PDO $db): PDO
{
    $db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
    return $db;
}

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

/** @param class-string<mysqli|PDO> $class */
function client(string $class, int $port, int $timeout, ?object &$client): void
{
    if ($class === PDO::class) {
        ini_set('vaquita.read_timeout', (string) $timeout);
        $options = [PDO::ATTR_TIMEOUT => $timeout, PDO::MYSQL_ATTR_LOCAL_INFILE => true];
        $client = new PDO("mysql:host=127.0.0.1;port=$port;dbname=database", 'user', 'password', $options);
        return;
    }
    $client = mysqli_init();
    $client->options(MYSQLI_OPT_READ_TIMEOUT, $timeout);
    $client->options(MYSQLI_OPT_CONNECT_TIMEOUT, $timeout);
    $client->real_connect('127.0.0.1', 'user', 'password', 'database', $port);
}

/** The driver's error number. */
function errno(mysqli_sql_exception|PDOException $e): int
{
    return $e instanceof PDOException ? (int) ($e->errorInfo[1] ?? 0) : $e->getCode();
}

/** Meets the script by each way; prints one line of JSON for each. */
function meet(string $script, string $stage, int $errno): void
{
    $timeout = in_array($errno, [2002, 2006, 2013], true) ? READ_TIMEOUT_SECONDS : PATIENCE_SECONDS;
    mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
    // Of some packets that can't be read stock only warns, and so do we; but the link knows of the error.
    set_error_handler(function (int $level, string $text) use (&$db): bool {
        return $db instanceof mysqli && $db->errno === 2027 ? throw new mysqli_sql_exception($text, $db->errno) : true;
    });
    $ways = match ($stage) {
        'fine' => ['fine' => fn(mysqli $db) => fine($script, $db)],
        'connect' => ['connect' => fn(mysqli $db) => null, 'PDO, connect' => fn(PDO $db) => null],
        default => ways(),
    };
    $words = [getenv('VAQUITA_FAKE_SERVER'), $script, '--connections', (string) count($ways), '--seconds', (string) CLIENT_SECONDS];
    $server = proc_open($words, [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
    $port = (int) fgets($pipes[1]);
    $usual = status_kib('VmHWM');
    foreach ($ways as $name => $way) {
        $found = ['way' => $name, 'stage' => 'connect', 'errno' => 0];
        $db = null;
        try {
            client((new ReflectionFunction($way))->getParameters()[0]->getType()->getName(), $port, $timeout, $db);
            $found['stage'] = 'response';
            $found['value'] = $way($db);
            $found['stage'] = 'fine';
        } catch (mysqli_sql_exception | PDOException $e) {
            $found['errno'] = errno($e);
            $found['message'] = $e->getMessage();
            try {
                $found['afterwards'] = $found['stage'] === 'connect' ? null : (bool) $db->query('SELECT 1');
            } catch (mysqli_sql_exception | PDOException $again) {
                $found['afterwards'] = errno($again);
            }
        }
        $db = null;
        echo json_encode($found, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR), "\n";
    }
    echo json_encode(['php_mib' => memory_get_peak_usage() / 1048576, 'process_mib' => (status_kib('VmHWM') - $usual) / 1024]), "\n";
    proc_terminate($server, 9);
    proc_close($server);
}

/** @return list<string> what is wrong with what became of a client */
function mistakes(string $script, string $stage, int $errno, string $output, string $end): array
{
    $wrong = [];
    if ($script === 'goodbye' && PHP_VERSION_ID >= 80400) {
        $errno = 4031; // what the server says as it goes is the error since then
    }
    if ($end !== 'exit code 0') {
        $wrong[] = $end;
    }
    $lines = array_map(fn(string $line) => json_decode($line, true), explode("\n", trim($output)));
    $last = array_pop($lines);
    if (!isset($last['php_mib'])) {
        return [...$wrong, "no end: $output"];
    }
    if ($last['php_mib'] > PHP_MIB || $last['process_mib'] > PROCESS_MIB) {
        $wrong[] = sprintf('used %.1f MiB of PHP\'s memory, %.1f MiB in all', $last['php_mib'], $last['process_mib']);
    }
    foreach ($lines as $found) {
        // What is wrong with the rows, a buffered result says as its response; so the client does not tell the two apart.
        $expected_stage = $stage === 'rows' ? 'response' : $stage;
        $expected_errno = $stage === 'rows' ? LEAVING_ROWS[$found['way'] ?? ''] ?? $errno : $errno;
        if ($found === null || $found['stage'] !== $expected_stage || $found['errno'] !== $expected_errno) {
            $wrong[] = "expected $stage: $errno, found " . json_encode($found);
        } elseif ($errno >= 2000 && $errno !== 2068 && $found['stage'] === 'response' && !is_int($found['afterwards'] ?? null)) {
            $wrong[] = 'the link still works: ' . json_encode($found);
        } elseif ($errno !== 0 && $script !== 'err-without-message' && ($found['message'] ?? '') === '') {
            $wrong[] = 'an error without a message: ' . json_encode($found);
        } elseif ($script === 'ok-extremes' && $found['value'] !== [true, -1, '18446744073709551615']) {
            $wrong[] = 'found ' . json_encode($found);
        } elseif ($script === 'column-types-unknown' && !unknown_types_are_bytes($found['value'])) {
            $wrong[] = 'found ' . json_encode($found);
        } elseif (str_starts_with($script, 'session') && ($found['value'][1] ?? null) !== true) {
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
    exec(escapeshellarg(getenv('VAQUITA_FAKE_SERVER')) . ' --list', $list, $status);
    $waiting = [];
    foreach ($list as $line) {
        preg_match('/^(\S+)\s+(?:(fine)|(connect|response|rows): (\d+))/', $line, $match) || exit("the fake server's list has a line of another kind: $line\n");
        if ($names === [] ? !in_array($match[1], NOT_FOR_US, true) : in_array($match[1], $names, true)) {
            $waiting[] = [$match[1], ($match[3] ?? '') ?: 'fine', (int) ($match[4] ?? 0)];
        }
    }
    $passed = $failed = 0;
    $running = [];
    while ($waiting !== [] || $running !== []) {
        while ($waiting !== [] && count($running) < AT_ONCE) {
            [$script, $stage, $errno] = array_shift($waiting);
            // Local files are allowed, and still none is sent: no statement here names one. An exception's arguments would keep the
            // connection, and a server that waits for its end, however the PHP at hand is set.
            $command = ['timeout', '--signal=KILL', (string) CLIENT_SECONDS, ...explode(' ', getenv('VAQUITA_PHP')), '-d', 'memory_limit=128M', '-d', 'display_errors=1', '-d', 'zend.exception_ignore_args=1', '-d', 'mysqli.allow_local_infile=1', __FILE__, 'meet', $script, $stage, (string) $errno];
            $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
            stream_set_blocking($pipes[1], false);
            $running[] = ['process' => $process, 'pipe' => $pipes[1], 'output' => '', 'script' => $script, 'stage' => $stage, 'errno' => $errno];
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
            $wrong = mistakes($client['script'], $client['stage'], $client['errno'], $client['output'], $code > 128 ? 'killed by signal ' . ($code - 128) : "exit code $code");
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
    'meet' => meet($argv[2], $argv[3], (int) $argv[4]),
};
