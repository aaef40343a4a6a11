<?php
/*
 * PHP's own web server with a script, for tests of what one process keeps from request to request.
 */

final class WebServer
{
    /** @var resource */
    private $process;
    private readonly string $folder;
    private string $address;

    /** @param array<string, string> $settings */
    public function __construct(string $script, array $settings = [])
    {
        $this->folder = tempnam(sys_get_temp_dir(), 'vaquita');
        unlink($this->folder);
        mkdir($this->folder);
        file_put_contents("$this->folder/index.php", $script);
        $command = [PHP_BINARY, '-d', 'include_path=' . get_include_path(), '-d', 'display_errors=1', '-d', 'html_errors=0', '-d', 'log_errors=0'];
        foreach ($settings as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        for (;;) {
            // A port that was free a moment ago; if somebody took it meanwhile, the server ends at once and we try another.
            $probe = stream_socket_server('tcp://127.0.0.1:0');
            $this->address = stream_socket_get_name($probe, false);
            fclose($probe);
            $this->process = proc_open([...$command, '-S', $this->address, '-t', $this->folder], [1 => ['file', '/dev/null', 'w'], 2 => ['pipe', 'w']], $pipes);
            while (($line = fgets($pipes[2])) !== false) {
                if (str_contains($line, 'started')) {
                    stream_set_blocking($pipes[2], false); // nobody reads it from here on
                    $this->errors = $pipes[2];
                    return;
                }
            }
        }
    }

    /** @var resource */
    private $errors;

    /** The answer's status and text. */
    public function get(string $query = ''): string
    {
        stream_get_contents($this->errors); // its log of requests
        $text = @file_get_contents("http://$this->address/index.php?$query", false, stream_context_create(['http' => ['ignore_errors' => true]]));
        return ($http_response_header[0] ?? 'no answer') . "\n$text";
    }

    public function resident_kib(): int
    {
        preg_match('/^VmRSS:\s+(\d+) kB$/m', file_get_contents('/proc/' . proc_get_status($this->process)['pid'] . '/status'), $match);
        return (int) $match[1];
    }

    public function is_running(): bool
    {
        return proc_get_status($this->process)['running'];
    }

    public function __destruct()
    {
        proc_terminate($this->process, 9);
        proc_close($this->process);
        unlink("$this->folder/index.php");
        rmdir($this->folder);
    }
}
