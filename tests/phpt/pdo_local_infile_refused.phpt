--TEST--
A file that is refused in the midst of several statements is an error, and the connection stays ready
--FILE--
<?php
// places: mariadb-unix mysql80-tcp
require 'support/prelude.php';
$db = connect_pdo();
$db->exec('CREATE TEMPORARY TABLE t (a TEXT)');
$load = "LOAD DATA LOCAL INFILE '/nowhere' INTO TABLE t";
function told(callable $work): void
{
    try {
        var_dump($work());
    } catch (PDOException $e) {
        echo $e->errorInfo[1], "\n";
    }
    var_dump($GLOBALS['db']->query('SELECT 3')->fetchColumn());
}
told(fn() => $db->exec("$load; SELECT 1; DO 2"));
told(fn() => $db->exec("DO 1; $load; SELECT 1; DO 2"));
told(fn() => $db->query("$load; SELECT 1; DO 2"));
$s = $db->query("DO 1; $load; SELECT 1; DO 2");
told(fn() => $s->closeCursor());
$s = $db->query("DO 1; $load; SELECT 1; DO 2");
try {
    $s->nextRowset();
} catch (PDOException $e) {
    echo $e->errorInfo[1], "\n";
}
$s = null;
told(fn() => 'the end');
?>
--EXPECT--
2068
int(3)
2068
int(3)
2068
int(3)
2068
int(3)
2068
string(7) "the end"
int(3)
