<?php
// Asks `SELECT 1` many times, each for itself or all in a pipeline, over and over, and prints as one line of JSON how often and what it cost.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=shop php examples/pipelining.php pipelined 1000 0.5s
//
// Where there are no pipelines, as on the stock extensions, it prints {}. The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER,
// MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

[, $way, $count, $times] = $argv + ['', '', '', ''];
if (!in_array($way, ['single', 'pipelined'], true) || !preg_match('/^\d+$/', $count) || !preg_match('/^[0-9.]+s?$/', $times)) {
    fwrite(STDERR, "usage: php pipelining.php single|pipelined COUNT SECONDSs|TIMES\n");
    exit(2);
}
if ($way === 'pipelined' && !function_exists('Vaquita\pipeline')) {
    echo "{}\n";
    exit;
}
$setting = fn (string $name, string $default = '') => getenv("MYSQL_$name") ?: $default;
$db = new mysqli($setting('HOST', 'localhost'), $setting('USER'), $setting('PASSWORD'), $setting('DATABASE'), (int) $setting('PORT', '3306'), $setting('SOCKET') ?: null);

$queries = array_fill(0, (int) $count, 'SELECT 1');
$once = $way === 'pipelined'
    ? function () use ($db, $queries): int {
        $sum = 0;
        foreach (Vaquita\pipeline($db, $queries) as $result) {
            $sum += (int) $result->fetch_row()[0];
        }
        return $sum;
    }
    : function () use ($db, $queries): int {
        $sum = 0;
        foreach ($queries as $sql) {
            $sum += (int) $db->query($sql)->fetch_row()[0];
        }
        return $sum;
    };
$cpu = function (): int {
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
};

$answered = $once();
$for = str_ends_with($times, 's') ? (float) $times * 1e9 : 0;
$least = $for ? 1 : (int) $times;
$done = 0;
$cpu_before = $cpu();
$now = $start = hrtime(true);
while ($now - $start < $for || $done < $least) {
    $answered = min($answered, $once());
    $done++;
    $now = hrtime(true);
}
echo json_encode(['times' => $done, 'answered' => $answered, 'wall_ms' => ($now - $start) / 1e6, 'cpu_ms' => ($cpu() - $cpu_before) / 1e3], JSON_THROW_ON_ERROR), "\n";
