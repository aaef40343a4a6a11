<?php
// Is slow for one reason at a time, so that a trace of it can be asked for that reason.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=test build/php -d vaquita.trace=/tmp/trace examples/slow.php server
//     build/vaquita trace summary /tmp/trace
//
// `make slow` runs all of it, `network` through a relay that delays, and looks at what the summaries say. `prepare` makes the table.
// The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

// 30 MB, far more than what the server of `make slow` keeps in memory.
const ROWS = 4000;
const ROW_BYTES = 7500;
// How many rows a statement of `pool` picks: few enough for their pages to stay in memory until it is repeated.
const PICKED = 40;

function setting(string $name, string $default = ''): string
{
    return getenv("MYSQL_$name") ?: $default;
}

function connect(): mysqli
{
    return new mysqli(
        setting('HOST', 'localhost'),
        setting('USER'),
        setting('PASSWORD'),
        setting('DATABASE'),
        (int) setting('PORT', '3306'),
        setting('SOCKET') ?: null,
    );
}

function prepare(): void
{
    $db = connect();
    $db->query('DROP TABLE IF EXISTS slow_demo');
    $db->query('CREATE TABLE slow_demo (id INT PRIMARY KEY, body VARCHAR(8000) NOT NULL) ENGINE=InnoDB ROW_FORMAT=DYNAMIC CHARACTER SET latin1');
    foreach (array_chunk(range(1, ROWS), 200) as $ids) {
        $rows = array_map(fn(int $id): string => "($id, REPEAT('$id ', " . ROW_BYTES . ' / ' . (strlen((string) $id) + 1) . '))', $ids);
        $db->query('INSERT INTO slow_demo VALUES ' . implode(', ', $rows));
    }
}

/** Little is asked for, and the server has much to do for it. */
function server(): void
{
    $db = connect();
    for ($times = 0; $times < 3; $times++) {
        cheap_queries($db, 3);
        $db->query('SELECT COUNT(DISTINCT SHA2(body, 512)) FROM slow_demo')->fetch_row();
    }
}

/** Nothing of this is slow but the way. */
function network(): void
{
    $db = connect();
    cheap_queries($db, 10);
    $db->query('SELECT id, body FROM slow_demo WHERE id <= 50')->fetch_all();
}

/** The script takes its time, between queries and between the rows of a result that is still with the server. */
function client(): void
{
    $db = connect();
    for ($times = 0; $times < 10; $times++) {
        cheap_queries($db, 1);
        usleep(10_000);
    }
    foreach ($db->query('SELECT id, body FROM slow_demo WHERE id <= 100', MYSQLI_USE_RESULT) as $row) {
        usleep(2_000);
    }
}

/** Each statement twice: no page of the first one's has been read for long, so that the server has to fetch it; the second one's are all in memory. */
function pool(): void
{
    $db = connect();
    mt_srand(1);
    $ids = range(1, ROWS);
    shuffle($ids);
    $reads = $times = ['cold' => 0, 'warm' => 0];
    foreach (array_chunk($ids, PICKED) as $picked) {
        $sql = 'SELECT SUM(LENGTH(body)) FROM slow_demo FORCE INDEX (PRIMARY) WHERE id IN (' . implode(', ', $picked) . ')';
        foreach ($reads as $kind => $sum) {
            $before = pages_read($db);
            $begun = hrtime(true);
            $db->query($sql)->fetch_row();
            $times[$kind] += hrtime(true) - $begun;
            $reads[$kind] += pages_read($db) - $before;
        }
    }
    echo json_encode(['reads' => $reads, 'nanoseconds' => $times]);
}

/** How many pages the server has read from its files since it began. */
function pages_read(mysqli $db): int
{
    return (int) $db->query("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_reads'")->fetch_row()[1];
}

/** A request that asks for one small thing. */
function brief(): void
{
    cheap_queries(connect(), 1);
}

/** One that has much to ask. */
function busy(): void
{
    cheap_queries(connect(), 1000);
}

function cheap_queries(mysqli $db, int $times): void
{
    while ($times-- > 0) {
        $db->query('SELECT id, LEFT(body, 20) FROM slow_demo WHERE id = ' . ($times + 1))->fetch_row();
    }
}

$parts = ['prepare', 'server', 'network', 'client', 'pool', 'brief', 'busy'];
$part = $argv[1] ?? '';
if ($argc !== 2 || !in_array($part, $parts, true)) {
    fwrite(STDERR, 'usage: slow.php ' . implode('|', $parts) . "\n");
    exit(2);
}
$part();
