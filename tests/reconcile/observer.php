<?php
/*
 * The server's own figures, of everybody but the one who asks for them.
 *
 * What this connection does is counted by the server too. Each figure that it keeps for a session is read together with that of the session that asks, in one
 * statement, and the one is taken from the other; of the others (Queries) it is known what one's own share is, because one has sent it.
 */

declare(strict_types=1);

final class Observer
{
    /** Status variables, besides Com_*, that are compared. Of those that sessions have, too, one's own share is read. */
    private const OF_SESSIONS = ['Bytes_received', 'Bytes_sent', 'Questions'];
    private const GLOBAL_ONLY = ['Aborted_clients', 'Aborted_connects', 'Connections', 'Queries'];
    /** What may not have moved: then figures of performance_schema would be too small. */
    private const LOST = ['Performance_schema_thread_instances_lost', 'Performance_schema_statement_classes_lost', 'Performance_schema_digest_lost', 'Performance_schema_thread_classes_lost'];

    /** How long something may take that always comes. */
    private const PATIENCE_S = 60.0;

    private readonly mysqli $link;
    /** @var list<string> the statements of an observation */
    private readonly array $statements;

    public function __construct(private readonly Place $place)
    {
        $this->link = new mysqli('localhost', $place->of('USER'), $place->of('PASSWORD'), '', 0, $place->of('SOCKET'));
        $is_on = $this->link->query("SHOW GLOBAL VARIABLES LIKE 'performance_schema'")->fetch_row();
        $is_on !== null && $is_on[1] === 'ON' || throw new Exception("$place->name has no performance_schema: start it with --performance-schema=ON");
        $this->statements = [...$this->of_status(), ...self::OF_EVENTS];
    }

    /** @return list<string> statements that give: where, name, value */
    private function of_status(): array
    {
        $names = "'" . implode("', '", [...self::OF_SESSIONS, ...self::GLOBAL_ONLY, ...self::LOST]) . "'";
        $both = fn(string $schema, string $which): string =>
            "SELECT 'global', VARIABLE_NAME, VARIABLE_VALUE FROM $schema.global_status WHERE $which UNION ALL "
            . "SELECT 'own', VARIABLE_NAME, VARIABLE_VALUE FROM $schema.session_status WHERE $which ORDER BY 1, 2";
        if ($this->place->name === 'mysql80') {
            // Its tables have no Com_*.
            return [$both('performance_schema', "VARIABLE_NAME IN ($names)"), "SHOW GLOBAL STATUS LIKE 'Com\\_%'", "SHOW SESSION STATUS LIKE 'Com\\_%'"];
        }
        return [$both('information_schema', "VARIABLE_NAME IN ($names) OR VARIABLE_NAME LIKE 'Com\\_%'")];
    }

    private const OF_EVENTS = [
        "SELECT 'event own', EVENT_NAME, COUNT_STAR FROM performance_schema.events_statements_summary_by_thread_by_event_name"
            . ' JOIN performance_schema.threads USING (THREAD_ID) WHERE PROCESSLIST_ID = CONNECTION_ID() AND COUNT_STAR > 0',
        "SELECT 'event global', EVENT_NAME, COUNT_STAR FROM performance_schema.events_statements_summary_global_by_event_name WHERE COUNT_STAR > 0",
        "SELECT 'digest', COALESCE(DIGEST_TEXT, ''), SUM(COUNT_STAR) FROM performance_schema.events_statements_summary_by_digest GROUP BY DIGEST_TEXT",
    ];

    public function version(): string
    {
        return $this->link->server_info;
    }

    /** @return array<string, int> by what the server calls them; events as `statement/...`, digests as `digest ...`, one's own as `own ...` */
    public function observe(): array
    {
        $own = mysqli_get_connection_stats($this->link);
        $read = [];
        foreach ($this->statements as $number => $statement) {
            foreach ($this->link->query($statement)->fetch_all() as $row) {
                // SHOW STATUS has two columns.
                [$where, $name, $value] = count($row) === 2 ? [$number === 1 ? 'global' : 'own', ...$row] : $row;
                $read[$where][str_starts_with($where, 'event') || $where === 'digest' ? $name : ucfirst(strtolower($name))] = (int) $value;
            }
        }
        $figures = [];
        foreach ($read['global'] as $name => $value) {
            $has_own = in_array($name, self::OF_SESSIONS, true) || str_starts_with($name, 'Com_');
            $figures[$name] = $value - ($has_own ? $read['own'][$name] ?? 0 : 0);
        }
        foreach ($read['event global'] as $name => $value) {
            $figures[$name] = $value - ($read['event own'][$name] ?? 0);
        }
        foreach ($read['digest'] as $text => $value) {
            $figures["digest $text"] = $value;
        }
        // Each of one's own statements is one of the Queries.
        $figures['Queries'] -= (int) $own['com_query'];
        foreach (self::OF_SESSIONS as $name) {
            $figures["own $name"] = $read['own'][$name];
        }
        return $figures;
    }

    /**
     * Waits until the server has let go of what was closed, so that no more than these connections are left. What performance_schema has counted of a connection it
     * adds to the sum when that ends, without a lock: where two end at once, one may be lost.
     */
    public function await_connections(int $most): void
    {
        $this->await("there are more than $most connections", fn() => $this->threads("NAME = 'thread/sql/one_connection'") <= $most);
    }

    /** Waits until the server has let go of a connection; then its socket is closed. */
    public function await_end_of(int $thread): void
    {
        $this->await("connection $thread does not end", fn() => $this->threads("PROCESSLIST_ID = $thread") === 0);
    }

    /**
     * Waits until a connection has nothing to do, and some time more. MySQL 5.6 may not notice that it is to end as it begins to wait for the next
     * command: then it is `Killed`, and waits on for ever.
     */
    public function await_idle(int $thread): void
    {
        for ($times = 0; $times < 20; $times++) {
            $this->await("connection $thread is never idle", fn() => $this->threads("PROCESSLIST_ID = $thread AND PROCESSLIST_COMMAND = 'Sleep'") === 1);
        }
    }

    private function threads(string $which): int
    {
        return (int) $this->link->query("SELECT COUNT(*) FROM performance_schema.threads WHERE $which")->fetch_row()[0];
    }

    private function await(string $otherwise, Closure $has_come): void
    {
        $until = microtime(true) + self::PATIENCE_S;
        while (!$has_come()) {
            microtime(true) < $until || throw new Exception($otherwise);
        }
    }

    /** @return array<string, int> what the driver has counted of this connection */
    public function counted(): array
    {
        return array_map(intval(...), mysqli_get_connection_stats($this->link));
    }
}
