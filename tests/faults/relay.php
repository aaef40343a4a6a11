<?php
/*
 * A relay in front of the server, which does to bytes what it is told (crates/fake-server, relay/commands.rs).
 */

declare(strict_types=1);

final class Relay
{
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    /** The port, or the path of the socket. */
    public readonly string $address;

    /** What it says on stderr goes where this process's goes: when it holds something. */
    public function __construct(string $server)
    {
        $program = getenv('VAQUITA_FAKE_SERVER') ?: throw new Mistake('VAQUITA_FAKE_SERVER names no program');
        $this->process = proc_open([$program, '--relay', $server], [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes);
        $this->address = trim((string) fgets($this->pipes[1]));
        $this->address !== '' || throw new Exception("there is no relay to $server");
    }

    public function does(?string $command): void
    {
        $answer = $command === null ? 'ok' : $this->ask($command);
        $answer === 'ok' || throw new Exception("$command: $answer");
    }

    /** Lets everything go as it comes; whether something was cut. */
    public function clear(): bool
    {
        return $this->ask('clear') === 'struck';
    }

    private function ask(string $command): string
    {
        fwrite($this->pipes[0], "$command\n");
        return trim((string) fgets($this->pipes[1]));
    }

    public function __destruct()
    {
        fclose($this->pipes[0]);
        proc_close($this->process);
    }
}
