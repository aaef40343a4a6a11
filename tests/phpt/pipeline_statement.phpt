--TEST--
Vaquita\pipeline runs a prepared statement with many rows of parameters
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
use function Vaquita\pipeline;

/** Outcomes as text: rows as lists. */
function outcomes(array $outcomes): array
{
    return array_map(fn($it) => match (true) {
        $it instanceof mysqli_result => $it->fetch_all(),
        $it instanceof Vaquita\Done => "$it->affected_rows changed, id $it->insert_id",
        default => $it::class . ' ' . $it->getCode() . ' ' . $it->getSqlState(),
    }, $outcomes);
}

$db = connect();
$db->query('CREATE TEMPORARY TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a VARCHAR(20) NOT NULL UNIQUE, b DOUBLE)');

section('rows of parameters');
$insert = $db->prepare('INSERT INTO t (a, b) VALUES (?, ?)');
$text = 'by reference';
$outcomes = pipeline($insert, [
    ['one', 1],
    'x' => ['two', 2.5],
    ['one', 3],
    [null, 4],
    [&$text, null],
    [new class { function __toString() { return 'an object'; } }, true],
]);
show(outcomes($outcomes));
show($insert->errno, array_column($insert->error_list, 'errno'), $db->errno, $insert->affected_rows, $insert->insert_id);
$select = $db->prepare('SELECT id, b FROM t WHERE a = ?');
show(outcomes(pipeline($select, [['one'], ['two'], ['nobody'], ['by reference'], ['an object']])));
show(outcomes(pipeline($insert, [['three', 3], ['three', 3], ['four', 4]], true)));
show(pipeline($select, []));

section('what is bound stays bound');
$select->bind_param('s', $name);
$name = 'two';
show(outcomes(pipeline($select, [['one']])));
$select->execute();
show($select->get_result()->fetch_all(), $name);

section('no parameters');
$count = $db->prepare('SELECT COUNT(*) FROM t');
show(outcomes(pipeline($count, [[], []])));
$count->execute();
show($count->get_result()->fetch_all());
$count->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
show(outcomes(pipeline($count, [[], []])));

section('a statement that had a cursor');
$ids = 'SELECT id FROM t WHERE id <= ? ORDER BY id';
$rows = $db->prepare($ids);
$rows->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
$rows->execute([2]);
$rows->fetch();
// MySQL does not run it without one any more; MariaDB does.
$refused = fn(array $outcomes) => array_map(fn($it) => $it instanceof mysqli_sql_exception ? $it->getCode() : 0, $outcomes) === [2054, 2054];
$outcomes = pipeline($rows, [[1], [2]]);
show(on_mariadb() || on('mysql56') ? outcomes($outcomes) === [[[1]], [[1], [2]]] : $refused($outcomes));
$rows->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_NO_CURSOR);
try {
    $rows->execute([1]);
    show($rows->get_result()->fetch_all() === [[1]]);
} catch (mysqli_sql_exception $refusal) {
    show($refusal->getCode() === 2054 && !on_mariadb());
}
$rows->prepare($ids);
show(outcomes(pipeline($rows, [[1], [2]])), $db->query('SELECT 1')->fetch_row());

section('rows of the last run are given up');
$select->execute(['one']);
show(outcomes(pipeline($select, [['two']])));
$select->execute(['one']);
attempt('another has them', fn() => pipeline($count, [[]]));
$select->free_result();

section('long data is forgotten');
$insert->bind_param('bi', $blob, $number);
$insert->send_long_data(0, 'never');
show(outcomes(pipeline($insert, [['five', 5]])));
show(outcomes(pipeline($select, [['five'], ['never']])));

section('arguments: nothing is sent');
attempt('too few', fn() => pipeline($insert, [['a', 1], ['b']]));
attempt('too many', fn() => pipeline($insert, [['a', 1], ['b', 1, 2]]));
attempt('keys', fn() => pipeline($insert, [['a', 1], ['a' => 'b', 'b' => 1]]));
attempt('no row', fn() => pipeline($insert, [['a', 1], 'b']));
attempt('thrown', fn() => pipeline($insert, [['a', 1], [new class { function __toString() { throw new Exception('no'); } }, 1]]));
attempt('not prepared', fn() => pipeline($db->stmt_init(), [[]]));
show(outcomes(pipeline($count, [[]])));

section('user code while parameters become strings');
$evil = new class { public $then; function __toString() { ($this->then)(); return 'evil'; } };
$evil->then = fn() => $insert->prepare('SELECT 1');
attempt('another statement', fn() => pipeline($insert, [[$evil, 1]]));
$insert->prepare('INSERT INTO t (a, b) VALUES (?, ?)');
$evil->then = fn() => show(outcomes(pipeline($insert, [['inner', 1]])));
attempt('the same', fn() => outcomes(pipeline($insert, [[$evil, 1]])));
$evil->then = fn() => $insert->close();
attempt('closed', fn() => outcomes(pipeline($insert, [['outer', 1], [$evil, 1]])));

section('a connection that dies');
// MySQL 9 takes no parameter there.
$kill = $db->prepare("KILL $db->thread_id");
$outcomes = pipeline($kill, [[], []]);
show(in_array($outcomes[0]->getCode(), [1317, 1927, 2013], true), outcomes($outcomes)[1]);
attempt('gone', fn() => pipeline($count, [[]]));
$db->close();
attempt('closed', fn() => pipeline($count, [[]]));
?>
--EXPECT--
=== rows of parameters
["1 changed, id 1", "x" => "1 changed, id 2", "mysqli_sql_exception 1062 23000", "mysqli_sql_exception 1048 23000", "1 changed, id 4", "1 changed, id 5"]
1048 | [1062, 1048] | 1048 | 1 | 5
[[[1, float 1.0]], [[2, float 2.5]], [], [[4, null]], [[5, float 1.0]]]
["1 changed, id 6", "mysqli_sql_exception 1062 23000"]
[]
=== what is bound stays bound
[[[1, float 1.0]]]
[[2, float 2.5]] | "two"
=== no parameters
[[[5]], [[5]]]
[[5]]
[[[5]], [[5]]]
=== a statement that had a cursor
true
true
[[[1]], [[1], [2]]] | ["1"]
=== rows of the last run are given up
[[[2, float 2.5]]]
another has them: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
=== long data is forgotten
["1 changed, id 8"]
[[[8, float 5.0]], []]
=== arguments: nothing is sent
too few: thrown ValueError(0): Vaquita\pipeline(): Argument #2 ($queries) must be an array of lists of exactly 2 values
too many: thrown ValueError(0): Vaquita\pipeline(): Argument #2 ($queries) must be an array of lists of exactly 2 values
keys: thrown ValueError(0): Vaquita\pipeline(): Argument #2 ($queries) must be an array of lists of exactly 2 values
no row: thrown TypeError(0): Vaquita\pipeline(): Argument #2 ($queries) must be an array of lists, string found
thrown: thrown Exception(0): no
not prepared: thrown Error(0): mysqli_stmt object is not fully initialized
[[[6]]]
=== user code while parameters become strings
another statement: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
["1 changed, id 9"]
the same: ["1 changed, id 10"]
closed: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
=== a connection that dies
true | "mysqli_sql_exception 2013 HY000"
gone: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
closed: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
