<?php
/*
 * Steps in which something is thrown where the driver, or PDO's core, calls the script: functions, constructors, __set, destructors, error handlers, loops.
 */

declare(strict_types=1);

final class CallbackSteps
{
    public const WEIGHTS = ['function' => 8, 'constructor' => 6, 'property' => 6, 'destructor' => 5, 'handler' => 5, 'loop' => 8, 'stringable' => 5, 'nested' => 5];

    public function __construct(private readonly Place $place)
    {
    }

    private function at(): int
    {
        return $this->place->dice->number(1, 20);
    }

    private function sql(): string
    {
        $from = $this->place->dice->number(1, Model::ROWS - 100);
        return Place::select($from, $from + 40);
    }

    public function function(): void
    {
        [$left, $pdo] = [$this->at(), $this->place->pdo()];
        $statement = $pdo->query($this->sql());
        $this->place->throws('FETCH_FUNC', function () use ($statement, &$left) {
            $statement->fetchAll(PDO::FETCH_FUNC, function (mixed ...$row) use (&$left): array {
                return --$left === 0 ? throw new Thrown() : $row;
            });
        });
        unset($statement);
        $this->place->same('afterwards', 3, $pdo->query('SELECT 3')->fetchColumn());
    }

    public function constructor(): void
    {
        Thrower::$constructions = $this->at();
        Thrower::$properties = 0;
        $is_pdo = $this->place->dice->one_in(2);
        $this->place->throws('a constructor', function () use ($is_pdo) {
            $is_pdo ? $this->place->pdo()->query($this->sql())->fetchAll(PDO::FETCH_CLASS, Thrower::class) : $this->objects();
        });
    }

    public function property(): void
    {
        Thrower::$constructions = 0;
        Thrower::$properties = $this->at() * 3;
        $is_pdo = $this->place->dice->one_in(2);
        $this->place->throws('__set', function () use ($is_pdo) {
            $is_pdo ? $this->place->pdo()->query($this->sql())->fetchAll(PDO::FETCH_CLASS | $this->place->dice->any([0, PDO::FETCH_PROPS_LATE]), Thrower::class) : $this->objects();
        });
    }

    private function objects(): void
    {
        $result = $this->place->mysqli()->query($this->sql(), $this->place->dice->any([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT]));
        while ($result->fetch_object(Thrower::class)) {
        }
    }

    public function destructor(): void
    {
        Thrower::$constructions = Thrower::$properties = 0;
        Thrower::$destructions = $this->at();
        try {
            $this->place->throws('a destructor', function () {
                $statement = $this->place->pdo()->query($this->sql());
                while ($object = $statement->fetchObject(Thrower::class)) {
                }
            });
        } finally {
            Thrower::$destructions = 0;
        }
    }

    /** A warning becomes an exception in the midst of a call. */
    public function handler(): void
    {
        set_error_handler(fn() => throw new Thrown());
        mysqli_report(MYSQLI_REPORT_OFF);
        try {
            $this->place->throws('an error handler', fn() => match ($this->place->dice->number(1, 3)) {
                1 => new mysqli($this->place->account['host'], 'nobody', 'wrong', '', $this->place->account['port']),
                2 => mysqli_report(MYSQLI_REPORT_ERROR) && $this->place->connect('p:')->query('SELECT * FROM nowhere'),
                3 => $this->place->pdo([PDO::ATTR_ERRMODE => PDO::ERRMODE_WARNING])->query('SELECT * FROM nowhere'),
            });
        } finally {
            mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
            restore_error_handler();
        }
    }

    public function loop(): void
    {
        $left = $this->at();
        $this->place->throws('a loop', function () use (&$left) {
            $rows = match ($this->place->dice->number(1, 3)) {
                1 => $this->place->mysqli()->query($this->sql(), MYSQLI_USE_RESULT),
                2 => $this->place->pdo()->query($this->sql()),
                3 => $this->place->mysqli()->execute_query($this->sql()),
            };
            foreach ($rows as $row) {
                --$left > 0 || throw new Thrown();
            }
        });
    }

    public function stringable(): void
    {
        $thrower = new class {
            public function __toString(): string
            {
                throw new Thrown();
            }
        };
        $this->place->throws('__toString', fn() => match ($this->place->dice->number(1, 3)) {
            1 => $this->place->mysqli()->execute_query('SELECT ?', [$thrower]),
            2 => $this->place->pdo()->prepare('SELECT ?')->execute([$thrower]),
            3 => $this->place->mysqli()->query((string) $thrower),
        });
    }

    /** A callback that asks the same connection. */
    public function nested(): void
    {
        $pdo = $this->place->pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => true]);
        $id = $this->place->dice->number(1, Model::ROWS - 20);
        $found = $pdo->query("SELECT id FROM soak_data WHERE id BETWEEN $id AND $id + 9 ORDER BY id")->fetchAll(PDO::FETCH_FUNC, fn(int $id) => $pdo->query("SELECT n FROM soak_data WHERE id = $id")->fetchColumn());
        $this->place->same('nested', array_map(fn(int $id) => $this->place->model->typed($id)[1], range($id, $id + 9)), $found);
    }
}

/** Throws at the so-many-th call; 0: never. */
final class Thrower
{
    public static int $constructions = 0;
    public static int $properties = 0;
    public static int $destructions = 0;
    /** @var array<string, mixed> */
    private array $values = [];

    public function __construct()
    {
        self::$constructions === 0 || --self::$constructions > 0 || throw new Thrown();
    }

    public function __set(string $name, mixed $value): void
    {
        $this->values[$name] = $value;
        self::$properties === 0 || --self::$properties > 0 || throw new Thrown();
    }

    public function __destruct()
    {
        self::$destructions === 0 || --self::$destructions > 0 || throw new Thrown();
    }
}
