<?php
// multi_query: walking through results, errors in the middle, results skipped, left or taken wrongly.
// servers: mariadb mysql80
// transports: tcp unix zlib tls tls-zlib
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$db = connect();
$db->query('CREATE TABLE t (n INT PRIMARY KEY)');

function walk(mysqli $db, bool $unbuffered = false, int $most = 12): void
{
    do {
        $result = $unbuffered ? $db->use_result() : $db->store_result();
        show($result ? $result->fetch_all() : $result);
        show_status($db);
        show_error($db);
        $result && $result->free();
        $more = $db->more_results();
        $next = $more ? $db->next_result() : 'not asked';
        show(['more' => $more, 'next' => $next]);
    } while ($more && $next && --$most > 0);
    show_status($db);
    show_error($db);
    attempt('link is usable', fn() => $db->query('SELECT "usable"')?->fetch_row());
}
$scripts = [
    'one' => 'SELECT 1', 'two' => 'SELECT 1; SELECT 2', 'with semicolon' => 'SELECT 1;', 'with spaces' => 'SELECT 1; ', 'with comment' => 'SELECT 1; -- nothing', 'mixed' => 'INSERT INTO t VALUES (1); SELECT * FROM t; DELETE FROM t; SELECT 5, 6 UNION SELECT 7, 8',
    'no rows' => 'SELECT * FROM t; SELECT 2', 'only changes' => 'INSERT INTO t VALUES (1); UPDATE t SET n = 2; DELETE FROM t',
    'bad first' => 'nonsense; SELECT 2', 'bad second' => 'SELECT 1; SELECT unknown_column; SELECT 3', 'bad last' => 'SELECT 1; SELECT 2; nonsense', 'duplicate in the middle' => 'INSERT INTO t VALUES (1); INSERT INTO t VALUES (1); SELECT 3', 'clean' => 'DELETE FROM t',
    'error in rows' => "SELECT 1; SELECT n, (SELECT 1 UNION SELECT 2) FROM (SELECT 1 AS n) AS x; SELECT 3", 'empty statements' => ';;', 'empty in the middle' => 'SELECT 1;; SELECT 2', 'warnings' => "SELECT CAST('x' AS SIGNED); SELECT 1",
    'large' => "SELECT REPEAT('x', 100000); SELECT 1", 'many' => implode(';', array_map(fn($i) => "SELECT $i", range(1, 10))),
];
foreach ($scripts as $name => $sql) {
    foreach ([false, true] as $unbuffered) {
        section("$name, " . ($unbuffered ? 'unbuffered' : 'buffered'));
        show($db->multi_query($sql));
        show_status($db);
        walk($db, $unbuffered);
        $db->query('DELETE FROM t');
    }
}
section('functions');
show(mysqli_multi_query($db, 'SELECT 1; SELECT 2'));
show(mysqli_store_result($db)->fetch_row(), mysqli_more_results($db), mysqli_next_result($db), mysqli_use_result($db)->fetch_all(), mysqli_more_results($db));
attempt('next_result', fn() => mysqli_next_result($db));
show_error($db);
section('more_results and next_result without any');
$db = connect();
show($db->more_results(), $db->errno);
attempt('next_result', fn() => $db->next_result());
show_error($db);
$db->query('SELECT 1');
show($db->more_results());
attempt('next_result', fn() => $db->next_result());
show_error($db);
section('results skipped without being taken');
$db = connect();
show($db->multi_query('SELECT 1; SELECT 2; SELECT 3'));
for ($i = 0; $i < 4 && $db->more_results(); $i++) {
    attempt('next', fn() => $db->next_result());
    show_error($db);
}
attempt('query', fn() => $db->query('SELECT 4')->fetch_row());
show_error($db);
attempt('store_result', fn() => $db->store_result()->fetch_all());
attempt('query', fn() => $db->query('SELECT 4')->fetch_row());
section('next_result while the result is not taken');
$db = connect();
$db->multi_query('SELECT 1; SELECT 2');
attempt('next_result', fn() => $db->next_result());
show_error($db);
attempt('store_result', fn() => $db->store_result()->fetch_all());
show_error($db);
attempt('next_result', fn() => $db->next_result());
attempt('store_result', fn() => $db->store_result()->fetch_all());
attempt('query', fn() => $db->query('SELECT 4')->fetch_row());
section('next_result while an unbuffered result is open');
$db = connect();
$db->multi_query('SELECT 1 UNION SELECT 11; SELECT 2');
$result = $db->use_result();
attempt('row', fn() => $result->fetch_row());
attempt('next_result', fn() => $db->next_result());
show_error($db);
attempt('row', fn() => $result->fetch_row());
attempt('end', fn() => $result->fetch_row());
attempt('next_result', fn() => $db->next_result());
attempt('store_result', fn() => $db->store_result()->fetch_all());
section('an unbuffered result freed in the middle');
$db = connect();
$db->multi_query('SELECT 1 UNION SELECT 11 UNION SELECT 111; SELECT 2');
$result = $db->use_result();
attempt('row', fn() => $result->fetch_row());
$result->free();
attempt('next_result', fn() => $db->next_result());
attempt('store_result', fn() => $db->store_result()->fetch_all());
attempt('query', fn() => $db->query('SELECT 4')->fetch_row());
section('query with pending results');
$db = connect();
$db->multi_query('SELECT 1; SELECT 2');
attempt('query', fn() => $db->query('SELECT 3'));
show_error($db);
foreach (['ping', 'commit', 'rollback'] as $method) {
    attempt($method, fn() => $db->$method());
    show_error($db);
}
attempt('select_db', fn() => $db->select_db(server('DATABASE')));
show_error($db);
attempt('set_charset', fn() => $db->set_charset('latin1'));
show_error($db);
attempt('autocommit', fn() => $db->autocommit(false));
show_error($db);
attempt('multi_query', fn() => $db->multi_query('SELECT 5; SELECT 6'));
show_error($db);
attempt('real_query', fn() => $db->real_query('SELECT 5'));
attempt('real_escape_string', fn() => $db->real_escape_string("'"));
attempt('store_result', fn() => $db->store_result()->fetch_all());
attempt('query', fn() => $db->query('SELECT 3'));
show_error($db);
attempt('next_result', fn() => $db->next_result());
attempt('store_result', fn() => $db->store_result()->fetch_all());
attempt('query', fn() => $db->query('SELECT 3')->fetch_all());
section('store_result and use_result twice');
$db = connect();
$db->multi_query('SELECT 1; SELECT 2');
attempt('store', fn() => $db->store_result()->fetch_all());
attempt('store again', fn() => $db->store_result());
show_error($db);
attempt('use', fn() => $db->use_result());
show_error($db);
attempt('next', fn() => $db->next_result());
attempt('use', fn() => $db->use_result()->fetch_all());
attempt('use again', fn() => $db->use_result());
show_error($db);
section('store_result after query, after a change, after an error, without anything');
$db = connect();
foreach (['SELECT 1', 'DO 1', 'nonsense'] as $sql) {
    $kept = $db->query($sql);
    attempt("store after query $sql", fn() => $db->store_result());
    show_error($db);
    attempt("use after query $sql", fn() => $db->use_result());
    show_error($db);
    $db->real_query($sql);
    attempt("store after real_query $sql", fn() => $db->store_result());
    show_error($db);
}
$fresh = connect();
attempt('store', fn() => $fresh->store_result());
attempt('use', fn() => $fresh->use_result());
show_error($fresh);
section('real_query left alone, then the link is closed');
$db = connect();
$db->real_query('SELECT 1 UNION SELECT 2');
show($db->close());
$db = connect();
$db->multi_query('SELECT 1; SELECT 2');
show($db->close());
section('real_query left alone, then a query');
$db = connect();
$db->real_query('SELECT 1');
attempt('query', fn() => $db->query('SELECT 2')->fetch_row());
show_error($db);
section('real_query left alone, then real_query');
$db = connect();
$db->real_query('SELECT 1');
attempt('real_query', fn() => $db->real_query('SELECT 2'));
show_error($db);
attempt('store_result', fn() => $db->store_result()->fetch_row());
section('multi statements are off outside multi_query');
$db = connect();
attempt('query', fn() => $db->query('SELECT 1; SELECT 2'));
show_error($db);
$db->multi_query('SELECT 1; SELECT 2');
$db->store_result();
while ($db->more_results() && $db->next_result()) {
    $db->store_result();
}
attempt('query after multi_query', fn() => $db->query('SELECT 1; SELECT 2'));
show_error($db);
section('report strict: an error in the middle');
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$db = connect();
attempt('multi_query', fn() => $db->multi_query('SELECT 1; nonsense; SELECT 3'));
attempt('store', fn() => $db->store_result()->fetch_all());
attempt('more', fn() => $db->more_results());
attempt('next', fn() => $db->next_result());
attempt('more', fn() => $db->more_results());
attempt('query', fn() => $db->query('SELECT 4')->fetch_row());
attempt('multi_query, first bad', fn() => $db->multi_query('nonsense; SELECT 3'));
attempt('query', fn() => $db->query('SELECT 4')->fetch_row());
attempt('next without any', fn() => $db->next_result());
attempt('store without any', fn() => $db->store_result());
attempt('out of sync', function () use ($db) { $db->real_query('SELECT 1'); $db->query('SELECT 2'); });
attempt('CALL with an error inside', function () use ($db) {
    $db->query("CREATE PROCEDURE p() BEGIN SELECT 1; SELECT * FROM no_such_table_here; END");
    $db->multi_query('CALL p()');
    show($db->store_result()->fetch_all());
    show($db->more_results());
    return $db->next_result();
});
attempt('query', fn() => $db->query('SELECT 4')->fetch_row());
