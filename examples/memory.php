<?php
// Holds the rows of a query, one of several ways, and prints as one line of JSON how much memory there was before, with them, and when they were gone.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=shop php examples/memory.php fetch_all 'SELECT * FROM customers'
//
// RSS is what the kernel has given the process, usage is what PHP says of it (memory_get_usage(true)); peaks are the most since the query was sent. The
// connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

$setting = fn (string $name, string $default = '') => getenv("MYSQL_$name") ?: $default;
$user = [$setting('USER'), $setting('PASSWORD')];
[$host, $database, $port, $socket] = [$setting('HOST', 'localhost'), $setting('DATABASE'), $setting('PORT', '3306'), $setting('SOCKET')];

function rows_of(mysqli_result $result): array
{
    $rows = [];
    while ($row = $result->fetch_assoc()) {
        $rows[] = $row;
    }
    return $rows;
}

// Each gives what a script holds on to.
$ways = [
    'stored' => fn (mysqli $db, string $sql) => [$db->query($sql)],
    'stored_dropped' => function (mysqli $db, string $sql): array {
        $result = $db->query($sql);
        while ($result->fetch_assoc());
        return [$result];
    },
    'used_dropped' => function (mysqli $db, string $sql): array {
        $result = $db->query($sql, MYSQLI_USE_RESULT);
        while ($result->fetch_assoc());
        return [$result];
    },
    'fetch_all' => fn (mysqli $db, string $sql) => [$db->query($sql)->fetch_all(MYSQLI_ASSOC)],
    'fetch_all_modified' => function (mysqli $db, string $sql): array {
        $rows = $db->query($sql)->fetch_all(MYSQLI_ASSOC);
        foreach ($rows as &$row) {
            $row[array_key_first($row)] = 0;
        }
        return [$rows];
    },
    'fetch_all_use_result' => fn (mysqli $db, string $sql) => [$db->query($sql, MYSQLI_USE_RESULT)->fetch_all(MYSQLI_ASSOC)],
    'store_result' => fn (mysqli $db, string $sql) => [rows_of($db->query($sql))],
    'use_result' => fn (mysqli $db, string $sql) => [rows_of($db->query($sql, MYSQLI_USE_RESULT))],
    'pdo_buffered' => fn (PDO $db, string $sql) => [$db->query($sql)->fetchAll(PDO::FETCH_ASSOC)],
    'pdo_unbuffered' => fn (PDO $db, string $sql) => [$db->query($sql)->fetchAll(PDO::FETCH_ASSOC)],
];
if (function_exists('Vaquita\rows')) {
    $ways['lazy'] = fn (mysqli $db, string $sql) => [Vaquita\rows($db->query($sql))];
}

// In KiB: page by page, for the sums in `status` lag behind by some of them.
function rss(): int
{
    preg_match('/^Rss:\s+(\d+) kB$/m', file_get_contents('/proc/self/smaps_rollup'), $match);
    return (int) $match[1];
}
// The most there was, as the kernel has counted it.
function peak_rss(): int
{
    preg_match('/^VmHWM:\s+(\d+) kB$/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}

[, $way, $sql] = $argv + ['', '', ''];
if ($way === 'idle') { // what a PHP costs that does nothing: its memory, of it what no other process shares
    preg_match('/^Private_Dirty:\s+(\d+) kB$/m', file_get_contents('/proc/self/smaps_rollup'), $match);
    echo json_encode(['rss_kib' => rss(), 'private_dirty_kib' => (int) $match[1]]), "\n";
    exit;
}
if (!isset($ways[$way])) {
    if ($way === 'lazy') {
        echo "{}\n";
        exit;
    }
    fwrite(STDERR, 'usage: php memory.php ' . implode('|', array_keys($ways)) . "|lazy|idle SQL\n");
    exit(2);
}
$is_pdo = str_starts_with($way, 'pdo_');
$dsn = "mysql:host=$host;port=$port;dbname=$database" . ($socket === '' ? '' : ";unix_socket=$socket");
$db = $is_pdo
    ? new PDO($dsn, ...[...$user, [PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $way !== 'pdo_unbuffered']])
    : new mysqli($host, ...[...$user, $database, (int) $port, $socket ?: null]);

// What is made once is made before: by a query without rows.
$ways[$way]($db, "SELECT * FROM ($sql) AS nothing LIMIT 0");
$received = fn () => (int) mysqli_get_client_stats()['bytes_received'];
$received_before = $received();
gc_mem_caches();
file_put_contents('/proc/self/clear_refs', '5'); // the peak begins anew (proc(5))
memory_reset_peak_usage();
[$rss, $usage] = [rss(), memory_get_usage(true)];
$held = $ways[$way]($db, $sql);
[$rss_with, $usage_with, $peak, $peak_usage] = [rss(), memory_get_usage(true), peak_rss(), memory_get_peak_usage(true)];
$held = null;
gc_mem_caches();
[$rss_after, $usage_after] = [rss(), memory_get_usage(true)];

echo json_encode([
    'rss_kib' => $rss_with - $rss,
    'usage_kib' => intdiv($usage_with - $usage, 1024),
    'peak_kib' => $peak - $rss,
    'peak_usage_kib' => intdiv($peak_usage - $usage, 1024),
    'rss_after_kib' => $rss_after - $rss,
    'usage_after_kib' => intdiv($usage_after - $usage, 1024),
    'wire_kib' => ($received() - $received_before) / 1024,
], JSON_THROW_ON_ERROR), "\n";
