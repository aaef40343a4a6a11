<?php
/*
 * What the servers must answer, computed here from the seed and from what was written, and never read from a server.
 */

declare(strict_types=1);

/** The rows of `soak_data`, which nobody changes. */
final class Model
{
    public const ROWS = 100_000;
    public const COLUMNS = ['id', 'n', 'name', 'ratio', 'note', 'happened'];
    public const CREATE = 'CREATE TABLE soak_data (id INT PRIMARY KEY, n BIGINT NOT NULL, name VARCHAR(60) NOT NULL, ratio DOUBLE NOT NULL, note VARCHAR(200), happened DATETIME NOT NULL) ENGINE=InnoDB CHARACTER SET utf8mb4';

    /** @param bool $is_spoilt some rows are others than those of the server: that has to be noticed */
    public function __construct(private readonly int $seed, private readonly bool $is_spoilt = false)
    {
    }

    /** @return array{int, int, string, float, ?string, string} as a prepared statement's result has them */
    public function typed(int $id): array
    {
        [1 => $hash, 2 => $other] = unpack('P2', hash('xxh128', "$this->seed $id", true));
        return [
            $id,
            $this->is_spoilt && $id % 97 === 0 ? $hash ^ 1 : $hash,
            sprintf('smörgås %d, %016x', $id, $other),
            ($other & 0xFFFFF) * 0.125, // eighths: no server rounds them
            $id % 7 === 0 ? null : str_repeat(chr(97 + $id % 26), $hash & 127),
            gmdate('Y-m-d H:i:s', 946_684_800 + ($hash & 0x1FFFFFFF)),
        ];
    }

    /** @return list<?string> as a query's result has them, by mysqli */
    public function text(int $id): array
    {
        return array_map(fn(mixed $value) => $value === null ? null : (string) $value, $this->typed($id));
    }

    /** @return array<string, int|float|string|null> */
    public function named(int $id, bool $is_typed): array
    {
        return array_combine(self::COLUMNS, $is_typed ? $this->typed($id) : $this->text($id));
    }

    /** Values of one INSERT. */
    public function values(int $from, int $to): string
    {
        $quoted = fn(?string $value) => $value === null ? 'NULL' : "'$value'";
        return implode(', ', array_map(fn(int $id) => '(' . implode(', ', array_map($quoted, $this->text($id))) . ')', range($from, $to)));
    }
}

/** What a process has written into the tables that are its own: what is committed, and nothing else. */
final class Ledger
{
    public const SLOTS = 32;

    /** @var array<int, int> */
    public array $slots;
    public int $writes = 0;

    public function __construct(public readonly int $process, private readonly string $path)
    {
        ['slots' => $this->slots, 'writes' => $this->writes] = is_file($path) ? json_decode(file_get_contents($path), true) : ['slots' => array_fill(0, self::SLOTS, 0), 'writes' => 0];
    }

    public function counters(): string
    {
        return "soak_counters_$this->process";
    }

    public function lines(): string
    {
        return "soak_lines_$this->process";
    }

    public function add(int $slot, int $more): void
    {
        $this->slots[$slot] += $more;
        $this->writes++;
    }

    public function save(): void
    {
        file_put_contents("$this->path.new", json_encode(['slots' => $this->slots, 'writes' => $this->writes]));
        rename("$this->path.new", $this->path);
    }

    /** @return list<string> */
    public function create(): array
    {
        return [
            "DROP TABLE IF EXISTS {$this->counters()}, {$this->lines()}",
            "CREATE TABLE {$this->counters()} (slot INT PRIMARY KEY, n BIGINT NOT NULL) ENGINE=InnoDB",
            "CREATE TABLE {$this->lines()} (id INT AUTO_INCREMENT PRIMARY KEY, line VARCHAR(200) NOT NULL) ENGINE=InnoDB CHARACTER SET utf8mb4",
            "INSERT INTO {$this->counters()} VALUES " . implode(', ', array_map(fn(int $slot) => "($slot, 0)", array_keys($this->slots))),
        ];
    }
}
