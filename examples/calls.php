<?php
// Makes one call of mysqli many times, for counting what a call costs.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=test php examples/calls.php fetch_row_5 1000
//
// It prints nothing. `make calls` runs it under callgrind, with the stock extensions and with Vaquita, each call often and less often:
// the difference is what the calls cost, without PHP's start, the connection and the preparations.
// The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

// A stored result with so many rows of these columns.
function rows(mysqli $db, int $count, int $columns): mysqli_result
{
    $row = implode(', ', array_map(fn ($n) => "'value $n' AS c$n", range(1, $columns)));
    return $db->query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $count) SELECT $row FROM n");
}

function fetch_rows(mysqli $db, int $count, int $columns): void
{
    $result = rows($db, $count, $columns);
    while ($result->fetch_row());
}

$calls = [
    'query_without_rows' => function (mysqli $db, int $count): void {
        for ($i = 0; $i < $count; $i++) {
            $db->query('DO 1');
        }
    },
    'query_with_empty_result' => function (mysqli $db, int $count): void {
        for ($i = 0; $i < $count; $i++) {
            $db->query('SELECT 1 FROM DUAL WHERE 0');
        }
    },
    'fetch_row_1' => fn (mysqli $db, int $count) => fetch_rows($db, $count, 1),
    'fetch_row_5' => fn (mysqli $db, int $count) => fetch_rows($db, $count, 5),
    'fetch_row_20' => fn (mysqli $db, int $count) => fetch_rows($db, $count, 20),
    'fetch_assoc_5' => function (mysqli $db, int $count): void {
        $result = rows($db, $count, 5);
        while ($result->fetch_assoc());
    },
    'fetch_object_5' => function (mysqli $db, int $count): void {
        $result = rows($db, $count, 5);
        while ($result->fetch_object());
    },
    'bind_param_and_execute' => function (mysqli $db, int $count): void {
        $statement = $db->prepare('DO ? + ?');
        for ($i = 0; $i < $count; $i++) {
            $text = '1';
            $statement->bind_param('is', $i, $text);
            $statement->execute();
        }
    },
    'execute_and_fetch' => function (mysqli $db, int $count): void {
        $statement = $db->prepare('SELECT ?, ?');
        for ($i = 0; $i < $count; $i++) {
            $statement->execute([$i, 'text']);
            $statement->get_result()->fetch_row();
        }
    },
    'execute_and_bind_result' => function (mysqli $db, int $count): void {
        $statement = $db->prepare('SELECT 1, 2');
        $statement->bind_result($a, $b);
        for ($i = 0; $i < $count; $i++) {
            $statement->execute();
            while ($statement->fetch());
        }
    },
    'property' => function (mysqli $db, int $count): void {
        for ($i = 0; $i < $count; $i++) {
            $db->affected_rows;
        }
    },
    'num_rows' => function (mysqli $db, int $count): void {
        $result = $db->query('SELECT 1');
        for ($i = 0; $i < $count; $i++) {
            $result->num_rows;
        }
    },
    'real_escape_string' => function (mysqli $db, int $count): void {
        for ($i = 0; $i < $count; $i++) {
            $db->real_escape_string("It's a string of forty characters, no more");
        }
    },
];

if ($argc === 1) { // which calls there are
    echo implode("\n", array_keys($calls)), "\n";
    exit;
}
[, $call, $count] = $argv;
$setting = fn (string $name, string $default = '') => getenv("MYSQL_$name") ?: $default;
$db = new mysqli(
    $setting('HOST', 'localhost'),
    $setting('USER'),
    $setting('PASSWORD'),
    $setting('DATABASE'),
    (int) $setting('PORT', '3306'),
    $setting('SOCKET') ?: null,
);
$db->query('SET SESSION max_recursive_iterations = 1000000');
$calls[$call]($db, (int) $count);
