<?php
/*
 * What the names of PDO's parameters say of their arguments: statements with placeholders of both kinds, attributes and their values,
 * the ways to fetch, types.
 */

declare(strict_types=1);

final class PdoArguments extends Arguments
{
    public const ROWS = [...parent::ROWS, 'SELECT 1; SELECT 2, 3', 'SELECT name AS `name`, e AS `E`, id AS `name` FROM t ORDER BY id', 'SELECT id, name, b FROM t ORDER BY id', "SELECT 'Row' AS c, 1 AS id, 'x' AS name",
        'SELECT b, e, y FROM t ORDER BY id', 'SELECT e, id, name FROM t ORDER BY id', 'SELECT a.id, c.id FROM t a, t c WHERE a.id = c.id ORDER BY 1', "SELECT 'a''?' AS `q?`, \"?\" -- ?", 'SELECT /* ? :a */ 1'];
    public const NO_ROWS = [...parent::NO_ROWS, 'START TRANSACTION', 'ROLLBACK', 'CREATE TABLE IF NOT EXISTS w (id INT)', 'SET autocommit = 1', "SET sql_mode = ''", 'SAVEPOINT s', 'COMMIT RELEASE'];
    public const WRONG = [...parent::WRONG, 'KILL CONNECTION_ID()', 'KILL QUERY CONNECTION_ID()', 'SELECT 1; INSERT INTO w VALUES (1, 1), (1, 1); SELECT 2', 'SELECT 1; SELECT', 'DO 1; SELECT nothing', 'SELECT :a'];
    /** Statements to prepare: their text, the parameters, how many columns. */
    public const TO_PREPARE = [['SELECT ?', [1], 1], ['SELECT ?, ?', [1, 2], 2], ['SELECT :a', [':a'], 1], ['SELECT :a AS a, :b AS b', [':a', ':b'], 2], ['SELECT :a, :a', [':a'], 2], ['SELECT :a, ?', [':a', 1], 2],
        ['SELECT id, name FROM t WHERE id <= ? ORDER BY id', [1], 2], ['SELECT id, name, b FROM t WHERE id >= :id ORDER BY id', [':id'], 3], ['INSERT INTO w (name) VALUES (?)', [1], 0], ['INSERT INTO w VALUES (:id, :name)', [':id', ':name'], 0],
        ['SELECT * FROM t ORDER BY id', [], 13], ['SELECT 1', [], 1], ['CALL p()', [], 1], ['CALL two()', [], 1], ['DO ?', [1], 0], ['SELECT name FROM t WHERE id > 1000', [], 1], ['UPDATE w SET name = ? WHERE id < ?', [1, 2], 0],
        ['SELECT i, f, d, dt FROM t WHERE id = ?', [1], 4], ["SELECT a.id, REPEAT('z', 3000) FROM t a, t b, t c", [], 2], ['SELECT id FROM t LIMIT ?', [1], 1], ['SELECT ? + ?', [1, 2], 1], ['SELECT 1; SELECT 2, 3', [], 1],
        ['SELECT ?; SELECT ?, 3', [1, 2], 1], ["SELECT '?', ?, ':a', ?? ", [1], 3], ['SELECT e, b FROM t ORDER BY id', [], 2], ['SELECT CAST(? AS SIGNED) AS i, CAST(? AS CHAR) AS s', [1, 2], 2],
        ['SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 2 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2) AS x', [], 2], ['SHOW TABLES', [], 1], ['LOCK TABLES no_such_table READ', [], 0],
        ['nonsense', [], 0], ['SELECT nothing', [], 1], ['CREATE TEMPORARY TABLE tmp (n INT)', [], 0], ['DELETE FROM w; SELECT ?', [1], 1]];
    protected const VALUES = [...parent::VALUES, "stream('streamed')", "stream(str_repeat('s', 70000))", "closed_stream()"];

