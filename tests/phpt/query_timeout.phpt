--TEST--
vaquita.query_timeout_ms stops a query that takes too long, and the connection goes on
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

show(ini_get('vaquita.query_timeout_ms'));
ini_set('vaquita.query_timeout_ms', '300');
$db = connect();
ini_set('vaquita.query_timeout_ms', '0');
$free = connect();
$db->query('CREATE TEMPORARY TABLE t (a INT)');
$db->query('INSERT INTO t VALUES (1), (2)');
show($db->affected_rows);
$begun = hrtime(true);
foreach (['SELECT a FROM t WHERE SLEEP(60)', 'UPDATE t SET a = SLEEP(60)'] as $sql) {
    foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
        $result = $db->query($sql, $mode);
        if ($result instanceof mysqli_result) {
            $result->fetch_all();
            $result->free();
        }
        show(in_array($db->errno, [1969, 3024], true), str_contains($db->error, 'interrupted'));
        show($db->query('SELECT COUNT(*) FROM t')->fetch_row());
    }
}
show(hrtime(true) - $begun < 40e9);
show($free->query('SELECT SLEEP(0.8)')->fetch_row());
?>
--EXPECT--
"0"
2
true | true
["2"]
true | true
["2"]
true | true
["2"]
true | true
["2"]
true
["0"]
