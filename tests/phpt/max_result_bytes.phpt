--TEST--
vaquita.max_result_bytes bounds each stored result, a script may only lower it, and unbuffered rows don't count
--FILE--
<?php
// places: mariadb-unix mysql80-tcp mysql80-compress
require 'support/prelude.php';
$many = "SELECT REPEAT('x', 100) FROM (SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9 UNION SELECT 10) a";
foreach (range('b', 'f') as $name) {
    $many .= ", (SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) $name"; // 10,240 rows, a megabyte
}
ini_set('vaquita.max_result_bytes', '512K');
foreach ([
    'a small one' => fn($db) => strlen($db->query("SELECT REPEAT('x', 500000)")->fetch_row()[0]),
    'a long value' => fn($db) => $db->query("SELECT REPEAT('x', 600000)"),
    'many rows' => fn($db) => $db->query($many),
    'store_result' => function ($db) use ($many) { $db->real_query($many); return $db->store_result(); },
    'get_result' => function ($db) use ($many) { $s = $db->prepare($many); $s->execute(); return $s->get_result(); },
    'statement store_result' => function ($db) use ($many) { $s = $db->prepare($many); $s->execute(); return $s->store_result(); },
    'unbuffered' => fn($db) => count($db->query($many, MYSQLI_USE_RESULT)->fetch_all()),
] as $name => $take) {
    $db = connect();
    attempt($name, fn() => show($take($db)));
    attempt('then', fn() => show($db->query('SELECT 1')->fetch_row()));
}
section('PDO');
$pdo = connect_pdo();
attempt('many rows', fn() => $pdo->query($many));
attempt('then', fn() => $pdo->query('SELECT 1'));
section('the setting');
ini_set('vaquita.max_result_bytes', '2M');
show(count(connect()->query($many)->fetch_all()));
foreach (['0', '4M', '1024', '3M', '2M', '-1', 'much'] as $value) {
    show($value, @ini_set('vaquita.max_result_bytes', $value), ini_get('vaquita.max_result_bytes'));
}
child('foreach (["0", "3M", "1K", "2M", "2097153"] as $value) { show($value, @ini_set("vaquita.max_result_bytes", $value), ini_get("vaquita.max_result_bytes")); } ini_restore("vaquita.max_result_bytes"); show(ini_get("vaquita.max_result_bytes")); ini_set("vaquita.max_result_bytes", "0");', ['vaquita.max_result_bytes' => '2M']);
?>
--EXPECT--
500000
a small one: null
["1"]
then: null
a long value: thrown mysqli_sql_exception(2008) [HY000]: MySQL client ran out of memory: the result is larger than vaquita.max_result_bytes (524288 bytes) allows, so the connection was closed
then: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
many rows: thrown mysqli_sql_exception(2008) [HY000]: MySQL client ran out of memory: the result is larger than vaquita.max_result_bytes (524288 bytes) allows, so the connection was closed
then: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
store_result: thrown mysqli_sql_exception(2008) [HY000]: MySQL client ran out of memory: the result is larger than vaquita.max_result_bytes (524288 bytes) allows, so the connection was closed
then: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
get_result: thrown mysqli_sql_exception(2008) [HY000]: MySQL client ran out of memory: the result is larger than vaquita.max_result_bytes (524288 bytes) allows, so the connection was closed
then: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
statement store_result: thrown mysqli_sql_exception(2008) [HY000]: MySQL client ran out of memory: the result is larger than vaquita.max_result_bytes (524288 bytes) allows, so the connection was closed
then: thrown mysqli_sql_exception(2006) [HY000]: MySQL server has gone away
10240
unbuffered: null
["1"]
then: null
=== PDO
many rows: thrown PDOException(HY000) ["HY000", 2008, "MySQL client ran out of memory: the result is larger than vaquita.max_result_bytes (524288 bytes) allows, so the connection was closed"]: SQLSTATE[HY000]: General error: 2008 MySQL client ran out of memory: the result is larger than vaquita.max_result_bytes (524288 bytes) allows, so the connection was closed
then: thrown PDOException(HY000) ["HY000", 2006, "MySQL server has gone away"]: SQLSTATE[HY000]: General error: 2006 MySQL server has gone away
=== the setting
10240
"0" | "2M" | "0"
"4M" | "0" | "4M"
"1024" | "4M" | "1024"
"3M" | "1024" | "3M"
"2M" | "3M" | "2M"
  Warning: ini_set(): vaquita.max_result_bytes stays 2M: it must be a whole number, 0 for no limit, and in a script or a folder no more than the configuration allows, not -1
"-1" | false | "2M"
  Warning: ini_set(): vaquita.max_result_bytes stays 2M: it must be a whole number, 0 for no limit, and in a script or a folder no more than the configuration allows, not much
"much" | false | "2M"
  Warning: ini_set(): vaquita.max_result_bytes stays 2M: it must be a whole number, 0 for no limit, and in a script or a folder no more than the configuration allows, not 0
"0" | false | "2M"
  Warning: ini_set(): vaquita.max_result_bytes stays 2M: it must be a whole number, 0 for no limit, and in a script or a folder no more than the configuration allows, not 3M
"3M" | false | "2M"
"1K" | "2M" | "1K"
"2M" | "1K" | "2M"
  Warning: ini_set(): vaquita.max_result_bytes stays 2M: it must be a whole number, 0 for no limit, and in a script or a folder no more than the configuration allows, not 2097153
"2097153" | false | "2M"
"2M"
  Warning: ini_set(): vaquita.max_result_bytes stays 2M: it must be a whole number, 0 for no limit, and in a script or a folder no more than the configuration allows, not 0

  exit code 0
