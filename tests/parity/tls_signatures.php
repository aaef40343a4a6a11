<?php
// Certificates of every kind, as to time, keys, signatures and constraints: which are believed. The texts of refusals are ours alone, and tested elsewhere.
// servers: any
// transports: tcp
// seconds: 120
require 'support/prelude.php';
require 'support/certificates.php';

[$certificates, $server] = certificates_and_server();

$certificates->make('server', 'root', ME, SERVER);

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
foreach (['RSA:2048', 'RSA:3072', 'RSA:1024', 'RSA:1960', 'RSA:1992', 'RSA:2040', 'RSA:2047', 'EC:P-256', 'EC:P-384', 'EC:P-521', 'ED25519', 'RSA-PSS', 'ED448', 'EC:P-224', 'EC:secp256k1', 'EC:brainpoolP256r1'] as $kind) {
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

section('broken signatures');
$certificates->make('middle', 'inter', '/CN=Middle', CA);
$certificates->make('below', 'middle', ME, SERVER);
foreach (['below', 'middle', 'inter', 'root'] as $name) {
    $certificates->spoil($name, "spoilt-$name");
    $parts = array_map(fn(string $part) => ($part === $name ? 'spoilt-' : '') . "$part.pem", ['below', 'middle', 'inter']);
    $certificates->join("spoilt-chain-$name", ...$parts);
    connects("$name's", "spoilt-chain-$name", 'below', ca($name === 'root' ? 'spoilt-root.pem' : 'root.pem'));
    connects("$name's, not verified", "spoilt-chain-$name", 'below', null, MYSQLI_CLIENT_SSL);
}
foreach (['good, spoilt' => ['inter.pem', 'spoilt-inter.pem'], 'spoilt, good' => ['spoilt-inter.pem', 'inter.pem']] as $name => $inters) {
    $certificates->join("two-$name", 'below.pem', 'middle.pem', ...$inters);
    connects("$name, both shown", "two-$name", 'below', ca('root.pem'));
}
$certificates->join('shown-spoilt', 'below.pem', 'middle.pem', 'spoilt-inter.pem');
$certificates->join('root-inter.pem', 'root.pem', 'inter.pem');
$certificates->join('root-spoilt.pem', 'root.pem', 'spoilt-inter.pem');
$certificates->join('shown-good', 'below.pem', 'middle.pem', 'inter.pem');
connects('spoilt shown, good known', 'shown-spoilt', 'below', ca('root-inter.pem'));
connects('good shown, spoilt known', 'shown-good', 'below', ca('root-spoilt.pem'));

section('an expired CA and its successor');
copy($certificates->path('inter.key'), $certificates->path('oldinter.key'));
$certificates->make('oldinter', 'root', '/CN=Intermediate', CA, dates: $past);
copy($certificates->path('root.key'), $certificates->path('oldroot.key'));
$certificates->make('oldroot', null, '/O=Vaquita/CN=Test  Root', CA, dates: $past);
foreach (['expired' => ['oldinter.pem'], 'expired, valid' => ['oldinter.pem', 'inter.pem'], 'valid, expired' => ['inter.pem', 'oldinter.pem']] as $name => $inters) {
    $certificates->join("aged-$name", 'below.pem', 'middle.pem', ...$inters);
    connects("shown: $name", "aged-$name", 'below', ca('root.pem'));
    $certificates->join("roots-$name", 'root.pem', ...$inters);
    $certificates->join('shown-none', 'below.pem', 'middle.pem');
    connects("known: $name", 'shown-none', 'below', ca("roots-$name"));
}
foreach (['expired' => ['oldroot.pem'], 'expired, valid' => ['oldroot.pem', 'root.pem'], 'valid, expired' => ['root.pem', 'oldroot.pem']] as $name => $roots) {
    $certificates->join("rootsof-$name", ...$roots);
    connects("roots: $name", 'shown-good', 'below', ca("rootsof-$name"));
}

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

foreach (['permitted', 'excluded'] as $sort) {
    $file = "names$sort";
    $certificates->make($file, 'root', "/CN=$file", CA . "\nnameConstraints=$sort;DNS:0.1");
    foreach (['0x7f.0.1', '0x7f.0.2', '*.0.1', '2130706433', '*', '0x7f.0.1/CN=0x7f.0.2', '0x7f.0.2/CN=0x7f.0.1', '2130706433/CN=a b', '2130706433/CN=a..b', '2130706433/CN=-a.b'] as $number => $subject) {
        foreach (['' => 'basicConstraints=CA:FALSE', ', a URI' => 'subjectAltName=URI:http://a/', ', an address' => 'subjectAltName=IP:127.0.0.2'] as $label => $extensions) {
            $leaf = "$file$number" . md5($label);
            $certificates->make($leaf, $file, "/CN=$subject", $extensions);
            $certificates->join("chain$leaf", "$leaf.pem", "$file.pem");
            connects("$sort;DNS:0.1, $subject$label", "chain$leaf", $leaf, ca('root.pem'), host: strtok($subject, '/') === '2130706433' || $subject === '*' ? '2130706433' : '0x7f.0.1');
        }
    }
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
foreach (['DEFAULT', 'HIGH', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384:nonsense', 'AES128-SHA', 'DHE-RSA-AES256-SHA:AES128-SHA', 'HIGH:!aNULL:!MD5', 'nonsense', 'ALL:!ECDHE', '-ALL', '!ALL', '+ALL', '!aNULL', 'HIGH:-ALL', '-ALL:HIGH', '!ALL:HIGH', '@SECLEVEL=1', 'HIGH:nonsense'] as $ciphers) {
    connects($ciphers, 'server.pem', 'server', ca('root.pem', ciphers: $ciphers));
}
unset($server);
