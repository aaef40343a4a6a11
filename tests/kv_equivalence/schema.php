<?php
/*
 * The tables of an era: one seed, one schema, for which the port is opened once. Each side has them in a database of its own, with another one beside
 * it in which tables have the same names: kv_one and kv_one_b where the port is used, kv_two and kv_two_b where it is not. All statements are
 * written for kv_one; whoever plays them on the other side puts in its name.
 */

declare(strict_types=1);

const ONE = 'kv_one';
const TWO = 'kv_two';

final class Table
{
    /**
     * @param array<string, Kind> $columns
     * @param list<string> $key the columns of the index that is asked for
     * @param list<string> $create the statements that make it, after a DROP
     * @param list<list<string>> $rows values of the key's columns
     * @param ?list<string> $container the plugin's words for it
     */
    public function __construct(
        public readonly string $name,
        public readonly array $columns,
        public readonly array $key,
        public readonly array $create,
        public readonly array $rows,
        public readonly ?array $container,
        public readonly bool $is_good,
    ) {
    }

    /** @return list<string> the columns that are not of the key */
    public function others(): array
    {
        return array_values(array_diff(array_keys($this->columns), $this->key));
    }

    /** A row as INSERT wants it, with this key or another one. */
    public function row(Dice $dice, ?array $key = null): string
    {
        $values = [];
        foreach ($this->columns as $name => $kind) {
            $place = array_search($name, $this->key, true);
            $value = $place === false || $key === null ? $kind->value($dice) : $key[$place];
            $literal = $kind->literal($value);
            if ($kind->is_large && $dice->one_in(25)) {
                $literal = "CONCAT($literal, REPEAT('0123456789|', {$dice->any([100, 1000, 9000])}))";
            }
            // Where NULL may not be, IGNORE makes something else of it, but not of these.
            $can_be_null = $place === false && !in_array($kind->type, ['JSON', 'POINT', 'UUID', 'INET6'], true);
            $values[] = $can_be_null && $dice->one_in($this->is_good ? 30 : 6) ? 'NULL' : $literal;
        }
        return '(' . implode(', ', $values) . ')';
    }
}

final class Schema
{
    /** @var list<Table> */
    public readonly array $tables;

    /** @param bool $dares whether containers may have types of which the plugin was seen to crash the server: the driver must not ask for them */
    public function __construct(private readonly Dice $dice, private readonly string $server, private readonly bool $dares, int $good, int $others)
    {
        $tables = [];
        for ($i = 0; $i < $good + $others; $i++) {
            $tables[] = $this->table("t$i", $i < $good);
        }
        $this->tables = $tables;
    }

