--TEST--
Vaquita\Kv: what it refuses, and how errors are reported
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
// Where servers have other words.
ob_start(fn(string $said) => preg_replace(['/for column \S+ at row/', "/'t\.u'/"], ["for column 'd' at row", "'u'"], $said));
$db = connect();
$db->query("SET sql_mode = 'STRICT_ALL_TABLES'");
$db->query('CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL DEFAULT 1, u INT UNIQUE, d DATE)');
$db->query('CREATE TABLE p (k VARCHAR(5), d DATE PRIMARY KEY, UNIQUE (k(2)))');
$db->query('CREATE TABLE c (a INT, b INT, PRIMARY KEY (a, b))');
$db->query('CREATE VIEW v AS SELECT * FROM t');
$kv = Vaquita\kv($db, 't');

section('arguments');
foreach ([1.5, null, true, [1.5], [[]], $db] as $key) {
    attempt('a key', fn() => $kv->get($key));
    attempt('of many', fn() => $kv->getMulti([1, $key]));
}
attempt('too many', fn() => $kv->get([1, 2]));
attempt('none', fn() => $kv->get([]));
attempt('by another name', fn() => $kv->delete(['n' => 1]));
$c = Vaquita\kv($db, 'c');
attempt('too few', fn() => $c->get(1));
attempt('of many', fn() => $c->getMulti([[1, 2], [1]]));
attempt('a name', fn() => $c->get(['a' => 1, 'c' => 2]));
attempt('no names', fn() => $kv->set(1, [5]));
attempt('a value', fn() => $kv->set(1, ['n' => []]));
attempt('an object', fn() => $kv->set(1, ['n' => $db]));
attempt('a column', fn() => $kv->set(1, ['none' => 1]));
attempt('the key', fn() => $kv->add(1, ['id' => 1]));
attempt('a text for a number', fn() => $kv->set('x', []));
attempt('beyond', fn() => $kv->add(1 << 40, []));
attempt('another number', fn() => $kv->set(0, []));
attempt('without a table', fn() => Vaquita\kv($db)->getMulti([1]));
foreach (['', 'a.b.c', '`t', 'a.'] as $name) {
    attempt('a table', fn() => Vaquita\kv($db, $name));
}
attempt('columns', fn() => Vaquita\kv($db, 't', [1]));
attempt('no column', fn() => Vaquita\kv($db, 't', ['n', 'none'])->get(1));
attempt('no index', fn() => Vaquita\kv($db, 't', null, 'none')->get(1));
attempt('a part of a column', fn() => Vaquita\kv($db, 'p', null, 'k')->get('x'));
attempt('a key of dates', fn() => Vaquita\kv($db, 'p')->get('2020-01-01'));
attempt('a view', fn() => Vaquita\kv($db, 'v')->get(1));
attempt('no table', fn() => Vaquita\kv($db, 'none')->get(1));
attempt('a table that is none', fn() => Vaquita\kv($db, "t`; DROP TABLE t; -- ")->get(1));
attempt('a name with quotes', fn() => Vaquita\kv($db, "`t``; DROP TABLE t; -- '`")->get(1));
attempt('another driver', fn() => Vaquita\kv(5, 't'));
show($kv->getMulti([1, 0, -1]), $db->query('SELECT COUNT(*) FROM t')->fetch_row());

