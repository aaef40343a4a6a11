<?php
/*
 * A walk of tests/walks: what is called, with what, and what is printed of it.
 */

// No strict_types: scripts that have none hand over all kinds of values.

/** How many steps a walk has. */
const STEPS = 30;

class Row
{
    public $n = 'n';
    protected $s;

    public function __construct(public mixed $first = null, mixed $second = null)
    {
        if ($first === 'throw') {
            throw new Exception('thrown by a constructor');
        }
    }
}

if (class_exists('mysqli')) { // the stub is about to bring its own otherwise
    final class Link extends mysqli
    {
        public function __construct()
        {
        }
    }
}

const STATEMENTS = ['SELECT 1', 'SELECT 1 AS a, 2 AS b, NULL AS a UNION SELECT 3, 4, 5', 'SELECT * FROM t ORDER BY n', 'SELECT * FROM t WHERE n > 1000', 'SELECT * FROM types', 'INSERT INTO t VALUES (NULL, "new")',
    'INSERT INTO t VALUES (NULL, "a"), (NULL, "b")', 'UPDATE t SET s = "u" WHERE n < 3', 'DELETE FROM t WHERE n > 10', 'REPLACE INTO t VALUES (1, "r")', 'nonsense', 'SELECT nothing_known', 'DO 1', 'SET @x = 1', 'SELECT @x', 'CALL p()', 'CALL q(@x)',
    'SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 2 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2) AS x', "SELECT CAST('x' AS SIGNED)", 'SELECT 1/0', 'INSERT INTO t VALUES (1, "again")',
    'SELECT REPEAT("x", 70000)', 'SHOW WARNINGS', 'SELECT "" AS ``', 'BEGIN', 'COMMIT', 'SET autocommit = 0', 'EXPLAIN SELECT 1', 'LOAD DATA LOCAL INFILE "/nothing" INTO TABLE t', 'SELECT DATABASE()', 'SET NAMES latin1', ' ', '/* nothing */', 'DO 1;'];
const PREPARED = ['SELECT ?', 'SELECT ?, n, s FROM t WHERE n < ? ORDER BY n', 'INSERT INTO t VALUES (NULL, ?)', 'SELECT ? + 1, ?, ?', 'DELETE FROM t WHERE n = ?', 'UPDATE t SET s = ? WHERE n = ?', 'SELECT CAST(? AS SIGNED)', 'CALL r(?)', 'SELECT ? FROM nowhere'];
const NAMES = ['a', '', 'a`b', "x y", "n\0m", '0'];

/** One walk: its objects, and what it does with them. */
final class Walk
{
    /** @var array<string, list<object>> */
    private array $objects = ['mysqli' => [], 'mysqli_result' => [], 'mysqli_stmt' => [], 'mysqli_warning' => []];
    /** What is bound by reference. */
    private array $variables = [null, 1, 'two', 3.5, true];
    /** @var list<string> */
    private array $warnings = [];

    /** @param array<string, mixed> $surface */
    public function __construct(private readonly Random\Randomizer $random, private readonly array $surface, private readonly string $database)
    {
    }

    private function chance(int $percent): bool
    {
        return $this->random->getInt(1, 100) <= $percent;
    }

    private function any(array $from): mixed
    {
        return array_values($from)[$this->random->getInt(0, count($from) - 1)];
    }

    /** Of the last few of a class, mostly the newest. */
    private function object(string $class): ?object
    {
        $objects = $this->objects[$class];
        if ($objects === []) {
            return null;
        }
        return $this->chance(60) ? end($objects) : $this->any($objects);
    }

    private function keep(mixed $value): mixed
    {
        if (is_object($value)) {
            foreach ($this->objects as $class => &$kept) {
                if ($value instanceof $class && !in_array($value, $kept, true)) {
                    $kept[] = $value;
                    if (count($kept) > 4) {
                        array_splice($kept, $this->random->getInt(0, 3), 1);
                    }
                }
            }
        }
        return $value;
    }

