<?php
/*
 * Plays sequences of calls, one after the other, and prints what each step gave and in what state it left the objects that it names.
 *
 *     php play.php FILE        a JSON object of sequences by number; each a list of expressions
 *
 * What is different from run to run is masked here, where it is known what it is. After a sequence nothing of it may be left: the line
 * "left" counts objects and open files.
 */

declare(strict_types=0); // wrong types shall be converted where PHP does so

require 'support/prelude.php';

/** Those that sequences write into. */
const TABLES = ['w0', 'w1', 'w2'];

class Bare extends mysqli { public function __construct() {} }
class BarePdo extends PDO { public function __construct() {} }
class Child extends mysqli { public $mine = 1; }
class Row { public $id = 'mine'; private $name; public function __construct(public mixed $given = 0) {} }
class Throwing { public function __construct() { throw new DomainException('thrown'); } }
class Hidden { private function __construct() {} }
class Typed { public int $id = 0; public int $a = 0; public array $name = []; }
class Fixed { public readonly int $id; public function __construct() {} }
abstract class Abstracted {}
enum Suit { case One; }
class ChildOfPdo extends PDO { public $mine = 1; public function __destruct() { echo "  a handle ends\n"; } }
class Own extends PDOStatement { private function __construct(public mixed $given = 0) {} public function __destruct() { echo "  a statement ends\n"; } }
class Public_ extends PDOStatement { public function __construct() {} }
class Failing extends PDOStatement { private function __construct() { throw new DomainException('thrown'); } }
class Words { public function __toString(): string { return 'words'; } }

/** Does something else while a row becomes an object, or the argument of a function; once. */
class Meddling
{
    public static ?Closure $act = null;
    public $id = 'mine';

    public function __construct(public mixed $given = 0)
    {
        meddle();
    }
}

function meddle(mixed ...$row): mixed
{
    $act = Meddling::$act;
    Meddling::$act = null;
    return $act === null ? $row : $act();
}

function stream(string $text): mixed
{
    $stream = fopen('php://memory', 'w+');
    fwrite($stream, $text);
    rewind($stream);
    return $stream;
}

function closed_stream(): mixed
{
    $stream = stream('');
    fclose($stream);
    return $stream;
}

/** A part of a data source's name, and a key of persistent handles, that no other sequence in this process has. */
function own_key(): string
{
    return ";sequence=$GLOBALS[number]";
}

function id_of(PDO $db): mixed
{
    return $db->query('SELECT CONNECTION_ID() AS id')->fetchColumn();
}

/** Ends a connection of this sequence. */
function kill(mixed $id): void
{
    global $admin;
    try {
        is_numeric($id) && kill_connection($admin, (int) $id);
    } catch (mysqli_sql_exception) { // it ended by itself
    }
}

function dump(mixed $value): string
{
    ob_start();
    var_dump($value);
    $last = '/(\["error_list"\]=>\n  array\()\d+(\) \{\n)(?:    \[\d+\]=>\n    array.*?\n    \}\n)*(    \[)\d+(\]=>\n    array.*?\n    \}\n)/s';
    return preg_replace(['/#\d+ \(/', $last], ['#N (', '${1}1$2${3}0$4'], ob_get_clean());
}

function foreach_one(mixed $values): mixed
{
    foreach ($values as $value) {
        return $value;
    }
    return 'none';
}

function drop(object $object, string $property): void
{
    unset($object->$property);
}

/** In stock the list grows with each call that fails without sending anything; ours has the last error (tests/parity/error_list.php). */
function last_error(array $errors): array
{
    return array_slice($errors, -1);
}

