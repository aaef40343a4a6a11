<?php
/*
 * Random SELECTs: those that ask for a row by its key, in all the ways to write them, and those that nearly do. A shape is a statement whose values
 * are still marks; statements of one shape differ in these only.
 */

declare(strict_types=1);

final class Shape
{
    public const MARK = "\x02";

    /** @param list<Kind> $marks what each mark stands for */
    public function __construct(public readonly Table $table, public readonly string $text, public readonly array $marks, public readonly bool $is_prepared)
    {
    }
}

final class Selects
{
    private const BEFORE = ['DISTINCT', 'ALL', 'SQL_CALC_FOUND_ROWS', 'SQL_NO_CACHE', 'HIGH_PRIORITY', 'STRAIGHT_JOIN', 'SQL_BUFFER_RESULT', 'SQL_SMALL_RESULT', '/*! SQL_NO_CACHE */', '/*+ SET_VAR(sql_mode = \'\') */', '/*!99999 DISTINCT */', '/*M! DISTINCT */', 'DISTINCTROW'];
    private const AFTER = [' OR 1 = 0', ' AND 1', ' AND 1 = 1', ' AND 0', ' AND v1 IS NOT NULL', ' LIMIT 0', ' LIMIT 1, 1', ' LIMIT 0, 1', ' LIMIT 2', ' LIMIT 1 OFFSET 0', ' LIMIT 1 OFFSET 1', ' FOR UPDATE', ' LOCK IN SHARE MODE', ' FOR SHARE', ' GROUP BY 1', ' HAVING 1', ' HAVING 0',
        ' ORDER BY 1', ' UNION SELECT 1', ' UNION ALL SELECT 1', '; SELECT 1', ';;', ' /* x */', ' /*! OR 1 */', ' /*!99999 OR 1 */', ' /*M! OR 1 */', ' -- x', ' --x', ' # x', " INTO @a", ' OFFSET 0 ROWS', ' FETCH FIRST 1 ROWS ONLY', ' LIMIT ROWS EXAMINED 1', ' WITH ROLLUP', ' XOR 1', ' || 1', ' && 1',
        ' IS TRUE', ' + 0', " COLLATE utf8mb4_bin", " COLLATE binary", ' PROCEDURE ANALYSE()', ' LIMIT 1 FOR UPDATE SKIP LOCKED', " 'x'", "\0", ' /*', " '", ' AND k = k', ' AND k <> 7', ' UNION SELECT * FROM t0'];
    private const COLUMNS = ['COUNT(*)', 'MAX(k)', 'UPPER(v1)', 'v1 + 0', '1', 'NULL', "'x'", '"x"', 'LIST, 1', '*, LIST', 'TABLE.*', 'HEX(v1)', 'LENGTH(v1), LIST', '@a := v1', '@@sql_mode', 'DATABASE()', 'FOUND_ROWS()', 'no_such', 'LIST AS', '(SELECT 1)', 'LIST, LIST', 'IFNULL(v1, k)', 'v1 IS NULL', 'ROW_COUNT()', 'seen()',
        'LIST other', "LIST 'other'", 'TABLE . v1', 'none.v1', 'CURRENT_USER', '`v1`', 'v1 COLLATE utf8mb4_bin', 'BINARY v1', "LIST AS 'x'"];
    private const OPERATORS = ['<', '>', '<=', '<>', '!=', 'LIKE', '<=>', 'REGEXP', '= BINARY', '= ALL(SELECT 1) OR k =', ':=', 'IS', '= +', '= -', '= NOT', '= !', '= ~', '==', 'NOT LIKE', 'SOUNDS LIKE', '>> 1 ='];
    private const TABLES = ['TABLE, t1', 'TABLE JOIN t1 USING (k)', 'TABLE NATURAL JOIN t1', 'TABLE USE INDEX (PRIMARY)', 'TABLE IGNORE INDEX (PRIMARY)', '(TABLE)', 'TABLE PARTITION (p0)', '(SELECT * FROM TABLE) x', 'TABLE AS `x y`', 'NAME.TABLE', 'NAME_b.TABLE', 'NAME_b.TABLE x', 'no_such', 'TABLE AS',
        'TABLE x, TABLE y', 'dual', '`TABLE `', 'UPPERTABLE', 'NAME .TABLE', 'NAME. TABLE', '`NAME`.`TABLE`', '`NAME.TABLE`', 'information_schema.TABLES', 'TABLE FOR SYSTEM_TIME ALL', 'TABLE x USE KEY ()', 'TABLE LEFT JOIN t1 ON 0', '{ OJ TABLE LEFT JOIN t1 ON 0 }', 'NO_SUCH.TABLE'];
    private const WHOLE = ['(STATEMENT)', 'EXPLAIN STATEMENT', 'STATEMENT UNION STATEMENT', 'WITH w AS (STATEMENT) SELECT * FROM w', 'SET STATEMENT sql_select_limit = 0 FOR STATEMENT', 'ANALYZE STATEMENT', 'SELECT EXISTS (STATEMENT)', 'STATEMENT; STATEMENT', '/*! STATEMENT */', '/*M! STATEMENT */', 'SELECT 1; STATEMENT', 'DO (STATEMENT)',
        'CREATE TEMPORARY TABLE IF NOT EXISTS made AS STATEMENT', 'SET @a = (STATEMENT)', '-- x', '; STATEMENT', 'BEGIN NOT ATOMIC STATEMENT; END', 'SELECT * FROM (STATEMENT) x'];

