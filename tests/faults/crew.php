<?php
/*
 * The processes that do the tries, all at once. Who takes too long for one is hung, and replaced.
 */

declare(strict_types=1);

/** A process of worker.php. */
final class Worker
{
    private const ASKING = ['vaquita.pool_check=ping', 'mysqli.rollback_on_cached_plink=1'];

    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    public array $pipes = [];
    public ?int $number = null;
    public float $since = 0;
    public bool $is_held = false;

    /** @param list<string> $arguments of worker.php @param bool $is_asking whether persistent connections wait for the server, where they need not */
    public function __construct(array $arguments, bool $is_asking)
    {
        $settings = ['mysqli.allow_local_infile=1', 'vaquita.pool_max_idle=4', ...($is_asking ? self::ASKING : [])];
        $settings = array_merge(...array_map(fn(string $setting) => ['-d', $setting], $settings));
        $command = [PHP_BINARY, ...$settings, __DIR__ . '/worker.php', ...$arguments];
        // A group of its own, so that its relays go with it.
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], ['pipe', 'w']], $this->pipes);
        stream_set_blocking($this->pipes[1], false);
        stream_set_blocking($this->pipes[2], false);
    }

    public function begin(int $number, bool $is_kill): void
    {
        [$this->number, $this->since, $this->is_held] = [$number, microtime(true), false];
        fwrite($this->pipes[0], $number . ' ' . (int) $is_kill . "\n");
    }

    public function end(): void
    {
        // Its relays end when it does: their input ends.
        proc_terminate($this->process, 9);
        array_map(fclose(...), $this->pipes);
        proc_close($this->process);
    }
}

final class Crew
{
    private const PROGRESS_SECONDS = 10;
    private const RESTART_SECONDS = 120;
    /** How scripts/faults starts the server. */
    private const OPTIONS = ['--innodb-flush-log-at-trx-commit=1', '--max-connections=1000'];

    /** @var array<int, Worker> */
    private array $workers = [];
    /** @var array<int, string> what has come of a worker's line */
    private array $parts = [];
    /** @var array<int, array> records of tries, as worker.php tells them */
    public array $records = [];
    /** @var array<int, true> */
    public array $hung = [];
    /** @var list<string> what was said where nothing is to be said */
    public array $complaints = [];
    public int $restarts = 0;
    private float $begun;
    private float $told_of;

    /** @param list<string> $arguments of worker.php @param float $patience how long a try may take, in seconds */
    public function __construct(private readonly Place $place, private readonly array $arguments, int $size, private readonly float $patience)
    {
        $this->begun = $this->told_of = microtime(true);
        for ($i = 0; $i < $size; $i++) {
            $this->workers[] = new Worker($arguments, $place->is_mariadb());
            $this->parts[] = '';
        }
    }

    /** @param list<int> $numbers of tries */
    public function work(array $numbers): void
    {
        while (true) {
            foreach ($this->workers as $worker) {
                if ($worker->number === null && $numbers !== []) {
                    $worker->begin(array_shift($numbers), false);
                }
            }
            if (!$this->is_busy()) {
                return;
            }
            $this->listen($this->patience);
        }
    }

    /** Tries in the middle of which the server is killed, and comes back. @param list<int> $numbers */
    public function work_while_killed(array $numbers): void
    {
        foreach (array_chunk($numbers, count($this->workers)) as $round) {
            foreach ($round as $i => $number) {
                $this->workers[$i]->begin($number, true);
            }
            while (array_filter($this->workers, fn(Worker $worker) => $worker->number !== null && !$worker->is_held) !== []) {
                $this->listen($this->patience + self::RESTART_SECONDS);
            }
            if ($this->is_busy()) {
                $this->restart();
            }
            while ($this->is_busy()) {
                $this->listen($this->patience + self::RESTART_SECONDS);
            }
        }
    }

    /** Kills the server by -9; everything that it had committed is to be there afterwards. */
    private function restart(): void
    {
        exec('scripts/server restart ' . escapeshellarg($this->place->name) . ' ' . implode(' ', self::OPTIONS) . ' 2>&1', $said, $status);
        $status === 0 || throw new Exception('the server did not come back: ' . implode("\n", $said));
        $this->restarts++;
    }

    private function is_busy(): bool
    {
        return array_filter($this->workers, fn(Worker $worker) => $worker->number !== null) !== [];
    }

    private function listen(float $patience): void
    {
        $read = [];
        foreach ($this->workers as $i => $worker) {
            $read["out $i"] = $worker->pipes[1];
            $read["say $i"] = $worker->pipes[2];
        }
        $none = null;
        stream_select($read, $none, $none, 0, 200_000);
        foreach ($read as $name => $stream) {
            [$kind, $i] = explode(' ', $name);
            $kind === 'out' ? $this->hear((int) $i, $stream) : $this->overhear((int) $i, $stream);
        }
        foreach ($this->workers as $i => $worker) {
            if ($worker->number !== null && microtime(true) - $worker->since > $patience) {
                $this->hung[$worker->number] = true;
                $this->replace($i);
            }
        }
        if (microtime(true) - $this->told_of > self::PROGRESS_SECONDS) {
            $this->told_of = microtime(true);
            fprintf(STDERR, "  %s: %d tries, %s\n", $this->place->name, count($this->records), $this->rate());
        }
    }

    public function rate(): string
    {
        $seconds = microtime(true) - $this->begun;
        return sprintf('%.0f s, %.1f a second', $seconds, count($this->records) / max($seconds, 0.1));
    }

    /** @param resource $stream */
    private function hear(int $i, $stream): void
    {
        $come = (string) stream_get_contents($stream);
        if ($come === '' && feof($stream)) {
            $number = $this->workers[$i]->number;
            $this->complaints[] = $number === null ? 'a process ended' : "a process ended in try $number";
            count($this->complaints) < 50 || throw new Exception("processes end: " . implode("\n", $this->complaints));
            $this->replace($i);
            return;
        }
        $this->parts[$i] .= $come;
        if (str_ends_with($this->parts[$i], "\n")) {
            $record = json_decode($this->parts[$i], true, flags: JSON_THROW_ON_ERROR);
            $this->records[$record['number']] = $record;
            $this->parts[$i] = '';
            $this->workers[$i]->number = null;
        }
    }

    /** @param resource $stream */
    private function overhear(int $i, $stream): void
    {
        foreach (array_filter(explode("\n", (string) stream_get_contents($stream)), strlen(...)) as $line) {
            if ($line === 'held') {
                $this->workers[$i]->is_held = true;
            } else {
                $this->complaints[] = "in try {$this->workers[$i]->number}: $line";
            }
        }
    }

    private function replace(int $i): void
    {
        $this->workers[$i]->end();
        $this->workers[$i] = new Worker($this->arguments, $this->place->is_mariadb());
        $this->parts[$i] = '';
    }

    public function end(): void
    {
        foreach ($this->workers as $worker) {
            $worker->end();
        }
        $this->workers = [];
    }
}
