--TEST--
Vaquita\rows: what its objects do as arrays would, and what they refuse
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (id INT, name VARCHAR(20), note TEXT, f DOUBLE, b BIT(5))');
$db->query("INSERT INTO t VALUES (1, 'one', NULL, 1.5, b'101'), (2, '', 'x', 2.5, b'1'), (3, 'drei', 'y', -1, NULL)");
$result = $db->query('SELECT * FROM t ORDER BY id');
$result->fetch_row();
$rows = Vaquita\rows($result);

section('as an array');
show(count($rows), $rows->count(), $rows[0]['name'], $rows[2]['b'], $rows['1']['id'], $rows[0]['note'], count($rows[0]));
show(isset($rows[2]), isset($rows[3]), isset($rows[-1]), isset($rows['x']), isset($rows['1']), empty($rows[0]), empty($rows[3]), $rows[3] ?? 'none');
show(isset($rows[0]['note']), isset($rows[0]['name']), isset($rows[0]['none']), isset($rows[0][0]), empty($rows[1]['name']), empty($rows[0]['name']), $rows[0]['note'] ?? 'none', $rows[9]['name'] ?? 'none');
show($rows[0]->offsetExists('note'), $rows->offsetExists(3), $rows->offsetGet(2)->offsetGet('name'));
['id' => $id, 'name' => $name] = $rows[2];
[$first, , $third] = $rows;
show($id, $name, $first['id'], $third->toArray());
foreach ($rows as $number => $row) {
    foreach ($rows as $other) {
        echo $number, $other['id'], ' ';
    }
    foreach ($row as $column => $value) {
        echo $column, '=', text($value), ' ';
    }
    echo "\n";
}
show($rows->column('name'), $rows->column(4), array_is_list($rows->column('id')));
show((array) $rows[0], count((array) $rows), ((array) $rows)[2]['name']);
show(json_encode($rows), json_encode($rows[1]), array_map(fn($row) => $row['id'], iterator_to_array($rows)));
show($rows->toArray() === [...array_map(fn($row) => $row->toArray(), [...$rows])]);
var_dump($rows);
print_r($rows[0]);
var_export($rows[0]);
echo "\n";
show($result->fetch_row(), $result->num_rows, $result->fetch_all() === array_map(array_values(...), array_slice($rows->toArray(), 2)));
show($rows[0] == $rows[0], $rows[0] == $rows[1], $rows == Vaquita\rows($result), $rows == $rows);

section('what is not there');
attempt('a row', fn() => $rows[3]);
attempt('before the first', fn() => $rows[-1]);
attempt('a name', fn() => $rows['name']);
attempt('by the method', fn() => $rows->offsetGet(3));
attempt('a column', fn() => $rows[0]['none']);
attempt('a number', fn() => $rows[0][0]);
attempt('null', fn() => $rows[0][null]);
attempt('true', fn() => $rows[true]['id']);
attempt('a float', fn() => $rows[1.0]['id']);
attempt('a fraction', fn() => $rows[1.5]['id']);
attempt('a float beyond integers', fn() => isset($rows[1e300]));
attempt('none at all', fn() => isset($rows[INF]));
attempt('an array', fn() => $rows[[]]);
attempt('an object', fn() => $rows[0][new class { public function __toString() { return 'id'; } }]);
attempt('isset of an array', fn() => isset($rows[0][[]]));
attempt('a column by name', fn() => $rows->column('none'));
attempt('a column by number', fn() => $rows->column(5));
attempt('a column before the first', fn() => $rows->column(-1));
attempt('a column by a float', fn() => $rows->column(1.5));
attempt('a property', fn() => $rows[0]->name);

section('while it is thrown away');
set_error_handler(function (int $level, string $message) use (&$other): bool {
    $other = null;
    echo "  $message\n";
    return true;
});
$other = Vaquita\rows($result);
show($other[99]);
$other = Vaquita\rows($result)[1];
show($other['none']);
foreach ($other = Vaquita\rows($result) as $row) {
    show($row['none'], $row['id']);
}
restore_error_handler();

