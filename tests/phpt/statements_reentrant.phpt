--TEST--
User code that runs in the middle of a prepared statement's work may do anything to that statement and its link
--FILE--
<?php
// places: mariadb-unix mysql80-tcp
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);
class Text
{
    public function __construct(private Closure $speak) { }
    public function __toString(): string { ($this->speak)(); return 'text'; }
}
class Late
{
    public function __construct(private Closure $act) { }
    public function __destruct() { ($this->act)(); }
}
$acts = [
    'close' => fn() => $GLOBALS['s']->close(),
    'execute' => fn() => $GLOBALS['s']->execute(['inner', 'inner']),
    'prepare' => fn() => $GLOBALS['s']->prepare('SELECT 1, ?'),
    'free_result' => fn() => $GLOBALS['s']->free_result(),
    'fetch' => fn() => $GLOBALS['s']->fetch(),
    'bind_param' => function () { $x = 'other'; $y = 'other'; $GLOBALS['s']->bind_param('ss', $x, $y); },
    'bind_param of other types' => function () { $x = 1.5; $y = 2; $GLOBALS['s']->bind_param('di', $x, $y); },
    'bind_result' => function () { $GLOBALS['s']->bind_result($x, $y); },
    'close the link' => fn() => $GLOBALS['db']->close(),
    'unset the statement' => function () { $GLOBALS['s'] = null; },
    'throw' => fn() => throw new LogicException('thrown'),
];
function tried(callable $work): string
{
    try {
        return text($work());
    } catch (Throwable $e) {
        return get_class($e) . ': ' . $e->getMessage();
    }
}
foreach ($acts as $name => $act) {
    // A parameter's __toString.
    $db = connect();
    $s = $db->prepare('SELECT ?, ?');
    $busy = false;
    $once = function () use ($act, &$busy) { if (!$busy) { $busy = true; $act(); } };
    echo "$name in __toString: ", tried(fn() => $s->execute([new Text($once), 'x'])), ', ', tried(fn() => ($result = $s?->get_result()) ? $result->fetch_row() : $result), "\n";

    // A bound variable's destructor.
    $db = connect();
    $s = $db->prepare('SELECT ?, ?');
    $busy = false;
    $first = new Late($once);
    $second = 'before';
    tried(fn() => $s->execute(['a', 'b']));
    $s->bind_result($first, $second);
    echo "$name in a destructor: ", tried(fn() => $s->fetch()), ', ', text([is_object($first) ? 'object' : $first, $second]), "\n";

    // A typed property that can't take the value.
    $db = connect();
    $s = $db->prepare('SELECT ?, ?');
    $busy = false;
    $object = new class { public int $number = 0; public string $text = ''; };
    tried(fn() => $s->execute(['7 and more', 'b']));
    $s->bind_result($object->number, $object->text);
    set_error_handler(function () use ($once) { $once(); return true; });
    echo "$name at a typed property: ", tried(fn() => $s->fetch()), ', ', text([$object->number, $object->text]), "\n";
    restore_error_handler();

    // The last reference of a variable that only the statement holds.
    $db = connect();
    $s = $db->prepare('SELECT ?, ?');
    $busy = false;
    (function () use ($s, $once) { $late = new Late($once); $x = 1; $s->bind_param('ss', $late, $x); })();
    echo "$name when let go: ", tried(function () use ($s) { $a = 1; $b = 2; return $s->bind_param('ss', $a, $b); }), ', ', tried(fn() => $s?->execute()), "\n";
    $s = null;
}
// A typed property whose object, and the statement, go with what the property held.
$db = connect();
$s = $db->prepare('SELECT ?, ?');
$s->execute(['a', 'b']);
$object = new class { public string|object $text = ''; };
$object->text = new Late(function () { $GLOBALS['object'] = null; $GLOBALS['s']->close(); });
$s->bind_result($object->text, $last);
echo 'a typed property of an object that goes: ', tried(fn() => $s->fetch()), ', ', text([$object, $last]), "\n";
// A destructor that fetches the next row while one is given to the variables.
$db = connect();
$s = $db->prepare("SELECT 'first', 'row' UNION ALL SELECT 'second', 'one'");
$s->execute();
$s->bind_result($left, $right);
$left = new Late(fn() => $GLOBALS['s']->fetch());
$right = 'before';
echo 'fetch of a further row: ', tried(fn() => $s->fetch()), ', ', text([$left, $right]), ', ', tried(fn() => $s->fetch()), "\n";
echo "the end\n";
?>
--EXPECT--
close in __toString: false, Error: mysqli_stmt object is already closed
close in a destructor: true, ["a", "before"]
close at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
close when let go: true, Error: mysqli_stmt object is already closed
execute in __toString: false, false
execute in a destructor: true, ["a", "before"]
execute at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
execute when let go: true, true
prepare in __toString: false, false
prepare in a destructor: true, ["a", "before"]
prepare at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
prepare when let go: true, false
free_result in __toString: true, ["text", "x"]
free_result in a destructor: true, ["a", "before"]
free_result at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
free_result when let go: true, true
fetch in __toString: true, ["text", "x"]
fetch in a destructor: true, ["a", "b"]
fetch at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
fetch when let go: true, true
bind_param in __toString: true, ["text", "x"]
bind_param in a destructor: true, ["a", "b"]
bind_param at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
bind_param when let go: true, true
bind_param of other types in __toString: false, false
bind_param of other types in a destructor: true, ["a", "b"]
bind_param of other types at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
bind_param of other types when let go: true, true
bind_result in __toString: true, ["text", "x"]
bind_result in a destructor: true, ["a", "before"]
bind_result at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
bind_result when let go: true, true
close the link in __toString: false, false
close the link in a destructor: true, ["a", "b"]
close the link at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
close the link when let go: true, false
unset the statement in __toString: true, null
unset the statement in a destructor: true, ["a", "b"]
unset the statement at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
unset the statement when let go: true, null
throw in __toString: LogicException: thrown, false
throw in a destructor: LogicException: thrown, ["a", "b"]
throw at a typed property: TypeError: Cannot assign string to reference held by property class@anonymous::$number of type int, [0, "b"]
throw when let go: LogicException: thrown, true
a typed property of an object that goes: true, [null, null]
fetch of a further row: true, ["second", "one"], null
the end