    private const FETCH = ['PDO::FETCH_DEFAULT', 'PDO::FETCH_NUM', 'PDO::FETCH_NUM', 'PDO::FETCH_ASSOC', 'PDO::FETCH_BOTH', 'PDO::FETCH_OBJ', 'PDO::FETCH_BOUND', 'PDO::FETCH_COLUMN', 'PDO::FETCH_NAMED', 'PDO::FETCH_KEY_PAIR',
        'PDO::FETCH_CLASS', 'PDO::FETCH_INTO', 'PDO::FETCH_LAZY', 'PDO::FETCH_CLASS | PDO::FETCH_CLASSTYPE', 'PDO::FETCH_FUNC', 'PDO::FETCH_GROUP', 'PDO::FETCH_UNIQUE', 'PDO::FETCH_SERIALIZE | PDO::FETCH_CLASS', 'PDO::FETCH_PROPS_LATE | PDO::FETCH_CLASS'];
    /** A way to fetch with what belongs to it. */
    private const FETCH_WITH = ['PDO::FETCH_NUM', 'PDO::FETCH_ASSOC', 'PDO::FETCH_NAMED', 'PDO::FETCH_COLUMN, 0', 'PDO::FETCH_COLUMN, 1', 'PDO::FETCH_COLUMN, 100', "PDO::FETCH_CLASS, 'Row'", "PDO::FETCH_CLASS, 'Row', [1]",
        "PDO::FETCH_CLASS | PDO::FETCH_PROPS_LATE, 'Row', ['late']", "PDO::FETCH_CLASS, 'Throwing'", "PDO::FETCH_CLASS, 'Hidden'", "PDO::FETCH_CLASS, 'NoSuchClass'", "PDO::FETCH_CLASS, 'Typed'", "PDO::FETCH_CLASS, 'Fixed'",
        "PDO::FETCH_CLASS, 'Meddling'", "PDO::FETCH_CLASS, 'Meddling', [1]", 'PDO::FETCH_INTO, new Row', 'PDO::FETCH_INTO, new Typed', 'PDO::FETCH_LAZY', 'PDO::FETCH_BOUND', 'PDO::FETCH_KEY_PAIR', "PDO::FETCH_OBJ", '999'];
    private const FETCH_ALL = [...self::FETCH_WITH, 'PDO::FETCH_GROUP | PDO::FETCH_NUM', 'PDO::FETCH_GROUP | PDO::FETCH_COLUMN', 'PDO::FETCH_UNIQUE | PDO::FETCH_ASSOC', 'PDO::FETCH_GROUP | PDO::FETCH_COLUMN, 1',
        'PDO::FETCH_FUNC, fn(...$row) => count($row)', "PDO::FETCH_FUNC, 'no_such_function'", "PDO::FETCH_FUNC, 'meddle'", "PDO::FETCH_FUNC, fn() => throw new DomainException('thrown')", 'PDO::FETCH_CLASS | PDO::FETCH_CLASSTYPE',
        "PDO::FETCH_CLASS | PDO::FETCH_GROUP, 'Row'", 'PDO::FETCH_KEY_PAIR | PDO::FETCH_GROUP'];
    private const TYPES = ['PDO::PARAM_INT', 'PDO::PARAM_INT', 'PDO::PARAM_STR', 'PDO::PARAM_STR', 'PDO::PARAM_NULL', 'PDO::PARAM_BOOL', 'PDO::PARAM_LOB', 'PDO::PARAM_LOB', 'PDO::PARAM_STMT', 'PDO::PARAM_STR | PDO::PARAM_STR_NATL',
        'PDO::PARAM_STR | PDO::PARAM_STR_CHAR', 'PDO::PARAM_INT | PDO::PARAM_INPUT_OUTPUT', '99', '-1'];
    private const COLUMNS = ['1', '2', "'id'", "'a'", "'name'", "'b'", '0', '-1', '100', "'no_such_column'", "''", "'1'"];

