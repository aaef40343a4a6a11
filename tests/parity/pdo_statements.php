<?php
// PDO: parameters of every kind, statements prepared by PDO and by the server, buffered and not, rows by every way to fetch.
// servers: mariadb mysql80
// transports: tcp unix zlib tls
require 'support/prelude.php';
watch_errors();

class Text { public function __construct(private string $text) {} public function __toString(): string { return $this->text; } }
class Row { public $id; public $name; public function __construct(public string $made = 'default') {} }

$all = [];
foreach (['emulated' => true, 'native' => false] as $prepares => $emulate) {
    foreach (['buffered' => true, 'unbuffered' => false] as $kind => $buffered) {
        $all["$prepares, $kind"] = [PDO::ATTR_EMULATE_PREPARES => $emulate, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered];
    }
}
$values = [null, true, false, 0, 1, -1, PHP_INT_MAX, PHP_INT_MIN, 0.0, 1.5, -0.1, 1e300, '', '0', '12abc', "a\0b'\\\"\n\r\x1a", 'ä€𝄞', str_repeat('x', 300), new Text('object')];
$types = ['NULL' => PDO::PARAM_NULL, 'BOOL' => PDO::PARAM_BOOL, 'INT' => PDO::PARAM_INT, 'STR' => PDO::PARAM_STR, 'LOB' => PDO::PARAM_LOB,
    'NATL' => PDO::PARAM_STR | PDO::PARAM_STR_NATL, 'CHAR' => PDO::PARAM_STR | PDO::PARAM_STR_CHAR];

