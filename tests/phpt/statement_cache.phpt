--TEST--
Preparing the same text again asks the server nothing, whoever prepares it, and nobody can tell
--SKIPIF--
<?php
require 'support/prelude.php';
echo on('mysql56') ? 'skip the server does not tell of its session: nothing is kept' : '';
?>
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
use function Vaquita\query;

/** How often the server has prepared and forgotten statements of this session meanwhile. */
function on_server(callable $ask, callable $work): void
{
    $counts = fn() => array_column($ask("SHOW SESSION STATUS WHERE Variable_name IN ('Com_stmt_prepare', 'Com_stmt_close')"), 1, 0);
    $before = $counts();
    $work();
    $after = $counts();
    show('prepared', $after['Com_stmt_prepare'] - $before['Com_stmt_prepare'], 'closed', $after['Com_stmt_close'] - $before['Com_stmt_close']);
}

function asking(mysqli $db): callable
{
    return fn(string $sql) => $db->query($sql)->fetch_all();
}

$admin = connect();
$admin->query('CREATE TABLE t (a INT, b VARCHAR(9))');
$admin->query("INSERT INTO t VALUES (1, 'one'), (2, 'two')");
$db = connect();

section('mysqli');
on_server(asking($db), function () use ($db) {
    for ($i = 0; $i < 50; $i++) {
        $statement = $db->prepare('SELECT b FROM t WHERE b = ?');
        $word = $i % 2 ? 'one' : 'two';
        $statement->bind_param('s', $word);
        $statement->execute();
        assert_same($word, $statement->get_result()->fetch_column());
        $i % 3 ? $statement->close() : $statement = null;
    }
});
on_server(asking($db), function () use ($db) {
    for ($i = 0; $i < 50; $i++) {
        assert_same('one', $db->execute_query('SELECT b FROM t WHERE b = ?', ['one'])->fetch_column());
        assert_same('two', query($db, 'SELECT b FROM t WHERE b = :b', ['b' => 'two'])->fetch_column());
        // As it was: no warning, the columns known, no result waiting.
        $statement = $db->prepare('SELECT b FROM t WHERE b = ?');
        assert_same([1, 1, 0, -1, 0], [$statement->param_count, $statement->field_count, $db->warning_count, $db->affected_rows, $statement->errno]);
        $statement->close();
    }
});

section('statistics count what the script does');
$before = $db->get_connection_stats();
for ($i = 0; $i < 10; $i++) {
    $db->execute_query('SELECT b FROM t WHERE b = ?', ['one']);
}
$after = $db->get_connection_stats();
foreach (['com_stmt_prepare', 'com_stmt_execute', 'com_stmt_close', 'packets_sent'] as $name) {
    show($name, $after[$name] - $before[$name]);
}

section('none are kept');
ini_set('vaquita.statement_cache', '0');
$db = connect();
on_server(asking($db), function () use ($db) {
    for ($i = 0; $i < 5; $i++) {
        $db->execute_query('SELECT b FROM t WHERE b = ?', ['one']);
    }
});
ini_restore('vaquita.statement_cache');

section('PDO');
$pdo = connect_pdo([PDO::ATTR_EMULATE_PREPARES => false]);
on_server(fn(string $sql) => $pdo->query($sql)->fetchAll(PDO::FETCH_NUM), function () use ($pdo) {
    for ($i = 0; $i < 50; $i++) {
        $statement = $pdo->prepare('SELECT a, b FROM t WHERE a < :a AND b = :b');
        $statement->execute(['a' => '9', 'b' => 'one']);
        assert_same(['a' => 1, 'b' => 'one'], $statement->fetch(PDO::FETCH_ASSOC));
        $statement = null;
    }
});

