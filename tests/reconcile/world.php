<?php
/*
 * What the steps work with: links that stay open, tables, ways to connect; and the plan in which they note what they ask.
 */

declare(strict_types=1);

final class World
{
    public const DATABASE = 'reconcile';
    public const OTHER_DATABASE = 'reconcile_b';
    /** Rows of the table t, which no step changes for others. */
    public const ROWS = 20;
    private const LINKS = 3;

    public readonly Plan $plan;
    public readonly Observer $observer;
    /** @var list<array{string, mysqli}> ways and links */
    private array $links = [];
    /** @var array<string, Closure(): object> how to take what is idle */
    private array $idle = [];
    /** @var list<object> what is held while nobody is to be idle */
    private array $held = [];
    private int $keys = 1000;

    public function __construct(public readonly Place $place, public readonly Dice $dice)
    {
        $this->plan = new Plan();
        $this->make();
        $this->observer = new Observer($place);
        for ($i = 0; $i < self::LINKS; $i++) {
            $way = $this->way();
            $this->links[] = [$way, $this->connect($way)];
        }
    }

    /** Before the first observation. */
    private function make(): void
    {
        $link = new mysqli('localhost', $this->place->of('USER'), $this->place->of('PASSWORD'), '', 0, $this->place->of('SOCKET'));
        foreach ([self::DATABASE, self::OTHER_DATABASE] as $database) {
            $link->query("DROP DATABASE IF EXISTS $database");
            $link->query("CREATE DATABASE $database CHARACTER SET utf8mb4");
        }
        $link->select_db(self::DATABASE);
        $link->query('CREATE TABLE t (k INT PRIMARY KEY, a VARCHAR(100), n INT) ENGINE = InnoDB');
        $link->query('INSERT INTO t VALUES ' . implode(', ', array_map(fn(int $k) => "($k, 'row $k', $k)", range(1, self::ROWS))));
        $link->query('CREATE PROCEDURE two_results() BEGIN SELECT k FROM t WHERE k < 4; SELECT a FROM t WHERE k < 3; END');
        $link->query('CREATE PROCEDURE many(times INT) BEGIN DECLARE i INT DEFAULT 0; WHILE i < times DO SET i = i + 1; DO i; END WHILE; END');
        $link->close();
    }

    /** A way to connect: how bytes go. */
    public function way(): string
    {
        $ways = ['unix', 'unix', 'tcp', 'unix zlib', ...($this->place->has_tls() ? ['tcp tls', 'tcp tls zlib'] : []), ...($this->place->name === 'mysql80' ? ['unix zstd'] : [])];
        return $this->dice->any($ways);
    }

    /** A new connection. @param array<int, string> $options of mysqli */
    public function connect(string $way = 'unix', string $before = '', string $database = self::DATABASE, array $options = [], ?string $password = null): mysqli
    {
        $link = mysqli_init();
        foreach ($options as $option => $value) {
            $link->options($option, $value);
        }
        $flags = (str_contains($way, 'tls') ? MYSQLI_CLIENT_SSL : 0) | (preg_match('/zlib|zstd/', $way) ? MYSQLI_CLIENT_COMPRESS : 0)
            | (str_contains($way, 'interactive') ? MYSQLI_CLIENT_INTERACTIVE : 0);
        ini_set('vaquita.compression', str_contains($way, 'zstd') ? 'zstd' : 'zlib');
        $password ??= $this->place->of('PASSWORD');
        if (str_starts_with($way, 'unix')) {
            $link->real_connect("{$before}localhost", $this->place->of('USER'), $password, $database, 0, $this->place->of('SOCKET'), $flags);
        } else {
            $link->real_connect($before . $this->place->of('HOST'), $this->place->of('USER'), $password, $database, (int) $this->place->of('PORT'), '', $flags);
        }
        return $link;
    }

    public function close(mysqli $link): void
    {
        $this->plan->note('COM_QUIT');
        $this->give_back($link);
    }

    /** Closes a link that goes without a goodbye: a persistent one, or one that has ended. */
    public function give_back(mysqli $link): void
    {
        $link->close();
        $this->settle();
    }

    /** A persistent link; whoever is done with it gives it back, and it is idle. */
    public function persistent(string $way = 'unix', string $database = self::DATABASE, array $options = []): mysqli
    {
        $take = fn(): mysqli => $this->connect($way, 'p:', $database, $options);
        $this->idle["mysqli $way $database " . json_encode($options)] = $take;
        return $take();
    }

    /** @param array<int, mixed> $attributes */
    public function pdo(array $attributes = [], string $way = 'unix'): PDO
    {
        $dsn = str_starts_with($way, 'unix') ? 'unix_socket=' . $this->place->of('SOCKET') : 'host=' . $this->place->of('HOST') . ';port=' . $this->place->of('PORT');
        $attributes += [PDO::MYSQL_ATTR_COMPRESS => str_contains($way, 'zlib')];
        ini_set('vaquita.compression', 'zlib');
        return new PDO("mysql:$dsn;dbname=" . self::DATABASE, $this->place->of('USER'), $this->place->of('PASSWORD'), $attributes);
    }

    public function persistent_pdo(string $name): PDO
    {
        $take = fn(): PDO => $this->pdo([PDO::ATTR_PERSISTENT => $name]);
        $this->idle["PDO $name"] = $take;
        return $take();
    }

    /** One of the links that stay open. */
    public function link(): mysqli
    {
        return $this->dice->any($this->links)[1];
    }

    /** @return list<mysqli> all of them */
    public function links(): array
    {
        return array_column($this->links, 1);
    }

    /** Another takes the place of one of them. */
    public function renew(): void
    {
        $place = $this->dice->number(0, self::LINKS - 1);
        $this->close($this->links[$place][1]);
        $way = $this->way();
        $this->links[$place] = [$way, $this->connect($way)];
    }

    /** A key of t that no other step has. */
    public function key(): int
    {
        return $this->keys++;
    }

    /** One connection ends after another. */
    public function settle(): void
    {
        $all = Vaquita\statistics();
        $this->observer->await_connections($all['connections']['open'] + $all['pool']['idle']);
    }

    /**
     * Has nothing of what was sent or said be on its way: what was to be closed is closed, and replies that persistent connections are owed
     * are read, because somebody takes these.
     */
    public function quiet(): void
    {
        foreach ($this->links() as $link) {
            $this->plan->note('COM_PING');
            $link->ping();
        }
        foreach ($this->idle as $take) {
            do {
                $before = Vaquita\pool_stats()['idle'];
                $taken = $take();
                if ($taken instanceof mysqli) {
                    $this->plan->note('COM_PING');
                    $taken->ping();
                } else {
                    $taken->query($this->plan->asks('SELECT 1'))->fetchAll();
                }
                $this->held[] = $taken;
            } while (Vaquita\pool_stats()['idle'] < $before && Vaquita\pool_stats()['idle'] > 0);
        }
    }

    /** They are idle again. */
    public function unquiet(): void
    {
        while ($this->held !== []) {
            array_pop($this->held);
            $this->settle();
        }
    }
}
