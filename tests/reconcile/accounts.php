<?php
/*
 * Which figure of the server's is made of which of the driver's and of the plan's: each has to be the sum of its parts, and each that moves has to be in
 * here. What differs from server to server is said in differences.php, with its reason.
 */

declare(strict_types=1);

/** A figure, and what it is made of; what is left is not accounted for. */
final class Line
{
    /** @param array<string, int> $parts by their names */
    public function __construct(public readonly string $group, public readonly string $name, public readonly int $found, public readonly array $parts)
    {
    }

    public function left(): int
    {
        return $this->found - array_sum($this->parts);
    }

    public function has_moved(): bool
    {
        return $this->found !== 0 || array_filter($this->parts) !== [];
    }
}

final class Accounts
{
    /** The driver's commands: the end of performance_schema's event (statement/com/...), and as what it counts among Com_*. */
    public const COMMANDS = [
        'COM_QUIT' => ['Quit', null],
        'COM_INIT_DB' => ['Init DB', 'change_db'],
        'COM_QUERY' => [null, null],
        'COM_REFRESH' => ['Refresh', 'flush'],
        'COM_STATISTICS' => ['Statistics', 'show_status'],
        'COM_PROCESS_KILL' => ['Kill', 'kill'],
        'COM_DEBUG' => ['Debug', 'admin_commands'],
        'COM_PING' => ['Ping', 'admin_commands'],
        'COM_CHANGE_USER' => ['Change user', 'admin_commands'],
        'COM_STMT_PREPARE' => ['Prepare', 'stmt_prepare'],
        'COM_STMT_EXECUTE' => ['Execute', 'stmt_execute'],
        'COM_STMT_SEND_LONG_DATA' => ['Long Data', 'stmt_send_long_data'],
        'COM_STMT_CLOSE' => ['Close stmt', 'stmt_close'],
        'COM_STMT_RESET' => ['Reset stmt', 'stmt_reset'],
        'COM_SET_OPTION' => ['Set option', 'set_option'],
        'COM_STMT_FETCH' => ['Fetch', 'stmt_fetch'],
        'COM_RESET_CONNECTION' => ['Reset Connection', 'admin_commands'],
    ];

    /** What the driver sends by itself: as which command, as what that counts among Com_*, and how the digest of a statement looks (see normal()). */
    public const OWN = [
        'SET NAMES' => ['COM_QUERY', 'set_option', '/^SETNAMES/'],
        'SET session_track_state_change' => ['COM_QUERY', 'set_option', '/^SETSESSIONSESSION_TRACK_STATE_CHANGE/'],
        'init command' => ['COM_QUERY', 'set_option', '/^SETSESSIONSQL_SELECT_LIMIT/'],
        'COM_SET_OPTION' => ['COM_SET_OPTION', null, null],
        'COM_QUIT' => ['COM_QUIT', null, null],
        'COM_RESET_CONNECTION' => ['COM_RESET_CONNECTION', null, null],
        'COM_CHANGE_USER' => ['COM_CHANGE_USER', null, null],
        'ROLLBACK' => ['COM_QUERY', 'rollback', '/^ROLLBACK$/'],
        'UNLOCK TABLES' => ['COM_QUERY', 'unlock_tables', '/^UNLOCKTABLES$/'],
        'SELECT @@init_connect' => ['COM_QUERY', 'select', '/^SELECT@@INIT_CONNECT/'],
        'SELECT of views' => ['COM_QUERY', 'select', '/^SELECTCOUNT\(\*\)FROMINFORMATION_SCHEMA\.TABLES/'],
        'SET ROLE' => ['COM_QUERY', 'set_role', '/^SETROLE/'],
        'COM_INIT_DB' => ['COM_INIT_DB', null, null],
        'SET wait_timeout' => ['COM_QUERY', 'set_option', '/^SETSESSIONWAIT_TIMEOUT/'],
        'SET profiling' => ['COM_QUERY', 'set_option', '/^SETPROFILING/'],
        'SET timestamp' => ['COM_QUERY', 'set_option', '/^SETTIMESTAMP/'],
        'COM_PING' => ['COM_PING', null, null],
        'SELECT of the limit of queries' => ['COM_QUERY', 'select', '/^SELECT(NULL,CONNECTION_ID|CAST\(ROUND\(@@SESSION|@@SESSION\.MAX_)/'],
        'SET of the limit of queries' => ['COM_QUERY', 'set_option', '/^SETSESSIONMAX_(STATEMENT|EXECUTION)_TIME/'],
        'KILL QUERY' => ['COM_QUERY', 'kill', '/^KILLQUERY/'],
        'COM_STATISTICS' => ['COM_STATISTICS', null, null],
        'DO 0' => ['COM_QUERY', 'do', '/^DO\?$/'],
        'COM_STMT_PREPARE' => ['COM_STMT_PREPARE', null, null],
        'COM_STMT_CLOSE' => ['COM_STMT_CLOSE', null, null],
        'SELECT FOUND_ROWS()' => ['COM_QUERY', 'select', '/^SELECTFOUND_ROWS/'],
        'SELECT for key-value access' => ['COM_QUERY', 'select', '/^SELECT\?FROMINFORMATION_SCHEMA\.PLUGINS|^SELECT(?!\?FROM\(SELECT).*LIMIT\?$/'],
        'SHOW CREATE TABLE' => ['COM_QUERY', 'show_create_table', '/^SHOWCREATETABLE/'],
        'SELECT 1' => ['COM_QUERY', 'select', '/^SELECT\?FROM\(SELECT\?/'],
        'COM_STMT_RESET' => ['COM_STMT_RESET', null, null],
        'FLUSH' => ['COM_QUERY', 'flush', '/^FLUSH/'],
        'KILL' => ['COM_QUERY', 'kill', '/^KILL\?$/'],
        'a command again' => ['COM_QUERY', 'select', null],
    ];