    private function sql(): string
    {
        return $this->any(STATEMENTS);
    }

    private function several(): string
    {
        // After a local file that can't be read stock no longer knows which answer is whose.
        $statements = array_map(fn() => $this->sql(), range(0, $this->random->getInt(0, 3)));
        return implode('; ', count($statements) === 1 ? $statements : preg_grep('/^LOAD/', $statements, PREG_GREP_INVERT)) ?: 'DO 1';
    }

    private function integer(): int
    {
        return $this->any([0, 0, 1, 1, 2, 3, 4, 8, -1, 100, 65536, PHP_INT_MAX]);
    }

    private function scalar(): mixed
    {
        return $this->any([null, true, false, 0, 1, -5, PHP_INT_MAX, 1.5, -0.0, '', '7', 'text', "a\0b'\"\\", '1.5e3', str_repeat('long', 30)]);
    }

    private function wild(): mixed
    {
        return $this->chance(60) ? $this->scalar() : $this->any([[], [1, 'a'], ['k' => 1], new stdClass, new ArrayObject([1]), [[1]], 'no_such', 2.5, $this->object('mysqli'), $this->object('mysqli_result'), $this->object('mysqli_stmt')]);
    }

    /** @return list<mixed> of one that connects */
    private function address(): array
    {
        $given = array_combine(['hostname', 'username', 'password', 'database', 'port', 'socket'], ['127.0.0.1', server('USER'), server('PASSWORD'), $this->database, (int) server('PORT'), null]);
        $changed = match ($this->random->getInt(1, 9)) {
            1 => ['password' => 'wrong'],
            2 => ['database' => $this->any(['', null, 'no_such'])],
            3 => ['port' => 1],
            4 => ['hostname' => 'localhost', 'socket' => server('SOCKET')],
            default => [],
        };
        return array_values(array_replace($given, $changed));
    }

    /** @param array{name: string, type: string} $parameter */
    private function argument(string $function, array $parameter): mixed
    {
        ['name' => $name, 'type' => $type] = $parameter;
        if ($this->chance(6)) {
            return $this->wild();
        }
        if (isset($this->objects[$type])) {
            return $this->object($type);
        }
        return match (true) {
            $name === 'query' && str_contains($function, 'multi') => $this->several(),
            $name === 'query' && preg_match('/prepare|execute/', $function) === 1 => $this->chance(50) ? $this->any(PREPARED) : $this->sql(),
            $name === 'query' => $this->sql(),
            $name === 'result_mode' => $this->any([0, 0, 0, 1, 1, 1, 2, 8, 9, 16, -1]),
            $name === 'process_id' => $this->any([0, -1]),
            $name === 'flags' && str_contains($function, 'refresh') => $this->any([0, 4, 16]),
            $name === 'flags' && str_contains($function, 'report') => $this->any([0, 0, 1, 2, 3, 3, 3, 4, 255]),
            $name === 'flags' => $this->any([0, 0, 1, 2, 4, 8, 3, 12, -1]),
            $name === 'option' => $this->any([0, 3, 4, 5, 6, 7, 8, 11, 21, 35, 37, 43, 201, 202, 203, 99, -1]),
            $name === 'value' => $this->any([0, 1, 100, 'utf8mb4', 'SET @init = 1', 'nonsense', '/nothing', true, null]),
            $name === 'class' => $this->any(['stdClass', 'Row', 'Row', 'no_such', 'mysqli', 'ArrayObject', 'Iterator']),
            $name === 'constructor_args' => $this->any([[], [1], ['throw'], [1, 2, 3], ['second' => 2], ['unknown' => 2]]),
            $name === 'params' => $this->chance(20) ? $this->any([null, [], ['k' => 1], [[1]]]) : array_map(fn() => $this->scalar(), range(1, $this->random->getInt(1, 3))),
            $name === 'types' => implode('', array_map(fn() => $this->any(['i', 'd', 's', 's', 'b', 'x'][$this->chance(95) ? 0 : 5] === 'x' ? ['x'] : ['i', 'd', 's', 's', 'b']), range(1, $this->random->getInt(1, 3)))),
            $name === 'charset' => $this->any(['utf8mb4', 'latin1', 'nonsense', 'gbk', 'UTF8', '']),
            $name === 'database' => $this->any([$this->database, $this->database, 'no_such', '', null]),
            $name === 'username' => $this->any([server('USER'), server('USER'), 'nobody', '']),
            $name === 'password' => $this->any([server('PASSWORD'), server('PASSWORD'), server('PASSWORD'), '']),
            $name === 'name' => $this->any(NAMES),
            $name === 'attribute' => $this->any([0, 1, 2, 3, -1]),
            $name === 'mode' => $this->any([1, 2, 3, 0, 4]),
            $name === 'data', $name === 'string' => $this->any(['', 'text', "a\0b'\"\\\n\r\x1a", "\xbf'", str_repeat('d', 5000)]),
            str_contains($type, 'int') => $this->chance(90) ? $this->random->getInt(0, 3) : $this->integer(),
            str_contains($type, 'array') => $this->any([[], [1, 2]]),
            default => $this->scalar(),
        };
    }

