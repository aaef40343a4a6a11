<?php
/*
 * A try as it happens: its connections, and what the driver told of each row that it was to write.
 *
 * A row is `never` written as long as nothing was sent that would write it, `unknown` from then on, and `done` when the driver said so.
 */

declare(strict_types=1);

/** The driver did not behave, whatever the network did. */
final class Wrong extends Exception
{
}

final class Trial
{
    public const DATABASE = 'faults';
    /** Rows of the table `numbers`, each with so many bytes of filler. */
    public const ROWS = 500;
    /** Errors of a server that is not there, or comes back. */
    private const DOWN = [2002, 2006, 2013, 2027, 1053, 1040];
    private const RETURN_SECONDS = 90;
    /** How long a connection may wait on a network that is whole again; a busy machine is slow. */
    private const AFTERWARDS_SECONDS = 10;

    /** @var array<int, string> */
    public array $told = [];
    /** @var list<list<int>> rows that are all there or none of them */
    public array $together = [];
    /** @var list<array{string, int, string}> what failed, at which step */
    public array $errors = [];
    /** @var list<string> */
    public array $wrong = [];
    /** How long the longest step took. @var array{float, string} */
    public array $longest = [0.0, ''];
    public string $step = '';
    /** How many rows by key came from the server's port. */
    public int $by_port = 0;
    private readonly Relay $relay;
    /** The one on which the network breaks. */
    public readonly Relay $breaking;
    private bool $has_cut = false;
    private bool $is_armed = false;
    /** The connection that the next call is tried on, if this one breaks. */
    public mysqli|PDO|null $last = null;

    public function __construct(public readonly Place $place, public readonly Plan $plan, public readonly ?Spoiler $spoiler, Relays $relays)
    {
        $this->relay = $relays->of(str_starts_with($plan->transport, 'unix'));
        $this->breaking = $plan->is_by_port() ? $relays->of_port() : $this->relay;
    }

    /** Does it all, and looks whether the connections behave afterwards. @return bool whether something was cut */
    public function run(): bool
    {
        try {
            $acts = array_filter([PdoActs::class, KvActs::class, PortActs::class, FirstActs::class], fn(string $class) => isset($class::ALL[$this->plan->act]));
            $acts = new (array_values($acts)[0] ?? Acts::class)($this);
            $acts->{str_replace(' ', '_', $this->plan->act)}();
            $this->errors === [] && $this->spoiler?->after($this);
        } catch (mysqli_sql_exception | PDOException $e) {
            $this->errors[] = [$this->step, self::number($e), $e->getMessage()];
        } catch (Wrong $e) {
            $this->wrong[] = "$this->step: {$e->getMessage()}";
        }
        if ($this->errors !== [] && $this->last !== null && $this->wrong === []) {
            $this->try_again();
        }
        $this->last = null;
        $this->calm();
        $this->connect_again();
        return $this->has_cut;
    }

    /** The next call on a broken link says so, and does nothing. */
    private function try_again(): void
    {
        $this->told[99] = 'never';
        try {
            $this->timed('next call', fn() => $this->last instanceof PDO ? $this->last->exec($this->insert(99)) : $this->last->query($this->insert(99)));
            $this->wrong[] = "the link goes on after an error: {$this->errors[0][2]}";
            $this->told[99] = 'done';
        } catch (mysqli_sql_exception | PDOException $e) {
            self::number($e) === 2006 || $this->wrong[] = 'the next call on the broken link says ' . self::number($e) . ": {$e->getMessage()}";
        }
    }