    /** The driver's figures besides commands. */
    private const OF_DRIVER = ['opened', 'failed', 'reused', 'reconnected', 'open', 'attempts', 'replacements', 'killers', 'idle', 'cache hits', 'cache kept', 'bytes_sent', 'bytes_received', 'bytes_unanswered'];
    private const REFUSED_QUESTION = '/^SELECT@@SESSION\.MAX_EXECUTION_TIME/';

    /** @var array<string, int> */
    private array $server;
    /** @var array<string, int> */
    private array $driver;
    /** @var array<string, int> */
    private array $plan;
    /** @var list<Line> */
    private array $lines;

    public function __construct(private readonly Differences $differences)
    {
    }

    /**
     * What has moved since, figure by figure.
     *
     * @return list<Line>
     */
    public function balance(array $server, array $driver, array $plan, array $observing): array
    {
        [$this->server, $this->driver, $this->plan, $this->lines] = [$server, $driver, $plan, []];
        $this->commands();
        $this->own();
        $this->verbs();
        $this->totals();
        $this->observer($observing);
        $this->unmapped();
        return $this->lines;
    }

    /** Whether a figure is part of no account: what the driver counts for other purposes, and the server of other statements than the driver's own. */
    public function only_told(string $side, string $name): bool
    {
        return match ($side) {
            'driver' => in_array($name, ['reused', 'reconnected'], true),
            'observing' => !in_array($name, ['com_query', 'bytes_sent', 'bytes_received'], true),
            'server' => str_starts_with($name, 'digest ') && !$this->is_own(substr($name, 7))
                || preg_match('#^statement/sp/(?!stmt$|set$|jump_if_not$)#', $name) === 1,
            'plan' => str_starts_with($name, 'text ') && !$this->is_own(substr($name, 5))
                || $name === 'prepared again by the server' && !$this->differences->has('types are derived'),
        };
    }

    private function is_own(string $text): bool
    {
        $patterns = array_filter(array_column(self::OWN, 2));
        return array_filter($patterns, fn(string $pattern) => preg_match($pattern, self::normal($text)) === 1) !== [];
    }

    private function line(string $group, string $name, int $found, array $parts): void
    {
        $this->lines[] = new Line($group, $name, $found, array_filter($parts));
    }

    private function sent(string $command): int
    {
        return $this->driver[$command] ?? 0;
    }

    /** What reached the server while it read. */
    private function heard(string $command): int
    {
        return $this->sent($command) - ($this->driver["unanswered $command"] ?? 0);
    }

    private function plan(string $what): int
    {
        return $this->plan[$what] ?? 0;
    }

    private function named(string $own): int
    {
        return $this->driver["own $own"] ?? 0;
    }

    /** A statement as its digest says it, on any server. */
    private static function normal(string $text): string
    {
        $text = preg_replace(["/'[^']*'/", '/\b\d+\b/'], '?', $text);
        return preg_replace('/[\s`;]+/', '', strtoupper($text));
    }

    private function digest(string $pattern): int
    {
        return $this->sum($this->server, 'digest ', $pattern);
    }

    /** The sum of those whose names have this beginning, and behind it this pattern. */
    private function sum(array $figures, string $begin, string $pattern): int
    {
        $fitting = array_filter(
            $figures,
            fn(string $name) => str_starts_with($name, $begin) && preg_match($pattern, self::normal(substr($name, strlen($begin)))) === 1,
            ARRAY_FILTER_USE_KEY,
        );
        return array_sum($fitting);
    }

