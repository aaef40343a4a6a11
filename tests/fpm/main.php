<?php
/*
 * PHP-FPM behind nginx under load, with persistent connections, while the database server is killed twice and comes back.
 *
 *   php main.php SERVER REQUESTS     with VAQUITA_FPM and VAQUITA_NGINX (programs), VAQUITA_FPM_LIBRARIES (a folder), VAQUITA_SO, and the server in the environment
 *
 * Checked: a request fails only if the server was down at some time of it, and then with an error that says so; no request sees anything of another's session; what was
 * acknowledged is there once, what failed at most once; the workers' memory stays flat; a trace has the requests of its host. Its last line is "N passed, N failed".
 */

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(function (int $level, string $message, string $file, int $line): bool {
    // What is silenced by @ may fail.
    return (error_reporting() & $level) === 0 ? true : throw new ErrorException($message, 0, $level, $file, $line);
});

const WORKERS = 8;
const CLIENTS = 12;
const RESTARTS = 2;
/** Errors of a server that goes, is away, or comes back: no connection, gone, lost, "shutdown in progress", "connection was killed", "interrupted", "normal shutdown". */
const ERRORS_OF_RESTARTS = [2002, 2006, 2013, 1053, 1927, 1317, 1080];
/** What a worker may grow, after a tenth of the requests, in KiB. */
const GROWTH_KIB = 1024;

[, $server, $requests] = $argv;
$requests = (int) $requests;
$account = [];
foreach (['HOST', 'PORT', 'SOCKET', 'USER', 'PASSWORD', 'DATABASE'] as $name) {
    $account[$name] = getenv('VAQUITA_' . strtoupper($server) . "_$name");
}
$connect = fn() => new mysqli('localhost', $account['USER'], $account['PASSWORD'], $account['DATABASE'], 0, $account['SOCKET']);
$admin = $connect();
$admin->query('DROP TABLE IF EXISTS fpm_requests');
$admin->query('CREATE TABLE fpm_requests (id INT AUTO_INCREMENT PRIMARY KEY, number INT NOT NULL) ENGINE=InnoDB');

$site = new Site($account);
$traced = $site->traced(40);
$load = new Load($site->address(), $requests);
/** @var list<array{float, float}> */
$outages = [];
$memory = null;
while ($load->is_running()) {
    $done = $load->done();
    $memory ??= $done > $requests / 10 ? $site->memory() : null;
    if (count($outages) < RESTARTS && $done > $requests * (count($outages) + 1) / (RESTARTS + 1)) {
        $from = microtime(true);
        passthru('scripts/server restart ' . escapeshellarg($server) . ' --innodb-flush-log-at-trx-commit=1', $status);
        $status === 0 || throw new Exception("the server did not come back");
        $outages[] = [$from, microtime(true)];
    }
    usleep(20_000);
}
$answers = $load->answers();
$grown = array_map(fn(int $now, int $then) => $now - $then, $site->memory(), $memory ?? []);
$workers = count($grown);
$site->stop();

$kinds = ['done' => 0, 'error' => 0, 'not clean' => 0, 'other' => 0];
$faults = [];
foreach ($answers as $number => [$from, $to, $answer]) {
    $kind = preg_match('/^(done$|error|not clean)/', $answer, $match) ? $match[1] : 'other';
    $kinds[$kind]++;
    $is_in_outage = array_filter($outages, fn(array $outage) => $from <= $outage[1] && $to >= $outage[0]) !== [];
    $has_known_error = preg_match('/^error (\d+): ./', $answer, $match) && in_array((int) $match[1], ERRORS_OF_RESTARTS, true);
    if ($kind !== 'done' && !($kind === 'error' && $is_in_outage && $has_known_error)) {
        $faults[] = "request $number: $answer";
    }
}
$admin = $connect();
$rows = array_map(intval(...), array_column($admin->query('SELECT number, COUNT(*) FROM fpm_requests GROUP BY number')->fetch_all(), 1, 0));
$lost = array_keys(array_filter($answers, fn(array $answer, int $number) => $answer[2] === 'done' && !isset($rows[$number]), ARRAY_FILTER_USE_BOTH));
$doubled = array_keys(array_filter($rows, fn(int $count) => $count > 1));

