--TEST--
vaquita.tls makes mysqli and PDO stricter than a script asks, never laxer; vaquita.read_timeout holds for PDO
--FILE--
<?php
// servers: mariadb mysql80
// transports: tcp unix
// without mysql56: it has no TLS 1.2
require 'support/prelude.php';
require 'support/certificates.php';
set_error_handler(fn() => true);

$certificates = new Certificates;
$listening = new TlsServer;
$certificates->make('root', null, '/CN=Root', "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign");
$certificates->make('server', 'root', '/CN=x', 'subjectAltName=IP:127.0.0.1');
$certificates->make('elsewhere', 'root', '/CN=x', 'subjectAltName=IP:127.0.0.2');
$certificates->make('own', null, '/CN=x', 'subjectAltName=IP:127.0.0.1');
$ways = [
    'mysqli' => 'mysqli_report(0); $link = mysqli_init(); echo @$link->real_connect("127.0.0.1", "user", "password", null, PORT) ? "connected" : mysqli_connect_error();',
    'mysqli, unverified' => 'mysqli_report(0); $link = mysqli_init(); echo @$link->real_connect("127.0.0.1", "user", "password", null, PORT, null, MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT) ? "connected" : mysqli_connect_error();',
    'PDO' => 'try { new PDO("mysql:host=127.0.0.1;port=PORT", "user", "password"); echo "connected"; } catch (PDOException $e) { echo $e->getMessage(); }',
    'PDO, unverified' => 'try { new PDO("mysql:host=127.0.0.1;port=PORT", "user", "password", [PDO::MYSQL_ATTR_SSL_CIPHER => "DEFAULT", PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => false]); echo "connected"; } catch (PDOException $e) { echo $e->getMessage(); }',
];
foreach (['required', 'verify-ca', 'verify-identity'] as $least) {
    foreach (['server', 'elsewhere', 'own'] as $name) {
        foreach ($ways as $way => $code) {
            $listening->show($certificates->path("$name.pem"), $certificates->path("$name.key"));
            ob_start();
            child(str_replace('PORT', (string) $listening->port, $code), ['vaquita.tls' => $least, 'openssl.cafile' => $certificates->path('root.pem')]);
            $outcome = trim(preg_replace('/\s*exit code 0\s*$/', '', ob_get_clean()));
            echo "$least, $name, $way: ", preg_replace('/^.*SSL: /s', 'refused: ', $outcome), "\n";
            $listening->outcome();
        }
    }
}

echo "-- a real server\n";
foreach (['', 'required'] as $least) {
    child('echo connect()->query("SHOW SESSION STATUS LIKE \'Ssl_cipher\'")->fetch_row()[1] !== "" ? "TLS" : "plain", " ";'
        . 'echo connect_pdo()->query("SHOW SESSION STATUS LIKE \'Ssl_cipher\'")->fetchColumn(1) !== "" ? "TLS" : "plain";', ['vaquita.tls' => $least]);
}
child('show(ini_set("vaquita.tls", ""), ini_get("vaquita.tls")); try { connect_pdo(); } catch (PDOException $e) { echo preg_replace("/^.*SSL: |certificate.*/", "", $e->getMessage()); }',
    ['vaquita.tls' => 'sometimes', 'display_startup_errors' => '1']);
child('try { connect_pdo()->query("SELECT SLEEP(30)"); } catch (PDOException $e) { echo $e->getMessage(); }', ['vaquita.read_timeout' => '1', 'error_reporting' => '0']);
?>
--EXPECTF--
required, server, mysqli: connected
required, server, mysqli, unverified: connected
required, server, PDO: connected
required, server, PDO, unverified: connected
required, elsewhere, mysqli: connected
required, elsewhere, mysqli, unverified: connected
required, elsewhere, PDO: connected
required, elsewhere, PDO, unverified: connected
required, own, mysqli: connected
required, own, mysqli, unverified: connected
required, own, PDO: connected
required, own, PDO, unverified: connected
verify-ca, server, mysqli: connected
verify-ca, server, mysqli, unverified: connected
verify-ca, server, PDO: connected
verify-ca, server, PDO, unverified: connected
verify-ca, elsewhere, mysqli: connected
verify-ca, elsewhere, mysqli, unverified: connected
verify-ca, elsewhere, PDO: connected
verify-ca, elsewhere, PDO, unverified: connected
verify-ca, own, mysqli: refused: the server's certificate is self-signed, and not among the known ones
verify-ca, own, mysqli, unverified: refused: the server's certificate is self-signed, and not among the known ones
verify-ca, own, PDO: refused: the server's certificate is self-signed, and not among the known ones
verify-ca, own, PDO, unverified: refused: the server's certificate is self-signed, and not among the known ones
verify-identity, server, mysqli: connected
verify-identity, server, mysqli, unverified: connected
verify-identity, server, PDO: connected
verify-identity, server, PDO, unverified: connected
verify-identity, elsewhere, mysqli: refused: the server's certificate is for another host
verify-identity, elsewhere, mysqli, unverified: refused: the server's certificate is for another host
verify-identity, elsewhere, PDO: refused: the server's certificate is for another host
verify-identity, elsewhere, PDO, unverified: refused: the server's certificate is for another host
verify-identity, own, mysqli: refused: the server's certificate is self-signed, and not among the known ones
verify-identity, own, mysqli, unverified: refused: the server's certificate is self-signed, and not among the known ones
verify-identity, own, PDO: refused: the server's certificate is self-signed, and not among the known ones
verify-identity, own, PDO, unverified: refused: the server's certificate is self-signed, and not among the known ones
-- a real server
plain plain
  exit code 0
TLS TLS
  exit code 0

Warning: Vaquita: vaquita.tls must be required, verify-ca or verify-identity, or empty; it is sometimes, which is taken as verify-identity in Unknown on line 0
false | "sometimes"
the server's%w
  exit code 0
SQLSTATE[HY000]: General error: 2006 MySQL server has gone away
  exit code 0
