--TEST--
Vaquita\set_query_timeout limits the queries of one connection from the next one on, and nothing of mysqli's has changed
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
use function Vaquita\set_query_timeout;
mysqli_report(MYSQLI_REPORT_OFF);

section('what it is');
$function = new ReflectionFunction('Vaquita\set_query_timeout');
show((string) $function->getReturnType(), $function->getExtensionName(), $function->getNumberOfRequiredParameters());
foreach ($function->getParameters() as $parameter) {
    show((string) $parameter);
}

section('a limit of one connection');
[$db, $other] = [connect(), connect()];
$db->query('CREATE TEMPORARY TABLE t (a INT)');
$db->query('INSERT INTO t VALUES (1), (2)');
show(set_query_timeout($db, 300), $db->affected_rows, $db->errno);
foreach (['SELECT a FROM t WHERE SLEEP(60)', 'UPDATE t SET a = SLEEP(60)'] as $sql) {
    show($db->query($sql), in_array($db->errno, [1969, 3024], true));
    show($db->query('SELECT COUNT(*) FROM t')->fetch_row());
}
show($other->query('SELECT SLEEP(0.8)')->fetch_row());
set_query_timeout($db, 0);
show($db->query('SELECT SLEEP(0.8)')->fetch_row());
set_query_timeout(link: $db, milliseconds: PHP_INT_MAX);
show($db->query('SELECT 1')->fetch_row());

section('arguments');
attempt('negative', fn() => set_query_timeout($db, -1));
attempt('no number', fn() => set_query_timeout($db, 'soon'));
attempt('no link', fn() => set_query_timeout(new stdClass, 1));
attempt('too few', fn() => set_query_timeout($db));
attempt('too many', fn() => set_query_timeout($db, 1, 2));
attempt('not connected', fn() => set_query_timeout(mysqli_init(), 1));

section('a link that is busy or gone');
$rows = $db->query('SELECT 1', MYSQLI_USE_RESULT);
attempt('busy', fn() => set_query_timeout($db, 100));
show($db->errno, $rows->fetch_row());
$rows->free();
kill_connection($other, $db->thread_id);
attempt('gone', fn() => set_query_timeout($db, 100));
show($db->errno);
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
attempt('gone, with exceptions', fn() => set_query_timeout($db, 100));
$db->close();
attempt('closed', fn() => set_query_timeout($db, 100));
?>
--EXPECT--
=== what it is
"void" | "vaquita" | 2
"Parameter #0 [ <required> mysqli $link ]"
"Parameter #1 [ <required> int $milliseconds ]"
=== a limit of one connection
null | 2 | 0
false | true
["2"]
false | true
["2"]
["0"]
["0"]
["1"]
=== arguments
negative: thrown ValueError(0): Vaquita\set_query_timeout(): Argument #2 ($milliseconds) must be greater than or equal to 0
no number: thrown TypeError(0): Vaquita\set_query_timeout(): Argument #2 ($milliseconds) must be of type int, string given
no link: thrown TypeError(0): Vaquita\set_query_timeout(): Argument #1 ($link) must be of type mysqli, stdClass given
too few: thrown ArgumentCountError(0): Vaquita\set_query_timeout() expects exactly 2 arguments, 1 given
too many: thrown ArgumentCountError(0): Vaquita\set_query_timeout() expects exactly 2 arguments, 3 given
not connected: thrown Error(0): mysqli object is not fully initialized
=== a link that is busy or gone
busy: null
2014 | ["1"]
gone: null
2006
gone, with exceptions: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
closed: thrown Error(0): mysqli object is already closed
