<?php
// A server that listens on IPv6: the ways to write its address, with and without a port of its own.
// servers: mariadb
// transports: tcp
require 'support/prelude.php';

/** Passes bytes on between ::1 and a server of 127.0.0.1, one client at a time, until its input ends; tells its port first. */
const FORWARDER = <<<'PHP'
    $listener = stream_socket_server('tcp://[::1]:0', $number, $text) ?: exit($text);
    echo substr(strrchr(stream_socket_get_name($listener, false), ':'), 1), "\n";
    $pairs = [];
    while (true) {
        $ready = [STDIN, $listener, ...array_column($pairs, 0)];
        $none = [];
        stream_select($ready, $none, $none, null);
        foreach ($ready as $stream) {
            if ($stream === STDIN) {
                exit;
            } elseif ($stream === $listener) {
                $client = stream_socket_accept($listener);
                $server = stream_socket_client("tcp://127.0.0.1:$argv[1]");
                stream_set_blocking($client, false);
                stream_set_blocking($server, false);
                $pairs[(int) $client] = [$client, $server];
                $pairs[(int) $server] = [$server, $client];
            } elseif (isset($pairs[(int) $stream])) {
                [$from, $to] = $pairs[(int) $stream];
                $bytes = fread($from, 65536);
                if ($bytes === '' || $bytes === false) {
                    unset($pairs[(int) $from], $pairs[(int) $to]);
                    fclose($from);
                    fclose($to);
                } else {
                    fwrite($to, $bytes);
                }
            }
        }
    }
    PHP;
$forwarder = proc_open([PHP_BINARY, '-n', '-r', FORWARDER, server('PORT')], [['pipe', 'r'], ['pipe', 'w']], $pipes);
$port = (int) fgets($pipes[1]);
show($port > 0);

mysqli_report(MYSQLI_REPORT_OFF);
foreach ([
    'in brackets' => ['[::1]', $port],
    'in brackets, with its port' => ["[::1]:$port", 0],
    'in brackets, with its port and another' => ["[::1]:$port", 1],
    'in full' => ['[0:0:0:0:0:0:0:1]', $port],
    'without brackets' => ['::1', $port],
    'in brackets, another port' => ['[::1]:1', $port],
] as $name => [$host, $argument]) {
    section($name);
    foreach (['new' => fn() => @new mysqli(...address(hostname: $host, port: $argument)), 'connect' => fn() => @mysqli_connect(...address(hostname: $host, port: $argument))] as $way => $connect) {
        $link = $connect();
        show($way, mysqli_connect_errno(), mysqli_connect_error());
        if ($link && !mysqli_connect_errno()) {
            show(str_replace((string) $port, 'PORT', $link->host_info), $link->query('SELECT 1')->fetch_row());
            $link->close();
        }
    }
}
fclose($pipes[0]);
proc_close($forwarder);
