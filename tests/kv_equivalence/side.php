<?php
/*
 * One of the two connections that play the same steps: with the port or without it. What came of a step is everything that a script could see, as
 * a text; the names of the databases are made the same.
 */

declare(strict_types=1);

abstract class Side
{
    /** @var list<string> what PHP has warned of in this step */
    private static array $notices = [];
    /** @var list<object> results that nobody reads to their end */
    protected array $pending = [];
    /** @var array<string, object> prepared statements by their text */
    protected array $statements = [];
    protected ?object $link = null;
    private array $counted_before = [];
    private array $counted = [];
    /** Changes what came of a step, to see whether it is noticed. */
    public ?Closure $spoiler = null;

    /** @param array<string, mixed> $as how it connects */
    public function __construct(protected readonly Server $server, protected readonly bool $has_port, protected array $as)
    {
    }

    public static function hear_notices(): void
    {
        set_error_handler(function (int $level, string $message): bool {
            // By which index more than one row is found, the server chooses by what it guesses of each table.
            if (!preg_match('/No index used.*[<>]/s', $message)) {
                self::$notices[] = "$level $message";
            }
            return true;
        });
    }

    abstract protected function connect(): object;

    /** How the connection's state looks now. */
    abstract protected function state(): array;

    abstract protected function ask(string $way, string $sql, array $parameters, string $types): array;

    abstract protected function call(string $what, array $arguments): mixed;

    protected function sql(string $sql): string
    {
        return $this->has_port ? $sql : str_replace(ONE, TWO, $sql);
    }

    public function play(array $step): string
    {
        self::$notices = [];
        mysqli_report($this->as['report'] ?? MYSQLI_REPORT_OFF); // it is the process's
        try {
            $came = match ($step[0]) {
                'connect' => $this->open($step[1] ?? []),
                'close' => $this->close(),
                'ask' => $this->ask($step[1], $this->sql($step[2]), $step[3], $step[4]),
                'call' => $this->call($step[1], array_map(fn(mixed $it) => is_string($it) ? $this->sql($it) : $it, $step[2])),
                'free' => $this->pending = [],
                'kill' => $this->kill(),
            };
        } catch (Throwable $error) {
            $came = ['thrown' => self::thrown($error)];
        }
        try {
            $state = $this->link === null ? [] : $this->state();
        } catch (Throwable $error) {
            $state = ['thrown' => self::thrown($error)];
        }
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $outcome = ['came' => $came, 'state' => $state, 'notices' => self::$notices];
        if ($this->spoiler !== null) {
            $outcome = ($this->spoiler)($outcome);
        }
        return self::same_names(serialize($outcome));
    }

    /** Without what differs from connection to connection: the databases' names, which are of one length, and the numbers of statements. */
    private static function same_names(string $outcome): string
    {
        $outcome = str_replace([TWO, strtoupper(TWO)], [ONE, strtoupper(ONE)], $outcome);
        // Where the server has quoted no more of a statement than that.
        $outcome = preg_replace('/kv_(o|on|t|tw)(?=\\\\?\')/', 'kv_', $outcome);
        return preg_replace_callback('/s:\d+:"([^"]*?Unknown prepared statement handler \()\d+/', fn(array $match) => 's:n:"' . $match[1] . 'n', $outcome) ?? $outcome;
    }

    private static function thrown(Throwable $error): array
    {
        $info = $error instanceof PDOException ? $error->errorInfo : null;
        $sqlstate = $error instanceof mysqli_sql_exception ? $error->getSqlState() : null;
        return [$error::class, $error->getCode(), $error->getMessage(), $sqlstate, $info];
    }

    private function open(array $as): bool
    {
        $this->close();
        $this->as = $as + $this->as;
        $this->server->set_port($this->has_port);
        $this->link = $this->connect();
        $this->link->query('SELECT 1'); // on MariaDB a new connection's FOUND_ROWS() may be somebody else's
        $this->counted_before = $this->server->statistics($this->link) ?? [];
        return true;
    }

    public function close(): bool
    {
        $this->count();
        $this->pending = $this->statements = [];
        $this->link = null;
        $this->counted_before = [];
        return true;
    }

    /** @return array<string, int|array<string, int>> what the driver has counted of this side's connections */
    public function counted(): array
    {
        return $this->counted;
    }

    /** Adds what the driver has counted since the last time. */
    private function count(): void
    {
        $now = $this->link === null || !$this->has_port ? null : $this->server->statistics($this->link);
        if ($now === null) {
            return;
        }
        foreach ($now as $name => $value) {
            if (is_int($value)) {
                $this->counted[$name] = ($this->counted[$name] ?? 0) + $value - ($this->counted_before[$name] ?? 0);
            }
        }
        foreach ($now['reasons'] ?? [] as $reason => $value) {
            $this->counted['reasons'][$reason] = ($this->counted['reasons'][$reason] ?? 0) + $value - ($this->counted_before['reasons'][$reason] ?? 0);
        }
        $this->counted_before = $now;
    }

    abstract protected function thread(): int;

    /** Has somebody else end the connection, and waits until it is gone. */
    private function kill(): bool
    {
        $this->count();
        $this->server->kill($this->thread());
        return true;
    }

    /** What an iterable gives, and how it ends. */
    protected static function all(iterable $rows, int $most = PHP_INT_MAX): array
    {
        $all = [];
        foreach ($rows as $key => $row) {
            $all[] = [$key, $row];
            if (count($all) >= $most) {
                break;
            }
        }
        return $all;
    }
}
