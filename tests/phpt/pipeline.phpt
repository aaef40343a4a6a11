--TEST--
Vaquita\pipeline gives each statement its own outcome, and throws only where nothing was sent
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

/** Prints each outcome on a line of its own. */
function tell(array $outcomes): void
{
    foreach (outcomes($outcomes) as $key => $outcome) {
        show($key, $outcome);
    }
}

section('what it is');
$function = new ReflectionFunction('Vaquita\pipeline');
show((string) $function->getReturnType(), $function->getExtensionName(), $function->getNumberOfRequiredParameters());
foreach ($function->getParameters() as $parameter) {
    show((string) $parameter);
}

section('an outcome each');
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a INT UNIQUE)');
$outcomes = pipeline($db, [
    'SELECT 1 AS one, NULL AS nothing',
    'INSERT INTO t (a) VALUES (10), (20)',
    'INSERT INTO t (a) VALUES (10)',
    'SELECT nonsense',
    'INSERT INTO t (a) VALUES (30)',
    'SELECT a FROM t ORDER BY a',
    'SELECT a FROM t WHERE FALSE',
]);
show($db->errno, array_column($db->error_list, 'errno'), $db->affected_rows);
tell($outcomes);
show($outcomes[0]->num_rows, $outcomes[0]->type, $outcomes[0]->fetch_field_direct(1)->name);
show(str_contains($outcomes[3]->getMessage(), 'nonsense'), $outcomes[3]->getLine() === $outcomes[2]->getLine(), $outcomes[3]->getPrevious());

section('the class of what has no rows');
var_dump($outcomes[1]);
var_dump(isset($outcomes[1]->affected_rows), isset($outcomes[1]->nothing));
attempt('written', fn() => $outcomes[1]->insert_id = 1);
attempt('added', fn() => $outcomes[1]->more = 1);
attempt('made', fn() => new Vaquita\Done);
attempt('cloned', fn() => clone $outcomes[1]);
attempt('serialized', fn() => serialize($outcomes[1]));
show(pipeline($db, ['INSERT INTO t (a) SELECT 41 UNION ALL SELECT 42'])[0]->info);

section('keys and references');
$sql = 'SELECT 2';
tell(pipeline($db, ['one' => 'SELECT 1', 7 => &$sql, 'three' => 'SELECT 3', 'again' => $sql]));
show(pipeline($db, []), pipeline($db, [], true));
tell(pipeline(queries: ['SELECT 1'], link: $db, stop_on_error: true));

section('until the first error');
tell(pipeline($db, ['a' => 'SELECT 1', 'b' => 'nonsense', 'c' => 'DELETE FROM t'], true));
tell(pipeline($db, ['SELECT COUNT(*) FROM t', 'SELECT 2'], true));

section('arguments: nothing is sent');
foreach ([
    'a number' => ['DELETE FROM t', 5],
    'null' => ['DELETE FROM t', null],
    'a list' => ['DELETE FROM t', ['DELETE FROM t']],
    'an object' => ['DELETE FROM t', new class { function __toString() { echo 'never'; return 'DELETE FROM t'; } }],
    'nothing in it' => ['DELETE FROM t', ''],
] as $what => $queries) {
    attempt($what, fn() => pipeline($db, $queries));
}
attempt('no array', fn() => pipeline($db, 'SELECT 1'));
attempt('no link', fn() => pipeline(new stdClass, []));
attempt('null for a link', fn() => pipeline(null, []));
attempt('too few', fn() => pipeline($db));
attempt('too many', fn() => pipeline($db, [], false, 1));
attempt('not connected', fn() => pipeline(mysqli_init(), []));
tell(pipeline($db, ['SELECT COUNT(*) FROM t']));

section('several results');
$db->query('DROP PROCEDURE IF EXISTS pipelined');
$db->query("CREATE PROCEDURE pipelined() BEGIN SELECT 'first'; SELECT 'second'; END");
tell(pipeline($db, ['CALL pipelined()', 'SELECT 1', 'SELECT 2; SELECT 3', 'CALL pipelined()', 'DROP PROCEDURE pipelined']));
show($db->more_results());

