<?php
/*
 * What the scripts in tests/parity and tests/phpt share. The runner puts this folder's parent into include_path, and says
 * in the environment which server to use and how to reach it.
 *
 * What is printed here is the same from run to run and from machine to machine: no object ids, thread ids, times or paths.
 */

error_reporting(E_ALL);

/** What the environment says of the server: HOST, PORT, SOCKET, USER, PASSWORD, DATABASE, NAME or TRANSPORT. */
function server(string $what): string
{
    return getenv("VAQUITA_SERVER_$what");
}

function on_mariadb(): bool
{
    return str_starts_with(server('NAME'), 'mariadb');
}

/** Whether the server is one of these; what it lacks is left out of a test by this. */
function on(string ...$names): bool
{
    return in_array(server('NAME'), $names, true);
}

/** The arguments of a call that connects, but for those replaced by name. */
function address(mixed ...$replaced): array
{
    $tcp = server('TRANSPORT') !== 'unix';
    return array_replace([
        'hostname' => $tcp ? server('HOST') : 'localhost',
        'username' => server('USER'),
        'password' => server('PASSWORD'),
        'database' => server('DATABASE'),
        'port' => (int) server('PORT'),
        'socket' => $tcp ? null : server('SOCKET'),
    ], $replaced);
}

/** The flags of real_connect by which the transport is asked for. */
function flags(): int
{
    return match (server('TRANSPORT')) {
        'zlib', 'zstd' => MYSQLI_CLIENT_COMPRESS,
        'tls' => MYSQLI_CLIENT_SSL,
        'tls-zlib' => MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_COMPRESS,
        default => 0,
    };
}

function connect(string $class = 'mysqli', mixed ...$replaced): mysqli
{
    if (flags() === 0) {
        return new $class(...address(...$replaced));
    }
    $link = new $class;
    $link->real_connect(...address(...$replaced), flags: flags());
    return $link;
}

/** The name of the server for PDO. */
function data_source(string $more = ''): string
{
    $way = server('TRANSPORT') === 'unix' ? 'unix_socket=' . server('SOCKET') : 'host=' . server('HOST') . ';port=' . server('PORT');
    return "mysql:$way;dbname=" . server('DATABASE') . ";charset=utf8mb4$more";
}

/** @param array<int, mixed> $options as the driver takes them, besides those that ask for the transport */
function connect_pdo(array $options = [], string $more = ''): PDO
{
    $transport = match (server('TRANSPORT')) {
        'zlib', 'zstd' => [PDO::MYSQL_ATTR_COMPRESS => true],
        'tls' => [PDO::MYSQL_ATTR_SSL_CIPHER => 'DEFAULT', PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => false],
        default => [],
    };
    return new PDO(data_source($more), server('USER'), server('PASSWORD'), $options + $transport);
}

/** Makes sure that the transport is what it is called, for a link that goes another way has the same rows. */
function check_transport(mysqli $link): void
{
    $status = fn(string $name) => $link->query("SHOW SESSION STATUS LIKE '$name'")->fetch_row()[1];
    $is = [$status('Ssl_cipher') !== '', $status('Compression') === 'ON'];
    $expected = [str_contains(server('TRANSPORT'), 'tls'), (bool) preg_match('/zlib|zstd/', server('TRANSPORT'))];
    $is === $expected || throw new Exception('not ' . server('TRANSPORT') . ': ' . text($is));
}

/** Begins a part of the output that is compared on its own. */
function section(string $name): void
{
    echo "=== $name\n";
}

