--TEST--
memory_limit is reached in the middle of each way to fetch: PHP's own fatal error, then shutdown functions run, and use the link
--FILE--
<?php
// places: mariadb-unix mysql80-tcp
require 'support/prelude.php';
$db = connect();
$db->query('CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a VARCHAR(200), b VARCHAR(2000), c INT)');
$db->query("INSERT INTO t (a, b, c) VALUES " . implode(', ', array_fill(0, 500, "(REPEAT('a', 200), REPEAT('b', 2000), 5)")));
for ($i = 0; $i < 5; $i++) {
    $db->query('INSERT INTO t (a, b, c) SELECT a, b, c FROM t');
}
// 16,000 rows, 36 MB

$ways = [
    'fetch_all(NUM)' => '$rows = $result->fetch_all(MYSQLI_NUM);',
    'fetch_all(ASSOC)' => '$rows = $result->fetch_all(MYSQLI_ASSOC);',
    'fetch_all(BOTH)' => '$rows = $result->fetch_all(MYSQLI_BOTH);',
    'fetch_row' => 'while ($row = $result->fetch_row()) { $rows[] = $row; }',
    'fetch_assoc' => 'while ($row = $result->fetch_assoc()) { $rows[] = $row; }',
    'fetch_array' => 'while ($row = $result->fetch_array()) { $rows[] = $row; }',
    'fetch_object' => 'while ($row = $result->fetch_object()) { $rows[] = $row; }',
    'fetch_object(Row)' => 'class Row { public $id; public $a; public $b; public $c; public function __construct() { } } while ($row = $result->fetch_object("Row")) { $rows[] = $row; }',
    'fetch_column' => 'while (($value = $result->fetch_column(2)) !== false) { $rows[] = $value; }',
    'foreach' => 'foreach ($result as $row) { $rows[] = $row; }',
    'iterator_to_array' => '$rows = iterator_to_array($result);',
];
// What the link says when the script has let the result go. PHP raises the fatal error after the call of ours that used too much from
// 8.2.35 and 8.4.27 on; before it jumped out of the call, which keeps its object for ever.
const AFTERWARDS = PHP_VERSION_ID >= 80427 || PHP_VERSION_ID >= 80235 && PHP_VERSION_ID < 80300 ? 7 : 2014;
// Prints how a script ends: its output on one line, without numbers that are PHP's own business.
function ending(string $script): string
{
    ob_start();
    child("mysqli_report(MYSQLI_REPORT_OFF);
        \$db = connect();
        // What a shutdown function needs has to be left by the script.
        \$reserve = str_repeat(' ', 1 << 18);
        register_shutdown_function(function () use (\$db, &\$reserve) {
            \$reserve = null;
            \$answer = \$db->query('SELECT 5');
            echo ' shutdown: ', \$answer ? \$answer->fetch_row()[0] : \$db->errno, ', ', connect()->query('SELECT 6')->fetch_row()[0];
            if (!\$answer) { \$GLOBALS['result'] = null; echo ', then ', \$db->query('SELECT 7') ? 7 : \$db->errno; }
        });
        $script", ['memory_limit' => '12M']);
    $output = str_replace(', then ' . AFTERWARDS, ', then as expected', ob_get_clean());
    return trim(preg_replace(['/ of \d+ bytes exhausted \(tried to allocate \d+ bytes\) in FILE on line \d+/', '/\s+/'], [' exhausted', ' '], $output));
}
foreach (['MYSQLI_STORE_RESULT', 'MYSQLI_USE_RESULT'] as $mode) {
    foreach ($ways as $name => $way) {
        // 7 MB: they have room while they are buffered, not twice.
        $limit = $mode === 'MYSQLI_STORE_RESULT' ? 'LIMIT 3000' : '';
        echo "$mode, $name: ", ending("\$result = \$db->query('SELECT * FROM t $limit', $mode); $way echo 'not reached';"), "\n";
    }
}
?>
--EXPECTF--
MYSQLI_STORE_RESULT, fetch_all(NUM): Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, fetch_all(ASSOC): Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, fetch_all(BOTH): Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, fetch_row: Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, fetch_assoc: Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, fetch_array: Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, fetch_object: Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, fetch_object(Row): Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, fetch_column: Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, foreach: Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_STORE_RESULT, iterator_to_array: Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255
MYSQLI_USE_RESULT, fetch_all(NUM): Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, fetch_all(ASSOC): Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, fetch_all(BOTH): Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, fetch_row: Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, fetch_assoc: Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, fetch_array: Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, fetch_object: Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, fetch_object(Row): Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, fetch_column: Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then as expected exit code 255
MYSQLI_USE_RESULT, foreach: Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then %s exit code 255
MYSQLI_USE_RESULT, iterator_to_array: Fatal error: Allowed memory size exhausted shutdown: 2014, 6, then %s exit code 255
