<?php
/*
 * Certificates of every kind, made by the openssl program in a folder of their own, and a server of TLS that shows one of them at a time.
 */

/** A folder with certificates, removed at the end. */
final class Certificates
{
    public readonly string $folder;
    private int $serial = 1;

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/vaquita-tls-' . getmypid();
        mkdir($this->folder);
        file_put_contents("$this->folder/openssl.cnf", <<<'END'
            [ca]
            default_ca = signing
            [signing]
            database = index
            default_md = sha256
            policy = any
            email_in_dn = yes
            unique_subject = no
            rand_serial = yes
            [any]
            commonName = optional
            organizationName = optional
            [req]
            distinguished_name = name
            [name]
            END);
    }

    public function __destruct()
    {
        array_map(unlink(...), array_filter(glob("$this->folder/{,*/}*", GLOB_BRACE), fn(string $path) => is_link($path) || is_file($path)));
        array_map(rmdir(...), glob("$this->folder/*", GLOB_ONLYDIR));
        rmdir($this->folder);
    }

    public function path(string $name): string
    {
        return "$this->folder/$name";
    }

    /** A value of ssl_set, where ./ stands for the folder, also behind a colon. */
    public function placed(?string $value): ?string
    {
        return $value === null ? null : preg_replace('#(^|:)\./#', "$1$this->folder/", $value);
    }

    /** Runs openssl in the folder; what it says is shown if it fails. */
    public function openssl(string ...$arguments): void
    {
        $command = implode(' ', array_map(escapeshellarg(...), ['openssl', ...$arguments]));
        exec('cd ' . escapeshellarg($this->folder) . " && OPENSSL_CONF=openssl.cnf $command 2>&1 </dev/null", $output, $code);
        if ($code !== 0) {
            throw new Exception("$command: " . implode("\n", $output));
        }
    }

    /** Where a key is kept for who runs this script next on these servers, stock or ours: large ones take long to make. */
    private function kept(string $key): ?string
    {
        $run = getenv('VAQUITA_RUN');
        return $run === false ? null : "$run/key-" . md5($_SERVER['SCRIPT_FILENAME'] . " $key");
    }

    /** Makes the key of a name, once. */
    public function key(string $name, string $kind = 'EC:P-256'): void
    {
        if (!is_file($this->path("$name.key"))) {
            [$algorithm, $option] = explode(':', "$kind:");
            if ($kind === 'EC:P-256') {
                // Most keys are so, and a process takes longer.
                openssl_pkey_export_to_file(openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']), $this->path("$name.key"));
                return;
            }
            $options = match ($algorithm) {
                'EC' => ['-pkeyopt', "ec_paramgen_curve:$option", '-pkeyopt', 'ec_param_enc:named_curve'],
                'RSA' => ['-pkeyopt', "rsa_keygen_bits:$option"],
                default => [],
            };
            $kept = $this->kept("$name $kind");
            if ($kept !== null && is_file($kept)) {
                copy($kept, $this->path("$name.key"));
                return;
            }
            $this->openssl('genpkey', '-quiet', '-algorithm', $algorithm, ...$options, ...['-out', "$name.key"]);
            if ($kept !== null) {
                copy($this->path("$name.key"), "$kept." . getmypid());
                rename("$kept." . getmypid(), $kept);
            }
        }
    }

    /**
     * Makes a certificate NAME.pem; its chain is what its issuer's is, behind it.
     *
     * @param ?string $issuer null: itself
     * @param ?string $extensions null: version 1
     * @param list<string> $more options of openssl x509
     */
    public function make(string $name, ?string $issuer, string $subject, ?string $extensions, string $kind = 'EC:P-256', array $more = [], ?array $dates = null): void
    {
        $this->key($name, $kind);
        if ($kind === 'EC:P-256' && preg_match('#^/CN=([^/]+)$#', $subject, $match)) {
            // Most names are so, and a process takes longer.
            $key = openssl_pkey_get_private(file_get_contents($this->path("$name.key")));
            $csr = openssl_csr_new(['commonName' => $match[1]], $key, ['config' => $this->path('openssl.cnf'), 'digest_alg' => 'sha256']);
            openssl_csr_export_to_file($csr, $this->path("$name.csr"));
        } else {
            $this->openssl('req', '-new', '-utf8', '-config', 'openssl.cnf', '-key', "$name.key", '-subj', $subject, '-out', "$name.csr");
        }
        $signing = ['-in', "$name.csr", '-out', "$name.pem"];
        if ($extensions !== null) {
            file_put_contents($this->path("$name.ext"), $extensions);
            array_push($signing, '-extfile', "$name.ext");
        }
        if ($dates !== null) {
            touch($this->path('index'));
            $this->openssl('ca', '-config', 'openssl.cnf', '-batch', '-notext', '-outdir', '.', '-startdate', $dates[0], '-enddate', $dates[1], '-keyfile', ($issuer ?? $name) . '.key',
                ...($issuer === null ? ['-selfsign'] : ['-cert', "$issuer.pem"]), ...$signing, ...$more);
        } else {
            $signer = $issuer === null ? ['-signkey', "$name.key"] : ['-CA', "$issuer.pem", '-CAkey', "$issuer.key", '-set_serial', (string) $this->serial++];
            $this->openssl('x509', '-req', '-days', '30', ...$signing, ...$signer, ...$more);
        }
    }

    /** Spoils the signature of a certificate, whose last byte is its. */
    public function spoil(string $from, string $to): void
    {
        $der = base64_decode(preg_replace('/-----.*-----/', '', file_get_contents($this->path("$from.pem"))));
        $der[-1] = chr(ord($der[-1]) ^ 1);
        file_put_contents($this->path("$to.pem"), "-----BEGIN CERTIFICATE-----\n" . chunk_split(base64_encode($der), 64, "\n") . "-----END CERTIFICATE-----\n");
    }

    /** Puts files behind each other. */
    public function join(string $name, string ...$parts): void
    {
        file_put_contents($this->path($name), implode('', array_map(fn(string $part) => file_get_contents($this->path($part)), $parts)));
    }
}