printf("%s: %d requests, %d workers, %d restarts (%s)\n", $server, $requests, $workers, count($outages), implode(', ', array_map(fn($outage) => sprintf('%.1f s', $outage[1] - $outage[0]), $outages)));
printf("  %d done, %d failed while the server was away, %d saw another's session, %d otherwise\n", $kinds['done'], $kinds['error'], $kinds['not clean'], $kinds['other']);
printf("  %d lost, %d doubled; workers grew by at most %d KiB\n", count($lost), count($doubled), $grown === [] ? -1 : max($grown));
foreach (array_slice($faults, 0, 10) as $fault) {
    echo "  $fault\n";
}
$checks = [
    'all requests were answered' => count($answers) === $requests,
    'most were done' => $kinds['done'] > $requests / 2,
    'the server was restarted' => count($outages) === RESTARTS,
    'only those failed for which the server was away, and said so' => $faults === [],
    'no write was lost' => $lost === [],
    'no write was doubled' => $doubled === [],
    'each host has its trace' => $traced === [40, 40],
    'memory is flat' => $grown !== [] && max($grown) <= GROWTH_KIB,
];
foreach (array_keys(array_filter($checks, fn(bool $holds) => !$holds)) as $what) {
    echo "FAIL: $what\n";
}
$failed = count(array_filter($checks, fn(bool $holds) => !$holds));
printf("%d passed, %d failed\n", count($checks) - $failed, $failed);
exit($failed === 0 ? 0 : 1);

/** FPM and nginx, in a folder of their own. */
final class Site
{
    private readonly string $folder;
    /** @var list<resource> */
    private array $processes = [];
    private readonly int $port;

    public function __construct(array $account)
    {
        register_shutdown_function($this->stop(...));
        $this->folder = tempnam(sys_get_temp_dir(), 'vaquita');
        unlink($this->folder);
        mkdir($this->folder);
        $probe = stream_socket_server('tcp://127.0.0.1:0');
        $this->port = (int) explode(':', stream_socket_get_name($probe, false))[1];
        fclose($probe);
        $user = posix_getuid() === 0 ? "user = root\ngroup = root\n" : '';
        $environment = implode('', array_map(fn($name) => "env[FPM_$name] = '{$account[$name]}'\n", ['HOST', 'PORT', 'USER', 'PASSWORD', 'DATABASE']));
        $workers = WORKERS;
        file_put_contents("$this->folder/fpm.conf", <<<CONF
            [global]
            error_log = $this->folder/fpm.log
            daemonize = no
            [www]
            {$user}listen = $this->folder/fpm.sock
            pm = static
            pm.max_children = $workers
            catch_workers_output = yes
            $environment
            CONF);
        $script = 'fastcgi_param SCRIPT_FILENAME ' . __DIR__ . '/application.php; fastcgi_param QUERY_STRING $query_string; fastcgi_param REQUEST_METHOD $request_method;';
        $user = posix_getuid() === 0 ? 'user root;' : '';
        file_put_contents("$this->folder/nginx.conf", <<<CONF
            daemon off; worker_processes 1; pid $this->folder/nginx.pid; error_log $this->folder/nginx.log; $user
            events { worker_connections 256; }
            http {
                access_log off; client_body_temp_path $this->folder/body; proxy_temp_path $this->folder/proxy;
                fastcgi_temp_path $this->folder/fastcgi; uwsgi_temp_path $this->folder/uwsgi; scgi_temp_path $this->folder/scgi;
                keepalive_requests 1000000;
                server {
                    listen 127.0.0.1:$this->port;
                    location / { fastcgi_pass unix:$this->folder/fpm.sock; fastcgi_param PHP_ADMIN_VALUE vaquita.trace=off; $script }
                    location /one { fastcgi_pass unix:$this->folder/fpm.sock; fastcgi_param PHP_ADMIN_VALUE vaquita.trace=$this->folder/one; $script }
                    location /two { fastcgi_pass unix:$this->folder/fpm.sock; fastcgi_param PHP_ADMIN_VALUE vaquita.trace=$this->folder/two; $script }
                }
            }
            CONF);
        $modules = ['-n', '-d', 'extension=pdo.so', '-d', 'extension=' . getenv('VAQUITA_SO')];
        $this->start(['env', 'LD_LIBRARY_PATH=' . getenv('VAQUITA_FPM_LIBRARIES'), getenv('VAQUITA_FPM'), ...$modules, '-y', "$this->folder/fpm.conf", '-F', '-R']);
        $this->start([getenv('VAQUITA_NGINX'), '-c', "$this->folder/nginx.conf", '-p', $this->folder, '-e', "$this->folder/nginx.log"]);
        for ($until = microtime(true) + 20; ($answer = $this->try()) !== 'done'; usleep(20_000)) {
            microtime(true) < $until || throw new Exception("the site answers: $answer\n" . $this->logs());
        }
    }

    private function start(array $command): void
    {
        $this->processes[] = proc_open($command, [['file', '/dev/null', 'r'], ['file', "$this->folder/out", 'a'], ['file', "$this->folder/out", 'a']], $pipes);
    }

    /** How many requests a trace has in it, after so many of each host: the settings of a trace are a host's, and all workers answer for all hosts. */
    public function traced(int $requests): array
    {
        for ($number = 0; $number < $requests; $number++) {
            foreach (['', 'one', 'two'] as $place => $host) {
                $this->try($host, 1_000_000_000 + 3 * $number + $place);
            }
        }
        return array_map(fn(string $trace) => substr_count((string) @file_get_contents("$this->folder/$trace"), ' event=request '), ['one', 'two']);
    }

