--TEST--
Kept rows take what came over the wire and little more, share it with their result, and leave nothing behind
--FILE--
<?php
// servers: mariadb
require 'support/prelude.php';

function resident(): int
{
    preg_match('/^VmRSS:\s+(\d+) kB$/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1] * 1024;
}
function wire_bytes(Vaquita\Rows $rows): int
{
    ob_start();
    var_dump($rows);
    preg_match('/"wire_bytes"\]=>\s+int\((\d+)\)/', ob_get_clean(), $match);
    return (int) $match[1];
}
$db = connect();
$db->query('CREATE TABLE large (id INT, a BIGINT, b DECIMAL(10, 2), c DATETIME, d VARCHAR(60), e VARCHAR(60), f DOUBLE, g INT)');
$db->query("INSERT INTO large SELECT seq, seq * 1234567, seq / 7, '2024-01-01' + INTERVAL seq SECOND, REPEAT('v', 20 + seq % 40), REPEAT('w', 10 + seq % 30), seq / 3, IF(seq % 5, seq, NULL) FROM seq_1_to_200000");
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $before = resident();
    $result = $db->query('SELECT * FROM large', $mode);
    $stored = resident() - $before;
    $rows = Vaquita\rows($result);
    $kept = resident() - $before;
    $wire = wire_bytes($rows);
    show($wire > 20_000_000, $kept < 1.25 * $wire ?: $kept / $wire, $mode === MYSQLI_USE_RESULT || $kept - $stored < 1 << 20 ?: $kept - $stored);
    $other = Vaquita\rows($result, MYSQLI_NUM);
    unset($result);
    $length = 0;
    foreach ($rows as $row) {
        $length += strlen($row['d']);
        foreach ($row as $value) {
            $length += strlen((string) $value);
        }
    }
    show($length > $wire / 2, resident() - $before < 1.25 * $wire + (1 << 20) ?: (resident() - $before) / $wire);
    unset($rows, $other);
    show(resident() - $before < 1.25 * $wire);
    // One row keeps them all.
    unset($row);
    show(resident() - $before < 1 << 22 ?: resident() - $before);
}

