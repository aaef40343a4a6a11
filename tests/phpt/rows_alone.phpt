--TEST--
Vaquita\rows lives longer than its result and its connection, receives what is left of unbuffered rows, and throws what goes wrong then
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix tcp
require 'support/prelude.php';
$fill = fn(callable $query) => [$query('CREATE TABLE IF NOT EXISTS t (n INT, s VARCHAR(200))'), $query('TRUNCATE t'), $query('INSERT INTO t VALUES ' . implode(', ', array_map(fn($i) => "($i, REPEAT('s', $i % 200))", range(0, 4999))))];
$fill(connect()->query(...));
$check = fn(Vaquita\Rows $rows, int $first = 0) => [count($rows), array_sum($rows->column('n')), $rows[4999 - $first]['n'], strlen($rows[199 - $first]['s'])];

section('mysqli');
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $db = connect();
    $result = $db->query('SELECT * FROM t ORDER BY n', $mode);
    $rows = Vaquita\rows($result);
    $row = $rows[100];
    $walk = $rows->getIterator();
    $again = Vaquita\rows($result);
    show(count($again), $result->num_rows, $db->query('SELECT 5')->fetch_column());
    $result->free();
    show($check($rows));
    $db->close();
    show($check($rows));
    unset($result, $db);
    show($check($rows));
    unset($rows, $again);
    $walk->seek(4321);
    show($row['n'], $walk->current()['n']);
    unset($walk);
    show($row->toArray()['n']);
}

section('while it is walked');
$walked = 0;
$db = connect();
foreach (Vaquita\rows($db->query('SELECT * FROM t ORDER BY n', MYSQLI_USE_RESULT)) as $number => $row) {
    $walked += (int) ($row['n'] === (string) $number);
}
show($walked);

section('in the midst');
$db = connect();
$result = $db->query('SELECT * FROM t ORDER BY n', MYSQLI_USE_RESULT);
$first = $result->fetch_assoc();
$rows = Vaquita\rows($result);
show($first['n'], $check($rows, 1), $rows[0]['n'], $result->num_rows, $result->fetch_row());
$db->multi_query('SELECT 1 AS a; SELECT 2 AS b UNION SELECT 3; DO 1');
$all = [];
do {
    if ($result = $db->use_result()) {
        $all[] = Vaquita\rows($result, MYSQLI_NUM);
    }
} while ($db->more_results() && $db->next_result());
show(array_map(fn($rows) => $rows->toArray(), $all), $db->query('SELECT 4')->fetch_row());
$statement = $db->prepare('SELECT n, s FROM t WHERE n >= ? ORDER BY n');
$statement->execute([4990]);
$rows = Vaquita\rows($statement->get_result());
$statement->execute([4995]);
$other = Vaquita\rows($statement->get_result());
$statement->close();
show($rows[0]['n'], count($rows), $other[0]['n'], count($other));

section('what is set later');
$db->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 1);
$result = $db->query('SELECT 5 AS n');
$rows = Vaquita\rows($result);
$db->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 0);
show($rows[0]['n'], Vaquita\rows($result)[0]['n'], $rows->toArray());

section('statistics');
$count = fn() => array_intersect_key(mysqli_get_client_stats(), ['proto_text_fetched_int' => 1, 'proto_text_fetched_string' => 1, 'rows_fetched_from_client_normal_buffered' => 1]);
unset($rows);
$before = $count();
$rows = Vaquita\rows($db->query('SELECT * FROM t ORDER BY n'));
$length = strlen($rows[7]['s']) + strlen($rows[8]['s']) + count($rows->column('n'));
$rows[9]->toArray();
unset($rows);
// What was decoded counts, once they are gone.
show($length, array_map(fn($now, $then) => $now - $then, $count(), $before));

section('PDO');
foreach ([true, false] as $emulated) {
    foreach ([true, false] as $buffered) {
        $pdo = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulated, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered]);
        $statement = $pdo->prepare('SELECT * FROM t WHERE n >= ? ORDER BY n');
        $statement->execute([0]);
        $first = $statement->fetch(PDO::FETCH_ASSOC);
        $rows = Vaquita\rows($statement);
        $next = $statement->fetch(PDO::FETCH_ASSOC);
        show($first['n'], $next['n'] ?? null, $check($rows, 1));
        $statement->closeCursor();
        show($check($rows, 1), $pdo->query('SELECT 5')->fetchColumn());
        unset($statement, $pdo);
        show($check($rows, 1));
    }
}
$pdo = connect_pdo();
$statement = $pdo->query('SELECT 1 AS a; SELECT 2 AS b UNION SELECT 3');
$rows = [Vaquita\rows($statement)];
$statement->nextRowset();
$rows[] = Vaquita\rows($statement);
show(array_map(fn($rows) => $rows->toArray(), $rows));

