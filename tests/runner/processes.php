<?php
/*
 * Several tests at once. A test is a generator: it yields a Command and is sent its Finished, when that has ended.
 */

declare(strict_types=1);

/** A process to run. */
final class Command
{
    /**
     * @param list<string> $words
     * @param array<string, string> $environment what is added to ours
     */
    public function __construct(
        public readonly array $words,
        public readonly array $environment = [],
        public readonly float $seconds = 60,
    ) {
    }
}

/** A process that has ended: its outputs, and how it ended ("exit code 0", "killed by signal 11", "killed after 60 s"). */
final class Finished
{
    public function __construct(
        public readonly string $output,
        public readonly string $errors,
        public readonly string $end,
    ) {
    }
}

/** A process that runs. */
final class Running
{
    /** @var resource */
    private $process;
    /** @var array<int, resource> those of its outputs that are still open */
    public array $pipes;
    /** @var array<int, string> */
    private array $read = [1 => '', 2 => ''];
    public readonly int $deadline;
    private bool $is_late = false;

    public function __construct(private readonly Command $command, public readonly Generator $test)
    {
        $pipes = [];
        $outputs = [0 => ['file', '/dev/null', 'r'], 1 => ['pipe', 'w'], 2 => ['pipe', 'w']];
        $environment = $command->environment + getenv();
        unset($environment['PHP_INI_SCAN_DIR']);
        // A session of its own, so that all that it started can be ended; our child is no group's leader, so setsid does not fork.
        $this->process = proc_open(['setsid', ...$command->words], $outputs, $pipes, null, $environment);
        $this->pipes = $pipes;
        array_map(fn($pipe) => stream_set_blocking($pipe, false), $pipes);
        $this->deadline = hrtime(true) + (int) ($command->seconds * 1e9);
    }

    /** Reads what there is; true when both outputs have ended. */
    public function read(): bool
    {
        foreach ($this->pipes as $index => $pipe) {
            $this->read[$index] .= stream_get_contents($pipe);
            if (feof($pipe)) {
                unset($this->pipes[$index]);
            }
        }
        return $this->pipes === [];
    }

    public function kill(): void
    {
        $this->is_late = true;
        posix_kill(-proc_get_status($this->process)['pid'], SIGKILL);
        $this->pipes = [];
    }

    public function finish(): Finished
    {
        do {
            $status = proc_get_status($this->process); // its outputs are closed, so this is soon
        } while ($status['running']);
        proc_close($this->process);
        $end = match (true) {
            $this->is_late => "killed after {$this->command->seconds} s",
            $status['signaled'] => "killed by signal {$status['termsig']}",
            default => "exit code {$status['exitcode']}",
        };
        return new Finished($this->read[1], $this->read[2], $end);
    }
}

final class Processes
{
    /** @var list<Closure> */
    private array $waiting = [];
    /** @var array<int, Running> */
    private array $running = [];

    public function __construct(private readonly int $at_once)
    {
    }

    /** @param Closure(): Generator $test */
    public function add(Closure $test): void
    {
        $this->waiting[] = $test;
    }

    public function run(): void
    {
        do {
            while (count($this->running) < $this->at_once && $this->waiting !== []) {
                $this->go_on(array_shift($this->waiting)());
            }
            $this->wait();
        } while ($this->running !== [] || $this->waiting !== []);
    }

    /** Starts the process that the test asks for, unless it has come to its end. */
    private function go_on(Generator $test): void
    {
        if ($test->valid()) {
            $this->running[] = new Running($test->current(), $test);
        }
    }

    /** Waits for output, and for the end, of any. */
    private function wait(): void
    {
        if ($this->running === []) {
            return;
        }
        $pipes = array_merge(...array_map(fn(Running $running) => array_values($running->pipes), array_values($this->running)));
        $none = null;
        $left = min(array_map(fn(Running $running) => $running->deadline, $this->running)) - hrtime(true);
        stream_select($pipes, $none, $none, 0, max(0, intdiv($left, 1000)));
        foreach ($this->running as $index => $running) {
            if ($running->deadline < hrtime(true)) {
                $running->kill();
            }
            if ($running->read()) {
                unset($this->running[$index]);
                $running->test->send($running->finish());
                $this->go_on($running->test);
            }
        }
    }
}
