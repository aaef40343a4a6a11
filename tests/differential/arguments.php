<?php
/*
 * Right and wrong arguments for a parameter of the stub file, as PHP source: by its name where that says more than its type.
 */

declare(strict_types=1);

final class Arguments
{
    /** Statements that answer with rows. `w` stands for the link's own table. */
    public const ROWS = ['SELECT 1', 'SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, NULL', 'SELECT * FROM t ORDER BY id', 'SELECT id, name FROM t WHERE id > 1000',
        'SELECT name AS a, id AS a FROM t ORDER BY id', "SELECT 'x' AS `1`, 'y' AS `0`, '' AS ` b`", 'SELECT 1.50, 1e10, 18446744073709551615, -9223372036854775808, NULL',
        "SELECT REPEAT('y', 70000), 2", "SELECT a.id, REPEAT('z', 3000) FROM t a, t b, t c", "SELECT CAST('x' AS SIGNED), CAST('y' AS SIGNED)", 'CALL p()', 'CALL two()', 'SELECT * FROM w',
        'SELECT @x', 'SHOW TABLES', 'DESCRIBE t', 'SELECT id, name FROM t WHERE b IS NOT NULL', 'SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 2 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2) AS x',
        'SHOW WARNINGS', 'SELECT COUNT(*) FROM t', "SELECT 'a\0b', 0x00ff41"];
    /** Statements that answer without rows. */
    public const NO_ROWS = ['DO 1', 'SET @x = 5', "INSERT INTO w (name) VALUES ('a')", "INSERT INTO w (name) VALUES ('b'), (NULL), ('c')", "UPDATE w SET name = 'd'", 'DELETE FROM w WHERE id > 1',
        "INSERT INTO w VALUES (5000000000, 'e')", 'INSERT IGNORE INTO w VALUES (1, 1), (1, 2)', 'BEGIN', 'COMMIT', 'SET NAMES latin1', 'CREATE TEMPORARY TABLE tmp (n INT)',
        "SELECT 1 INTO @y", "SET sql_mode = 'NO_BACKSLASH_ESCAPES'", 'SET autocommit = 0', 'DROP TABLE IF EXISTS no_such_table'];
    /** Statements that fail, at once or after some rows. */
    public const WRONG = ['nonsense', 'SELECT nothing', 'SELECT * FROM no_such_table', '', ';', ' ', 'SELECT 1; SELECT 2', "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'mine'", 'INSERT INTO w VALUES (1, 1), (1, 1)',
        "SELECT 1\0, 2", "INSERT INTO t (id) VALUES (1)", "LOAD DATA LOCAL INFILE '/nowhere' INTO TABLE w", '-- only a comment', 'USE no_such_db', 'SELECT ?', 'PREPARE s FROM "nonsense"'];
    /** Statements to prepare: their text, how many parameters and columns. */
    public const PREPARED = [['SELECT ?', 1, 1], ['SELECT ?, ?', 2, 2], ['SELECT id, name FROM t WHERE id <= ? ORDER BY id', 1, 2], ['INSERT INTO w (name) VALUES (?)', 1, 0], ['INSERT INTO w VALUES (?, ?)', 2, 0],
        ['SELECT * FROM t ORDER BY id', 0, 13], ['SELECT 1', 0, 1], ['CALL p()', 0, 1], ['CALL two()', 0, 1], ['DO ?', 1, 0], ['SELECT name FROM t WHERE id > 1000', 0, 1], ['UPDATE w SET name = ? WHERE id < ?', 2, 0],
        ['SELECT i, f, d, dt FROM t WHERE id = ?', 1, 4], ["SELECT a.id, REPEAT('z', 3000) FROM t a, t b, t c", 0, 2], ['SELECT id FROM t LIMIT ?', 1, 1], ['SELECT ? + ?', 2, 1], ["SELECT CAST('x' AS SIGNED)", 0, 1],
        ['SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 2 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2) AS x', 0, 2]];

    private const STRINGS = ["''", "'a'", "'1'", "'0'", '"a\0b"', '"\xff\xfe"', "str_repeat('x', 300)", "str_repeat('y', 70000)", "\"it's \\\"\\\\ \\n\"", "'-5'", "'1e3'", "'é'"];
    private const INTEGERS = ['0', '1', '2', '3', '-1', '5', '100', 'PHP_INT_MAX', 'PHP_INT_MIN', '4294967296', '2147483648', '255', '-2'];
    private const ODD = ['null', '[]', '[1]', 'new stdClass', 'true', 'false', '1.5', '1e30', "'1abc'", "'abc'", "' 1'", 'NAN', "new ArrayObject", '$a', '$undefined', 'STDIN', "new Words"];
    private const VALUES = ['0', '1', '-1', 'null', "'text'", '1.5', '-0.0', '1e100', 'NAN', 'INF', 'true', 'false', "''", '"a\0b"', "str_repeat('v', 70000)", 'PHP_INT_MIN', 'PHP_INT_MAX', "'18446744073709551615'",
        '[]', '[1]', 'new stdClass', 'new Words', "'2020-02-29 12:34:56'", '"\xff"', 'STDIN', "'1.50'", "'abc'"];

