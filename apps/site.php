<?php
/*
 * An application on one stack: PHP's own web server in a folder, a database of its own, and what each page took.
 */

declare(strict_types=1);

final class Site
{
    public readonly Browser $browser;
    private ?Chromium $chromium = null;
    private readonly string $screens;
    private int $pictures = 0;
    public readonly string $address;
    /** @var list<string> what each page was, masked, a line or more for each */
    private array $seen = [];
    private readonly mysqli $log;
    /** @var resource */
    private $server;
    private int $read = 0;
    private readonly int $began;
    /** @var array<string, string|list<string>> */
    public readonly array $settings;

    /**
     * @param array<string, string> $masks patterns of what may differ between two visits, and what stands for it
     * @param array<string, string|list<string>> $settings
     * @param bool $counts whether queries are counted in a real browser too
     * @param string $uncounted a pattern of MariaDB's: queries that are not counted
     */
    public function __construct(public readonly string $php, public readonly string $folder, public readonly string $database, private readonly array $masks, array $settings, public readonly string $libraries, private readonly bool $counts, private readonly string $uncounted)
    {
        $this->began = time();
        $this->log = new mysqli('localhost', getenv('VAQUITA_MARIADB_USER'), getenv('VAQUITA_MARIADB_PASSWORD'), '', 0, getenv('VAQUITA_MARIADB_SOCKET'));
        $this->log->query("SET GLOBAL log_output = 'TABLE', general_log = ON, innodb_stats_auto_recalc = OFF");
        $this->log->query("DROP DATABASE IF EXISTS `$database`");
        $this->log->query("CREATE DATABASE `$database` CHARACTER SET utf8mb4");
        $command = [$php];
        $settings += ['display_errors' => '0', 'log_errors' => '1', 'error_reporting' => (string) E_ALL, 'error_log' => "$folder.log", 'memory_limit' => '256M', 'date.timezone' => 'UTC',
            'mysqli.default_socket' => getenv('VAQUITA_MARIADB_SOCKET'), 'pdo_mysql.default_socket' => getenv('VAQUITA_MARIADB_SOCKET'), 'sys_temp_dir' => dirname($folder), 'session.save_path' => dirname($folder)];
        $this->settings = $settings;
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
        $this->screens = "$folder.screens";
    }

    /** An application in a new folder, on one stack; not yet installed. */
    public static function of(array $app, string $php, string $packages, string $folder, string $database): self
    {
        self::copy_tree("$packages{$app['folder']}", $folder, $packages);
        $app['prepare']($folder, $packages, $database);
        $settings = isset($app['settings']) ? $app['settings']($packages, $folder) : [];
        return new self($php, $folder, $database, $app['masks'], $settings, "$packages/usr/lib/x86_64-linux-gnu", $app['counts'] ?? true, $app['uncounted'] ?? '(?!)');
    }

    /** Copies a folder of a package; links to other packages lead into those that were unpacked beside it. */
    private static function copy_tree(string $from, string $to, string $packages): void
    {
        mkdir($to, recursive: true);
        foreach (array_diff(scandir($from), ['.', '..']) as $name) {
            $path = "$from/$name";
            if (is_link($path)) {
                $target = readlink($path);
                $path = str_starts_with($target, '/') ? "$packages$target" : "$from/$target";
            }
            if (is_dir($path)) {
                self::copy_tree($path, "$to/$name", $packages);
            } elseif (is_file($path)) {
                copy($path, "$to/$name");
            }
        }
    }

    /** Notes a page under a name: its status, where it leads, its text, how many queries it took and what it logged. */
    public function visit(string $name, Closure $visit): Page
    {
        $this->begin();
        $page = $visit($this->browser);
        $this->note($name, "status $page->status, ", $page->body, isset($page->headers['location']) ? ", to {$page->headers['location']}" : '');
        return $page;
    }

    /**
     * The same with what is done in a real browser, as soon as the page has come to rest: what can be read there, the requests that it sent, what it said
     * in its console, and how many queries all of that took. A picture of it is kept. What the function returns, such as a download, is noted too.
     */
    public function look(string $name, Closure $use): void
    {
        $this->begin();
        $this->chromium ??= new Chromium($this->screens, getenv('VAQUITA_RUN') . '/' . basename($this->folder));
        $more = $use($this->chromium);
        $this->chromium->settle();
        $this->chromium->screenshot(sprintf('%s/%02d %s.png', $this->screens, ++$this->pictures, strtr($name, '/', ' ')));
        [$requests, $messages] = $this->chromium->happened();
        $this->note("in Chromium: $name", null, implode("\n", [$this->chromium->text(), '--- requests', ...$requests, '--- console', ...$messages, ...($more === null ? [] : ['--- more', $more])]));
    }

