--TEST--
The next user of a persistent connection finds nothing that the last one left, by mysqli and by PDO
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);
$admin = connect();
foreach (['DROP ROLE IF EXISTS leak_role', 'CREATE ROLE leak_role', 'GRANT leak_role TO CURRENT_USER()', 'SET ROLE NONE'] as $sql) {
    $has_roles = $admin->query($sql);
}
$admin->query('CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT) ENGINE=InnoDB');
$admin->query('CREATE TABLE other (a INT) ENGINE=InnoDB');
$database = server('DATABASE');

/** What a user leaves, and the query that shows it. */
$traces = [
    'a user variable' => ['SET @a = 1', 'SELECT @a'],
    'a variable' => ['SET SESSION group_concat_max_len = 77777', 'SELECT @@group_concat_max_len'],
    'autocommit' => ['SET autocommit = 0', 'SELECT @@autocommit'],
    'the character set' => ['SET NAMES latin2', 'SELECT @@character_set_client, @@collation_connection'],
    'the database' => ['USE information_schema', 'SELECT DATABASE()'],
    'a temporary table' => ['CREATE TEMPORARY TABLE own AS SELECT 5', 'SELECT * FROM own'],
    'a transaction' => ['START TRANSACTION', 'INSERT INTO t VALUES (99)', 'SELECT COUNT(*) FROM t WHERE id = 99'],
    'locked tables' => ['LOCK TABLES t WRITE', 'SELECT * FROM other'],
    'a named lock' => ["DO GET_LOCK('$database.leak', 0)", "SELECT IS_FREE_LOCK('$database.leak')"],
    'a prepared statement' => ["PREPARE s FROM 'SELECT 5'", 'EXECUTE s'],
    'the last insert id' => ['DO LAST_INSERT_ID(77)', 'SELECT LAST_INSERT_ID()'],
];
if ($has_roles) {
    $traces['a role'] = ['SET ROLE leak_role', 'SELECT CURRENT_ROLE()'];
}

/** What a query shows, or its error. */
$shown = [
    'mysqli' => function (mysqli $db, string $sql) {
        $result = $db->query($sql);
        return $result instanceof mysqli_result ? $result->fetch_all() : $db->errno;
    },
    'pdo' => function (PDO $db, string $sql) {
        try {
            return $db->query($sql)->fetchAll(PDO::FETCH_NUM);
        } catch (PDOException $e) {
            return $e->errorInfo[1];
        }
    },
];
$connect = [
    'mysqli' => fn() => connect(hostname: 'p:' . address()['hostname']),
    'pdo' => fn() => connect_pdo([PDO::ATTR_PERSISTENT => true]),
];
$id = ['mysqli' => 'SELECT CONNECTION_ID()', 'pdo' => 'SELECT CONNECTION_ID()'];
foreach ($shown as $api => $show) {
    foreach ([1, 2] as $round) {
        foreach ($traces as $name => $statements) {
            $query = array_pop($statements);
            $db = $connect[$api]();
            $before = $show($db, $query);
            unset($db);
            $db = $connect[$api]();
            $id = $show($db, 'SELECT CONNECTION_ID()');
            foreach ($statements as $sql) {
                $api === 'pdo' ? $db->exec($sql) : $db->query($sql);
            }
            if ($show($db, $query) === $before) {
                echo "$api, $name: is not seen in its own session\n";
            }
            unset($db);
            $db = $connect[$api]();
            $after = $show($db, $query);
            if ($after !== $before || $show($db, 'SELECT CONNECTION_ID()') !== $id) {
                echo "$api, $name, round $round: ";
                show($before, $after);
            }
            unset($db);
        }
    }
    echo "$api: done\n";
}

echo "what PDO itself keeps\n";
$db = $connect['pdo']();
$db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
$db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
$db->setAttribute(PDO::ATTR_AUTOCOMMIT, false);
$attributes = fn($db) => array_map($db->getAttribute(...), [PDO::ATTR_EMULATE_PREPARES, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, PDO::ATTR_AUTOCOMMIT]);
echo json_encode(array_map(intval(...), $attributes($db))), "\n";
unset($db);
$db = $connect['pdo']();
echo json_encode(array_map(intval(...), $attributes($db))), ' ', $db->query('SELECT @@autocommit')->fetchColumn(), "\n";
unset($db);
$db = connect_pdo([PDO::ATTR_PERSISTENT => true, PDO::ATTR_AUTOCOMMIT => false]);
echo json_encode(array_map(intval(...), $attributes($db))), ' ', $db->query('SELECT @@autocommit')->fetchColumn(), "\n";
unset($db);

echo "shared by what lives at once\n";
[$one, $two] = [$connect['pdo'](), $connect['pdo']()];
$one->exec('SET @a = 7');
echo $two->query('SELECT @a')->fetchColumn(), "\n";
unset($two);
echo $one->query('SELECT @a')->fetchColumn(), "\n";
$other = connect_pdo([PDO::ATTR_PERSISTENT => 'another']);
echo json_encode($other->query('SELECT @a')->fetchColumn()), "\n";

$stats = Vaquita\pool_stats();
echo $stats['hits'] > 90 && $stats['resets'] > 90 && $stats['misses'] === 1 && $stats['evicted_as_spoilt'] === 0 ? 'counted' : json_encode($stats), "\n";
$admin->query('DROP ROLE leak_role');
?>
--EXPECT--
mysqli: done
pdo: done
what PDO itself keeps
[0,0,0]
[1,1,1] 1
[1,1,0] 0
shared by what lives at once
7
7
null
counted
