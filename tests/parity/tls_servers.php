<?php
// The certificates of real servers, and those that they ask for; and a server that offers no TLS. The texts of refusals are ours alone, and tested elsewhere.
// servers: mariadb mysql80
// transports: tcp
// without mysql56: it has no TLS 1.2
// without mariadb118: its certificate is in no file
require 'support/prelude.php';
require 'support/certificates.php';

set_error_handler(fn() => true); // stock warns with OpenSSL's words
$certificates = new Certificates;
$certificates->make('other', null, '/CN=Other Root', CA);
$certificates->make('foreign', 'other', '/CN=Foreign', 'extendedKeyUsage=clientAuth');
$admin = connect();
$folder = $admin->query('SELECT @@datadir')->fetch_row()[0];
$ca = "{$folder}ca.pem";
$own = ["{$folder}client-key.pem", "{$folder}client-cert.pem"];
$foreign = [$certificates->path('foreign.key'), $certificates->path('foreign.pem')];

const ALL_FLAGS = [
    'no flag' => 0,
    'SSL' => MYSQLI_CLIENT_SSL,
    'verify' => MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT,
    'do not' => MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT,
    'SSL, verify' => MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT,
    'SSL, do not' => MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT,
    'verify, do not' => MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT,
    'SSL, both' => MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT,
];

/** Connects, and says how or why not. */
function told(?array $tls, array $address, int $flags): string
{
    $link = mysqli_init();
    if ($tls !== null) {
        $link->ssl_set(...array_replace(array_fill(0, 5, null), $tls));
    }
    try {
        $link->real_connect(...$address, flags: $flags);
        return $address['username'] === 'nobody' ? 'in' : ($link->query("SHOW SESSION STATUS LIKE 'Ssl_cipher'")->fetch_row()[1] === '' ? 'in, in plain text' : 'in, by TLS');
    } catch (mysqli_sql_exception $error) {
        $message = preg_replace('/^(Cannot connect to MySQL using SSL).*/s', '$1', str_replace($address['username'], 'USER', $error->getMessage()));
        return "{$error->getCode()} {$error->getSqlState()} $message";
    }
}

/** Connects to the real server. */
function enters(string $label, ?array $tls, int $flags = 0, mixed ...$replaced): void
{
    echo "$label: ", told($tls, address(...$replaced), $flags), "\n";
}

foreach (ALL_FLAGS as $name => $flags) {
    section("the server's certificate, $name");
    enters('nothing set', null, $flags);
    enters('its CA', [2 => $ca], $flags);
    enters('another CA', [2 => $certificates->path('other.pem')], $flags);
    enters('its own certificate', [2 => "{$folder}server-cert.pem"], $flags);
    enters('a cipher', [4 => 'HIGH'], $flags);
    enters('another name', [2 => $ca], $flags, hostname: '127.1');
    enters('compressed', [2 => $ca], $flags | MYSQLI_CLIENT_COMPRESS);
}

section("the client's certificate");
$user = 'tls_' . server('DATABASE');
foreach (['X509', 'SSL', "SUBJECT '/CN=nobody'", 'NONE'] as $require) {
    $admin->query("DROP USER IF EXISTS '$user'@'%'");
    $admin->query("CREATE USER '$user'@'%' IDENTIFIED BY 'secret' REQUIRE $require");
    foreach (['its CA\'s' => $own, 'none' => [], 'another CA\'s' => $foreign, 'a key only' => [$own[0]]] as $name => $files) {
        foreach (['verified' => 0, 'not verified' => MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT] as $how => $flags) {
            enters("$require, $name, $how", $files + [2 => $ca], $flags, username: $user, password: 'secret', database: '');
        }
    }
    enters("$require, plain text", null, 0, username: $user, password: 'secret', database: '');
    enters("$require, the flag alone", null, MYSQLI_CLIENT_SSL, username: $user, password: 'secret', database: '');
}
$admin->query("DROP USER '$user'@'%'");

$server = new TlsServer;
foreach (ALL_FLAGS as $name => $flags) {
    foreach (['nothing set' => null, 'set to nothing' => [], 'a CA' => [2 => $ca], 'a CA that is not there' => [2 => '/nonexistent'], 'a directory' => [3 => $folder], 'a cipher' => [4 => 'HIGH'], 'a certificate' => $own, 'a key' => [$own[0]]] as $set => $tls) {
        section("a server that offers no TLS, $name, $set");
        $server->show_none();
        echo told($tls, address(hostname: '127.0.0.1', username: 'nobody', port: $server->port), $flags);
        echo ', ', $server->outcome(), "\n";
    }
}
unset($server);