section('changes');
attempt('a row', fn() => $rows[0] = []);
attempt('another row', fn() => $rows[] = []);
attempt('unset', function () use ($rows) { unset($rows[0]); });
attempt('a field', function () use ($rows) { $row = $rows[0]; $row['id'] = 5; });
attempt('unset a field', function () use ($rows) { $row = $rows[0]; unset($row['id']); });
attempt('through the rows', function () use ($rows) { $rows[0]['id'] = 5; });
attempt('deeper', function () use ($rows) { $row = $rows[0]; $row['id'][] = 5; });
attempt('added to', function () use ($rows) { $row = $rows[0]; $row['id'] .= 'x'; });
attempt('a reference', function () use ($rows) { $row = $rows[0]; $id = &$row['id']; });
attempt('foreach by reference', function () use ($rows) { foreach ($rows as &$row); });
attempt('by method', fn() => $rows->offsetSet(0, 1));
attempt('by method, unset', fn() => $rows[0]->offsetUnset('id'));
attempt('a new property', function () use ($rows) { $row = $rows[0]; $row->id = 5; });
attempt('clone', fn() => clone $rows);
attempt('clone of a row', fn() => clone $rows[0]);
attempt('serialize', fn() => serialize($rows));
attempt('serialize a row', fn() => serialize($rows[0]));
attempt('unserialize', fn() => unserialize('O:12:"Vaquita\Rows":0:{}'));
attempt('new', fn() => new Vaquita\Rows);
attempt('new row', fn() => new Vaquita\Row);
attempt('new iterator', fn() => new Vaquita\RowIterator);
attempt('without a constructor', fn() => (new ReflectionClass('Vaquita\Rows'))->newInstanceWithoutConstructor());
show($rows[0]->toArray());

section('seeking');
$walk = $rows->getIterator();
show($walk instanceof SeekableIterator, $walk->valid(), $walk->key(), $walk->current()['id']);
$walk->seek(2);
show($walk->key(), $walk->current()['id']);
$walk->next();
show($walk->valid(), $walk->key(), $walk->current());
$walk->next();
$walk->rewind();
show($walk->key(), iterator_to_array($walk)[1]['id']);
attempt('beyond', fn() => $walk->seek(3));
attempt('before', fn() => $walk->seek(-1));
show($walk->key());
foreach (new LimitIterator($walk, 1, 5) as $number => $row) {
    show($number, $row['id']);
}

section('keys');
foreach ([MYSQLI_ASSOC, MYSQLI_NUM, MYSQLI_BOTH] as $mode) {
    $sql = 'SELECT 1 AS a, 2 AS a, 3 AS `1`, 4 AS `07`, 5 AS `0`, 6 AS `-3`, 7 AS ``, 8 AS `A`';
    $same = Vaquita\rows($db->query($sql), $mode);
    $array = $db->query($sql)->fetch_all($mode);
    show($same->toArray() === $array, count($same[0]) === count($array[0]), array_keys($array[0]));
    foreach ($array[0] as $key => $value) {
        $same[0][$key] === $value && $same[0][(string) $key] === $value || show('differs', $key);
    }
    show($same->column('a'), $same->column(0), $same->column('1'), $same->column(1), $same->column(''));
}

foreach (['`1`', '`1` + 1 AS `1`, `1` AS `2`', '`1` AS `0`, 7 AS a, 8 AS `5`'] as $columns) {
    foreach ([MYSQLI_ASSOC, MYSQLI_NUM, MYSQLI_BOTH] as $mode) {
        show(Vaquita\rows($db->query("SELECT $columns FROM (SELECT 5 AS `1`) AS x"), $mode)->toArray());
    }
}

section('without rows');
$none = Vaquita\rows($db->query('SELECT * FROM t WHERE id > 9'));
show(count($none), $none->toArray(), $none->column('id'), iterator_to_array($none), json_encode($none), isset($none[0]), $none->getIterator()->valid());
attempt('a column', fn() => $none->column('none'));