/** A step's outcome as it is shown. */
function masked(string $step, mixed $value): string
{
    // tests/parity/statistics.php compares them; of persistent links stock counts some below zero.
    if (is_array($value) && preg_match('/(connection|client|links)_stats/', $step)) {
        return count($value) . ' counters';
    }
    if (is_array($value) && str_contains($step, 'error_list')) {
        $value = last_error($value);
    }
    if (is_string($value) && str_starts_with($value, 'Uptime: ')) {
        $value = preg_replace('/\d+(\.\d+)?/', 'N', $value);
    }
    $text = is_string($value) && str_starts_with($step, 'dump(') ? $value : text($value);
    if (preg_match('/^[^(]*(->|_)stat\(/', $step)) {
        $text = preg_replace('/\d+(\.\d+)?/', 'N', $text);
    }
    if (preg_match('/->(thread_)?id(\+\+|$)|mysqli_thread_id|\bid_of\(/', $step) && is_numeric($value) && $value > 0) {
        return 'an id';
    }
    return preg_replace('/("(?:thread_)?id"\]?(?: ?=>\s*|:)(?:int\()?)[1-9]\d*/', '$1N', $text);
}

/** What tells the state of an object; the first that fails ends it. */
function state(?object $object): string
{
    $names = match (true) {
        $object instanceof mysqli => ['affected_rows', 'errno', 'error', 'error_list', 'sqlstate', 'field_count', 'info', 'insert_id', 'warning_count', 'connect_errno', 'connect_error'],
        $object instanceof mysqli_stmt => ['affected_rows', 'insert_id', 'num_rows', 'param_count', 'field_count', 'errno', 'error', 'error_list', 'sqlstate', 'id'],
        $object instanceof mysqli_result => ['current_field', 'field_count', 'lengths', 'num_rows', 'type'],
        $object instanceof mysqli_warning => ['message', 'sqlstate', 'errno'],
        $object instanceof PDO => ['errorInfo()', 'inTransaction()'],
        $object instanceof PDOStatement => ['columnCount()', 'rowCount()', 'errorInfo()'],
        default => [],
    };
    $values = [];
    try {
        foreach ($names as $name) {
            $value = str_ends_with($name, '()') ? $object->{substr($name, 0, -2)}() : $object->$name;
            $values[] = match (true) {
                $name === 'id' && $value > 0 => 'an id',
                $name === 'error_list' => text(last_error($value)),
                default => text($value),
            };
        }
    } catch (Throwable $thrown) {
        $values[] = text($thrown);
    }
    return implode(' ', $values);
}

/** Waits for a server that ends a connection at its own word, so that it does not depend on the time how the next step fails. */
function wait_for_the_end(string $step, array $objects): void
{
    global $admin;
    if (!preg_match('/\b(?:mysqli_)?(?:commit|rollback|change_user|kill)\(|\bKILL |\bRELEASE\b/', $step)) {
        return;
    }
    $driver = new mysqli_driver;
    $mode = $driver->report_mode;
    $driver->report_mode = MYSQLI_REPORT_OFF;
    foreach ($objects as $object) {
        try {
            $who = match (true) {
                $object instanceof mysqli => "ID = $object->thread_id",
                $object instanceof PDO => "ID <> $admin->thread_id AND DB = DATABASE()", // its own id can't be asked for without a query
                default => '1 = 0',
            };
        } catch (Throwable) { // it is no connection
            continue;
        }
        // One that writes may wait for us to read; not one that ends, which writes its last answer.
        $is_at_work = "SELECT 1 FROM information_schema.PROCESSLIST WHERE $who AND (COMMAND = 'Killed' OR COMMAND <> 'Sleep' AND COALESCE(STATE, '') NOT IN ('Writing to net', 'Sending to client'))";
        for ($tries = 0; $tries < 1000 && $admin->query($is_at_work)->num_rows > 0; $tries++);
    }
    $driver->report_mode = $mode;
}

/** Prints one step; $states are those of what it names. */
function told(string $step, mixed $value, ?Throwable $thrown, array $objects): void
{
    echo '  ', $thrown === null ? masked($step, $value) : 'thrown ' . masked('', $thrown), "\n";
    foreach ($objects as $name => $object) {
        if (is_object($object)) {
            echo "  $name: ", state($object), "\n";
        } elseif (!preg_match('/^(link|result|stmt|warning|db)/', $name)) {
            echo "  $name: ", text($object), "\n";
        }
    }
}