    /**
     * @param list<array<string, mixed>> $parameters
     * @return array<mixed>
     */
    private function arguments(string $function, array $parameters): array
    {
        $arguments = [];
        if (($parameters[0]['name'] ?? '') === 'mysql' && ($parameters[1]['name'] ?? '') === 'hostname' || ($parameters[0]['name'] ?? '') === 'hostname') {
            $this->settle();
            $arguments = $this->address();
            if ($parameters[0]['name'] === 'mysql') {
                array_unshift($arguments, $this->object('mysqli'));
            }
            if (count($parameters) > count($arguments) && $this->chance(40)) {
                $arguments[] = $this->any([0, 2, 32, 65536, 131072, 1024]);
            }
            return $arguments;
        }
        if (str_ends_with($function, 'change_user')) {
            $this->settle();
        }
        foreach ($parameters as $parameter) {
            if ($parameter['variadic']) {
                foreach (range(1, $this->random->getInt(1, 3)) as $_) {
                    $index = $this->random->getInt(0, count($this->variables) - 1);
                    if ($function === 'bind_param' || $function === 'mysqli_stmt_bind_param') {
                        $this->variables[$index] = $this->chance(95) ? $this->scalar() : $this->wild();
                    }
                    $arguments[] = &$this->variables[$index];
                }
            } elseif ($parameter['optional'] && $this->chance(50)) {
                break;
            } else {
                $arguments[] = $this->argument($function, $parameter);
            }
        }
        if ($this->chance(2)) {
            array_pop($arguments);
        } elseif ($this->chance(1)) {
            $arguments[] = 1;
        }
        return $arguments;
    }

    /** Lets go of all results and statements: those of a link that is made anew are known to differ, and tested in tests/parity. */
    private function settle(): void
    {
        $this->objects['mysqli_result'] = $this->objects['mysqli_stmt'] = $this->objects['mysqli_warning'] = [];
        mysqli_report(MYSQLI_REPORT_OFF);
        foreach ($this->objects['mysqli'] as $link) {
            try {
                do {
                    $link->store_result();
                } while ($link->more_results() && $link->next_result());
            } catch (Error) {
                // It is no connection.
            }
        }
    }

