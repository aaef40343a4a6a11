<?php
/*
 * What a try is: how the server is reached, what is done there, and what the network does meanwhile. All of it comes of the seed and the try's number.
 */

declare(strict_types=1);

/** A fault of the network: what the relay is asked for. */
final class Fault
{
    /** Those that lose nothing: nobody may notice but by the time. */
    public const SLOW = ['latency', 'bandwidth', 'dribble', 'bursts', 'jitter'];
    /** Those that end a connection. */
    public const BREAKING = ['close', 'reset', 'half', 'silence', 'hold'];
    /** One that comes later than the driver waits for a key-value port (docs/kv.md), and loses nothing: an answer may come when another one is awaited. */
    private const LATE = ['late', 'late', 'late', 'late', 'late'];
    /** How often each is drawn, in shares; `hold` is for servers that are killed. */
    private const SHARES = ['none' => 1, 'latency' => 1, 'bandwidth' => 1, 'dribble' => 1, 'bursts' => 1, 'jitter' => 1, 'close' => 5, 'reset' => 5, 'half' => 4, 'silence' => 3];

    private function __construct(public readonly string $kind, public readonly string $way, public readonly int $number)
    {
    }

    /** @param array{int, int} $bytes about how many requests and replies there will be @param string $among `kill`, `whole`, `port` or `all` */
    public static function drawn(Dice $dice, array $bytes, string $among): self
    {
        $kinds = array_merge(...array_map(fn(string $kind, int $share) => array_fill(0, $share, $kind), array_keys(self::SHARES), self::SHARES));
        $kind = match ($among) {
            'kill' => 'hold',
            'whole' => $dice->any(['none', ...self::SLOW]),
            'port' => $dice->any([...$kinds, ...self::LATE]),
            default => $dice->any($kinds),
        };
        $way = $dice->any(['requests', 'replies']);
        // Most of what can go wrong is where something begins.
        $most = $dice->one_in(3) ? min(200, $bytes[(int) ($way === 'replies')]) : $bytes[(int) ($way === 'replies')];
        return new self($kind, $way, match ($kind) {
            'latency', 'bursts' => $dice->number(5, 60),
            'late' => $dice->number(300, 900),
            'bandwidth' => $dice->number(100_000, 1_000_000),
            'jitter' => $dice->number(1, 1 << 30),
            default => $dice->number(0, $most),
        });
    }

    public function is_breaking(): bool
    {
        return in_array($this->kind, self::BREAKING, true);
    }

    public function command(): ?string
    {
        return match ($this->kind) {
            'none' => null,
            'dribble' => "dribble $this->way",
            'late' => "latency $this->way $this->number",
            default => "$this->kind $this->way $this->number",
        };
    }
}

final class Plan
{
    /** What TLS and the log-in come to, in bytes each way. */
    private const LOG_IN = ['' => [300, 250], 'tls' => [1200, 3500]];
    private const SLACK_SECONDS = 4;
    /** How long the driver waits for a key-value port: connecting 0.25, and each of HandlerSocket's three first requests 0.5. */
    private const PORT_SECONDS = 2;
    /** What is added for a query that the server does not stop (docs/settings.md). */
    private const STOPPING_SECONDS = 20;

    public readonly string $transport;
    public readonly string $act;
    public readonly Fault $fault;
    /** Whether the fault is there when the act connects, or comes upon the connection that has been made. */
    public readonly bool $meets_connecting;

    public function __construct(Place $place, int $seed, public readonly int $number, public readonly bool $is_kill, ?string $only = null, bool $is_whole = false)
    {
        // Seeds beside each other begin with much the same numbers.
        $dice = new Dice(crc32("$seed $number"));
        $there = $place->key_value_address() === null ? array_diff_key(Acts::ALL, PortActs::ALL) : Acts::ALL;
        $acts = array_values(array_filter(array_keys($there), fn(string $name) => $only === null || str_contains($name, $only)));
        $acts !== [] || throw new Mistake("no act has \"$only\" in its name; there are: " . implode(', ', array_keys($there)));
        $transports = ['unix', 'unix', 'tcp', 'tcp', 'tcp', 'tcp tls', 'tcp tls', 'tcp zlib', 'tcp tls zlib', ...($place->is_mariadb() ? ['unix zlib'] : ['tcp zstd'])];
        $this->transport = $dice->any($place->has_tls() ? $transports : array_values(preg_grep('/tls/', $transports, PREG_GREP_INVERT)));
        $this->act = $dice->any($acts);
        $this->meets_connecting = $dice->one_in(3);
        $bytes = Acts::ALL[$this->act];
        if (!$this->is_by_port() && preg_match('/zlib|zstd/', $this->transport)) {
            $bytes = array_map(fn(int $count) => intdiv($count, 4) + 100, $bytes);
        }
        if (!$this->is_by_port() && $this->meets_connecting) {
            $log_in = self::LOG_IN[str_contains($this->transport, 'tls') ? 'tls' : ''];
            $bytes = $dice->one_in(3) ? [$log_in[0] + $bytes[0], $log_in[1] + $bytes[1]] : $log_in;
        }
        $this->fault = Fault::drawn($dice, $bytes, match (true) {
            $is_kill => 'kill',
            $is_whole => 'whole',
            $this->is_by_port() => 'port',
            default => 'all',
        });
    }

    /** Whether the fault is on the way to the server's key-value port. */
    public function is_by_port(): bool
    {
        return isset(PortActs::ALL[$this->act]);
    }

    /** How long the driver is told to wait. */
    public function time_out(): int
    {
        return match ($this->fault->kind) {
            // The next connection of a persistent one has the same, also on a busy machine.
            'silence' => str_contains($this->act, 'persistent') ? 4 : 2,
            // Until the server is killed.
            'hold' => 20,
            default => 5,
        };
    }

    /** How long anything that the driver is asked may take. */
    public function most_seconds(): int
    {
        if ($this->is_by_port() && !$this->is_kill) {
            return self::PORT_SECONDS + self::SLACK_SECONDS;
        }
        return $this->time_out() + self::SLACK_SECONDS + ($this->act === 'query timeout' ? self::STOPPING_SECONDS : 0);
    }

    public function __toString(): string
    {
        $when = $this->meets_connecting ? 'from the first byte' : 'when connected';
        return "$this->act by $this->transport, " . ($this->is_kill ? 'server killed, ' : '') . ($this->fault->command() ?? 'no fault') . ($this->fault->kind === 'none' ? '' : " $when");
    }
}

/** What is wrong with the command line. */
final class Mistake extends Exception
{
}
