<?php
// Properties of links, results and the driver: read, isset, empty, unset, write; var_dump, clone, serialize and the like.
require 'support/prelude.php';

const LINK = ['affected_rows', 'client_info', 'client_version', 'connect_errno', 'connect_error', 'errno', 'error', 'error_list', 'field_count', 'host_info', 'info', 'insert_id',
    'server_info', 'server_version', 'sqlstate', 'protocol_version', 'thread_id', 'warning_count', 'no_such_property', 'Errno'];
const RESULT = ['current_field', 'field_count', 'lengths', 'num_rows', 'type', 'no_such_property', 'TYPE'];
const DRIVER = ['client_info', 'client_version', 'driver_version', 'report_mode', 'no_such_property'];

function masked(mixed $value, string $name): mixed
{
    return $name === 'thread_id' && is_int($value) && $value > 0 ? 'a thread id' : $value;
}

function look(object $object, array $names): void
{
    foreach ($names as $name) {
        attempt("read $name", fn() => masked($object->$name, $name));
        attempt("isset $name", fn() => isset($object->$name));
        attempt("empty $name", fn() => empty($object->$name));
        attempt("?? $name", fn() => masked($object->$name ?? 'default', $name));
        attempt("property_exists $name", fn() => property_exists($object, $name));
    }
}

function change(object $object, array $names): void
{
    foreach ($names as $name) {
        attempt("write $name", fn() => $object->$name = 5);
        attempt("add to $name", function () use ($object, $name) { $object->$name .= 'x'; });
        attempt("increment $name", function () use ($object, $name) { $object->$name++; });
        attempt("append to $name", function () use ($object, $name) { $object->$name[] = 1; });
        attempt("reference to $name", function () use ($object, $name) { $reference = &$object->$name; $reference = 3; });
        attempt("unset $name", function () use ($object, $name) { unset($object->$name); });
        attempt("read $name", fn() => masked($object->$name, $name));
    }
}

function dump(object $object): void
{
    $mask = fn(string $text) => preg_replace(['/#\d+ \(/', '/(\["?thread_id"?\] ?=>\s*(int\()?)[1-9]\d*/', "/('thread_id' => )[1-9]\d*/"], ['#N (', '$1N', '$1N'], $text);
    foreach (['var_dump', 'print_r', 'var_export', 'debug_zval_refcount'] as $function) {
        if (function_exists($function)) {
            ob_start();
            try {
                $function($object);
            } catch (Throwable $thrown) {
                echo text($thrown), "\n";
            }
            echo $mask(ob_get_clean()), "\n";
        }
    }
    attempt('json_encode', fn() => preg_replace('/("thread_id":)\d+/', '$1N', json_encode($object)));
    attempt('(array)', fn() => array_keys((array) $object));
    attempt('get_object_vars', fn() => array_keys(get_object_vars($object)));
    attempt('foreach', function () use ($object) {
        $names = [];
        if (!$object instanceof Traversable) {
            foreach ($object as $name => $value) {
                $names[] = $name;
            }
        }
        return $names;
    });
    attempt('count', fn() => count((array) $object));
    attempt('serialize', fn() => serialize($object));
    attempt('unserialize', fn() => get_debug_type(unserialize('O:' . strlen($object::class) . ':"' . $object::class . '":0:{}')));
    attempt('clone', fn() => clone $object);
    attempt('== itself', fn() => $object == $object);
    attempt('(bool)', fn() => (bool) $object);
    attempt('(int)', fn() => (int) $object);
    attempt('(string)', fn() => (string) $object);
    attempt('call', fn() => $object());
    attempt('index', fn() => $object['x']);
    attempt('no such method', fn() => $object->no_such_method());
    attempt('dynamic property', function () use ($object) { $object->dynamic = [1]; return [$object->dynamic, isset($object->dynamic)]; });
    attempt('unset dynamic', function () use ($object) { unset($object->dynamic); return isset($object->dynamic); });
    attempt('WeakMap', function () use ($object) { $map = new WeakMap; $map[$object] = 1; return count($map); });
    attempt('ReflectionProperty', fn() => array_map(fn($p) => $p->getName() . ' ' . ($p->isInitialized($object) ? 'initialised' : 'not'), (new ReflectionObject($object))->getProperties()));
}

