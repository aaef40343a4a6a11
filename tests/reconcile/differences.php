<?php
/*
 * In what the servers differ where they count, why, and who says so. What is not in here is the same on all of them.
 */

declare(strict_types=1);

final class Differences
{
    private const MYSQL = 'https://dev.mysql.com/doc/refman/8.0/en/server-status-variables.html';
    private const MARIADB = 'https://mariadb.com/docs/server/ha-and-performance/optimization-and-tuning/system-variables/server-status-variables';

    /** @var array<string, array{list<string>, string, string}> by a short name: where it is so, what is so and why, who says so */
    public const ALL = [
        'pings are queries' => [
            ['mysql80', 'mysql56'],
            'Queries counts COM_PING and COM_STATISTICS. The manual says that it does not: it is the number of the current statement (query_id), of which each command takes one',
            'measured; ' . self::MYSQL . '#statvar_Queries',
        ],
        'no reset' => [
            ['mysql56'],
            'COM_RESET_CONNECTION is unknown before 5.7.3: it counts as Question and Query, as no Com_*, and as the event statement/com/Error',
            'https://dev.mysql.com/doc/relnotes/mysql/5.7/en/news-5-7-3.html',
        ],
        'no limit' => [
            ['mysql56'],
            'max_execution_time is unknown before 5.7.8: the driver\'s question for it is an error, and no Com_select',
            'https://dev.mysql.com/doc/refman/5.7/en/server-system-variables.html#sysvar_max_execution_time',
        ],
        'no events of procedures' => [
            ['mysql56'],
            'performance_schema has no statement/sp/* before 5.7.2',
            'https://dev.mysql.com/doc/relnotes/mysql/5.7/en/news-5-7-2.html',
        ],
        'types are derived' => [
            ['mysql80'],
            'from 8.0.22 on the server prepares a statement again by itself where a value does not fit the type that it has derived: Com_stmt_reprepare, and Com_stmt_prepare',
            self::MYSQL . '#statvar_Com_stmt_reprepare, https://dev.mysql.com/doc/refman/8.0/en/prepare.html',
        ],
        'temporary tables' => [
            ['mysql80', 'mysql56'],
            'CREATE and DROP TEMPORARY TABLE count as Com_create_table and Com_drop_table; MariaDB counts them apart',
            self::MARIADB . '#com_create_temporary_table',
        ],
        'roles are options' => [
            ['mariadb'],
            'SET ROLE counts as Com_set_option; MySQL has Com_set_role',
            'measured; ' . self::MYSQL . '#statvar_Com_xxx',
        ],
    ];

    /** @var array<string, true> */
    private array $met = [];

    public function __construct(private readonly Place $place)
    {
    }

    public function has(string $name): bool
    {
        $has = in_array($this->place->name, self::ALL[$name][0], true);
        if ($has) {
            $this->met[$name] = true;
        }
        return $has;
    }

    /** As what the server counts a kind of statement (Com_*). */
    public function verb(string $verb): string
    {
        return match (true) {
            $verb === 'create_temporary_table' && $this->has('temporary tables') => 'create_table',
            $verb === 'drop_temporary_table' && $this->has('temporary tables') => 'drop_table',
            $verb === 'set_role' && $this->has('roles are options') => 'set_option',
            default => $verb,
        };
    }

    /** @return list<array{list<string>, string, string}> */
    public function met(): array
    {
        return array_values(array_intersect_key(self::ALL, $this->met));
    }
}
