<?php
// Certificates of every kind: which are believed. The texts of refusals are ours alone, and tested elsewhere.
// servers: mariadb
// transports: tcp
require 'support/prelude.php';
require 'support/certificates.php';

mysqli_report(MYSQLI_REPORT_OFF);
set_error_handler(fn() => true); // stock warns with OpenSSL's words
$certificates = new Certificates;
$server = new TlsServer;

/** Connects to a server that shows a chain of certificates. */
function connects(string $label, string $chain, string $key, ?array $tls, int $flags = 0, string $host = '127.0.0.1', string $ca = ''): void
{
    global $certificates, $server;
    $server->show($certificates->path($chain), $certificates->path("$key.key"), $ca === '' ? '' : $certificates->path($ca));
    $link = mysqli_init();
    if ($tls !== null) {
        $link->ssl_set(...array_map(fn(?string $value) => str_starts_with((string) $value, './') ? $certificates->path(substr($value, 2)) : $value, $tls));
    }
    $connected = $link->real_connect($host, 'user', 'password', null, $server->port, null, $flags);
    echo "$label: ", $connected ? 'connected' : mysqli_connect_errno() . ' ' . preg_replace('/^(Cannot connect to MySQL using SSL).*/s', '$1', mysqli_connect_error());
    unset($link); // stock closes the connection only now
    $outcome = $server->outcome();
    echo $ca !== '' && $connected ? ", $outcome" : '', "\n";
}

/** @return list<?string> the arguments of ssl_set */
function ca(?string $file, ?string $directory = null, ?string $ciphers = null): array
{
    return [null, null, $file === null ? null : "./$file", $directory === null ? null : "./$directory", $ciphers];
}

const CA = "basicConstraints=critical,CA:TRUE\nsubjectKeyIdentifier=hash";
const SERVER = "basicConstraints=CA:FALSE\nsubjectAltName=IP:127.0.0.1";
const ME = '/CN=127.0.0.1';

$certificates->make('root', null, '/O=Vaquita/CN=Test  Root', CA);
$certificates->make('other', null, '/CN=Other Root', CA);
$certificates->make('inter', 'root', '/CN=Intermediate', CA);

section('names');
foreach ([
    'version 1' => [ME, null],
    'version 1, another name' => ['/CN=127.0.0.2', null],
    'version 3, common name' => [ME, 'basicConstraints=CA:FALSE'],
    'SAN with the address' => ['/CN=x', 'subjectAltName=IP:127.0.0.1'],
    'SAN with the address as DNS' => ['/CN=x', 'subjectAltName=DNS:127.0.0.1'],
    'SAN of others, common name' => [ME, 'subjectAltName=DNS:db.example.org,IP:127.0.0.2'],
    'SAN of a mail address, common name' => [ME, 'subjectAltName=email:a@b.c'],
    'SAN of another address, common name' => [ME, 'subjectAltName=IP:127.0.0.2'],
    'SAN of a URI, common name' => [ME, 'subjectAltName=URI:http://a/'],
    'SAN of another name, common name' => [ME, 'subjectAltName=DNS:db.example.org'],
    'SAN of others only' => ['/CN=x', 'subjectAltName=DNS:db.example.org,IP:127.0.0.2'],
    'SAN among others' => ['/CN=x', 'subjectAltName=DNS:db.example.org,email:a@b.c,URI:http://a/,IP:::1,IP:127.0.0.1'],
    'no common name' => ['/O=x', null],
    'no subject' => ['/', 'subjectAltName=critical,IP:127.0.0.1'],
    'two common names, the first' => ['/CN=127.0.0.1/CN=x', null],
    'two common names, the second' => ['/CN=x/CN=127.0.0.1', null],
    'a prefix of the name' => ['/CN=127.0.0', null],
] as $name => [$subject, $extensions]) {
    $file = 'name' . md5($name);
    $certificates->make($file, 'root', $subject, $extensions);
    connects($name, "$file.pem", $file, ca('root.pem'));
    connects("$name, not verified", "$file.pem", $file, ca('root.pem'), MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT);
}