    /** Attributes that can be set at any time, and change what comes next. */
    private const LASTING = ['PDO::ATTR_STRINGIFY_FETCHES', 'PDO::ATTR_EMULATE_PREPARES', 'PDO::MYSQL_ATTR_USE_BUFFERED_QUERY', 'PDO::ATTR_CASE', 'PDO::ATTR_ORACLE_NULLS', 'PDO::ATTR_FETCH_TABLE_NAMES', 'PDO::ATTR_AUTOCOMMIT',
        'PDO::ATTR_ERRMODE', 'PDO::ATTR_DEFAULT_FETCH_MODE', 'PDO::ATTR_STATEMENT_CLASS', 'PDO::ATTR_DEFAULT_STR_PARAM', 'PDO::MYSQL_ATTR_DIRECT_QUERY'];
    private const OF_ANY_ATTRIBUTE = ['0', '1', '2', 'true', 'false', 'null', "'x'", "'1'", '[]', '1.5', 'new stdClass', '-1'];

    /** The values of an attribute, right and wrong; of others anything. */
    private const OF_ATTRIBUTE = [
        'PDO::ATTR_AUTOCOMMIT' => ['0', '1', 'true', 'false'],
        'PDO::ATTR_TIMEOUT' => ['1', '2', '0', '-1'],
        'PDO::ATTR_ERRMODE' => ['PDO::ERRMODE_EXCEPTION', 'PDO::ERRMODE_WARNING', 'PDO::ERRMODE_SILENT', '7'],
        'PDO::ATTR_CASE' => ['PDO::CASE_NATURAL', 'PDO::CASE_UPPER', 'PDO::CASE_LOWER', '9'],
        'PDO::ATTR_ORACLE_NULLS' => ['PDO::NULL_NATURAL', 'PDO::NULL_EMPTY_STRING', 'PDO::NULL_TO_STRING', '9'],
        'PDO::ATTR_STATEMENT_CLASS' => ["['Own']", "['Own', [1]]", "['PDOStatement']", "['Public_']", "['stdClass']", "['NoSuchClass']", '[]', "'Own'", "['Failing']", "['Own', 1]"],
        'PDO::ATTR_STRINGIFY_FETCHES' => ['0', '1', 'true', 'false'],
        'PDO::ATTR_EMULATE_PREPARES' => ['0', '1', 'true', 'false'],
        'PDO::ATTR_FETCH_TABLE_NAMES' => ['0', '1', 'true', 'false'],
        'PDO::ATTR_DEFAULT_FETCH_MODE' => [...self::FETCH, '[PDO::FETCH_CLASS, 1]'],
        'PDO::ATTR_DEFAULT_STR_PARAM' => ['PDO::PARAM_STR_NATL', 'PDO::PARAM_STR_CHAR', '0'],
        'PDO::ATTR_CURSOR' => ['PDO::CURSOR_FWDONLY', 'PDO::CURSOR_SCROLL'],
        'PDO::MYSQL_ATTR_USE_BUFFERED_QUERY' => ['0', '1', 'true', 'false'],
        'PDO::MYSQL_ATTR_DIRECT_QUERY' => ['0', '1', 'true', 'false'],
        'PDO::MYSQL_ATTR_FOUND_ROWS' => ['0', '1', 'true'],
        'PDO::MYSQL_ATTR_IGNORE_SPACE' => ['0', '1'],
        'PDO::MYSQL_ATTR_COMPRESS' => ['0', '1'],
        'PDO::MYSQL_ATTR_MULTI_STATEMENTS' => ['0', '1'],
        'PDO::MYSQL_ATTR_LOCAL_INFILE' => ['0', '1'],
        'PDO::MYSQL_ATTR_LOCAL_INFILE_DIRECTORY' => ["'/nowhere'", "''", "'/tmp'"],
        'PDO::MYSQL_ATTR_INIT_COMMAND' => ["'SET @x = 7'", "'SELECT 1'", "'nonsense'", "''", "'SET NAMES latin1'", "'DO 1; DO 2'"],
        'PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT' => ['0', '1', '-1'],
        'PDO::MYSQL_ATTR_SERVER_PUBLIC_KEY' => ["''", "'/nowhere'"],
        'PDO::MYSQL_ATTR_SSL_CIPHER' => ["''", "'DEFAULT'", "'nonsense'"],
        'PDO::MYSQL_ATTR_SSL_CA' => ["''", "'/nowhere'"],
        'PDO::MYSQL_ATTR_SSL_CAPATH' => ["''", "'/nowhere'"],
        'PDO::MYSQL_ATTR_SSL_KEY' => ["''", "'/nowhere'"],
        'PDO::MYSQL_ATTR_SSL_CERT' => ["''", "'/nowhere'"],
    ];

