--TEST--
An error handler closes, or drops, the link or the result of the very call that warned (stock crashes in some)
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_ERROR);
$error_in_rows = 'SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 3 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS x';
$calls = [
    'query' => function () use (&$db) { return $db->query('nonsense'); },
    'real_query' => function () use (&$db) { return $db->real_query('nonsense'); },
    'multi_query' => function () use (&$db) { return $db->multi_query('nonsense; nonsense'); },
    'next_result' => function () use (&$db) { $db->multi_query('SELECT 1; nonsense'); $db->store_result(); return $db->next_result(); },
    'select_db' => function () use (&$db) { return $db->select_db('no_such_database'); },
    'set_charset' => function () use (&$db) { return $db->set_charset('nonsense'); },
    'begin_transaction, name' => function () use (&$db) { return $db->begin_transaction(0, 'b*d'); },
    'commit, name' => function () use (&$db) { return $db->commit(0, 'b*d'); },
    'rollback, name' => function () use (&$db) { return $db->rollback(0, 'b*d'); },
    'release_savepoint' => function () use (&$db) { return $db->release_savepoint('unknown'); },
    'real_escape_string, null' => function () use (&$db) { return $db->real_escape_string(null); },
    'query, null' => function () use (&$db) { return $db->query(null); },
    'fetch_row' => function () use (&$db, &$result, $error_in_rows) { $result = $db->query($error_in_rows, MYSQLI_USE_RESULT); while ($row = $result->fetch_row()); return $row; },
    'fetch_assoc' => function () use (&$db, &$result, $error_in_rows) { $result = $db->query($error_in_rows, MYSQLI_USE_RESULT); while ($row = $result->fetch_assoc()); return $row; },
    'fetch_object' => function () use (&$db, &$result, $error_in_rows) { $result = $db->query($error_in_rows, MYSQLI_USE_RESULT); while ($row = $result->fetch_object()); return $row; },
    'fetch_column' => function () use (&$db, &$result, $error_in_rows) { $result = $db->query($error_in_rows, MYSQLI_USE_RESULT); while ($row = $result->fetch_column()); return $row; },
    'fetch_all' => function () use (&$db, &$result, $error_in_rows) { $result = $db->query($error_in_rows, MYSQLI_USE_RESULT); return count($result->fetch_all()); },
    'foreach' => function () use (&$db, &$result, $error_in_rows) { $result = $db->query($error_in_rows, MYSQLI_USE_RESULT); foreach ($result as $row); return $row; },
    'store' => function () use (&$db, $error_in_rows) { return $db->query($error_in_rows); },
    'index' => function () use (&$db) { mysqli_report(MYSQLI_REPORT_INDEX); return $db->query('SELECT * FROM t WHERE n = 1'); },
    'index, unbuffered' => function () use (&$db, &$result) { mysqli_report(MYSQLI_REPORT_INDEX); $result = $db->query('SELECT * FROM t WHERE n = 1', MYSQLI_USE_RESULT); return $result; },
    'property of a dynamic class' => function () use (&$db, &$result) { class_exists('Bare') || eval('class Bare {}'); $result = $db->query('SELECT 1 AS a, 2 AS b', MYSQLI_USE_RESULT); return $result->fetch_object('Bare'); },
];
$actions = [
    'closes the link' => function () use (&$db) { $db->close(); },
    'drops the link' => function () use (&$db) { $db = null; },
    'frees the result' => function () use (&$result) { $result?->free(); },
    'drops the result' => function () use (&$result) { $result = null; },
    'drops both' => function () use (&$db, &$result) { $db = $result = null; },
    'connects again' => function () use (&$db) { $db->real_connect(...address()); },
];
foreach ($actions as $action_name => $action) {
    foreach ($calls as $call) {
        mysqli_report(MYSQLI_REPORT_ERROR);
        $result = null;
        $db = connect();
        $db->query('CREATE TEMPORARY TABLE t (n INT)');
        $db->query('INSERT INTO t VALUES (1)');
        $done = 0;
        set_error_handler(function () use ($action, &$done) {
            if ($done++ === 0) {
                $action();
            }
            return true;
        });
        try {
            $call();
        } catch (Error) {
        } finally {
            restore_error_handler();
        }
        mysqli_report(MYSQLI_REPORT_OFF);
        try {
            $db?->query('SELECT 1');
        } catch (Error) {
        }
    }
    echo "$action_name: survived\n";
}
?>
--EXPECT--
closes the link: survived
drops the link: survived
frees the result: survived
drops the result: survived
drops both: survived
connects again: survived
