--TEST--
Vaquita\rows agrees with fetch_all and fetchAll: all kinds of columns, text and binary rows, every shape, mysqli and PDO
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
// places: mariadb-tls mysql80-zlib
require 'support/prelude.php';

const COLUMNS = ['ti' => 'TINYINT', 'tu' => 'TINYINT UNSIGNED', 'si' => 'SMALLINT', 'mi' => 'MEDIUMINT', 'i' => 'INT', 'iu' => 'INT UNSIGNED', 'bi' => 'BIGINT', 'bu' => 'BIGINT UNSIGNED', 'zf' => 'INT(7) ZEROFILL', 'de' => 'DECIMAL(20,5)', 'f' => 'FLOAT', 'd' => 'DOUBLE',
    'b1' => 'BIT(1)', 'b64' => 'BIT(64)', 'da' => 'DATE', 't' => 'TIME', 'dt' => 'DATETIME', 'ts' => 'TIMESTAMP NULL', 'y' => 'YEAR', 'c' => 'CHAR(10)', 'v' => 'VARCHAR(300)', 'bin' => 'BINARY(4)', 'tx' => 'TEXT', 'bl' => 'BLOB', 'e' => "ENUM('a', 'bb', '')", 's' => "SET('x', 'y', 'zz')"];
const VALUES = [
    "(1, 0, 0, -1, 1, 0, 0, 0, 0, 0, '0.5', 0.5, 0.1, b'1', b'1', '2024-02-29', '12:34:56', '2024-02-29 01:02:03', '2024-02-29 01:02:03', 2024, '', '', '', '', '', 'a', '')",
    "(2, -128, 255, -32768, 8388607, -2147483648, 4294967295, -9223372036854775808, 18446744073709551615, 42, '-99999.99999', -1.5, 1e300, b'0', 0xFFFFFFFFFFFFFFFF, '1000-01-01', '-838:59:59', '9999-12-31 23:59:59', '1970-01-02 00:00:01', 1901, 'ä€', REPEAT('v', 300), 0x00FF, REPEAT('t', 70), 0x00FF27, 'bb', 'x,zz')",
    "(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
];
$definition = 'n INT AUTO_INCREMENT PRIMARY KEY, ' . implode(', ', array_map(fn($name, $type) => "$name $type", array_keys(COLUMNS), COLUMNS));
$prepare = function (callable $query) use ($definition): void {
    $query("SET sql_mode = '', time_zone = '+00:00'");
    $query("CREATE TEMPORARY TABLE t ($definition)");
    $query('INSERT INTO t VALUES ' . implode(', ', VALUES));
    // More than a read buffer holds.
    $query('INSERT INTO t (i, v, tx, d, da) VALUES ' . implode(', ', array_map(fn($i) => "($i, REPEAT('w', $i % 290), REPEAT('long', $i % 200), $i / 7, '2024-01-01' + INTERVAL $i DAY)", range(1, 600))));
};
$db = connect();
$prepare($db->query(...));
$native = connect();
$native->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 1);
$prepare($native->query(...));

$random = new Random\Randomizer(new Random\Engine\Mt19937(5));
$any = fn(array $from) => $from[$random->getInt(0, count($from) - 1)];
function sql(Random\Randomizer $random, callable $any): string
{
    $columns = [];
    for ($i = $random->getInt(1, 12); $i > 0; $i--) {
        $columns[] = '`' . $any([...array_keys(COLUMNS), 'n']) . '`' . $any(['', '', '', ' AS a', ' AS `1`', ' AS `0`', ' AS `x y`']);
    }
    return 'SELECT ' . implode(', ', $columns) . ' FROM t WHERE n BETWEEN ' . $any([0, 1, 3, 200]) . ' AND ' . $any([0, 2, 3, 5, 150, 1000]) . ' ORDER BY n';
}
/** What is the same in all ways to read the rows, as one array. */
function read(Vaquita\Rows $rows): array
{
    $array = $rows->toArray();
    $walked = [];
    foreach ($rows as $number => $row) {
        $walked[$number] = iterator_to_array($row);
        foreach ($walked[$number] as $key => $value) {
            if ($row[$key] !== $value || $row->offsetGet($key) !== $value || isset($row[$key]) !== isset($value) || empty($row[$key]) !== empty($value)) {
                show('one field differs', $key, $value);
            }
        }
        count($row) === count($array[$number]) || show('the count differs');
    }
    $walked === $array || show('foreach differs');
    count($rows) === count($array) || show('the number of rows differs');
    foreach (array_keys($array[0] ?? []) as $key) {
        if (!is_int($key) && $rows->column($key) !== array_column($array, $key)) {
            show('the column differs', $key);
        }
    }
    return $array;
}
$compared = $cells = 0;
$compare = function (string $what, array $expected, array $found) use (&$compared, &$cells): void {
    $compared++;
    $cells += count($expected) * count($expected[0] ?? []);
    $expected === $found || show("$what differs", array_slice($expected, 0, 3), array_slice($found, 0, 3));
};

