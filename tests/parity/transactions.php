<?php
// Transactions: flags, names, savepoints; what is sent is read back from the server's own log of statements.
// servers: mariadb mysql80
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$db = connect();
$db->query('CREATE TABLE t (n INT) ENGINE=InnoDB');
$count = fn() => (int) $db->query('SELECT COUNT(*) FROM t')->fetch_row()[0];
$in_transaction = fn() => on_mariadb() ? $db->query('SELECT @@in_transaction')->fetch_row()[0] : '?';

section('autocommit');
show($db->autocommit(false), $db->query('SELECT @@autocommit')->fetch_row(), $db->query('INSERT INTO t VALUES (1)'), $count(), $db->rollback(), $count());
show(mysqli_autocommit($db, false), $db->query('INSERT INTO t VALUES (1)'), $db->commit(), $db->rollback(), $count());
show($db->autocommit(true), $db->query('SELECT @@autocommit')->fetch_row());
section('begin, commit, rollback');
show($db->begin_transaction(), $in_transaction(), $db->query('INSERT INTO t VALUES (2)'), $db->rollback(), $in_transaction(), $count());
show(mysqli_begin_transaction($db), $db->query('INSERT INTO t VALUES (2)'), mysqli_commit($db), $count());
show(mysqli_begin_transaction($db), $db->query('INSERT INTO t VALUES (3)'), mysqli_rollback($db), $count());
section('begin twice commits');
show($db->begin_transaction(), $db->query('INSERT INTO t VALUES (4)'), $db->begin_transaction(), $db->rollback(), $count());
section('commit and rollback without a transaction');
show($db->commit(), $db->rollback(), $db->errno);
section('flags of begin');
foreach ([0, 1, 2, 4, 3, 5, 6, 7, 8, 16, -1, -2, PHP_INT_MAX, PHP_INT_MIN] as $flags) {
    foreach ([null, 'name'] as $name) {
        attempt("begin_transaction($flags, $name)", fn() => $db->begin_transaction($flags, $name));
        show_error($db);
        attempt('  insert', fn() => [$db->query('INSERT INTO t VALUES (9)'), $db->errno]);
        attempt("mysqli_begin_transaction($flags, $name)", fn() => mysqli_begin_transaction($db, $flags, $name));
        show($db->rollback());
    }
}
section('flags of commit and rollback');
foreach (['commit', 'rollback'] as $end) {
    foreach ([0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, -1, -8, PHP_INT_MAX] as $flags) {
        foreach ([null, 'name'] as $name) {
            $db = connect();
            $db->begin_transaction();
            attempt("$end($flags, $name)", fn() => $db->$end($flags, $name));
            show_error($db);
            attempt('  ' . "mysqli_$end", fn() => "mysqli_$end"($db, $flags, $name));
            attempt('  in transaction', fn() => on_mariadb() ? $db->query('SELECT @@in_transaction')?->fetch_row() : null);
            attempt('  alive', fn() => $db->query('SELECT 1') ? 'yes' : $db->errno);
        }
    }
}
section('names');
$db = connect();
foreach (['', 'a', 'A-Z_0=9', 'with space', 'comment */ x', '*/', '/*', "quote'", 'ä', "new\nline", str_repeat('long', 100), 'back\\slash', '!DROP TABLE t', '0', '*/; DROP TABLE t; /*', 'semi;colon', 'Tab	x', '`'] as $name) {
    foreach (['begin_transaction', 'commit', 'rollback'] as $method) {
        attempt("$method " . text($name), fn() => $db->$method(0, $name));
        show_error($db);
    }
    attempt('mysqli_begin_transaction ' . text($name), fn() => mysqli_begin_transaction($db, 0, $name));
    attempt('savepoint ' . text($name), fn() => $db->savepoint($name));
    show_error($db);
    attempt('release_savepoint ' . text($name), fn() => $db->release_savepoint($name));
    show_error($db);
    attempt('mysqli_savepoint ' . text($name), fn() => mysqli_savepoint($db, $name));
    attempt('mysqli_release_savepoint ' . text($name), fn() => mysqli_release_savepoint($db, $name));
    $db->rollback();
}
section('savepoints');
$db->query('DELETE FROM t');
show($db->begin_transaction(), $db->query('INSERT INTO t VALUES (1)'), $db->savepoint('one'), $db->query('INSERT INTO t VALUES (2)'), $count());
show($db->rollback(0, 'one'), $count());
show($db->begin_transaction(), $db->query('INSERT INTO t VALUES (1)'), $db->savepoint('one'), $db->query('INSERT INTO t VALUES (2)'), $db->query('ROLLBACK TO SAVEPOINT one'), $db->commit(), $count());
show($db->begin_transaction(), $db->release_savepoint('unknown'), $db->errno, $db->error, $db->sqlstate);
show($db->savepoint('x'), $db->release_savepoint('x'), $db->release_savepoint('x'), $db->errno);
$db->rollback();
section('what is sent');
$log = fn(callable $action) => sent($db, $action);
function sent(mysqli $db, callable $action): array
{
    // A syntax error quotes the statement; without one, the session's last statement is asked for.
    $action();
    if (on_mariadb()) {
        return [];
    }
    return $db->query("SELECT SQL_TEXT FROM performance_schema.events_statements_history WHERE THREAD_ID = (SELECT THREAD_ID FROM performance_schema.threads WHERE PROCESSLIST_ID = CONNECTION_ID()) ORDER BY EVENT_ID DESC LIMIT 2")->fetch_all();
}
foreach ([
    'begin' => fn() => $db->begin_transaction(), 'begin snapshot' => fn() => $db->begin_transaction(MYSQLI_TRANS_START_WITH_CONSISTENT_SNAPSHOT, 'n'), 'begin all' => fn() => $db->begin_transaction(MYSQLI_TRANS_START_WITH_CONSISTENT_SNAPSHOT | MYSQLI_TRANS_START_READ_WRITE, 'n'),
    'read only' => fn() => $db->begin_transaction(MYSQLI_TRANS_START_READ_ONLY), 'commit' => fn() => $db->commit(0, 'n'), 'chain' => fn() => $db->commit(MYSQLI_TRANS_COR_AND_CHAIN, 'n x'), 'no chain' => fn() => $db->rollback(MYSQLI_TRANS_COR_AND_NO_CHAIN | MYSQLI_TRANS_COR_NO_RELEASE, ''),
    'chain both' => fn() => $db->rollback(MYSQLI_TRANS_COR_AND_CHAIN | MYSQLI_TRANS_COR_AND_NO_CHAIN), 'autocommit' => fn() => $db->autocommit(true), 'autocommit off' => fn() => $db->autocommit(false), 'savepoint' => fn() => $db->savepoint('s`x'), 'release' => fn() => $db->release_savepoint('s`x'),
    'set_charset' => fn() => $db->set_charset('latin1'),
] as $name => $action) {
    show($name, sent($db, $action));
}
section('report modes');
foreach ([MYSQLI_REPORT_ERROR, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT] as $mode) {
    mysqli_report($mode);
    attempt('release_savepoint', fn() => $db->release_savepoint('unknown'));
    attempt('mysqli_release_savepoint', fn() => mysqli_release_savepoint($db, 'unknown'));
    attempt('savepoint', fn() => $db->savepoint(''));
    attempt('begin both', fn() => $db->begin_transaction(6));
    attempt('commit chain', fn() => $db->commit(3));
    attempt('begin -1', fn() => $db->begin_transaction(-1));
}
section('closed and unready links');
mysqli_report(MYSQLI_REPORT_OFF);
$closed = connect();
$closed->close();
foreach (['closed' => $closed, 'unready' => mysqli_init()] as $name => $link) {
    foreach (['autocommit' => [true], 'begin_transaction' => [], 'commit' => [], 'rollback' => [], 'savepoint' => ['s'], 'release_savepoint' => ['s']] as $method => $arguments) {
        attempt("$name: $method", fn() => $link->$method(...$arguments));
        attempt("$name: mysqli_$method", fn() => "mysqli_$method"($link, ...$arguments));
        attempt("$name: $method with wrong arguments", fn() => $link->$method(...array_map(fn() => '', $arguments)));
    }
}