/** A value as text on one line, exact in type and content. */
function text(mixed $value, int $depth = 0): string
{
    if (is_string($value)) {
        if (strlen($value) > 300) {
            return 'string of ' . strlen($value) . ' bytes, md5 ' . md5($value);
        }
        return '"' . addcslashes($value, "\\\"\0..\37\177..\377") . '"';
    }
    if (is_float($value)) {
        return 'float ' . var_export($value, true);
    }
    if (is_array($value)) {
        $items = [];
        $next = 0;
        foreach ($value as $key => $item) {
            $items[] = ($key === $next ? '' : text($key) . ' => ') . text($item, $depth + 1);
            $next = is_int($key) ? $key + 1 : $next;
        }
        return '[' . implode(', ', $items) . ']';
    }
    if (is_resource($value) && get_resource_type($value) === 'stream') {
        return 'stream at ' . text(ftell($value)) . ' of ' . text(stream_get_contents($value, null, 0));
    }
    if ($value instanceof UnitEnum) {
        return $value::class . '::' . $value->name;
    }
    if ($value instanceof Closure || $depth > 6) {
        return $value::class;
    }
    if ($value instanceof Throwable) {
        $state = match (true) {
            $value instanceof mysqli_sql_exception => ' [' . $value->getSqlState() . ']',
            $value instanceof PDOException => ' ' . text($value->errorInfo),
            default => '',
        };
        return $value::class . '(' . $value->getCode() . ')' . $state . ': ' . $value->getMessage();
    }
    if ($value instanceof mysqli || $value instanceof mysqli_result || $value instanceof mysqli_driver || $value instanceof PDO || $value instanceof PDOStatement) {
        return 'object ' . $value::class;
    }
    if (is_object($value)) {
        $items = [];
        foreach ((array) $value as $name => $item) {
            $items[] = str_replace("\0", '|', $name) . ': ' . text($item, $depth + 1);
        }
        return $value::class . ' {' . implode(', ', $items) . '}';
    }
    return strtolower(var_export($value, true));
}

function show(mixed ...$values): void
{
    echo implode(' | ', array_map(text(...), $values)), "\n";
}

/** Prints warnings and notices as lines of their own. */
function watch_errors(): void
{
    set_error_handler(function (int $level, string $message): bool {
        $names = [E_WARNING => 'Warning', E_NOTICE => 'Notice', E_DEPRECATED => 'Deprecated', E_USER_WARNING => 'User warning'];
        echo '  ', $names[$level] ?? $level, ': ', preg_replace('/PID=\d+/', 'PID=N', $message), "\n";
        return true;
    });
}

/** Prints what the call returns or throws. */
function attempt(string $label, callable $action): mixed
{
    try {
        $value = $action();
        echo "$label: ", text($value), "\n";
        return $value;
    } catch (Throwable $thrown) {
        echo "$label: thrown ", text($thrown), "\n";
        for ($previous = $thrown->getPrevious(); $previous; $previous = $previous->getPrevious()) {
            echo '  after ', text($previous), "\n";
        }
        return null;
    }
}

/** Prints the error that the link is left with, as each of the functions tells it (error_list: only the newest one). */
function show_error(mysqli $link): void
{
    echo '  error: ';
    show(mysqli_errno($link), mysqli_sqlstate($link), mysqli_error($link), array_slice($link->error_list, -1));
}

/** Prints what the link says of its last statement. */
function show_status(mysqli $link): void
{
    echo '  status: ';
    show([
        'affected' => $link->affected_rows,
        'id' => $link->insert_id,
        'info' => $link->info,
        'warnings' => $link->warning_count,
        'fields' => $link->field_count,
        'errno' => $link->errno,
    ]);
}

/** Ends another connection, and comes back when the server has done so. */
function kill_connection(mysqli $killer, int $id): void
{
    mysqli_query($killer, "KILL $id");
    $list = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = $id";
    if (on('mysql56')) {
        // Killed while it is about to wait for a command, it closes, but stays in the list for its wait_timeout of 8 hours.
        $list .= " AND COMMAND != 'Killed'";
    }
    while (mysqli_query($killer, $list)->fetch_row()[0] !== '0');
}

/**
 * Runs a script in a PHP of its own with the same extensions, and prints its output and how it ended.
 *
 * @param array<string, string> $settings
 */
function child(string $script, array $settings = []): void
{
    $file = tempnam(sys_get_temp_dir(), 'vaquita');
    file_put_contents($file, "<?php require 'support/prelude.php';\n$script");
    $command = [PHP_BINARY];
    foreach ($settings + ['include_path' => get_include_path(), 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0', 'zend.exception_ignore_args' => '1'] as $name => $value) {
        array_push($command, '-d', "$name=$value");
    }
    $process = proc_open([...$command, $file], [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
    $output = stream_get_contents($pipes[1]);
    do {
        $status = proc_get_status($process); // its output has ended, so this is soon
    } while ($status['running']);
    proc_close($process);
    unlink($file);
    echo str_replace($file, 'FILE', $output), "\n  ", $status['signaled'] ? "killed by signal {$status['termsig']}" : "exit code {$status['exitcode']}", "\n";
}

watch_errors();
