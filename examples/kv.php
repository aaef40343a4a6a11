<?php
// Reads and writes values by their keys, over and over, by one worker or by several at once, and prints as one line of JSON how often they did and
// what it cost: SQL beside memcached, MySQL's own port for memcached clients, and Redis.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=shop php examples/kv.php sql fill
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=shop php examples/kv.php sql get 4 0.5s
//     MEMCACHED=127.0.0.1:11211 php -d extension=memcached examples/kv.php memcached get100 1 1000
//     REDIS=127.0.0.1:6379,127.0.0.1:6380 php -d extension=redis examples/kv.php redis_split set 2 0.5s
//
// Keys are of 100 bytes, values of 400; KEYS is how many there are (25000). get, get10 and get100 read so many in one request, set changes one, add makes
// a new one: each random key read or written is an operation. Every answer is compared with what it has to be, and a wrong one ends the run. SQL is ordinary
// mysqli: run it with the stock extensions (php) and with Vaquita (build/php), and there also with -d vaquita.kv=on -d vaquita.kv_address=HOST:PORT.
// explicit is Vaquita\kv(), which only Vaquita has, with such a port or without.
// The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE. A contender that needs an
// extension which is not loaded says so: {"skipped": "why"}. With SERVER_PIDS=1,2 the CPU time of these processes is told too.

declare(strict_types=1);

require __DIR__ . '/kv_stores.php';

const VERSION_BYTES = 16;
// Of each worker before the measurement: connections and caches warm up.
const WARM_UP_TIMES = 20;

function setting(string $name, string $default = ''): string
{
    return getenv($name) ?: $default;
}

// What everybody is asked for. A value is a version, which writing changes, and a body, which belongs to the key.
final class Data
{
    public readonly array $keys;
    public readonly array $bodies;
    public array $added = [];
    private int $version;

    public function __construct(public readonly int $count)
    {
        $this->keys = array_map(fn (int $i) => self::long(sprintf('key-%06d-', $i), 100), range(1, $count));
        $this->bodies = array_map(fn (int $i) => self::long("value-$i-", 400 - VERSION_BYTES), range(1, $count));
    }

    // A worker's choices are its own, and no two write the same.
    public function begin(): void
    {
        mt_srand(random_int(0, PHP_INT_MAX));
        $this->version = random_int(10 ** 15, 9 * 10 ** 15);
    }

    // Places of different keys; their number has no divisor in common with the step.
    public function some(int $count): array
    {
        $first = mt_rand(0, $this->count - 1);
        $places = [];
        for ($i = 0; $i < $count; $i++) {
            $places[] = ($first + $i * 7919) % $this->count;
        }
        return $places;
    }

    public function value(int $place): string
    {
        return $this->version++ . $this->bodies[$place];
    }

    public function new_key(): string
    {
        return $this->added[] = self::long('new-' . $this->version++ . '-', 100);
    }

    public function check(int $place, mixed $value): void
    {
        if (!is_string($value) || substr($value, VERSION_BYTES) !== $this->bodies[$place]) {
            throw new RuntimeException("of key $place came " . var_export($value, true));
        }
    }

    public function first_value(int $place): string
    {
        return str_repeat('0', VERSION_BYTES) . $this->bodies[$place];
    }

    private static function long(string $begin, int $bytes): string
    {
        return substr($begin . str_repeat(md5($begin), intdiv($bytes, 32) + 1), 0, $bytes);
    }
}

// The loops, each of one request, which give back how many operations it was.

function get_one(Store $store, Data $data): int
{
    $place = mt_rand(0, $data->count - 1);
    $data->check($place, $store->get($data->keys[$place]));
    return 1;
}

function get_many(Store $store, Data $data, int $count): int
{
    $places = $data->some($count);
    $found = $store->get_many(array_map(fn (int $place) => $data->keys[$place], $places));
    foreach ($places as $place) {
        $data->check($place, $found[$data->keys[$place]] ?? null);
    }
    return $count;
}

function set_one(Store $store, Data $data): int
{
    $place = mt_rand(0, $data->count - 1);
    $store->set($data->keys[$place], $data->value($place)) || throw new RuntimeException("key $place was not set");
    return 1;
}

function add_one(Store $store, Data $data): int
{
    $key = $data->new_key();
    $store->add($key, $data->value(0)) || throw new RuntimeException("$key was not added");
    return 1;
}

