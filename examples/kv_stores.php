<?php
// Who has the values of examples/kv.php, and how they are asked for: SQL, memcached and what speaks its protocol, Redis. A new contender is a class here.

declare(strict_types=1);

// A contender: who has the values, and how they are asked for. Each worker makes its own.
interface Store
{
    public function fill(Data $data): void;
    public function get(string $key): mixed;
    // Values by their keys.
    public function get_many(array $keys): array;
    // Of a key that is there.
    public function set(string $key, string $value): bool;
    // Of a key that is not there.
    public function add(string $key, string $value): bool;
    public function remove(array $keys): void;
}

class Sql implements Store
{
    protected readonly mysqli $db;

    public function __construct()
    {
        $this->db = mysqli_init();
        $this->db->real_connect(
            setting('MYSQL_HOST', 'localhost'),
            setting('MYSQL_USER'),
            setting('MYSQL_PASSWORD'),
            setting('MYSQL_DATABASE'),
            (int) setting('MYSQL_PORT', '3306'),
            setting('MYSQL_SOCKET') ?: null,
            MYSQLI_CLIENT_FOUND_ROWS,
        );
        $this->db->set_charset('utf8mb4');
    }

    public function fill(Data $data): void
    {
        $this->db->query('DROP TABLE IF EXISTS kv_demo');
        $this->db->query('CREATE TABLE kv_demo (id VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, '
            . 'value VARCHAR(400) CHARACTER SET utf8mb4 NOT NULL) ENGINE=InnoDB');
        $rows = array_map(fn (int $place) => "('{$data->keys[$place]}', '{$data->first_value($place)}')", range(0, $data->count - 1));
        foreach (array_chunk($rows, 1000) as $some) {
            $this->db->query('INSERT INTO kv_demo VALUES ' . implode(', ', $some));
        }
        $this->open_port();
    }

    // Where MySQL's plugin for memcached clients has its tables it is told of ours, which it reads when it is installed.
    private function open_port(): void
    {
        if (!$this->db->query("SELECT 1 FROM information_schema.tables WHERE table_schema = 'innodb_memcache' AND table_name = 'containers'")->num_rows) {
            return;
        }
        $this->db->query("REPLACE INTO innodb_memcache.containers VALUES ('default', DATABASE(), 'kv_demo', 'id', 'value', '0', '0', '0', 'PRIMARY')");
        if ($this->db->query("SELECT 1 FROM information_schema.plugins WHERE plugin_name = 'daemon_memcached'")->num_rows) {
            $this->db->query('UNINSTALL PLUGIN daemon_memcached');
        }
        $this->db->query("INSTALL PLUGIN daemon_memcached SONAME 'libmemcached.so'");
    }

    public function get(string $key): mixed
    {
        return $this->db->query("SELECT value FROM kv_demo WHERE id = '" . $this->db->real_escape_string($key) . "'")->fetch_row()[0] ?? null;
    }

    public function get_many(array $keys): array
    {
        return array_column($this->db->query("SELECT id, value FROM kv_demo WHERE id IN ({$this->list($keys)})")->fetch_all(), 1, 0);
    }

    public function set(string $key, string $value): bool
    {
        $this->db->query("UPDATE kv_demo SET value = '" . $this->db->real_escape_string($value) . "' WHERE id = '" . $this->db->real_escape_string($key) . "'");
        return $this->db->affected_rows === 1;
    }

    public function add(string $key, string $value): bool
    {
        return $this->db->query("INSERT INTO kv_demo VALUES ({$this->list([$key, $value])})");
    }

    public function remove(array $keys): void
    {
        foreach (array_chunk($keys, 1000) as $some) {
            $this->db->query("DELETE FROM kv_demo WHERE id IN ({$this->list($some)})");
        }
    }

    private function list(array $texts): string
    {
        return "'" . implode("', '", array_map($this->db->real_escape_string(...), $texts)) . "'";
    }
}

final class Prepared extends Sql
{
    private array $statements = [];

    private function run(string $sql, array $values): mysqli_stmt
    {
        $statement = $this->statements[$sql] ??= $this->db->prepare($sql);
        $statement->execute($values);
        return $statement;
    }

    public function get(string $key): mixed
    {
        return $this->run('SELECT value FROM kv_demo WHERE id = ?', [$key])->get_result()->fetch_row()[0] ?? null;
    }

    public function get_many(array $keys): array
    {
        $places = implode(', ', array_fill(0, count($keys), '?'));
        return array_column($this->run("SELECT id, value FROM kv_demo WHERE id IN ($places)", $keys)->get_result()->fetch_all(), 1, 0);
    }

    public function set(string $key, string $value): bool
    {
        return $this->run('UPDATE kv_demo SET value = ? WHERE id = ?', [$value, $key])->affected_rows === 1;
    }

