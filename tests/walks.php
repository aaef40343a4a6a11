<?php
/*
 * The sides of tests/walks; walk.php has the walk itself.
 *
 *     php -n walks.php surface                   what the stub has, as JSON
 *     php walks.php walk SURFACE DATABASE FIRST LAST    walks, and prints each step; a walk ends with a line "END"
 *     php walks.php judge [NUMBER [FIRST]]       has both stacks walk, and compares
 *     php walks.php judge --show SEED
 */

error_reporting(E_ALL);

require __DIR__ . '/walk.php';

const STUB = __DIR__ . '/../crates/php/stubs/mysqli.stub.php';
const LEDGER = __DIR__ . '/walks.ledger';
/** How many walks one process does. */
const AT_ONCE = 200;
const PROCESS_SECONDS = 120;
/** Names of the same length: their length shows in what a server says of columns. */
const DATABASES = ['stock' => 'walks_stock', 'vaquita' => 'walks_ours_'];
/** How many kinds of differences are printed. */
const SHOWN = 25;

/**
 * What is not walked into: what waits for what may never come, writes files, is never the same twice, or has tests of its own (statistics,
 * TLS) because it is meant to differ.
 */
const LEFT_OUT = ['poll', 'reap_async_query', 'debug', 'dump_debug_info', 'get_client_stats', 'get_connection_stats', 'get_links_stats', 'ssl_set', 'thread_safe', 'get_client_info', 'get_client_version'];

/** @return array<string, mixed> */
function surface(): array
{
    require STUB;
    $parameters = fn(ReflectionFunctionAbstract $function) => array_map(fn(ReflectionParameter $it) => ['name' => $it->getName(), 'type' => (string) $it->getType(), 'optional' => $it->isOptional(),
        'reference' => $it->isPassedByReference(), 'variadic' => $it->isVariadic()], $function->getParameters());
    $surface = ['functions' => [], 'classes' => []];
    foreach (get_defined_functions()['user'] as $name) {
        $short = preg_replace('/^mysqli_(stmt_)?/', '', $name);
        if (str_starts_with($name, 'mysqli_') && !in_array($short, LEFT_OUT, true)) {
            $surface['functions'][$name] = $parameters(new ReflectionFunction($name));
        }
    }
    foreach (['mysqli', 'mysqli_result', 'mysqli_stmt', 'mysqli_warning', 'mysqli_driver'] as $class) {
        $reflection = new ReflectionClass($class);
        foreach ($reflection->getMethods() as $method) {
            if ($method->isPublic() && !$method->isConstructor() && !in_array($method->getName(), LEFT_OUT, true)) {
                $surface['classes'][$class]['methods'][$method->getName()] = $parameters($method);
            }
        }
        $surface['classes'][$class]['properties'] = array_map(fn(ReflectionProperty $it) => $it->getName(), $reflection->getProperties());
    }
    return $surface;
}

function server(string $what): string
{
    return getenv('VAQUITA_' . strtoupper(explode(' ', getenv('VAQUITA_SERVERS'))[0]) . "_$what");
}

/** A value as text on one line; what differs from run to run is left out. */
function text(mixed $value, int $depth = 0): string
{
    if (is_string($value)) {
        return strlen($value) > 200 ? 'string of ' . strlen($value) . ' bytes, md5 ' . md5($value) : '"' . addcslashes($value, "\0..\37\"\\\177..\377") . '"';
    }
    if ($value instanceof Throwable) {
        $previous = $value->getPrevious() === null ? '' : ', after ' . text($value->getPrevious());
        return $value::class . '(' . $value->getCode() . ')' . ($value instanceof mysqli_sql_exception ? " [{$value->getSqlState()}]" : '') . ": {$value->getMessage()}$previous";
    }
    if (is_object($value) && str_starts_with($value::class, 'mysqli') || $value instanceof Link || $depth > 5) {
        return is_object($value) ? 'object ' . $value::class : '...';
    }
    if (is_array($value) || is_object($value)) {
        $items = [];
        foreach ((array) $value as $key => $item) {
            $items[] = text($key) . ' => ' . text($item, $depth + 1);
        }
        return (is_array($value) ? '' : $value::class) . '[' . implode(', ', $items) . ']';
    }
    return strtolower(var_export($value, true));
}