foreach ($all as $how => $options) {
    section("parameters, $how");
    $db = connect_pdo($options);
    foreach ($types as $name => $type) {
        foreach ($values as $value) {
            attempt($name . ' ' . substr(text($value), 0, 40), function () use ($db, $type, $value) {
                $s = $db->prepare('SELECT ? AS v, ? IS NULL AS n');
                show($s->bindValue(1, $value, $type), $s->bindValue(2, $value, $type), $s->execute());
                $meta = $s->getColumnMeta(0);
                unset($meta['len'], $meta['flags']);
                return [$s->fetchAll(PDO::FETCH_NUM), $meta];
            });
        }
    }
    attempt('arrays', fn() => $db->prepare('SELECT ?')->execute([[1]]));
    attempt('execute with names', function () use ($db) {
        $s = $db->prepare('SELECT :a AS a, :b AS b, :a AS again');
        return [$s->execute(['a' => 1, ':b' => 'x']), $s->fetchAll(PDO::FETCH_ASSOC)];
    });
    attempt('too few', function () use ($db) { $s = $db->prepare('SELECT ?, ?'); return $s->execute([1]); });
    attempt('too many', function () use ($db) { $s = $db->prepare('SELECT ?'); return $s->execute([1, 2]); });
    attempt('none', function () use ($db) { $s = $db->prepare('SELECT ?'); return $s->execute(); });
    attempt('number 0', function () use ($db) { $s = $db->prepare('SELECT ?'); return $s->bindValue(0, 1); });
    attempt('number 2 of 1', function () use ($db) { $s = $db->prepare('SELECT ?'); return $s->bindValue(2, 1); });
    attempt('an unknown name', function () use ($db) { $s = $db->prepare('SELECT :a'); show($s->bindValue(':b', 1)); return $s->execute(); });
    attempt('mixed', fn() => $db->prepare('SELECT ?, :a'));
    attempt('in quotes and comments', function () use ($db) {
        $s = $db->prepare("SELECT '?', ':x', `a?` AS `b:c`, \"?\" /* ? :y */, ? # ?\n FROM (SELECT 1 AS `a?`) t -- ?");
        return [$s->execute(['v']), $s->fetchAll(PDO::FETCH_NUM)];
    });
    attempt('a stream', function () use ($db) {
        $f = fopen('php://memory', 'w+');
        fwrite($f, "stream\0'");
        rewind($f);
        $s = $db->prepare('SELECT ?, LENGTH(?)');
        $s->bindParam(1, $f, PDO::PARAM_LOB);
        $s->bindValue(2, 'abc');
        return [$s->execute(), $s->fetchAll(PDO::FETCH_NUM), gettype($f)];
    });
    attempt('a resource that is no stream', function () use ($db) {
        $s = $db->prepare('SELECT ?');
        $context = stream_context_create();
        $s->bindParam(1, $context, PDO::PARAM_LOB);
        return $s->execute();
    });
    attempt('by reference', function () use ($db) {
        $s = $db->prepare('SELECT ? AS v');
        $s->bindParam(1, $v, PDO::PARAM_INT);
        $rows = [];
        foreach ([1, '2', null, true, 3.5, 'x'] as $v) {
            $s->execute();
            $rows[] = $s->fetchAll(PDO::FETCH_COLUMN);
        }
        return [$rows, $v];
    });

    section("rows, $how");
    $db->exec('CREATE TEMPORARY TABLE t (id INT PRIMARY KEY, name VARCHAR(20), d DOUBLE, n DECIMAL(10,2), b BLOB, w BIT(9), u BIGINT UNSIGNED)');
    $db->exec("INSERT INTO t VALUES (1, 'one', 1.5, 1.50, x'00ff', 5, 18446744073709551615), (2, NULL, NULL, NULL, NULL, NULL, 2), (3, 'three', -0.1, -3, '', 511, 3)");
    $query = 'SELECT * FROM t ORDER BY id';
    $fetch = fn(PDOStatement $s, ...$mode) => attempt(json_encode($mode), function () use ($s, $mode) { $rows = []; while (($row = $s->fetch(...$mode)) !== false) { $rows[] = $row; } return $rows; });
    foreach ([[PDO::FETCH_ASSOC], [PDO::FETCH_NUM], [PDO::FETCH_BOTH], [PDO::FETCH_OBJ], [PDO::FETCH_NAMED], [PDO::FETCH_KEY_PAIR]] as $mode) {
        $s = $db->prepare($mode === [PDO::FETCH_KEY_PAIR] ? 'SELECT id, name FROM t ORDER BY id' : $query);
        $s->execute();
        show($s->rowCount(), $s->columnCount());
        $fetch($s, ...$mode);
        show($s->fetch(), $s->errorInfo(), $s->rowCount());
    }
    foreach ([[PDO::FETCH_COLUMN, 1], [PDO::FETCH_CLASS, 'Row', ['argument']], [PDO::FETCH_CLASS | PDO::FETCH_PROPS_LATE, 'Row', ['late']], [PDO::FETCH_FUNC, fn(...$row) => count($row)],
        [PDO::FETCH_GROUP | PDO::FETCH_ASSOC], [PDO::FETCH_UNIQUE | PDO::FETCH_NUM], [PDO::FETCH_COLUMN | PDO::FETCH_GROUP]] as $mode) {
        attempt('fetchAll ' . json_encode($mode), fn() => @$db->query($query)->fetchAll(...$mode));
    }
    attempt('lazy', function () use ($db, $query) {
        $s = $db->query($query);
        $seen = [];
        while ($row = $s->fetch(PDO::FETCH_LAZY)) {
            $seen[] = [$row->id, $row->name, $row['d'], isset($row->none), $row->queryString];
        }
        return $seen;
    });
    attempt('bound columns', function () use ($db, $query) {
        $s = $db->prepare($query);
        $s->bindColumn('id', $id, PDO::PARAM_STR);
        $s->bindColumn(2, $name);
        $s->bindColumn('b', $b, PDO::PARAM_LOB);
        $s->execute();
        $seen = [];
        while ($s->fetch(PDO::FETCH_BOUND)) {
            $seen[] = [$id, $name, is_resource($b) ? stream_get_contents($b) : $b];
        }
        return $seen;
    });
    attempt('into', function () use ($db, $query) { $s = $db->query($query); $s->setFetchMode(PDO::FETCH_INTO, new Row('x')); return $s->fetch(); });
    attempt('foreach', function () use ($db, $query) { $rows = []; foreach ($db->query($query, PDO::FETCH_NUM) as $row) { $rows[] = $row; } return $rows; });
    attempt('fetchColumn', function () use ($db, $query) { $s = $db->query($query); return [$s->fetchColumn(), $s->fetchColumn(2), $s->fetchColumn(), $s->fetchColumn()]; });
    attempt('meta', fn() => array_map(fn($i) => (function ($s) use ($i) { $s->execute(); $m = $s->getColumnMeta($i); $s->closeCursor(); return $m; })($db->prepare($query)), range(0, 6)));
    attempt('meta of no column', fn() => $db->query($query)->getColumnMeta(7));
    attempt('before and after', function () use ($db, $query) {
        $s = $db->prepare($query);
        show($s->columnCount(), $s->rowCount(), $s->fetch(), $s->fetchAll(), $s->errorCode());
        show($s->execute(), $s->fetchColumn(), $s->closeCursor(), $s->fetch(), $s->columnCount());
        show($s->execute(), count($s->fetchAll()), $s->execute(), count($s->fetchAll()));
        return $s->errorInfo();
    });
    foreach ([PDO::ATTR_STRINGIFY_FETCHES => true, PDO::ATTR_CASE => PDO::CASE_UPPER, PDO::ATTR_ORACLE_NULLS => PDO::NULL_TO_STRING, PDO::ATTR_FETCH_TABLE_NAMES => true] as $attribute => $value) {
        attempt("attribute $attribute", function () use ($db, $query, $attribute, $value) {
            show($db->setAttribute($attribute, $value));
            $s = $db->prepare($query);
            $s->execute();
            return $s->fetchAll(PDO::FETCH_ASSOC);
        });
    }
}