section('what has no rows');
attempt('not executed', fn() => Vaquita\rows($pdo->prepare('SELECT 1')));
attempt('no result', fn() => Vaquita\rows($pdo->query('DO 1')));
attempt('closed', function () use ($pdo) { $statement = $pdo->query('SELECT 1'); $statement->closeCursor(); Vaquita\rows($statement); });
attempt('of nothing', fn() => Vaquita\rows(new PDOStatement));
attempt('derived', function () { $pdo = connect_pdo(); $pdo->setAttribute(PDO::ATTR_STATEMENT_CLASS, [get_class(new class extends PDOStatement {})]); return Vaquita\rows($pdo->query('SELECT 7 AS n'))[0]['n']; });

section('failures');
$killer = connect();
foreach ([MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT, MYSQLI_REPORT_OFF] as $mode) {
    mysqli_report($mode);
    $db = connect();
    $result = $db->query('SELECT n, s, (SELECT 1 FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 4000 OR m = 1) FROM t AS x ORDER BY n', MYSQLI_USE_RESULT);
    $result->fetch_row();
    attempt('the rest ends with an error', fn() => Vaquita\rows($result));
    show_error($db);
    attempt('the rest after that', fn() => count(Vaquita\rows($result)));
    show($db->query('SELECT 5')->fetch_row());
    $result = $db->query('SELECT * FROM t', MYSQLI_USE_RESULT);
    $db->close();
    attempt('the connection was closed', fn() => Vaquita\rows($result));
}
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
foreach ([PDO::ERRMODE_EXCEPTION, PDO::ERRMODE_SILENT] as $mode) {
    $pdo = connect_pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false, PDO::ATTR_ERRMODE => $mode]);
    $statement = $pdo->query('SELECT n, s, (SELECT 1 FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 4000 OR m = 1) FROM t AS x ORDER BY n');
    attempt('the rest ends with an error', fn() => Vaquita\rows($statement));
    show($statement->errorInfo());
}
?>
--EXPECT--
=== mysqli
5000 | 5000 | "5"
[5000, 12497500, "4999", 199]
[5000, 12497500, "4999", 199]
[5000, 12497500, "4999", 199]
"100" | "4321"
"100"
0 | 5000 | "5"
[5000, 12497500, "4999", 199]
[5000, 12497500, "4999", 199]
[5000, 12497500, "4999", 199]
"100" | "4321"
"100"
=== while it is walked
5000
=== in the midst
"0" | [4999, 12497500, "4999", 199] | "1" | 5000 | null
[[["1"]], [["2"], ["3"]]] | ["4"]
4990 | 10 | 4995 | 5
=== what is set later
5 | "5" | [["n" => 5]]
=== statistics
5015 | [0, 5001, 3]
=== PDO
0 | 1 | [4999, 12497500, 4999, 199]
[4999, 12497500, 4999, 199] | 5
[4999, 12497500, 4999, 199]
0 | null | [4999, 12497500, 4999, 199]
[4999, 12497500, 4999, 199] | 5
[4999, 12497500, 4999, 199]
0 | 1 | [4999, 12497500, 4999, 199]
[4999, 12497500, 4999, 199] | 5
[4999, 12497500, 4999, 199]
0 | null | [4999, 12497500, 4999, 199]
[4999, 12497500, 4999, 199] | 5
[4999, 12497500, 4999, 199]
[[["a" => 1]], [["b" => 2], ["b" => 3]]]
=== what has no rows
not executed: thrown ValueError(0): Vaquita\rows(): Argument #1 ($result) must have a result: a statement that was executed, and returns rows
no result: thrown ValueError(0): Vaquita\rows(): Argument #1 ($result) must have a result: a statement that was executed, and returns rows
closed: thrown ValueError(0): Vaquita\rows(): Argument #1 ($result) must have a result: a statement that was executed, and returns rows
of nothing: thrown Error(0): PDOStatement object is uninitialized
derived: 7
=== failures
the rest ends with an error: thrown mysqli_sql_exception(1242) [21000]: Subquery returns more than 1 row
  error: 1242 | "21000" | "Subquery returns more than 1 row" | [["errno" => 1242, "sqlstate" => "21000", "error" => "Subquery returns more than 1 row"]]
the rest after that: 0
["5"]
the connection was closed: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
the rest ends with an error: thrown mysqli_sql_exception(1242) [21000]: Subquery returns more than 1 row
  error: 1242 | "21000" | "Subquery returns more than 1 row" | [["errno" => 1242, "sqlstate" => "21000", "error" => "Subquery returns more than 1 row"]]
the rest after that: 0
["5"]
the connection was closed: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
the rest ends with an error: thrown PDOException(1242) ["21000", 1242, "Subquery returns more than 1 row"]: SQLSTATE[21000] [1242] Subquery returns more than 1 row
["21000", 1242, "Subquery returns more than 1 row"]
the rest ends with an error: thrown PDOException(1242) ["21000", 1242, "Subquery returns more than 1 row"]: SQLSTATE[21000] [1242] Subquery returns more than 1 row
["21000", 1242, "Subquery returns more than 1 row"]