section('arguments');
attempt('a number', fn() => Vaquita\rows(5));
attempt('null', fn() => Vaquita\rows(null));
attempt('an object', fn() => Vaquita\rows($db));
attempt('a mode', fn() => Vaquita\rows($result, 4));
attempt('a mode of 0', fn() => Vaquita\rows($result, 0));
attempt('too few', fn() => Vaquita\rows());
attempt('by name', fn() => Vaquita\rows(mode: MYSQLI_NUM, result: $result)[0][1]);
$result->free();
attempt('freed', fn() => Vaquita\rows($result));
show($rows[2]['name']);
?>
--EXPECT--
=== as an array
3 | 3 | "one" | null | "2" | null | 5
true | false | false | false | true | false | true | "none"
false | true | false | false | true | false | "none" | "none"
true | false | "drei"
"3" | "drei" | "1" | ["id" => "3", "name" => "drei", "note" => "y", "f" => "-1", "b" => null]
01 02 03 id="1" name="one" note=null f="1.5" b="5" 
11 12 13 id="2" name="" note="x" f="2.5" b="1" 
21 22 23 id="3" name="drei" note="y" f="-1" b=null 
["one", "", "drei"] | ["5", "1", null] | true
["id" => "1", "name" => "one", "note" => null, "f" => "1.5", "b" => "5"] | 3 | "drei"
"[{\"id\":\"1\",\"name\":\"one\",\"note\":null,\"f\":\"1.5\",\"b\":\"5\"},{\"id\":\"2\",\"name\":\"\",\"note\":\"x\",\"f\":\"2.5\",\"b\":\"1\"},{\"id\":\"3\",\"name\":\"drei\",\"note\":\"y\",\"f\":\"-1\",\"b\":null}]" | "{\"id\":\"2\",\"name\":\"\",\"note\":\"x\",\"f\":\"2.5\",\"b\":\"1\"}" | ["1", "2", "3"]
true
object(Vaquita\Rows)#4 (3) {
  ["rows"]=>
  int(3)
  ["columns"]=>
  array(5) {
    [0]=>
    string(2) "id"
    [1]=>
    string(4) "name"
    [2]=>
    string(4) "note"
    [3]=>
    string(1) "f"
    [4]=>
    string(1) "b"
  }
  ["wire_bytes"]=>
  int(49)
}
Vaquita\Row Object
(
    [id] => 1
    [name] => one
    [note] => 
    [f] => 1.5
    [b] => 5
)
\Vaquita\Row::__set_state(array(
   'id' => '1',
   'name' => 'one',
   'note' => NULL,
   'f' => '1.5',
   'b' => '5',
))
["2", "", "x", "2.5", "1"] | 3 | true
false | false | false | true
=== what is not there
  Warning: Undefined array key 3
a row: null
  Warning: Undefined array key -1
before the first: null
  Warning: Undefined array key "name"
a name: null
  Warning: Undefined array key 3
by the method: null
  Warning: Undefined array key "none"
a column: null
  Warning: Undefined array key 0
a number: null
  Warning: Undefined array key ""
null: null
true: "2"
a float: "2"
a fraction: thrown TypeError(0): Cannot access offset of type float on Vaquita\Rows
a float beyond integers: thrown TypeError(0): Cannot access offset of type float on Vaquita\Rows
none at all: thrown TypeError(0): Cannot access offset of type float on Vaquita\Rows
an array: thrown TypeError(0): Cannot access offset of type array on Vaquita\Rows
an object: thrown TypeError(0): Cannot access offset of type class@anonymous on Vaquita\Row
isset of an array: thrown TypeError(0): Cannot access offset of type array on Vaquita\Row
a column by name: thrown ValueError(0): Vaquita\Rows::column(): Argument #1 ($column) must be the name or the number of a column
a column by number: thrown ValueError(0): Vaquita\Rows::column(): Argument #1 ($column) must be the name or the number of a column
a column before the first: thrown ValueError(0): Vaquita\Rows::column(): Argument #1 ($column) must be the name or the number of a column
a column by a float: thrown TypeError(0): Vaquita\Rows::column(): Argument #1 ($column) must be of type string|int, float given
  Warning: Undefined property: Vaquita\Row::$name
a property: null
=== while it is thrown away
  Undefined array key 99
null
  Undefined array key "none"
null
  Undefined array key "none"
null | "1"
  Undefined array key "none"
null | "2"
  Undefined array key "none"
