<?php
// Certificates of every kind: which are believed. The texts of refusals are ours alone, and tested elsewhere.
// servers: any
// transports: tcp
// seconds: 120
require 'support/prelude.php';
require 'support/certificates.php';

[$certificates, $server] = certificates_and_server();

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
$pem = file_get_contents($certificates->path('root.pem'));
foreach ([
    'a byte order mark' => "\xEF\xBB\xBF$pem",
    'X509 CERTIFICATE' => preg_replace('/(BEGIN|END) /', '$1 X509 ', $pem),
    'blanks at the ends of lines' => str_replace("\n", " \t\r\n", $pem),
    'tabs at the ends of lines' => str_replace("\n", "\t\n", $pem),
    'blanks before lines' => preg_replace('/^/m', ' ', $pem),
] as $name => $text) {
    file_put_contents($certificates->path('written.pem'), $text);
    connects($name, 'server.pem', 'server', ca('written.pem'));
}
$certificates->make('under', 'inter', ME, SERVER);
$certificates->join('under-inter', 'under.pem', 'inter.pem');
foreach ([[], ['-addtrust', 'serverAuth'], ['-addtrust', 'clientAuth'], ['-addtrust', 'anyExtendedKeyUsage'], ['-addreject', 'serverAuth'], ['-addreject', 'clientAuth'], ['-addreject', 'anyExtendedKeyUsage'],
    ['-addtrust', 'serverAuth', '-addreject', 'serverAuth'], ['-setalias', 'a name']] as $settings) {
    foreach (['root' => ['server.pem', 'server'], 'inter' => ['under-inter', 'under']] as $ca => $shown) {
        $certificates->openssl('x509', '-in', "$ca.pem", '-trustout', ...[...$settings, '-out', 'trusted.pem']);
        connects("TRUSTED CERTIFICATE, $ca " . implode(' ', $settings), ...[...$shown, ca('trusted.pem')]);
    }
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
foreach (['unhashed:./hashed', 'hashed:./unhashed', 'nothing:./hashed', 'hashed:', ':./hashed', ':./nothing::./hashed:', 'nothing:./unhashed', 'hashed;./unhashed', 'hashed:./hashed'] as $directories) {
    connects("the directories $directories", 'server.pem', 'server', ca(null, $directories));
}
// The system's CAs, which OpenSSL's variables can replace.
foreach (['hashed', 'unhashed:./hashed', ':', 'unhashed', ''] as $directories) {
    foreach (['root.pem', 'other.pem', 'nothing.pem', ''] as $file) {
        putenv('SSL_CERT_DIR' . ($directories === '' ? '' : '=' . $certificates->placed("./$directories")));
        putenv('SSL_CERT_FILE' . ($file === '' ? '' : '=' . $certificates->path($file)));
        connects("SSL_CERT_DIR '$directories', SSL_CERT_FILE '$file'", 'server.pem', 'server', ca(null, null, 'HIGH'));
    }
}
putenv('SSL_CERT_DIR=' . $certificates->path('hashed'));
putenv('SSL_CERT_FILE=' . $certificates->path('root.pem'));
connects('the variables', 'server.pem', 'server', ca(null, null, 'HIGH'));
connects('the variables and a chosen directory', 'server.pem', 'server', ca(null, 'unhashed'));
connects('the variables and a list of no directory', 'server.pem', 'server', [null, null, null, ':', null]);
connects('the variables and a chosen file', 'server.pem', 'server', ca('other.pem'));
putenv('SSL_CERT_DIR');
putenv('SSL_CERT_FILE');

section('CAs of one name');
$certificates->make('namesake', null, '/O=Vaquita/CN=Test  Root', CA);
foreach (['root' => ['root'], 'namesake' => ['namesake'], 'both' => ['namesake', 'root'], 'turned' => ['root', 'namesake']] as $directory => $names) {
    mkdir($certificates->path("of-$directory"));
    foreach ($names as $number => $name) {
        $hash = trim(shell_exec('openssl x509 -noout -hash -in ' . escapeshellarg($certificates->path("$name.pem"))));
        copy($certificates->path("$name.pem"), $certificates->path("of-$directory/$hash.$number"));
    }
}
connects('a namesake in the directory, the CA in the file', 'server.pem', 'server', ca('root.pem', 'of-namesake'));
connects('a namesake in the file, the CA in the directory', 'server.pem', 'server', ca('namesake.pem', 'of-root'));
foreach (['of-both', 'of-turned', 'of-namesake:./of-root', 'of-root:./of-namesake'] as $directories) {
    connects("namesakes in $directories", 'server.pem', 'server', ca(null, $directories));
}

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
    'subjectKeyIdentifier=critical,DER:04020102', 'authorityKeyIdentifier=critical,DER:3000', 'proxyCertInfo=language:id-ppl-anyLanguage', '1.3.6.1.5.5.7.48.1.5=critical,DER:0500', 'issuerAltName=critical,URI:http://a/',
    'nameConstraints=DER:3000', '2.5.29.30=critical,DER:3000', '2.5.29.30=critical,DER:3002A000', '1.3.6.1.5.5.7.1.7=DER:0500', '1.3.6.1.5.5.7.1.8=DER:0500', '1.3.6.1.5.5.7.1.8=DER:3004A0020500',
] as $extension) {
    $file = 'use' . md5($extension);
    $certificates->make($file, 'root', ME, $extension);
    connects($extension, "$file.pem", $file, ca('root.pem'));
}
unset($server);