/** @param list<string> $steps */
function program(array $steps): string
{
    $code = "\$driver = new mysqli_driver; \$many = array_fill(0, 13, null);\n";
    foreach ($steps as $number => $step) {
        preg_match_all('/\$((?:link|result|stmt|warning|db)\d)/', $step, $names);
        $names = $names[1];
        if (preg_match('/fetch(All|Column|Object)?\(|bind(_result|Param|Value|Column)|execute|foreach|iterator/', $step)) {
            array_push($names, 'a', 'b', 'c', 'd', 'many');
        }
        $objects = implode(', ', array_map(fn(string $name) => "'$name' => \$$name ?? null", array_unique($names)));
        $quoted = var_export($step, true);
        $code .= "echo '> ', $quoted, \"\\n\"; try { told($quoted, $step, null, [$objects]); } catch (Throwable \$thrown) { told($quoted, null, \$thrown, [$objects]); \$thrown = null; } wait_for_the_end($quoted, [$objects]);\n";
    }
    return "$code echo \"> end\\n\";";
}

function play(string $program): void
{
    eval($program);
}

/** How many objects there are. New ones fill the gaps, downwards, and then get number after number. */
function live_objects(): int
{
    gc_collect_cycles();
    $objects = [];
    $last = $run = 0;
    while ($run < 32) {
        $object = new stdClass;
        $run = spl_object_id($object) === $last + 1 ? $run + 1 : 0;
        $last = spl_object_id($object);
        $objects[$last] = $object;
    }
    ksort($objects); // so they leave gaps that are filled downwards
    return $last - count($objects);
}

/** Ends connections that outlive their sequence. */
function end_others(mysqli $admin): void
{
    $own = $admin->thread_id;
    $list = "SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> $own AND DB = DATABASE()";
    foreach ($admin->query($list)->fetch_all() as [$id]) {
        try {
            $admin->query("KILL $id");
        } catch (mysqli_sql_exception) { // it ended by itself
        }
    }
    while ($admin->query($list)->num_rows > 0);
}

while ((int) stream('') < 1000); // so that the numbers of resources, which parameters can become, have as many digits on both
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$patience = ini_set('mysqlnd.net_read_timeout', '60'); // a server that waits for a client to log in lists no processes meanwhile
$admin = connect();
ini_set('mysqlnd.net_read_timeout', $patience);
array_map(fn(string $table) => $admin->query("TRUNCATE $table"), TABLES); // another process may have died in the middle
foreach (json_decode(file_get_contents($argv[1]), true) as $number => $steps) {
    echo "=== $number\n";
    $files = count(scandir('/proc/self/fd'));
    $objects = live_objects();
    $program = program($steps);
    try {
        play($program);
    } catch (Throwable $thrown) {
        echo 'thrown at the end: ', text($thrown), "\n";
        $thrown = null;
    }
    Meddling::$act = null;
    mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
    if (str_contains($program, 'PDO::ATTR_PERSISTENT')) {
        end_others($admin);
    } elseif (str_contains($program, 'p:')) {
        end_others($admin);
        connect(hostname: 'p:localhost')->query('DO 1');
        end_others($admin);
    } else {
        echo 'left: ', live_objects() - $objects, ' objects, ', count(scandir('/proc/self/fd')) - $files, " files\n";
    }
    if (mysqli_connect_errno() !== 0) {
        connect();
    }
    $written = array_filter(TABLES, fn(string $table) => str_contains($program, $table));
    if ($written !== []) {
        end_others($admin); // some may still be at it
        array_map(fn(string $table) => $admin->query("TRUNCATE $table"), $written);
    }
    echo "=== end of $number\n";
}