function shown(array $arguments): string
{
    return implode(', ', array_map(text(...), $arguments));
}

/** Without what differs between two runs on one server. */
function masked(string $text): string
{
    static $from;
    $from ??= [...array_values(DATABASES), server('PASSWORD'), server('USER')];
    $text = str_replace($from, ['DATABASE', 'DATABASE', 'PASSWORD', 'USER'], $text);
    $ids = ['/"Uptime: .*?"/' => 'STAT', '/mysqlnd \d[^"]*/' => 'mysqlnd', '/(thread_id(?:\(object mysqli\)|" =>)?(?: ->)?|mysqli_stmt->id ->|"id" =>) \d+/' => '$1 ID', '/statement handler \(\d+\)/' => 'statement handler (ID)'];
    return preg_replace(array_keys($ids), array_values($ids), $text);
}

/** The transcripts of walks by seed: their lines, the last one END unless the process died there. */
function walked(string $stack, string $surface, int $first, int $last): mixed
{
    $php = explode(' ', getenv($stack === 'stock' ? 'STOCK_PHP' : 'VAQUITA_PHP'));
    $file = tmpfile();
    $command = ['timeout', '--signal=KILL', (string) PROCESS_SECONDS, ...$php, '-d', 'memory_limit=512M', '-d', 'display_errors=1', '-d', 'html_errors=0', '-d', 'log_errors=0', '-d', 'mysqli.allow_local_infile=1', '-d', 'mysqlnd.net_read_timeout=5', '-d', 'zend.exception_ignore_args=1',
        __FILE__, 'walk', $surface, DATABASES[$stack], (string) $first, (string) $last];
    return [proc_open($command, [1 => $file, 2 => $file], $pipes), $file];
}

/** @return array<int, list<string>> */
function transcripts(array $running): array
{
    [$process, $file] = $running;
    while (proc_get_status($process)['running']) {
        usleep(20_000);
    }
    proc_close($process);
    rewind($file);
    $transcripts = [];
    $seed = 0;
    while (($line = fgets($file)) !== false) {
        $line = rtrim($line, "\n");
        if (preg_match('/^WALK (\d+)$/', $line, $match)) {
            $seed = (int) $match[1];
            $transcripts[$seed] = [];
        } else {
            $transcripts[$seed][] = masked($line);
        }
    }
    return $transcripts;
}

/** The differences that are meant: a reason, then a pattern of stock's line and one of ours, with * for anything. */
function ledger(): array
{
    $entries = [];
    foreach (preg_split('/\n\n+/', trim(preg_replace('/^#.*\n/m', '', file_exists(LEDGER) ? file_get_contents(LEDGER) : '')), -1, PREG_SPLIT_NO_EMPTY) as $paragraph) {
        $stock = $ours = $reason = [];
        foreach (explode("\n", $paragraph) as $line) {
            match (substr($line, 0, 2)) {
                '- ' => $stock[] = substr($line, 2),
                '+ ' => $ours[] = substr($line, 2),
                default => $reason[] = $line,
            };
        }
        $pattern = fn(string $text) => '/^' . str_replace('\*', '.*', preg_quote($text, '/')) . '$/s';
        count($stock) === 1 && count($ours) === 1 && $reason !== [] || throw new Exception("the ledger's entry is not a reason and two lines: $paragraph");
        $entries[] = [$pattern($stock[0]), $pattern($ours[0])];
    }
    return $entries;
}

