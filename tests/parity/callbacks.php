<?php
// exit(), exceptions and fatal errors in what is called back: constructors, __set, destructors, error handlers, shutdown functions.
require 'support/prelude.php';

$setup = <<<'PHP'
mysqli_report(MYSQLI_REPORT_OFF);
$db = connect();
$query = fn(int $mode) => $db->query('SELECT 1 AS id, "a" AS name UNION SELECT 2, "b" UNION SELECT 3, "c"', $mode);
class Row {
    public $id; public $name;
    public static ?Closure $in_constructor = null;
    public function __construct() { (self::$in_constructor)($this); }
}
class SetRow {
    public static ?Closure $in_set = null;
    public function __set($name, $value) { (self::$in_set)($this); }
}
class Gone {
    public $id; public $name;
    public static ?Closure $in_destructor = null;
    public function __destruct() { (self::$in_destructor)($this); }
}
register_shutdown_function(function () use ($db) {
    echo "shutdown: ";
    $result = $db->query('SELECT "same link"');
    echo $result ? $result->fetch_row()[0] : "error $db->errno", "\n";
});

PHP;
$actions = [
    'exit' => 'exit(7);',
    'exit with text' => 'exit("bye\n");',
    'exception' => 'throw new LogicException("thrown");',
    'fatal error' => 'trigger_error("fatal", E_USER_ERROR);',
    'out of memory' => '$x = str_repeat("x", 500_000_000);',
    'uncaught error' => 'undefined_function();',
    'query' => 'global $db; $r = $db->query("SELECT 5"); echo $r ? "got " . $r->fetch_row()[0] : "error $db->errno", "\n";',
    'close' => 'global $db; try { echo "close: "; var_dump($db->close()); } catch (Error $e) { echo text($e), "\n"; }',
    'nested fetch' => 'global $result; var_dump($result->fetch_row());',
    'free' => 'global $result; $result->free();',
];
foreach (['buffered' => 'MYSQLI_STORE_RESULT', 'unbuffered' => 'MYSQLI_USE_RESULT'] as $mode_name => $mode) {
    foreach ($actions as $name => $action) {
        $closure = "function (\$object) { restore_error_handler(); $action }";
        section("$name in a constructor, $mode_name");
        child($setup . "Row::\$in_constructor = $closure;\n\$result = \$query($mode);\n\$row = \$result->fetch_object('Row');\necho \"went on\\n\"; unset(\$row);\n" .
            "try { var_dump(\$result->fetch_row()); } catch (Error \$e) { echo text(\$e); }", ['memory_limit' => '64M']);
        section("$name in __set, $mode_name");
        child($setup . "SetRow::\$in_set = $closure;\n\$result = \$query($mode);\n\$row = \$result->fetch_object('SetRow');\necho \"went on\\n\"; unset(\$row);\n" .
            "try { var_dump(\$result->fetch_row()); } catch (Error \$e) { echo text(\$e); }", ['memory_limit' => '64M']);
        section("$name in a destructor, $mode_name");
        child($setup . "Gone::\$in_destructor = $closure;\n\$result = \$query($mode);\n\$row = \$result->fetch_object('Gone');\n\$row = \$result->fetch_object('Gone');\necho \"went on\\n\"; unset(\$row);\n" .
            "try { var_dump(\$result->fetch_row()); } catch (Error \$e) { echo text(\$e); }", ['memory_limit' => '64M']);
    }
}
foreach ($actions as $name => $action) {
    if (in_array($name, ['nested fetch', 'free'], true)) {
        continue;
    }
    foreach ([
        'query' => '$db->query("nonsense")', 'next_result' => '$db->multi_query("SELECT 1; nonsense"); $db->store_result(); $db->next_result()', 'connect' => 'new mysqli("127.0.0.1", "u", "p", "d", 1)',
        'mysqli_connect' => 'mysqli_connect("127.0.0.1", "u", "p", "d", 1)', 'index' => 'mysqli_report(MYSQLI_REPORT_INDEX); $db->query("SELECT * FROM t WHERE n = 1")', 'index, unbuffered' => 'mysqli_report(MYSQLI_REPORT_INDEX); $db->query("SELECT * FROM t WHERE n = 1", MYSQLI_USE_RESULT)',
        'transaction name' => '$db->begin_transaction(0, "b*d")', 'deprecation' => '$db->real_escape_string(null)',
    ] as $call_name => $call) {
        if ($name === 'close' && $call_name === 'transaction name') {
            continue; // stock crashes
        }
        section("$name in an error handler, in $call_name");
        child($setup . "\$db->query('CREATE TEMPORARY TABLE t (n INT)'); \$db->query('INSERT INTO t VALUES (1)'); mysqli_report(MYSQLI_REPORT_ERROR);\n" .
            "set_error_handler(function (\$level, \$message) { echo \"handler: \$message\\n\"; restore_error_handler(); $action return true; });\n$call;\necho \"went on\\n\";", ['memory_limit' => '64M']);
    }
}
section('exit in a foreach body');
child($setup . 'foreach ($query(MYSQLI_USE_RESULT) as $row) { echo $row["id"]; exit(3); }');
section('an exception in a foreach body');
child($setup . 'foreach ($query(MYSQLI_USE_RESULT) as $row) { echo $row["id"]; throw new LogicException("in the body"); }');
section('a generator that is never finished');
child($setup . '$generate = function () use ($query) { yield from $query(MYSQLI_USE_RESULT); }; $g = $generate(); echo $g->current()["id"]; $g->next(); echo $g->current()["id"]; exit;');
section('objects that end at the end, each with the link');
child($setup . 'class Holder { public function __construct(public mysqli $db, public ?mysqli_result $result) {} public function __destruct() { echo "holder: "; $r = $this->db->query("SELECT 6"); echo $r ? $r->fetch_row()[0] : "error {$this->db->errno}", "\n"; } }
    $a = new Holder($db, $query(MYSQLI_STORE_RESULT)); $b = new Holder(connect(), null); $c = new Holder($b->db, $b->db->query("SELECT 1 UNION SELECT 2", MYSQLI_USE_RESULT)); $c->result->fetch_row();');
section('a cycle of link, result and object');
child($setup . '#[AllowDynamicProperties] class Mine extends mysqli { public $result; } $mine = connect("Mine"); $mine->result = $mine->query("SELECT 1 UNION SELECT 2", MYSQLI_USE_RESULT); $mine->self = $mine; unset($mine); var_dump(gc_collect_cycles() > 0);');
section('a link in a static, a global and a closure');
child($setup . 'class Keeps { public static $db; public static $r; } Keeps::$db = connect(); Keeps::$r = Keeps::$db->query("SELECT 1 UNION SELECT 2", MYSQLI_USE_RESULT); function f() { static $db; return $db ??= connect(); } echo f()->query("SELECT 8")->fetch_row()[0], "\n";');
section('session-like write in a shutdown function');
child('register_shutdown_function(function () { global $db; echo $db->query("SELECT 7")->fetch_row()[0], "\n"; }); $db = connect(); undefined_function();');
section('output buffer callback uses the link');
child($setup . 'ob_start(function ($text) use ($db) { return $text . ($db->query("SELECT 9")?->fetch_row()[0] ?? "none") . "\n"; }); echo "text ";');
section('a memory limit of the script itself, then the link is used');
child($setup . '$rows = []; while (true) { $rows[] = str_repeat("x", 100000); }', ['memory_limit' => '16M']);
