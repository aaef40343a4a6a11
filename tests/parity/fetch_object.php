<?php
// fetch_object with classes of all kinds.
// transports: tcp unix
require 'support/prelude.php';

$db = connect();
$db->query('CREATE TABLE t (id INT, name VARCHAR(20), price DECIMAL(5,2))');
$db->query("INSERT INTO t VALUES (1, 'one', 1.50), (2, NULL, NULL), (3, 'x', 0)");

class Plain { public $id; public $extra = 'default'; }
class Hidden { private $id = 'private'; protected $name = 'protected'; public function all() { return get_object_vars($this); } }
class WithSet { public $calls = []; public $id; public function __set($name, $value) { $this->calls[] = [$name, $value]; } }
class SetHidden { private $id = 'mine'; public $calls = []; public function __set($name, $value) { $this->calls[] = [$name, $value]; } public function all() { return $this->id; } }
class Order { public $seen; public $id; public function __construct(...$arguments) { $this->seen = ['id before' => $this->id, 'arguments' => $arguments]; } }
class Typed { public int $id; public ?string $name; public float $price = 0.0; }
class TypedNotNull { public int $id; public string $name; }
class TypedWrong { public array $id; }
class ReadOnlyId { public readonly int $id; public $name; }
class Counter { public static int $made = 0; public static int $gone = 0; public $id; public function __construct() { self::$made++; } public function __destruct() { self::$gone++; } }
abstract class AbstractOne { public $id; }
interface AnInterface {}
trait ATrait {}
class PrivateConstructor { public $id; private function __construct() { echo "private constructor runs\n"; } }
class ProtectedConstructor { public $id; protected function __construct() { echo "protected constructor runs\n"; } }
class Needs { public $id; public function __construct(public string $a, public int $b = 5) {} }
class Throwing { public $id; public function __construct() { throw new LogicException("constructor of row {$this->id}"); } }
class ThrowingSet { public function __set($name, $value) { throw new LogicException("set $name"); } }
class ByReference { public $id; public function __construct(&$a) { $a = 'changed'; } }
#[AllowDynamicProperties] class Dynamic {}
class NotDynamic { }
final class IsFinal { public $id; }
class StaticProperty { public static $id = 'static'; public $name; }
class Unserializable { public $id; public function __construct() { unset($this->id); } public function __get($n) { return "got $n"; } }
class Parent1 { private $id = 'parent'; public function parent_id() { return $this->id; } }
class Child1 extends Parent1 { }
class Promoted { public function __construct(public readonly int $id = 7, protected ?string $name = 'p') {} }

foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $query = fn(string $columns = '*') => $db->query("SELECT $columns FROM t ORDER BY id", $mode);
    $each = function (string $class, ...$rest) use ($query) {
        $result = $query();
        for ($i = 1; $i <= 4; $i++) {
            attempt("row $i", fn() => $result->fetch_object($class, ...$rest));
        }
        $result->free();
    };
    foreach (['Plain', 'Hidden', 'WithSet', 'SetHidden', 'Order', 'Typed', 'TypedNotNull', 'TypedWrong', 'ReadOnlyId', 'AbstractOne', 'AnInterface', 'ATrait',
        'PrivateConstructor', 'ProtectedConstructor', 'Needs', 'Throwing', 'ThrowingSet', 'Dynamic', 'NotDynamic', 'IsFinal', 'StaticProperty', 'Unserializable',
        'Child1', 'Promoted', 'stdClass', 'STDCLASS', '\Plain', 'plain', 'NoSuchClass', '', 'self', 'ArrayObject', 'SplObjectStorage', 'Closure', 'Generator', 'WeakMap',
        'DateTime', 'Exception', 'mysqli_sql_exception', 'mysqli', 'mysqli_result', 'mysqli_driver', 'ArrayIterator', 'SimpleXMLElement'] as $class) {
        section("class $class, mode $mode");
        if (in_array($class, ['mysqli', 'mysqli_driver', 'mysqli_result', 'Exception', 'mysqli_sql_exception', 'DateTime'], true)) {
            $result = $query();
            attempt('row 1', fn() => get_debug_type($result->fetch_object($class)));
            $result->free();
            continue;
        }
        $each($class);
    }
    section("constructor arguments, mode $mode");
    $each('Order', []);
    $each('Order', [1, 'two', [3]]);
    $each('Order', ['named' => 1]);
    $each('Needs', ['a']);
    $each('Needs', ['a', 9]);
    $each('Needs', ['b' => 3, 'a' => 'n']);
    $each('Needs', ['c' => 3, 'a' => 'n']);
    $each('Needs', ['b' => 3, 'x']);
    $each('Needs', [[], 9]);
    $each('Plain', []);
    $each('Plain', [1]);
    $each('stdClass', [1]);
    $each('stdClass', []);
    $x = 'before';
    $each('ByReference', [&$x]);
    show($x);
    $each('ByReference', ['value']);
    section("constructor arguments by function, mode $mode");
    $result = $query();
    attempt('function', fn() => mysqli_fetch_object($result, 'Plain', [1]));
    attempt('function', fn() => mysqli_fetch_object($result, 'NoSuchClass'));
    attempt('function', fn() => mysqli_fetch_object($result, 'AbstractOne'));
    attempt('function', fn() => mysqli_fetch_object(result: $result, class: 'Order', constructor_args: ['z']));
    attempt('function', fn() => mysqli_fetch_object($result, constructor_args: ['z']));
    $result->free();

    section("private values, mode $mode");
    $result = $query();
    attempt('Hidden', fn() => $result->fetch_object('Hidden')->all());
    attempt('SetHidden', fn() => $result->fetch_object('SetHidden')->all());
    attempt('Child1', fn() => $result->fetch_object('Child1')->parent_id());
    $result->free();
    section("destructors, mode $mode");
    $result = $query();
    while ($object = $result->fetch_object('Counter')) {
        show(Counter::$made, Counter::$gone, $object->id);
    }
    show(Counter::$made, Counter::$gone);
    $result->free();

    section("autoload, mode $mode");
    spl_autoload_register($loader = function (string $class) {
        echo "autoload $class\n";
        if ($class === 'FromAutoload') {
            eval('class FromAutoload { public $id; }');
        }
    });
    $each('FromAutoload');
    $each('Unknown1');
    spl_autoload_unregister($loader);
    spl_autoload_register($loader = fn(string $class) => throw new LogicException("autoload of $class"));
    $each('Unknown2');
    spl_autoload_unregister($loader);

    section("odd names, mode $mode");
    foreach (['1 AS `0`', "1 AS ``", '1 AS `a b`', "1 AS `\0x`", '1 AS a, 2 AS A, 3 AS a', "'x' AS this"] as $columns) {
        attempt(addcslashes($columns, "\0"), function () use ($query, $columns) {
            $result = $query($columns);
            try {
                return $result->fetch_object();
            } finally {
                $result->free();
            }
        });
    }
    section("the link is used in the constructor, mode $mode");
    class_exists('UsesLink') || eval('class UsesLink { public $id; public $other; public function __construct($db) { $this->other = $db->query("SELECT 5")?->fetch_row(); } }');
    $each('UsesLink', [$db]);
    section("the result is used in the constructor, mode $mode");
    class_exists('UsesResult') || eval('class UsesResult { public $id; public $other; public function __construct($result) { $this->other = $result->fetch_row(); } }');
    $result = $query();
    attempt('first', fn() => $result->fetch_object('UsesResult', [$result]));
    attempt('second', fn() => $result->fetch_object('UsesResult', [$result]));
    attempt('third', fn() => $result->fetch_object('UsesResult', [$result]));
    $result->free();
    section("the result is freed in the constructor, mode $mode");
    class_exists('FreesResult') || eval('class FreesResult { public $id; public function __construct($result) { $result->free(); } }');
    $result = $query();
    attempt('first', fn() => $result->fetch_object('FreesResult', [$result]));
    attempt('second', fn() => $result->fetch_object('FreesResult', [$result]));
    section("the result is freed in __set, mode $mode");
    class_exists('FreesInSet') || eval('class FreesInSet { public static $result; public $seen; public function __set($name, $value) { $this->seen[] = [$name, $value]; try { self::$result->free(); } catch (Error $e) { } } }');
    $result = $query();
    FreesInSet::$result = $result;
    attempt('first', fn() => $result->fetch_object('FreesInSet'));
    attempt('second', fn() => $result->fetch_object('FreesInSet'));
    FreesInSet::$result = $result = null;
    section("the link still works, mode $mode");
    show($db->query('SELECT 1')->fetch_row());
}
