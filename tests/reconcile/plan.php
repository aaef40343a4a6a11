<?php
/*
 * What the steps have asked of the driver: the known work, in the words of the protocol and of SQL.
 */

declare(strict_types=1);

final class Plan
{
    /** How a statement begins, and as what the server counts it (Com_*); the first that fits. */
    private const VERBS = [
        '/^SELECT\b/' => 'select',
        '/^INSERT\b/' => 'insert',
        '/^REPLACE\b/' => 'replace',
        '/^UPDATE\b/' => 'update',
        '/^DELETE\b/' => 'delete',
        '/^SET ROLE\b/' => 'set_role',
        '/^SET\b/' => 'set_option',
        '/^DO\b/' => 'do',
        '/^USE\b/' => 'change_db',
        '/^CALL\b/' => 'call_procedure',
        '/^KILL\b/' => 'kill',
        '/^START TRANSACTION\b/' => 'begin',
        '/^COMMIT\b/' => 'commit',
        '/^ROLLBACK TO\b/' => 'rollback_to_savepoint',
        '/^ROLLBACK\b/' => 'rollback',
        '/^SAVEPOINT\b/' => 'savepoint',
        '/^RELEASE SAVEPOINT\b/' => 'release_savepoint',
        '/^CREATE TEMPORARY TABLE\b/' => 'create_temporary_table',
        '/^DROP TEMPORARY TABLE\b/' => 'drop_temporary_table',
        '/^LOCK TABLES\b/' => 'lock_tables',
        '/^UNLOCK TABLES\b/' => 'unlock_tables',
        '/^LOAD DATA\b/' => 'load',
        '/^PREPARE\b/' => 'prepare_sql',
        '/^EXECUTE\b/' => 'execute_sql',
        '/^DEALLOCATE\b/' => 'dealloc_sql',
        '/^SHOW WARNINGS\b/' => 'show_warnings',
        '/^SHOW TABLES\b/' => 'show_tables',
        '/^NONSENSE\b/' => 'error',
    ];

    /** @var array<string, int> commands as `COM_QUERY`; statements as `Com_select`; and see below */
    private array $counts = [];
    /** @var array<string, int> how often each text was asked for */
    private array $texts = [];

    public function note(string $what, int $times = 1): void
    {
        $this->counts[$what] = ($this->counts[$what] ?? 0) + $times;
    }

    /** A query of these statements, of which each is run. @return string its text */
    public function asks(string ...$statements): string
    {
        $this->note('COM_QUERY');
        $this->note('further statements of a query', count($statements) - 1);
        array_map($this->statement(...), $statements);
        return implode('; ', $statements);
    }

    /** A query that finds the connection dead. */
    public function asks_nobody(string $statement): string
    {
        $this->note('COM_QUERY');
        return $statement;
    }

    /** A statement is prepared, and closed again. */
    public function prepares(string $statement): string
    {
        $this->note('COM_STMT_PREPARE');
        $this->note('COM_STMT_CLOSE');
        return $statement;
    }

    /** A prepared statement is run. */
    public function runs(string $statement, int $times = 1): void
    {
        $this->note('COM_STMT_EXECUTE', $times);
        $this->note('Com_' . self::verb($statement), $times);
    }

    public function statement(string $statement): void
    {
        $verb = self::verb($statement);
        $this->note("Com_$verb");
        // What they do counts as what the protocol's commands do.
        array_map($this->note(...), match ($verb) {
            'prepare_sql' => ['Com_stmt_prepare'],
            'execute_sql' => ['Com_stmt_execute', 'Com_select'],
            'dealloc_sql' => ['Com_stmt_close'],
            default => [],
        });
        $this->texts[$statement] = ($this->texts[$statement] ?? 0) + 1;
    }

    private static function verb(string $statement): string
    {
        foreach (self::VERBS as $begin => $verb) {
            if (preg_match($begin, $statement)) {
                return $verb;
            }
        }
        throw new Exception("as what is this counted? $statement");
    }

    /** @return array<string, int> */
    public function count(): array
    {
        $texts = array_combine(array_map(fn(string $text) => "text $text", array_keys($this->texts)), $this->texts);
        return [...$this->counts, ...$texts];
    }
}
