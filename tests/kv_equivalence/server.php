<?php
/*
 * The server and its port: who opens it for a schema's tables, what the server itself has counted of it, and the third one who changes rows, tables
 * and rights for both sides alike.
 */

declare(strict_types=1);

final class Server
{
    private const LOW = 'kv_low';
    private const LOW_PASSWORD = 'Of-no-1-secret';

    private mysqli $link;
    private string $tables = '';
    /** @var int how many of the third one's changes somebody else's lock has hindered */
    public int $given_up = 0;

    /** @param int $stale milliseconds after which the driver must know of what others have changed */
    public function __construct(public readonly string $name, public readonly int $stale)
    {
        $this->set_port(false);
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $this->link = new mysqli('localhost', $this->of('USER'), $this->of('PASSWORD'), '', 0, $this->socket());
        $this->link->set_charset('utf8mb4');
        // A lock of one of the two sides is waited for, but not for long.
        $this->link->query('SET GLOBAL lock_wait_timeout = 2, GLOBAL innodb_lock_wait_timeout = 1');
        $this->link->query("SET sql_mode = '', lock_wait_timeout = 1, innodb_lock_wait_timeout = 1");
        foreach ([ONE, TWO] as $database) {
            $this->link->query("DROP DATABASE IF EXISTS $database");
            $this->link->query("DROP DATABASE IF EXISTS {$database}_b");
            $this->link->query("CREATE DATABASE $database CHARACTER SET utf8mb4");
            $this->link->query("CREATE DATABASE {$database}_b CHARACTER SET utf8mb4");
        }
        $this->try('DROP USER ' . self::LOW); // of a run before
        $this->link->query('CREATE USER ' . self::LOW . " IDENTIFIED BY '" . self::LOW_PASSWORD . "'");
        $this->routines();
    }

    private function of(string $what): string
    {
        return (string) getenv('VAQUITA_' . strtoupper($this->name) . "_$what");
    }

    public function is_mariadb(): bool
    {
        return str_starts_with($this->name, 'mariadb');
    }

    public function socket(): string
    {
        return $this->of('SOCKET');
    }

    public function port(): int
    {
        return (int) $this->of('PORT');
    }

    /** @return array{string, string} the user's name and password */
    public function account(?string $user): array
    {
        return $user === 'low' ? [self::LOW, self::LOW_PASSWORD] : [$this->of('USER'), $this->of('PASSWORD')];
    }

    /** What connections made from now on do. */
    public function set_port(bool $is_used): void
    {
        if (ini_get('vaquita.kv') === false) {
            return;
        }
        foreach (['kv' => $is_used ? 'on' : 'off', 'kv_address' => '127.0.0.1:' . $this->of('KEY_VALUE_PORT'), 'kv_tables' => $this->is_mariadb() ? $this->tables : '', 'kv_max_stale_ms' => (string) $this->stale] as $name => $value) {
            ini_set("vaquita.$name", $value) !== false || throw new Exception("vaquita.$name can't be set to $value");
        }
    }

    public function has_counts(): bool
    {
        return function_exists('Vaquita\kv') && ini_get('vaquita.kv') !== false;
    }

    public function statistics(object $link): ?array
    {
        try {
            return $this->has_counts() ? Vaquita\kv($link)->statistics() : null;
        } catch (Throwable) { // a connection that has ended
            return null;
        }
    }

    /** Stored functions and procedures that change what a connection is like, or look at what came before. */
    private function routines(): void
    {
        foreach ([ONE, TWO] as $database) {
            foreach ([
                'FUNCTION seen() RETURNS INT NOT DETERMINISTIC RETURN FOUND_ROWS()',
                'FUNCTION changed() RETURNS INT NOT DETERMINISTIC BEGIN SET SESSION sql_select_limit = 0; RETURN 1; END',
                'FUNCTION moded() RETURNS INT NOT DETERMINISTIC BEGIN SET SESSION sql_mode = \'ANSI_QUOTES\'; RETURN 1; END',
                'PROCEDURE named() SET NAMES latin1',
                'PROCEDURE begun() START TRANSACTION',
                'PROCEDURE manual() SET autocommit = 0',
                'PROCEDURE limited() SET SESSION sql_select_limit = 0',
                'PROCEDURE moded() SET SESSION sql_mode = \'NO_BACKSLASH_ESCAPES\'',
                'PROCEDURE looked() SELECT FOUND_ROWS(), ROW_COUNT(), @@warning_count',
                'PROCEDURE hidden() CREATE TEMPORARY TABLE ' . $database . '.t0 (k INT PRIMARY KEY, v1 INT)',
                'PROCEDURE result() SELECT k FROM t0 WHERE k = 1',
            ] as $routine) {
                $this->link->query('CREATE ' . preg_replace('/ (\w+\()/', " $database.\$1", $routine, 1));
            }
        }
    }

    /** Makes the tables anew on both sides. */
    public function make(array $tables): void
    {
        $this->end_others();
        foreach ($tables as $table) {
            foreach ([ONE, TWO] as $database) {
                $this->drop($database, $table->name);
                foreach ($table->create as $statement) {
                    $this->create(str_replace(ONE, $database, $statement));
                }
            }
        }
    }

    private function create(string $statement): void
    {
        try {
            $this->link->query($statement);
        } catch (mysqli_sql_exception $error) {
            if ($error->getCode() !== 1813) {
                throw $error;
            }
            // MySQL 5.6 may leave a table's file behind; what this was to be is left out then, and only that is lost.
            throw new GivenUp($error->getMessage());
        }
    }

