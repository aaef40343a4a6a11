--TEST--
Vaquita\Kv: a write that a trigger refuses is not run again
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';
ini_set('vaquita.kv_max_stale_ms', '60000');
// Where servers have other words.
ob_start(fn(string $said) => preg_replace(["/'t\.u'/", "/'where clause'/"], ["'u'", "'WHERE'"], $said));
$db = connect();
$other = connect();
// What stands here was begun by a statement; MyISAM keeps it whatever becomes of that.
$db->query('CREATE TABLE log (what VARCHAR(10)) ENGINE = MyISAM');
$begun = function () use ($other): string {
    $all = implode(' ', array_column($other->query('SELECT what FROM log')->fetch_all(), 0));
    $other->query('DELETE FROM log');
    return $all;
};

/** A table with a row, 1, whose triggers note what was begun, and refuse it by this error. */
$make = function (string $engine, int $errno, string $when) use ($db): Vaquita\Kv {
    $db->query('DROP TABLE IF EXISTS t');
    $db->query("CREATE TABLE t (k INT PRIMARY KEY, v INT, u INT UNIQUE) ENGINE = $engine");
    $db->query('INSERT INTO t VALUES (1, 1, 1)');
    foreach (['INSERT', 'UPDATE', 'DELETE'] as $event) {
        $db->query("CREATE TRIGGER on_$event $when $event ON t FOR EACH ROW BEGIN INSERT INTO log VALUES ('$event');
            IF $errno > 0 THEN SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = $errno, MESSAGE_TEXT = 'refused'; END IF; END");
    }
    $kv = Vaquita\kv($db, 't');
    $kv->get(1);
    return $kv;
};
// Each call, and what it begins.
$calls = [
    'set' => ['INSERT', fn(Vaquita\Kv $kv) => $kv->set(2, ['v' => 2])],
    'set again' => ['UPDATE', fn(Vaquita\Kv $kv) => $kv->set(1, ['v' => 2])],
    'add' => ['INSERT', fn(Vaquita\Kv $kv) => $kv->add(2, ['v' => 2])],
    'replace' => ['UPDATE', fn(Vaquita\Kv $kv) => $kv->replace(1, ['v' => 2])],
    'delete' => ['DELETE', fn(Vaquita\Kv $kv) => $kv->delete(1)],
];
foreach ([1054 => 'a column that is not there', 1062 => 'a row that is there', 1243 => 'a lost statement', 1615 => 'a table that changes'] as $errno => $as) {
    section("refused as for $as");
    foreach ($calls as $name => [$event, $call]) {
        $said = [];
        foreach (['InnoDB', 'MyISAM'] as $engine) {
            foreach (['BEFORE', 'AFTER'] as $when) {
                $kv = $make($engine, $errno, $when);
                // Somebody else makes another table of it than the object knows.
                $other->query('ALTER TABLE t ADD w INT');
                try {
                    $come = var_export($call($kv), true);
                } catch (mysqli_sql_exception $e) {
                    $come = $e->getCode();
                }
                $said["$come: {$begun()}"][] = "$when $engine";
            }
        }
        foreach ($said as $what => $where) {
            show("$name: $what" . (count($where) === 4 ? '' : ' ' . implode(', ', $where)));
        }
    }
}

section('another unique index has such a row');
foreach (['InnoDB', 'MyISAM'] as $engine) {
    $kv = $make($engine, 0, 'BEFORE');
    attempt('set', fn() => $kv->set(2, ['u' => 1]));
    attempt('add', fn() => $kv->add(2, ['u' => 1]));
    show($begun(), $kv->add(1, []), $begun(), $kv->getMulti([1, 2]));
}

section('the next call knows the table as it is');
foreach (['replace' => fn($kv) => $kv->replace(1, ['v' => 5]), 'get' => fn($kv) => $kv->get(1)] as $name => $call) {
    $kv = $make('InnoDB', 0, 'BEFORE');
    $kv->replace(1, ['v' => 4]);
    $other->query('DROP TRIGGER on_INSERT');
    $other->query('ALTER TABLE t CHANGE k id INT, ADD w INT');
    attempt($name, fn() => $call($kv));
    attempt("$name again", fn() => $call($kv));
}
?>
--EXPECT--
=== refused as for a column that is not there
"set: 1054: INSERT"
"set again: 1054: UPDATE"
"add: 1054: INSERT"
"replace: 1054: UPDATE"
"delete: 1054: DELETE"
=== refused as for a row that is there
"set: 1062: INSERT"
"set again: 1062: UPDATE"
"add: 1062: INSERT BEFORE InnoDB, AFTER InnoDB, BEFORE MyISAM"
"add: false: INSERT AFTER MyISAM"
"replace: 1062: UPDATE"
"delete: 1062: DELETE"
=== refused as for a lost statement
"set: 1243: INSERT"
"set again: 1243: UPDATE"
"add: 1243: INSERT"
"replace: 1243: UPDATE"
"delete: 1243: DELETE"
=== refused as for a table that changes
"set: 1615: INSERT"
"set again: 1615: UPDATE"
"add: 1615: INSERT"
"replace: 1615: UPDATE"
"delete: 1615: DELETE"
=== another unique index has such a row
set: thrown mysqli_sql_exception(1062) [23000]: Duplicate entry '1' for key 'u'
add: thrown mysqli_sql_exception(1062) [23000]: Duplicate entry '1' for key 'u'
"INSERT INSERT" | false | "INSERT" | [1 => ["k" => 1, "v" => 1, "u" => 1]]
set: thrown mysqli_sql_exception(1062) [23000]: Duplicate entry '1' for key 'u'
add: thrown mysqli_sql_exception(1062) [23000]: Duplicate entry '1' for key 'u'
"INSERT INSERT" | false | "INSERT" | [1 => ["k" => 1, "v" => 1, "u" => 1]]
=== the next call knows the table as it is
replace: thrown mysqli_sql_exception(1054) [42S22]: Unknown column 'k' in 'WHERE'
replace again: true
get: ["id" => 1, "v" => 4, "u" => 1, "w" => null]
get again: ["id" => 1, "v" => 4, "u" => 1, "w" => null]
