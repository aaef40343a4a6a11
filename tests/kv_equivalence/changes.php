<?php
/*
 * What happens between SELECTs: to rows, to the connection and to the tables, by the connection itself and by somebody else. Each change is the steps
 * that bring it about, those that undo it, how many SELECTs should follow, and the character set that texts are written in meanwhile.
 */

declare(strict_types=1);

final class Change
{
    /**
     * @param list<array> $begin
     * @param list<array> $end
     */
    public function __construct(public readonly array $begin, public readonly array $end = [], public readonly int $length = 240, public readonly ?string $charset = null)
    {
    }
}

final class Changes
{
    /** A state in which the port can't be asked is of interest for a few statements only. */
    private const SHORT = 12;

    private const KINDS = ['own_write', 'own_write', 'others_write', 'others_write', 'others_write', 'transaction', 'transaction', 'snapshot', 'isolation', 'lock', 'temporary', 'database', 'database', 'names', 'names', 'mode', 'mode', 'setting', 'routine', 'own_tables',
        'others_tables', 'others_tables', 'rights', 'killed', 'unread', 'unread', 'same_user', 'handler', 'reconnected', 'xa'];

    /** @param list<Table> $tables */
    public function __construct(private readonly Dice $dice, private readonly string $server, private readonly bool $is_pdo, private readonly array $tables)
    {
    }

    public static function run(string $sql): array
    {
        return ['ask', 'plain none', $sql, [], ''];
    }

    public function any(): Change
    {
        return $this->{$this->dice->any(self::KINDS)}();
    }

    private function is_mariadb(): bool
    {
        return $this->server === 'mariadb';
    }

    private function table(): Table
    {
        return $this->dice->any($this->tables);
    }

    /** A statement that changes rows of a table: those that are there, or new ones. */
    public function write(?Table $table = null): string
    {
        $dice = $this->dice;
        $table ??= $this->table();
        $path = ONE . ".$table->name";
        $key = $dice->any($table->rows);
        $names = implode(', ', array_keys($table->columns));
        $where = implode(' AND ', array_map(fn(string $name, string $value) => "$name = " . $table->columns[$name]->literal($value), $table->key, $key));
        $column = $dice->any($table->others());
        $new = $table->columns[$column]->literal($table->columns[$column]->value($dice));
        return match ($dice->number(1, 8)) {
            1, 2, 3 => "UPDATE $path SET $column = $new WHERE $where",
            4 => "DELETE FROM $path WHERE $where",
            5 => "REPLACE INTO $path ($names) VALUES " . $table->row($dice, $key),
            6 => "INSERT IGNORE INTO $path ($names) VALUES " . $table->row($dice, $key) . ', ' . $table->row($dice),
            7 => "INSERT INTO $path ($names) VALUES " . $table->row($dice, $key) . " ON DUPLICATE KEY UPDATE $column = $new",
            8 => "UPDATE $path SET $column = $new",
        };
    }

    private function own_write(): Change
    {
        $steps = [self::run($this->write())];
        if ($this->dice->one_in(4)) {
            $steps[] = ['ask', 'two none', $this->write(), [], ''];
        }
        return new Change($steps);
    }

    private function others_write(): Change
    {
        return new Change([['rows', array_map(fn() => $this->write(), range(1, $this->dice->number(1, 3)))]]);
    }

    private function transaction(): Change
    {
        $dice = $this->dice;
        $begin = $dice->any([self::run('START TRANSACTION'), self::run('BEGIN'), self::run('begin work'), self::run('START TRANSACTION READ ONLY'), self::run('/* x */ start transaction with consistent snapshot'), self::run('SET autocommit = 0'), self::run('SET @@session.autocommit = OFF'),
            ['call', 'begin', []], ['call', 'autocommit', [false]], ['ask', 'two none', 'SELECT 1; BEGIN', [], '']]);
        $writes = $dice->one_in(3) ? [] : [self::run($this->write()), ...($dice->one_in(3) ? [self::run('SAVEPOINT s'), self::run($this->write()), self::run('ROLLBACK TO s')] : [])];
        $end = $dice->any([[self::run('ROLLBACK')], [self::run('COMMIT')], [['call', 'rollback', []]], [['call', 'commit', []]], [self::run('ROLLBACK AND CHAIN'), self::run('COMMIT')], [self::run('CREATE TABLE IF NOT EXISTS commits (a INT)')]]);
        return new Change([$begin, ...$writes], [...$end, self::run('ROLLBACK'), self::run('SET autocommit = 1'), ['call', 'autocommit', [true]]], self::SHORT);
    }

