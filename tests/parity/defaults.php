<?php
// Where a connection goes if the call does not say it: the mysqli.default_* settings; and p: hosts.
require 'support/prelude.php';

$settings = ['mysqli.default_host' => 'localhost', 'mysqli.default_user' => server('USER'), 'mysqli.default_pw' => server('PASSWORD'), 'mysqli.default_socket' => server('SOCKET'), 'mysqli.default_port' => server('PORT')];
$tell = 'function tell($make) { mysqli_report(MYSQLI_REPORT_OFF); attempt("connect", function () use ($make) { $db = $make(); return $db && !mysqli_connect_errno() ? [$db->host_info, $db->query("SELECT DATABASE(), SUBSTRING_INDEX(USER(), \'@\', 1)")->fetch_row()] : mysqli_connect_errno(); }); }';
foreach ([
    'nothing given' => 'new mysqli("")', 'nulls given' => 'new mysqli(null, null, null, null, null, null)', 'function' => 'mysqli_connect()', 'function with nulls' => 'mysqli_connect(null, null)',
    'no arguments' => 'new mysqli', 'real_connect' => '(function () { $l = mysqli_init(); mysqli_real_connect($l); return $l; })()', 'real_connect method' => '(function () { $l = mysqli_init(); $l->real_connect(); return $l; })()',
    'localhost' => 'new mysqli("localhost")', '127.0.0.1' => 'new mysqli("127.0.0.1")', 'a database' => 'new mysqli(database: server("DATABASE"))', 'a port and localhost' => 'new mysqli("localhost", port: 1)', 'a socket' => 'new mysqli(socket: "/nonexistent")',
    'a socket and a host' => 'new mysqli("127.0.0.1", socket: "/nonexistent")', 'empty socket' => 'new mysqli("localhost", socket: "")', 'port 0' => 'new mysqli("127.0.0.1", port: 0)', 'empty user' => 'new mysqli(username: "")', 'empty password' => 'new mysqli(password: "")',
    'empty database' => 'new mysqli(database: "")', 'LOCALHOST' => 'new mysqli("LOCALHOST")', 'connect method' => '(function () { $l = new mysqli; $l->connect(); return $l; })()',
] as $name => $make) {
    section("settings, $name");
    child("$tell tell(fn() => $make);", $settings);
    section("no settings, $name");
    child("$tell tell(fn() => $make);", ['mysqli.default_socket' => '/nonexistent/socket', 'mysqli.default_port' => '1']);
}
section('settings over TCP');
child("$tell tell(fn() => new mysqli); tell(fn() => new mysqli(port: 1)); tell(fn() => new mysqli('localhost'));", ['mysqli.default_host' => '127.0.0.1'] + $settings);
section('a host with a port or socket in the setting');
child("$tell tell(fn() => new mysqli);", ['mysqli.default_host' => '127.0.0.1:' . server('PORT')] + $settings);
section('ini_set');
foreach (array_keys($settings) as $name) {
    attempt("ini_set $name", fn() => ini_set($name, 'x'));
    attempt("ini_get $name", fn() => ini_get($name));
    ini_restore($name);
}
foreach (['mysqli.max_links', 'mysqli.max_persistent', 'mysqli.allow_persistent', 'mysqli.rollback_on_cached_plink', 'mysqli.allow_local_infile', 'mysqli.local_infile_directory', 'mysqli.reconnect', 'mysqlnd.collect_statistics', 'mysqlnd.net_read_timeout', 'mysqlnd.net_read_buffer_size',
    'mysqlnd.debug', 'mysqlnd.log_mask', 'mysqlnd.mempool_default_size', 'mysqlnd.net_cmd_buffer_size', 'mysqlnd.collect_memory_statistics', 'mysqlnd.trace_alloc', 'mysqlnd.sha256_server_public_key', 'mysqlnd.fetch_data_copy'] as $name) {
    attempt("$name", fn() => [ini_get($name), ini_set($name, '1'), ini_get($name)]);
    ini_restore($name);
}
section('max_links');
child('mysqli_report(MYSQLI_REPORT_OFF); $a = connect(); $b = connect(); attempt("third", fn() => connect()); attempt("errno", fn() => [mysqli_connect_errno(), mysqli_connect_error()]); $a->close(); attempt("after a close", fn() => connect());', ['mysqli.max_links' => '2']);
section('persistent');
mysqli_report(MYSQLI_REPORT_OFF);
$tcp = connect(hostname: 'p:' . server('HOST'), socket: null);
show($tcp->host_info, $tcp->query('SELECT 1')->fetch_row());
$unix = connect(hostname: 'p:localhost', socket: server('SOCKET'));
show($unix->host_info, $unix->query('SELECT 1')->fetch_row());
show($tcp->close(), $unix->close());
attempt('refused', fn() => new mysqli('p:127.0.0.1', 'u', 'p', 'd', 1));
attempt('wrong password', fn() => connect(hostname: 'p:localhost', socket: server('SOCKET'), password: 'wrong'));
child('$a = connect(hostname: "p:localhost", socket: server("SOCKET")); var_dump($a->query("SELECT 1")->fetch_row());', ['mysqli.allow_persistent' => '0']);
section('a server that does not accept');
// Its queue is full, so that the system does not answer another client.
$full = stream_socket_server('tcp://127.0.0.1:0', context: stream_context_create(['socket' => ['backlog' => 1]]));
$port = (int) substr(strrchr(stream_socket_get_name($full, false), ':'), 1);
$queue = [];
for ($i = 0; $i < 4; $i++) {
    $queue[] = @stream_socket_client("tcp://127.0.0.1:$port", flags: STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT);
}
foreach ([MYSQLI_REPORT_OFF, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT] as $mode) {
    mysqli_report($mode);
    $link = mysqli_init();
    $link->options(MYSQLI_OPT_CONNECT_TIMEOUT, 1);
    $begun = hrtime(true);
    attempt('connect', fn() => $link->real_connect('127.0.0.1', 'u', 'p', 'd', $port));
    show(mysqli_connect_errno(), mysqli_connect_error(), round((hrtime(true) - $begun) / 1e9));
}
section('a server that accepts and says nothing');
$silent = stream_socket_server('tcp://127.0.0.1:0');
$port = (int) substr(strrchr(stream_socket_get_name($silent, false), ':'), 1);
foreach ([MYSQLI_REPORT_OFF, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT] as $mode) {
    mysqli_report($mode);
    $link = mysqli_init();
    $link->options(MYSQLI_OPT_READ_TIMEOUT, 1);
    $link->options(MYSQLI_OPT_CONNECT_TIMEOUT, 1);
    attempt('connect', fn() => $link->real_connect('127.0.0.1', 'u', 'p', 'd', $port));
    show(mysqli_connect_errno(), mysqli_connect_error());
}
section('a server that closes at once');
mysqli_report(MYSQLI_REPORT_OFF);
child('$silent = stream_socket_server("tcp://127.0.0.1:0"); $port = (int) substr(strrchr(stream_socket_get_name($silent, false), ":"), 1); mysqli_report(MYSQLI_REPORT_OFF);
    $pid = pcntl_fork(); if (!$pid) { fclose(stream_socket_accept($silent)); exit; } attempt("connect", fn() => new mysqli("127.0.0.1", "u", "p", "d", $port)); show(mysqli_connect_errno(), mysqli_connect_error());');
section('a server of another kind');
mysqli_report(MYSQLI_REPORT_OFF);
child('$other = stream_socket_server("tcp://127.0.0.1:0"); $port = (int) substr(strrchr(stream_socket_get_name($other, false), ":"), 1); mysqli_report(MYSQLI_REPORT_OFF);
    $pid = pcntl_fork(); if (!$pid) { $c = stream_socket_accept($other); fwrite($c, "HTTP/1.1 400 Bad Request\r\n\r\n"); fclose($c); exit; } attempt("connect", fn() => new mysqli("127.0.0.1", "u", "p", "d", $port)); show(mysqli_connect_errno(), mysqli_connect_error());');