section('the modes of verification');
$certificates->make('server', 'root', ME, SERVER);
foreach (['nothing asked' => 0, 'SSL' => MYSQLI_CLIENT_SSL, 'SSL, verify' => MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT, 'SSL, do not' => MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT,
    'SSL, both' => MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT] as $name => $flags) {
    if ($flags !== 0) {
        connects("$name, no CA", 'server.pem', 'server', null, $flags);
    }
    connects("$name, the CA", 'server.pem', 'server', ca('root.pem'), $flags);
    connects("$name, another CA", 'server.pem', 'server', ca('other.pem'), $flags);
    connects("$name, no such CA", 'server.pem', 'server', ca('nothing.pem'), $flags);
    connects("$name, a cipher", 'server.pem', 'server', ca(null, null, 'HIGH'), $flags);
}
$link = mysqli_init();
show($link->options(MYSQLI_OPT_SSL_VERIFY_SERVER_CERT, true), $link->options(MYSQLI_OPT_SSL_VERIFY_SERVER_CERT, 0));

section('where CAs come from');
$certificates->join('both.pem', 'other.pem', 'root.pem');
file_put_contents($certificates->path('talk.pem'), "Our CA is:\n\n" . file_get_contents($certificates->path('root.pem')) . "\nThat was it.\n");
$certificates->openssl('x509', '-in', 'root.pem', '-outform', 'DER', '-out', 'root.der');
file_put_contents($certificates->path('empty.pem'), '');
foreach (['both.pem', 'talk.pem', 'root.der', 'empty.pem', 'server.pem', 'root.key'] as $file) {
    connects($file, 'server.pem', 'server', ca($file));
}
mkdir($certificates->path('hashed'));
copy($certificates->path('other.pem'), $certificates->path('hashed/0.pem'));
copy($certificates->path('root.pem'), $certificates->path('hashed/1.pem'));
$certificates->openssl('rehash', 'hashed');
mkdir($certificates->path('unhashed'));
copy($certificates->path('root.pem'), $certificates->path('unhashed/root.pem'));
connects('a hashed directory', 'server.pem', 'server', ca(null, 'hashed'));
connects('one without hashes', 'server.pem', 'server', ca(null, 'unhashed'));
connects('no such directory', 'server.pem', 'server', ca(null, 'nothing'));
connects('a directory and a file without', 'server.pem', 'server', ca('other.pem', 'hashed'));
connects('a directory without, and a file', 'server.pem', 'server', ca('root.pem', 'unhashed'));

section('self-signed');
$certificates->make('own', null, ME, SERVER);
$certificates->make('own1', null, ME, null);
$certificates->make('ownca', null, ME, CA . "\nsubjectAltName=IP:127.0.0.1");
foreach (['own', 'own1', 'ownca'] as $name) {
    connects("$name, known", "$name.pem", $name, ca("$name.pem"));
    connects("$name, not known", "$name.pem", $name, ca('root.pem'));
    connects("$name, not verified", "$name.pem", $name, null, MYSQLI_CLIENT_SSL);
}
connects('a certificate of a CA, known, that is not self-signed', 'server.pem', 'server', ca('server.pem'));

section('chains');
$certificates->make('below', 'inter', ME, SERVER);
$certificates->join('below-inter', 'below.pem', 'inter.pem');
$certificates->join('below-inter-root', 'below.pem', 'inter.pem', 'root.pem');
$certificates->join('below-noise', 'below.pem', 'other.pem', 'server.pem', 'inter.pem', 'own.pem');
$certificates->join('root-inter', 'root.pem', 'inter.pem');
connects('with the intermediate', 'below-inter', 'below', ca('root.pem'));
connects('with the root too', 'below-inter-root', 'below', ca('root.pem'));
connects('with others in between', 'below-noise', 'below', ca('root.pem'));
connects('without the intermediate', 'below.pem', 'below', ca('root.pem'));
connects('the intermediate known', 'below.pem', 'below', ca('root-inter'));
connects('only the intermediate known', 'below.pem', 'below', ca('inter.pem'));
connects('only the intermediate known, and shown', 'below-inter', 'below', ca('inter.pem'));
connects('an unknown root, shown', 'below-inter-root', 'below', ca('other.pem'));