    /** @return array{string, callable(): mixed} what it is, and the step itself */
    private function choose(): array
    {
        if ($this->objects['mysqli'] === [] || $this->chance(2)) {
            $how = $this->random->getInt(1, 20);
            return match (true) {
                $how === 1 => ['mysqli_init()', fn() => mysqli_init()],
                $how === 2 => ['new Link', fn() => new Link],
                $how === 3 => ['new mysqli', fn() => new mysqli],
                default => [$how === 4 ? 'mysqli_connect()' : 'new mysqli(...)', fn() => $how === 4 ? mysqli_connect(...$this->address()) : new mysqli(...$this->address())],
            };
        }
        $class = $this->any(['mysqli', 'mysqli', 'mysqli', 'mysqli_result', 'mysqli_result', 'mysqli_stmt', 'mysqli_stmt', 'mysqli_warning']);
        $object = $this->object($class);
        // The usual ways, or most walks would lead nowhere.
        if ($object === null || $this->chance(12)) {
            $link = $this->object('mysqli');
            $statement = $this->object('mysqli_stmt');
            $result = $this->object('mysqli_result');
            $prepared = $this->any(PREPARED);
            $sql = $this->sql();
            $many = $this->several();
            $mode = $this->random->getInt(0, 1);
            return $this->any([
                ["query $sql, $mode", fn() => $link->query($sql, $mode)],
                ["multi_query $many", fn() => $link->multi_query($many)],
                ["prepare $prepared", fn() => $link->prepare($prepared)],
                ["prepare $sql", fn() => $link->prepare($sql)],
                ["new mysqli_stmt $sql", fn() => new mysqli_stmt($link, $sql)],
                ["new mysqli_result $mode", fn() => new mysqli_result($link, $mode)],
                ['execute, get_result', fn() => $statement?->execute() ? $statement->get_result() : null],
                ['execute, store_result', fn() => $statement?->execute() ? $statement->store_result() : null],
                ['next_result, store_result', fn() => $link->next_result() ? $link->store_result() : null],
                ["async $sql", fn() => $link->query($sql, MYSQLI_ASYNC | $mode) ? $link->reap_async_query() : null],
                ['the rest', function () use ($link) { $rows = []; while ($link->more_results() && $link->next_result()) { $rows[] = ($link->store_result() ?: null)?->fetch_all(); } return $rows; }],
                ['get_warnings', fn() => $link->get_warnings()],
                ['foreach', function () use ($result) { $rows = []; foreach ($result ?? [] as $key => $row) { $rows[$key] = $row; } return $rows; }],
                ['foreach, one', function () use ($result) { foreach ($result ?? [] as $row) { return $row; } }],
            ]);
        }
        $of = $this->surface['classes'][$class];
        $way = $this->random->getInt(1, 100);
        $property = $this->any($of['properties']);
        $value = $way > 93 ? $this->scalar() : null;
        if ($way <= 45) {
            $method = array_keys($of['methods'])[$this->random->getInt(0, count($of['methods']) - 1)];
            $arguments = $this->arguments($method, $of['methods'][$method]);
            return ["$class->$method(" . shown($arguments) . ')', fn() => $object->$method(...$arguments)];
        }
        if ($way <= 85) {
            $function = array_keys($this->surface['functions'])[$this->random->getInt(0, count($this->surface['functions']) - 1)];
            $first = $this->surface['functions'][$function][0]['type'] ?? '';
            if (($this->objects[$first] ?? null) === [] && $this->chance(90) || $function === 'mysqli_report' && $this->chance(70)) {
                return $this->choose();
            }
            $arguments = $this->arguments($function, $this->surface['functions'][$function]);
            return ["$function(" . shown($arguments) . ')', fn() => $function(...$arguments)];
        }
        return match (true) {
            $way <= 93 => ["$class->$property", fn() => $object->$property],
            $way === 94 => ["isset $class->$property", fn() => [isset($object->$property), empty($object->$property)]],
            $way === 95 => ["$class->$property = " . text($value), fn() => $object->$property = $value],
            $way === 96 => ["unset $class->$property", function () use ($object, $property) { unset($object->$property); }],
            $way === 97 => ["clone $class", fn() => clone $object],
            $way === 98 => ["serialize $class", fn() => serialize($object)],
            $way === 99 => ["drop $class", function () use ($class, $object) { $this->objects[$class] = array_values(array_filter($this->objects[$class], fn($kept) => $kept !== $object)); }],
            default => ["all of $class", fn() => array_map(fn($it) => $it, get_object_vars($object))],
        };
    }

