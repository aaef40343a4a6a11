<?php
/*
 * Where a step happens: its dice, the model, and connections, old and new ones, of mysqli and PDO.
 */

declare(strict_types=1);

/** An answer was another one than the model's. */
final class Wrong extends Exception
{
}

/** What callbacks throw. */
final class Thrown extends Exception
{
}

final class Place
{
    public Dice $dice;
    /** One that a command line process keeps from step to step. */
    private ?mysqli $held = null;
    /** @var list<mysqli> what the step has, however it keeps it: an unbuffered result is of no use without its connection */
    private array $of_step = [];
    private int $files = 0;

    /** @param array{host: string, port: int, socket: string, user: string, password: string, database: string} $account */
    public function __construct(
        public readonly array $account,
        public readonly Model $model,
        public readonly Ledger $ledger,
        public readonly string $folder,
        public readonly bool $is_vaquita,
        public readonly bool $is_fpm,
    ) {
    }

    /** A connection for any step that leaves no session behind: the held one, a persistent one or a new one. */
    public function mysqli(): mysqli
    {
        return $this->of_step[] = match ($this->dice->number(1, 5)) {
            1, 2 => $this->is_fpm ? $this->connect('p:') : $this->held ??= $this->connect(),
            3, 4 => $this->connect('p:'),
            5 => $this->connect(),
        };
    }

    /** @param array<int, mixed> $options */
    public function connect(string $prefix = '', array $options = [], int $flags = 0): mysqli
    {
        $db = mysqli_init();
        $options += [MYSQLI_SET_CHARSET_NAME => 'utf8mb4'];
        foreach ($options as $option => $value) {
            $db->options($option, $value);
        }
        ['host' => $host, 'port' => $port, 'socket' => $socket, 'user' => $user, 'password' => $password, 'database' => $database] = $this->account;
        // By TCP or by the socket, plain or compressed.
        [$host, $port, $socket] = $this->dice->one_in(2) ? [$host, $port, null] : ['localhost', 0, $socket];
        $db->real_connect($prefix . $host, $user, $password, $database, $port, $socket, $flags | ($this->dice->one_in(4) ? MYSQLI_CLIENT_COMPRESS : 0));
        return $db;
    }

    /**
     * @param array<int, mixed> $attributes
     * @param positive-int $persistent one of how many is a persistent handle
     */
    public function pdo(array $attributes = [], int $persistent = 2): PDO
    {
        $is_persistent = $this->dice->one_in($persistent);
        $pdo = new PDO($this->dsn(), $this->account['user'], $this->account['password'], [PDO::ATTR_PERSISTENT => $is_persistent]);
        // A persistent handle has those of before.
        $attributes += [PDO::ATTR_EMULATE_PREPARES => $this->dice->one_in(2), PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => !$this->dice->one_in(3), PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION];
        foreach ($attributes as $attribute => $value) {
            $pdo->setAttribute($attribute, $value);
        }
        return $pdo;
    }

    public function dsn(): string
    {
        ['host' => $host, 'port' => $port, 'socket' => $socket, 'database' => $database] = $this->account;
        return 'mysql:' . ($this->dice->one_in(2) ? "host=$host;port=$port" : "unix_socket=$socket") . ";dbname=$database;charset=utf8mb4";
    }

    public function end_step(): void
    {
        $this->of_step = [];
    }

    /** The held connection is of no use any more, or should not be. */
    public function let_go(): void
    {
        $this->held = null;
    }

    public function file(string $content): string
    {
        $path = "$this->folder/file" . ++$this->files . '-' . $this->ledger->process;
        file_put_contents($path, $content);
        chmod($path, 0600); // a trace is for nobody else
        return $path;
    }

    /** @return array{int, int} from which row to which; now and then many of them */
    public function range(int $most = 60): array
    {
        $count = $this->dice->number(1, $this->dice->one_in(20) ? 5000 : $most);
        $from = $this->dice->number(1, Model::ROWS - $count);
        return [$from, $from + $count - 1];
    }

    public static function select(int $from, int $to): string
    {
        return 'SELECT ' . implode(', ', Model::COLUMNS) . " FROM soak_data WHERE id BETWEEN $from AND $to ORDER BY id";
    }

    public function same(string $what, mixed $expected, mixed $found): void
    {
        if ($expected !== $found) {
            throw new Wrong("$what: " . self::difference($expected, $found));
        }
    }

    /** @param list<int> $codes which errors may come, of mysqli, PDO or PHP's own */
    public function fails(string $what, array $codes, Closure $do): void
    {
        try {
            $do();
        } catch (mysqli_sql_exception | PDOException $e) {
            $code = $e instanceof PDOException ? (int) ($e->errorInfo[1] ?? $e->getCode()) : $e->getCode();
            in_array($code, $codes, true) || throw new Wrong("$what: error $code ({$e->getMessage()}) instead of " . implode(' or ', $codes), 0, $e);
            return;
        }
        throw new Wrong("$what: no error, instead of " . implode(' or ', $codes));
    }

    /** What a callback threw has to come through as it is. */
    public function throws(string $what, Closure $do): void
    {
        try {
            $do();
        } catch (Thrown) {
            return;
        }
        throw new Wrong("$what: what was thrown got lost");
    }

    private static function difference(mixed $expected, mixed $found): string
    {
        if (is_array($expected) && is_array($found)) {
            foreach ($expected as $key => $value) {
                if (!array_key_exists($key, $found) || $found[$key] !== $value) {
                    return "[$key] " . (array_key_exists($key, $found) ? self::difference($value, $found[$key]) : 'is missing, of ' . count($expected) . ', ' . count($found) . ' are there');
                }
            }
            if (count($expected) !== count($found)) {
                return count($found) . ' elements instead of ' . count($expected);
            }
        }
        $short = fn(mixed $value) => substr(var_export($value, true), 0, 200);
        return $short($found) . ' instead of ' . $short($expected);
    }
}