section('CAs that are none');
foreach ([
    'version 1' => null,
    'CA:FALSE' => 'basicConstraints=CA:FALSE',
    'no constraints' => 'subjectKeyIdentifier=hash',
    'no keyCertSign' => CA . "\nkeyUsage=digitalSignature,cRLSign",
    'keyCertSign' => CA . "\nkeyUsage=keyCertSign",
    'keyCertSign, no constraints' => 'keyUsage=keyCertSign',
    'for clients' => CA . "\nextendedKeyUsage=clientAuth",
    'for servers' => CA . "\nextendedKeyUsage=serverAuth",
    'Netscape CA' => 'nsCertType=sslCA',
    'Netscape server' => 'nsCertType=server',
    'pathlen:0' => 'basicConstraints=CA:TRUE,pathlen:0',
] as $name => $extensions) {
    $file = 'ca' . md5($name);
    $certificates->make($file, 'root', "/CN=$name", $extensions);
    $certificates->make("leaf$file", $file, ME, SERVER);
    $certificates->join("chain$file", "leaf$file.pem", "$file.pem");
    connects("$name, intermediate", "chain$file", "leaf$file", ca('root.pem'));
    $certificates->make("root$file", null, "/CN=$name root", $extensions);
    $certificates->make("rootleaf$file", "root$file", ME, SERVER);
    connects("$name, root", "rootleaf$file.pem", "rootleaf$file", ca("root$file.pem"));
}
$limited = 'ca' . md5('pathlen:0');
$certificates->make('toodeep', $limited, '/CN=Too deep', CA);
$certificates->make('deepleaf', 'toodeep', ME, SERVER);
$certificates->join('deepchain', 'deepleaf.pem', 'toodeep.pem', "$limited.pem");
connects('a CA below pathlen:0', 'deepchain', 'deepleaf', ca('root.pem'));
$certificates->make('same1', $limited, '/CN=pathlen:0', CA);
$certificates->make('sameleaf', 'same1', ME, SERVER);
$certificates->join('samechain', 'sameleaf.pem', 'same1.pem', "$limited.pem");
connects('a CA of the same name below pathlen:0', 'samechain', 'sameleaf', ca('root.pem'));

section('what a certificate is for');
foreach ([
    'extendedKeyUsage=serverAuth', 'extendedKeyUsage=clientAuth', 'extendedKeyUsage=clientAuth,serverAuth', 'extendedKeyUsage=anyExtendedKeyUsage', 'extendedKeyUsage=critical,codeSigning', 'extendedKeyUsage=nsSGC',
    'extendedKeyUsage=msSGC', 'keyUsage=digitalSignature', 'keyUsage=critical,keyEncipherment,digitalSignature', 'keyUsage=digitalSignature,keyCertSign', 'keyUsage=nonRepudiation', 'keyUsage=keyCertSign,cRLSign',
    'nsCertType=server', 'nsCertType=client', 'nsComment=hello', '1.2.3.4=DER:0500', '1.2.3.4=critical,DER:0500', 'certificatePolicies=1.2.3.4', 'crlDistributionPoints=URI:http://a/b', 'authorityInfoAccess=OCSP;URI:http://a/',
    'basicConstraints=DER:0500', 'keyUsage=DER:0500', 'subjectAltName=DER:0500', 'policyConstraints=requireExplicitPolicy:3', 'tlsfeature=status_request', 'proxyCertInfo=critical,language:id-ppl-anyLanguage',
] as $extension) {
    $file = 'use' . md5($extension);
    $certificates->make($file, 'root', ME, $extension);
    connects($extension, "$file.pem", $file, ca('root.pem'));
}

section('time');
$past = ['20200101000000Z', '20210101000000Z'];
$future = ['20990101000000Z', '21000101000000Z'];
$long = ['19700101000000Z', '99991231235959Z'];
foreach (['expired' => $past, 'not valid yet' => $future, 'valid for ever' => $long] as $name => $dates) {
    $file = 'time' . md5($name);
    $certificates->make($file, 'root', ME, SERVER, dates: $dates);
    connects("$name, the server's", "$file.pem", $file, ca('root.pem'));
    $certificates->make("ca$file", 'root', "/CN=$name", CA, dates: $dates);
    $certificates->make("leaf$file", "ca$file", ME, SERVER);
    $certificates->join("chain$file", "leaf$file.pem", "ca$file.pem");
    connects("$name, an intermediate", "chain$file", "leaf$file", ca('root.pem'));
    $certificates->make("root$file", null, "/CN=$name root", CA, dates: $dates);
    $certificates->make("rootleaf$file", "root$file", ME, SERVER);
    connects("$name, the root", "rootleaf$file.pem", "rootleaf$file", ca("root$file.pem"));
    connects("$name, not verified", "$file.pem", $file, null, MYSQLI_CLIENT_SSL);
}

