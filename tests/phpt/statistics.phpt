--TEST--
Vaquita\statistics tells what was done, how often the server was waited for, and how long; without mysqlnd.collect_statistics nothing of it
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
use function Vaquita\statistics;

/** What has come to the figures of one group since it was asked for last. */
function since(string $group): array
{
    static $before = [];
    $now = statistics()[$group];
    $came = array_filter(array_map(fn($is, $was) => $is - $was, $now, $before[$group] ?? array_fill(0, count($now), 0)));
    $keys = array_keys($now);
    $before[$group] = array_values($now);
    $named = [];
    foreach ($came as $place => $number) {
        $named[$keys[$place]] = $number;
    }
    return $named;
}

/** How many replies of a kind there were, and whether their times make sense. */
function times(string $kind): array
{
    $latency = statistics()['latency'][$kind];
    foreach ($latency as $which => $it) {
        $is_sane = $it['count'] > 0 && $it['p50_us'] > 0 && $it['p50_us'] <= $it['p95_us'] && $it['p95_us'] <= $it['p99_us']
            && $it['p99_us'] <= $it['max_us'] && $it['max_us'] <= $it['total_us'];
        if (!$is_sane) {
            return [$which => $it];
        }
    }
    return [$latency['first_byte']['count'], $latency['last_byte']['count']];
}

section('what it is');
$function = new ReflectionFunction('Vaquita\statistics');
show((string) $function->getReturnType(), $function->getExtensionName(), $function->getNumberOfParameters());
show(array_keys(statistics()), array_keys(statistics()['traffic']));
show(statistics()['latency'], statistics()['commands']);

section('connections');
$db = connect();
$pdo = connect_pdo();
try {
    connect(password: 'wrong');
} catch (mysqli_sql_exception $e) {
    show($e->getCode());
}
show(array_slice(statistics()['connections'], 0, 3), times('connect'));

section('commands and round trips');
statistics();
since('traffic');
since('commands');
$db->query('DO 1');
$db->query('DO 2');
$db->stat();
show(since('commands'), array_intersect_key(since('traffic'), ['round_trips' => 1, 'reads' => 1, 'writes' => 1]));
$statement = $db->prepare('SELECT ?');
foreach ([1, 2, 3] as $number) {
    $statement->execute([$number]);
    $statement->get_result();
}
$commands = since('commands');
unset($commands['stmt_close'], $commands['stmt_reset']);
show($commands);
$pdo->query('SELECT 1')->fetchAll();
show(since('commands'), statistics()['commands']['query'] === (int) mysqli_get_client_stats()['com_query']);

section('how long');
show(times('query'), times('prepare')[0] >= 1, times('execute')[0] >= 3);
$before = statistics()['latency']['query']['last_byte'];
$db->query('DO SLEEP(0.05)');
$after = statistics()['latency']['query']['last_byte'];
show($after['count'] - $before['count'], $after['total_us'] - $before['total_us'] > 50000, $after['max_us'] > 50000, $after['p99_us'] > 50000);

section('not collected');
ini_set('mysqlnd.collect_statistics', '0');
$before = statistics();
$uncounted = connect();
$uncounted->query('SELECT 1')->fetch_all();
$uncounted->close();
$after = statistics();
show(array_diff_assoc(array_map('serialize', $before), array_map('serialize', $after)));
ini_set('mysqlnd.collect_statistics', '1');

section('kept by PDO, and used again when it is');
ini_set('mysqlnd.collect_statistics', '0');
$kept = connect_pdo([PDO::ATTR_PERSISTENT => true]);
$kept = null;
ini_set('mysqlnd.collect_statistics', '1');
$kept = connect_pdo([PDO::ATTR_PERSISTENT => true]);
$kept->query('SELECT 1')->fetchAll();
$before = statistics();
$kept->query('SELECT 2')->fetchAll();
$after = statistics();
show($after['latency']['query']['last_byte']['count'] - $before['latency']['query']['last_byte']['count'], $after['commands']['query'] - $before['commands']['query']);
$kept = null;

section('of connections that are gone');
$db->close();
$pdo = null;
show(array_slice(statistics()['connections'], 0, 3), statistics()['commands']['query'] > 3);
?>
--EXPECT--
=== what it is
"array" | "vaquita" | 0
["connections", "commands", "unanswered", "own", "statement_cache", "traffic", "pool", "key_value", "latency", "slowest"] | ["round_trips", "reads", "writes", "bytes_received", "bytes_sent", "bytes_unanswered", "packets_received", "packets_sent"]
[] | []
=== connections
1045
["opened" => 2, "failed" => 1, "reused" => 0] | [2, 2]
=== commands and round trips
["query" => 2, "statistics" => 1] | ["round_trips" => 3, "reads" => 3, "writes" => 3]
["stmt_prepare" => 1, "stmt_execute" => 3]
["query" => 1] | true
=== how long
[3, 3] | true | true
1 | true | true | true
=== not collected
[]
=== kept by PDO, and used again when it is
1 | 1
=== of connections that are gone
["opened" => 2, "failed" => 1, "reused" => 0] | true