mysqli_report(MYSQLI_REPORT_OFF);
$states = [
    'never connected' => fn() => mysqli_init(),
    'new without arguments' => fn() => new mysqli,
    'connected' => fn() => connect(),
    'after an error' => function () { $link = connect(); $link->query('SELECT nothing_known'); return $link; },
    'after a failed connect' => fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', 1),
    'closed' => function () { $link = connect(); $link->close(); return $link; },
    'initialised, then closed' => function () { $link = mysqli_init(); $link->close(); return $link; },
];
class NoParentLink extends mysqli { public $own = 'own'; public function __construct() {} }
$states['subclass without parent constructor'] = fn() => new NoParentLink;
foreach ($states as $name => $make) {
    section("link $name: look");
    look($make(), LINK);
    section("link $name: change");
    change($make(), LINK);
    section("link $name: dump");
    dump($make());
}

$db = connect();
$query = fn(int $mode) => $db->query('SELECT 1 AS a, "zwei" AS b UNION SELECT 2, NULL', $mode);
class NoParentResult extends mysqli_result { public $own = 'own'; public function __construct() {} }
$states = [
    'fresh' => fn() => $query(MYSQLI_STORE_RESULT),
    'fetched' => function () use ($query) { $result = $query(MYSQLI_STORE_RESULT); $result->fetch_row(); $result->fetch_field(); return $result; },
    'unbuffered' => fn() => $query(MYSQLI_USE_RESULT),
    'unbuffered, fetched' => function () use ($query) { $result = $query(MYSQLI_USE_RESULT); $result->fetch_row(); return $result; },
    'buffered, at the end' => function () use ($query) { $result = $query(MYSQLI_STORE_RESULT); $result->fetch_all(); return $result; },
    'freed' => function () use ($query) { $result = $query(MYSQLI_STORE_RESULT); $result->free(); return $result; },
    'subclass without parent constructor' => fn() => new NoParentResult,
];
foreach ($states as $name => $make) {
    section("result $name: look");
    $result = $make();
    look($result, RESULT);
    $result = null;
    section("result $name: change");
    $result = $make();
    change($result, RESULT);
    $result = null;
    section("result $name: dump");
    $result = $make();
    dump($result);
    $result = null;
}
section('driver: look');
look(new mysqli_driver, DRIVER);
section('driver: change');
change(new mysqli_driver, DRIVER);
section('driver: report_mode');
foreach ([0, 1, 2, 3, 4, 255, 256, -1, '3', '3x', 'x', 1.0, 1.5, true, null, [], new stdClass] as $value) {
    $driver = new mysqli_driver;
    attempt('write ' . text($value), fn() => $driver->report_mode = $value);
    attempt('read', fn() => $driver->report_mode);
    attempt('another', fn() => (new mysqli_driver)->report_mode);
}
mysqli_report(MYSQLI_REPORT_ERROR);
attempt('after mysqli_report', fn() => (new mysqli_driver)->report_mode);
mysqli_report(MYSQLI_REPORT_OFF);
section('driver: dump');
dump(new mysqli_driver);
section('driver: subclass');
attempt('extends', fn() => (new ReflectionClass('mysqli_driver'))->isFinal());
section('exception');
$e = new mysqli_sql_exception;
attempt('empty', fn() => [$e->getMessage(), $e->getCode(), $e->getSqlState()]);
attempt('made by hand', fn() => [(new mysqli_sql_exception('m', 5, new Exception('p')))->getSqlState()]);
attempt('parent', fn() => [get_parent_class('mysqli_sql_exception'), class_implements('mysqli_sql_exception')]);
mysqli_report(MYSQLI_REPORT_STRICT | MYSQLI_REPORT_ERROR);
try {
    $db->query('nonsense');
} catch (mysqli_sql_exception $e) {
    show($e->getMessage(), $e->getCode(), $e->getSqlState(), $e->getLine() > 0, basename($e->getFile()), $e->getPrevious());
    var_dump((function () { return $this->sqlstate; })->call($e));
    attempt('write sqlstate', fn() => $e->sqlstate = 'x');
    attempt('clone', fn() => clone $e);
}
section('identity');
$link = connect();
show($link == connect(), $link === $link, $link instanceof mysqli, is_callable([$link, 'query']), is_iterable($db->query('SELECT 1')), is_countable($db->query('SELECT 1')));