function cpu_microseconds(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

// The CPU time of the servers, by what the kernel counts for their threads: exact, but without those that have ended. SERVER_PIDS names them.
function server_cpu_ms(): float
{
    $nanoseconds = 0;
    foreach (array_filter(explode(',', setting('SERVER_PIDS'))) as $pid) {
        foreach (glob("/proc/$pid/task/*/schedstat") as $file) {
            $nanoseconds += (int) @file_get_contents($file); // one that ends right now
        }
    }
    return $nanoseconds / 1e6;
}

// A worker says when it is ready, begins when it is told, says what it did, and ends when it is told.
function work($parent, Closure $connect, string $what, Data $data, int $nanoseconds, int $times): void
{
    $data->begin();
    $store = $connect();
    $request = match ($what) {
        'get' => fn () => get_one($store, $data),
        'set' => fn () => set_one($store, $data),
        'add' => fn () => add_one($store, $data),
        default => fn () => get_many($store, $data, (int) substr($what, strlen('get'))),
    };
    for ($i = 0; $i < WARM_UP_TIMES; $i++) {
        $request();
    }
    fwrite($parent, "ready\n");
    if (fgets($parent) === false) {
        return;
    }
    $cpu = cpu_microseconds();
    $now = $start = hrtime(true);
    $operations = 0;
    for ($done = 0; $now - $start < $nanoseconds || $done < $times; $done++) {
        $operations += $request();
        $now = hrtime(true);
    }
    $cpu = cpu_microseconds() - $cpu;
    fwrite($parent, json_encode([$operations, $now - $start, $cpu]) . "\n");
    fgets($parent);
    $store->remove($data->added); // whatever becomes of the others, the table is as it was
}

// All workers at once: what each did, and the servers' CPU time; null: one of them failed, and has said why.
function measure(int $workers, Closure $work): ?array
{
    $sockets = [];
    for ($worker = 0; $worker < $workers; $worker++) {
        [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, STREAM_IPPROTO_IP);
        if (pcntl_fork() === 0) {
            fclose($ours);
            $work($theirs, $worker);
            exit;
        }
        fclose($theirs);
        $sockets[] = $ours;
    }
    foreach ($sockets as $socket) {
        if (fgets($socket) === false) {
            return null;
        }
    }
    $tell = fn (string $what) => array_map(fn ($socket) => @fwrite($socket, "$what\n"), $sockets); // who has failed does not hear it
    $cpu = server_cpu_ms();
    $tell('go');
    $reports = array_map(fn ($socket) => json_decode(fgets($socket) ?: 'null'), $sockets);
    $cpu = server_cpu_ms() - $cpu;
    $tell('end');
    while (pcntl_wait($status) > 0);
    return in_array(null, $reports, true) ? null : [$reports, $cpu];
}

// Of each its class, and the extension that it needs.
const CONTENDERS = [
    'sql' => [Sql::class, 'mysqli'],
    'prepared' => [Prepared::class, 'mysqli'],
    'explicit' => [Explicit::class, 'vaquita'],
    'memcached' => [Cache::class, 'memcached'],
    'redis' => [OneRedis::class, 'redis'],
    'redis_split' => [SplitRedis::class, 'redis'],
    'redis_pipelined' => [PipelinedRedis::class, 'redis'],
];

[, $contender, $what, $workers, $how_long] = $argv + ['', '', '', '1', '1'];
$is_known = isset(CONTENDERS[$contender]) && preg_match('/^(fill|get|get[1-9]\d*|set|add)$/', $what) && (int) $workers > 0;
if (!$is_known || !preg_match('/^(?:(\d+(?:\.\d+)?)s|(\d+))$/', $how_long, $parts)) {
    fwrite(STDERR, 'usage: php kv.php ' . implode('|', array_keys(CONTENDERS)) . " get|getCOUNT|set|add WORKERS SECONDSs|TIMES\n");
    fwrite(STDERR, "       php kv.php CONTENDER fill\n");
    exit(2);
}
[$class, $extension] = CONTENDERS[$contender];
foreach ([$extension, 'pcntl'] as $needed) {
    if (!extension_loaded($needed)) {
        echo json_encode(['skipped' => "ext/$needed is not loaded"], JSON_UNESCAPED_SLASHES), "\n";
        exit;
    }
}
$data = new Data((int) setting('KEYS', '25000'));
if ($what === 'fill') {
    (new $class(0))->fill($data);
    exit;
}
$measured = measure((int) $workers, fn ($parent, int $worker) =>
    work($parent, fn () => new $class($worker), $what, $data, (int) ((float) $parts[1] * 1e9), (int) ($parts[2] ?? 1)));
if ($measured === null) {
    exit(1);
}
[$reports, $server_cpu_ms] = $measured;
echo json_encode([
    'workers' => (int) $workers,
    'operations' => array_sum(array_column($reports, 0)),
    'per_second' => array_sum(array_map(fn (array $report) => $report[0] * 1e9 / $report[1], $reports)),
    'cpu_ms' => array_sum(array_column($reports, 2)) / 1e3,
    'server_cpu_ms' => $server_cpu_ms,
], JSON_THROW_ON_ERROR), "\n";
