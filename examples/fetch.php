<?php
// Fetches a whole table into a PHP array, one of six ways, and prints as one line of JSON what came and what it cost.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=shop php examples/fetch.php fetch_all customers assoc
//
// Rows are lists (num), or have the names of columns as keys (assoc).
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

function rows_one_by_one(mysqli_result $result, bool $named): array
{
    $rows = [];
    if ($named) {
        while ($row = $result->fetch_assoc()) {
            $rows[] = $row;
        }
    } else {
        while ($row = $result->fetch_row()) {
            $rows[] = $row;
        }
    }
    return $rows;
}

function all_rows(mysqli_result $result, bool $named): array
{
    return $result->fetch_all($named ? MYSQLI_ASSOC : MYSQLI_NUM);
}

// The whole result is stored in the client first, then handed over at once.
function fetch_all(mysqli $db, string $sql, bool $named): array
{
    return all_rows($db->query($sql), $named);
}

// The whole result is stored in the client first, then handed over row by row.
function store_result(mysqli $db, string $sql, bool $named): array
{
    $db->real_query($sql);
    return rows_one_by_one($db->store_result(), $named);
}

// Each row is handed over as it arrives.
function use_result(mysqli $db, string $sql, bool $named): array
{
    $db->real_query($sql);
    return rows_one_by_one($db->use_result(), $named);
}

// All rows at once, as they arrive, without storing the result first.
function fetch_all_use_result(mysqli $db, string $sql, bool $named): array
{
    return all_rows($db->query($sql, MYSQLI_USE_RESULT), $named);
}

// PDO has the same two kinds of result; which one is an attribute of the connection.
function pdo(PDO $db, string $sql, bool $named): array
{
    return $db->query($sql)->fetchAll($named ? PDO::FETCH_ASSOC : PDO::FETCH_NUM);
}

// Differs as soon as one key or value differs, or is NULL instead of empty, or stands in another row.
function digest(array $rows): string
{
    $hash = hash_init('xxh128');
    foreach ($rows as $row) {
        $text = count($row) . ':';
        foreach ($row as $key => $value) {
            $text .= $value === null ? "$key NULL;" : "$key " . strlen((string) $value) . "=$value;";
        }
        hash_update($hash, $text);
    }
    return hash_final($hash);
}

// Of this process: by itself, and by the kernel for it.
function cpu_microseconds(): array
{
    $usage = getrusage();
    $time = fn (string $kind) => $usage["$kind.tv_sec"] * 1_000_000 + $usage["$kind.tv_usec"];
    return [$time('ru_utime'), $time('ru_stime')];
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
$shape = $argv[3] ?? 'num';

if ($way === 'idle') { // what a PHP costs that fetches nothing
    print_result(['way' => $way, 'peak_rss_kib' => peak_rss_kib()]);
    exit;
}
if (!isset($ways[$way]) || !in_array($shape, ['num', 'assoc'], true)) {
    fwrite(STDERR, 'usage: php fetch.php ' . implode('|', array_keys($ways)) . "|idle [TABLE [num|assoc]]\n");
    exit(2);
}

$db = $ways[$way]();
$fetch = str_starts_with($way, 'pdo_') ? 'pdo' : $way;

[$user, $system] = cpu_microseconds();
$start = hrtime(true);
$rows = $fetch($db, "SELECT * FROM `$table`", $shape === 'assoc');
$wall = hrtime(true) - $start;
[$user_after, $system_after] = cpu_microseconds();
$peak = peak_rss_kib();

print_result([
    'way' => $way,
    'rows' => count($rows),
    'digest' => digest($rows),
    'wall_ms' => $wall / 1e6,
    'cpu_ms' => ($user_after - $user + $system_after - $system) / 1e3,
    'system_ms' => ($system_after - $system) / 1e3,
    'peak_rss_kib' => $peak,
]);
