<?php
// Failures of connecting, each by constructor, function and real_connect, and in each report mode.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';

$cases = [
    'wrong password' => address(password: 'wrong'),
    'no password' => address(password: ''),
    'null password' => address(password: null),
    'unknown user' => address(username: 'nobody_here'),
    'unknown database' => address(database: 'no_such_database'),
    'refused' => ['127.0.0.1', 'u', 'p', 'd', 1],
    'missing socket' => ['localhost', 'u', 'p', 'd', 0, '/nonexistent/socket'],
    'missing socket, null host' => [null, 'u', 'p', 'd', 0, '/nonexistent/socket'],
    'socket is a file' => ['localhost', 'u', 'p', 'd', 0, '/etc/passwd'],
    'socket is a folder' => ['localhost', 'u', 'p', 'd', 0, '/'],
    'IPv6 in brackets, refused' => ['[::1]', 'u', 'p', 'd', 1],
    'an odd port' => ['127.0.0.1', 'u', 'p', 'd', 70000 - 65536],
];
foreach (['off' => MYSQLI_REPORT_OFF, 'error' => MYSQLI_REPORT_ERROR, 'strict' => MYSQLI_REPORT_STRICT, 'error and strict' => MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT, 'all' => MYSQLI_REPORT_ALL] as $mode_name => $mode) {
    mysqli_report($mode);
    foreach ($cases as $name => $arguments) {
        section("$name, report $mode_name");
        $state = function () {
            echo '  connect error: ';
            show(mysqli_connect_errno(), mysqli_connect_error());
        };
        $link = attempt('new', fn() => new mysqli(...$arguments));
        $state();
        if ($link) {
            foreach (['connect_errno', 'connect_error', 'errno', 'error', 'error_list', 'sqlstate', 'affected_rows', 'insert_id', 'info', 'server_info', 'server_version', 'host_info', 'thread_id',
                'protocol_version', 'field_count', 'warning_count', 'client_info'] as $property) {
                attempt("  $property", fn() => $property === 'client_info' ? strlen($link->$property) > 0 : $link->$property);
            }
            attempt('  query', fn() => $link->query('SELECT 1'));
            attempt('  ping', fn() => $link->ping());
            attempt('  mysqli_errno', fn() => mysqli_errno($link));
            attempt('  close', fn() => $link->close());
        }
        attempt('mysqli_connect', fn() => mysqli_connect(...$arguments));
        $state();
        $link = mysqli_init();
        attempt('real_connect', fn() => $link->real_connect(...$arguments));
        $state();
        attempt('  errno', fn() => $link->errno);
        attempt('  error', fn() => $link->error);
        attempt('  sqlstate', fn() => $link->sqlstate);
        attempt('  query', fn() => $link->query('SELECT 1'));
        attempt('mysqli_real_connect', fn() => mysqli_real_connect($link, ...$arguments));
        $state();
        attempt('then a good one', fn() => mysqli_real_connect($link, ...address()));
        $state();
        attempt('  query', fn() => $link->query('SELECT 1')->fetch_row());
        attempt('then a bad one', fn() => mysqli_real_connect($link, ...$arguments));
        $state();
        attempt('close', fn() => $link->close());
    }
}
section('a query after a second connect failed');
mysqli_report(MYSQLI_REPORT_OFF);
$link = connect();
show(@$link->real_connect('127.0.0.1', 'u', 'p', 'd', 1));
attempt('query', fn() => $link->query('SELECT 1'));
attempt('error', fn() => $link->errno);
attempt('close', fn() => $link->close());
// Names that no resolver is asked about.
foreach ([
    'unknown host' => ['no such host', 'u', 'p', 'd', 3306],
    'broken IPv6' => ['::zz', 'u', 'p', 'd', 3306],
    'IPv6 without brackets, refused' => ['::1', 'u', 'p', 'd', 1],
    'socket path too long' => ['localhost', 'u', 'p', 'd', 0, '/nonexistent/' . str_repeat('x', 200)],
] as $name => $arguments) {
    section($name);
    attempt('new', fn() => new mysqli(...$arguments));
    show(mysqli_connect_errno(), mysqli_connect_error());
}
section('a connect error is gone after a good connect');
mysqli_report(MYSQLI_REPORT_OFF);
attempt('bad', fn() => mysqli_connect('127.0.0.1', 'u', 'p', 'd', 1));
show(mysqli_connect_errno(), mysqli_connect_error());
$db = connect();
show(mysqli_connect_errno(), mysqli_connect_error(), $db->connect_errno, $db->connect_error);
attempt('bad', fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', 1));
show(mysqli_connect_errno() === 2002, $db->connect_errno, $db->connect_error, $db->errno);
section('the method connect');
$link = new mysqli;
attempt('connect', fn() => $link->connect(...address()));
show($link->query('SELECT 1')->fetch_row());
attempt('connect again', fn() => $link->connect(...address()));
show($link->query('SELECT 2')->fetch_row());
attempt('connect badly', fn() => $link->connect('127.0.0.1', 'u', 'p', 'd', 1));
attempt('query', fn() => $link->query('SELECT 3'));
section('real_connect again on an open link');
$link = mysqli_init();
show($link->real_connect(...address()));
$link->query('SET @here = 1');
show($link->real_connect(...address()), $link->query('SELECT @here')->fetch_row());
section('the password is not in the trace');
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
ini_set('zend.exception_ignore_args', '0');
try {
    mysqli_connect('127.0.0.1', 'user', 'the password', 'd', 1);
} catch (mysqli_sql_exception $e) {
    show(preg_replace('/^#0 .*?: /', '', explode("\n", $e->getTraceAsString())[0]));
}
try {
    new mysqli('127.0.0.1', 'user', 'the password', 'd', 1);
} catch (mysqli_sql_exception $e) {
    show(preg_replace('/^#0 .*?: /', '', explode("\n", $e->getTraceAsString())[0]));
}
try {
    mysqli_init()->real_connect('127.0.0.1', 'user', 'the password', 'd', 1);
} catch (mysqli_sql_exception $e) {
    show(preg_replace('/^#0 .*?: /', '', explode("\n", $e->getTraceAsString())[0]));
}