    public function go(int $steps): void
    {
        set_error_handler(function (int $level, string $text): bool {
            $this->warnings[] = "$level: $text";
            return true;
        });
        mysqli_report($this->chance(50) ? MYSQLI_REPORT_OFF : MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        for ($i = 0; $i < $steps; $i++) {
            [$what, $step] = $this->choose();
            $this->warnings = [];
            echo line($what);
            try {
                $outcome = text($this->keep($step()));
            } catch (Throwable $thrown) {
                $outcome = 'throws ' . text($thrown);
            }
            unset($step);
            $bound = array_filter($this->variables, fn(mixed $it) => $it !== null);
            echo line(" -> $outcome" . ($this->warnings === [] ? '' : ' | ' . implode(' | ', $this->warnings)) . ' # ' . md5(text($bound))), "\n";
        }
        $this->warnings = [];
        // In one order, newest last; nobody else has them.
        foreach (array_keys($this->objects) as $class) {
            while ($this->objects[$class] !== []) {
                array_shift($this->objects[$class]);
            }
        }
        $this->variables = [];
        restore_error_handler();
        echo $this->warnings === [] ? '' : line(implode(' | ', $this->warnings)) . "\n", "END\n";
    }
}

function line(string $text): string
{
    return strtr($text, ["\n" => '\n']);
}

function make_database(string $name): mysqli
{
    mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
    $db = new mysqli('localhost', server('USER'), server('PASSWORD'), '', 0, server('SOCKET'));
    foreach (['lock_wait_timeout = 30', 'innodb_lock_wait_timeout = 1', 'local_infile = 1'] as $setting) {
        $db->query("SET GLOBAL $setting");
    }
    foreach (["DROP DATABASE IF EXISTS $name", "CREATE DATABASE $name CHARACTER SET utf8mb4", "USE $name", 'CREATE TABLE t (n INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(40)) ENGINE=MEMORY', // which is emptied without waiting for a disk
        'CREATE TABLE types (a TINYINT UNSIGNED ZEROFILL, b BIGINT UNSIGNED, c DECIMAL(10, 3), d FLOAT, e DOUBLE, f BIT(12), g DATE, h DATETIME(3), i TIME(2), j YEAR, k TIMESTAMP NULL, l BLOB, m ENUM("x", "y"), n SET("x", "y"), o CHAR(3), p TEXT) ENGINE=MyISAM',
        'INSERT INTO types VALUES (7, 18446744073709551615, -1.5, 1.25, -1e100, 2748, "2024-02-29", "2024-02-29 12:34:56.789", "-12:34:56.78", 1999, "2024-02-29 12:34:56", "\0bytes", "y", "x,y", "ä", ""), '
        . '(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (0, 1, 0, 0, 0, 0, "0000-00-00", "0000-00-00 00:00:00", "00:00:00", 0, "2001-01-01 00:00:00", "", "", "", "", "x")',
        'CREATE PROCEDURE p() BEGIN SELECT 1; SELECT 2, 3 UNION SELECT 4, 5; END', 'CREATE PROCEDURE q(OUT x INT) BEGIN SET x = 7; SELECT x; END', 'CREATE PROCEDURE r(x INT) BEGIN SELECT x, x + 1; SELECT "end"; END'] as $sql) {
        $db->query("SET sql_mode = ''");
        $db->query($sql);
    }
    return $db;
}

function walk(string $surface, string $database, int $first, int $last): void
{
    $surface = json_decode(file_get_contents($surface), true);
    $db = make_database($database);
    for ($seed = $first; $seed <= $last; $seed++) {
        echo "WALK $seed\n";
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $db->query('TRUNCATE TABLE t');
        $db->query('INSERT INTO t VALUES (1, "one"), (2, NULL), (3, "drei")');
        $walk = new Walk(new Random\Randomizer(new Random\Engine\Mt19937($seed)), $surface, $database);
        $walk->go(STEPS);
        unset($walk);
        gc_collect_cycles();
    }
}