    /** Persistent connections that nobody uses may still have a transaction or locks. */
    private function end_others(): void
    {
        $user = $this->of('USER');
        $others = $this->link->query("SELECT ID FROM information_schema.PROCESSLIST WHERE USER IN ('$user', '" . self::LOW . "') AND ID <> CONNECTION_ID()")->fetch_all();
        foreach ($others as [$thread]) {
            $this->kill((int) $thread);
        }
    }

    private function drop(string $database, string $name): void
    {
        foreach (["$database.$name", "$database.{$name}_real", "$database.{$name}_new", "$database.{$name}_old", "{$database}_b.$name"] as $path) {
            foreach (['VIEW', 'TABLE'] as $what) {
                try {
                    $this->link->query("DROP $what IF EXISTS $path");
                } catch (mysqli_sql_exception $error) {
                    if ($error->getCode() === 1205) {
                        throw new Exception("$path is locked, though all connections were closed: by the driver's link to the port?");
                    }
                    if (!in_array($error->getCode(), [1347, 1965, 4092, 1051], true)) { // it is of the other kind
                        throw $error;
                    }
                }
            }
        }
    }

    /** Tells the port of a schema's tables, and opens it. */
    public function open_port(Schema $schema): void
    {
        if ($this->is_mariadb()) {
            $this->tables = implode(', ', array_map(fn(Table $table) => ONE . ".$table->name", $schema->tables)) . ', ' . ONE . '_b.t0, ' . ONE . '_b.t1';
            return;
        }
        if ($this->link->query("SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'daemon_memcached'")->num_rows > 0) {
            $this->link->query('UNINSTALL PLUGIN daemon_memcached');
        }
        $this->link->query('DELETE FROM innodb_memcache.containers');
        foreach ($schema->tables as $table) {
            if ($table->container !== null) {
                $words = implode(', ', array_map(fn(string $word) => "'$word'", $table->container));
                $this->link->query("INSERT INTO innodb_memcache.containers VALUES ($words)");
            }
        }
        $this->link->query("INSTALL PLUGIN daemon_memcached SONAME 'libmemcached.so'");
        for ($tries = 2000; ($port = $this->connect_port()) === null && $tries > 0; $tries--) {
            usleep(5000); // it listens a little later
        }
        $port !== null || throw new Exception("$this->name does not open its port");
    }

    /** @return ?resource */
    private function connect_port(): mixed
    {
        return @stream_socket_client('tcp://127.0.0.1:' . $this->of('KEY_VALUE_PORT'), timeout: 5) ?: null;
    }

    /** How many requests by key the server itself has counted, since its port was opened. */
    public function requests(): int
    {
        if ($this->is_mariadb()) { // each request locks the tables once
            return (int) $this->link->query("SHOW GLOBAL STATUS LIKE 'Handlersocket_hs_table_lock'")->fetch_row()[1];
        }
        $port = $this->connect_port() ?? throw new Exception("$this->name has closed its port");
        fwrite($port, "stats\r\n");
        $gets = 0;
        while (($line = fgets($port)) !== false && $line !== "END\r\n") {
            sscanf($line, 'STAT cmd_get %d', $gets);
        }
        return (int) $gets;
    }

    /** Whether a connection can still be made. */
    public function lives(): bool
    {
        try {
            return $this->link->query('SELECT 1')->num_rows === 1;
        } catch (mysqli_sql_exception) {
            return false;
        }
    }

    public function kill(int $thread): void
    {
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT); // not as the side has it
        $this->try("KILL $thread"); // it may have ended by itself
        for ($tries = 400; $tries > 0 && $this->link->query("SELECT 1 FROM information_schema.PROCESSLIST WHERE ID = $thread")->num_rows > 0; $tries--) {
            usleep(5000);
        }
    }

    /** One's own statements for both databases; what is wrong with one is wrong with both. */
    public function change(array $statements): void
    {
        foreach ($statements as $statement) {
            $this->try($statement);
            $this->try(str_replace(ONE, TWO, $statement));
        }
    }

    /** What is wrong on one side only, to see whether it is found. */
    public function change_second(string $statement): void
    {
        $this->link->query(str_replace(ONE, TWO, $statement));
    }

    private function try(string $statement): void
    {
        try {
            $this->link->query($statement);
        } catch (mysqli_sql_exception $error) {
            in_array($error->getCode(), [2006, 2013], true) && throw $error;
        }
    }

    /**
     * A change of tables. The driver may hold a lock by its port until it has noticed that nobody asks it any more, which it only can where it is
     * called: so this waits for the server asynchronously, and calls it by and by.
     *
     * @return bool whether both sides have it; else neither, and whoever plays the steps has to begin anew
     */
    public function change_tables(string $statement, Closure $poke): bool
    {
        for ($tries = 3; $tries > 0; $tries--) {
            $this->link->query($statement, MYSQLI_ASYNC);
            while (true) {
                $read = $error = $reject = [$this->link];
                if (mysqli_poll($read, $error, $reject, 0, ($this->stale + 20) * 1000) > 0) {
                    break;
                }
                $poke();
            }
            try {
                $this->link->reap_async_query();
                $this->link->query(str_replace(ONE, TWO, $statement));
                return true;
            } catch (mysqli_sql_exception $error) {
                if ($error->getCode() !== 1205) {
                    $this->try(str_replace(ONE, TWO, $statement)); // which is as wrong there
                    return true;
                }
            }
        }
        $this->given_up++;
        echo "  a lock was held for others' $statement\n";
        return false;
    }
}
