<?php
// options(): each option with good and bad values, before and after connecting; what the options do.
// places: mariadb-unix mysql80-tcp
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$options = ['MYSQLI_READ_DEFAULT_GROUP', 'MYSQLI_READ_DEFAULT_FILE', 'MYSQLI_OPT_CONNECT_TIMEOUT', 'MYSQLI_OPT_LOCAL_INFILE', 'MYSQLI_OPT_LOAD_DATA_LOCAL_DIR', 'MYSQLI_INIT_COMMAND', 'MYSQLI_OPT_READ_TIMEOUT',
    'MYSQLI_OPT_NET_CMD_BUFFER_SIZE', 'MYSQLI_OPT_NET_READ_BUFFER_SIZE', 'MYSQLI_OPT_INT_AND_FLOAT_NATIVE', 'MYSQLI_OPT_SSL_VERIFY_SERVER_CERT', 'MYSQLI_SERVER_PUBLIC_KEY', 'MYSQLI_SET_CHARSET_NAME',
    'MYSQLI_SET_CHARSET_DIR', 'MYSQLI_OPT_CAN_HANDLE_EXPIRED_PASSWORDS'];
$values = [0, 1, 2, -1, 60, 65536, true, false, null, '', '1', '5x', 'text', 1.5, [], new stdClass];
foreach ($options as $name) {
    section($name);
    foreach ($values as $value) {
        if ($name === 'MYSQLI_SET_CHARSET_NAME' && is_object($value)) {
            continue;
        }
        if ($name === 'MYSQLI_OPT_NET_READ_BUFFER_SIZE' && !in_array($value, [60, 65536], true)) {
            continue; // with such a buffer stock cannot read the server's greeting
        }
        $link = mysqli_init();
        attempt('before, ' . text($value), fn() => $link->options(constant($name), $value));
        show_error_of_fresh($link);
        if (!in_array($name, ['MYSQLI_INIT_COMMAND', 'MYSQLI_SET_CHARSET_NAME', 'MYSQLI_OPT_READ_TIMEOUT', 'MYSQLI_OPT_CONNECT_TIMEOUT', 'MYSQLI_SERVER_PUBLIC_KEY'], true)) {
            attempt('  connects', fn() => @$link->real_connect(...address()));
            attempt('  queries', fn() => $link->query('SELECT 1')->fetch_row());
        }
    }
    $link = connect();
    attempt('after', fn() => $link->options(constant($name), 1));
    attempt('after, by function', fn() => mysqli_options($link, constant($name), 0));
    attempt('after, by alias', fn() => mysqli_set_opt($link, constant($name), 0));
    show_error($link);
}
function show_error_of_fresh(mysqli $link): void
{
    echo '  ';
    show($link->errno, $link->error);
}
section('unknown options');
foreach ([-1, 1, 2, 9, 10, 12, 25, 99, 200, 204, 1000, PHP_INT_MAX] as $option) {
    $link = mysqli_init();
    attempt("options($option)", fn() => $link->options($option, 1));
    attempt("mysqli_options($option)", fn() => mysqli_options($link, $option, '1'));
}
section('closed link');
$link = connect();
$link->close();
attempt('options', fn() => $link->options(MYSQLI_OPT_CONNECT_TIMEOUT, 1));

section('int and float native');
$sql = "SELECT 1, -1, 18446744073709551615, 9223372036854775807, 9223372036854775808, 1.5, 1e0, 1.25e10, -0e0, NULL, 'x', CAST(1 AS UNSIGNED), TRUE, CAST('2020-01-01' AS DATE), CAST(1.50 AS DECIMAL(10,2)), CAST(5 AS CHAR), 0x41, b'101', YEAR('2020-01-01'), 0.1e0, 1/3e0" . (on('mysql56') ? '' : ', CAST(1e0/3 AS FLOAT)');
foreach ([0, 1] as $native) {
    $link = mysqli_init();
    $link->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, $native);
    $link->real_connect(...address());
    $link->query('CREATE TEMPORARY TABLE n (t TINYINT, u TINYINT UNSIGNED, y YEAR, f FLOAT, d DOUBLE, b BIT(8), bb BIT(64), z INT(5) ZEROFILL, l BIGINT UNSIGNED, m MEDIUMINT, s SMALLINT UNSIGNED, fd FLOAT(9,3), dd DOUBLE(9,3))');
    $link->query("SET sql_mode = ''");
    $link->query("INSERT INTO n VALUES (-128, 255, 2024, 0.1, 0.1, b'10101010', b'1111111111111111111111111111111111111111111111111111111111111111', 42, 18446744073709551615, -8388608, 65535, 1.1, 1.1),
        (127, 0, 1901, 3.4028235e38, 1.7976931348623157e308, b'0', b'0', 99999, 9223372036854775807, 8388607, 0, 12345.678, 12345.678), (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (0, 1, 0, 1e-38, 5e-324, b'1', b'1', 0, 9223372036854775808, 0, 1, -0.0, -0.0), (1, 1, 2155, 16777216, 123456789.123456789, b'1', b'111', 1, 1, 1, 1, 0.001, 0.001), (1, 1, 1970, 1.17549e-7, 1e15, b'1', b'111', 1, 1, 1, 1, 100, 1e5)");
    foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
        show($link->query($sql, $mode)->fetch_row());
        show($link->query('SELECT * FROM n', $mode)->fetch_all());
        foreach ($link->query('SELECT * FROM n', $mode) as $row) {
            show($row);
        }
        $result = $link->query('SELECT * FROM n', $mode);
        while (($value = $result->fetch_column(3)) !== false) {
            show($value);
        }
        show($link->query('SELECT * FROM n LIMIT 1', $mode)->fetch_object());
    }
}
section('int and float native changed on an open link');
$link = connect();
show($link->query('SELECT 1, 2.5e0')->fetch_row());
show($link->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, true), $link->query('SELECT 1, 2.5e0')->fetch_row());
$result = $link->query('SELECT 1, 2.5e0 UNION SELECT 2, 3');
show($link->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, false), $result->fetch_row(), $link->query('SELECT 1, 2.5e0')->fetch_row());
$link->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, true);
$result = $link->query('SELECT 1 UNION SELECT 2 UNION SELECT 3');
$link->close();
show($result->fetch_row());
$link = connect();
show($result->fetch_row());
section('native numbers, set after the last row and before the link goes');
foreach ([fn(mysqli &$link) => $link->close(), fn(mysqli &$link) => $link->connect(...address()), function (mysqli &$link) { $link = null; }] as $goes) {
    foreach ([true, false] as $native) {
        $link = connect();
        $link->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, !$native);
        $result = $link->query('SELECT 1 UNION SELECT 2');
        $first = $result->fetch_row();
        $link->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, $native);
        $goes($link);
        show($first, $result->fetch_row());
    }
}
$link = connect();

