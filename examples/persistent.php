<?php
// Connects, asks something and closes, over and over, and prints as one line of JSON how often it did and what that cost.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=test php examples/persistent.php mysqli select persistent 0.5s
//
// It is ordinary mysqli and PDO: run it with the stock extensions (php) and with Vaquita (build/php), and compare; `make persistent` does,
// and runs examples/persistent.c beside them. How long it takes is told in seconds (0.5s), or by how often (1000).
// The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE; with MYSQL_TLS=1
// mysqli's is encrypted. `php examples/persistent.php prepare` makes the table that a page needs.

declare(strict_types=1);

// What a page asks: five small queries.
const PAGE = [
    'SET NAMES utf8mb4',
    "SELECT value FROM persistent_demo WHERE name = 'title 7'",
    'SELECT id, name FROM persistent_demo ORDER BY id DESC LIMIT 10',
    'SELECT name, value FROM persistent_demo WHERE id = 42',
    'SELECT COUNT(*) FROM persistent_demo WHERE id > 50',
];

// Batches are so large that the clock doesn't count.
const BATCH_NANOSECONDS = 1_000_000;
// What happens before the measurement: the first connections log in, and fill caches.
const WARM_UP_NANOSECONDS = 10_000_000;
const WARM_UP_TIMES = 3;

function setting(string $name, string $default = ''): string
{
    return getenv("MYSQL_$name") ?: $default;
}

function connect_mysqli(bool $is_persistent): mysqli
{
    $db = mysqli_init();
    $db->real_connect(...[...mysqli_target($is_persistent), setting('TLS') ? MYSQLI_CLIENT_SSL : 0]);
    return $db;
}

function mysqli_target(bool $is_persistent): array
{
    return [
        ($is_persistent ? 'p:' : '') . setting('HOST', 'localhost'),
        setting('USER'),
        setting('PASSWORD'),
        setting('DATABASE'),
        (int) setting('PORT', '3306'),
        setting('SOCKET') ?: null,
    ];
}

function pdo_target(bool $is_persistent): array
{
    $server = setting('SOCKET')
        ? 'unix_socket=' . setting('SOCKET')
        : 'host=' . setting('HOST', 'localhost') . ';port=' . setting('PORT', '3306');
    $options = [PDO::ATTR_PERSISTENT => $is_persistent];
    return ["mysql:$server;dbname=" . setting('DATABASE'), setting('USER'), setting('PASSWORD'), $options];
}

// The loops: each does something so many times. They are written out, for a function's call would count.

function mysqli_loops(bool $is_persistent): array
{
    [$host, $user, $password, $database, $port, $socket] = mysqli_target($is_persistent);
    if (setting('TLS')) {
        return mysqli_tls_loops($is_persistent);
    }
    return [
        'connect' => function (int $times) use ($host, $user, $password, $database, $port, $socket): void {
            for (; $times > 0; $times--) {
                $db = new mysqli($host, $user, $password, $database, $port, $socket);
                $db->close();
            }
        },
        'select' => function (int $times) use ($host, $user, $password, $database, $port, $socket): void {
            for (; $times > 0; $times--) {
                $db = new mysqli($host, $user, $password, $database, $port, $socket);
                $db->query('SELECT 1')->fetch_row();
                $db->close();
            }
        },
        'page' => function (int $times) use ($host, $user, $password, $database, $port, $socket): void {
            for (; $times > 0; $times--) {
                $db = new mysqli($host, $user, $password, $database, $port, $socket);
                foreach (PAGE as $sql) {
                    $result = $db->query($sql);
                    $rows = $result === true ? [] : $result->fetch_all();
                }
                $db->close();
            }
        },
    ];
}

// A constructor can't be told to encrypt.
function mysqli_tls_loops(bool $is_persistent): array
{
    return [
        'connect' => function (int $times) use ($is_persistent): void {
            for (; $times > 0; $times--) {
                $db = connect_mysqli($is_persistent);
                $db->close();
            }
        },
        'select' => function (int $times) use ($is_persistent): void {
            for (; $times > 0; $times--) {
                $db = connect_mysqli($is_persistent);
                $db->query('SELECT 1')->fetch_row();
                $db->close();
            }
        },
    ];
}

