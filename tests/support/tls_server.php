<?php
/*
 * The program of TlsServer: for each line of its input, serves one client over TLS with the certificate that the line names, or, if it names
 * none, without offering TLS.
 */

$listener = stream_socket_server('tcp://127.0.0.1:0');
stream_set_timeout($listener, 20);
echo explode(':', stream_socket_get_name($listener, false))[1], "\n";

function read_packet($client): string
{
    $header = fread($client, 4);
    if (strlen($header) < 4) {
        throw new Exception('the client left');
    }
    $length = unpack('V', substr($header, 0, 3) . "\0")[1];
    $payload = '';
    while (strlen($payload) < $length && ($piece = fread($client, $length - strlen($payload))) !== '' && $piece !== false) {
        $payload .= $piece;
    }
    return $payload;
}

function write_packet($client, int $sequence_id, string $payload): void
{
    fwrite($client, substr(pack('V', strlen($payload)), 0, 3) . chr($sequence_id) . $payload);
}

while (($line = fgets(STDIN)) !== false) {
    [$chain, $key, $ca] = explode("\t", rtrim($line, "\n"));
    // At level 0 OpenSSL shows whatever certificate it has.
    $options = ['local_cert' => $chain, 'local_pk' => $key, 'ciphers' => 'ALL:@SECLEVEL=0', 'security_level' => 0, 'verify_peer' => $ca !== '', 'verify_peer_name' => false, 'capture_peer_cert' => $ca !== ''];
    if ($ca !== '') {
        $options['cafile'] = $ca;
    }
    echo "ready\n";
    $outcome = 'not called';
    $ready = [$listener, STDIN];
    $none = [];
    stream_select($ready, $none, $none, 20);
    if (!in_array($listener, $ready, true)) {
        fgets(STDIN);
        echo "$outcome\n";
        continue;
    }
    $client = stream_socket_accept($listener, 20);
    $outcome = 'no TLS'; // or nothing at all
    try {
        stream_set_timeout($client, 20);
        stream_set_read_buffer($client, 0); // else it takes the first of TLS, too
        stream_context_set_option($client, ['ssl' => $options]);
        $capabilities = $chain === '' ? 0x001AA28D : 0x001AAA8D;
        write_packet($client, 0, "\x0A8.0.0\0" . pack('V', 1) . "12345678\0" . pack('v', $capabilities & 0xFFFF) . "\x2D" . pack('v', 2) . pack('v', $capabilities >> 16) . "\x15" . str_repeat("\0", 10)
            . "123456789012\0mysql_native_password\0");
        $answer = read_packet($client);
        if ($chain === '') {
            $outcome = strlen($answer) === 32 ? 'asked for TLS' : 'a log-in in plain text';
            write_packet($client, 2, "\0\0\0\2\0\0\0");
            read_packet($client);
        } elseif (@stream_socket_enable_crypto($client, true, STREAM_CRYPTO_METHOD_TLSv1_2_SERVER | STREAM_CRYPTO_METHOD_TLSv1_3_SERVER)) {
            $outcome = 'TLS';
            if ($certificate = stream_context_get_options($client)['ssl']['peer_certificate'] ?? null) {
                $outcome .= ' with ' . openssl_x509_parse($certificate)['name'];
            }
            read_packet($client);
            write_packet($client, 3, "\0\0\0\2\0\0\0");
            read_packet($client);
        }
    } catch (Exception) {
    }
    fclose($client);
    fgets(STDIN);
    echo "$outcome\n";
}
