<?php
// Every column type, with extremes, NULL and all byte values, by every way to fetch: values, field descriptions and digests.
// servers: mariadb mysql80
// transports: tcp unix zlib tls tls-zlib
// places: mysql80-zstd
require 'support/prelude.php';

// For each type a list of SQL values; NULL is added. In a mode that takes zero dates and out-of-range values as they come.
$integers = fn(int $bits) => ['0', '1', '-1', bcpow_minus($bits - 1), '-' . bcpow2($bits - 1)];
function bcpow2(int $bits): string
{
    return ['7' => '128', '8' => '256', '15' => '32768', '16' => '65536', '23' => '8388608', '24' => '16777216', '31' => '2147483648', '32' => '4294967296', '63' => '9223372036854775808', '64' => '18446744073709551616'][$bits];
}
function bcpow_minus(int $bits): string
{
    return preg_replace_callback('/[1-9]0*$|.$/', fn($m) => $m[0] - 1, bcpow2($bits), 1);
}
$unsigned = fn(int $bits) => ['0', '1', bcpow_minus($bits)];
$bytes = '0x' . implode('', array_map(fn($i) => sprintf('%02x', $i), range(0, 255)));
$text = "CONCAT('ä€𝄞', CHAR(0), '\\'\"\\\\', CHAR(10), CHAR(26))";
$decimal = ['0', '1.5', '-1.5', str_repeat('9', 35) . '.' . str_repeat('9', 30), '-' . str_repeat('9', 35) . '.' . str_repeat('9', 30), '0.' . str_repeat('0', 29) . '1'];
$floats = ['0', '1', '-1', '0.1', '1e10', '3.402823466e38', '-3.402823466e38', '1.175494351e-38', '16777217', '123456.789', '1e-7', '1e15', '1e16', '-0.0'];
$doubles = [...$floats, '1.7976931348623157e308', '-1.7976931348623157e308', '2.2250738585072014e-308', '5e-324', '0.30000000000000004', '123456789.123456789', '1e22', '1e23'];
$fractions = ["'00:00:00'", "'838:59:59'", "'-838:59:59'", "'12:34:56.789'", "'-00:00:00.5'", "'23:59:59.999999'"];
$dates = ["'1000-01-01'", "'9999-12-31'", "'0000-00-00'", "'2024-02-29'", "'2024-00-00'"];
$datetimes = ["'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'", "'0000-00-00 00:00:00'", "'2024-02-29 12:34:56.789'", "'2024-02-29 12:34:56.999999'"];
$timestamps = ["'1970-01-01 00:00:01'", "'2038-01-19 03:14:07'", "'0000-00-00 00:00:00'", "'2024-02-29 12:34:56.789'"];
$types = [
    'TINYINT' => $integers(8), 'TINYINT UNSIGNED' => $unsigned(8), 'TINYINT(1)' => ['0', '1', '127'], 'BOOLEAN' => ['TRUE', 'FALSE'], 'SMALLINT' => $integers(16), 'SMALLINT UNSIGNED' => $unsigned(16), 'MEDIUMINT' => $integers(24),
    'MEDIUMINT UNSIGNED' => $unsigned(24), 'INT' => $integers(32), 'INT UNSIGNED' => $unsigned(32), 'BIGINT' => [...$integers(64), '1234567', '12345678', '-87654321', '123456789', '1234567812345678', '-99999999999999999', '100000000000000000', '-999999999999999999', '1000000000000000000'], 'BIGINT UNSIGNED' => $unsigned(64), 'INT(7) ZEROFILL' => ['0', '42', '4294967295'], 'TINYINT ZEROFILL' => ['0', '7', '255'],
    'BIGINT ZEROFILL' => ['0', '7', '18446744073709551615'], 'DECIMAL' => ['0', '-9999999999', '9999999999'], 'DECIMAL(65,30)' => $decimal, 'DECIMAL(65,0)' => ['0', str_repeat('9', 65), '-' . str_repeat('9', 65)], 'DECIMAL(30,30)' => ['0', '0.' . str_repeat('9', 30)],
    'DECIMAL(10,2) UNSIGNED' => ['0', '99999999.99'], 'DECIMAL(10,3) ZEROFILL' => ['0', '1.5'], 'NUMERIC(5,1)' => ['1.25', '-1.25'], 'FLOAT' => $floats, 'FLOAT UNSIGNED' => ['0', '1.5'], 'FLOAT(7,3)' => ['1.5', '-9999.999', '0'], 'FLOAT(30)' => ['0.1', '1e300'],
    'DOUBLE' => $doubles, 'DOUBLE(15,4)' => ['1.5', '-12345678901.2345'], 'DOUBLE ZEROFILL' => ['1.5', '0'], 'REAL' => ['0.1'],
    'DATE' => $dates, 'TIME' => $fractions, 'TIME(3)' => $fractions, 'TIME(6)' => $fractions, 'DATETIME' => $datetimes, 'DATETIME(1)' => $datetimes, 'DATETIME(6)' => $datetimes, 'TIMESTAMP NULL' => $timestamps, 'TIMESTAMP(3) NULL' => $timestamps,
    'TIMESTAMP(6) NULL' => $timestamps, 'YEAR' => ['0', '1901', '2155', '1970', '2024'],
    'CHAR(10)' => ["''", "'a'", "'a  '", "'ten chars!'", "'ä€𝄞'"], 'CHAR(0)' => ["''"], 'CHAR(255)' => ["REPEAT('€', 255)"], 'VARCHAR(255)' => ["''", "'a  '", "REPEAT('𝄞', 255)", $text], 'VARCHAR(0)' => ["''"], 'VARCHAR(4000)' => ["REPEAT('€', 4000)"],
    'CHAR(10) CHARACTER SET latin1' => ["'ä'"], 'VARCHAR(20) CHARACTER SET utf8' => ["'ä€'"], 'VARCHAR(20) CHARACTER SET ucs2' => ["'ä€'"], 'VARCHAR(20) CHARACTER SET utf16' => ["'ä€𝄞'"], 'VARCHAR(20) CHARACTER SET cp1251' => ["'Привет'"], 'VARCHAR(20) CHARACTER SET sjis' => ["'テスト'"],
    'CHAR(10) COLLATE utf8mb4_bin' => ["'B'"], 'BINARY(4)' => ["''", "'a'", "0x00ff00ff"], 'BINARY(255)' => [substr($bytes, 0, 512)], 'VARBINARY(256)' => ["''", "0x00", $bytes], 'TINYTEXT' => ["''", "REPEAT('x', 255)"], 'TEXT' => ["''", $text, "REPEAT('x', 65535)"],
    'MEDIUMTEXT' => ["''", "REPEAT('€', 50000)"], 'LONGTEXT' => ["''", "REPEAT('y', 70000)"], 'TINYBLOB' => ["''", "0x00", substr($bytes, 0, 512)], 'BLOB' => ["''", $bytes, "REPEAT($bytes, 255)"], 'MEDIUMBLOB' => [$bytes, "REPEAT($bytes, 256)"], 'LONGBLOB' => [$bytes, "REPEAT($bytes, 300)"],
    "ENUM('a', 'bb', '', 'ä', 'it''s')" => ["'a'", "'bb'", "''", "'ä'", "'it''s'", "0"], "SET('x', 'y', 'zz')" => ["''", "'x'", "'x,zz'", "'x,y,zz'"], 'SET(' . implode(', ', array_map(fn($i) => "'m$i'", range(1, 64))) . ')' => ['18446744073709551615', '0', '9223372036854775808'],
    'JSON' => ["'{}'", "'[1, \"a\", null, true, 1.5e3]'", "'{\"ä\": {\"k\": [\"€\"]}}'", "'null'", "'\"s\"'", "'5'"],
    'GEOMETRY' => ["ST_GeomFromText('POINT(1 2)')", "ST_GeomFromText('LINESTRING(0 0, 1 1, 2 0)', 0)", "ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1))')"], 'POINT' => ["ST_GeomFromText('POINT(-1.5 2.25)')"], 'LINESTRING' => ["ST_GeomFromText('LINESTRING(0 0, 1 1)')"],
    'POLYGON' => ["ST_GeomFromText('POLYGON((0 0, 1 0, 1 1, 0 0))')"], 'MULTIPOINT' => ["ST_GeomFromText('MULTIPOINT(0 0, 1 1)')"], 'MULTILINESTRING' => ["ST_GeomFromText('MULTILINESTRING((0 0, 1 1))')"], 'MULTIPOLYGON' => ["ST_GeomFromText('MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)))')"],
    'GEOMETRYCOLLECTION' => ["ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1), LINESTRING(0 0, 1 1))')"],
];
// All widths are in the table with everything.
$bits = fn(int $width) => ["b'0'", "b'1'", "b'" . str_repeat('1', $width) . "'", "b'" . str_pad('1', $width, '0') . "'"];
foreach ([1, 7, 8, 9, 63, 64] as $width) {
    $types["BIT($width)"] = $bits($width);
}
if (on_mariadb()) {
    $types += ['INET6' => ["'::'", "'2001:db8::ff00:42:8329'", "'::ffff:192.0.2.1'", "'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'"], 'INET4' => ["'0.0.0.0'", "'192.0.2.1'", "'255.255.255.255'"], 'UUID' => ["'00000000-0000-0000-0000-000000000000'", "'123e4567-e89b-12d3-a456-426655440000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"],
        'VARCHAR(20) COMPRESSED' => ["''", "'compressed'"], 'BLOB COMPRESSED' => [$bytes]];
} elseif (on('mysql56')) {
    unset($types['JSON']);
} else {
    $types += ['POINT SRID 4326' => ["ST_GeomFromText('POINT(1 2)', 4326)"], 'GEOMCOLLECTION' => ["ST_GeomFromText('GEOMETRYCOLLECTION(POINT(1 1))')"]];
}