function pdo_loops(bool $is_persistent): array
{
    [$source, $user, $password, $options] = pdo_target($is_persistent);
    return [
        'connect' => function (int $times) use ($source, $user, $password, $options): void {
            for (; $times > 0; $times--) {
                $db = new PDO($source, $user, $password, $options);
                $db = null;
            }
        },
        'select' => function (int $times) use ($source, $user, $password, $options): void {
            for (; $times > 0; $times--) {
                $db = new PDO($source, $user, $password, $options);
                $db->query('SELECT 1')->fetch(PDO::FETCH_NUM);
                $db = null;
            }
        },
        'page' => function (int $times) use ($source, $user, $password, $options): void {
            for (; $times > 0; $times--) {
                $db = new PDO($source, $user, $password, $options);
                foreach (PAGE as $sql) {
                    $rows = $db->query($sql)->fetchAll(PDO::FETCH_NUM);
                }
                $db = null;
            }
        },
    ];
}

// On a connection that stays open: what no reuse can be faster than.

function mysqli_open_loops(): array
{
    $db = connect_mysqli(false);
    return [
        'select' => function (int $times) use ($db): void {
            for (; $times > 0; $times--) {
                $db->query('SELECT 1')->fetch_row();
            }
        },
        'ping' => function (int $times) use ($db): void { // a round trip
            for (; $times > 0; $times--) {
                @$db->ping(); // PHP 8.4 says that it is deprecated
            }
        },
    ];
}

function pdo_open_loops(): array
{
    $db = new PDO(...pdo_target(false));
    return [
        'select' => function (int $times) use ($db): void {
            for (; $times > 0; $times--) {
                $db->query('SELECT 1')->fetch(PDO::FETCH_NUM);
            }
        },
    ];
}

function prepare(): void
{
    $db = connect_mysqli(false);
    $db->query('DROP TABLE IF EXISTS persistent_demo');
    $db->query('CREATE TABLE persistent_demo (id INT PRIMARY KEY, name VARCHAR(40), value VARCHAR(200), KEY (name)) ENGINE=InnoDB');
    $rows = array_map(fn (int $id) => "($id, 'title $id', '" . str_repeat('text ', 20) . "')", range(1, 100));
    $db->query('INSERT INTO persistent_demo VALUES ' . implode(', ', $rows));
}

// How often, in at least so many nanoseconds and at least so many times.
function run(Closure $loop, int $nanoseconds, int $times): int
{
    $done = 0;
    $batch = 1;
    $now = hrtime(true);
    $end = $now + $nanoseconds;
    while ($now < $end || $done < $times) {
        $begun = $now;
        $batch = $now < $end ? $batch : min($batch, $times - $done);
        $loop($batch);
        $done += $batch;
        $now = hrtime(true);
        $batch = $now - $begun < BATCH_NANOSECONDS ? $batch * 2 : $batch;
    }
    return $done;
}

function cpu_microseconds(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000
        + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

if ($argv === [$argv[0], 'prepare']) {
    prepare();
    exit;
}
[, $driver, $what, $kind, $how_long] = $argv + ['', '', '', '', ''];
$loops = match ("$driver $kind") {
    'mysqli new' => mysqli_loops(is_persistent: false),
    'mysqli persistent' => mysqli_loops(is_persistent: true),
    'mysqli open' => mysqli_open_loops(),
    'pdo new' => pdo_loops(is_persistent: false),
    'pdo persistent' => pdo_loops(is_persistent: true),
    'pdo open' => pdo_open_loops(),
    default => [],
};
$loop = $loops[$what] ?? null;
if (!$loop || !preg_match('/^(?:(\d+(?:\.\d+)?)s|(\d+))$/', $how_long, $parts)) {
    fwrite(STDERR, "usage: php persistent.php mysqli|pdo connect|select|page new|persistent SECONDSs|TIMES\n");
    fwrite(STDERR, "       php persistent.php mysqli|pdo select|ping open SECONDSs|TIMES\n");
    fwrite(STDERR, "       php persistent.php prepare\n");
    exit(2);
}

$times = (int) ($parts[2] ?? 1);
if (!isset($parts[2])) { // where it is counted how often, each time counts
    run($loop, WARM_UP_NANOSECONDS, WARM_UP_TIMES);
}
$cpu = cpu_microseconds();
$start = hrtime(true);
$done = run($loop, (int) ((float) $parts[1] * 1e9), $times);
$wall = hrtime(true) - $start;
$cpu = cpu_microseconds() - $cpu;

echo json_encode(['times' => $done, 'wall_ms' => $wall / 1e6, 'cpu_ms' => $cpu / 1e3], JSON_THROW_ON_ERROR), "\n";
