--TEST--
TLS: reasons are told; vaquita.tls_crl, openssl.cafile and open_basedir are heeded
--FILE--
<?php
require 'support/prelude.php';
require 'support/certificates.php';

const LIST_CA = "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign,cRLSign";
const HERE = 'subjectAltName=IP:127.0.0.1';

mysqli_report(MYSQLI_REPORT_OFF);
set_error_handler(fn() => true);
$certificates = new Certificates;
$server = new TlsServer;

/** What becomes of connecting to a server that shows a certificate. */
function tells(string $label, string $chain, array $tls, array $settings = [], int $flags = 0): void
{
    global $certificates, $server;
    $key = preg_replace('/\..*/', '', $chain);
    $server->show($certificates->path($chain), $certificates->path("$key.key"));
    $tls = array_map($certificates->placed(...), $tls);
    // Of files of CAs a warning tells the reason, in stock's words.
    $code = 'set_error_handler(fn($level, $text) => !str_contains($text, " stream: ") || print("$text; ")); $link = mysqli_init(); mysqli_report(MYSQLI_REPORT_OFF); $link->ssl_set(...' . var_export($tls, true) . ");\n"
        . "echo @\$link->real_connect('127.0.0.1', 'user', 'password', null, $server->port, null, $flags) ? 'connected' : mysqli_connect_error();";
    ob_start();
    child($code, $settings);
    $outcome = preg_replace('/\s*exit code 0\s*$/', '', str_replace($certificates->folder, 'FOLDER', ob_get_clean()));
    echo "$label: $outcome\n";
    $server->outcome();
}

$certificates->make('root', null, '/CN=Root', LIST_CA);
$certificates->make('other', null, '/CN=Other', LIST_CA);
$certificates->make('server', 'root', '/CN=x', HERE);
$certificates->make('elsewhere', 'root', '/CN=x', 'subjectAltName=IP:127.0.0.2');
$certificates->make('expired', 'root', '/CN=x', HERE, dates: ['20200101000000Z', '20210101000000Z']);
$certificates->make('own', null, '/CN=x', HERE);
$known = [null, null, './root.pem', null, null];
tells('good', 'server.pem', $known);
tells('another host', 'elsewhere.pem', $known);
tells('expired', 'expired.pem', $known);
tells('self-signed', 'own.pem', $known);
tells('no such file', 'server.pem', [null, null, './nothing.pem', null, null]);
tells('no certificate', 'server.pem', [null, null, './root.key', null, null]);
tells('no such key', 'server.pem', ['./nothing', './root.pem', './root.pem', null, null]);
tells("another's key", 'server.pem', ['./other.key', './root.pem', './root.pem', null, null]);
tells('no cipher', 'server.pem', [null, null, null, null, 'nonsense']);

echo "-- settings\n";
tells('openssl.cafile', 'server.pem', [null, null, null, null, 'HIGH'], ['openssl.cafile' => $certificates->path('root.pem')]);
tells('another openssl.cafile', 'server.pem', [null, null, null, null, 'HIGH'], ['openssl.cafile' => $certificates->path('other.pem')]);
$certificates->openssl('rehash', '.');
tells('openssl.capath, a list', 'server.pem', [null, null, null, null, 'HIGH'], ['openssl.capath' => $certificates->path('nothing') . ":$certificates->folder"]);
tells('the script knows better', 'server.pem', $known, ['openssl.cafile' => $certificates->path('other.pem')]);
$allowed = getenv('VAQUITA_TESTS');
foreach (['a file' => [2, './root.pem'], 'a key' => [0, './client'], 'a list of directories' => [3, "$allowed::./hashed"], 'a list that begins' => [3, "./hashed:$allowed"]] as $name => [$position, $value]) {
    $tls = [null, null, null, null, null];
    $tls[$position] = $value;
    tells("open_basedir, $name", 'server.pem', $tls, ['open_basedir' => getenv('VAQUITA_TESTS') . PATH_SEPARATOR . ini_get('include_path') . PATH_SEPARATOR . sys_get_temp_dir() . '/vaquita0']);
}

