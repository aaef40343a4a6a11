<?php
/*
 * What all tests share: a name, a place to run at, a verdict; and how a script is run there.
 */

declare(strict_types=1);

/** How a test went. */
final class Verdict
{
    private function __construct(
        public readonly int $passed,
        public readonly int $failed,
        public readonly int $skipped,
        public readonly string $text,
        public readonly string $output,
    ) {
    }

    public static function pass(string $output): Verdict
    {
        return new Verdict(1, 0, 0, '', $output);
    }

    public static function fail(string $text, string $output = ''): Verdict
    {
        return new Verdict(0, 1, 0, $text, $output);
    }

    public static function skip(string $reason): Verdict
    {
        return new Verdict(0, 0, 1, $reason, '');
    }

    public static function of_program(int $passed, int $failed, int $skipped, string $text, string $output): Verdict
    {
        return new Verdict($passed, $failed, $skipped, $text, $output);
    }
}

abstract class Test
{
    public function __construct(public readonly string $name)
    {
    }

    /** Which summary line it is counted in. */
    public function part(): string
    {
        return strtok($this->name, '/');
    }

    /** Why it cannot run here; null if it can. */
    public function skipped(): ?string
    {
        return null;
    }

    /** @return Generator<int, Command, Finished, Verdict> */
    abstract public function run(): Generator;
}

/** A server and the way to reach it. */
final class Place
{
    /** The usual servers, each with others of its kind: what runs there runs on these too, where they are in the environment. */
    private const SERVERS = ['mariadb' => ['mariadb118'], 'mysql80' => ['mysql56', 'mysql97']];
    private const SERVERS_WITH_ZSTD = ['mysql80', 'mysql97'];
    /** No TLS 1.2. */
    private const SERVERS_WITHOUT_TLS = ['mysql56'];

    public function __construct(public readonly string $server, public readonly string $transport)
    {
    }

    /**
     * @return list<Place> where the script says it runs: over a unix socket to MariaDB if it says nothing; nowhere if it is only for
     *   servers of `make test-matrix` and these are not there. `any` server: it talks to one of its own, so one is as good as all.
     */
    public static function all_of(string $source): array
    {
        $wanted = array_map(fn(string $place) => explode('-', $place, 2), header_words($source, 'places'));
        [$servers, $transports] = [header_words($source, 'servers'), header_words($source, 'transports')];
        $has_own = $servers === ['any'];
        if ($wanted === [] || $servers !== [] || $transports !== []) {
            foreach ($servers === [] || $has_own ? ['mariadb'] : $servers as $named) {
                foreach ($transports ?: ['unix'] as $transport) {
                    $wanted[] = [$named, $transport];
                }
            }
        }
        $places = [];
        foreach ($wanted as [$named, $transport]) {
            $is_usual = isset(self::SERVERS[$named]);
            $is_usual || in_array($named, array_merge(...array_values(self::SERVERS)), true) || throw new Exception("no server is called $named");
            $runs_anyhow = fn(array $other): bool => $other[1] === $transport && in_array($named, self::SERVERS[$other[0]] ?? [], true);
            array_filter($wanted, $runs_anyhow) === [] || throw new Exception("$named runs what the usual servers run");
            $lack = (new Place($named, $transport))->lack();
            $lack === null || throw new Exception("nothing can run at $named-$transport: $lack");
            $usual = $is_usual ? [$named] : [];
            $others = match (true) {
                $has_own => [],
                $is_usual => self::SERVERS[$named],
                default => [$named],
            };
            foreach ([...$usual, ...array_filter($others, self::is_there(...))] as $server) {
                $places[] = new Place($server, $transport);
            }
        }
        return $places;
    }

    /** What the server lacks of what the transport takes. */
    private function lack(): ?string
    {
        $has = match ($this->transport) {
            'zstd' => in_array($this->server, self::SERVERS_WITH_ZSTD, true),
            'tls', 'tls-zlib' => !in_array($this->server, self::SERVERS_WITHOUT_TLS, true),
            default => true,
        };
        return $has ? null : "$this->server has no " . ($this->transport === 'zstd' ? 'zstd' : 'TLS 1.2');
    }

    private static function is_there(string $server): bool
    {
        return getenv('VAQUITA_' . strtoupper($server) . '_PORT') !== false;
    }

    public function __toString(): string
    {
        return "$this->server-$this->transport";
    }

    /** @return array<string, string> the settings that the transport needs; stock, which has no zstd, takes zlib */
    public function ini(): array
    {
        return in_array($this->transport, ['zlib', 'zstd'], true) ? ['vaquita.compression' => $this->transport] : [];
    }