    public function __construct(private readonly Dice $dice)
    {
    }

    /** @param ?string $miss whether it only nearly asks by a key: near; or wild, such that a driver may not know what the connection is like afterwards */
    public function shape(Table $table, bool $is_prepared, ?string $miss = null): Shape
    {
        $dice = $this->dice;
        $space = fn() => $dice->one_in(12) ? $dice->any(['  ', "\n", "\t", ' /* a */ ', "-- b\n", "# c\n", "\r\n", '/**/', ' /* \' */ ']) : ' ';
        $maybe = fn() => $dice->one_in(6) ? '' : $space();
        $word = fn(string $word) => $dice->any([$word, $word, $word, strtolower($word), ucfirst(strtolower($word))]);
        $alias = $dice->one_in(4) ? $dice->any(['x', 'y', $table->name, 'k', 'v1', 'other']) : null;
        $qualifier = $dice->one_in(4) ? ($alias ?? $table->name) . '.' : ($dice->one_in(80) ? "$table->name." : '');
        $name = fn(string $name) => $qualifier . $this->name($name);
        $columns = $this->columns($table, $name);
        $operator = '=';
        $from = ($dice->one_in(6) ? $this->name(ONE) . '.' : '') . $this->name($table->name) . ($alias === null ? '' : $dice->any([' AS ', ' ']) . $this->name($alias));
        $tail = ($dice->one_in(4) ? $space() . $word('LIMIT') . ' 1' : '') . ($dice->one_in(25) ? $maybe() . ';' : '');
        $keys = $table->key;
        $asked = match (true) {
            count($keys) > 1 && $dice->one_in(6) => [$dice->any($keys)],
            $dice->one_in(40) => [$dice->any($table->others())],
            $dice->one_in(40) => [...$keys, $dice->any(array_keys($table->columns))],
            default => $dice->one_in(2) ? $keys : array_reverse($keys),
        };
        $part = $miss === null ? 0 : $dice->number(1, $miss === 'wild' ? 7 : 6);
        $is_allowed = fn(string $part) => $miss === 'wild' || preg_match('/;|INTO|@a|seen/', $part) === 0;
        $one_of = fn(array $parts) => $dice->any(array_values(array_filter($parts, $is_allowed)));
        $head = $word('SELECT');
        match ($part) {
            1 => $head .= ' ' . $dice->any(self::BEFORE),
            2 => $tail = $one_of(self::AFTER) . ($dice->one_in(4) ? $tail : ''),
            3 => $columns = strtr($one_of(self::COLUMNS), ['LIST' => $columns, 'TABLE' => $alias ?? $table->name]),
            4 => $operator = $dice->any(self::OPERATORS),
            5 => $from = strtr($dice->any(self::TABLES), ['UPPERTABLE' => strtoupper($table->name), 'TABLE' => $table->name, 'NAME' => ONE]),
            default => null,
        };
        $conditions = [];
        foreach ($asked as $column) {
            $conditions[] = $part === 6 ? $this->odd_condition($name($column), $is_prepared) : $name($column) . $maybe() . $operator . $maybe() . Shape::MARK;
        }
        $where = implode($space() . $word('AND') . $space(), $conditions);
        $text = $head . $space() . $columns . $space() . $word('FROM') . $space() . $from . $space() . $word('WHERE') . $space() . $where . $tail;
        if ($part === 7) {
            $text = str_replace('STATEMENT', rtrim($text, ';'), $dice->any(self::WHOLE));
        }
        if ($dice->one_in(15)) {
            $text = $dice->any([' ', "\n", '/* first */', "-- first\n", "\t\t"]) . $text;
        }
        $marks = [];
        for ($i = 0; $i < substr_count($text, Shape::MARK); $i++) {
            $marks[] = $table->columns[$asked[$i % count($asked)]];
        }
        return new Shape($table, $text, $marks, $is_prepared);
    }

