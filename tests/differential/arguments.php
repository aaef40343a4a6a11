<?php
/*
 * Right and wrong arguments, as PHP source, of whatever is called; each surface adds what the names of its parameters say.
 */

declare(strict_types=1);

abstract class Arguments
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

    protected const STRINGS = ["''", "'a'", "'1'", "'0'", '"a\0b"', '"\xff\xfe"', "str_repeat('x', 300)", "str_repeat('y', 70000)", "\"it's \\\"\\\\ \\n\"", "'-5'", "'1e3'", "'é'"];
    protected const INTEGERS = ['0', '1', '2', '3', '-1', '5', '100', 'PHP_INT_MAX', 'PHP_INT_MIN', '4294967296', '2147483648', '255', '-2'];
    protected const ODD = ['null', '[]', '[1]', 'new stdClass', 'true', 'false', '1.5', '1e30', "'1abc'", "'abc'", "' 1'", 'NAN', "new ArrayObject", '$a', '$undefined', 'STDIN', "new Words"];
    protected const VALUES = ['0', '1', '-1', 'null', "'text'", '1.5', '-0.0', '1e100', 'NAN', 'INF', 'true', 'false', "''", '"a\0b"', "str_repeat('v', 70000)", 'PHP_INT_MIN', 'PHP_INT_MAX', "'18446744073709551615'",
        '[]', '[1]', 'new stdClass', 'new Words', "'2020-02-29 12:34:56'", '"\xff"', 'STDIN', "'1.50'", "'abc'"];

    public function __construct(protected readonly Dice $dice)
    {
    }

    public function value(): string
    {
        return $this->dice->any(static::VALUES);
    }

    /** A statement's text as source, for the link with this number. */
    public function sql(int $link, ?array $from = null): string
    {
        $from ??= $this->dice->any([static::ROWS, static::ROWS, static::NO_ROWS, static::WRONG]);
        return self::quoted($this->dice->any($from), $link);
    }

    public function many_sql(int $link): string
    {
        $texts = array_map(fn() => $this->dice->any($this->dice->any([static::ROWS, static::ROWS, static::NO_ROWS, static::WRONG])), range(0, $this->dice->number(1, 3)));
        // Where results follow that of a file which is not sent, stock's connection is out of step, and nothing that comes next can be compared.
        $last = array_pop($texts);
        return self::quoted(implode('; ', [...preg_grep('/^LOAD DATA/', $texts, PREG_GREP_INVERT), $last]), $link);
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
            return $this->dice->any(static::BY_NAME[$parameter['name']] ?? ['$a', '$b', '$c']);
        }
        if ($this->dice->one_in(12)) {
            return $this->dice->any(self::ODD);
        }
        return $this->named($parameter['name'], $call, $link) ?? match (true) {
            isset(static::BY_NAME[$parameter['name']]) => $this->dice->any(static::BY_NAME[$parameter['name']]),
            str_contains($parameter['type'], 'bool') => $this->dice->any(['true', 'false']),
            str_contains($parameter['type'], 'int') => $this->dice->any(self::INTEGERS),
            str_contains($parameter['type'], 'string') => $this->dice->any(self::STRINGS),
            str_contains($parameter['type'], 'array') => $this->dice->any(['[]', '[1]']),
            default => $this->value(),
        };
    }

    /** What the name of a parameter says only together with the call; null: nothing. */
    abstract protected function named(string $name, string $call, int $link): ?string;
}