    /** The next connection works; where the server is killed, as soon as it is back. */
    private function connect_again(): void
    {
        $until = microtime(true) + self::RETURN_SECONDS;
        for ($item = 1000;; $item++) {
            $this->told[$item] = 'never';
            try {
                $link = $this->timed('next connection', $this->another(...));
                $is_pdo = $link instanceof PDO;
                $row = $is_pdo ? $link->query("SELECT {$this->plan->number}")->fetch(PDO::FETCH_NUM) : $link->query("SELECT {$this->plan->number}")->fetch_row();
                (int) $row[0] === $this->plan->number || $this->wrong[] = "the next connection has rows of another: $row[0]";
                $this->told[$item] = 'unknown';
                $is_pdo ? $link->exec($this->insert($item)) : $link->query($this->insert($item));
                $this->told[$item] = 'done';
                return;
            } catch (mysqli_sql_exception | PDOException $e) {
                if (!$this->plan->is_kill || !in_array(self::number($e), self::DOWN, true) || microtime(true) > $until) {
                    $this->wrong[] = 'the next connection does not work: ' . self::number($e) . " {$e->getMessage()}";
                    return;
                }
                usleep(50_000);
            }
        }
    }

    /** Another connection of the same kind; a persistent one is taken again only with the same time-outs. */
    private function another(): mysqli|PDO
    {
        $is_persistent = str_contains($this->plan->act, 'persistent');
        return match (true) {
            !str_starts_with($this->plan->act, 'pdo') => $this->mysqli($is_persistent ? 'p:' : '', $is_persistent ? null : self::AFTERWARDS_SECONDS),
            $is_persistent => $this->pdo([PDO::ATTR_PERSISTENT => $this->name()]),
            default => $this->pdo([], self::AFTERWARDS_SECONDS),
        };
    }

    /** Of persistent handles of PDO, which don't ask with which options they were made. */
    public function name(): string
    {
        return "{$this->plan->transport} {$this->plan->time_out()}";
    }

    private static function number(mysqli_sql_exception|PDOException $e): int
    {
        return $e instanceof PDOException ? (int) ($e->errorInfo[1] ?? $e->getCode()) : $e->getCode();
    }

    /** A step, by its name and what it took. */
    public function timed(string $step, Closure $work): mixed
    {
        $this->step = $step;
        $from = microtime(true);
        try {
            return $work();
        } finally {
            $took = microtime(true) - $from;
            if ($took > $this->longest[0]) {
                $this->longest = [round($took, 3), $step];
            }
        }
    }

    /** The network breaks from now on. */
    public function arm(): void
    {
        if (!$this->is_armed) {
            $this->is_armed = true;
            $this->breaking->does($this->plan->fault->command());
        }
    }

    /** The network is whole, and stays it. */
    public function calm(): void
    {
        $this->has_cut = $this->breaking->clear() || $this->has_cut;
        $this->is_armed = true;
    }

    /** A connection of mysqli's, upon which the fault comes. */
    public function link(string $before = ''): mysqli
    {
        $this->plan->meets_connecting && $this->arm();
        $this->last = null;
        $link = $this->timed('connect', fn() => $this->mysqli($before));
        $this->arm();
        return $this->last = $link;
    }

    public function pdo_link(array $attributes = []): PDO
    {
        $this->plan->meets_connecting && $this->arm();
        $link = $this->timed('connect', fn() => $this->pdo($attributes));
        $this->arm();
        return $this->last = $link;
    }

    public function mysqli(string $before = '', ?int $time_out = null): mysqli
    {
        $time_out ??= $this->plan->time_out();
        $transport = $this->plan->transport;
        $link = mysqli_init();
        $link->options(MYSQLI_OPT_CONNECT_TIMEOUT, $time_out);
        $link->options(MYSQLI_OPT_READ_TIMEOUT, $time_out);
        $flags = (str_contains($transport, 'tls') ? MYSQLI_CLIENT_SSL : 0) | (preg_match('/zlib|zstd/', $transport) ? MYSQLI_CLIENT_COMPRESS : 0);
        ini_set('vaquita.compression', str_contains($transport, 'zstd') ? 'zstd' : 'zlib');
        [$host, $port, $socket] = str_starts_with($transport, 'unix') ? ['localhost', 0, $this->relay->address] : ['127.0.0.1', (int) $this->relay->address, ''];
        $link->real_connect($before . $host, $this->place->of('USER'), $this->place->of('PASSWORD'), self::DATABASE, $port, $socket, $flags);
        return $link;
    }