section('keys and signatures');
foreach (['RSA:2048', 'RSA:3072', 'RSA:1024', 'EC:P-256', 'EC:P-384', 'EC:P-521', 'ED25519', 'RSA-PSS'] as $kind) {
    $file = 'key' . md5($kind);
    $certificates->make($file, 'root', ME, SERVER, $kind);
    connects("the server's key is $kind", "$file.pem", $file, ca('root.pem'));
    connects("the server's key is $kind, not verified", "$file.pem", $file, null, MYSQLI_CLIENT_SSL);
    $certificates->make("ca$file", null, "/CN=$kind", CA, $kind);
    $certificates->make("leaf$file", "ca$file", ME, SERVER, more: $kind === 'RSA-PSS' ? ['-sigopt', 'rsa_pss_saltlen:digest'] : []);
    connects("the CA's key is $kind", "leaf$file.pem", "leaf$file", ca("ca$file.pem"));
}
$rsa = 'cakey' . md5('RSA:2048');
foreach (['-sha1', '-md5', '-sha224', '-sha256', '-sha384', '-sha512'] as $digest) {
    $certificates->make("rsa$digest", $rsa, ME, SERVER, more: [$digest]);
    connects("RSA with $digest", "rsa$digest.pem", "rsa$digest", ca("$rsa.pem"));
    if ($digest !== '-md5') {
        $certificates->make("ec$digest", 'root', ME, SERVER, more: [$digest]);
        connects("ECDSA with $digest", "ec$digest.pem", "ec$digest", ca('root.pem'));
    }
}
foreach (['sha256', 'sha384', 'sha512'] as $digest) {
    $certificates->make("pss$digest", $rsa, ME, SERVER, more: ["-$digest", '-sigopt', 'rsa_padding_mode:pss', '-sigopt', 'rsa_pss_saltlen:digest']);
    connects("RSA-PSS with $digest", "pss$digest.pem", "pss$digest", ca("$rsa.pem"));
}
$certificates->make('weakroot', null, '/CN=Weakly signed', CA, 'RSA:2048', ['-sha1']);
$certificates->make('weakrootleaf', 'weakroot', ME, SERVER);
connects("a root that is signed with SHA-1", 'weakrootleaf.pem', 'weakrootleaf', ca('weakroot.pem'));
$short = 'key' . md5('RSA:1024');
connects('a short RSA key at level 1', "$short.pem", $short, ca('root.pem', ciphers: 'DEFAULT@SECLEVEL=1'));
connects('SHA-1 at level 1', 'rsa-sha1.pem', 'rsa-sha1', ca("$rsa.pem", ciphers: 'DEFAULT@SECLEVEL=1'));
connects('SHA-1 at level 0', 'rsa-sha1.pem', 'rsa-sha1', ca("$rsa.pem", ciphers: 'DEFAULT@SECLEVEL=0'));
connects('P-256 at level 3', 'server.pem', 'server', ca('root.pem', ciphers: 'DEFAULT@SECLEVEL=3'));
connects('P-256 at level 4', 'server.pem', 'server', ca('root.pem', ciphers: 'DEFAULT@SECLEVEL=4'));

section('issuers that are not');
$certificates->make('fake', null, '/O=Vaquita/CN=Test  Root', CA);
$certificates->make('faked', 'fake', ME, SERVER);
connects("another key under the root's name", 'faked.pem', 'faked', ca('root.pem'));
$certificates->make('faked2', 'fake', ME, SERVER . "\nauthorityKeyIdentifier=keyid");
connects('the same, and it says so', 'faked2.pem', 'faked2', ca('root.pem'));
$certificates->join('roots', 'fake.pem', 'root.pem');
connects('both are known, the wrong one first', 'server.pem', 'server', ca('roots'));
$certificates->make('keyid', 'root', ME, SERVER . "\nauthorityKeyIdentifier=keyid,issuer:always");
connects('with the key id, issuer and serial of the root', 'keyid.pem', 'keyid', ca('root.pem'));
copy($certificates->path('root.key'), $certificates->path('respelt.key'));
$certificates->make('respelt', null, '/O=VAQUITA/CN=test root ', CA, more: []);
connects("the root's name in other letters", 'server.pem', 'server', ca('respelt.pem'));

