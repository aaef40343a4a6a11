--TEST--
Vaquita\query takes positional and named parameters, arrays and rows, and puts no value into the text
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
use function Vaquita\query;

section('what it is');
$function = new ReflectionFunction('Vaquita\query');
show((string) $function->getReturnType(), $function->getExtensionName(), $function->getNumberOfRequiredParameters());
foreach ($function->getParameters() as $parameter) {
    show((string) $parameter);
}

$db = connect();
$db->set_charset('utf8mb4');
$db->query('CREATE TEMPORARY TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a INT, b VARCHAR(99), c DOUBLE) CHARACTER SET utf8mb4');
$all = fn(string $sql, array $params = []) => show(query($db, $sql, $params)->fetch_all());

section('parameters');
show(query($db, 'INSERT INTO t (a, b, c) VALUES ?', [[[1, 'one', 1.5], [2, "tw'o\\", null], [3, null, -0.25]]]), $db->affected_rows, $db->insert_id);
show(query($db, 'INSERT INTO t (a, b) VALUES :rows, (:a, :b)', ['a' => 5, 'rows' => [[4, 'é']], 'b' => true]), $db->affected_rows);
$all('SELECT a, b, c FROM t ORDER BY id');
$all('SELECT a FROM t WHERE id = ? AND b = ?', [1, 'one']);
$all('SELECT a FROM t WHERE a IN (?) AND id > ? ORDER BY a', [[3, 2, 4], 1]);
$all('SELECT a FROM t WHERE a IN (:as) AND (a > :low OR a < :low) ORDER BY a', ['low' => 3, 'as' => ['x' => '2', 7 => 3, 9 => 4]]);
$all('SELECT a FROM t WHERE (a, b) IN (:pairs)', ['pairs' => [[1, 'one'], [4, 'é'], [5, 'x']]]);
$all('SELECT 1');
$named = ['id' => 1];
$reference = &$named['id'];
$all('SELECT a FROM t WHERE id = :id', $named);
show(query($db, 'UPDATE t SET c = ? WHERE a < ?', [7, 3]), $db->affected_rows, query($db, 'DO 0'));

section('types');
class Text { function __construct(private string $text) {} function __toString(): string { return $this->text; } }
$row = query($db, 'SELECT ?, ?, ?, ?, ?, ?', [PHP_INT_MIN, 0.1, true, null, "a\0b", new Text('text')])->fetch_row();
show($row);
$all('SELECT CONCAT(:a, :a), HEX(:b)', ['a' => 20, 'b' => "\xFF"]);
$all('SELECT a FROM t WHERE a IN (?)', [[new Text('1'), new Text('2')]]);

section('what looks like a placeholder');
$all("SELECT '?', \":a\", /* ? :b */ ?, '\\'?' -- ? :c\n, `a`.`?` FROM (SELECT 1 AS `?`) a", ['x']);
$all("SELECT ':a' AS `:b`, :c AS `?`", ['c' => 'z']);
$all('SELECT @v:=?', [1]);
?>
--EXPECT--
=== what it is
"mysqli_result|bool" | "vaquita" | 2
"Parameter #0 [ <required> mysqli $link ]"
"Parameter #1 [ <required> string $sql ]"
"Parameter #2 [ <optional> array $params = [] ]"
=== parameters
true | 3 | 1
true | 2
[[1, "one", float 1.5], [2, "tw'o\\", null], [3, null, float -0.25], [4, "\303\251", null], [5, "1", null]]
[[1]]
[[2], [3], [4]]
[[2], [4]]
[[1], [4]]
[[1]]
[[1]]
true | 2 | true
=== types
[-9223372036854775807-1, float 0.1, 1, null, "a\000b", "text"]
[["2020", "FF"]]
[[1], [2]]
=== what looks like a placeholder
[["?", ":a", "x", "'?", 1]]
[[":a", "z"]]
[[1]]
