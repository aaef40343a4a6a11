--TEST--
Connections that fail, whatever way, leave no memory behind
--FILE--
<?php
// servers: mariadb mysql80
// seconds: 120
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);

function resident_kib(): int
{
    preg_match('/^VmRSS:\s+(\d+) kB$/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}
/** A server in a process of its own that says this to each client and closes; it ends when we do. */
function server_that_says(string $bytes): int
{
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    [$ours, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (pcntl_fork() === 0) {
        fclose($ours);
        while (true) {
            $ready = [$socket, $its];
            $none = null;
            stream_select($ready, $none, $none, null);
            if (in_array($its, $ready, true)) {
                posix_kill(getmypid(), SIGKILL); // without PHP's own end
            }
            $client = stream_socket_accept($socket);
            fwrite($client, $bytes);
            fclose($client);
        }
    }
    fclose($its);
    $GLOBALS['lives'][] = $ours;
    return (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
}
$silent = stream_socket_server('tcp://127.0.0.1:0');
$silent_port = (int) substr(strrchr(stream_socket_get_name($silent, false), ':'), 1);
$closing_port = server_that_says('');
$cut_port = server_that_says("\x4a\0\0\0\x0a8.0.33\0abc");
$other_port = server_that_says("HTTP/1.1 400 Bad Request\r\n\r\n");
$ways = [
    'wrong password' => [1500, fn() => connect(password: 'wrong'), 1045],
    'unknown database' => [1500, fn() => connect(database: 'no_such_database'), [1049, 1044]],
    'refused' => [3000, fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', 1), 2002],
    'no way' => [3000, fn() => new mysqli('255.255.255.255', 'u', 'p', 'd', 1), 2002],
    'closed at once' => [1500, fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', $closing_port), 2006],
    'cut greeting' => [1500, fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', $cut_port), 2006],
    'another kind of server' => [1500, fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', $other_port), [2006, 2027]],
    'silent' => [12, function () use ($silent_port) {
        $link = mysqli_init();
        $link->options(MYSQLI_OPT_CONNECT_TIMEOUT, 1);
        $link->real_connect('127.0.0.1', 'u', 'p', 'd', $silent_port);
    }, 2006],
];
if (!on_mariadb()) { // what is no server's matter is tried once
    $ways = array_slice($ways, 0, 2);
}
foreach ($ways as $name => [$times, $way, $errno]) {
    $before = 0;
    for ($i = 1; $i <= $times; $i++) {
        try {
            $way();
            echo "connected\n";
        } catch (mysqli_sql_exception $e) {
            if (!in_array($e->getCode(), (array) $errno, true)) {
                echo "$name: ", $e->getCode(), ' ', $e->getMessage(), "\n";
            }
        }
        $e = null;
        if ($i === intdiv($times, 10)) {
            $before = resident_kib();
            $allocated = memory_get_usage();
        }
    }
    $growth = resident_kib() - $before;
    if ($growth > 1024 || memory_get_usage() !== $allocated) {
        show("$name: grew by $growth KiB, by PHP's count by " . memory_get_usage() - $allocated . ' bytes');
    }
}
echo "all tried\n";
?>
--EXPECT--
all tried
