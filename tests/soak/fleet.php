<?php
/*
 * The eight processes: four of the command line, which go on by themselves, and four workers of PHP-FPM, each the only one of its pool, which are asked without end.
 */

declare(strict_types=1);

require __DIR__ . '/../fpm/fast_cgi.php';

/** One of them, and what it has said so far. */
final class Member
{
    public ?int $id = null;
    public int $steps = 0;
    public bool $has_ended = false;
    public float $heard_of;
    public ?string $fault = null;
    public bool $is_wrong = false;
    /** @var array<string, Series> */
    public array $series = [];
    /** @var resource|null of the command line */
    public $process = null;
    /** @var resource|null its output, or that of the request it is at */
    public $stream = null;

    public function __construct(public readonly int $number, public readonly string $server, public readonly bool $is_fpm)
    {
        $this->heard_of = microtime(true);
    }

    /** @param array<string, mixed> $figures */
    public function note(float $seconds, array $figures): void
    {
        foreach ($figures as $name => $value) {
            if (is_int($value)) {
                ($this->series[$name] ??= new Series())->add($seconds, $value);
            }
        }
    }
}

final class Fleet
{
    public const PROCESSES = 8;
    /** Steps of a request. */
    private const STEPS = 10;
    /** Whoever says nothing for so long hangs. */
    private const PATIENCE_S = 120;
    /** @var list<Member> */
    public array $members = [];
    /** @var resource|null */
    private $master = null;
    private readonly float $since;

    /**
     * @param list<string> $servers
     * @param array<string, array<string, mixed>> $accounts
     * @param array{php: list<string>, fpm: list<string>, seed: int, spoil: ?string, until: float, every: float} $options
     */
    public function __construct(private readonly array $servers, private readonly array $accounts, private readonly array $options, private readonly string $folder)
    {
        $this->since = microtime(true);
        for ($number = 0; $number < self::PROCESSES; $number++) {
            $this->members[] = new Member($number, $servers[$number % count($servers)], $number >= self::PROCESSES / 2);
        }
    }