section('name constraints');
foreach (['permitted;IP:127.0.0.0/255.0.0.0', 'permitted;IP:10.0.0.0/255.0.0.0', 'excluded;IP:127.0.0.1/255.255.255.255', 'excluded;IP:10.0.0.0/255.0.0.0', 'permitted;DNS:example.org', 'excluded;DNS:example.org',
    'permitted;email:example.org'] as $constraint) {
    $file = 'con' . md5($constraint);
    $certificates->make($file, 'root', "/CN=$file", CA . "\nnameConstraints=$constraint");
    foreach (['' => 'subjectAltName=IP:127.0.0.1', 'DNS inside' => 'subjectAltName=IP:127.0.0.1,DNS:db.example.org', 'DNS outside' => 'subjectAltName=IP:127.0.0.1,DNS:db.example.com'] as $label => $extensions) {
        $leaf = "leaf$file" . md5($label);
        $certificates->make($leaf, $file, ME, $extensions);
        $certificates->join("chain$leaf", "$leaf.pem", "$file.pem");
        connects("$constraint, $label", "chain$leaf", $leaf, ca('root.pem'));
    }
    $leaf = "cn$file";
    $certificates->make($leaf, $file, '/CN=127.0.0.1/CN=x', 'basicConstraints=CA:FALSE');
    $certificates->join("chain$leaf", "$leaf.pem", "$file.pem");
    connects("$constraint, common name", "chain$leaf", $leaf, ca('root.pem'));
}

section('long chains');
$issuer = 'root';
$chain = [];
foreach (range(1, 10) as $depth) {
    $certificates->make("deep$depth", $issuer, "/CN=Depth $depth", CA);
    array_unshift($chain, "deep$depth.pem");
    $issuer = "deep$depth";
    if ($depth >= 7) {
        $certificates->make("end$depth", $issuer, ME, SERVER);
        $certificates->join("endchain$depth", "end$depth.pem", ...$chain);
        connects("$depth CAs below the root", "endchain$depth", "end$depth", ca('root.pem'));
    }
}

section("the client's certificate");
$certificates->make('client', 'root', '/CN=Client', 'extendedKeyUsage=clientAuth', 'RSA:2048');
$certificates->make('client1', 'root', '/CN=Client one', null, 'EC:P-256');
$certificates->join('client-both.pem', 'client.pem', 'client.key');
$certificates->openssl('rsa', '-in', 'client.key', '-traditional', '-out', 'client-pkcs1.key');
$certificates->openssl('ec', '-in', 'client1.key', '-out', 'client1-sec1.key');
$certificates->openssl('rsa', '-in', 'client.key', '-aes128', '-passout', 'pass:secret', '-out', 'client-encrypted.key');
$certificates->make('client-below', 'inter', '/CN=Client below', 'extendedKeyUsage=clientAuth');
$certificates->join('client-below-chain.pem', 'client-below.pem', 'inter.pem');
foreach ([
    'PKCS#8' => ['./client.key', './client.pem'],
    'PKCS#1' => ['./client-pkcs1.key', './client.pem'],
    'SEC1, version 1' => ['./client1-sec1.key', './client1.pem'],
    'one file' => [null, './client-both.pem'],
    'a chain' => ['./client-below.key', './client-below-chain.pem'],
    'no chain' => ['./client-below.key', './client-below.pem'],
    'no key' => [null, './client.pem'],
    "another's key" => ['./client1.key', './client.pem'],
    'no such key' => ['./nothing', './client.pem'],
    'no such certificate' => ['./client.key', './nothing'],
    'only a key' => ['./client.key', null],
    'none' => [null, null],
] as $name => [$key, $certificate]) {
    connects($name, 'server.pem', 'server', [$key, $certificate, './root.pem', null, null], ca: 'root.pem');
}

section('ciphers');
foreach (['DEFAULT', 'HIGH', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384:nonsense', 'AES128-SHA', 'DHE-RSA-AES256-SHA:AES128-SHA', 'HIGH:!aNULL:!MD5', 'nonsense', 'ALL:!ECDHE'] as $ciphers) {
    connects($ciphers, 'server.pem', 'server', ca('root.pem', ciphers: $ciphers));
}
unset($server);
