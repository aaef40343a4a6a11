<?php
// Fetches a whole table into a PHP array, one of six ways, and prints as one line of JSON what came and what it cost.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=shop php examples/fetch.php fetch_all customers
//
// It is ordinary mysqli and PDO: run it with the stock extensions (php) and with Vaquita (build/php), and compare.
// The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

function setting(string $name, string $default = ''): string
{
    return getenv("MYSQL_$name") ?: $default;
}

function connect_mysqli(): mysqli
{
    $db = new mysqli(
        setting('HOST', 'localhost'),
        setting('USER'),
        setting('PASSWORD'),
        setting('DATABASE'),
        (int) setting('PORT', '3306'),
        setting('SOCKET') ?: null,
    );
    $db->set_charset('utf8mb4');
    return $db;
}

function connect_pdo(bool $buffered): PDO
{
    $server = setting('SOCKET')
        ? 'unix_socket=' . setting('SOCKET')
        : 'host=' . setting('HOST', 'localhost') . ';port=' . setting('PORT', '3306');
    return new PDO(
        "mysql:$server;dbname=" . setting('DATABASE') . ';charset=utf8mb4',
        setting('USER'),
        setting('PASSWORD'),
        [PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered],
    );
}

function rows_one_by_one(mysqli_result $result): array
{
    $rows = [];
    while ($row = $result->fetch_row()) {
        $rows[] = $row;
    }
    return $rows;
}

// The whole result is stored in the client first, then handed over at once.
function fetch_all(mysqli $db, string $sql): array
{
    return $db->query($sql)->fetch_all();
}

// The whole result is stored in the client first, then handed over row by row.
function store_result(mysqli $db, string $sql): array
{
    $db->real_query($sql);
    return rows_one_by_one($db->store_result());
}

// Each row is handed over as it arrives.
function use_result(mysqli $db, string $sql): array
{
    $db->real_query($sql);
    return rows_one_by_one($db->use_result());
}

// All rows at once, as they arrive, without storing the result first.
function fetch_all_use_result(mysqli $db, string $sql): array
{
    return $db->query($sql, MYSQLI_USE_RESULT)->fetch_all();
}

// PDO has the same two kinds of result; which one is an attribute of the connection.
function pdo(PDO $db, string $sql): array
{
    return $db->query($sql)->fetchAll(PDO::FETCH_NUM);
}

// Differs as soon as one value differs, or is NULL instead of empty, or stands in another row.
function digest(array $rows): string
{
    $hash = hash_init('sha256');
    foreach ($rows as $row) {
        $text = count($row) . ':';
        foreach ($row as $value) {
            $text .= $value === null ? 'NULL;' : strlen((string) $value) . "=$value;";
        }
        hash_update($hash, $text);
    }
    return hash_final($hash);
}

function cpu_microseconds(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000
        + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

// The most memory that this process ever had, as the kernel counts it.
function peak_rss_kib(): int
{
    preg_match('/^VmHWM:\s+(\d+) kB$/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}

function print_result(array $result): void
{
    echo json_encode($result, JSON_THROW_ON_ERROR), "\n";
}

$ways = [
    'fetch_all' => connect_mysqli(...),
    'store_result' => connect_mysqli(...),
    'use_result' => connect_mysqli(...),
    'fetch_all_use_result' => connect_mysqli(...),
    'pdo_buffered' => fn () => connect_pdo(buffered: true),
    'pdo_unbuffered' => fn () => connect_pdo(buffered: false),
];

$way = $argv[1] ?? '';
$table = $argv[2] ?? 'fetch_demo';

if ($way === 'idle') { // what a PHP costs that fetches nothing
    print_result(['way' => $way, 'peak_rss_kib' => peak_rss_kib()]);
    exit;
}
if (!isset($ways[$way])) {
    fwrite(STDERR, 'usage: php fetch.php ' . implode('|', array_keys($ways)) . "|idle [TABLE]\n");
    exit(2);
}

$db = $ways[$way]();
$fetch = str_starts_with($way, 'pdo_') ? 'pdo' : $way;

$cpu = cpu_microseconds();
$start = hrtime(true);
$rows = $fetch($db, "SELECT * FROM `$table`");
$wall = hrtime(true) - $start;
$cpu = cpu_microseconds() - $cpu;
$peak = peak_rss_kib();

print_result([
    'way' => $way,
    'rows' => count($rows),
    'digest' => digest($rows),
    'wall_ms' => $wall / 1e6,
    'cpu_ms' => $cpu / 1e3,
    'peak_rss_kib' => $peak,
]);