section('errors of mysqli');
$kv->set(1, ['u' => 1]);
foreach ([MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT, MYSQLI_REPORT_ERROR, MYSQLI_REPORT_OFF] as $mode) {
    mysqli_report($mode);
    watch_errors();
    attempt('set', fn() => $kv->set(2, ['d' => 'x']));
    show($db->errno);
    attempt('add', fn() => $kv->add(2, ['u' => 1]));
    attempt('replace', fn() => $kv->replace(1, ['n' => null]));
    $none = Vaquita\kv($db, 'none');
    attempt('get', fn() => $none->get(1));
    attempt('many', fn() => $none->getMulti([1]));
    attempt('delete', fn() => $none->delete(1));
    show($db->errno, $kv->get(1)['u'], $db->errno);
    $rows = $db->query('SELECT id FROM t UNION ALL SELECT 2', MYSQLI_USE_RESULT);
    attempt('rows are pending', fn() => $kv->get(1));
    attempt('for many', fn() => $kv->getMulti([1, 2]));
    attempt('for a change', fn() => $kv->set(1, ['n' => 9]));
    attempt('for another table', fn() => Vaquita\kv($db, 'c')->get([1, 2]));
    show($rows->fetch_all(), $kv->get(1)['n']);
    restore_error_handler();
}

section('errors of PDO');
$pdo = connect_pdo();
$kv = Vaquita\kv($pdo, 't');
foreach ([PDO::ERRMODE_EXCEPTION, PDO::ERRMODE_WARNING, PDO::ERRMODE_SILENT] as $mode) {
    $pdo->setAttribute(PDO::ATTR_ERRMODE, $mode);
    watch_errors();
    attempt('add', fn() => $kv->add(2, ['u' => 1]));
    show($pdo->errorCode(), $pdo->errorInfo()[1]);
    attempt('many', fn() => Vaquita\kv($pdo, 'none')->getMulti([1, 2]));
    show($kv->get(1)['u'], $pdo->errorInfo());
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
    $rows = $pdo->query('SELECT id FROM t UNION ALL SELECT 2');
    attempt('rows are pending', fn() => $kv->get(1));
    show(count($rows->fetchAll()), $kv->get(1)['n']);
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
    restore_error_handler();
}

