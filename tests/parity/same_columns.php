<?php
// Results of the same columns, one after the other and at the same time: rows, fields, statistics and settings are those of each.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

/** What was fetched since the last call. */
function fetched(mysqli $db): array
{
    static $before = [];
    $now = array_filter($db->get_connection_stats(), fn($name) => preg_match('/^(rows_fetched_from_client.*_unbuffered|rows_buffered|proto_text_fetched_(int|double)$|bytes_received_real_data)/', $name), ARRAY_FILTER_USE_KEY);
    $changes = array_filter(array_map(fn($number, $then) => $number - $then, $now, $before ?: array_fill(0, count($now), 0)));
    $names = array_keys($now);
    $before = array_values($now);
    return array_combine(array_map(fn($index) => $names[$index], array_keys($changes)), $changes);
}

$db = connect();
$db->query('CREATE TEMPORARY TABLE t (id INT, name VARCHAR(20), price DOUBLE, note TEXT)');
$db->query("INSERT INTO t VALUES (1, 'one', 1.5, NULL), (2, '', NULL, 'two'), (3, NULL, -0.25, REPEAT('x', 300))");
const SQL = 'SELECT id, name, price, note, name AS id, 7 AS `0`, note AS `2` FROM t WHERE id >= ';

section('one after the other');
fetched($db);
foreach ([1, 2, 3, 4, 1] as $id) {
    foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
        foreach ([MYSQLI_ASSOC, MYSQLI_NUM, MYSQLI_BOTH] as $shape) {
            $result = $db->query(SQL . $id, $mode);
            $row = $result->fetch_array($shape);
            show($row, $row ? $result->lengths : [], $result->fetch_array($shape));
            $result->free();
        }
    }
    show(fetched($db));
}

section('at the same time, freed in any order');
$results = [];
for ($i = 0; $i < 5; $i++) {
    $results[] = $db->query(SQL . '1');
    show($results[$i >> 1]->fetch_assoc(), $results[$i]->fetch_row());
}
foreach ([2, 0, 4] as $i) {
    unset($results[$i]);
    show(fetched($db), $db->query(SQL . '2')->fetch_assoc());
}
show(array_map(fn($result) => $result->fetch_all(MYSQLI_ASSOC), $results), fetched($db));

section('rows that a script changes');
$rows = [];
foreach ([1, 2, 3, 1] as $id) {
    $row = $db->query(SQL . $id)->fetch_assoc();
    $row['name'] .= '!';
    $row['more'] = $id;
    unset($row['price']);
    foreach ($row as $key => $value) {
        $key .= '?';
        $row[$key] = $value;
    }
    $rows[] = $row;
}
show($rows, $db->query(SQL . '1')->fetch_assoc());

section('fields');
for ($i = 0; $i < 3; $i++) {
    $result = $db->query(SQL . '1');
    $result->field_seek($i);
    show($result->fetch_field(), $result->current_field, count($result->fetch_fields()));
}

section('integers and floats');
$result = $db->query(SQL . '1');
show($result->fetch_assoc());
foreach ([true, false, true, true, false] as $native) {
    $db->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, $native);
    show($db->query(SQL . '1')->fetch_row(), $result->data_seek(0), $result->fetch_assoc());
}
$unbuffered = $db->query(SQL . '1', MYSQLI_USE_RESULT);
show($unbuffered->fetch_row());
$db->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, true);
show($unbuffered->fetch_row());
$db->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, false);
show($unbuffered->fetch_row(), $unbuffered->fetch_row());

section('collected or not');
foreach (['0', '1', '0', '1'] as $on) {
    ini_set('mysqlnd.collect_statistics', $on);
    $db->query(SQL . '1')->fetch_all();
    show(fetched($db));
}

section('a table that changes');
foreach (['ALTER TABLE t MODIFY id VARCHAR(5)', 'ALTER TABLE t RENAME COLUMN note TO remark', 'ALTER TABLE t RENAME COLUMN remark TO note', 'ALTER TABLE t MODIFY id INT'] as $sql) {
    $db->query($sql);
    $star = $db->query('SELECT * FROM t ORDER BY id');
    show($star->fetch_assoc(), $star->fetch_fields()[0]->type, $star->fetch_fields()[3]->name);
}

section('prepared and not');
$statement = $db->prepare('SELECT id, price, name FROM t WHERE id = ?');
for ($i = 1; $i < 4; $i++) {
    $statement->execute([$i]);
    show($statement->get_result()->fetch_assoc(), $db->query("SELECT id, price, name FROM t WHERE id = $i")->fetch_assoc());
    $statement->execute([$i]);
    $statement->bind_result($id, $price, $name);
    show($statement->fetch(), $id, $price, $name, $statement->fetch());
}
show(fetched($db));

section('many of them');
for ($i = 0; $i < 100; $i++) {
    $row = $db->query('SELECT ' . $i % 37 . ' AS n, 1 AS c' . $i % 41)->fetch_assoc();
    if (array_keys($row) !== ['n', 'c' . $i % 41] || $row['n'] !== (string) ($i % 37)) {
        show($i, $row);
    }
}
$wide = 'SELECT ' . implode(', ', array_map(fn($number) => "$number AS c$number", range(1, 1000)));
show(array_sum($db->query($wide)->fetch_row()), count($db->query($wide)->fetch_assoc()), array_key_last($db->query($wide)->fetch_assoc()));

section('results that outlive their link');
$result = $db->query(SQL . '1');
$other = $db->query(SQL . '1');
show($other->fetch_assoc());
$db->close();
show($result->fetch_assoc());
unset($other);
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (id INT, name VARCHAR(20), price DOUBLE, note TEXT)');
show($db->query(SQL . '1')->fetch_assoc(), $result->fetch_assoc());
unset($db);
show($result->fetch_assoc(), $result->fetch_assoc());

section('PDO');
foreach ([true, false] as $emulate) {
    $pdo = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulate]);
    $pdo->exec('CREATE TEMPORARY TABLE t (id INT, name VARCHAR(20), price DOUBLE)');
    $pdo->exec("INSERT INTO t VALUES (1, 'one', 1.5), (2, NULL, 2)");
    $statement = $pdo->prepare('SELECT id, name, price FROM t WHERE id >= ?');
    foreach ([false, true, false] as $stringify) {
        $pdo->setAttribute(PDO::ATTR_STRINGIFY_FETCHES, $stringify);
        foreach ([1, 2, 3] as $id) {
            $statement->execute([$id]);
            show($statement->fetch(PDO::FETCH_ASSOC), $statement->fetchAll(PDO::FETCH_NUM));
            show($pdo->query("SELECT id, name, price FROM t WHERE id >= $id")->fetch(PDO::FETCH_OBJ));
        }
        $statement->execute([1]);
        show($statement->fetch(PDO::FETCH_NUM), $pdo->setAttribute(PDO::ATTR_STRINGIFY_FETCHES, !$stringify), $statement->fetch(PDO::FETCH_NUM));
        $statement->closeCursor();
    }
}