null | "3"
=== changes
a row: thrown Error(0): Vaquita\Rows can't be changed; toArray() gives an array that can
another row: thrown Error(0): Vaquita\Rows can't be changed; toArray() gives an array that can
unset: thrown Error(0): Vaquita\Rows can't be changed; toArray() gives an array that can
a field: thrown Error(0): Vaquita\Row can't be changed; toArray() gives an array that can
unset a field: thrown Error(0): Vaquita\Row can't be changed; toArray() gives an array that can
through the rows: thrown Error(0): Vaquita\Rows can't be changed; toArray() gives an array that can
deeper: thrown Error(0): Vaquita\Row can't be changed; toArray() gives an array that can
added to: thrown Error(0): Vaquita\Row can't be changed; toArray() gives an array that can
a reference: thrown Error(0): Vaquita\Row can't be changed; toArray() gives an array that can
foreach by reference: thrown Error(0): An iterator cannot be used with foreach by reference
by method: thrown Error(0): Vaquita\Rows can't be changed; toArray() gives an array that can
by method, unset: thrown Error(0): Vaquita\Row can't be changed; toArray() gives an array that can
a new property: thrown Error(0): Cannot create dynamic property Vaquita\Row::$id
clone: thrown Error(0): Trying to clone an uncloneable object of class Vaquita\Rows
clone of a row: thrown Error(0): Trying to clone an uncloneable object of class Vaquita\Row
serialize: thrown Exception(0): Serialization of 'Vaquita\Rows' is not allowed
serialize a row: thrown Exception(0): Serialization of 'Vaquita\Row' is not allowed
unserialize: thrown Exception(0): Unserialization of 'Vaquita\Rows' is not allowed
new: thrown Error(0): Call to private Vaquita\Rows::__construct() from global scope
new row: thrown Error(0): Call to private Vaquita\Row::__construct() from global scope
new iterator: thrown Error(0): Call to private Vaquita\RowIterator::__construct() from global scope
without a constructor: thrown ReflectionException(0): Class Vaquita\Rows is an internal class marked as final that cannot be instantiated without invoking its constructor
["id" => "1", "name" => "one", "note" => null, "f" => "1.5", "b" => "5"]
=== seeking
true | true | 0 | "1"
2 | "3"
false | null | null
0 | "2"
beyond: thrown OutOfBoundsException(0): Seek position 3 is out of range
before: thrown OutOfBoundsException(0): Seek position -1 is out of range
null
1 | "2"
2 | "3"
=== keys
true | true | ["a", 1, "07", 0, -3, "", "A"]
["2"] | ["1"] | ["3"] | ["2"] | ["7"]
true | true | [0, 1, 2, 3, 4, 5, 6, 7]
["2"] | ["1"] | ["3"] | ["2"] | ["7"]
true | true | [0, "a", 1, 2, 3, "07", 4, 5, -3, 6, "", 7, "A"]
["2"] | ["1"] | ["3"] | ["2"] | ["7"]
[[1 => "5"]]
[["5"]]
[["5", "5"]]
[[1 => "6", "5"]]
[["6", "5"]]
[["6", "6", "5"]]
[["5", "a" => "7", 5 => "8"]]
[["5", "7", "8"]]
[["5", "7", "a" => "7", "8", 5 => "8"]]
=== without rows
0 | [] | [] | [] | "[]" | false | false
a column: thrown ValueError(0): Vaquita\Rows::column(): Argument #1 ($column) must be the name or the number of a column
=== arguments
a number: thrown TypeError(0): Vaquita\rows(): Argument #1 ($result) must be of type mysqli_result|PDOStatement, int given
null: thrown TypeError(0): Vaquita\rows(): Argument #1 ($result) must be of type mysqli_result|PDOStatement, null given
an object: thrown TypeError(0): Vaquita\rows(): Argument #1 ($result) must be of type mysqli_result|PDOStatement, mysqli given
a mode: thrown ValueError(0): Vaquita\rows(): Argument #2 ($mode) must be one of MYSQLI_NUM, MYSQLI_ASSOC, or MYSQLI_BOTH
a mode of 0: thrown ValueError(0): Vaquita\rows(): Argument #2 ($mode) must be one of MYSQLI_NUM, MYSQLI_ASSOC, or MYSQLI_BOTH
too few: thrown ArgumentCountError(0): Vaquita\rows() expects at least 1 argument, 0 given
by name: "one"
freed: thrown Error(0): mysqli_result object is already closed
"drei"