    public function missing(): ?string
    {
        return self::is_there($this->server) ? $this->lack() : "no server $this->server in the environment";
    }

    private function variable(string $name): string
    {
        return getenv('VAQUITA_' . strtoupper($this->server) . "_$name");
    }

    /** @return array<string, string> what tests/support/prelude.php reads */
    public function environment(string $database): array
    {
        $environment = ['VAQUITA_SERVER_NAME' => $this->server, 'VAQUITA_SERVER_TRANSPORT' => $this->transport, 'VAQUITA_SERVER_DATABASE' => $database];
        foreach (['HOST', 'PORT', 'SOCKET', 'USER', 'PASSWORD'] as $name) {
            $environment["VAQUITA_SERVER_$name"] = $this->variable($name);
        }
        return $environment;
    }

    /** Makes the database empty. */
    public function clean(string $database): void
    {
        $link = new mysqli('localhost', $this->variable('USER'), $this->variable('PASSWORD'), '', 0, $this->variable('SOCKET'));
        $link->query("DROP DATABASE IF EXISTS `$database`");
        $link->query("CREATE DATABASE `$database` CHARACTER SET utf8mb4");
        $link->close();
    }

    /** Takes out of an output what is different from machine to machine. */
    public function mask(string $output, string $database): string
    {
        return strtr($output, [
            $database => 'DATABASE',
            $this->variable('SOCKET') => 'SOCKET',
            $this->variable('PASSWORD') => 'PASSWORD',
            ':' . $this->variable('PORT') => ':PORT',
            realpath(TESTS) => 'TESTS',
        ]);
    }
}

/** @return list<string> the words of a line `// KEY: WORD...`, of all such lines */
function header_words(string $source, string $key): array
{
    preg_match_all("#^// $key: (.*)$#m", $source, $lines);
    return $lines[1] === [] ? [] : preg_split('/\s+/', trim(implode(' ', $lines[1])));
}

/** A test that is one script at one place. */
abstract class Script extends Test
{
    protected readonly string $source;
    protected readonly string $database;

    public function __construct(protected readonly string $path, protected readonly Place $place)
    {
        parent::__construct(basename(dirname($path)) . '/' . pathinfo($path, PATHINFO_FILENAME) . "@$place");
        $this->source = file_get_contents($path);
        $this->database = 'vq_' . preg_replace('/\W/', '_', strstr($this->name, '/') . '');
    }

    public function skipped(): ?string
    {
        return preg_match("#^// without {$this->place->server}: (.*)$#m", $this->source, $match) ? $match[1] : $this->place->missing();
    }

    /**
     * Runs the file with a fresh database.
     *
     * @param array<string, string> $ini
     */
    protected function command(string $php, string $file, array $ini = []): Command
    {
        $this->place->clean($this->database);
        $ini += $this->place->ini();
        foreach (header_words($this->source, 'ini') as $setting) {
            [$name, $value] = explode('=', $setting, 2);
            $ini[$name] = $value;
        }
        $ini += ['display_errors' => '1', 'log_errors' => '0', 'error_reporting' => '-1', 'html_errors' => '0', 'include_path' => realpath(TESTS),
            'zend.exception_ignore_args' => '1', 'memory_limit' => '256M', 'date.timezone' => 'UTC'];
        $words = explode(' ', $php);
        foreach ($ini as $name => $value) {
            array_push($words, '-d', "$name=" . strtr($value, ['%SOCKET%' => $this->environment()['VAQUITA_SERVER_SOCKET'], '%PORT%' => $this->environment()['VAQUITA_SERVER_PORT']]));
        }
        $seconds = (float) (header_words($this->source, 'seconds')[0] ?? 60) * (float) (getenv('VAQUITA_SLOWNESS') ?: 1);
        return new Command([...$words, $file], $this->environment(), $seconds);
    }

    /** @return array<string, string> */
    private function environment(): array
    {
        return $this->place->environment($this->database) + ['VAQUITA_TESTS' => realpath(TESTS)];
    }

    /** The whole outcome as text: what was printed, then how it ended if that was not exit code 0. */
    protected function outcome(Finished $finished): string
    {
        $text = $this->place->mask($finished->output, $this->database);
        if ($finished->errors !== '') {
            $text .= "\n=== standard error\n" . $this->place->mask($finished->errors, $this->database);
        }
        return rtrim($text) . "\n" . ($finished->end === 'exit code 0' ? '' : "=== end\n$finished->end\n");
    }
}
