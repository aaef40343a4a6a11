--TEST--
A PDO object that is constructed again keeps its first connection for that one's statements, and ends both with itself
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
$id = fn(PDO $db) => $db->query('SELECT CONNECTION_ID()')->fetchColumn();
$watch = connect();
$are_there = fn(string $ids) => $watch->query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN ($ids)")->fetch_row()[0];

$db = connect_pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]);
$ids = [$id($db)];
$rows = $db->query('SELECT 1 UNION SELECT 2 UNION SELECT 3');
show($rows->fetchColumn());
foreach (['again', 'and again'] as $time) {
    $db->__construct(data_source(), server('USER'), server('PASSWORD'));
    $ids[] = $id($db);
}
show(count(array_unique($ids)), $rows->fetchAll(PDO::FETCH_COLUMN), $are_there(implode(',', $ids)));
try {
    $db->__construct(data_source(), 'nobody', 'wrong');
} catch (PDOException $error) {
    show($error->getCode());
}
unset($rows, $db);
while ($are_there(implode(',', $ids)) !== '0');
echo "none is there any more\n";

// PDO quotes by the new connection what the old one would send.
foreach ([[data_source() . ';charset=utf8mb4', server('USER'), server('PASSWORD')], [data_source(), 'nobody', 'wrong']] as $again) {
    $db = new PDO(data_source() . ';charset=gbk', server('USER'), server('PASSWORD'));
    $db->exec('CREATE TEMPORARY TABLE words (word VARBINARY(20))');
    $insert = $db->prepare('INSERT INTO words VALUES (?)');
    $insert->execute(['first']);
    $words = $db->prepare('SELECT HEX(word) FROM words');
    $db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
    $prepared = $db->prepare('SELECT ?');
    try {
        $db->__construct(...$again);
    } catch (PDOException) {
        try {
            show($db->quote('x'));
        } catch (PDOException $error) {
            show($error->getMessage());
        }
        $db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_SILENT);
        show($db->quote('x'), $db->errorInfo());
        show($insert->execute(["\xbf'), ('injected')-- "]));
        $db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
    }
    try {
        show($insert->execute(["\xbf'), ('injected')-- "]));
    } catch (PDOException $error) {
        show($error->getMessage(), $error->errorInfo[1]);
    }
    $words->execute();
    show($words->fetchAll(PDO::FETCH_COLUMN));
    $prepared->execute(["it's"]);
    show($prepared->fetchColumn());
}
?>
--EXPECT--
1
3 | [2, 3] | "3"
1045
none is there any more
"SQLSTATE[HY000]: General error: 2006 MySQL server has gone away: the PDO object has another connection; prepare the statement again" | 2006
["6669727374"]
"it's"
"SQLSTATE[HY000] [2006] MySQL server has gone away"
false | ["HY000", 2006, "MySQL server has gone away"]
false
"SQLSTATE[HY000] [2006] MySQL server has gone away" | 2006
["6669727374"]
"it's"
