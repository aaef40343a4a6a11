<?php
// Runs 1,000 small statements one by one and pipelined, in turns, and prints how many a second that is.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret build/php examples/pipeline.php [ROUNDS]
//
// The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER and MYSQL_PASSWORD.

declare(strict_types=1);

use function Vaquita\pipeline;

const STATEMENTS = 1000;

function setting(string $name): ?string
{
    return getenv("MYSQL_$name") ?: null;
}

/** Seconds that an action takes, whose last result must be one row with a 1. */
function seconds(callable $action): float
{
    $begun = hrtime(true);
    $last = $action();
    $seconds = (hrtime(true) - $begun) / 1e9;
    (string) $last->fetch_row()[0] === '1' || throw new Exception('a wrong answer');
    return $seconds;
}

$db = new mysqli(setting('HOST'), setting('USER'), setting('PASSWORD'), null, (int) setting('PORT'), setting('SOCKET'));
$statement = $db->prepare('SELECT ?');
$queries = array_fill(0, STATEMENTS, 'SELECT 1');
$rows = array_fill(0, STATEMENTS, ['1']);
$ways = [
    'queries one by one' => function () use ($db, $queries) {
        foreach ($queries as $sql) {
            $result = $db->query($sql);
        }
        return $result;
    },
    'queries pipelined' => fn() => pipeline($db, $queries)[STATEMENTS - 1],
    'executions one by one' => function () use ($statement, $rows) {
        foreach ($rows as $row) {
            $statement->execute($row);
            $result = $statement->get_result();
        }
        return $result;
    },
    'executions pipelined' => fn() => pipeline($statement, $rows)[STATEMENTS - 1],
];
$taken = [];
for ($round = 0; $round < (int) ($argv[1] ?? 30); $round++) {
    foreach ($ways as $name => $action) {
        $taken[$name][] = seconds($action);
    }
}
foreach ($taken as $name => $seconds) {
    sort($seconds);
    printf("%-22s %7d a second\n", $name, STATEMENTS / $seconds[intdiv(count($seconds), 2)]);
}