    private function begin(): void
    {
        $this->log->query('TRUNCATE mysql.general_log');
    }

    private function note(string $name, ?string $status, string $text, string $leads = ''): void
    {
        // One request at a time: those that the application sent itself come before this one.
        file_get_contents("http://$this->address/quiet.txt");
        $commands = $status !== null || $this->counts ? $this->commands() : 'not counted';
        file_put_contents("$this->folder.queries", "=== $name\n" . implode("\n", array_column($this->log->query("SELECT argument FROM mysql.general_log WHERE thread_id <> CONNECTION_ID() AND command_type <> 'Quit' ORDER BY event_time")->fetch_all(), 0)) . "\n", FILE_APPEND);
        $log = substr(file_get_contents("$this->folder.log"), $this->read);
        $this->read += strlen($log);
        $log = preg_replace('/^\[[^\]]*\] /m', '', $log);
        $all = "=== $name: $status$commands$leads\n$text" . ($log === '' ? '' : "\n--- log of $name\n$log");
        array_push($this->seen, ...explode("\n", $this->mask($all)));
    }

    /** Puts names in the place of what can't be the same twice: where the site is, when it was used, and the application's own masks. */
    private function mask(string $text): string
    {
        $text = str_replace([$this->address, rawurlencode($this->address), str_replace('/', '\/', $this->address), $this->folder, $this->database], ['ADDRESS', 'ADDRESS', 'ADDRESS', 'FOLDER', 'DATABASE'], $text);
        return preg_replace(array_keys($this->masks), array_values($this->masks), $this->mask_times($text));
    }

    /** Only times between the beginning and now are taken for such, in the forms in which applications write them; any other time is compared. */
    private function mask_times(string $text): string
    {
        $seconds = range($this->began, time());
        $forms = fn(string ...$forms) => array_unique(array_merge(...array_map(fn($form) => array_map(fn($second) => date($form, $second), $seconds), $forms)));
        $text = preg_replace('/(?<!\d)(' . implode('|', $forms('YmdHis')) . ')(?!\d)/', 'NOW', $text);
        $text = str_replace($forms('Y-m-d', 'Y/m/d', 'Y\/m\/d', 'd/m/Y', 'm/d/Y', 'F j, Y', 'j F Y', 'M d, Y', 'D, d M Y', 'm/d'), 'TODAY', $text);
        $minutes = implode('|', $forms('H:i', 'G:i', 'g:i', 'h:i', 'H%3\Ai', 'H-i'));
        $halves = implode('|', $forms('a'));
        $text = preg_replace("/(?<!\d)($minutes)((:|%3A|-)\d\d)?(?!\d)( ($halves))?/i", 'NOW', $text);
        // Seconds since 1970, with a fraction of any length.
        return preg_replace('/(?<!\d)(' . implode('|', $seconds) . ')(\.\d+|\d{3,9})?(?!\d)/', 'NOW', $text);
    }

    /** All that was seen. */
    public function seen(): array
    {
        return $this->seen;
    }

    public function close(): void
    {
        $this->chromium?->close();
        proc_terminate($this->server);
        proc_close($this->server);
        $this->log->query('SET GLOBAL general_log = OFF, innodb_stats_auto_recalc = ON');
        $this->log->close();
    }

    /**
     * What the server was asked meanwhile, by kinds. Not counted: goodbyes, which it does not answer, and which may still be on their way; and how often statements were prepared, for here one that was
     * prepared and closed before is not prepared again. How often they were run is.
     */
    private function commands(): string
    {
        $kinds = $this->log->execute_query("SELECT LOWER(command_type), COUNT(*) FROM mysql.general_log WHERE thread_id <> CONNECTION_ID() AND command_type NOT IN ('Quit', 'Prepare', 'Close stmt') AND argument NOT REGEXP ? GROUP BY 1 ORDER BY 1", [$this->uncounted]);
        return implode(', ', array_map(fn($row) => "$row[1] x $row[0]", $kinds->fetch_all()));
    }
}