function judge(array $arguments): int
{
    $surface = tempnam(sys_get_temp_dir(), 'vaquita-walks');
    file_put_contents($surface, shell_exec(escapeshellarg(explode(' ', getenv('STOCK_PHP'))[0]) . ' -n ' . escapeshellarg(__FILE__) . ' surface'));
    $show = ($arguments[0] ?? '') === '--show';
    [$number, $first] = $show ? [1, (int) $arguments[1]] : [(int) ($arguments[0] ?? 10_000), (int) ($arguments[1] ?? 1)];
    $ledger = ledger();
    $passed = $failed = $meant = $stock_died = 0;
    $kinds = [];
    for ($next = $first; $next < $first + $number;) {
        $last = min($next + AT_ONCE, $first + $number) - 1;
        $running = array_map(fn(string $stack) => walked($stack, $surface, $next, $last), ['stock' => 'stock', 'vaquita' => 'vaquita']);
        ['stock' => $stock, 'vaquita' => $ours] = array_map(transcripts(...), $running);
        if ($show) {
            foreach (['stock' => $stock, 'vaquita' => $ours] as $stack => $transcript) {
                echo "== $stack\n", implode("\n", $transcript[$first] ?? $transcript[0] ?? []), "\n";
            }
        }
        if (!isset($stock[$next], $ours[$next])) {
            echo "FAIL: nobody walks: ", implode("\n", [...$stock[0] ?? [], ...$ours[0] ?? []]), "\n";
            $failed++;
            break;
        }
        for ($seed = $next; $seed <= $last && isset($stock[$seed], $ours[$seed]); $seed++) {
            for ($i = 0; ($stock[$seed][$i] ?? null) === ($ours[$seed][$i] ?? null) && $i < count($stock[$seed]); $i++);
            if ($i === count($stock[$seed]) && $i === count($ours[$seed]) && end($ours[$seed]) === 'END') {
                $passed++;
                continue;
            }
            [$theirs, $mine] = array_map(fn(array $lines) => implode("\n    ", array_filter(array_slice($lines, $i, ($lines[$i] ?? '') === '' ? 5 : 1))) ?: '(died)', [$stock[$seed], $ours[$seed]]);
            if (end($stock[$seed]) !== 'END' && $i >= count($stock[$seed]) - 1) {
                $stock_died++; // there is nothing to compare with
                if ($show || getenv('VERBOSE')) {
                    echo "stock died in $seed: ", implode("\n    ", array_slice($stock[$seed], -4)), "\n   ours: $mine\n";
                }
                continue;
            }
            foreach ($ledger as [$stock_pattern, $our_pattern]) {
                if (preg_match($stock_pattern, $theirs) && preg_match($our_pattern, $mine)) {
                    $meant++;
                    continue 2;
                }
            }
            $failed++;
            $kinds[preg_replace('/[(\s].*/', '', $theirs) . ' ' . preg_replace(['/^.*? -> /', '/ # \w+$/', '/"[^"]*"|\d+/'], ['', '', '*'], $theirs)][] = [$seed, array_slice($stock[$seed], max(0, $i - 6), min($i, 6)), $theirs, $mine];
        }
        $next = $seed; // after one that died, its process has to begin again
        if (end($stock[$seed - 1]) !== 'END' || end($ours[$seed - 1]) !== 'END') {
            $next = $seed;
        }
    }
    unlink($surface);
    uasort($kinds, fn(array $a, array $b) => count($b) <=> count($a));
    foreach (array_slice($kinds, 0, SHOWN) as $walks) {
        [$seed, $before, $theirs, $mine] = $walks[0];
        echo 'FAIL ', count($walks), " walks, such as $seed:\n";
        foreach ($before as $line) {
            echo '    ', substr($line, 0, 300), "\n";
        }
        echo '  - ', substr($theirs, 0, 1200), "\n  + ", substr($mine, 0, 1200), "\n";
    }
    if (count($kinds) > SHOWN) {
        echo '... and ', count($kinds) - SHOWN, " other kinds\n";
    }
    echo "$meant walks end in a difference that is meant, in $stock_died stock died\n";
    $passed += $meant;
    echo "$passed passed, $failed failed\n";
    return $failed === 0 && $passed > 0 ? 0 : 1;
}

match ($argv[1] ?? '') {
    'surface' => print(json_encode(surface())),
    'walk' => walk($argv[2], $argv[3], (int) $argv[4], (int) $argv[5]),
    'judge' => exit(judge(array_slice($argv, 2))),
};