    protected const BY_NAME = [
        'dsn' => ['data_source()', 'data_source()', 'data_source()', "data_source(';charset=latin1')", "data_source(';charset=nonsense')", "data_source(';dbname=no_such_db')", "'mysql:'", "'mysql'", "'nonsense'", "''", "'nonsense:x'",
            "'mysql:host=no.such.host.invalid'", "'mysql:unix_socket=/nowhere'", "'mysql:unix_socket=' . server('SOCKET')", "'mysql:host=' . server('HOST') . ';port=' . server('PORT')", "'mysql:host=localhost;port=1'",
            "'mysql:host=127.0.0.1;port=1'", "data_source(';user=nobody')", "'uri:/nowhere'", "'MYSQL:'", "'mysql: dbname = x'", "'mysql:dbname=information_schema;unix_socket=' . server('SOCKET')", 'data_source(";a=b;;c")'],
        'username' => ["server('USER')", "server('USER')", "server('USER')", "server('USER')", "server('USER')", "'nobody'", "''", 'null', "str_repeat('u', 300)"],
        'password' => ["server('PASSWORD')", "server('PASSWORD')", "server('PASSWORD')", "server('PASSWORD')", "'wrong'", "''", 'null'],
        'string' => self::STRINGS,
        'type' => self::TYPES,
        'mode' => [...self::FETCH, '999', '-1'],
        'fetchMode' => [...self::FETCH, '999', '-1'],
        'cursorOrientation' => ['PDO::FETCH_ORI_NEXT', 'PDO::FETCH_ORI_NEXT', 'PDO::FETCH_ORI_PRIOR', 'PDO::FETCH_ORI_FIRST', 'PDO::FETCH_ORI_LAST', 'PDO::FETCH_ORI_ABS', 'PDO::FETCH_ORI_REL', '99'],
        'cursorOffset' => ['0', '1', '-1', '2'],
        'column' => ['0', '1', '2', '-1', '100'],
        'param' => ['1', '2', "':a'", "'a'", "':b'", '0', '-1', '3', "''", "':no_such'", "'1'", 'PHP_INT_MAX'],
        'var' => ['$a', '$b', '$c', '$d'],
        'maxLength' => ['0', '10', '-1', '4000'],
        'driverOptions' => ['null', '1', '[]'],
        'params' => ['null', '[]', '[1]', "['a']", "[1, 'b']", '[null]', "[':a' => 1]", "['a' => 'x', 'b' => 2]", '[[]]', '[1, 2, 3]', '[new Words, 1.5]', '[5 => 1, 3 => 2]', '[true, false]', "[stream('s')]", '[new stdClass]'],
        'class' => ["'stdClass'", "'Row'", "'NoSuchClass'", "'Throwing'", "'Hidden'", "'Abstracted'", "'Countable'", "'Suit'", "''", "'PDO'", "'Typed'", "'Fixed'", "'Meddling'", 'null'],
        'constructorArgs' => ['[]', '[1]', '[1, 2]', "['name' => 'x']", "['no_such' => 1]"],
    ];

    public function sql(int $link, ?array $from = null): string
    {
        return parent::sql($link, $from ?? $this->dice->any([self::ROWS, self::ROWS, self::ROWS, self::NO_ROWS, self::NO_ROWS, self::WRONG]));
    }

    /** @var list<string> */
    private array $attributes = [];

