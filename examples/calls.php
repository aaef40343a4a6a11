<?php
// Makes one call of mysqli or PDO many times, for counting what a call costs.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=test php examples/calls.php fetch_row_5 1000
//
// It prints nothing. `make calls` runs it under callgrind, with the stock extensions and with Vaquita, each call often and less often:
// the difference is what the calls cost, without PHP's start, the connection and the preparations.
// The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

// A query with so many rows of these columns.
function rows(int $count, int $columns): string
{
    $row = implode(', ', array_map(fn ($n) => "'value $n' AS c$n", range(1, $columns)));
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $count) SELECT $row FROM n";
}

function fetch_rows(mysqli $db, int $count, int $columns): void
{
    $result = $db->query(rows($count, $columns));
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
        $result = $db->query(rows($count, 5));
        while ($result->fetch_assoc());
    },
    'fetch_object_5' => function (mysqli $db, int $count): void {
        $result = $db->query(rows($count, 5));
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
    'pdo_exec' => function (PDO $db, int $count): void {
        for ($i = 0; $i < $count; $i++) {
            $db->exec('DO 1');
        }
    },
    'pdo_query_empty_result' => function (PDO $db, int $count): void {
        for ($i = 0; $i < $count; $i++) {
            $db->query('SELECT 1 FROM DUAL WHERE 0');
        }
    },
    'pdo_fetch_5' => function (PDO $db, int $count): void {
        $statement = $db->query(rows($count, 5));
        while ($statement->fetch(PDO::FETCH_ASSOC));
    },
    'pdo_fetch_all_5' => fn (PDO $db, int $count) => $db->query(rows($count, 5))->fetchAll(PDO::FETCH_NUM),
    'pdo_fetch_5_unbuffered' => function (PDO $db, int $count): void {
        $db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
        $statement = $db->query(rows($count, 5));
        while ($statement->fetch(PDO::FETCH_ASSOC));
    },
    'pdo_fetch_5_prepared' => function (PDO $db, int $count): void {
        $db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
        $statement = $db->prepare(rows($count, 5));
        $statement->execute();
        while ($statement->fetch(PDO::FETCH_ASSOC));
    },
    'pdo_execute' => function (PDO $db, int $count): void {
        $statement = $db->prepare('SELECT ?, ?');
        for ($i = 0; $i < $count; $i++) {
            $statement->execute([$i, 'text']);
        }
    },
    'pdo_execute_prepared' => function (PDO $db, int $count): void {
        $db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
        $statement = $db->prepare('SELECT ?, ?');
        for ($i = 0; $i < $count; $i++) {
            $statement->execute([$i, 'text']);
        }
    },
    'pdo_quote' => function (PDO $db, int $count): void {
        for ($i = 0; $i < $count; $i++) {
            $db->quote("It's a string of forty characters, no more");
        }
    },
];

if ($argc === 1) { // which calls there are
    echo implode("\n", array_keys($calls)), "\n";
    exit;
}
[, $call, $count] = $argv;
$setting = fn (string $name, string $default = '') => getenv("MYSQL_$name") ?: $default;
$user = [$setting('USER'), $setting('PASSWORD')];
[$host, $database, $port, $socket] = [$setting('HOST', 'localhost'), $setting('DATABASE'), $setting('PORT', '3306'), $setting('SOCKET')];
$db = str_starts_with($call, 'pdo_')
    ? new PDO("mysql:host=$host;port=$port;dbname=$database" . ($socket === '' ? '' : ";unix_socket=$socket"), ...$user)
    : new mysqli($host, ...[...$user, $database, (int) $port, $socket ?: null]);
$db->query('SET SESSION max_recursive_iterations = 1000000');
$calls[$call]($db, (int) $count);
