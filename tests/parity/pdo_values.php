<?php
// PDO: the values of a row in any order, once or again, and while user code goes on; numbers in every form.
// servers: mariadb mysql80
// transports: tcp zlib
require 'support/prelude.php';
watch_errors();

const QUERY = "SELECT 1 AS a, 'text of one' AS b, 1.5e0 AS c, NULL AS d UNION ALL SELECT 2, 'text of two', -2.5, 'x' UNION ALL SELECT 3, 'text of three', 1e100, ''";

/** Whose properties fetch from the statement that is filling them. */
class Meddler
{
    public static ?Closure $meddle = null;
    public array $seen = [];
    public function __set(string $name, mixed $value): void
    {
        $this->seen[] = [$name, $value];
        if ($meddle = self::$meddle) {
            self::$meddle = null;
            $meddle();
        }
    }
}

foreach (['emulated' => true, 'native' => false] as $prepares => $emulate) {
    foreach (['buffered' => true, 'unbuffered' => false] as $kind => $buffered) {
        $how = "$prepares, $kind";
        $db = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulate, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered]);
        $run = function (string $query = QUERY) use ($db) { $s = $db->prepare($query); $s->execute(); return $s; };

        section("lazy, $how");
        foreach ([['a', 'b', 'c', 'd'], ['d', 'c', 'b', 'a'], ['a', 'a', 'b', 'a', 'b', 'd', 'c'], ['b', 'b', 'a', 'a']] as $names) {
            attempt(implode(' ', $names), function () use ($run, $names) {
                $s = $run();
                $seen = [];
                $look = function () use (&$row, &$seen, $names) { foreach ($names as $name) { $seen[] = $row->$name; } };
                while ($next = $s->fetch(PDO::FETCH_LAZY)) {
                    $row = $next;
                    $look();
                    $look();
                }
                $look();
                show($seen, $s->fetch(), $row->a, $row->b, $row->a);
                $s->execute();
                $s->fetch(PDO::FETCH_ASSOC);
                $look();
                $s->closeCursor();
                $look();
                return $seen;
            });
        }
        attempt('a query in the way', function () use ($run, $db) {
            $s = $run();
            $row = $s->fetch(PDO::FETCH_LAZY);
            show($row->a, $row->b, $row->a);
            attempt('  another', fn() => $db->query('SELECT 7')->fetchAll());
            return [$row->a, $row->b, $row->c, $row->a];
        });
        attempt('rows longer than the read buffer', function () use ($run) {
            $s = $run("SELECT seq.n AS a, REPEAT(CHAR(64 + seq.n), 60000) AS b, 'last' AS c FROM (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6) AS seq");
            $seen = [];
            while ($row = $s->fetch(PDO::FETCH_LAZY)) {
                $seen[] = [$row->a, md5($row->b), $row->a, $row->c, md5($row->b)];
                $last = $row;
            }
            return [$seen, $last->a, md5($last->b), $last->c];
        });

        section("bound, $how");
        foreach ([PDO::FETCH_ASSOC, PDO::FETCH_NUM, PDO::FETCH_BOTH, PDO::FETCH_BOUND, PDO::FETCH_OBJ, PDO::FETCH_COLUMN] as $mode) {
            attempt("mode $mode", function () use ($run, $mode) {
                $s = $run();
                $s->bindColumn('d', $d);
                $s->bindColumn(1, $a, PDO::PARAM_STR);
                $s->bindColumn('b', $b);
                $s->bindColumn(2, $again);
                $seen = [];
                while (($row = $s->fetch($mode)) !== false) {
                    $seen[] = [$row, $a, $b, $again, $d];
                }
                return [$seen, $a, $b, $again, $d];
            });
        }
        // Not what fetches all, closes the cursor or runs the statement again, and not the end of what was bound: stock then uses memory that
        // was freed (tests/phpt/pdo_values.phpt).
        attempt('a property fetches', function () use ($run) {
            $s = $run();
            Meddler::$meddle = fn() => $s->fetch(PDO::FETCH_NUM);
            $object = $s->fetchObject('Meddler');
            show($object->seen);
            return array_map(fn($it) => $it->seen, $s->fetchAll(PDO::FETCH_CLASS, 'Meddler'));
        });
        attempt('a property of one that is there fetches', function () use ($run) {
            $s = $run();
            $s->setFetchMode(PDO::FETCH_INTO, new Meddler);
            Meddler::$meddle = fn() => $s->fetch(PDO::FETCH_NUM);
            return [$s->fetch()->seen, is_object($s->fetch())];
        });
        attempt('a function fetches', function () use ($run) {
            $s = $run();
            return $s->fetchAll(PDO::FETCH_FUNC, fn(...$row) => [$row, $s->fetch(PDO::FETCH_NUM)]);
        });

        section("ways to fetch, $how");
        $modes = [[PDO::FETCH_ASSOC], [PDO::FETCH_NUM], [PDO::FETCH_BOTH], [PDO::FETCH_OBJ], [PDO::FETCH_NAMED], [PDO::FETCH_COLUMN], [PDO::FETCH_COLUMN, 3], [PDO::FETCH_COLUMN, 4], [PDO::FETCH_KEY_PAIR],
            [PDO::FETCH_COLUMN | PDO::FETCH_UNIQUE], [PDO::FETCH_COLUMN | PDO::FETCH_GROUP, 2], [PDO::FETCH_GROUP | PDO::FETCH_ASSOC], [PDO::FETCH_UNIQUE | PDO::FETCH_NUM], [PDO::FETCH_CLASS | PDO::FETCH_CLASSTYPE]];
        foreach ($modes as $mode) {
            attempt(json_encode($mode), fn() => $run($mode === [PDO::FETCH_KEY_PAIR] ? "SELECT a, b FROM (" . QUERY . ") AS t" : QUERY)->fetchAll(...$mode));
        }
        attempt('columns with one name', fn() => $run("SELECT 1 AS a, 'second' AS a, 3 AS `0`, 'fourth' AS a")->fetchAll(PDO::FETCH_ASSOC));
        attempt('no more rows than columns of before', fn() => [($s = $run("SELECT 1, 2, 3, 4, 5, 6, 7, 8, 'nine'"))->fetch(PDO::FETCH_NUM), $s->closeCursor(), $s->execute(), $s->fetchColumn(8), $s->fetchColumn(8)]);
        attempt('results one after the other', function () use ($db, $emulate) {
            $db->exec('DROP PROCEDURE IF EXISTS three');
            $db->exec("CREATE PROCEDURE three() BEGIN SELECT 1 AS a, 'b' AS b; SELECT 'one', 'two', 'three', 4 UNION ALL SELECT 5, 6, 7, 8; SELECT 'last'; END");
            $s = $db->prepare('CALL three()');
            $s->execute();
            $seen = [];
            do {
                $row = $s->columnCount() ? $s->fetch(PDO::FETCH_LAZY) : null;
                $seen[] = $row ? [$row[0], $row[0], $s->fetch(PDO::FETCH_NUM), $s->fetchAll(PDO::FETCH_COLUMN)] : $row;
            } while ($s->nextRowset());
            return $seen;
        });
        attempt('what was counted', function () use ($run) {
            if (!function_exists('mysqli_get_client_stats')) {
                return null;
            }
            $before = mysqli_get_client_stats();
            $s = $run();
            $row = $s->fetch(PDO::FETCH_LAZY);
            show($row->b, $row->a, $row->a, $row->b);
            $s->fetchAll(PDO::FETCH_COLUMN, 1);
            $s = null;
            $row = null;
            $after = mysqli_get_client_stats();
            $more = [];
            foreach ($after as $key => $value) {
                if (str_contains($key, 'real_data') || str_contains($key, 'rows_')) {
                    $more[$key] = $value - $before[$key];
                }
            }
            return array_filter($more);
        });
    }
}

