--TEST--
Vaquita\metrics is a page that Prometheus reads, with the figures of Vaquita\statistics
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';

/** The values of a page by their lines' names and labels; what is not as the format wants it is printed. */
function parse(string $page): array
{
    $values = $types = [];
    $current = null;
    str_ends_with($page, "\n") || show('no end of line');
    foreach (explode("\n", rtrim($page, "\n")) as $line) {
        if (preg_match('/^# HELP ([a-z_]+) \S.*\.$/D', $line, $found)) {
            isset($types[$found[1]]) && show('twice', $found[1]);
            $current = $found[1];
        } elseif (preg_match('/^# TYPE ([a-z_]+) (counter|gauge|histogram)$/D', $line, $found)) {
            $found[1] === $current || show('a type of another', $line);
            $types[$current] = $found[2];
            ($found[2] === 'counter') === str_ends_with($current, '_total') || show('a name', $line);
        } elseif (preg_match('/^([a-z_]+?)(_bucket|_sum|_count)?(\{[a-z_]+="[^"\\\\]*"(?:,[a-z_]+="[^"\\\\]*")*\})? (\d+(?:\.\d+)?)$/D', $line, $found)) {
            $is_part = ($types[$current] ?? null) === 'histogram';
            $name = $is_part ? $found[1] : $found[1] . $found[2];
            $name === $current || show('a value of another', $line, $current);
            $key = $found[1] . $found[2] . $found[3];
            isset($values[$key]) && show('twice', $key);
            $values[$key] = $found[4];
        } else {
            show('no line', $line);
        }
    }
    return $values;
}

$function = new ReflectionFunction('Vaquita\metrics');
show((string) $function->getReturnType(), $function->getNumberOfParameters());
$before = parse(Vaquita\metrics());
$db = connect();
for ($i = 0; $i < 20; $i++) {
    $db->query("SELECT $i")->fetch_row();
}
$db->query('DO SLEEP(0.06)');
$db->prepare('SELECT ?')->execute([1]);
$after = parse(Vaquita\metrics());
$statistics = Vaquita\statistics();

section('lines');
show(array_keys($before) === array_keys($after), count($after) > 100, array_sum($before) == 0);
section('values');
$query = '{vaquita_command="query"}';
show($after["db_client_operation_duration_seconds_count$query"], $after["vaquita_first_byte_seconds_count$query"], $after['db_client_connection_create_time_seconds_count']);
$bucket = fn(string $bound) => (int) $after["db_client_operation_duration_seconds_bucket{vaquita_command=\"query\",le=\"$bound\"}"];
show($bucket('0.05') <= 20, $bucket('0.5') >= 20, $bucket('+Inf'));
$grows = true;
foreach ([[0, '0.001'], ['0.001', '0.005'], ['0.005', '0.01'], ['0.01', '0.05'], ['0.05', '0.1'], ['0.1', '0.5'], ['0.5', '1'], ['1', '5'], ['5', '10'], ['10', '+Inf']] as [$less, $more]) {
    $grows = $grows && ($less === 0 || $bucket($less) <= $bucket($more));
}
$sum = (float) $after["db_client_operation_duration_seconds_sum$query"];
show($grows, $sum > 0.06, abs($sum - $statistics['latency']['query']['last_byte']['total_us'] / 1e6) < 1e-6);
foreach (['vaquita_commands_total{command="query"}' => $statistics['commands']['query'], 'vaquita_round_trips_total' => $statistics['traffic']['round_trips'],
    'vaquita_own_commands_total{name="COM_STMT_CLOSE"}' => $statistics['own']['COM_STMT_CLOSE'] ?? 0, 'vaquita_statement_cache_kept_total' => $statistics['statement_cache']['kept'],
    'vaquita_unanswered_commands_total{command="query"}' => 0, 'vaquita_received_bytes_total' => $statistics['traffic']['bytes_received'], 'vaquita_connections_opened_total' => 1,
    'db_client_connection_count{db_client_connection_state="used"}' => 1, 'db_client_connection_count{db_client_connection_state="idle"}' => 0] as $name => $value) {
    show($name, (int) $after[$name] === $value);
}
section('documented');
preg_match_all('/^# TYPE (\S+)/m', Vaquita\metrics(), $names);
preg_match_all('/^\| `([a-z_]+)`/m', file_get_contents(getenv('VAQUITA_TESTS') . '/../docs/metrics.md'), $rows);
sort($names[1]);
sort($rows[1]);
show($names[1] === $rows[1] ?: ['documented' => array_diff($rows[1], $names[1]), 'there' => array_diff($names[1], $rows[1])]);
section('the example');
ob_start();
child("require '" . getenv('VAQUITA_TESTS') . "/../examples/metrics.php';");
show(array_keys(parse(preg_replace('/\n\n  exit code 0\n$/', "\n", ob_get_clean()))) === array_keys($after));
?>
--EXPECT--
"string" | 0
=== lines
true | true | true
=== values
"21" | "21" | "1"
true | true | 21
true | true | true
"vaquita_commands_total{command=\"query\"}" | true
"vaquita_round_trips_total" | true
"vaquita_own_commands_total{name=\"COM_STMT_CLOSE\"}" | true
"vaquita_statement_cache_kept_total" | true
"vaquita_unanswered_commands_total{command=\"query\"}" | true
"vaquita_received_bytes_total" | true
"vaquita_connections_opened_total" | true
"db_client_connection_count{db_client_connection_state=\"used\"}" | true
"db_client_connection_count{db_client_connection_state=\"idle\"}" | true
=== documented
true
=== the example
true