    public function start(): void
    {
        $this->start_fpm();
        foreach ($this->members as $member) {
            if ($member->is_fpm) {
                $this->ask($member);
            } else {
                $member->process = proc_open($this->worker($member->number, $member->server, 0, 0), [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', "$this->folder/worker-$member->number", 'w']], $pipes);
                $member->stream = $pipes[1];
                stream_set_blocking($member->stream, false);
            }
        }
    }

    /** @return list<string> the command that plays steps of a process */
    public function worker(int $number, string $server, int $first, int $steps): array
    {
        $settings = array_merge(...array_map(fn(string $name, string $value) => ['-d', "$name=$value"], array_keys($this->settings($server)), $this->settings($server)));
        return [...$this->options['php'], ...$settings, __DIR__ . '/worker.php', json_encode([...$this->told($number), 'first' => $first, 'steps' => $steps, 'until' => $this->options['until'], 'every' => $this->options['every']]), json_encode($this->accounts[$server])];
    }

    /** @return array<string, mixed> */
    private function told(int $number): array
    {
        return ['process' => $number, 'seed' => $this->options['seed'], 'folder' => $this->folder, 'spoil' => $this->options['spoil']];
    }

    /** @return array<string, string> */
    private function settings(string $server): array
    {
        ['host' => $host, 'database' => $database, 'key_value_port' => $port] = $this->accounts[$server];
        $settings = ['memory_limit' => '512M', 'mysqli.allow_local_infile' => '1', 'vaquita.pool_max_idle' => '6', 'max_execution_time' => '0', 'ffi.enable' => '1', 'display_errors' => '0', 'log_errors' => '0'];
        return $port === false ? $settings : $settings + ['vaquita.kv' => 'on', 'vaquita.kv_address' => "$host:$port", 'vaquita.kv_tables' => "$database.soak_data"];
    }

    private function start_fpm(): void
    {
        $user = posix_getuid() === 0 ? "user = root\ngroup = root\n" : '';
        $pools = '';
        foreach (array_filter($this->members, fn(Member $member) => $member->is_fpm) as $member) {
            // What steps change can't be an administrator's.
            $settings = implode('', array_map(fn(string $name, string $value) => ($name === 'memory_limit' ? 'php_value' : 'php_admin_value') . "[$name] = $value\n", array_keys($this->settings($member->server)), $this->settings($member->server)));
            [$told, $account] = [json_encode($this->told($member->number)), json_encode($this->accounts[$member->server])];
            $pools .= "[pool$member->number]\n{$user}listen = $this->folder/$member->number.sock\npm = static\npm.max_children = 1\npm.max_requests = 0\nenv[SOAK_OPTIONS] = '$told'\nenv[SOAK_ACCOUNT] = '$account'\n$settings";
        }
        file_put_contents("$this->folder/fpm.conf", "[global]\nerror_log = $this->folder/fpm.log\ndaemonize = no\n$pools");
        $out = ['file', "$this->folder/fpm.out", 'a'];
        $this->master = proc_open([...$this->options['fpm'], '-y', "$this->folder/fpm.conf", '-F', '-R'], [['file', '/dev/null', 'r'], $out, $out], $pipes);
        $last = self::PROCESSES - 1;
        for ($until = microtime(true) + 20; ($socket = @stream_socket_client("unix://$this->folder/$last.sock")) === false; usleep(10_000)) {
            microtime(true) < $until || throw new Exception('PHP-FPM did not start: ' . file_get_contents("$this->folder/fpm.out") . @file_get_contents("$this->folder/fpm.log"));
        }
        fclose($socket);
    }

    private function ask(Member $member): void
    {
        $member->stream = FastCgi::send("$this->folder/$member->number.sock", __DIR__ . '/request.php', http_build_query(['first' => $member->steps, 'steps' => self::STEPS]));
    }

    /** Waits for the next one to say something; false: all have ended. */
    public function listen(): bool
    {
        $read = array_map(fn(Member $member) => $member->stream, array_filter($this->members, fn(Member $member) => $member->stream !== null));
        if ($read === []) {
            return false;
        }
        $none = null;
        stream_select($read, $none, $none, 0, 500_000);
        foreach ($this->members as $number => $member) {
            if (isset($read[$number])) {
                $member->heard_of = microtime(true);
                $member->is_fpm ? $this->hear_request($member) : $this->hear_worker($member);
            } elseif ($member->stream !== null && microtime(true) - $member->heard_of > self::PATIENCE_S) {
                $this->fail($member, 'it says nothing for ' . self::PATIENCE_S . ' s');
            }
        }
        return true;
    }

    private function hear_worker(Member $member): void
    {
        while (($line = fgets($member->stream)) !== false) {
            $said = json_decode($line, true) ?? ['wrong' => "not understood: $line"];
            $this->hear($member, $said);
            if ($member->stream === null) {
                return;
            }
            $member->note(microtime(true) - $this->since, $said);
            $member->has_ended = $said['has_ended'] ?? false;
        }
        if (feof($member->stream)) {
            fclose($member->stream);
            $member->stream = null;
            $status = proc_close($member->process);
            if (!$member->has_ended || $status !== 0) {
                $member->fault = "it ended with $status: " . file_get_contents("$this->folder/worker-$member->number");
            }
        }
    }

    private function hear_request(Member $member): void
    {
        $answer = FastCgi::answer($member->stream);
        $member->stream = null;
        $said = $answer === null ? null : json_decode($answer, true);
        if ($said === null) {
            $this->fail($member, $answer === null ? 'the worker died in a request' : "it said: $answer");
            return;
        }
        $before = $member->steps;
        $this->hear($member, ['steps' => $before + $said['steps']] + $said);
        $member->id ??= $said['process_id'];
        if ($member->fault !== null) {
            return;
        }
        if ($member->id !== $said['process_id']) {
            $this->fail($member, "another process answers: $said[process_id] instead of $member->id");
            return;
        }
        unset($said['process_id'], $said['steps']);
        $member->note(microtime(true) - $this->since, $said);
        if (microtime(true) < $this->options['until']) {
            $this->ask($member);
        } else {
            $member->has_ended = true;
        }
    }

    /** @param array<string, mixed> $said */
    private function hear(Member $member, array $said): void
    {
        $member->steps = $said['steps'] ?? $member->steps;
        if (isset($said['wrong'])) {
            $member->is_wrong = true;
            $this->fail($member, $said['wrong']);
        }
    }

    private function fail(Member $member, string $fault): void
    {
        $member->fault = $fault;
        if ($member->stream !== null && is_resource($member->stream)) {
            fclose($member->stream);
        }
        $member->stream = null;
    }

    /** Ends those of the command line that are left, and PHP-FPM, which lets its workers finish. */
    public function stop(): void
    {
        foreach ($this->members as $member) {
            if (is_resource($member->process)) {
                proc_terminate($member->process, SIGTERM);
                proc_close($member->process);
            }
        }
        if (is_resource($this->master)) {
            proc_terminate($this->master, SIGQUIT);
            proc_close($this->master);
        }
        $this->master = null;
    }
}
