--TEST--
Vaquita\pipeline on persistent connections, in statistics, with a query timeout, and what it leaves in memory
--FILE--
<?php
// servers: mariadb mysql80
// without mysql56: it has no limit for statements of its own
require 'support/prelude.php';
use function Vaquita\pipeline;

section('the first that a user sends over a persistent connection');
for ($i = 0; $i < 4; $i++) {
    $db = new mysqli(...address(hostname: 'p:' . address()['hostname']));
    $outcomes = pipeline($db, ["SELECT COALESCE(@left, 'nothing')", "SET @left = 'something'", 'SELECT @left', 'BEGIN', 'USE information_schema']);
    show($outcomes[0]->fetch_row(), $outcomes[2]->fetch_row());
    $db->close();
}
$stats = Vaquita\pool_stats();
show($stats['hits'], $stats['replaced']);
$db = new mysqli(...address(hostname: 'p:' . address()['hostname']));
$id = $db->query('SELECT CONNECTION_ID()')->fetch_row()[0];
$db->close();
kill_connection(connect(), $id);
$db = new mysqli(...address(hostname: 'p:' . address()['hostname']));
show(array_map(fn($it) => $it->fetch_row(), pipeline($db, ['SELECT 1', 'SELECT 2'])));
$db->close();

section('statistics');
$db = connect();
$counted = fn() => array_map(intval(...), array_intersect_key($db->get_connection_stats(), array_flip(['com_query', 'com_stmt_execute', 'result_set_queries',
    'non_result_set_queries', 'buffered_sets', 'rows_buffered_from_client_normal', 'rows_buffered_from_client_ps', 'explicit_free_result', 'packets_sent'])));
$statement = $db->prepare('SELECT ?');
$before = $counted();
$outcomes = pipeline($db, ['SELECT 1 UNION ALL SELECT 2', 'DO 1', 'SELECT 3', 'nonsense']);
unset($outcomes);
pipeline($statement, [['1'], ['2'], ['3']]);
foreach ($counted() as $name => $number) {
    show($name, $number - $before[$name]);
}

section('a query timeout');
$db->query('CREATE TEMPORARY TABLE t (a INT)');
$db->query('INSERT INTO t VALUES (1)');
Vaquita\set_query_timeout($db, 300);
$outcomes = pipeline($db, ['SELECT 1', 'SELECT a FROM t WHERE SLEEP(60)', 'SELECT 2']);
show($outcomes[0]->fetch_row(), in_array($outcomes[1]->getCode(), [1969, 3024], true), $outcomes[2]->fetch_row());
Vaquita\set_query_timeout($db, 0);

section('memory');
function resident_kib(): int
{
    preg_match('/^VmRSS:\s+(\d+) kB$/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}
$sql = ['SELECT 1', 'DO 1', 'nonsense', "SELECT REPEAT('x', 100000)"];
$rows = [['1'], [null], [new class { function __toString() { return 'text'; } }]];
$resident = $used = 0;
for ($i = 0; $i < 400; $i++) {
    pipeline($db, $sql);
    pipeline($db, ['a' => 'nonsense', 'b' => 'DO 1'], true);
    pipeline($statement, $rows);
    try {
        pipeline($statement, [['1'], [new class { function __toString() { throw new Exception; } }]]);
    } catch (Exception) {
    }
    try {
        pipeline($db, ['DO 1', null]);
    } catch (TypeError) {
    }
    if ($i === 200) {
        [$resident, $used] = [resident_kib(), memory_get_usage()];
    }
}
show(resident_kib() - $resident < 1024, memory_get_usage() - $used);
?>
--EXPECT--
=== the first that a user sends over a persistent connection
["nothing"] | ["something"]
["nothing"] | ["something"]
["nothing"] | ["something"]
["nothing"] | ["something"]
3 | 0
[["1"], ["2"]]
=== statistics
"packets_sent" | 7
"result_set_queries" | 5
"non_result_set_queries" | 1
"buffered_sets" | 5
"rows_buffered_from_client_normal" | 3
"rows_buffered_from_client_ps" | 3
"explicit_free_result" | 5
"com_query" | 4
"com_stmt_execute" | 3
=== a query timeout
["1"] | true | ["2"]
=== memory
true | -216
