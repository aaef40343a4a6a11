<?php
// fetch_field and its family, field_seek, field_tell, lengths, num_rows, data_seek: values and edges.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';

$db = connect();
$db->query('CREATE TABLE t (id INT UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(20) CHARACTER SET latin1, note TEXT, kind ENUM("a", "bb"), flags SET("x", "y"),
    price DECIMAL(10, 3) ZEROFILL, at TIMESTAMP(3) NULL, stamp TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, bits BIT(9), bin VARBINARY(7), u INT UNIQUE, k INT, f FLOAT, d DOUBLE(9,2), PRIMARY KEY (id), KEY (k))');
$db->query("INSERT INTO t (name, note) VALUES ('a', 'xyz'), ('bbb', NULL), (NULL, '')");

foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    section("fetch_field, mode $mode");
    $result = $db->query('SELECT t.*, x.id AS other_id, 1 + 1 AS two, "text" AS `a text`, NULL AS nothing, COUNT(*) AS n FROM t, t AS x GROUP BY t.id, x.id ORDER BY t.id, x.id', $mode);
    while ($field = $result->fetch_field()) {
        show($field);
        show(mysqli_field_tell($result), $result->current_field);
    }
    show($result->fetch_field(), $result->current_field);
    section("max_length before and after the rows, mode $mode");
    show(array_column($result->fetch_fields(), 'max_length', 'name'));
    $rows = $result->fetch_all();
    show(count($rows), array_column($result->fetch_fields(), 'max_length', 'name'));
    section("field_seek and tell, mode $mode");
    foreach ([0, 1, 18, 19, 20, 100, -1, PHP_INT_MAX, PHP_INT_MIN] as $index) {
        attempt("field_seek($index)", fn() => $result->field_seek($index));
        attempt('  tell', fn() => mysqli_field_tell($result));
        attempt('  fetch_field', fn() => $result->fetch_field()->name ?? null);
        attempt('  tell', fn() => $result->current_field);
        attempt("mysqli_field_seek($index)", fn() => mysqli_field_seek($result, $index));
        attempt("fetch_field_direct($index)", fn() => $result->fetch_field_direct($index)->name);
        attempt("mysqli_fetch_field_direct($index)", fn() => mysqli_fetch_field_direct($result, $index)->name);
    }
    $result->field_seek(2);
    section("fetch_fields does not move, mode $mode");
    show(count($result->fetch_fields()), $result->current_field, count(mysqli_fetch_fields($result)));
    show($result->fetch_field_direct(4));
    show(mysqli_fetch_field($result));
    show(get_object_vars($result->fetch_field_direct(0)));
    show(mysqli_num_fields($result), $result->field_count, $db->field_count, mysqli_field_count($db));
    $result->free();

    section("data_seek, mode $mode");
    $result = $db->query('SELECT id FROM t ORDER BY id', $mode);
    foreach ([0, 2, 1, 3, 4, -1, PHP_INT_MAX, PHP_INT_MIN] as $row) {
        attempt("data_seek($row)", fn() => $result->data_seek($row));
        attempt('  row', fn() => $result->fetch_row());
        attempt("mysqli_data_seek($row)", fn() => mysqli_data_seek($result, $row));
        attempt('  row', fn() => $result->fetch_row());
        $mode === MYSQLI_STORE_RESULT && attempt('  lengths', fn() => $result->lengths);
    }
    attempt('rest', fn() => $result->fetch_all());
    attempt('data_seek(0)', fn() => $result->data_seek(0));
    $mode === MYSQLI_STORE_RESULT && attempt('lengths after seek', fn() => [$result->lengths, mysqli_fetch_lengths($result)]);
    attempt('all', fn() => $result->fetch_all());
    attempt('data_seek at the end', fn() => $result->data_seek(2));
    attempt('all', fn() => $result->fetch_all());
    attempt('row', fn() => $result->fetch_row());
    attempt('row', fn() => $result->fetch_row());
    $result->free();

    section("num_rows, mode $mode");
    $result = $db->query('SELECT id FROM t ORDER BY id', $mode);
    attempt('mysqli_num_rows', fn() => mysqli_num_rows($result));
    attempt('num_rows', fn() => $result->num_rows);
    attempt('isset', fn() => isset($result->num_rows));
    for ($i = 0; $i < 5; $i++) {
        attempt('row', fn() => $result->fetch_row());
        attempt('  mysqli_num_rows', fn() => mysqli_num_rows($result));
        attempt('  num_rows', fn() => $result->num_rows);
        attempt('  affected_rows', fn() => $db->affected_rows);
        attempt('  mysqli_affected_rows', fn() => mysqli_affected_rows($db));
    }
    show($result->type);
    $result->free();

    section("lengths, mode $mode");
    $result = $db->query("SELECT NULL, '', 'a', REPEAT('b', 70000), X'00', 12345 UNION SELECT 'x', 'yy', NULL, '', 'abc', -1", $mode);
    attempt('before', fn() => $result->lengths);
    attempt('before', fn() => mysqli_fetch_lengths($result));
    $result->fetch_row();
    attempt('first', fn() => $result->lengths);
    attempt('first', fn() => mysqli_fetch_lengths($result));
    $result->fetch_assoc();
    attempt('second', fn() => $result->lengths);
    attempt('second', fn() => mysqli_fetch_lengths(result: $result));
    section("lengths after the end, mode $mode");
    $result->fetch_column();
    attempt('after', fn() => $result->lengths);
    attempt('after', fn() => mysqli_fetch_lengths($result));
    section("lengths of a freed result, mode $mode");
    $result->free();
    attempt('freed', fn() => $result->lengths);
    attempt('freed', fn() => mysqli_fetch_lengths($result));
}
section('many columns');
$result = $db->query('SELECT ' . implode(', ', array_map(fn($i) => "$i AS c$i", range(0, 999))));
show($result->field_count, md5(serialize($result->fetch_fields())), md5(serialize($result->fetch_assoc())));
section('charset numbers and lengths by connection charset');
foreach (['utf8mb4', 'latin1', 'utf8', 'ascii', 'gbk', 'sjis', 'big5', 'cp932', 'ucs2'] as $charset) {
    attempt($charset, function () use ($db, $charset) {
        $db->set_charset($charset);
        return array_map(fn($f) => [$f->name, $f->charsetnr, $f->length, $f->flags, $f->type], $db->query('SELECT name, note, id, bin, kind FROM t')->fetch_fields());
    });
}