    protected function named(string $name, string $call, int $link): ?string
    {
        return match (true) {
            $name === 'statement', $name === 'query' && $call === 'query' => $this->dice->one_in(3) ? $this->many_sql($link) : $this->sql($link),
            $name === 'query' => self::quoted($this->dice->one_in(4) ? $this->dice->any(self::WRONG) : $this->dice->any(self::TO_PREPARE)[0], $link),
            $name === 'attribute', $name === 'name' && $call === 'getAttribute' => $this->attribute(),
            $name === 'name' => $this->dice->any(['null', "'x'", "''"]),
            $name === 'options' && $call === 'prepare' => $this->options(['PDO::ATTR_CURSOR', 'PDO::ATTR_STATEMENT_CLASS', 'PDO::ATTR_EMULATE_PREPARES', 'PDO::MYSQL_ATTR_USE_BUFFERED_QUERY', 'PDO::ATTR_MAX_COLUMN_LEN']),
            $name === 'options' => $this->options(),
            $name === 'column' && $call === 'bindColumn' => $this->column(),
            default => null,
        };
    }

    /** @param list<string> $constants what Reflection and the stub file have */
    public function attributes(array $constants): void
    {
        $this->attributes = array_values(preg_grep('/::(MYSQL_)?ATTR_/', $constants));
    }

    /** Every second one changes how it goes on. */
    public function attribute(): string
    {
        return match (true) {
            $this->dice->one_in(30) => $this->dice->any(['1016', '-1', '2000']),
            $this->dice->one_in(2) => $this->dice->any($this->attributes),
            default => $this->dice->any(self::LASTING),
        };
    }

    public function value_of(string $attribute): string
    {
        // PDO keeps any number as the default way to fetch, and dies of some.
        $is_wrong = $attribute !== 'PDO::ATTR_DEFAULT_FETCH_MODE' && $this->dice->one_in(6);
        return $is_wrong || !isset(self::OF_ATTRIBUTE[$attribute]) ? $this->dice->any(self::OF_ANY_ATTRIBUTE) : $this->dice->any(self::OF_ATTRIBUTE[$attribute]);
    }

    /** Options of TLS. */
    public function tls(): string
    {
        return $this->options(array_values(preg_grep('/_SSL_/', $this->attributes)));
    }

    /** Options of a connection, or of these; those that change how it goes on are the most likely. TLS is not for unix sockets. */
    public function options(?array $from = null): string
    {
        $options = [];
        if ($from === null) {
            $options = ['PDO::ATTR_ERRMODE' => $this->dice->any(['PDO::ERRMODE_EXCEPTION', 'PDO::ERRMODE_EXCEPTION', 'PDO::ERRMODE_WARNING', 'PDO::ERRMODE_SILENT']),
                'PDO::ATTR_EMULATE_PREPARES' => $this->dice->any(['0', '1']), 'PDO::MYSQL_ATTR_USE_BUFFERED_QUERY' => $this->dice->any(['0', '1', '1'])];
        }
        for ($many = $this->dice->any([0, 0, 1, 1, 2]); $many > 0; $many--) {
            $attribute = $this->dice->any($from ?? $this->dice->any([self::LASTING, array_values(preg_grep('/_SSL_|::ATTR_PERSISTENT/', $this->attributes, PREG_GREP_INVERT))]));
            $value = $this->value_of($attribute);
            $options[$attribute] = in_array($value, ['[]', 'new stdClass'], true) ? 'null' : $value; // with those ours does not connect
        }
        return '[' . implode(', ', array_map(fn(string $name, string $value) => "$name => $value", array_keys($options), $options)) . ']';
    }

    public function type(): string
    {
        return $this->dice->any(self::TYPES);
    }

    public function column(): string
    {
        return $this->dice->any(self::COLUMNS);
    }

    public function fetch(): string
    {
        return $this->dice->any(['', '', '', $this->dice->any(self::FETCH)]);
    }

    public function fetch_with(): string
    {
        return $this->dice->any(self::FETCH_WITH);
    }

    public function fetch_all(): string
    {
        return $this->dice->any(['', '', $this->dice->any(self::FETCH_ALL), $this->dice->any(self::FETCH_ALL)]);
    }
}