section('types');
$db = connect();
foreach ([1, '1', '01', 1.5, null, 2, 'abc', true, PHP_INT_MAX, '1'] as $value) {
    show($value, query($db, 'SELECT b FROM t WHERE a = ?', [$value])->fetch_column());
}
$pdo = connect_pdo([PDO::ATTR_EMULATE_PREPARES => false]);
foreach ([[0, PDO::PARAM_INT], ['one', PDO::PARAM_STR], [null, PDO::PARAM_NULL], [0, PDO::PARAM_INT], ['0', PDO::PARAM_STR]] as [$value, $type]) {
    $statement = $pdo->prepare('SELECT b FROM t WHERE b = ?');
    $statement->bindValue(1, $value, $type);
    $statement->execute();
    show($value, $statement->fetchAll(PDO::FETCH_COLUMN));
    $statement = null;
}

section('a table that another session changes');
$select = function () use ($db) {
    $statement = $db->prepare('SELECT * FROM t WHERE a = 1');
    $count = $statement->field_count;
    $row = array_fill(0, $count, null);
    $statement->bind_result(...$row);
    $statement->execute();
    $statement->fetch();
    show($count, $statement->result_metadata()->field_count, $row);
};
$select();
$admin->query('ALTER TABLE t ADD c INT DEFAULT 7');
$select();
$admin->query('ALTER TABLE t DROP b');
show($db->execute_query('SELECT * FROM t WHERE a = 1')->fetch_assoc());
$select();
$statement = $db->prepare('SELECT * FROM t WHERE a = 1');
$admin->query('ALTER TABLE t CHANGE c d VARCHAR(9)');
show(array_column($statement->result_metadata()->fetch_fields(), 'type', 'name'));
$statement->close();

section('this session');
show($db->execute_query('SELECT * FROM t WHERE a = 2')->fetch_assoc());
$db->query('CREATE TEMPORARY TABLE t AS SELECT 2 AS a, 3 AS e');
show($db->execute_query('SELECT * FROM t WHERE a = 2')->fetch_assoc());
$db->query('DROP TEMPORARY TABLE t');
show($db->execute_query('SELECT * FROM t WHERE a = 2')->fetch_assoc());
$show = fn() => show($db->execute_query("SELECT 'a' || 'b', 'it'")->fetch_row());
$show();
$db->query("SET sql_mode = 'PIPES_AS_CONCAT'");
$show();

section('a persistent connection');
for ($i = 0; $i < 3; $i++) {
    $db = connect(hostname: 'p:' . address()['hostname']);
    on_server(asking($db), function () use ($db) {
        for ($i = 0; $i < 5; $i++) {
            $db->execute_query('SELECT a FROM t WHERE a = ?', ['2']);
        }
    });
    $db->query("SET @gone = 'no'");
    $db->close();
}

section('a server that has gone');
$db = connect();
$db->execute_query("SELECT 'here'");
kill_connection($admin, $db->thread_id);
attempt('prepare', fn() => $db->prepare("SELECT 'here'"));

function assert_same(mixed $expected, mixed $actual): void
{
    if ($expected !== $actual) {
        show('expected', $expected, 'not', $actual);
    }
}
?>
--EXPECT--
=== mysqli
"prepared" | 1 | "closed" | 0
"prepared" | 0 | "closed" | 0
=== statistics count what the script does
"com_stmt_prepare" | 10
"com_stmt_execute" | 10
"com_stmt_close" | 10
"packets_sent" | 10
=== none are kept
"prepared" | 5 | "closed" | 5
=== PDO
"prepared" | 2 | "closed" | 1
=== types
1 | "one"
"1" | "one"
"01" | "one"
float 1.5 | false
null | false
2 | "two"
"abc" | false
true | "one"
9223372036854775807 | false
"1" | "one"
0 | ["one", "two"]
"one" | ["one"]
null | []
0 | ["one", "two"]
"0" | []
=== a table that another session changes
2 | 2 | [1, "one"]
3 | 3 | [1, "one", 7]
["a" => 1, "c" => 7]
2 | 2 | [1, 7]
["a" => 3, "d" => 253]
=== this session
["a" => 2, "d" => "7"]
["a" => 2, "e" => 3]
["a" => 2, "d" => "7"]
[0, "it"]
["ab", "it"]
=== a persistent connection
"prepared" | 1 | "closed" | 0
"prepared" | 1 | "closed" | 0
"prepared" | 1 | "closed" | 0
=== a server that has gone
prepare: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
