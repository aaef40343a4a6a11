<?php
/*
 * What a script does in a try whose network breaks on the way to the server's key-value port. The server itself is reached as ever, so no call may fail: what
 * the port does not give in time is asked of SQL. Each value says whose it is and which one it is, so that none can be taken for another.
 */

declare(strict_types=1);

final class PortActs
{
    /** As Acts::ALL, on the connection to the port. */
    public const ALL = [
        'port kv' => [700, 8000],
        'port query' => [700, 8000],
        'pdo port kv' => [700, 8000],
        'pdo port query' => [700, 8000],
    ];
    private const ITEMS = 6;
    private const ROUNDS = 4;
    private const VALUE_BYTES = 600;
    /** How long a port whose network is whole may stay unused: after an error the driver leaves it alone for a second. */
    private const PATIENCE_SECONDS = 10;

    /** @var array<string, string> the values by their keys, as they were written */
    private array $values = [];
    private int $version = 0;
    private mysqli|PDO|null $db = null;
    /** @var array{get: Closure, many: Closure, set: Closure} how this act reads and writes */
    private array $ways;

    public function __construct(private readonly Trial $trial)
    {
    }

    /** The table, of which the port is told. */
    public static function make(mysqli $link, Place $place): void
    {
        $link->query('CREATE TABLE ported (k VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, v VARCHAR(1000) CHARACTER SET utf8mb4 NOT NULL) ENGINE = InnoDB');
        if ($place->is_mariadb() || $place->key_value_address() === null) {
            return;
        }
        if ($link->query("SELECT 1 FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'daemon_memcached'")->num_rows > 0) {
            $link->query('UNINSTALL PLUGIN daemon_memcached');
        }
        $link->query("REPLACE INTO innodb_memcache.containers VALUES ('ported', '" . Trial::DATABASE . "', 'ported', 'k', 'v', '0', '0', '0', 'PRIMARY')");
        $link->query("INSTALL PLUGIN daemon_memcached SONAME 'libmemcached.so'");
    }

    public function port_kv(): void
    {
        $this->play($this->trial->mysqli(...), $this->by_kv(...));
    }

    public function pdo_port_kv(): void
    {
        $this->play($this->trial->pdo(...), $this->by_kv(...));
    }

    public function port_query(): void
    {
        $this->play($this->trial->mysqli(...), $this->by_mysqli(...));
    }

    public function pdo_port_query(): void
    {
        $this->play($this->trial->pdo(...), $this->by_pdo(...));
    }

    /** Reads and writes on a whole network, on a broken one, and on one that is whole again. */
    private function play(Closure $open, Closure $ways): void
    {
        $t = $this->trial;
        $settings = ['kv' => 'on', 'kv_address' => '127.0.0.1:' . $t->breaking->address, 'kv_tables' => $t->place->is_mariadb() ? Trial::DATABASE . '.ported' : '', 'kv_max_stale_ms' => '60000'];
        foreach ($settings as $name => $value) {
            ini_set("vaquita.$name", $value) !== false || throw new Exception("vaquita.$name can't be $value");
        }
        try {
            $this->connect($open, $ways);
            // What was known of before, of a server that was killed meanwhile, too.
            Vaquita\kv($this->db)->refresh();
            for ($item = 0; $item < self::ITEMS; $item++) {
                $this->set("{$t->plan->number}-$item");
            }
            $this->read_until_the_port_answers();
            if ($t->plan->meets_connecting) {
                // The port's connection goes with the last of those that use it.
                $this->leave();
                $t->arm();
                $this->connect($open, $ways);
            }
            $t->arm();
            $this->read_and_write();
            $t->calm();
            $this->read_until_the_port_answers();
            $this->read_and_write();
            $this->leave();
        } finally {
            ini_set('vaquita.kv', 'off');
            [$this->db, $this->ways] = [null, []];
        }
    }

    private function connect(Closure $open, Closure $ways): void
    {
        $this->trial->last = null;
        $this->db = $this->trial->last = $this->trial->timed('connect', $open);
        $this->ways = $ways($this->db);
    }

    private function leave(): void
    {
        $differing = $this->statistics()['reasons']['differs'] ?? 0;
        $differing === 0 || throw new Wrong("$differing rows of the port's were not SQL's");
        $this->trial->by_port += $this->statistics()['answered'];
        [$this->db, $this->ways, $this->trial->last] = [null, [], null];
    }

    private function statistics(): array
    {
        return Vaquita\kv($this->db)->statistics();
    }