    /** What was read first stays so for the transaction, whatever others do. */
    private function snapshot(): Change
    {
        $table = $this->table();
        return new Change([self::run($this->dice->any(['START TRANSACTION WITH CONSISTENT SNAPSHOT', 'BEGIN'])), self::run("SELECT * FROM $table->name"), ['rows', [$this->write($table), $this->write($table)]]], [self::run('COMMIT')], self::SHORT);
    }

    /** Somebody else's changes that are not committed, and never will be. */
    private function isolation(): Change
    {
        $level = $this->dice->any(['READ UNCOMMITTED', 'READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']);
        $once = $this->dice->one_in(3);
        $is_long = $level === 'READ COMMITTED';
        return new Change(
            [self::run('SET ' . ($once ? '' : 'SESSION ') . "TRANSACTION ISOLATION LEVEL $level"), ['rows', ['START TRANSACTION', $this->write(), $this->write()]]],
            [['rows', ['ROLLBACK']], self::run('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ')],
            $is_long || $once ? 150 : self::SHORT,
        );
    }

    private function lock(): Change
    {
        $name = $this->table()->name;
        $other = $this->table()->name;
        return new Change([self::run('LOCK TABLES ' . $this->dice->any(["$name READ", "$name WRITE", "$name AS x READ, $name READ", "$name READ LOCAL", "$name READ, $name AS y READ", "$other READ", ONE . ".$name WRITE"]))], [self::run('UNLOCK TABLES')], self::SHORT);
    }

    private function temporary(): Change
    {
        $name = $this->table()->name;
        $create = $this->dice->any(["CREATE TEMPORARY TABLE $name (k VARCHAR(20) PRIMARY KEY, v1 INT)", "CREATE TEMPORARY TABLE $name LIKE " . ONE . ".$name", "CREATE TEMPORARY TABLE IF NOT EXISTS " . ONE . ".$name SELECT * FROM " . ONE . "_b.$name", "CREATE TEMPORARY TABLE `$name` (k INT PRIMARY KEY) SELECT 1 AS k, 2 AS v1"]);
        return new Change([self::run($create)], [self::run("DROP TEMPORARY TABLE IF EXISTS $name")], self::SHORT);
    }

    private function database(): Change
    {
        $other = $this->dice->any([ONE . '_b', ONE . '_b', ONE . '_b', 'information_schema', 'no_such']);
        return new Change([$this->dice->any([self::run("USE $other"), ['call', 'select_db', [$other]], self::run("use `$other`"), ['ask', 'two none', "USE $other; SELECT 1", [], '']])], [self::run('USE ' . ONE)], 120);
    }

    private function names(): Change
    {
        $charset = $this->dice->any(['latin1', 'latin1', 'utf8', 'gbk', 'ascii', 'binary', 'utf8mb4']);
        $steps = $this->dice->any([[self::run("SET NAMES $charset")], [self::run("SET NAMES $charset")], [['call', 'set_charset', [$charset]]], [self::run("SET CHARACTER SET $charset")], [self::run("SET character_set_results = $charset")], [self::run('SET character_set_results = NULL')],
            [self::run("SET character_set_connection = $charset")], [self::run("SET collation_connection = 'utf8mb4_bin'")], [self::run("SET character_set_client = $charset")], [self::run("set names 'utf8mb4' collate 'utf8mb4_bin'")], [self::run("SET @a = 1, character_set_results = $charset")]]);
        return new Change($steps, [['call', 'set_charset', ['utf8mb4']]], in_array($charset, ['gbk', 'binary'], true) ? self::SHORT : 200, $charset);
    }