    private function event(string $command): int
    {
        $event = self::COMMANDS[$command][0];
        if ($command === 'COM_RESET_CONNECTION' && $this->differences->has('no reset')) {
            $event = 'Error';
        }
        // MariaDB writes it in another case.
        return ($this->server["statement/com/$event"] ?? 0) + ($this->server['statement/com/' . ucfirst(strtolower($event))] ?? 0) * (int) ($event === 'Reset Connection');
    }

    /** What the server has heard of each command is what the driver has sent, and that is what was asked for and what it sends by itself. */
    private function commands(): void
    {
        foreach (array_keys(self::COMMANDS) as $command) {
            $sent = ['sent' => $this->sent($command), 'unanswered' => -($this->driver["unanswered $command"] ?? 0)];
            if ($command === 'COM_QUERY') {
                $statements = array_filter($this->server, fn(string $name) => str_starts_with($name, 'statement/sql/'), ARRAY_FILTER_USE_KEY);
                $this->line('server', 'statement/sql/*', array_sum($statements), [...$sent, 'further statements of a query' => $this->plan('further statements of a query')]);
            } else {
                $this->line('server', "statement/com of $command", $this->event($command), $sent);
            }
            $own = array_filter(self::OWN, fn(array $own) => $own[0] === $command);
            $named = array_map($this->named(...), array_combine(array_keys($own), array_keys($own)));
            $this->line('driver', $command, $this->sent($command), [
                'asked for' => $this->plan($command),
                'on dead connections, not sent' => -$this->plan("not sent $command"),
                'answered by the statement cache' => match ($command) {
                    'COM_STMT_PREPARE' => -($this->driver['cache hits'] ?? 0),
                    'COM_STMT_CLOSE' => -($this->driver['cache kept'] ?? 0),
                    default => 0,
                },
                ...$named,
            ]);
        }
    }

    /** The statements that the driver sends by itself, each by the digest that the server has of it. */
    private function own(): void
    {
        foreach (self::OWN as $name => [, , $pattern]) {
            if ($pattern !== null) {
                $this->line('own', $name, $this->digest($pattern), [
                    'sent by the driver itself' => $this->named($name),
                    'asked for' => $this->sum($this->plan, 'text ', $pattern),
                    'unanswered' => $name === 'SET NAMES' ? -$this->unanswered_names() : 0,
                ]);
            }
        }
    }

    /** MySQL closes the connection of a user whom it refuses COM_CHANGE_USER; the driver's own SET NAMES comes too late then. */
    private function unanswered_names(): int
    {
        return ($this->driver['unanswered COM_QUERY'] ?? 0) - $this->plan('unanswered COM_QUERY');
    }

    /** The server's count of each kind of statement. */
    private function verbs(): void
    {
        $parts = [];
        foreach (self::COMMANDS as $command => [, $verb]) {
            if ($verb !== null && !($command === 'COM_RESET_CONNECTION' && $this->differences->has('no reset'))) {
                $parts[$verb][$command] = $this->heard($command);
            }
        }
        foreach (self::OWN as $name => [, $verb]) {
            if ($verb !== null) {
                $parts[$this->differences->verb($verb)][$name] = $this->named($name);
            }
        }
        if ($this->differences->has('types are derived')) {
            $parts['stmt_prepare']['prepared again by the server'] = $parts['stmt_reprepare']['prepared again by the server'] = $this->plan('prepared again by the server');
        }
        $parts['set_option']['unanswered'] = -$this->unanswered_names();
        $parts['select']['refused'] = -$this->refused();
        foreach ($this->plan as $what => $count) {
            if (preg_match('/^(inside )?Com_(\w+)$/', $what, $match)) {
                $label = $match[1] === '' ? 'asked for' : 'inside procedures';
                $verb = $this->differences->verb($match[2]);
                $parts[$verb][$label] = ($parts[$verb][$label] ?? 0) + $count;
            }
        }
        $failed = $parts['error'] ?? [];
        unset($parts['error']);
        foreach ($parts as $verb => $of) {
            $this->line('Com_*', "Com_$verb", $this->server["Com_$verb"] ?? 0, $of);
        }
        // What can't be parsed is no kind of statement.
        $this->line('server', 'statement/sql/error', $this->server['statement/sql/error'] ?? 0, [...$failed, 'refused' => $this->refused()]);
    }

    /** What the driver asks first, of a server that may know no limit. */
    private function refused(): int
    {
        return $this->differences->has('no limit') ? $this->digest(self::REFUSED_QUESTION) : 0;
    }

