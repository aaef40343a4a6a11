--TEST--
Signals that keep coming do not keep a script waiting beyond its timeouts
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) {
    echo 'skip there are no signals without pcntl';
}
?>
--FILE--
<?php
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);
$signals = 0;
pcntl_async_signals(true);
pcntl_signal(SIGALRM, function () use (&$signals) { $signals++; }, false);

/** Does something while a process sends signals, ten a second, until it is done: for ever, where each begins the time anew. */
function under_signals(Closure $act): void
{
    global $signals;
    $signals = 0;
    $parent = getmypid();
    $sender = pcntl_fork();
    if ($sender === 0) {
        while (posix_kill($parent, SIGALRM)) {
            usleep(100_000);
        }
        posix_kill(getmypid(), SIGKILL);
    }
    $act();
    posix_kill($sender, SIGKILL);
    pcntl_waitpid($sender, $status);
    show($signals > 3);
}

section('a read');
under_signals(function () {
    $db = mysqli_init();
    $db->options(MYSQLI_OPT_READ_TIMEOUT, 1);
    $db->real_connect(...array_values(address()));
    show(@$db->query('SELECT SLEEP(50)'), $db->errno);
});

section('a full backlog of a unix socket');
$path = sys_get_temp_dir() . '/vaquita-signals-' . getmypid() . '.sock';
$server = stream_socket_server("unix://$path", $errno, $error, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, stream_context_create(['socket' => ['backlog' => 0]]));
$waiting = [];
while ($client = @stream_socket_client("unix://$path", $errno, $error, 1, STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT)) {
    $waiting[] = $client;
    if (count($waiting) > 50) { break; }
}
show(count($waiting) < 50);
under_signals(function () use ($path) {
    $db = mysqli_init();
    $db->options(MYSQLI_OPT_CONNECT_TIMEOUT, 1);
    show(@$db->real_connect('localhost', 'u', 'p', '', 0, $path), mysqli_connect_errno());
});
unlink($path);
?>
--EXPECTF--
=== a read
false | 2006
true
=== a full backlog of a unix socket
  Warning: stream_socket_client(): Unable to connect to unix://%s (Resource temporarily unavailable)
true
  Warning: mysqli::real_connect(): (HY000/2002): Connection timed out
false | 2002
true