section('numbers');
$doubles = ['0', '-0', '1', '-1', '0.1', '-0.1', '1.5', '100', '123456789012345', '1234567890123456', '0.30000000000000004', '0.1e0+0.2e0', '9007199254740993', '9007199254740992', '1e15', '1e16', '1e22', '1e23', '1e-5',
    '0.00001234', '123456.789', '99999999999999.9', '999999999999999', '2.2250738585072014e-308', '4.9e-324', '1.7976931348623157e308', '33.333333333333336', '1/3', '2/3', '1e0/7', '1234567.125', '12345678901234.5'];
$longs = ['0', '-0', '1', '-1', '9', '10', '-128', '2147483648', '999999999999999999', '-999999999999999999', '1000000000000000000', '9223372036854775807', '-9223372036854775807-1'];
foreach (['emulated' => true, 'native' => false] as $prepares => $emulate) {
    $db = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulate]);
    $db->exec('CREATE TEMPORARY TABLE numbers (d DOUBLE, f FLOAT, l BIGINT, u BIGINT UNSIGNED, z INT(8) ZEROFILL, s DOUBLE(14,4))');
    foreach ($doubles as $number) {
        attempt("$prepares double $number", function () use ($db, $number) {
            $db->exec("DELETE FROM numbers");
            @$db->exec("INSERT INTO numbers (d) VALUES (0e0 + $number)");
            try {
                $db->exec("UPDATE numbers SET f = d");
            } catch (PDOException) {
            }
            try {
                $db->exec("UPDATE numbers SET s = d");
            } catch (PDOException) {
            }
            $s = $db->prepare('SELECT d, -d, f, s FROM numbers');
            $s->execute();
            return array_map(fn($it) => is_float($it) ? bin2hex(pack('E', $it)) : $it, $s->fetch(PDO::FETCH_NUM));
        });
    }
    foreach ($longs as $number) {
        attempt("$prepares long $number", function () use ($db, $number) {
            $db->exec("DELETE FROM numbers");
            $db->exec("INSERT INTO numbers (l) VALUES ($number)");
            $db->exec("UPDATE numbers SET u = ABS(l + 1), z = ABS(l % 1000000)");
            $s = $db->prepare('SELECT l, u, z FROM numbers');
            $s->execute();
            return $s->fetch(PDO::FETCH_NUM);
        });
    }
}
mt_srand(20);
$db = connect_pdo();
$seen = '';
for ($turn = 0; $turn < 200; $turn++) {
    $numbers = [];
    for ($column = 0; $column < 20; $column++) {
        $text = ['', '-'][mt_rand(0, 1)] . mt_rand(0, 10 ** mt_rand(0, 9)) . ['', '.' . str_pad((string) mt_rand(0, 10 ** 8), mt_rand(8, 12), '0', STR_PAD_LEFT)][mt_rand(0, 1)];
        $numbers[] = "$text + 0e0";
    }
    $seen = md5($seen . implode(array_map(fn($it) => pack('E', $it), $db->query('SELECT ' . implode(', ', $numbers))->fetch(PDO::FETCH_NUM))));
}
show($seen);