    public function pdo(array $attributes = [], ?int $time_out = null): PDO
    {
        $time_out ??= $this->plan->time_out();
        $transport = $this->plan->transport;
        ini_set('vaquita.compression', str_contains($transport, 'zstd') ? 'zstd' : 'zlib');
        ini_set('vaquita.read_timeout', (string) $time_out);
        $where = str_starts_with($transport, 'unix') ? "unix_socket={$this->relay->address}" : "host=127.0.0.1;port={$this->relay->address}";
        $attributes += [PDO::ATTR_TIMEOUT => $time_out, PDO::MYSQL_ATTR_COMPRESS => (bool) preg_match('/zlib|zstd/', $transport)];
        $attributes += str_contains($transport, 'tls') ? [PDO::MYSQL_ATTR_SSL_CIPHER => 'DEFAULT', PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => false] : [];
        return new PDO("mysql:$where;dbname=" . self::DATABASE, $this->place->of('USER'), $this->place->of('PASSWORD'), $attributes);
    }

    /** The statement that writes a row. */
    public function insert(int|string $item): string
    {
        return "INSERT INTO counter (try, item) VALUES ({$this->plan->number}, $item)";
    }

    /** Writes rows, each on its own or all together. @param list<int> $items */
    public function write(string $step, array $items, Closure $work): mixed
    {
        $this->sent($items);
        $come = $this->timed($step, $work);
        $this->done($items);
        return $come;
    }

    /** @param list<int> $items */
    public function sent(array $items): void
    {
        foreach ($items as $item) {
            $this->told[$item] = 'unknown';
        }
    }

    /** @param list<int> $items */
    public function done(array $items): void
    {
        foreach ($items as $item) {
            $this->told[$item] = 'done';
            $this->spoiler?->wrote($this, $item);
        }
    }

    /** The rows that `many()` asks for: each is what it should be, and so are they all. */
    public function check_row(int $place, ?array $row): void
    {
        $row !== null || throw new Wrong("the result ends after $place rows, without an error");
        $row = array_values($row);
        $row = $this->spoiler?->row($this, $row) ?? $row;
        (int) $row[0] === $this->plan->number || throw new Wrong("a row of another query: try $row[0]");
        ((int) $row[1] === $place && $row[2] === str_repeat(md5((string) $place), 3)) || throw new Wrong("row $place is $row[1] $row[2]");
    }

    /** @param list<array> $rows */
    public function check_rows(array $rows, int $count = self::ROWS): void
    {
        for ($place = 0; $place < $count; $place++) {
            $this->check_row($place, $rows[$place] ?? null);
        }
        count($rows) === $count || throw new Wrong('there are ' . count($rows) . " rows instead of $count");
    }

    /** Reads the rows of `many()` one by one. */
    public function read(mysqli|mysqli_stmt|PDOStatement $from, Closure $fetch, int $count = self::ROWS): void
    {
        for ($place = 0; $place <= $count; $place++) {
            $row = $this->timed('fetch', $fetch) ?: null;
            $errno = $from instanceof PDOStatement ? (int) $from->errorInfo()[1] : $from->errno;
            if ($row === null && $errno !== 0) {
                throw new mysqli_sql_exception('told without an exception', $errno);
            }
            if ($place === $count) {
                $row === null || throw new Wrong('there are more rows');
                return;
            }
            $this->check_row($place, $row);
        }
    }

    public function many(int $count = self::ROWS): string
    {
        return "SELECT {$this->plan->number}, k, filler FROM numbers WHERE k < $count ORDER BY k";
    }
}

/** Relays to the server's port, its socket and its key-value port, made when they are needed. */
final class Relays
{
    /** @var array<string, Relay> */
    private array $relays = [];

    public function __construct(private readonly Place $place)
    {
    }

    public function of(bool $is_unix): Relay
    {
        return $this->to($is_unix ? $this->place->of('SOCKET') : $this->place->of('HOST') . ':' . $this->place->of('PORT'));
    }

    public function of_port(): Relay
    {
        return $this->to($this->place->key_value_address() ?? throw new Exception("{$this->place->name} has no key-value port"));
    }

    private function to(string $server): Relay
    {
        return $this->relays[$server] ??= new Relay($server);
    }
}