    private function mode(): Change
    {
        $modes = ['ANSI_QUOTES', 'NO_BACKSLASH_ESCAPES', 'PAD_CHAR_TO_FULL_LENGTH', 'ANSI', 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES', 'TRADITIONAL', 'PIPES_AS_CONCAT', 'HIGH_NOT_PRECEDENCE', 'IGNORE_SPACE', 'REAL_AS_FLOAT', 'NO_UNSIGNED_SUBTRACTION', ''];
        if ($this->is_mariadb()) {
            array_push($modes, 'ORACLE', 'EMPTY_STRING_IS_NULL', 'MSSQL', 'ORACLE,EMPTY_STRING_IS_NULL', 'TIME_ROUND_FRACTIONAL');
        }
        $mode = $this->dice->any($modes);
        return new Change([self::run($this->dice->any(["SET sql_mode = '$mode'", "SET SESSION sql_mode = '$mode'", "SET @@sql_mode := '$mode'", "SET @x = 1, sql_mode = '$mode'"]))], [self::run('SET sql_mode = DEFAULT')], 120);
    }

    private function setting(): Change
    {
        [$set, $back] = $this->dice->any([['sql_select_limit = 0', 'sql_select_limit = DEFAULT'], ['sql_select_limit = 1', 'sql_select_limit = DEFAULT'], ['max_join_size = 1', 'max_join_size = DEFAULT, sql_big_selects = 1'], ['sql_safe_updates = 1', 'sql_safe_updates = 0'], ["time_zone = '+05:00'", 'time_zone = SYSTEM'],
            ["lc_messages = 'de_DE'", "lc_messages = 'en_US'"], ['sql_auto_is_null = 1', 'sql_auto_is_null = 0'], ['sql_warnings = 1', 'sql_warnings = 0'], ['max_error_count = 0', 'max_error_count = 64'], ['sql_notes = 0', 'sql_notes = 1'], ['group_concat_max_len = 4', 'group_concat_max_len = DEFAULT'],
            ['profiling = 1', 'profiling = 0'], ["lc_time_names = 'de_DE'", "lc_time_names = 'en_US'"], ['div_precision_increment = 0', 'div_precision_increment = 4'], ['timestamp = 5', 'timestamp = DEFAULT'], ['query_cache_type = OFF', '@a = 1'], ['max_statement_time = 60', 'max_statement_time = 0'],
            ['tx_read_only = 1', 'tx_read_only = 0'], ['default_week_format = 3', 'default_week_format = 0'], ['big_tables = 1', 'big_tables = 0'], ['net_write_timeout = 50', 'net_write_timeout = 60'], ['session_track_state_change = 1', 'session_track_state_change = 0'], ["completion_type = 'CHAIN'", "completion_type = 'NO_CHAIN'"],
            ["default_storage_engine = 'MyISAM'", "default_storage_engine = 'InnoDB'"], ['last_insert_id = 77', '@a = 1'], ['insert_id = 9', 'insert_id = 0'], ["resultset_metadata = 'NONE'", "resultset_metadata = 'FULL'"], ['optimizer_switch = DEFAULT', '@a = 2'], ['low_priority_updates = 1', 'low_priority_updates = 0'], ['@k = 1, @@session.sql_select_limit = 0', 'sql_select_limit = DEFAULT']]);
        return new Change([self::run("SET $set")], [self::run("SET $back")], str_contains($set, 'limit') ? 60 : 240);
    }

    /** What a text does not show: a routine or a prepared statement of SQL that changes the connection. */
    private function routine(): Change
    {
        $steps = $this->dice->any([['CALL named()'], ['CALL begun()'], ['CALL manual()'], ['CALL limited()'], ['CALL moded()'], ['CALL looked()'], ['CALL hidden()'], ['CALL result()'], ['SELECT changed()'], ['DO changed()'], ['SELECT moded()'], ['SET @a = moded()'], ["PREPARE s FROM 'SET sql_select_limit = 0'", 'EXECUTE s'],
            ["PREPARE s FROM 'SET NAMES latin1'", 'EXECUTE s'], ["EXECUTE IMMEDIATE 'SET sql_mode = ANSI_QUOTES'"], ["PREPARE s FROM 'CREATE TEMPORARY TABLE t1 (k INT PRIMARY KEY, v1 INT)'", 'EXECUTE s'], ["PREPARE s FROM 'START TRANSACTION'", 'EXECUTE s'], ['BEGIN NOT ATOMIC SET sql_select_limit = 0; END'], ['/*!50000 SET sql_select_limit = 0 */'], ['/*M!100000 SET sql_select_limit = 0 */'],
            ["SET STATEMENT sql_select_limit = 0 FOR CALL result()"], ['INSERT IGNORE INTO t0 (k) VALUES (moded())']]);
        $undo = ['ROLLBACK', 'SET autocommit = 1', 'SET sql_select_limit = DEFAULT', 'SET sql_mode = DEFAULT', 'DROP TEMPORARY TABLE IF EXISTS t0, t1'];
        $call = fn(string $sql) => $this->is_pdo ? ['ask', 'query all', $sql, [], ''] : ['ask', 'multi all', $sql, [], ''];
        return new Change(array_map($call, $steps), [...array_map(self::run(...), $undo), ['call', 'set_charset', ['utf8mb4']]], 25);
    }

    /** A statement that changes tables, written for somebody else; most of them leave them such that the same SELECTs mean something else. */
    private function of_tables(): string
    {
        $dice = $this->dice;
        $table = $this->table();
        $path = ONE . ".$table->name";
        $column = $dice->any($table->others());
        $index = $dice->any($table->key);
        $other = ONE . '.' . $this->table()->name;
        $type = $dice->any(['VARCHAR(50) CHARACTER SET latin1 NOT NULL', 'TEXT', 'CHAR(20) NOT NULL', 'INT NOT NULL', 'VARCHAR(100) NULL', 'VARBINARY(90) NOT NULL', 'DATE', "VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'x'"]);
        $key = $dice->any(['VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin', 'VARCHAR(40) CHARACTER SET latin1', 'INT', 'BIGINT', 'VARBINARY(160)', 'CHAR(40)']);
        return $dice->any([
            "ALTER TABLE $path ADD COLUMN added INT NOT NULL DEFAULT 5",
            "ALTER TABLE $path ADD COLUMN added VARCHAR(9) NOT NULL DEFAULT 'new' FIRST",
            "ALTER TABLE $path ADD COLUMN added INT NOT NULL DEFAULT 5 AFTER $index",
            "ALTER TABLE $path DROP COLUMN $column",
            "ALTER TABLE $path MODIFY $column $type",
            "ALTER TABLE $path CHANGE $column v9 $type",
            "ALTER TABLE $path MODIFY $index $key NOT NULL",
            "ALTER TABLE $path CONVERT TO CHARACTER SET latin1",
            "ALTER TABLE $path DROP PRIMARY KEY, ADD KEY (k)",
            "ALTER TABLE $path ADD UNIQUE another ($column)",
            "ALTER TABLE $path ENGINE = MyISAM",
            "ALTER TABLE $path ENGINE = InnoDB",
            "ALTER TABLE $path COMMENT = 'x'",
            "RENAME TABLE $path TO {$path}_new",
            "RENAME TABLE $path TO {$path}_old, $other TO $path, {$path}_old TO $other",
            "RENAME TABLE $path TO {$path}_old, " . ONE . "_b.$table->name TO $path, {$path}_old TO " . ONE . "_b.$table->name",
            "TRUNCATE TABLE $path",
            "DROP TABLE $path",
            "ALTER TABLE $path RENAME COLUMN $column TO v9, RENAME COLUMN $index TO $column, ALGORITHM = INPLACE",
            "OPTIMIZE TABLE $path",
            "ANALYZE TABLE $path",
        ]);
    }

    /** @return list<string> what makes another table, or a view, of that name */
    private function in_its_place(): array
    {
        $table = $this->table();
        $path = ONE . ".$table->name";
        $new = $this->dice->any(["TABLE $path (k INT PRIMARY KEY, v1 INT NOT NULL) SELECT 1 AS k, 2 AS v1", "TABLE $path (v1 VARCHAR(20) PRIMARY KEY, k VARCHAR(20) NOT NULL) SELECT 'a' AS v1, 'A' AS k", "VIEW $path AS SELECT * FROM " . ONE . "_b.$table->name", "TABLE $path LIKE " . ONE . "_b.$table->name"]);
        return ["DROP TABLE $path", "CREATE $new"];
    }

    private function own_tables(): Change
    {
        $statements = $this->dice->one_in(4) ? $this->in_its_place() : [$this->of_tables()];
        return new Change(array_map(fn(string $sql) => ['ask', $this->is_pdo ? 'query all' : 'store all', $sql, [], ''], $statements));
    }

    private function others_tables(): Change
    {
        $statements = $this->dice->one_in(4) ? $this->in_its_place() : [$this->of_tables()];
        return new Change([['tables', array_values(preg_grep('/^(OPTIMIZE|ANALYZE)/', $statements, PREG_GREP_INVERT))]]);
    }

    /** A user who may see less; what they may is taken away while they are connected. */
    private function rights(): Change
    {
        $table = $this->table();
        $path = ONE . ".$table->name";
        $column = $this->dice->any($table->others());
        [$grant, $revoke] = $this->dice->any([["SELECT ON $path", "SELECT ON $path"], ["SELECT (k, $column) ON $path", "SELECT (k) ON $path"], ["SELECT ($column) ON $path", "SELECT ($column) ON $path"], ['SELECT ON ' . ONE . '.*', 'SELECT ON ' . ONE . '.*'], ['SELECT, INSERT ON *.*', 'SELECT ON *.*'], ['ALL ON *.*', 'ALL ON *.*']]);
        $low = [['connect', ['user' => 'low', 'database' => ONE]]];
        // The rest of the steps are the old user's again.
        $end = [['rights', ["REVOKE $revoke FROM kv_low"]], ...$this->probes($table), ['rights', ['REVOKE ALL PRIVILEGES, GRANT OPTION FROM kv_low']], ['connect', ['user' => null]]];
        return new Change([['rights', ["GRANT USAGE ON *.* TO kv_low", 'GRANT EXECUTE ON ' . ONE . '.* TO kv_low', "GRANT $grant TO kv_low"]], ...$low], $end, 120);
    }

    /** @return list<array> plain SELECTs by key, as they come */
    private function probes(Table $table): array
    {
        $selects = new Selects($this->dice);
        $probes = [];
        for ($i = 0; $i < 6; $i++) {
            $probes[] = ['ask', $this->is_pdo ? 'query all' : 'store all', $selects->statement($selects->shape($table, false), 'utf8mb4')[0], [], ''];
        }
        return $probes;
    }

    private function killed(): Change
    {
        $table = $this->table();
        $begin = $this->dice->one_in(2) ? [['kill']] : [self::run('KILL CONNECTION_ID()')];
        return new Change([...$begin, ...$this->probes($table), ['connect']]);
    }

    /** Results that nobody has read to their end; meanwhile nothing else is answered. */
    private function unread(): Change
    {
        $way = $this->dice->any($this->is_pdo ? ['unbuffered', 'unbuffered_execute', 'exec'] : ['use', 'real_use', 'stmt_use']);
        $table = $this->table();
        $sql = $this->dice->one_in(2) ? "SELECT * FROM $table->name" : $this->probes($table)[0][2];
        return new Change([['ask', "$way unread", $sql, [], ''], ...$this->probes($table), ['free'], ...$this->probes($table)]);
    }

    private function same_user(): Change
    {
        return new Change([self::run('SET sql_select_limit = 5, @a = 7'), ['call', 'change_user', [null, $this->dice->any([ONE, ONE, ONE . '_b'])]]], [['call', 'select_db', [ONE]], ['call', 'set_charset', ['utf8mb4']], self::run('SET sql_select_limit = DEFAULT')], 120);
    }

    private function handler(): Change
    {
        $name = $this->table()->name;
        return new Change([self::run("HANDLER $name OPEN"), ['ask', $this->is_pdo ? 'query all' : 'store all', "HANDLER $name READ FIRST", [], '']], [self::run("HANDLER $name CLOSE")], self::SHORT);
    }

    private function reconnected(): Change
    {
        return new Change([['close'], ['connect']]);
    }

    private function xa(): Change
    {
        return new Change([self::run("XA START '" . ONE . "'"), self::run($this->write())], [self::run("XA END '" . ONE . "'"), self::run("XA ROLLBACK '" . ONE . "'")], self::SHORT);
    }
}
