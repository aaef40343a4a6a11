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
?>
--EXPECT--
1
3 | [2, 3] | "3"
1045
none is there any more