    public function add(string $key, string $value): bool
    {
        return $this->run('INSERT INTO kv_demo VALUES (?, ?)', [$key, $value])->affected_rows === 1;
    }
}

// Rows by their keys as Vaquita gives them.
final class Explicit extends Sql
{
    private readonly Vaquita\Kv $kv;

    public function __construct()
    {
        parent::__construct();
        $this->kv = Vaquita\kv($this->db, 'kv_demo', ['value']);
    }

    public function get(string $key): mixed
    {
        return $this->kv->get($key)['value'] ?? null;
    }

    public function get_many(array $keys): array
    {
        return array_map(fn (array $row) => $row['value'], $this->kv->getMulti($keys));
    }

    public function set(string $key, string $value): bool
    {
        $this->kv->set($key, ['value' => $value]);
        return true;
    }

    public function add(string $key, string $value): bool
    {
        return $this->kv->add($key, ['value' => $value]);
    }
}

// memcached, or MySQL's port for such clients: it is the same to them.
final class Cache implements Store
{
    private readonly Memcached $cache;

    public function __construct()
    {
        [$host, $port] = explode(':', setting('MEMCACHED', '127.0.0.1:11211'));
        $this->cache = new Memcached();
        // What is left of a request does not wait until its first packet has arrived.
        $this->cache->setOption(Memcached::OPT_TCP_NODELAY, true);
        $this->cache->addServer($host, (int) $port);
    }

    // Each value also by the name that MySQL's port has for it: so memcached can stand in the port's place.
    public function fill(Data $data): void
    {
        for ($place = 0; $place < $data->count; $place++) {
            foreach (['', '@@default.'] as $before) {
                $this->cache->set($before . $data->keys[$place], $data->first_value($place)) || throw new RuntimeException($this->cache->getResultMessage());
            }
        }
    }

    public function get(string $key): mixed
    {
        return $this->cache->get($key);
    }

    public function get_many(array $keys): array
    {
        return $this->cache->getMulti($keys) ?: [];
    }

    public function set(string $key, string $value): bool
    {
        return $this->cache->set($key, $value);
    }

    public function add(string $key, string $value): bool
    {
        return $this->cache->add($key, $value);
    }

    public function remove(array $keys): void
    {
        array_map($this->cache->delete(...), $keys); // deleteMulti() sends them one by one too
    }
}

// One of the instances, each of which has everything: which one is up to the worker.
class OneRedis implements Store
{
    protected readonly array $all;

    public function __construct(int $worker)
    {
        $addresses = explode(',', setting('REDIS', '127.0.0.1:6379'));
        $this->all = array_map($this->connect(...), $this->choose($addresses, $worker));
    }

    protected function choose(array $addresses, int $worker): array
    {
        return [$addresses[$worker % count($addresses)]];
    }

    private function connect(string $address): Redis
    {
        $redis = new Redis();
        [$host, $port] = explode(':', $address);
        $redis->connect($host, (int) $port);
        return $redis;
    }

    public function fill(Data $data): void
    {
        $values = array_map($data->first_value(...), range(0, $data->count - 1));
        foreach (explode(',', setting('REDIS', '127.0.0.1:6379')) as $address) {
            $this->connect($address)->mSet(array_combine($data->keys, $values));
        }
    }

    protected function of(string $key): Redis
    {
        return $this->all[0];
    }

    public function get(string $key): mixed
    {
        return $this->of($key)->get($key);
    }

    public function get_many(array $keys): array
    {
        return array_combine($keys, $this->all[0]->mGet($keys));
    }

    public function set(string $key, string $value): bool
    {
        return $this->of($key)->set($key, $value);
    }

    public function add(string $key, string $value): bool
    {
        return $this->of($key)->set($key, $value, ['nx']);
    }

    public function remove(array $keys): void
    {
        foreach ($keys as $key) {
            $this->of($key)->del($key);
        }
    }
}

// Each key has its instance.
final class SplitRedis extends OneRedis
{
    protected function choose(array $addresses, int $worker): array
    {
        return $addresses;
    }

    protected function of(string $key): Redis
    {
        return $this->all[crc32($key) % count($this->all)];
    }

    public function get_many(array $keys): array
    {
        $shares = [];
        foreach ($keys as $key) {
            $shares[crc32($key) % count($this->all)][] = $key;
        }
        $found = [];
        foreach ($shares as $at => $share) {
            $found += array_combine($share, $this->all[$at]->mGet($share));
        }
        return $found;
    }
}

// Many requests, each of one key, on their way before the first is answered.
final class PipelinedRedis extends OneRedis
{
    public function get_many(array $keys): array
    {
        $pipeline = $this->all[0]->pipeline();
        foreach ($keys as $key) {
            $pipeline->get($key);
        }
        return array_combine($keys, $pipeline->exec());
    }
}