/** A server that lets everybody in, by TLS with the certificate that it is told to show. */
final class TlsServer
{
    public readonly int $port;
    private $process;
    private array $pipes = [];

    public function __construct()
    {
        $settings = ['include_path' => get_include_path(), 'display_errors' => 'stderr'];
        $command = [PHP_BINARY];
        foreach ($settings as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        $this->process = proc_open([...$command, __DIR__ . '/tls_server.php'], [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $this->pipes);
        $this->port = (int) fgets($this->pipes[1]);
    }

    public function __destruct()
    {
        fclose($this->pipes[0]);
        proc_close($this->process);
    }

    /** What the next client is shown: a chain, its key, and with $ca also asked for a certificate. */
    public function show(string $chain, string $key, string $ca = ''): void
    {
        is_file($chain) && is_file($key) || throw new Exception("there is no $chain or $key");
        fwrite($this->pipes[0], "$chain\t$key\t$ca\n");
        fgets($this->pipes[1]);
    }

    /** The next client is not offered TLS. */
    public function show_none(): void
    {
        fwrite($this->pipes[0], "\t\t\n");
        fgets($this->pipes[1]);
    }

    /** What came of it, once the client has done what it would: with the subject of its certificate, if any. */
    public function outcome(): string
    {
        fwrite($this->pipes[0], "done\n");
        return trim(fgets($this->pipes[1]));
    }
}

const CA = "basicConstraints=critical,CA:TRUE\nsubjectKeyIdentifier=hash";
const SERVER = "basicConstraints=CA:FALSE\nsubjectAltName=IP:127.0.0.1";
const ME = '/CN=127.0.0.1';

/**
 * What each table of certificates begins with: failures are no exceptions and warn of nothing (stock would, with OpenSSL's words); and there are
 * the CAs `root` and `other`, and `inter` under the first.
 *
 * @return array{Certificates, TlsServer}
 */
function certificates_and_server(): array
{
    mysqli_report(MYSQLI_REPORT_OFF);
    set_error_handler(fn() => true);
    $certificates = new Certificates;
    $certificates->make('root', null, '/O=Vaquita/CN=Test  Root', CA);
    $certificates->make('other', null, '/CN=Other Root', CA);
    $certificates->make('inter', 'root', '/CN=Intermediate', CA);
    return [$certificates, new TlsServer];
}

/** Connects to a server that shows a chain of certificates. */
function connects(string $label, string $chain, string $key, ?array $tls, int $flags = 0, string $host = '127.0.0.1', string $ca = ''): void
{
    global $certificates, $server;
    $server->show($certificates->path($chain), $certificates->path("$key.key"), $ca === '' ? '' : $certificates->path($ca));
    $link = mysqli_init();
    if ($tls !== null) {
        $link->ssl_set(...array_map($certificates->placed(...), $tls));
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
