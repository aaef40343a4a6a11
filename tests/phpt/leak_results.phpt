--TEST--
Results in every state, errors and exceptions leave no memory behind
--FILE--
<?php
// servers: mariadb
require 'support/prelude.php';

function resident_kib(): int
{
    preg_match('/^VmRSS:\s+(\d+) kB$/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}
class Throws
{
    public $n;
    public function __construct()
    {
        throw new LogicException('no');
    }
}
class Bare
{
}
class Typed
{
    public array $n;
}
class Sub extends mysqli
{
    public ?mysqli_result $result = null;
    public ?Sub $self = null;
}
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (n INT, s TEXT)');
$db->query("INSERT INTO t VALUES " . implode(', ', array_map(fn($i) => "($i, REPEAT('x', $i * 10))", range(1, 50))));
$tries = [
    'buffered, fetched' => fn() => $db->query('SELECT * FROM t')->fetch_all(MYSQLI_BOTH),
    'buffered, not fetched' => fn() => $db->query('SELECT * FROM t'),
    'buffered, freed' => fn() => $db->query('SELECT * FROM t')->free(),
    'unbuffered, fetched' => fn() => $db->query('SELECT * FROM t', MYSQLI_USE_RESULT)->fetch_all(MYSQLI_ASSOC),
    'unbuffered, one row' => fn() => $db->query('SELECT * FROM t', MYSQLI_USE_RESULT)->fetch_object(),
    'unbuffered, not fetched' => fn() => $db->query('SELECT * FROM t', MYSQLI_USE_RESULT),
    'foreach' => function () use ($db) { foreach ($db->query('SELECT * FROM t') as $row) { } },
    'foreach, left' => function () use ($db) { foreach ($db->query('SELECT * FROM t', MYSQLI_USE_RESULT) as $row) { return; } },
    'generator, left' => function () use ($db) { $generate = function () use ($db) { yield from $db->query('SELECT * FROM t', MYSQLI_USE_RESULT); }; $generate()->current(); },
    'fields' => function () use ($db) { $result = $db->query('SELECT * FROM t LIMIT 1'); $result->fetch_fields(); $result->fetch_field(); $result->fetch_field_direct(1); return [$result->lengths, $result->current_field]; },
    'error' => fn() => $db->query('nonsense'),
    'error list' => function () use ($db) { try { $db->query('nonsense'); } catch (mysqli_sql_exception) { } return [$db->error_list, $db->error, $db->sqlstate, $db->info, $db->host_info, $db->server_info]; },
    'constructor throws' => fn() => $db->query('SELECT n FROM t', MYSQLI_USE_RESULT)->fetch_object('Throws'),
    'dynamic properties' => fn() => @$db->query('SELECT * FROM t')->fetch_object('Bare'),
    'type error' => fn() => $db->query('SELECT n FROM t')->fetch_object('Typed'),
    'no such class' => fn() => $db->query('SELECT n FROM t')->fetch_object('NoSuchClass'),
    'wrong arguments' => fn() => $db->query('SELECT n FROM t')->fetch_object('Typed', ['a' => 1, 'b' => [1, 2, str_repeat('x', 100)]]),
    'multi_query, left' => function () use ($db) { $db->multi_query('SELECT 1; SELECT * FROM t; SELECT 2'); while ($db->more_results()) { $db->store_result(); $db->next_result(); } $db->store_result(); },
    'multi_query, dropped' => function () { $other = connect(); $other->multi_query('SELECT 1; SELECT 2'); },
    'link closed first' => function () { $other = connect(); $result = $other->query('SELECT 1 UNION SELECT 2', MYSQLI_USE_RESULT); $result->fetch_row(); $other->close(); return $result->fetch_row(); },
    'link dropped first' => function () { $result = connect()->query('SELECT 1 UNION SELECT 2', MYSQLI_USE_RESULT); return $result->fetch_row(); },
    'a cycle' => function () { $other = connect('Sub'); $other->result = $other->query('SELECT 1 UNION SELECT 2', MYSQLI_USE_RESULT); $other->self = $other; unset($other); gc_collect_cycles(); },
    'connected again' => function () { $other = connect(); $other->real_connect(...address()); return $other->query('SELECT 1')->fetch_row(); },
    'failed connect' => fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', 1),
    'wrong password' => fn() => connect(password: 'wrong'),
    'not connected' => fn() => mysqli_init(),
    'options' => function () { $other = mysqli_init(); $other->options(MYSQLI_INIT_COMMAND, 'SET @a = 1'); $other->options(MYSQLI_SET_CHARSET_NAME, 'latin1'); $other->options(MYSQLI_INIT_COMMAND, 'SET @b = 1'); $other->real_connect(...address()); },
    'escape' => fn() => $db->real_escape_string(str_repeat("'", 5000)),
    'set_charset' => fn() => $db->set_charset('utf8mb4'),
    'transaction' => function () use ($db) { $db->begin_transaction(0, 'name'); $db->savepoint('s'); $db->release_savepoint('s'); $db->rollback(); },
    'argument error' => fn() => $db->query([]),
    'closed' => function () { $other = connect(); $other->close(); return $other->query('SELECT 1'); },
    'constructor of a result' => function () use ($db) { $db->real_query('SELECT * FROM t'); return (new mysqli_result($db))->fetch_all(); },
    'large value' => fn() => strlen($db->query("SELECT REPEAT('x', 100000)")->fetch_row()[0]),
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
    $resident = resident_kib();
    $allocated = memory_get_usage();
    $run(500);
    $more = memory_get_usage() - $allocated;
    $growth = resident_kib() - $resident;
    if ($more > 0 || $growth > 600) {
        echo "$name: PHP's memory grew by $more bytes, the process by $growth KiB\n";
    }
}
echo "done\n";
?>
--EXPECT--
done
