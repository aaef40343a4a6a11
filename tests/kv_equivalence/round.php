<?php
/*
 * A round: one pair of connections, some tables as they were made, and the steps that both play. Bursts of SELECTs of few shapes stand between the
 * changes: after each of these the driver asks for every shape by SQL once, and the port shall have most of the work.
 */

declare(strict_types=1);

final class Round
{
    private const LENGTH = 2500;
    private const LOOKS = ['SELECT FOUND_ROWS()', 'select found_rows() AS f', 'SELECT ROW_COUNT()', 'SHOW WARNINGS', 'SHOW COUNT(*) WARNINGS', 'SELECT @@warning_count', 'SELECT @@error_count', 'SHOW ERRORS', 'SELECT LAST_INSERT_ID()', 'SELECT @@last_insert_id', 'SELECT DATABASE(), @@sql_mode',
        'SELECT /* x */ FOUND_ROWS(), ROW_COUNT()', 'SELECT @@session.warning_count, @@autocommit, @@in_transaction', 'SELECT SQL_CALC_FOUND_ROWS 1 LIMIT 0', 'SELECT 1'];
    /** Those after which a driver may not know any more what the connection is like. */
    private const WILD_LOOKS = ['SELECT seen()', 'DO FOUND_ROWS()', 'SET @f = FOUND_ROWS()', 'SELECT @f', 'CALL looked()', 'GET DIAGNOSTICS @n = NUMBER', 'SELECT @n', 'GET DIAGNOSTICS CONDITION 1 @m = MESSAGE_TEXT', 'SELECT @m', 'GET DIAGNOSTICS @r = ROW_COUNT', 'SELECT @r'];

    public readonly string $surface;
    /** @var list<Table> */
    public readonly array $tables;
    /** @var array<string, mixed> how both connect */
    public readonly array $as;
    /** @var list<array> */
    public array $steps;
    private readonly Selects $selects;
    private readonly Changes $changes;

    public function __construct(public readonly int $number, private readonly Dice $dice, Schema $schema, string $server)
    {
        $this->surface = $dice->any(['mysqli', 'pdo']);
        $tables = [];
        foreach ([3 => true, 2 => false] as $many => $is_good) {
            $from = array_values(array_filter($schema->tables, fn(Table $table) => $table->is_good === $is_good));
            for ($i = 0; $i < $many && $from !== []; $i++) {
                $table = $dice->any($from);
                $tables[$table->name] = $table;
            }
        }
        // Other statements of these names.
        $this->tables = array_values($tables + ['t0' => $schema->tables[0], 't1' => $schema->tables[1]]);
        $this->selects = new Selects($dice);
        $this->changes = new Changes($dice, $server, $this->surface === 'pdo', $this->tables);
        $charset = $dice->any(['utf8mb4', 'utf8mb4', 'utf8mb4', 'utf8mb4', 'utf8mb4', 'utf8mb4', 'utf8mb4', 'utf8mb4', 'utf8mb4', 'latin1', 'latin1', 'utf8', $dice->any(['gbk', 'ascii', 'binary'])]);
        $this->as = ['charset' => $charset, 'persistent' => $dice->one_in(8), 'tcp' => $dice->one_in(4)] + ($this->surface === 'mysqli' ? $this->as_mysqli() : $this->as_pdo());
        $steps = [['connect']];
        while (count($steps) < self::LENGTH) {
            array_push($steps, ...$this->segment($charset));
        }
        $this->steps = $steps;
    }

    private function as_mysqli(): array
    {
        return [
            'native' => $this->dice->one_in(2),
            'report' => $this->dice->any([MYSQLI_REPORT_OFF, MYSQLI_REPORT_ERROR, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT, MYSQLI_REPORT_ALL ^ MYSQLI_REPORT_STRICT]),
            'flags' => $this->dice->any([0, 0, 0, MYSQLI_CLIENT_FOUND_ROWS, MYSQLI_CLIENT_COMPRESS, MYSQLI_CLIENT_IGNORE_SPACE]),
        ];
    }

