--TEST--
fetch_object with an enum, which cannot be made (stock crashes)
--FILE--
<?php
require 'support/prelude.php';
enum Suit { case Hearts; }
enum Backed: string { case A = 'a'; }
$db = connect();
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $result = $db->query('SELECT 1 AS name UNION SELECT 2', $mode);
    attempt('method', fn() => $result->fetch_object('Suit'));
    attempt('function', fn() => mysqli_fetch_object($result, Backed::class));
    attempt('at the end', fn() => $result->fetch_object('Suit'));
    $result->free();
}
show($db->query('SELECT 1')->fetch_row());
?>
--EXPECT--
method: thrown Error(0): Cannot instantiate enum Suit
function: thrown Error(0): Cannot instantiate enum Backed
at the end: null
method: thrown Error(0): Cannot instantiate enum Suit
function: thrown Error(0): Cannot instantiate enum Backed
at the end: null
["1"]