    private function try(string $host = '', int $number = 0): string|false
    {
        return @file_get_contents('http://' . $this->address() . "/$host?n=$number", false, stream_context_create(['http' => ['ignore_errors' => true]]));
    }

    private function logs(): string
    {
        return implode("\n", array_map(fn($name) => (string) @file_get_contents("$this->folder/$name"), ['out', 'fpm.log', 'nginx.log']));
    }

    public function address(): string
    {
        return "127.0.0.1:$this->port";
    }

    /** @return array<int, int> what each worker has, in KiB, by pid */
    public function memory(): array
    {
        $master = proc_get_status($this->processes[0])['pid'];
        $memory = [];
        foreach (explode(' ', trim(file_get_contents("/proc/$master/task/$master/children"))) as $pid) {
            preg_match('/^VmRSS:\s+(\d+) kB$/m', file_get_contents("/proc/$pid/status"), $match);
            $memory[(int) $pid] = (int) $match[1];
        }
        return $memory;
    }

    public function stop(): void
    {
        foreach (array_reverse(array_splice($this->processes, 0)) as $process) {
            proc_terminate($process, SIGQUIT);
            while (proc_get_status($process)['running']) {
                usleep(10_000);
            }
        }
        exec('rm -rf ' . escapeshellarg($this->folder));
    }
}

/** Clients, each a process, which share the requests. */
final class Load
{
    /** @var array<int, resource> */
    private array $streams = [];
    /** @var array<int, array{float, float, string}> */
    private array $answers = [];
    /** @var array<int, string> */
    private array $rest = [];

    public function __construct(string $address, int $requests)
    {
        for ($client = 0; $client < CLIENTS; $client++) {
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            if (pcntl_fork() === 0) {
                fclose($ours);
                try {
                    self::work($address, $client, $requests, $theirs);
                } finally {
                    posix_kill(getmypid(), SIGKILL); // nothing of the parent's is to be ended
                }
            }
            fclose($theirs);
            stream_set_blocking($ours, false);
            $this->streams[] = $ours;
            $this->rest[] = '';
        }
    }

    /** @param resource $results takes a line of JSON for each request */
    private static function work(string $address, int $client, int $requests, $results): void
    {
        $connection = null;
        for ($number = $client + 1; $number <= $requests; $number += CLIENTS) {
            $from = microtime(true);
            $connection ??= @stream_socket_client("tcp://$address") ?: null;
            if ($connection === null) {
                fwrite($results, json_encode([$number, $from, microtime(true), 'no connection']) . "\n");
                continue;
            }
            @fwrite($connection, "GET /?n=$number HTTP/1.1\r\nHost: x\r\n\r\n");
            $answer = self::answer($connection);
            if ($answer === null) {
                $connection = null;
            }
            fwrite($results, json_encode([$number, $from, microtime(true), $answer ?? 'no answer'], JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
            if ($answer !== 'done') {
                usleep(100_000); // else all requests would be spent on a server that is away
            }
        }
    }

    /** @param resource $connection */
    private static function answer($connection): ?string
    {
        $length = null;
        $is_chunked = false;
        while (($line = fgets($connection)) !== false && ($line = trim($line)) !== '') {
            if (preg_match('/^Content-Length: (\d+)$/i', $line, $match)) {
                $length = (int) $match[1];
            }
            $is_chunked = $is_chunked || stripos($line, 'Transfer-Encoding: chunked') === 0;
        }
        if ($line === false) {
            return null;
        }
        if (!$is_chunked) {
            return $length === null ? null : stream_get_contents($connection, $length);
        }
        for ($text = ''; ($length = hexdec(trim((string) fgets($connection)))) > 0; fgets($connection)) {
            $text .= stream_get_contents($connection, $length);
        }
        fgets($connection);
        return $text;
    }

    private function read(): void
    {
        foreach ($this->streams as $client => $stream) {
            $lines = explode("\n", $this->rest[$client] . stream_get_contents($stream));
            $this->rest[$client] = array_pop($lines);
            foreach ($lines as $line) {
                [$number, $from, $to, $answer] = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
                $this->answers[$number] = [$from, $to, $answer];
            }
            if (feof($stream)) {
                unset($this->streams[$client]);
            }
        }
    }

    public function is_running(): bool
    {
        $this->read();
        return $this->streams !== [];
    }

    public function done(): int
    {
        return count($this->answers);
    }

    /** @return array<int, array{float, float, string}> when each began and ended, and what came */
    public function answers(): array
    {
        ksort($this->answers);
        return $this->answers;
    }
}