section('a local file');
tell(pipeline($db, ["LOAD DATA LOCAL INFILE '" . __FILE__ . "' INTO TABLE t", 'SELECT 1']));

section('the session');
tell(pipeline($db, ['SET @a = 5', 'SELECT @a', 'SET NAMES latin1']));
show(on('mysql56') || $db->real_escape_string("\xc3'") === "\xc3\\'");

section('report modes');
foreach ([MYSQLI_REPORT_OFF, MYSQLI_REPORT_ERROR, MYSQLI_REPORT_ALL] as $mode) {
    mysqli_report($mode);
    tell(pipeline($db, ['nonsense', 'SELECT 1']));
    $rows = $db->query('SELECT 1', MYSQLI_USE_RESULT);
    $outcomes = attempt('busy', fn() => outcomes(pipeline($db, ['SELECT 2', 'SELECT 3'])));
    show($db->errno, count($db->error_list), $rows->fetch_row());
    $rows->free();
}

section('the handler of a warning uses the link');
mysqli_report(MYSQLI_REPORT_ERROR);
$statement = $db->prepare('SELECT ?');
foreach ([[$db, ['SELECT 2', 'SELECT 3']], [$statement, [[2], [3]]]] as [$target, $queries]) {
    $rows = $db->query('SELECT 1', MYSQLI_USE_RESULT);
    set_error_handler(function () use ($db, $rows, $target, $queries) {
        $rows->free();
        tell(pipeline($target, $queries));
    });
    tell(pipeline($target, $queries));
    restore_error_handler();
}
mysqli_report(MYSQLI_REPORT_OFF);
$prepare = new class ($statement) {
    function __construct(private mysqli_stmt $statement) {}
    function __toString() { $this->statement->prepare('SELECT 1'); return ''; }
};
tell(pipeline($statement, [[$prepare]]));
show($statement->errno, $statement->error_list[0]['errno'] ?? null);