foreach (['emulated' => true, 'native' => false] as $prepares => $emulate) {
    section("errors that were, $prepares");
    $open = function () use ($emulate) {
        $db = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulate]);
        $db->exec('DROP PROCEDURE IF EXISTS two');
        $db->exec('CREATE PROCEDURE two() BEGIN SELECT 1 AS a; SELECT 2 AS a, 3 AS b; END');
        return $db;
    };
    attempt('what was in the way', function () use ($open) {
        $db = $open();
        $s = $db->query('CALL two()');
        attempt('  another', fn() => $db->exec('DO 1'));
        $s = null;
        return $db->errorInfo();
    });
    attempt('an error before rows of exec', function () use ($open) {
        $db = $open();
        attempt('  another', fn() => $db->exec('nonsense'));
        show($db->exec('SELECT 1'));
        attempt('  a method', fn() => $db->getAttribute(-1));
        return $db->errorInfo();
    });
}

section('a statement that goes while another one has results');
foreach ([true, false] as $emulate) {
    foreach ([true, false] as $buffered) {
        $db = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulate, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered]);
        $db->exec('DROP PROCEDURE IF EXISTS one');
        $db->exec('CREATE PROCEDURE one() BEGIN SELECT 1 AS a; END');
        foreach (['SELECT 1', 'CALL one()'] as $first) {
            attempt("$first, CALL", function () use ($db, $first) {
                $s = $db->query($first);
                $s->fetchAll();
                $s = $db->query('CALL one()');
                show($s->fetchAll());
                return $db->query('SELECT 2')->fetchAll();
            });
            attempt("prepare $first, CALL", function () use ($db, $first) {
                $s = $db->prepare($first);
                $s = $db->query('CALL one()');
                show($s->fetchAll());
                return $db->beginTransaction() && $db->rollBack();
            });
            attempt("$first, closeCursor, CALL", function () use ($db, $first) {
                $s = $db->query($first);
                $s->closeCursor();
                $s = $db->query('CALL one()');
                show($s->fetchAll());
                return $db->query('SELECT 2')->fetchAll();
            });
            attempt('put right', fn() => [@$db->query('SELECT 3')?->fetchAll()]);
        }
    }
}

section('what waits on the connection, and errors told again');
const LATE = 'SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 2 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2) AS x';
foreach ([true, false] as $emulated) {
    foreach ([true, false] as $buffered) {
        $db = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulated, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered, PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT]);
        show($emulated, $buffered);
        $late = $db->prepare(LATE);
        show($late->execute(), $late->columnCount(), $late->nextRowset(), $late->errorInfo());
        $late = null;
        $first = $db->query('SELECT 1');
        $first->fetchAll();
        $second = $db->query($emulated ? 'SELECT 1; SELECT 2' : 'CALL one()');
        $second->fetchAll();
        show($first->execute(), $first->errorInfo(), $first->closeCursor(), $first->nextRowset(), $first->errorInfo());
        $second = $first = null;
        $done = $db->prepare('DO ?');
        $db->exec('SELECT 1');
        show($done->execute([1]), $done->errorInfo(), $done->closeCursor(), $done->nextRowset(), $done->errorInfo());
    }
}
$db = connect_pdo();
$several = $db->query('SELECT 1; SELECT 2; ' . LATE);
attempt('rows that end with an error are skipped', fn() => [$several->closeCursor(), $several->errorInfo()]);
$db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
$statement = $db->prepare('SELECT ?');
$statement->bindValue(1, 'a', PDO::PARAM_STMT);
attempt('a parameter of the type PARAM_STMT', fn() => [$statement->execute(), $statement->errorInfo()]);
$statement = $db->query('SELECT 1');
attempt('one parameter too many', fn() => $statement->bindValue(1, 'a'));
attempt('the end of rows forgets an error', fn() => [$statement->fetchAll(), $statement->errorInfo()]);
$db = connect_pdo([PDO::ATTR_EMULATE_PREPARES => false, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]);
$statement = $db->prepare('SELECT ?, ?');
$statement->execute([1, 2]);
attempt('a parameter is missing', fn() => $statement->execute([1]));
attempt('the rows of the run before', fn() => $statement->fetch());
attempt('they are in the way', fn() => $db->query('SELECT 1')->fetchAll());
attempt('till the cursor is closed', fn() => [$statement->closeCursor(), $db->query('SELECT 1')->fetchAll(PDO::FETCH_COLUMN)]);
$db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
$late = $db->prepare(LATE);
attempt('rows end with an error', fn() => $late->execute());
$call = $db->query('CALL one()');
attempt('that statement takes no results of others any more', fn() => $late->execute());

section('numbers as text or not, changed in the middle of a result');
foreach ([true, false] as $buffered) {
    $db = connect_pdo([PDO::ATTR_STRINGIFY_FETCHES => true, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered]);
    $statement = $db->query('SELECT 1, 1.5e0 UNION SELECT 2, 2.5 UNION SELECT 3, 3.5');
    show($statement->fetch(PDO::FETCH_NUM), $db->setAttribute(PDO::ATTR_STRINGIFY_FETCHES, false), $statement->fetch(PDO::FETCH_NUM));
    show($db->setAttribute(PDO::ATTR_STRINGIFY_FETCHES, true), $statement->fetch(PDO::FETCH_NUM));
}