$ways = [
    'fetch_all(NUM)' => fn(mysqli_result $r) => $r->fetch_all(MYSQLI_NUM),
    'fetch_all(ASSOC)' => fn($r) => array_map(array_values(...), $r->fetch_all(MYSQLI_ASSOC)),
    'fetch_all(BOTH)' => fn($r) => array_map(fn($row) => array_values(array_filter($row, is_int(...), ARRAY_FILTER_USE_KEY)), $r->fetch_all(MYSQLI_BOTH)),
    'fetch_row' => function ($r) { $rows = []; while ($row = $r->fetch_row()) { $rows[] = $row; } return $rows; },
    'fetch_assoc' => function ($r) { $rows = []; while ($row = $r->fetch_assoc()) { $rows[] = array_values($row); } return $rows; },
    'fetch_array' => function ($r) { $rows = []; while ($row = $r->fetch_array(MYSQLI_NUM)) { $rows[] = $row; } return $rows; },
    'fetch_object' => function ($r) { $rows = []; while ($row = $r->fetch_object()) { $rows[] = array_values((array) $row); } return $rows; },
    'foreach' => function ($r) { $rows = []; foreach ($r as $row) { $rows[] = array_values($row); } return $rows; },
];
/** @return array<string, string> one digest for each way; they must be the same */
function digests(mysqli $db, string $sql, array $ways): array
{
    $digests = [];
    foreach ($ways as $name => $way) {
        foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
            $result = $db->query($sql, $mode);
            $digests["$name $mode"] = md5(serialize($way($result)));
            $result->free();
        }
    }
    return $digests;
}