    private function read_until_the_port_answers(): void
    {
        $before = $this->statistics()['answered'];
        $until = microtime(true) + self::PATIENCE_SECONDS;
        while ($this->statistics()['answered'] === $before) {
            microtime(true) < $until || throw new Wrong('a port whose network is whole is not asked: ' . json_encode($this->statistics()));
            $this->get(array_key_first($this->values));
            usleep(10_000);
        }
    }

    /** A value is read before and after it is written: an answer that comes late would be the one of before. */
    private function read_and_write(): void
    {
        $keys = array_keys($this->values);
        for ($round = 0; $round < self::ROUNDS; $round++) {
            $key = $keys[($this->trial->plan->number + $round) % self::ITEMS];
            $this->get($key);
            $this->set($key);
            $this->get($key);
            $found = ($this->ways['many'])([...$keys, "{$this->trial->plan->number}-none"]);
            array_keys($found) === $keys || throw new Wrong('rows are found of ' . implode(', ', array_keys($found)));
            array_map($this->check(...), $keys, $found);
        }
    }

    private function get(string $key): void
    {
        $this->check($key, ($this->ways['get'])($key));
    }

    private function set(string $key): void
    {
        $version = ++$this->version;
        $value = substr("$key, $version: " . str_repeat(md5("$key $version"), 20), 0, crc32("$key $version") % self::VALUE_BYTES + 20);
        ($this->ways['set'])($key, $value);
        $this->values[$key] = $value;
    }

    private function check(string $key, ?string $found): void
    {
        $found = $this->trial->spoiler?->value($this->trial, $found) ?? $found;
        $begin = fn(?string $value) => $value === null ? 'none' : substr($value, 0, 20) . ' (' . strlen($value) . ' bytes)';
        $found === $this->values[$key] || throw new Wrong("the value of $key is {$begin($found)} instead of {$begin($this->values[$key])}");
    }

    private function by_kv(mysqli|PDO $db): array
    {
        $t = $this->trial;
        $kv = Vaquita\kv($db, 'ported', ['v']);
        return [
            'get' => fn(string $key) => $t->timed('get', fn() => $kv->get($key))['v'] ?? null,
            'many' => fn(array $keys) => array_map(fn(array $row) => $row['v'], $t->timed('getMulti', fn() => $kv->getMulti($keys))),
            'set' => fn(string $key, string $value) => $t->timed('set', fn() => $kv->set($key, ['v' => $value])),
        ];
    }

    /** By queries, buffered or not, or by a prepared statement. */
    private function by_mysqli(mysqli $db): array
    {
        $rows = match ($this->trial->plan->number % 3) {
            0 => fn(string $key) => $db->query("SELECT v FROM ported WHERE k = '$key'")->fetch_all(),
            1 => fn(string $key) => $db->query("SELECT v FROM ported WHERE k = '$key'", MYSQLI_USE_RESULT)->fetch_all(),
            2 => self::prepared($db->prepare('SELECT v FROM ported WHERE k = ?')),
        };
        return $this->one_by_one(fn(string $key) => $rows($key)[0][0] ?? null, fn(string $key, string $value) => $db->query("REPLACE INTO ported VALUES ('$key', '$value')"));
    }

    private static function prepared(mysqli_stmt $select): Closure
    {
        return function (string $key) use ($select) {
            $select->execute([$key]);
            return $select->get_result()->fetch_all();
        };
    }

    /** By statements that the driver or the server prepares. */
    private function by_pdo(PDO $db): array
    {
        $db->setAttribute(PDO::ATTR_EMULATE_PREPARES, $this->trial->plan->number % 2 === 0);
        $select = $db->prepare('SELECT v FROM ported WHERE k = ?');
        $get = function (string $key) use ($select) {
            $select->execute([$key]);
            return $select->fetchAll(PDO::FETCH_COLUMN)[0] ?? null;
        };
        return $this->one_by_one($get, fn(string $key, string $value) => $db->exec("REPLACE INTO ported VALUES ('$key', '$value')"));
    }

    /** @param Closure(string): ?string $select @param Closure(string, string): mixed $write */
    private function one_by_one(Closure $select, Closure $write): array
    {
        $t = $this->trial;
        $get = fn(string $key) => $t->timed('select', fn() => $select($key));
        $many = fn(array $keys) => array_filter(array_combine($keys, array_map($get, $keys)), is_string(...));
        return ['get' => $get, 'many' => $many, 'set' => fn(string $key, string $value) => $t->timed('replace', fn() => $write($key, $value))];
    }
}