echo "-- pipes and devices, which are not waited for\n";
exec('mkfifo ' . escapeshellarg($certificates->path('pipe')));
tells('a CA', 'server.pem', [null, null, './pipe', null, null]);
tells('a device', 'server.pem', [null, './root.pem', null, null, null], ['openssl.cafile' => '/dev/zero']);
tells('a certificate', 'server.pem', [null, './pipe', './root.pem', null, null]);
tells('a key', 'server.pem', ['./pipe', './root.pem', './root.pem', null, null]);
tells('a list', 'server.pem', $known, ['vaquita.tls_crl' => $certificates->path('pipe')]);
restore_error_handler();
$link = mysqli_init();
$link->options(MYSQLI_SERVER_PUBLIC_KEY, $certificates->path('pipe'));
ob_start();
$link->real_connect('127.0.0.1', 'user', 'password', null, 1);
echo strtok(str_replace($certificates->folder, 'FOLDER', ob_get_clean()), "\n"), "\n";
set_error_handler(fn() => true);

echo "-- revocation\n";
/** Makes a list NAME.crl of a CA's. */
function revoke(string $name, string $ca, array $revoked, string ...$options): void
{
    global $certificates;
    file_put_contents($certificates->path('index'), '');
    foreach ($revoked as $certificate) {
        $certificates->openssl('ca', '-config', 'openssl.cnf', '-cert', "$ca.pem", '-keyfile', "$ca.key", '-revoke', "$certificate.pem");
    }
    $certificates->openssl('ca', '-config', 'openssl.cnf', '-gencrl', '-cert', "$ca.pem", '-keyfile', "$ca.key", '-out', "$name.crl", ...($options ?: ['-crldays', '5']));
}
$certificates->make('inter', 'root', '/CN=Intermediate', LIST_CA);
$certificates->make('below', 'inter', '/CN=x', HERE);
$certificates->join('below.chain', 'below.pem', 'inter.pem');
$certificates->make('namesake', null, '/CN=Root', LIST_CA);
$certificates->make('nosign', null, '/CN=No lists', "basicConstraints=CA:TRUE\nkeyUsage=keyCertSign");
$certificates->make('nosignleaf', 'nosign', '/CN=x', HERE);
revoke('empty', 'root', []);
revoke('revoked', 'root', ['server']);
revoke('others', 'root', ['elsewhere', 'expired']);
revoke('old', 'root', [], '-crl_lastupdate', '20200101000000Z', '-crl_nextupdate', '20210101000000Z');
revoke('oldrevoked', 'root', ['server'], '-crl_lastupdate', '20200101000000Z', '-crl_nextupdate', '20210101000000Z');
revoke('early', 'root', [], '-crl_lastupdate', '20990101000000Z', '-crl_nextupdate', '21000101000000Z');
revoke('foreign', 'other', []);
revoke('forged', 'namesake', []);
revoke('nosign', 'nosign', []);
revoke('inter', 'inter', []);
revoke('interrevoked', 'root', ['inter']);
revoke('belowrevoked', 'inter', ['below']);
$certificates->join('both.crl', 'empty.crl', 'inter.crl');
$certificates->join('intergone.crl', 'interrevoked.crl', 'inter.crl');
$certificates->join('belowgone.crl', 'empty.crl', 'belowrevoked.crl');
file_put_contents($certificates->path('broken.crl'), "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n");
foreach (['empty', 'revoked', 'others', 'old', 'oldrevoked', 'early', 'foreign', 'forged', 'broken', 'nothing'] as $crl) {
    tells($crl, 'server.pem', $known, ['vaquita.tls_crl' => $certificates->path("$crl.crl")]);
}
tells('a CA that may not sign lists', 'nosignleaf.pem', [null, null, './nosign.pem', null, null], ['vaquita.tls_crl' => $certificates->path('nosign.crl')]);
foreach (['empty', 'both', 'intergone', 'belowgone'] as $crl) {
    tells("intermediate, $crl", 'below.chain', $known, ['vaquita.tls_crl' => $certificates->path("$crl.crl")]);
}
tells('not verified', 'server.pem', $known, ['vaquita.tls_crl' => $certificates->path('revoked.crl')], MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT);
unset($server);
?>
--EXPECT--
good: connected
another host: Cannot connect to MySQL using SSL: the server's certificate is for another host
expired: Cannot connect to MySQL using SSL: a certificate has expired
self-signed: Cannot connect to MySQL using SSL: the server's certificate is self-signed, and not among the known ones
no such file: failed loading cafile stream: `FOLDER/nothing.pem'; Cannot connect to MySQL using SSL
no certificate: no valid certs found cafile stream: `FOLDER/root.key'; Cannot connect to MySQL using SSL
no such key: Cannot connect to MySQL using SSL: the key of the client certificate FOLDER/nothing can't be used: No such file or directory
another's key: Cannot connect to MySQL using SSL: the key of the client certificate FOLDER/other.key can't be used: it is not the key of the certificate
no cipher: Cannot connect to MySQL using SSL: no cipher is possible by 'nonsense'; there are: TLS_AES_256_GCM_SHA384, TLS_AES_128_GCM_SHA256, TLS_CHACHA20_POLY1305_SHA256, ECDHE-ECDSA-AES256-GCM-SHA384, ECDHE-ECDSA-AES128-GCM-SHA256, ECDHE-ECDSA-CHACHA20-POLY1305, ECDHE-RSA-AES256-GCM-SHA384, ECDHE-RSA-AES128-GCM-SHA256, ECDHE-RSA-CHACHA20-POLY1305
-- settings
openssl.cafile: connected
another openssl.cafile: Cannot connect to MySQL using SSL: the server's certificate is not signed by a known CA
openssl.capath, a list: connected
the script knows better: connected
open_basedir, a file: Cannot connect to MySQL using SSL: FOLDER/root.pem can't be used: open_basedir restriction in effect
open_basedir, a key: Cannot connect to MySQL using SSL: FOLDER/client can't be used: open_basedir restriction in effect
open_basedir, a list of directories: Cannot connect to MySQL using SSL: FOLDER/hashed can't be used: open_basedir restriction in effect
open_basedir, a list that begins: Cannot connect to MySQL using SSL: FOLDER/hashed can't be used: open_basedir restriction in effect
-- pipes and devices, which are not waited for
a CA: failed loading cafile stream: `FOLDER/pipe'; Cannot connect to MySQL using SSL
a device: failed loading cafile stream: `/dev/zero'; Cannot connect to MySQL using SSL
a certificate: Cannot connect to MySQL using SSL: the client certificate FOLDER/pipe can't be used: it is no plain file
a key: Cannot connect to MySQL using SSL: the key of the client certificate FOLDER/pipe can't be used: it is no plain file
a list: Cannot connect to MySQL using SSL: the CRL file FOLDER/pipe can't be used: it is no plain file
  Warning: mysqli::real_connect(FOLDER/pipe): Failed to open stream: It is no plain file
-- revocation
empty: connected
revoked: Cannot connect to MySQL using SSL: a certificate was revoked
others: connected
old: Cannot connect to MySQL using SSL: the CRL of a certificate's issuer has expired
oldrevoked: Cannot connect to MySQL using SSL: the CRL of a certificate's issuer has expired
early: Cannot connect to MySQL using SSL: the CRL of a certificate's issuer is not valid yet
foreign: Cannot connect to MySQL using SSL: there is no CRL of a certificate's issuer
forged: Cannot connect to MySQL using SSL: the CRL of a certificate's issuer is not signed by it
broken: Cannot connect to MySQL using SSL: the CRL file FOLDER/broken.crl can't be used: there is no CRL in it, or a broken one
nothing: Cannot connect to MySQL using SSL: the CRL file FOLDER/nothing.crl can't be used: No such file or directory
a CA that may not sign lists: Cannot connect to MySQL using SSL: the CRL of a certificate's issuer is not signed by it
intermediate, empty: Cannot connect to MySQL using SSL: there is no CRL of a certificate's issuer
intermediate, both: connected
intermediate, intergone: Cannot connect to MySQL using SSL: a certificate was revoked
intermediate, belowgone: Cannot connect to MySQL using SSL: a certificate was revoked
not verified: connected