section('a connection that dies');
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$outcomes = pipeline($db, ['SELECT 1', "KILL $db->thread_id", 'SELECT 2', 'SELECT 3']);
show($db->errno);
show(outcomes($outcomes)[0], in_array($outcomes[1]->getCode(), [1317, 1927, 2013], true));
tell(array_slice($outcomes, 2));
show($outcomes[3]->getMessage());
attempt('gone', fn() => pipeline($db, ['SELECT 1', 'SELECT 2']));
mysqli_report(MYSQLI_REPORT_OFF);
tell(pipeline($db, ['SELECT 1', 'SELECT 2']));
$db->close();
attempt('closed', fn() => pipeline($db, []));
?>
--EXPECT--
=== what it is
"array" | "vaquita" | 2
"Parameter #0 [ <required> mysqli|mysqli_stmt $link ]"
"Parameter #1 [ <required> array $queries ]"
"Parameter #2 [ <optional> bool $stop_on_error = false ]"
=== an outcome each
1054 | [1062, 1054] | 0
0 | [["1", null]]
1 | "2 changed, id 1"
2 | "mysqli_sql_exception 1062 23000"
3 | "mysqli_sql_exception 1054 42S22"
4 | "1 changed, id 4"
5 | [["10"], ["20"], ["30"]]
6 | []
1 | 0 | "nothing"
true | true | null
=== the class of what has no rows
object(Vaquita\Done)#6 (4) {
  ["affected_rows"]=>
  int(2)
  ["insert_id"]=>
  int(1)
  ["warning_count"]=>
  int(0)
  ["info"]=>
  string(38) "Records: 2  Duplicates: 0  Warnings: 0"
}
bool(true)
bool(false)
written: thrown Error(0): Cannot write read-only property Vaquita\Done::$insert_id
added: thrown Error(0): Cannot create dynamic property Vaquita\Done::$more
made: thrown Error(0): Call to private Vaquita\Done::__construct() from global scope
cloned: thrown Error(0): Trying to clone an uncloneable object of class Vaquita\Done
serialized: thrown Exception(0): Serialization of 'Vaquita\Done' is not allowed
"Records: 2  Duplicates: 0  Warnings: 0"
=== keys and references
"one" | [["1"]]
7 | [["2"]]
"three" | [["3"]]
"again" | [["2"]]
[] | []
0 | [["1"]]
=== until the first error
"a" | [["1"]]
"b" | "mysqli_sql_exception 1064 42000"
0 | [["5"]]
1 | [["2"]]
=== arguments: nothing is sent
a number: thrown TypeError(0): Vaquita\pipeline(): Argument #2 ($queries) must be an array of strings, int found
null: thrown TypeError(0): Vaquita\pipeline(): Argument #2 ($queries) must be an array of strings, null found
a list: thrown TypeError(0): Vaquita\pipeline(): Argument #2 ($queries) must be an array of strings, array found
an object: thrown TypeError(0): Vaquita\pipeline(): Argument #2 ($queries) must be an array of strings, class@anonymous found
nothing in it: thrown ValueError(0): Vaquita\pipeline(): Argument #2 ($queries) must not have an empty query
no array: thrown TypeError(0): Vaquita\pipeline(): Argument #2 ($queries) must be of type array, string given
no link: thrown TypeError(0): Vaquita\pipeline(): Argument #1 ($link) must be of type mysqli|mysqli_stmt, stdClass given
null for a link: thrown TypeError(0): Vaquita\pipeline(): Argument #1 ($link) must be of type mysqli|mysqli_stmt, null given
too few: thrown ArgumentCountError(0): Vaquita\pipeline() expects at least 2 arguments, 1 given
too many: thrown ArgumentCountError(0): Vaquita\pipeline() expects at most 3 arguments, 4 given
not connected: thrown Error(0): mysqli object is not fully initialized
0 | [["5"]]
=== several results
0 | [["first"]]
1 | [["1"]]
2 | "mysqli_sql_exception 1064 42000"
3 | [["first"]]
4 | "0 changed, id 0"
false
=== a local file
0 | "mysqli_sql_exception 2068 HY000"
1 | [["1"]]
=== the session
0 | "0 changed, id 0"
1 | [["5"]]
2 | "0 changed, id 0"
true
=== report modes
0 | "mysqli_sql_exception 1064 42000"
1 | [["1"]]
busy: ["mysqli_sql_exception 2014 HY000", "mysqli_sql_exception 2014 HY000"]
2014 | 1 | ["1"]
0 | "mysqli_sql_exception 1064 42000"
1 | [["1"]]
  Warning: Vaquita\pipeline(): (HY000/2014): Commands out of sync; you can't run this command now
busy: ["mysqli_sql_exception 2014 HY000", "mysqli_sql_exception 2014 HY000"]
2014 | 1 | ["1"]
0 | "mysqli_sql_exception 1064 42000"
1 | [["1"]]
busy: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
2014 | 1 | ["1"]
=== the handler of a warning uses the link
0 | [["2"]]
1 | [["3"]]
0 | "mysqli_sql_exception 2014 HY000"
1 | "mysqli_sql_exception 2014 HY000"
0 | [["2"]]
1 | [["3"]]
0 | "mysqli_sql_exception 2014 HY000"
1 | "mysqli_sql_exception 2014 HY000"
0 | "mysqli_sql_exception 2014 HY000"
2014 | 2014
=== a connection that dies
2013
[["1"]] | true
0 | "mysqli_sql_exception 2013 HY000"
1 | "mysqli_sql_exception 2013 HY000"
"Lost connection to MySQL server during query"
gone: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
0 | "mysqli_sql_exception 2006 HY000"
1 | "mysqli_sql_exception 2006 HY000"
closed: thrown Error(0): mysqli object is already closed