    private function name(string $name): string
    {
        return $this->dice->one_in(5) ? "`$name`" : ($this->dice->one_in(40) ? strtoupper($name) : $name);
    }

    private function columns(Table $table, Closure $name): string
    {
        $dice = $this->dice;
        if ($dice->one_in($table->is_good ? 15 : 6)) { // the port of MySQL does not give the key
            return '*';
        }
        $columns = [];
        $all = $dice->one_in($table->is_good ? 40 : 5) ? array_keys($table->columns) : $table->others();
        for ($i = $dice->any([1, 1, 1, 2, 2, 3]); $i > 0; $i--) {
            $columns[] = $name($dice->any($all)) . ($dice->one_in(5) ? ' AS ' . $this->name($dice->any(['x', 'other', 'k', 'v1', 'a'])) : '');
        }
        return implode($dice->any([', ', ',', ' , ']), $columns);
    }

    private function odd_condition(string $column, bool $is_prepared): string
    {
        // MySQL 8.0.33 crashes of a parameter that is selected.
        $selected = $is_prepared ? [] : ['COLUMN = (SELECT MARK)', 'COLUMN = ANY (SELECT MARK)'];
        return strtr($this->dice->any([...$selected, '(COLUMN = MARK)', 'MARK = COLUMN', 'NOT COLUMN = MARK', 'COLUMN = MARK = 1', 'COLUMN IN (MARK)', 'COLUMN IN (MARK, MARK)', 'COLUMN BETWEEN MARK AND MARK', 'none.COLUMN = MARK', 'no_such = MARK', 'BINARY COLUMN = MARK', 'COLUMN = (MARK)', 'COLUMN = MARK + 0',
            'COLUMN = CONCAT(MARK)', '(COLUMN) = MARK', 'COLUMN = COLUMN', '(COLUMN, 1) = (MARK, 1)', 'COLUMN = CAST(MARK AS CHAR)', 'COLUMN = MARK AND COLUMN = MARK', '! COLUMN = MARK', 'COLUMN = MARK COLLATE utf8mb4_general_ci', 'COLUMN = @@version', 'COLUMN = @none', 'COLUMN = DEFAULT(COLUMN)', 'TRUE = MARK', 'IFNULL(COLUMN, 1) = MARK', 'COLUMN = IFNULL(MARK, 1)']),
            ['COLUMN' => $column, 'MARK' => Shape::MARK]);
    }

    /**
     * A statement of a shape.
     *
     * @return array{string, list<mixed>, string} the text, the parameters and their types
     */
    public function statement(Shape $shape, string $charset): array
    {
        $values = $this->key($shape->table);
        $parameters = [];
        $types = '';
        $place = 0;
        $text = preg_replace_callback('/' . Shape::MARK . '/', function () use ($shape, $charset, $values, &$parameters, &$types, &$place): string {
            $kind = $shape->marks[$place];
            $number = array_search($kind, array_map(fn(string $name) => $shape->table->columns[$name], $shape->table->key), true);
            $value = $number === false ? $kind->value($this->dice) : $values[$number];
            $place++;
            if (!$shape->is_prepared) {
                return $this->literal($kind, $value, $charset);
            }
            [$parameters[], $type] = $this->parameter($kind, $value, $charset);
            $types .= $type;
            return '?';
        }, $shape->text);
        return [$text, $parameters, $types];
    }