    private function table(string $name, bool $is_good): Table
    {
        $dice = $this->dice;
        $has_good_key = $is_good || $dice->one_in(3);
        $keys = ['k' => $dice->any($has_good_key ? Kind::good_keys($this->server) : Kind::others($this->server, true))];
        if ($is_good ? $this->server === 'mariadb' && $dice->one_in(4) : $dice->one_in(6)) {
            $keys['k2'] = $dice->any(Kind::good_keys($this->server));
        }
        if (strlen(implode('', array_map(fn(Kind $kind) => str_repeat('x', $kind->most * 4), $keys))) > 760) { // an index's longest key on old servers
            unset($keys['k2']);
        }
        $values = [];
        for ($i = $dice->any($is_good ? [1, 1, 1, 2, 2, 3, 4] : [1, 2, 5]); $i > 0; $i--) {
            $kinds = $is_good || $dice->one_in(2) ? Kind::good_values($this->server) : Kind::others($this->server, false);
            if ($is_good && ($i > 1 || $values !== [])) { // of several columns with one of bytes the memcached plugin gives nothing
                $kinds = array_values(array_filter($kinds, fn(Kind $kind) => $kind->of !== 'bytes'));
            }
            $values["v$i"] = $dice->any($kinds);
        }
        $has_flags = $dice->one_in($is_good ? 12 : 4);
        $columns = $keys + $values;
        $form = $is_good ? 'plain' : $dice->any(['plain', 'plain', 'plain', 'prefix', 'unique', 'view', 'myisam', 'several', 'partitioned']);
        $can_begin = in_array($keys['k']->of, ['text', 'bytes'], true);
        $has_points = in_array('POINT', array_map(fn(Kind $kind) => $kind->type, $columns), true);
        if ($form === 'prefix' && !$can_begin || $form === 'partitioned' && ($has_points || $keys['k']->of !== 'int')) {
            $form = 'plain';
        }
        $lines = [];
        foreach ($columns as $column => $kind) {
            $can_be_null = isset($keys[$column]) ? $form === 'unique' : $dice->one_in($is_good ? 12 : 2);
            $nullable = isset($keys[$column]) && !$can_be_null && $kind->type === 'TIMESTAMP NULL' ? 'TIMESTAMP(0)' : $kind->type;
            $lines[] = "$column $nullable" . ($can_be_null ? ($kind->type === 'TIMESTAMP NULL' ? '' : ' NULL') : ' NOT NULL' . (str_starts_with($nullable, 'TIMESTAMP') ? " DEFAULT '1980-01-01 00:00:00'" : ''));
        }
        if ($has_flags) {
            array_push($lines, 'f INT NOT NULL DEFAULT 0', 'c BIGINT UNSIGNED NOT NULL DEFAULT 0', 'e INT NOT NULL DEFAULT 0');
        }
        $key = implode(', ', array_keys($keys));
        $index = 'PRIMARY';
        $lines[] = match ($form) {
            'prefix' => 'UNIQUE begins (k(2))',
            'unique' => "UNIQUE only ($key)",
            'several' => "KEY several ($key)",
            default => "PRIMARY KEY ($key)",
        };
        $index = ['prefix' => 'begins', 'unique' => 'only', 'several' => 'several'][$form] ?? 'PRIMARY';
        $engine = $form === 'myisam' ? 'MyISAM' : 'InnoDB';
        $real = $form === 'view' ? "{$name}_real" : $name;
        $create = ["CREATE TABLE " . ONE . ".$real (" . implode(', ', $lines) . ") ENGINE = $engine DEFAULT CHARACTER SET utf8mb4" . ($form === 'partitioned' ? ' PARTITION BY HASH (k) PARTITIONS 3' : '')];
        $rows = array_map(fn() => array_map(fn(Kind $kind) => $is_good ? $kind->key($dice) : $kind->value($dice), array_values($keys)), range(1, $dice->number(12, 30)));
        $made = new Table($name, $columns, array_keys($keys), [], $rows, null, $is_good);
        $names = implode(', ', array_keys($columns));
        $create[] = 'INSERT IGNORE INTO ' . ONE . ".$real ($names) VALUES " . implode(', ', array_map(fn(array $key) => $made->row($dice, $key), $rows));
        if ($form === 'view') {
            $create[] = 'CREATE VIEW ' . ONE . ".$name AS SELECT * FROM " . ONE . ".$real";
        }
        if ($has_flags) {
            $create[] = 'UPDATE ' . ONE . ".$real SET f = 7, e = " . ($is_good ? '0' : '5'); // 5 was long ago
        }
        // The same names in the other database, with other rows.
        $create[] = 'CREATE TABLE ' . ONE . "_b.$name (" . implode(', ', $lines) . ") ENGINE = $engine DEFAULT CHARACTER SET utf8mb4";
        $create[] = 'INSERT IGNORE INTO ' . ONE . "_b.$name ($names) VALUES " . implode(', ', array_map(fn(array $key) => $made->row($dice, $key), $rows));
        $container = null;
        $crashes = array_filter($columns, fn(Kind $kind) => $kind->crashes) !== [];
        if (!$crashes || $this->dares) {
            $of_value = array_keys($values);
            if (!$is_good && $dice->one_in(4)) {
                $of_value = array_reverse($of_value);
            }
            $extra = $has_flags ? ['f', 'c', 'e'] : ['0', '0', '0'];
            $container = [$name, ONE, $name, 'k', implode($dice->any([',', '|', ', ']), $of_value), ...$extra, $index];
        }
        return new Table($name, $columns, array_keys($keys), $create, $rows, $container, $is_good);
    }
}