section('mysqli');
for ($i = 0; $i < 150; $i++) {
    $sql = sql($random, $any);
    $mode = $any([MYSQLI_ASSOC, MYSQLI_NUM, MYSQLI_BOTH]);
    $link = $any([$db, $native]);
    $skip = $any([0, 0, 1, 5]);
    $unbuffered = $any([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT]);
    $result = fn() => $link->query($sql, $unbuffered);
    if ($any([true, false])) {
        $statement = $link->prepare($sql);
        $result = function () use ($statement) { $statement->execute(); return $statement->get_result(); };
        $unbuffered = MYSQLI_STORE_RESULT;
    }
    $all = $result()->fetch_all($mode);
    $kept = $result();
    for ($j = 0; $j < $skip; $j++) {
        $kept->fetch_row();
    }
    $rows = Vaquita\rows($kept, $mode);
    // Buffered rows are all there, whatever was fetched; of others the rest.
    $compare($sql, $unbuffered === MYSQLI_USE_RESULT ? array_slice($all, $skip) : $all, read($rows));
    $rest = $kept->fetch_all($mode);
    $rest === ($unbuffered === MYSQLI_USE_RESULT ? [] : array_slice($all, $skip)) || show('the result differs afterwards', $sql);
    $kept->num_rows === count($all) || show('num_rows', $kept->num_rows);
    unset($kept, $statement);
}

section('PDO');
$connections = [];
foreach ([[], [PDO::ATTR_STRINGIFY_FETCHES => true], [PDO::ATTR_CASE => PDO::CASE_UPPER, PDO::ATTR_ORACLE_NULLS => PDO::NULL_TO_STRING], [PDO::ATTR_ORACLE_NULLS => PDO::NULL_EMPTY_STRING, PDO::ATTR_FETCH_TABLE_NAMES => true]] as $options) {
    $pdo = connect_pdo();
    foreach ($options as $attribute => $value) {
        $pdo->setAttribute($attribute, $value);
    }
    $prepare($pdo->exec(...));
    $connections[] = $pdo;
}
const MODES = [MYSQLI_ASSOC => PDO::FETCH_ASSOC, MYSQLI_NUM => PDO::FETCH_NUM];
for ($i = 0; $i < 150; $i++) {
    $sql = sql($random, $any);
    $mode = $any([MYSQLI_ASSOC, MYSQLI_NUM]);
    $pdo = $any($connections);
    $buffered = $any([true, false]);
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, $buffered);
    $pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, $any([true, false]));
    $skip = $any([0, 0, 1, 5]);
    $statement = $pdo->prepare($sql);
    $statement->execute();
    $all = $statement->fetchAll(MODES[$mode]);
    $statement->execute();
    for ($j = 0; $j < $skip; $j++) {
        $statement->fetch();
    }
    $rest = array_slice($all, $skip);
    $compare($sql, $rest, read(Vaquita\rows($statement, $mode)));
    $statement->fetchAll(MODES[$mode]) === ($buffered ? $rest : []) || show('the statement differs afterwards', $sql);
    unset($statement);
}
show($compared, $cells > 100000);
?>
--EXPECT--
=== mysqli
=== PDO
300 | true