    /** @return list<string> mostly a row's key, or one near it, or one of no row */
    private function key(Table $table): array
    {
        $dice = $this->dice;
        $key = $dice->any($table->rows);
        foreach ($table->key as $place => $name) {
            $kind = $table->columns[$name];
            if ($dice->one_in(8)) {
                $key[$place] = match ($kind->of) {
                    'text', 'bytes' => $dice->one_in(2) ? Values::near($dice, $key[$place]) : $kind->value($dice),
                    'int' => $dice->one_in(2) ? Values::any_number($dice) : $kind->value($dice),
                    'raw' => $kind->value($dice),
                };
            }
        }
        return $key;
    }

    private function literal(Kind $kind, string $value, string $charset): string
    {
        $dice = $this->dice;
        if ($kind->of === 'raw') {
            return $dice->one_in(12) ? $dice->any(['NULL', '0', "''", "'x'", '1.0', "'2020-1-2'", 'DATE ' . $value, '20200102', 'NOW()']) : $value;
        }
        if ($dice->one_in(20)) {
            return $this->odd_literal($value, $kind->of);
        }
        return $kind->of === 'int' ? $value : Values::quoted($dice, $this->in($charset, $value));
    }

    /** A text in a character set, or (both happen) as it is. */
    private function in(string $charset, string $value): string
    {
        $there = ['latin1' => 'WINDOWS-1252', 'gbk' => 'GBK', 'sjis' => 'SHIFT_JIS'][$charset] ?? null;
        $converted = $there === null || $this->dice->one_in(4) ? false : @iconv('UTF-8', $there, $value);
        return $converted === false ? $value : $converted;
    }

    private function odd_literal(string $value, string $of): string
    {
        $quoted = Values::quoted($this->dice, $value);
        $bits = fn() => $of === 'int' ? decbin(max(0, (int) $value)) : '01100001';
        $digits = $of === 'int' ? $value : '5';
        return match ($this->dice->number(1, 25)) {
            1 => $of === 'int' ? $quoted : '0',
            2 => $of === 'int' ? "'$value'" : '5',
            3 => "$digits.0",
            4 => "{$digits}e0",
            5 => '0x' . bin2hex($value === '' ? 'a' : $value),
            6 => "x'" . bin2hex($value) . "'",
            7 => "b'{$bits()}'",
            8 => "N$quoted",
            9 => "_utf8$quoted",
            10 => "_latin1$quoted",
            11 => "_binary $quoted",
            12 => Values::quoted($this->dice, $value, '"'),
            13 => "$quoted 'a'",
            14 => "$quoted COLLATE utf8mb4_bin",
            15 => 'NULL',
            16 => "0$digits",
            17 => "+$digits",
            18 => "- $digits",
            19 => "--$digits",
            20 => "'$digits '",
            21 => "{$digits}x",
            22 => 'TRUE',
            23 => "$quoted\n'b'",
            24 => "'{$digits}x'",
            25 => "$digits.",
        };
    }

    /** @return array{mixed, string} a parameter and its type, as mysqli wants it */
    private function parameter(Kind $kind, string $value, string $charset): array
    {
        $dice = $this->dice;
        $value = $kind->of === 'raw' ? trim($value, "'") : ($kind->of === 'int' ? $value : $this->in($charset, $value));
        if ($dice->one_in(40)) { // a statement whose types change is sent anew
            $long = $kind->of === 'text' ? [[$value, 'b']] : []; // MariaDB 10.11.19 crashes of long data that is to be a number
            return $dice->any([...$long, [null, 's'], [null, 'i'], [true, 'i'], [false, 's'], [(float) $value, 'd'], [(int) $value, 's'], [(float) $value, 's'], ["$value ", 's'], [5, 'd'], ['5', 's'], [5, 'i'], [1.5, 'd'], [1.5, 's']]);
        }
        if ($kind->of === 'int' && (string) (int) $value === $value && !$dice->one_in(60)) {
            return [(int) $value, 'i'];
        }
        return [$value, 's'];
    }
}