    /** By the parameter's name; with the name of the call before it where that matters. */
    private const BY_NAME = [
        'hostname' => ["'localhost'", "server('HOST')", 'null', "''", "'p:localhost'", "'p:'", "'no.such.host.invalid'", '"local\0host"', "'p:' . server('HOST')"],
        'username' => ["server('USER')", "server('USER')", "server('USER')", "server('USER')", "server('USER')", "server('USER')", "'nobody'", "''", 'null', '"ro\0ot"', "str_repeat('u', 300)"],
        'password' => ["server('PASSWORD')", "server('PASSWORD')", "server('PASSWORD')", "server('PASSWORD')", "server('PASSWORD')", "'wrong'", "''", 'null'],
        'database' => ["server('DATABASE')", "'no_such_db'", "''", 'null', "'information_schema'", '"a\0b"'],
        'port' => ["(int) server('PORT')", '0', '1', '-1', '65536', 'null'],
        'socket' => ["server('SOCKET')", "'/nowhere'", "''", 'null', '"/no\0where"', "str_repeat('/s', 100)"],
        'charset' => ["'utf8mb4'", "'latin1'", "'utf8'", "'nonsense'", "'gbk'", "''", "'UTF8MB4'", '"utf8\0mb4"', "'utf16'", "'binary'"],
        'name' => ["'s'", "'a b'", "'`'", "''", 'null', "'x*/y'", '"s\0t"', "str_repeat('n', 100)", "'é'"],
        'class' => ["'stdClass'", "'Row'", "'NoSuchClass'", "'Throwing'", "'Hidden'", "'Abstracted'", "'Countable'", "'Suit'", "''", "'mysqli'", "'Typed'", "'Fixed'"],
        'constructor_args' => ['[]', '[1]', '[1, 2]', "['name' => 'x']", "['no_such' => 1]"],
        'types' => ["'i'", "'s'", "'d'", "'b'", "'is'", "'ss'", "'ib'", "'x'", "''", "'iiii'", "'I'", '"i\0"', "'sb'"],
        'process_id' => ['0', '-1', 'PHP_INT_MAX', '$link0->thread_id', '$link1->thread_id'],
        'flags of mysqli_refresh' => ['0', 'MYSQLI_REFRESH_GRANT', 'MYSQLI_REFRESH_STATUS', 'MYSQLI_REFRESH_HOSTS', 'MYSQLI_REFRESH_THREADS'],
        'flags of mysqli_report' => ['MYSQLI_REPORT_OFF', 'MYSQLI_REPORT_ERROR', 'MYSQLI_REPORT_STRICT', 'MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT', 'MYSQLI_REPORT_ALL', 'MYSQLI_REPORT_INDEX', 'MYSQLI_REPORT_INDEX | MYSQLI_REPORT_STRICT', '8', '-1', '256'],
        'flags of mysqli_real_connect' => ['0', 'MYSQLI_CLIENT_COMPRESS', 'MYSQLI_CLIENT_FOUND_ROWS', 'MYSQLI_CLIENT_IGNORE_SPACE', 'MYSQLI_CLIENT_INTERACTIVE', 'MYSQLI_CLIENT_NO_SCHEMA', 'MYSQLI_CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS'],
        'flags' => ['0', '1', '2', '3', '4', '5', '6', '8', '12', '15', '16', '-1', 'PHP_INT_MAX'],
        'mode' => ['0', 'MYSQLI_ASSOC', 'MYSQLI_NUM', 'MYSQLI_BOTH', '4', '-1', 'MYSQLI_STORE_RESULT_COPY_DATA'],
        'result_mode' => ['MYSQLI_STORE_RESULT', 'MYSQLI_USE_RESULT', 'MYSQLI_ASYNC', 'MYSQLI_ASYNC | MYSQLI_USE_RESULT', '16', '2', '-1'],
        'attribute' => ['MYSQLI_STMT_ATTR_UPDATE_MAX_LENGTH', 'MYSQLI_STMT_ATTR_CURSOR_TYPE', 'MYSQLI_STMT_ATTR_PREFETCH_ROWS', '3', '-1', '4294967296'],
        'option' => ['MYSQLI_OPT_CONNECT_TIMEOUT', 'MYSQLI_OPT_LOCAL_INFILE', 'MYSQLI_OPT_LOAD_DATA_LOCAL_DIR', 'MYSQLI_INIT_COMMAND', 'MYSQLI_OPT_READ_TIMEOUT', 'MYSQLI_OPT_NET_CMD_BUFFER_SIZE', 'MYSQLI_OPT_NET_READ_BUFFER_SIZE',
            'MYSQLI_OPT_INT_AND_FLOAT_NATIVE', 'MYSQLI_OPT_SSL_VERIFY_SERVER_CERT', 'MYSQLI_SERVER_PUBLIC_KEY', 'MYSQLI_SET_CHARSET_NAME', 'MYSQLI_OPT_CAN_HANDLE_EXPIRED_PASSWORDS', 'MYSQLI_READ_DEFAULT_GROUP', '9999', '-1'],
        'value' => ['0', '1', '2', '-1', '5', '4096', "'1'", "'SET @x = 7'", "'utf8'", 'true', 'false', 'null', '[]', '1.5', 'new stdClass'],
        'seconds' => ['0', '0', '0', '-1'],
        'microseconds' => ['0', '1000', '-1'],
        'read' => ['$links'], 'error' => ['$none', '$links'], 'reject' => ['$none'],
        'param_num' => ['0', '0', '1', '-1', '2'],
        'index' => ['0', '1', '2', '-1', '100'],
        'column' => ['0', '1', '2', '-1', '100'],
        'offset' => ['0', '1', '2', '-1', '4', '1000', 'PHP_INT_MAX'],
        'params' => ['null', '[]', '[1]', "['a']", "[1, 'b']", '[null]', "['k' => 1]", '[[]]', '[1, 2, 3]', "[new Words, 1.5]", '[5 => 1, 3 => 2]', '[true, false]'],
        'key' => ['null', "'/nowhere'", "''"], 'certificate' => ['null', "'/nowhere'"], 'ca_certificate' => ['null', "'/nowhere'"], 'ca_path' => ['null', "'/nowhere'"], 'cipher_algos' => ['null', "'AES128-SHA'", "'nonsense'"],
        'options' => ["''", "'d'"],
    ];

