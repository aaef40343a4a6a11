<?php
/*
 * An application on one stack: PHP's own web server in a folder, a database of its own, and what each page took.
 */

declare(strict_types=1);

final class Site
{
    public readonly Browser $browser;
    public readonly string $address;
    /** @var list<string> what each page was, masked, a line or more for each */
    private array $seen = [];
    private readonly mysqli $log;
    /** @var resource */
    private $server;
    private int $read = 0;

    /**
     * @param array<string, string> $masks patterns of what may differ between two visits, and what stands for it
     * @param array<string, string|list<string>> $settings
     */
    public function __construct(public readonly string $php, public readonly string $folder, public readonly string $database, private readonly array $masks, array $settings, string $libraries)
    {
        $this->log = new mysqli('localhost', getenv('VAQUITA_MARIADB_USER'), getenv('VAQUITA_MARIADB_PASSWORD'), '', 0, getenv('VAQUITA_MARIADB_SOCKET'));
        $this->log->query("SET GLOBAL log_output = 'TABLE', general_log = ON, innodb_stats_auto_recalc = OFF");
        $this->log->query("DROP DATABASE IF EXISTS `$database`");
        $this->log->query("CREATE DATABASE `$database` CHARACTER SET utf8mb4");
        $command = [$php];
        $settings += ['display_errors' => '0', 'log_errors' => '1', 'error_reporting' => (string) E_ALL, 'error_log' => "$folder.log", 'memory_limit' => '256M', 'date.timezone' => 'UTC',
            'mysqli.default_socket' => getenv('VAQUITA_MARIADB_SOCKET'), 'sys_temp_dir' => dirname($folder), 'session.save_path' => dirname($folder)];
        foreach ($settings as $name => $value) {
            foreach ((array) $value as $one) {
                array_push($command, '-d', "$name=$one");
            }
        }
        touch("$folder.log");
        touch("$folder/quiet.txt");
        for (;;) {
            // A port that was free a moment ago; if somebody took it meanwhile, the server ends at once and we try another.
            $probe = stream_socket_server('tcp://127.0.0.1:0');
            $this->address = stream_socket_get_name($probe, false);
            fclose($probe);
            $this->server = proc_open([...$command, '-S', $this->address, '-t', $folder], [1 => ['file', '/dev/null', 'w'], 2 => ['file', "$folder.requests", 'w']], $pipes, null, ['LD_LIBRARY_PATH' => $libraries] + getenv());
            while (proc_get_status($this->server)['running']) {
                if (str_contains((string) file_get_contents("$folder.requests"), ' started')) {
                    break 2;
                }
                usleep(10_000);
            }
        }
        $this->browser = new Browser($this->address);
    }

    /** Notes a page under a name: its status, where it leads, its text, how many queries it took and what it logged. */
    public function visit(string $name, Closure $visit): Page
    {
        $this->log->query('TRUNCATE mysql.general_log');
        $page = $visit($this->browser);
        // One request at a time: those that the application sent itself come before this one.
        file_get_contents("http://$this->address/quiet.txt");
        $commands = $this->commands();
        file_put_contents("$this->folder.queries", "=== $name\n" . implode("\n", array_column($this->log->query("SELECT argument FROM mysql.general_log WHERE thread_id <> CONNECTION_ID() AND command_type <> 'Quit' ORDER BY event_time")->fetch_all(), 0)) . "\n", FILE_APPEND);
        $log = substr(file_get_contents("$this->folder.log"), $this->read);
        $this->read += strlen($log);
        $log = preg_replace('/^\[[^\]]*\] /m', '', $log);
        $this->seen[] = "=== $name: status $page->status, $commands" . (isset($page->headers['location']) ? ", to {$page->headers['location']}" : '');
        array_push($this->seen, ...explode("\n", $this->mask($page->body)));
        array_push($this->seen, ...($log === '' ? [] : ["--- log of $name", ...explode("\n", $this->mask($log))]));
        return $page;
    }

    public function mask(string $text): string
    {
        $text = str_replace([$this->address, rawurlencode($this->address), str_replace('/', '\/', $this->address), $this->folder, $this->database], ['ADDRESS', 'ADDRESS', 'ADDRESS', 'FOLDER', 'DATABASE'], $text);
        return preg_replace(array_keys($this->masks), array_values($this->masks), $text);
    }

    /** All that was seen. */
    public function seen(): array
    {
        return array_map($this->mask(...), $this->seen);
    }

    public function close(): void
    {
        proc_terminate($this->server);
        proc_close($this->server);
        $this->log->close();
    }

    /** What the server was asked meanwhile, by kinds; goodbyes may still be on their way. */
    private function commands(): string
    {
        $kinds = $this->log->query("SELECT LOWER(command_type), COUNT(*) FROM mysql.general_log WHERE thread_id <> CONNECTION_ID() AND command_type <> 'Quit' GROUP BY 1 ORDER BY 1");
        return implode(', ', array_map(fn($row) => "$row[1] x $row[0]", $kinds->fetch_all()));
    }
}