$db = connect();
check_transport($db);
$db->set_charset('utf8mb4');
$db->query("SET sql_mode = '', time_zone = '+00:00'");
$native = mysqli_init();
$native->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 1);
$native->real_connect(...address(), flags: flags());
$native->set_charset('utf8mb4');
$native->query("SET sql_mode = '', time_zone = '+00:00'");
// What does not depend on the way to the server is done once.
$all = server('TRANSPORT') === 'unix';
foreach ($all ? $types : [] as $type => $values) {
    section(substr($type, 0, 60));
    try {
        $db->query("CREATE OR REPLACE TABLE one (id INT AUTO_INCREMENT PRIMARY KEY, v $type)");
    } catch (mysqli_sql_exception) {
        $db->query('DROP TABLE IF EXISTS one');
        $db->query("CREATE TABLE one (id INT AUTO_INCREMENT PRIMARY KEY, v $type)");
    }
    foreach ([...$values, 'NULL'] as $value) {
        $db->query("INSERT INTO one (v) VALUES ($value)");
    }
    $result = $db->query('SELECT v FROM one ORDER BY id');
    show($result->fetch_field());
    show(array_column($result->fetch_all(), 0));
    $digests = digests($db, 'SELECT v FROM one ORDER BY id', $ways);
    show(count(array_unique($digests)) === 1 ? reset($digests) : $digests);
    show(array_column($native->query('SELECT v FROM one ORDER BY id')->fetch_all(), 0));
    $digests = digests($native, 'SELECT v FROM one ORDER BY id', $ways);
    show(count(array_unique($digests)) === 1 ? reset($digests) : $digests);
}

section('all types in one table');
$columns = $firsts = $lasts = [];
unset($types['POINT SRID 4326']); // not in the engine that takes so long a row
for ($width = 1; $width <= 64; $width++) {
    $types["BIT($width)"] = $bits($width);
}
foreach (array_keys($types) as $index => $type) {
    $columns[] = "c$index $type";
    $firsts[] = $types[$type][0];
    $lasts[] = end($types[$type]);
}
$db->query('CREATE TABLE everything (' . implode(', ', $columns) . ') ENGINE=MyISAM');
$db->query('INSERT INTO everything VALUES (' . implode(', ', $firsts) . '), (' . implode(', ', array_fill(0, count($columns), 'NULL')) . '), (' . implode(', ', $lasts) . ')');
$db->query('INSERT INTO everything SELECT * FROM everything');
foreach ([$db, $native] as $link) {
    $digests = digests($link, 'SELECT * FROM everything', $ways);
    show(count($digests), array_unique(array_values($digests)), $link->query('SELECT COUNT(*) FROM everything')->fetch_row());
    $digests = [0 => [], 1 => []];
    for ($column = 0; $all && $column < count($columns); $column++) {
        foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
            $result = $link->query("SELECT * FROM everything LIMIT 3", $mode);
            $digests[$mode][] = md5(serialize([$result->fetch_column($column), $result->fetch_column($column), $result->fetch_column($column)]));
            $result->free();
        }
    }
    show(md5(implode($digests[0])), $digests[0] === $digests[1]);
}
show(md5(serialize($db->query('SELECT * FROM everything LIMIT 1')->fetch_fields())));
section('character sets of the connection');
foreach ($all ? ['latin1', 'utf8', 'utf8mb4', 'binary', 'cp1251', 'gbk', 'sjis'] : ['gbk'] as $charset) {
    $db->set_charset($charset);
    show($charset, array_unique(array_values(digests($db, 'SELECT * FROM everything LIMIT 3', $ways))));
}