$db->query('CREATE TEMPORARY TABLE t (n INT, s TEXT)');
$db->query("INSERT INTO t VALUES " . implode(', ', array_map(fn($i) => "($i, REPEAT('x', $i * 10))", range(1, 50))));
$pdo = connect_pdo();
$pdo->exec('CREATE TEMPORARY TABLE t (n INT, s TEXT)');
$pdo->exec("INSERT INTO t VALUES " . implode(', ', array_map(fn($i) => "($i, REPEAT('x', $i * 10))", range(1, 50))));
$rows = fn(int $mode = MYSQLI_ASSOC) => Vaquita\rows($db->query('SELECT n, s, s AS n, 1 AS `5` FROM t'), $mode);
$tries = [
    'kept' => fn() => $rows(),
    'unbuffered' => fn() => Vaquita\rows($db->query('SELECT * FROM t', MYSQLI_USE_RESULT)),
    'prepared' => function () use ($db) { $statement = $db->prepare('SELECT * FROM t WHERE n > ?'); $statement->execute([3]); return Vaquita\rows($statement->get_result())->toArray(); },
    'as arrays' => fn() => [$rows()->toArray(), $rows(MYSQLI_NUM)->toArray(), $rows(MYSQLI_BOTH)->toArray()],
    'a column' => fn() => $rows()->column('s'),
    'a column of numbers' => fn() => $rows()->column(0),
    'foreach' => function () use ($rows) { foreach ($rows() as $row) { foreach ($row as $value) { } } },
    'foreach, left' => function () use ($rows) { foreach ($rows() as $row) { return $row['s']; } },
    'all objects' => fn() => iterator_to_array($rows()),
    'fields' => function () use ($rows) { $all = $rows(); return [$all[3]['s'], isset($all[3]['s']), empty($all[3]['s']), $all[3]['none'] ?? 1, $all['7'] ?? 1, $all[3]->offsetGet('n')]; },
    'what is not there' => function () use ($rows) { set_error_handler(fn() => true); $all = $rows(); $none = [$all[99], $all[0]['none'], $all['x']]; restore_error_handler(); return $none; },
    'wrong offsets' => fn() => $rows()[0][[]],
    'changes' => function () use ($rows) { $row = $rows()[0]; $row['s'] = 5; },
    'deeper changes' => function () use ($rows) { $all = $rows(); $all[0]['s'] = 5; },
    'an iterator' => function () use ($rows) { $walk = $rows()->getIterator(); $walk->seek(20); return [$walk->current(), $walk->key(), $walk->seek(99)]; },
    'casts' => fn() => [(array) $rows(), (array) $rows()[0], json_encode($rows()), var_export($rows()[1], true), print_r($rows(), true), print_r($rows()[2], true)],
    'serialize' => fn() => serialize($rows()),
    'a cycle' => function () use ($rows) { $object = new stdClass; $object->rows = [$rows(), $rows()[4], $rows()->getIterator()]; $object->self = $object; unset($object); gc_collect_cycles(); },
    'new' => fn() => (new ReflectionClass('Vaquita\Rows'))->newInstanceWithoutConstructor(),
    'no mode' => fn() => Vaquita\rows($db->query('SELECT 1'), 9),
    'no result' => fn() => Vaquita\rows($db),
    'freed' => function () use ($db) { $result = $db->query('SELECT 1'); $result->free(); Vaquita\rows($result); },
    'an error at the end' => fn() => Vaquita\rows($db->query('SELECT (SELECT 1 FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 40 OR m = 1) FROM t AS x ORDER BY n', MYSQLI_USE_RESULT)),
    'the link gone' => function () { $other = connect(); $result = $other->query('SELECT 1', MYSQLI_USE_RESULT); $other->close(); Vaquita\rows($result); },
    'PDO' => fn() => Vaquita\rows($pdo->query('SELECT * FROM t'))->toArray(),
    'PDO, prepared' => function () use ($pdo) { $statement = $pdo->prepare('SELECT * FROM t WHERE n > ?', [PDO::ATTR_EMULATE_PREPARES => false]); $statement->execute([3]); return Vaquita\rows($statement)[5]['s']; },
    'PDO, nothing executed' => fn() => Vaquita\rows($pdo->prepare('SELECT 1')),
    'PDO, made by nobody' => fn() => Vaquita\rows(new PDOStatement),
];
foreach ($tries as $name => $try) {
    $run = function (int $times) use ($try) {
        for ($i = 0; $i < $times; $i++) {
            try {
                $try();
            } catch (Throwable) {
            }
        }
    };
    $run(50);
    $resident = resident();
    $allocated = memory_get_usage();
    $run(500);
    $more = memory_get_usage() - $allocated;
    $growth = (resident() - $resident) / 1024;
    if ($more > 0 || $growth > 600) {
        echo "$name: PHP's memory grew by $more bytes, the process by $growth KiB\n";
    }
}

section('memory_limit');
foreach (['toArray()', 'column(4)', 'jsonSerialize()', 'getIterator()->seek(5); iterator_to_array($rows)'] as $call) {
    // What a shutdown function needs has to be left by the script.
    child("\$reserve = str_repeat(' ', 1 << 21); \$rows = Vaquita\\rows(connect()->query('SELECT * FROM large')); echo count(\$rows), ' '; register_shutdown_function(fn() => [\$GLOBALS['reserve'] = null, print(\" afterwards {\$GLOBALS['rows'][5]['id']}\")]); \$x = \$rows->$call; echo 'not reached';", ['memory_limit' => '40M']);
}
?>
--EXPECTF--
true | true | true
true | true
true
true
true | true | true
true | true
true
true
=== memory_limit
200000 
Fatal error: Allowed memory size of 41943040 bytes exhausted%S in FILE on line %d
 afterwards 6
  exit code 255
200000 
Fatal error: Allowed memory size of 41943040 bytes exhausted%S in FILE on line %d
 afterwards 6
  exit code 255
200000 
Fatal error: Allowed memory size of 41943040 bytes exhausted%S in FILE on line %d
 afterwards 6
  exit code 255
200000 
Fatal error: Allowed memory size of 41943040 bytes exhausted%S in FILE on line %d
 afterwards 6
  exit code 255