    private function totals(): void
    {
        $questions = $queries = [];
        foreach (array_keys(self::COMMANDS) as $command) {
            if (!in_array($command, ['COM_PING', 'COM_STATISTICS', 'COM_STMT_PREPARE', 'COM_STMT_CLOSE', 'COM_STMT_RESET'], true)) {
                $questions[$command] = $this->heard($command);
            }
            if ($this->differences->has('pings are queries') || !in_array($command, ['COM_PING', 'COM_STATISTICS'], true)) {
                $queries[$command] = $this->heard($command);
            }
        }
        $further = ['further statements of a query' => $this->plan('further statements of a query')];
        $this->line('totals', 'Questions', $this->server['Questions'], [...$questions, ...$further]);
        $this->line('totals', 'Queries', $this->server['Queries'], [...$queries, ...$further, 'instructions of procedures' => $this->plan('instructions of procedures')]);
        if (!$this->differences->has('no events of procedures')) {
            $events = array_map(fn(string $name) => $this->server["statement/sp/$name"] ?? 0, ['stmt', 'set', 'jump_if_not']);
            $this->line('totals', 'statement/sp/{stmt,set,jump_if_not}', array_sum($events), ['instructions of procedures' => $this->plan('instructions of procedures')]);
        }
        $made = $this->driver['opened'] + $this->driver['killers'] + $this->driver['replacements'];
        $this->line('totals', 'Connections', $this->server['Connections'], ['opened' => $this->driver['opened'], 'refused log-ins' => $this->plan('refused log-ins'), 'failed init commands' => $this->plan('failed init commands'), 'that stopped a query' => $this->driver['killers'], 'in the place of a dead one' => $this->driver['replacements']]);
        $this->line('driver', 'attempts to connect', $this->driver['attempts'], ['made' => $made, 'refused log-ins' => $this->plan('refused log-ins'), 'failed init commands' => $this->plan('failed init commands')]);
        $this->line('driver', 'failed', $this->driver['failed'], ['refused log-ins' => $this->plan('refused log-ins'), 'nobody there' => $this->plan('nobody there'), 'failed init commands' => $this->plan('failed init commands')]);
        $this->line('totals', 'Aborted_connects', $this->server['Aborted_connects'], ['attempts' => $this->driver['attempts'], 'made' => -$made, 'failed init commands' => -$this->plan('failed init commands')]);
        $this->line('totals', 'Aborted_clients', $this->server['Aborted_clients'], ['made' => $made, 'failed init commands' => $this->plan('failed init commands'), 'open still' => -$this->driver['open'] - $this->driver['idle'], 'COM_QUIT' => -$this->sent('COM_QUIT')]);
        $this->line('totals', 'Bytes_received', $this->server['Bytes_received'], ['bytes_sent' => $this->driver['bytes_sent'], 'unanswered' => -$this->driver['bytes_unanswered']]);
        $this->line('totals', 'Bytes_sent', $this->server['Bytes_sent'], ['bytes_received' => $this->driver['bytes_received'], 'to whom had gone' => $this->plan('bytes to whom had gone')]);
        foreach (array_keys($this->server) as $name) {
            if (str_ends_with($name, '_lost')) {
                $this->line('totals', $name, $this->server[$name], []);
            }
        }
    }

    /** The observer's own statements, as the driver and the server count them. @param array<string, int> $observing what the driver has counted of it */
    private function observer(array $observing): void
    {
        foreach (['Questions' => 'com_query', 'Bytes_received' => 'bytes_sent', 'Bytes_sent' => 'bytes_received'] as $name => $counter) {
            $this->line('observer', "its own $name", $this->server["own $name"], [$counter => $observing[$counter]]);
        }
    }

    /** What moves has to have a place. */
    private function unmapped(): void
    {
        $verbs = array_map(fn(Line $line) => $line->name, $this->lines);
        $events = array_map(fn(array $command) => strtolower("statement/com/$command[0]"), self::COMMANDS);
        if ($this->differences->has('no reset')) {
            $events[] = 'statement/com/error';
        }
        foreach ($this->server as $name => $count) {
            $is_known = match (true) {
                str_starts_with($name, 'Com_') => in_array($name, $verbs, true),
                str_starts_with($name, 'statement/com/') => in_array(strtolower($name), $events, true),
                str_starts_with($name, 'statement/') => preg_match('#^statement/(sql|sp)/#', $name) === 1,
                default => true,
            };
            $is_known || $count === 0 || $this->line('unmapped', "the server's $name", $count, []);
        }
        foreach ($this->driver as $name => $count) {
            $is_known = match (true) {
                str_starts_with($name, 'own ') => isset(self::OWN[substr($name, 4)]),
                str_starts_with($name, 'unanswered ') => isset(self::COMMANDS[substr($name, 11)]),
                str_starts_with($name, 'COM_') => isset(self::COMMANDS[$name]),
                default => in_array($name, self::OF_DRIVER, true),
            };
            $is_known || $count === 0 || $this->line('unmapped', "the driver's $name", $count, []);
        }
    }
}