    public function __construct(private readonly Dice $dice)
    {
    }

    public function value(): string
    {
        return $this->dice->any(self::VALUES);
    }

    /** A statement's text as source, for the link with this number. */
    public function sql(int $link, ?array $from = null): string
    {
        $from ??= $this->dice->any([self::ROWS, self::ROWS, self::NO_ROWS, self::WRONG]);
        return self::quoted($this->dice->any($from), $link);
    }

    public function many_sql(int $link): string
    {
        $texts = array_map(fn() => $this->dice->any($this->dice->any([self::ROWS, self::ROWS, self::NO_ROWS, self::WRONG])), range(0, $this->dice->number(1, 3)));
        return self::quoted(implode('; ', $texts), $link);
    }

    public static function quoted(string $text, int $link): string
    {
        $text = preg_replace('/\bw\b/', "w$link", $text);
        return str_contains($text, "\0") ? '"' . strtr($text, ['\\' => '\\\\', '"' => '\\"', '$' => '\\$', "\0" => '\\0']) . '"' : "'" . strtr($text, ['\\' => '\\\\', "'" => "\\'"]) . "'";
    }

    /** @param array{name: string, type: string, reference: bool} $parameter of the function or method of this name */
    public function for(array $parameter, string $call, int $link): string
    {
        if ($parameter['reference']) {
            return $this->dice->any(self::BY_NAME[$parameter['name']] ?? ['$a', '$b', '$c']);
        }
        if ($this->dice->one_in(12)) {
            return $this->dice->any(self::ODD);
        }
        $name = $parameter['name'];
        return match (true) {
            $name === 'query' && str_ends_with($call, 'multi_query') => $this->many_sql($link),
            $name === 'query' && str_contains($call, 'prepare') || $call === 'mysqli_stmt' => self::quoted($this->dice->any(self::PREPARED)[0], $link),
            $name === 'query' => $this->sql($link),
            $name === 'flags' && isset(self::BY_NAME["$name of mysqli_" . preg_replace('/^mysqli_/', '', $call)]) => $this->dice->any(self::BY_NAME["$name of mysqli_" . preg_replace('/^mysqli_/', '', $call)]),
            isset(self::BY_NAME[$name]) => $this->dice->any(self::BY_NAME[$name]),
            str_contains($parameter['type'], 'bool') => $this->dice->any(['true', 'false']),
            str_contains($parameter['type'], 'int') => $this->dice->any(self::INTEGERS),
            str_contains($parameter['type'], 'string') => $this->dice->any(self::STRINGS),
            str_contains($parameter['type'], 'array') => $this->dice->any(['[]', '[1]']),
            default => $this->value(),
        };
    }
}

/** Chance, the same for the same seed. */
final class Dice
{
    private readonly Random\Randomizer $random;

    public function __construct(int $seed)
    {
        $this->random = new Random\Randomizer(new Random\Engine\Mt19937($seed));
    }

    public function number(int $from, int $to): int
    {
        return $this->random->getInt($from, $to);
    }

    public function one_in(int $many): bool
    {
        return $this->number(1, $many) === 1;
    }

    public function any(array $from): mixed
    {
        return $from[$this->number(0, count($from) - 1)];
    }
}