    private function as_pdo(): array
    {
        $dice = $this->dice;
        return ['attributes' => [
            PDO::ATTR_EMULATE_PREPARES => $dice->one_in(2),
            PDO::ATTR_STRINGIFY_FETCHES => $dice->one_in(4),
            PDO::ATTR_ERRMODE => $dice->any([PDO::ERRMODE_EXCEPTION, PDO::ERRMODE_EXCEPTION, PDO::ERRMODE_SILENT, PDO::ERRMODE_WARNING]),
            PDO::ATTR_CASE => $dice->any([PDO::CASE_NATURAL, PDO::CASE_NATURAL, PDO::CASE_NATURAL, PDO::CASE_UPPER]),
            PDO::ATTR_ORACLE_NULLS => $dice->any([PDO::NULL_NATURAL, PDO::NULL_NATURAL, PDO::NULL_TO_STRING, PDO::NULL_EMPTY_STRING]),
            PDO::ATTR_DEFAULT_FETCH_MODE => $dice->any([PDO::FETCH_BOTH, PDO::FETCH_ASSOC]),
            PDO::MYSQL_ATTR_FOUND_ROWS => $dice->one_in(5),
        ]];
    }

    /** One change or two, and SELECTs while they hold. */
    private function segment(string $charset): array
    {
        $changes = array_map(fn() => $this->changes->any(), array_fill(0, $this->dice->any([0, 1, 1, 1, 2]), null));
        $of_tables = array_filter($changes, fn(Change $change) => in_array('tables', array_column($change->begin, 0), true));
        if ($of_tables !== []) { // anything else might hold a lock that others wait for
            $changes = array_slice($of_tables, 0, 1);
        }
        $length = 280;
        // What a change or a wild burst may have left does not stay for long.
        $steps = $this->dice->one_in(4) ? [] : [['connect']];
        foreach ($changes as $change) {
            array_push($steps, ...$change->begin);
            $charset = $change->charset ?? $charset;
            $length = min($length, $change->length);
        }
        array_push($steps, ...$this->burst($charset, $this->dice->number(intdiv($length, 2), $length * 2)));
        foreach (array_reverse($changes) as $change) {
            array_push($steps, ...$change->end);
        }
        return $steps;
    }

    private function burst(string $charset, int $length): array
    {
        $dice = $this->dice;
        $good = array_values(array_filter($this->tables, fn(Table $table) => $table->is_good));
        $shapes = [];
        for ($i = $dice->number(1, 3); $i > 0; $i--) {
            $is_prepared = $dice->one_in(2);
            $shapes[] = [$this->selects->shape($dice->any($dice->one_in(6) ? $this->tables : $good), $is_prepared), $this->way($is_prepared)];
        }
        $is_wild = $dice->one_in(6);
        $steps = [];
        while (count($steps) < $length) {
            if ($dice->one_in(12)) { // one that nearly asks by a key
                $is_prepared = $dice->one_in(3);
                $shape = $this->selects->shape($dice->any($this->tables), $is_prepared, $is_wild ? 'wild' : 'near');
                $way = $is_wild && !$is_prepared && $dice->one_in(6) ? 'two' : $this->way($is_prepared);
            } else {
                [$shape, $way] = $dice->any($shapes);
            }
            $steps[] = ['ask', "$way {$this->fetch()}", ...$this->selects->statement($shape, $charset)];
            if ($dice->one_in(12)) {
                $steps[] = $this->look($is_wild);
            }
            if ($dice->one_in(90)) {
                $steps[] = $dice->one_in(2) ? ['rows', [$this->changes->write()]] : Changes::run($this->changes->write());
            }
        }
        return $steps;
    }

    private function way(bool $is_prepared): string
    {
        return $this->dice->any(match ($this->surface) {
            'mysqli' => $is_prepared ? MysqliSide::OF_PREPARED : MysqliSide::OF_TEXT,
            'pdo' => $is_prepared ? PdoSide::OF_PREPARED : PdoSide::OF_TEXT,
        });
    }

    private function fetch(): string
    {
        return $this->dice->any($this->surface === 'mysqli' ? MysqliSide::FETCHES : PdoSide::FETCHES);
    }

    /** What there is to see of the statement before. */
    private function look(bool $is_wild): array
    {
        if ($this->surface === 'mysqli' && $this->dice->one_in(10)) {
            return ['call', 'get_warnings', []];
        }
        $ways = $this->surface === 'mysqli' ? ['store', 'use', 'multi', 'get_result', 'warnings'] : ['query', 'unbuffered', 'execute', 'native'];
        return ['ask', $this->dice->any($ways) . ' all', $this->dice->any($is_wild ? [...self::LOOKS, ...self::WILD_LOOKS] : self::LOOKS), [], ''];
    }
}
