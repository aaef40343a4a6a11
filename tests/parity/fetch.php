<?php
// Every way to fetch, buffered and unbuffered: the rows, what comes after the last one, and the lengths.
// servers: mariadb mysql80
// transports: tcp unix zlib tls tls-zlib
require 'support/prelude.php';

$db = connect();
$db->query('CREATE TABLE t (id INT, name VARCHAR(20), note TEXT, PRIMARY KEY (id))');
$db->query("INSERT INTO t VALUES (1, 'one', NULL), (2, '', 'x'), (3, 'drei', REPEAT('long', 100)), (4, 'NULL', '0')");
const MODES = ['buffered' => MYSQLI_STORE_RESULT, 'unbuffered' => MYSQLI_USE_RESULT];
const SQL = 'SELECT * FROM t ORDER BY id';

$ways = [
    'fetch_row' => fn(mysqli_result $r) => $r->fetch_row(),
    'mysqli_fetch_row' => fn($r) => mysqli_fetch_row($r),
    'fetch_assoc' => fn($r) => $r->fetch_assoc(),
    'mysqli_fetch_assoc' => fn($r) => mysqli_fetch_assoc($r),
    'fetch_array' => fn($r) => $r->fetch_array(),
    'fetch_array(ASSOC)' => fn($r) => $r->fetch_array(MYSQLI_ASSOC),
    'fetch_array(NUM)' => fn($r) => $r->fetch_array(MYSQLI_NUM),
    'fetch_array(BOTH)' => fn($r) => $r->fetch_array(MYSQLI_BOTH),
    'mysqli_fetch_array' => fn($r) => mysqli_fetch_array($r),
    'mysqli_fetch_array(ASSOC)' => fn($r) => mysqli_fetch_array($r, MYSQLI_ASSOC),
    'fetch_object' => fn($r) => $r->fetch_object(),
    'mysqli_fetch_object' => fn($r) => mysqli_fetch_object($r),
    'fetch_column' => fn($r) => $r->fetch_column(),
    'fetch_column(1)' => fn($r) => $r->fetch_column(1),
    'fetch_column(2)' => fn($r) => $r->fetch_column(2),
    'mysqli_fetch_column' => fn($r) => mysqli_fetch_column($r, 2),
];
foreach (MODES as $mode_name => $mode) {
    foreach ($ways as $name => $way) {
        section("$name, $mode_name");
        $result = $db->query(SQL, $mode);
        for ($i = 0; $i < 7; $i++) {
            $row = $way($result);
        show($row, ...($row ? [$result->lengths, mysqli_fetch_lengths($result)] : []));
        }
        $result->free();
    }
    foreach ([MYSQLI_ASSOC, MYSQLI_NUM, MYSQLI_BOTH] as $shape) {
        section("fetch_all($shape), $mode_name");
        $result = $db->query(SQL, $mode);
        show($result->fetch_all($shape));
        show($result->fetch_all($shape), $result->num_rows);
        show($result->fetch_row());
        $result = $db->query(SQL, $mode);
        show($result->fetch_row(), mysqli_fetch_all($result, $shape));
        $result = $db->query("SELECT * FROM t WHERE id > 9", $mode);
        show(mysqli_fetch_all($result, $shape), $result->fetch_row());
    }
    section("fetch_all default, $mode_name");
    show($db->query(SQL, $mode)->fetch_all());
    show(mysqli_fetch_all($db->query(SQL, $mode)));

    section("foreach, $mode_name");
    $result = $db->query(SQL, $mode);
    foreach ($result as $key => $row) {
        show($key, $row, $result->lengths);
    }
    show($result->fetch_row(), $result->num_rows);
    section("foreach again, $mode_name");
    foreach ($result as $key => $row) {
        show($key, $row);
    }
    section("foreach with break, then the rest, $mode_name");
    $result = $db->query(SQL, $mode);
    foreach ($result as $key => $row) {
        show($key, $row['id']);
        if ($key === 1) {
            break;
        }
    }
    show($result->fetch_row());
    foreach ($result as $key => $row) {
        show($key, $row['id']);
    }
    show($result->fetch_row());
    $result->free();

    section("foreach nested, $mode_name");
    $result = $db->query(SQL, $mode);
    $steps = 0;
    foreach ($result as $outer => $a) {
        foreach ($result as $inner => $b) {
            show($outer, $a['id'], $inner, $b['id']);
            if (++$steps > 30) {
                break 2;
            }
        }
    }
    $result->free();

    section("foreach with other fetches inside, $mode_name");
    $result = $db->query(SQL, $mode);
    foreach ($result as $key => $row) {
        show($key, $row['id'], $result->fetch_row());
    }
    $result->free();

    section("iterator by hand, $mode_name");
    $result = $db->query(SQL, $mode);
    $iterator = $result->getIterator();
    show(get_debug_type($iterator), $iterator instanceof Iterator);
    attempt('current before rewind', fn() => $iterator->current());
    attempt('valid', fn() => $iterator->valid());
    attempt('key', fn() => $iterator->key());
    attempt('rewind', fn() => $iterator->rewind());
    attempt('current', fn() => $iterator->current());
    attempt('current', fn() => $iterator->current());
    attempt('key', fn() => $iterator->key());
    attempt('next', fn() => $iterator->next());
    attempt('current', fn() => $iterator->current());
    attempt('rewind', fn() => $iterator->rewind());
    attempt('current', fn() => $iterator->current());
    unset($iterator);
    $result->free();

    section("iterator_to_array and generators, $mode_name");
    $result = $db->query(SQL, $mode);
    attempt('iterator_to_array', fn() => iterator_to_array($result));
    $result->free();
    $result = $db->query(SQL, $mode);
    $generate = function () use ($result) { yield from $result; };
    foreach ($generate() as $key => $row) {
        show($key, $row['name']);
    }
    $result->free();
    $result = $db->query(SQL, $mode);
    attempt('array_map over unpacked', fn() => array_map(fn($row) => $row['id'], [...$result]));
    $result->free();
    $result = $db->query(SQL, $mode);
    attempt('IteratorIterator', function () use ($result) {
        $ids = [];
        foreach (new IteratorIterator($result) as $key => $row) {
            $ids[] = [$key, $row['id']];
        }
        return $ids;
    });
    $result->free();

    section("foreach over a freed result, $mode_name");
    attempt('foreach', function () use ($result) {
        foreach ($result as $row) {
            show($row);
        }
    });
    section("freed during foreach, $mode_name");
    $result = $db->query(SQL, $mode);
    attempt('foreach', function () use ($result) {
        foreach ($result as $key => $row) {
            show($key, $row['id']);
            if ($key === 1) {
                $result->free();
            }
        }
    });
    section("variable overwritten during foreach, $mode_name");
    $result = $db->query(SQL, $mode);
    foreach ($result as $key => $row) {
        show($key, $row['id']);
        $result = null;
    }
    section("foreach by reference, $mode_name");
    attempt('foreach', function () use ($db, $mode) {
        $result = $db->query(SQL, $mode);
        foreach ($result as $key => &$row) {
            show($row);
        }
    });

    section("no rows, $mode_name");
    foreach ($ways as $name => $way) {
        $result = $db->query('SELECT * FROM t WHERE id > 100', $mode);
        show($name, $way($result), $way($result), $result->num_rows, $result->field_count);
        $result->free();
    }
    foreach ($db->query('SELECT * FROM t WHERE id > 100', $mode) as $row) {
        show($row);
    }

    section("two columns of one name, no name, numeric names, $mode_name");
    $sql = 'SELECT 1 AS a, 2 AS a, 3 AS `0`, 4 AS `1`, 5 AS `-1`, 6 AS `01`, 7 AS `9223372036854775807`, 8 AS `9223372036854775808`, 9 AS `-0`, 10 AS `ä\'"`, 11 AS `-b`, 12 AS `-`, 13 AS `--`';
    foreach (['fetch_row', 'fetch_assoc', 'fetch_array', 'fetch_object'] as $method) {
        $result = $db->query($sql, $mode);
        $row = $result->$method();
        var_dump((array) $row);
        $result->free();
    }
    foreach ([MYSQLI_ASSOC, MYSQLI_NUM, MYSQLI_BOTH] as $shape) {
        var_dump($db->query($sql, $mode)->fetch_all($shape));
    }
    foreach ($db->query($sql, $mode) as $row) {
        var_dump($row);
    }
    section("an empty name, $mode_name");
    attempt('fetch_assoc', fn() => $db->query("SELECT 'a' AS ``", $mode)->fetch_assoc());
    attempt('fetch_object', fn() => $db->query("SELECT ''", $mode)->fetch_object());
    attempt('fetch_assoc of SELECT empty', fn() => $db->query("SELECT ''", $mode)->fetch_assoc());
}
