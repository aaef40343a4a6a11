<?php
/*
 * tests/panics/run's own program: starts a web server of PHP's own, one process, with the extension that panics, and asks it for each way.
 *
 *     php judge.php PHP [PLACE...]
 */

declare(strict_types=1);

require __DIR__ . '/places.php';

const MESSAGE = 'Error: Vaquita: internal error; please report it, with what the log has of it';

$names = array_slice($argv, 2);
$passed = $failed = 0;

/** @param list<string> $mistakes */
function judge(string $name, array $mistakes): void
{
    global $passed, $failed;
    foreach ($mistakes as $mistake) {
        echo "FAIL $name: $mistake\n";
    }
    $mistakes === [] ? $passed++ : $failed++;
}

/** A web server, until it goes out of scope. */
final class Server
{
    private mixed $process;
    public readonly int $pid;
    private string $address;

    /** @param array<string, string> $environment */
    public function __construct(string $php, public readonly string $log, array $environment = [])
    {
        // A free port; somebody else may take it before PHP does, but then nobody answers as ours does.
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $this->address = stream_socket_get_name($socket, false);
        fclose($socket);
        $words = [$php, '-d', 'vaquita.kv=on', '-d', 'vaquita.kv_address=127.0.0.1:' . getenv('VAQUITA_MARIADB_KEY_VALUE_PORT'), '-S', $this->address, '-t', __DIR__];
        $this->process = proc_open($words, [1 => ['file', $log, 'a'], 2 => ['redirect', 1]], $pipes, null, [...getenv(), ...$environment]);
        $this->pid = proc_get_status($this->process)['pid'];
        for ($i = 0; $i < 500 && @file_get_contents("http://$this->address/nothing", false, stream_context_create(['http' => ['ignore_errors' => true]])) === false; $i++) {
            usleep(20000);
        }
    }

    /** @return array<string, mixed>|null what it said; none, if that was no JSON */
    public function ask(?string $place = null, ?string $way = null): ?array
    {
        $query = http_build_query(['place' => $place, 'way' => $way]);
        $context = stream_context_create(['http' => ['timeout' => 60, 'ignore_errors' => true]]);
        return json_decode((string) @file_get_contents("http://$this->address/request.php?$query", false, $context), true);
    }

    public function __destruct()
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }
}

/** @return list<string> */
function mistakes(?array $said, int $pid): array
{
    if ($said === null) {
        return ['no answer: the process has died, or the script did not end'];
    }
    $mistakes = [];
    if ($said['pid'] !== $pid) {
        $mistakes[] = 'another process answered';
    }
    // Where PDO can't make an object it throws its own exception, with the same words, before the Error.
    if (!in_array(MESSAGE, $said['thrown'], true) || !str_contains($said['thrown'][0], substr(MESSAGE, strlen('Error: ')))) {
        $mistakes[] = 'no Error: ' . json_encode($said['thrown']);
    }
    if (!in_array($said['afterwards'], [2006, 'nothing was open', 'mysqli object is already closed'], true)) {
        $mistakes[] = 'the connection was not given up: ' . json_encode($said['afterwards']);
    }
    if ($said['new'] != [1, 2, 3]) {
        $mistakes[] = 'new connections gave ' . json_encode($said['new']);
    }
    if ($said['on the server'] !== 0) {
        $mistakes[] = 'the server still has the connection';
    }
    if ($said['written'] > 1) {
        $mistakes[] = "written {$said['written']} times";
    }
    return $mistakes;
}

[$host, $user, $password, $database] = address();
$admin = new mysqli($host, $user, $password, $database, port());
$admin->query('CREATE OR REPLACE TABLE panics (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20))');
$admin->query("INSERT INTO panics (name) VALUES ('one'), ('two'), ('three')");
$log = tempnam(sys_get_temp_dir(), 'panics');

$writer = fopen($log, 'c');
$server = new Server($argv[1], $log);
foreach (places() as $place => $ways) {
    if ($names !== [] && array_filter($names, fn(string $name) => str_contains($place, $name)) === []) {
        continue;
    }
    foreach ($ways as $way => $_) {
        ftruncate($writer, 0);
        $said = $server->ask($place, $way);
        $mistakes = mistakes($said, $server->pid);
        $logged = file_get_contents($log);
        if (!str_contains($logged, "asked to at $place")) {
            $mistakes[] = 'it did not panic, or does not say so';
        }
        if (!str_contains($logged, "] Vaquita: internal error at crates/" . strtok($place, '/') . '/src/')) {
            $mistakes[] = "PHP's log does not say where";
        }
        judge("$place, $way", $mistakes);
        if ($said === null) {
            $server = new Server($argv[1], $log);
        }
    }
}
foreach (ends() as $place => $ways) {
    if ($names !== [] && array_filter($names, fn(string $name) => str_contains($place, $name)) === []) {
        continue;
    }
    foreach ($ways as $way => $_) {
        ftruncate($writer, 0);
        $mistakes = $server->ask($place, $way) === null ? [] : ['the script went on'];
        if (!str_contains(file_get_contents($log), substr(MESSAGE, strlen('Error: ')))) {
            $mistakes[] = 'PHP did not say why it ended';
        }
        if ($server->ask() !== ['pid' => $server->pid, 'rows' => 3]) {
            $mistakes[] = 'the process has died';
        }
        judge("$place, $way", $mistakes);
    }
}
unset($server);

// Behind a request no script runs: the worker goes on all the same.
foreach (['php/request_shutdown', 'php/request_end'] as $place) {
    if ($names !== [] && array_filter($names, fn(string $name) => str_contains($place, $name)) === []) {
        continue;
    }
    ftruncate($writer, 0);
    $server = new Server($argv[1], $log, ['VAQUITA_PANIC_AT' => $place]);
    $mistakes = [];
    for ($i = 0; $i < 3; $i++) {
        $said = $server->ask();
        if ($said !== ['pid' => $server->pid, 'rows' => 3]) {
            $mistakes[] = "request $i: no answer: " . json_encode($said);
        }
    }
    $count = substr_count(file_get_contents($log), "asked to at $place");
    if ($count < 3) {
        $mistakes[] = "it panicked $count times";
    }
    judge($place, $mistakes);
    unset($server);
}
$admin->query('DROP TABLE panics');
unlink($log);
echo "$passed passed, $failed failed\n";
exit($failed === 0 && $passed > 0 ? 0 : 1);