section('the connection is gone');
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
$kv = Vaquita\kv($db, 't');
show($kv->get(1)['u']);
kill_connection(connect(), $db->thread_id);
try { $kv->get(1); } catch (mysqli_sql_exception $e) { show(in_array($e->getCode(), [2006, 2013, 4031, 1927, 1053])); }
$db->close();
attempt('closed', fn() => $kv->set(1, []));
attempt('refresh', fn() => $kv->refresh());
?>
--EXPECT--
=== arguments
a key: thrown TypeError(0): Vaquita\Kv::get(): Argument #1 ($key) must be of type array|string|int, float given
of many: thrown TypeError(0): Vaquita\Kv::getMulti(): Argument #1 ($keys) must be an array of keys: int, string, or an array of those, float found
a key: thrown TypeError(0): Vaquita\Kv::get(): Argument #1 ($key) must be of type array|string|int, null given
of many: thrown TypeError(0): Vaquita\Kv::getMulti(): Argument #1 ($keys) must be an array of keys: int, string, or an array of those, null found
a key: thrown TypeError(0): Vaquita\Kv::get(): Argument #1 ($key) must be of type array|string|int, bool given
of many: thrown TypeError(0): Vaquita\Kv::getMulti(): Argument #1 ($keys) must be an array of keys: int, string, or an array of those, bool found
a key: thrown TypeError(0): Vaquita\Kv::get(): Argument #1 ($key) must be an array of int and string, float found
of many: thrown TypeError(0): Vaquita\Kv::getMulti(): Argument #1 ($keys) must be an array of keys: int, string, or an array of those, array found
a key: thrown TypeError(0): Vaquita\Kv::get(): Argument #1 ($key) must be an array of int and string, array found
of many: thrown TypeError(0): Vaquita\Kv::getMulti(): Argument #1 ($keys) must be an array of keys: int, string, or an array of those, array found
a key: thrown TypeError(0): Vaquita\Kv::get(): Argument #1 ($key) must be of type array|string|int, mysqli given
of many: thrown TypeError(0): Vaquita\Kv::getMulti(): Argument #1 ($keys) must be an array of keys: int, string, or an array of those, mysqli found
too many: thrown ValueError(0): Vaquita\Kv::get(): Argument #1 ($key) must be a key of the table: it has 1 values, not 2
none: thrown ValueError(0): Vaquita\Kv::get(): Argument #1 ($key) must be a key of the table: it has 1 values, not 0
by another name: thrown ValueError(0): Vaquita\Kv::delete(): Argument #1 ($key) must be a key of the table: it has a value for the column id
too few: thrown ValueError(0): Vaquita\Kv::get(): Argument #1 ($key) must be a key of the table: it has 2 values, not 1
of many: thrown ValueError(0): Vaquita\Kv::getMulti(): Argument #1 ($keys) must be a key of the table: it has 2 values, not 1
a name: thrown ValueError(0): Vaquita\Kv::get(): Argument #1 ($key) must be a key of the table: it has a value for the column b
no names: thrown ValueError(0): Vaquita\Kv::set(): Argument #2 ($values) must have the names of columns as its keys
a value: thrown TypeError(0): Vaquita\Kv::set(): Argument #2 ($values) must be an array of scalars and null, array found
an object: thrown TypeError(0): Vaquita\Kv::set(): Argument #2 ($values) must be an array of scalars and null, mysqli found
a column: thrown ValueError(0): Vaquita\Kv::set(): Argument #2 ($values) must have columns of the table: no column none besides the key
the key: thrown ValueError(0): Vaquita\Kv::add(): Argument #2 ($values) must have columns of the table: no column id besides the key
a text for a number: thrown ValueError(0): Vaquita\Kv::set(): Argument #1 ($key) must be a key of the table: the column id does not hold this value of the key as it is
beyond: thrown ValueError(0): Vaquita\Kv::add(): Argument #1 ($key) must be a key of the table: the column id does not hold this value of the key as it is
another number: thrown ValueError(0): Vaquita\Kv::set(): Argument #1 ($key) must be a key of the table: the column id does not hold this value of the key as it is
without a table: thrown Error(0): Vaquita\kv() was given no table
a table: thrown ValueError(0): Vaquita\kv(): Argument #2 ($table) must be the name of a table, or of a database and a table: t, d.t, `d`.`t`
a table: thrown ValueError(0): Vaquita\kv(): Argument #2 ($table) must be the name of a table, or of a database and a table: t, d.t, `d`.`t`
a table: thrown ValueError(0): Vaquita\kv(): Argument #2 ($table) must be the name of a table, or of a database and a table: t, d.t, `d`.`t`
a table: thrown ValueError(0): Vaquita\kv(): Argument #2 ($table) must be the name of a table, or of a database and a table: t, d.t, `d`.`t`
columns: thrown TypeError(0): Vaquita\kv(): Argument #3 ($columns) must be an array of strings, int found
no column: thrown Error(0): Vaquita\kv(): no column none
no index: thrown Error(0): Vaquita\kv(): no unique index none of whole columns
a part of a column: thrown Error(0): Vaquita\kv(): no unique index k of whole columns
a key of dates: thrown Error(0): Vaquita\kv(): the column d is neither of whole numbers, nor of texts or bytes
a view: thrown Error(0): Vaquita\kv(): v is no base table
no table: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.none' doesn't exist
a table that is none: thrown ValueError(0): Vaquita\kv(): Argument #2 ($table) must be the name of a table, or of a database and a table: t, d.t, `d`.`t`
a name with quotes: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.t`; DROP TABLE t; -- '' doesn't exist
another driver: thrown TypeError(0): Vaquita\kv(): Argument #1 ($link) must be of type mysqli|PDO, int given
[] | ["0"]
=== errors of mysqli
set: thrown mysqli_sql_exception(1292) [22007]: Incorrect date value: 'x' for column 'd' at row 1
1292
add: thrown mysqli_sql_exception(1062) [23000]: Duplicate entry '1' for key 'u'
replace: thrown mysqli_sql_exception(1048) [23000]: Column 'n' cannot be null
get: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.none' doesn't exist
many: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.none' doesn't exist
delete: thrown mysqli_sql_exception(1146) [42S02]: Table 'DATABASE.none' doesn't exist
1146 | 1 | 0
rows are pending: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
for many: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
for a change: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
for another table: thrown mysqli_sql_exception(2014) [HY000]: Commands out of sync; you can't run this command now
[["1"], ["2"]] | 1
  Warning: Vaquita\Kv::set(): (22007/1292): Incorrect date value: 'x' for column 'd' at row 1
set: null
1292
  Warning: Vaquita\Kv::add(): (23000/1062): Duplicate entry '1' for key 'u'
add: false
  Warning: Vaquita\Kv::replace(): (23000/1048): Column 'n' cannot be null
replace: false
  Warning: Vaquita\Kv::get(): (42S02/1146): Table 'DATABASE.none' doesn't exist
get: null
  Warning: Vaquita\Kv::getMulti(): (42S02/1146): Table 'DATABASE.none' doesn't exist
many: []
  Warning: Vaquita\Kv::delete(): (42S02/1146): Table 'DATABASE.none' doesn't exist
delete: false
1146 | 1 | 0
  Warning: Vaquita\Kv::get(): (HY000/2014): Commands out of sync; you can't run this command now
rows are pending: null
  Warning: Vaquita\Kv::getMulti(): (HY000/2014): Commands out of sync; you can't run this command now
for many: []
  Warning: Vaquita\Kv::set(): (HY000/2014): Commands out of sync; you can't run this command now
for a change: null
  Warning: Vaquita\Kv::get(): (HY000/2014): Commands out of sync; you can't run this command now
for another table: null
[["1"], ["2"]] | 1
set: null
1292
add: false
replace: false
get: null
many: []
delete: false
1146 | 1 | 0
rows are pending: null
for many: []
for a change: null
for another table: null
[["1"], ["2"]] | 1
=== errors of PDO
add: thrown PDOException(1062) ["23000", 1062, "Duplicate entry '1' for key 'u'"]: SQLSTATE[23000] [1062] Duplicate entry '1' for key 'u'
"23000" | 1062
many: thrown PDOException(1146) ["42S02", 1146, "Table 'DATABASE.none' doesn't exist"]: SQLSTATE[42S02] [1146] Table 'DATABASE.none' doesn't exist
1 | ["00000", null, null]
rows are pending: thrown PDOException(2014) ["HY000", 2014, "Cannot execute queries while other unbuffered queries are active.  Consider using PDOStatement::fetchAll().  Alternatively, if your code is only ever going to run against mysql, you may enable query buffering by setting the PDO::MYSQL_ATTR_USE_BUFFERED_QUERY attribute."]: SQLSTATE[HY000] [2014] Cannot execute queries while other unbuffered queries are active.  Consider using PDOStatement::fetchAll().  Alternatively, if your code is only ever going to run against mysql, you may enable query buffering by setting the PDO::MYSQL_ATTR_USE_BUFFERED_QUERY attribute.
2 | 1
  Warning: Vaquita\Kv::add(): SQLSTATE[23000] [1062] Duplicate entry '1' for key 'u'
add: false
"23000" | 1062
  Warning: Vaquita\Kv::getMulti(): SQLSTATE[42S02] [1146] Table 'DATABASE.none' doesn't exist
many: []
1 | ["00000", null, null]
  Warning: Vaquita\Kv::get(): SQLSTATE[HY000] [2014] Cannot execute queries while other unbuffered queries are active.  Consider using PDOStatement::fetchAll().  Alternatively, if your code is only ever going to run against mysql, you may enable query buffering by setting the PDO::MYSQL_ATTR_USE_BUFFERED_QUERY attribute.
rows are pending: null
2 | 1
add: false
"23000" | 1062
many: []
1 | ["00000", null, null]
rows are pending: null
2 | 1
=== the connection is gone
1
true
closed: thrown Error(0): mysqli object is already closed
refresh: null
