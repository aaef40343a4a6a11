<?php
// Fetches the rows of a query over and over, one of several ways, and prints as one line of JSON how often, what came and what it cost.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=shop php examples/rows.php fetch_assoc 'SELECT * FROM customers LIMIT 10' 0.5s
//
// Rows have the names of columns as keys. A loop does nothing with them. Instead of seconds there may be a number of times; then `quiet` may follow: it
// prints nothing, the first time is not for warming up, and the rows of the last are not freed one by one. The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER,
// MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

const BATCH_NANOSECONDS = 1_000_000; // how long may pass without a look at the clock

$setting = fn (string $name, string $default = '') => getenv("MYSQL_$name") ?: $default;
$user = [$setting('USER'), $setting('PASSWORD')];
[$host, $database, $port, $socket] = [$setting('HOST', 'localhost'), $setting('DATABASE'), $setting('PORT', '3306'), $setting('SOCKET')];
$mysqli = fn () => new mysqli($host, ...[...$user, $database, (int) $port, $socket ?: null]);
$pdo = fn (bool $buffered) => new PDO(
    "mysql:host=$host;port=$port;dbname=$database" . ($socket === '' ? '' : ";unix_socket=$socket"),
    ...[...$user, [PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered]],
);

// Each gives the rows that it keeps, or how many there were.
$ways = [
    'fetch_all' => fn (mysqli $db, string $sql) => $db->query($sql)->fetch_all(MYSQLI_ASSOC),
    'fetch_all_use_result' => fn (mysqli $db, string $sql) => $db->query($sql, MYSQLI_USE_RESULT)->fetch_all(MYSQLI_ASSOC),
    'fetch_assoc' => function (mysqli $db, string $sql): int {
        $result = $db->query($sql);
        for ($rows = 0; $row = $result->fetch_assoc(); $rows++);
        return $rows;
    },
    'fetch_assoc_use_result' => function (mysqli $db, string $sql): int {
        $result = $db->query($sql, MYSQLI_USE_RESULT);
        for ($rows = 0; $row = $result->fetch_assoc(); $rows++);
        return $rows;
    },
    'fetch_assoc_dropped' => function (mysqli $db, string $sql): int {
        $result = $db->query($sql);
        for ($rows = 0; $result->fetch_assoc(); $rows++);
        return $rows;
    },
    'fetch_assoc_changed' => function (mysqli $db, string $sql): int {
        $result = $db->query($sql);
        for ($rows = 0; $row = $result->fetch_assoc(); $rows++) {
            $row['id'] = $rows;
        }
        return $rows;
    },
    'mysqli_fetch_assoc' => function (mysqli $db, string $sql): int {
        $result = mysqli_query($db, $sql);
        for ($rows = 0; $row = mysqli_fetch_assoc($result); $rows++);
        return $rows;
    },
    'fetch_all_freed' => fn (mysqli $db, string $sql) => count($db->query($sql)->fetch_all(MYSQLI_ASSOC)),
    'pdo_buffered' => fn (PDO $db, string $sql) => $db->query($sql)->fetchAll(PDO::FETCH_ASSOC),
    'pdo_unbuffered' => fn (PDO $db, string $sql) => $db->query($sql)->fetchAll(PDO::FETCH_ASSOC),
];

// What comes: each key and value, for comparing.
function digest(iterable $rows): string
{
    $hash = hash_init('xxh128');
    foreach ($rows as $row) {
        hash_update($hash, serialize($row));
    }
    return hash_final($hash);
}

[, $way, $sql, $times] = $argv + ['', '', '', ''];
$quiet = ($argv[4] ?? '') === 'quiet';
if (!isset($ways[$way]) || !preg_match('/^[0-9.]+s?$/', $times)) {
    fwrite(STDERR, 'usage: php rows.php ' . implode('|', array_keys($ways)) . " SQL SECONDSs|TIMES [quiet]\n");
    exit(2);
}
$is_pdo = str_starts_with($way, 'pdo_');
$db = $is_pdo ? $pdo($way === 'pdo_buffered') : $mysqli();
$once = $ways[$way];
if ($quiet) {
    for ($i = (int) $times; $i > 0; $i--) {
        $kept = $once($db, $sql); // to the end, where PHP frees all memory at once
    }
    exit;
}

$digest = digest($is_pdo ? $db->query($sql, PDO::FETCH_ASSOC) : $db->query($sql, MYSQLI_USE_RESULT));
// CPU time of the process, user and system, in microseconds, and page faults.
$used = function (): array {
    $usage = getrusage();
    $microseconds = fn (string $name) => $usage["$name.tv_sec"] * 1_000_000 + $usage["$name.tv_usec"];
    return [$microseconds('ru_utime'), $microseconds('ru_stime'), $usage['ru_minflt']];
};
$for = str_ends_with($times, 's') ? (float) $times * 1e9 : 0;
$least = $for ? 1 : (int) $times;
[$done, $batch, $rows] = [0, 1, 0];
$before = $used();
$now = $start = hrtime(true);
while ($now - $start < $for || $done < $least) {
    $begun = $now;
    for ($i = 0; $i < $batch; $i++) {
        $fetched = $once($db, $sql);
        $rows = is_int($fetched) ? $fetched : count($fetched);
        $fetched = null;
    }
    $done += $batch;
    $now = hrtime(true);
    if ($now - $begun < BATCH_NANOSECONDS && $for) {
        $batch *= 2;
    }
}
[$user_us, $system_us, $faults] = array_map(fn (int $now, int $then) => $now - $then, $used(), $before);
echo json_encode([
    'times' => $done,
    'rows' => $rows,
    'digest' => $digest,
    'wall_ms' => ($now - $start) / 1e6,
    'cpu_ms' => ($user_us + $system_us) / 1e3,
    'system_ms' => $system_us / 1e3,
    'faults' => $faults,
], JSON_THROW_ON_ERROR), "\n";
