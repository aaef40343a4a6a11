<?php
// Certificates for names: which are the host's. Names that resolve everywhere without a name server are spellings of 127.0.0.1.
// servers: any
// transports: tcp
// seconds: 120
require 'support/prelude.php';
require 'support/certificates.php';

[$certificates, $server] = certificates_and_server();

$hosts = ['0x7f.0.1', '0X7F.0.1', '127.1', '2130706433'];
// Those that are tried as common names too.
$common = ['0x7f.0.1', '0X7F.0.1', '0x7f.0.1.', '*.0.1', '*.0.1.', '0*.0.1', '0x7f.*.1', '*.*.1', '*', '127.0.0.1', '2130706433.'];
foreach ([
    '0x7f.0.1', '0X7F.0.1', '0x7f.0.1.', '0x7f.0.1..', '0x7f.0', '0.1', '.0.1', 'a.0x7f.0.1', '0x7f.0.1.a',
    '*.0.1', '*.0.1.', '0*.0.1', '*f.0.1', '*F.0.1', '0*f.0.1', '0x7f*.0.1', '*0x7f.0.1', '0x7*7f.0.1', '1*.0.1', '0x7f.*.1', '0x7f.0.*', '*.*.1', '*.1', '**.0.1', '*x*.0.1', '*0.1', '*7f.*', '*.0x7f.0.1',
    '127.1', '*.1.', '1*.1', '*7.1', '127.*', '127.0.0.1', '*.0.0.1',
    '2130706433', '*', '2*', '*3', '213*433', '2130706433*', '**', '*.', '*.*', '2130706433.', 'xn--*', 'xn--2*.0.1',
] as $name) {
    section($name);
    $file = 'name' . md5($name);
    $certificates->make("san$file", 'root', '/CN=x', "subjectAltName=DNS:\"$name\"");
    foreach ($hosts as $host) {
        connects("SAN, $host", "san$file.pem", "san$file", ca('root.pem'), host: $host);
    }
    if (in_array($name, $common, true)) {
        $certificates->make("cn$file", 'root', "/CN=$name", 'basicConstraints=CA:FALSE');
        foreach ($hosts as $host) {
            connects("common name, $host", "cn$file.pem", "cn$file", ca('root.pem'), host: $host);
        }
    }
}
section('several names');
foreach ([
    'the second of two' => ['/CN=x', 'DNS:a.example,DNS:*.1'],
    'a wildcard and an address' => ['/CN=x', 'DNS:*.example,IP:127.0.0.1'],
    'a wildcard in the common name beside a name' => ['/CN=*.1', 'DNS:a.example'],
    'a wildcard in the common name beside an address' => ['/CN=*.1', 'IP:127.0.0.2'],
    'the address, for the name that it is reached by' => ['/CN=127.0.0.1', 'IP:127.0.0.1'],
] as $name => [$subject, $names]) {
    $file = 'several' . md5($name);
    $certificates->make($file, 'root', $subject, "subjectAltName=$names");
    foreach (['127.1', '127.0.0.1'] as $host) {
        connects("$name, $host", "$file.pem", $file, ca('root.pem'), host: $host);
    }
}
section('an IPv6 address is not reached by its name');
$certificates->make('v6', 'root', '/CN=::1', 'subjectAltName=IP:::1');
connects('::1 for 127.0.0.1', 'v6.pem', 'v6', ca('root.pem'));
unset($server);