section('init commands');
$link = mysqli_init();
show($link->options(MYSQLI_INIT_COMMAND, 'SET @a = 5'), $link->options(MYSQLI_INIT_COMMAND, "SET @b = 'bee'"));
show($link->real_connect(...address()), $link->query('SELECT @a, @b')->fetch_row());
section('an init command that gives rows');
$link = mysqli_init();
$link->options(MYSQLI_INIT_COMMAND, 'SELECT 1 UNION SELECT 2');
attempt('connect', fn() => $link->real_connect(...address()));
attempt('query', fn() => $link->query('SELECT 3')->fetch_row());
section('a bad init command');
foreach ([MYSQLI_REPORT_OFF, MYSQLI_REPORT_ERROR, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT] as $mode) {
    mysqli_report($mode);
    $link = mysqli_init();
    $link->options(MYSQLI_INIT_COMMAND, 'nonsense');
    attempt('connect', fn() => $link->real_connect(...address()));
    show(mysqli_connect_errno(), mysqli_connect_error(), $link->errno, $link->error);
    attempt('query', fn() => $link->query('SELECT 3')->fetch_row());
}
mysqli_report(MYSQLI_REPORT_OFF);
section('init commands stay for the next connect');
$link = mysqli_init();
$link->options(MYSQLI_INIT_COMMAND, 'SET @a = 6');
$link->real_connect(...address());
show($link->query('SELECT @a')->fetch_row());
show($link->real_connect(...address()), $link->query('SELECT @a')->fetch_row());
section('character set by option');
foreach (['latin1', 'utf8mb4', 'utf8', 'gbk', 'cp1251', 'nonsense', 'ucs2', ''] as $charset) {
    $link = mysqli_init();
    attempt("options $charset", fn() => $link->options(MYSQLI_SET_CHARSET_NAME, $charset));
    show($link->errno, $link->error);
    attempt('connect', fn() => $link->real_connect(...address()));
    show(mysqli_connect_errno(), mysqli_connect_error());
    attempt('name', fn() => [$link->character_set_name(), $link->query('SELECT @@character_set_client, @@collation_connection')->fetch_row()]);
}
section('flags of real_connect');
foreach ([0, MYSQLI_CLIENT_FOUND_ROWS, MYSQLI_CLIENT_IGNORE_SPACE, MYSQLI_CLIENT_NO_SCHEMA, MYSQLI_CLIENT_INTERACTIVE, 65536 /* multi statements */, 128 /* local files */] as $flags) {
    $link = mysqli_init();
    attempt("flags $flags", fn() => $link->real_connect(...address(), flags: $flags));
    $link->query('CREATE TEMPORARY TABLE n (id INT)');
    $link->query('INSERT INTO n VALUES (1), (1)');
    show($link->query('UPDATE n SET id = 1'), $link->affected_rows, $link->info);
    attempt('space', fn() => $link->query('SELECT COUNT (*) FROM n') ? 'allowed' : $link->errno);
    attempt('schema', fn() => $link->query('SELECT COUNT(*) FROM ' . server('DATABASE') . '.n') ? 'allowed' : $link->errno);
    attempt('interactive', fn() => $link->query('SELECT @@wait_timeout = @@interactive_timeout')->fetch_row());
    attempt('multi', fn() => $link->query('SELECT 1; SELECT 2') ? 'allowed' : $link->errno);
    $link->close();
}
section('connect timeout');
$link = mysqli_init();
show($link->options(MYSQLI_OPT_CONNECT_TIMEOUT, 5), $link->real_connect(...address()), $link->query('SELECT SLEEP(0)')->fetch_row());
section('read timeout');
$link = mysqli_init();
show($link->options(MYSQLI_OPT_READ_TIMEOUT, 1), $link->real_connect(...address()));
attempt('a query that takes longer', fn() => $link->query('SELECT SLEEP(5)'));
show_error($link);
attempt('and then', fn() => $link->query('SELECT 1'));
show_error($link);
attempt('ping', fn() => $link->ping());
attempt('close', fn() => $link->close());
section('local files are not allowed');
$link = connect();
$link->query('CREATE TEMPORARY TABLE n (id INT)');
attempt('LOAD DATA LOCAL', fn() => $link->query("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE n"));
show_error($link);
attempt('query', fn() => $link->query('SELECT COUNT(*) FROM n')->fetch_row());
