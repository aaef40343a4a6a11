--TEST--
vaquita.cleartext_password: who gets a password in clear text, if a server asks for it
--FILE--
<?php
require 'support/prelude.php';
/** The 4 bytes before a packet, and the packet. */
function packet(int $id, string $payload): string
{
    return substr(pack('V', strlen($payload)), 0, 3) . chr($id) . $payload;
}

/** Asks a client for its password, and prints what becomes of it. */
function ask(bool $unix, string ...$settings): void
{
    $path = sys_get_temp_dir() . '/vaquita-cleartext-' . getmypid();
    $server = stream_socket_server($unix ? "unix://$path" : 'tcp://127.0.0.1:0');
    $place = $unix ? ['localhost', $path] : explode(':', stream_socket_get_name($server, false));
    $code = 'mysqli_report(0); @mysqli_connect(' . var_export($place[0], true) . ', "me", "hunter2", null, '
        . ($unix ? '0, ' . var_export($path, true) : $place[1]) . '); echo mysqli_connect_errno(), " ", mysqli_connect_error();';
    $arguments = ['-d', 'display_startup_errors=0'];
    foreach ($settings as $setting) {
        array_push($arguments, '-d', $setting);
    }
    $process = proc_open([...explode(' ', getenv('VAQUITA_PHP')), ...$arguments, '-r', $code], [1 => ['pipe', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
    $client = stream_socket_accept($server, 30);
    $capabilities = 0x000FA205;
    fwrite($client, packet(0, "\x0A8.0.0\0" . pack('V', 1) . "12345678\0" . pack('v', $capabilities & 0xFFFF) . "\x2D\2\0"
        . pack('v', $capabilities >> 16) . "\x15" . str_repeat("\0", 10) . "901234567890\0mysql_native_password\0"));
    $header = fread($client, 4);
    $heard = stream_get_contents($client, unpack('V', substr($header, 0, 3) . "\0")[1]);
    fwrite($client, packet(2, "\xFEmysql_clear_password\0"));
    $answer = fread($client, 100);
    if ($answer !== '') {
        fwrite($client, packet(4, "\xFF" . pack('v', 1045) . '#28000Access denied'));
    }
    show(str_contains($heard . $answer . stream_get_contents($client), 'hunter2'), stream_get_contents($pipes[1]));
    proc_close($process);
    fclose($server);
    if (file_exists($path)) { // PHP 8.4 removes it itself
        unlink($path);
    }
}

section('TCP');
ask(false);
ask(false, 'vaquita.cleartext_password=off');
ask(false, 'vaquita.cleartext_password=on');
section('unix socket');
ask(true);
ask(true, 'vaquita.cleartext_password=secure');
ask(true, 'vaquita.cleartext_password=off');
ask(true, 'vaquita.cleartext_password="off"');
ask(true, 'vaquita.cleartext_password=yes');
section('a script has no say');
show(@ini_set('vaquita.cleartext_password', 'off'), ini_get('vaquita.cleartext_password'));
?>
--EXPECT--
=== TCP
false | "2061 The server asks for the password in clear text (mysql_clear_password), but does not get it: it goes over TLS with a verified certificate and name or over a unix socket only, and this connection is neither"
false | "2061 The server asks for the password in clear text (mysql_clear_password), but does not get it: cleartext_password is off"
false | "2061 The server asks for the password in clear text (mysql_clear_password), but does not get it: it goes over TLS with a verified certificate and name or over a unix socket only, and this connection is neither"
=== unix socket
true | "1045 Access denied"
true | "1045 Access denied"
false | "2061 The server asks for the password in clear text (mysql_clear_password), but does not get it: cleartext_password is off"
false | "2061 The server asks for the password in clear text (mysql_clear_password), but does not get it: cleartext_password is off"
true | "1045 Access denied"
=== a script has no say
false | "secure"
