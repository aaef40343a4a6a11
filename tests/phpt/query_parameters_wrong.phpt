--TEST--
Vaquita\query says what is wrong with its parameters, and reports failures as mysqli does
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
use function Vaquita\query;
mysqli_report(MYSQLI_REPORT_OFF);
$db = connect();
$wrong = fn(string $sql, array $params = []) => attempt($sql, fn() => query($db, $sql, $params));

section('placeholders');
$wrong('SELECT ?, :a', [1]);
$wrong('SELECT ?, ?', [1]);
$wrong('SELECT ?', [1, 2]);
$wrong('SELECT 1', [1]);
$wrong('SELECT 1', ['a' => 1]);
$wrong('SELECT ?', ['a' => 1]);
$wrong('SELECT :a, :b', ['a' => 1]);
$wrong('SELECT :a', ['a' => 1, 'b' => 2]);
$wrong('SELECT :a', ['a' => 1, 2]);
$wrong('SELECT :a', [':a' => 1]);
$wrong('SELECT :a', [1]);
$wrong('SELECT ? /*!99999 , ? */', [1, 2]);

section('arrays');
$wrong('SELECT 1 IN (?)', [[]]);
$wrong('SELECT 1 IN (:ids)', ['ids' => []]);
$wrong('VALUES ?', [[[]]]);
$wrong('VALUES ?', [[[1], 2]]);
$wrong('VALUES ?', [[[1, 2], [1]]]);
$wrong('VALUES ?', [[['a' => 1]]]);
$wrong('SELECT 1 IN (?)', [range(1, 65536)]);
show(query($db, 'SELECT 65535 IN (?)', [range(1, 65535)])?->fetch_row());
$named = [];
foreach (range(1, 65535) as $number) {
    $named["name$number"] = $number;
}
show(query($db, 'SELECT 65535 IN (:' . implode(', :', array_keys($named)) . ')', $named)?->fetch_row());

section('types');
$wrong('SELECT ?', [new stdClass]);
$wrong('SELECT :a', ['a' => [1, fopen('php://memory', 'r')]]);
$wrong('SELECT ?', [[[[1]]]]);
class Thrower { function __toString(): string { throw new LogicException('no text'); } }
$wrong('SELECT ?', [new Thrower]);
class Closer { function __construct(private mysqli $db) {} function __toString(): string { $this->db->close(); return 'closed'; } }
$other = connect();
attempt('a text that closes', fn() => query($other, 'SELECT ?', [new Closer($other)]));
class Asker { function __construct(private mysqli $db) {} function __toString(): string { return query($this->db, 'SELECT ?', ['asked'])->fetch_column(); } }
attempt('a text that asks', fn() => query($db, 'SELECT ?, ?', [new Asker($db), 'a'])->fetch_row());
attempt('no link', fn() => query(new stdClass, 'SELECT 1'));
attempt('no array', fn() => query($db, 'SELECT 1', 1));
attempt('not connected', fn() => query(mysqli_init(), 'SELECT 1'));

section('failures');
$wrong('SELEKT ?', [1]);
show($db->errno, $db->sqlstate);
$wrong('SELECT (SELECT 1 UNION SELECT ?)', [2]);
show($db->errno, query($db, 'SELECT 1')->fetch_row(), $db->errno);
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$wrong('SELECT (SELECT 1 UNION SELECT 2)');
kill_connection(connect(), $db->thread_id);
$wrong('SELECT 1');
$db->close();
$wrong('SELECT 1');
?>
--EXPECT--
=== placeholders
SELECT ?, :a: thrown ValueError(0): Vaquita\query(): Argument #2 ($sql) must not have both ? and :name placeholders
SELECT ?, ?: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have as many values as the statement has placeholders, 2, but has 1
SELECT ?: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have as many values as the statement has placeholders, 1, but has 2
SELECT 1: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have as many values as the statement has placeholders, 0, but has 1
SELECT 1: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have as many values as the statement has placeholders, 0, but has 1
SELECT ?: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must be a list, for the statement has ? placeholders, but it has the key "a"
SELECT :a, :b: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have a value for :b, with the key "b"
SELECT :a: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must not have a value for "b", which no placeholder is called
SELECT :a: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have the names of the placeholders as its keys, without their colons
SELECT :a: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have a value for :a, with the key "a"
SELECT :a: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have a value for :a, with the key "a"
SELECT ? /*!99999 , ? */: thrown ValueError(0): Vaquita\query(): Argument #2 ($sql) must not have placeholders that only some servers see, in executable comments
=== arrays
SELECT 1 IN (?): thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must not have an empty array for ? number 1: it stands for no value, which SQL has no word for; run another statement, or none
SELECT 1 IN (:ids): thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must not have an empty array for :ids: it stands for no value, which SQL has no word for; run another statement, or none
VALUES ?: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must not have an empty row for ? number 1
VALUES ?: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have either values or rows for ? number 1, not both
VALUES ?: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have rows of the same length for ? number 1: number 2 has 1 values, the first 2
VALUES ?: thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must have a list as each row for ? number 1: nobody knows the columns that its keys mean
SELECT 1 IN (?): thrown ValueError(0): Vaquita\query(): Argument #3 ($params) must not have more than 65535 values in all
[1]
[1]
=== types
SELECT ?: thrown TypeError(0): Vaquita\query(): Argument #3 ($params) must be an array with int, float, bool, string, null or Stringable, or arrays of those, for ? number 1, stdClass given
SELECT :a: thrown TypeError(0): Vaquita\query(): Argument #3 ($params) must be an array with int, float, bool, string, null or Stringable, or arrays of those, for :a, resource given
SELECT ?: thrown TypeError(0): Vaquita\query(): Argument #3 ($params) must be an array with int, float, bool, string, null or Stringable, or arrays of those, for ? number 1, array given
SELECT ?: thrown LogicException(0): no text
a text that closes: false
a text that asks: ["asked", "a"]
no link: thrown TypeError(0): Vaquita\query(): Argument #1 ($link) must be of type mysqli, stdClass given
no array: thrown TypeError(0): Vaquita\query(): Argument #3 ($params) must be of type array, int given
not connected: thrown Error(0): mysqli object is not fully initialized
=== failures
SELEKT ?: false
1064 | "42000"
SELECT (SELECT 1 UNION SELECT ?): false
1242 | [1] | 0
SELECT (SELECT 1 UNION SELECT 2): thrown mysqli_sql_exception(1242) [21000]: Subquery returns more than 1 row
SELECT 1: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
SELECT 1: thrown Error(0): mysqli object is already closed
