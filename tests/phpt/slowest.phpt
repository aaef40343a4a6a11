--TEST--
Vaquita\statistics tells of the statements that took longest, by their shapes and without literals: those that took a millisecond or more
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
use function Vaquita\statistics;

/** What has become of the slow statements since it was asked last: how many there were of each text, and whether their figures make sense. */
function news(): array
{
    static $before = [];
    $news = [];
    $last = INF;
    foreach (statistics()['slowest'] as ['digest' => $digest, 'sql' => $sql, 'count' => $count, 'total_us' => $total, 'max_us' => $max]) {
        $is_sane = preg_match('/^[0-9a-f]{16}$/', $digest) === 1 && $max >= 1000 && $max <= $last && $max <= $total + 0.001 && $total < $max * $count + 0.001;
        if (!str_contains($sql, 'SLEEP')) {
            continue; // a machine with much to do is slow with anything
        }
        $came = $count - ($before[$sql] ?? 0);
        $before[$sql] = $count;
        $last = $max;
        if ($came !== 0 || !$is_sane) {
            $news[$sql] = $is_sane ? $came : [$digest, $total, $max];
        }
    }
    ksort($news);
    return $news;
}

section('none yet');
$db = connect();
show(array_filter(statistics()['slowest'], fn ($it) => str_contains($it['sql'], 'SLEEP')));
news();

section('of each way to ask');
$db->query("SELECT SLEEP(0.002), 'a secret'")->fetch_all();
$db->query("SELECT  SLEEP(0.003), 'another' -- as before")->fetch_all();
show(news());
$db->query("DO SLEEP(0.002) /* not a shape */");
$db->query("DO 1");
show(news());
$statement = $db->prepare('SELECT SLEEP(?)');
foreach ([0.002, 0.003] as $seconds) {
    $statement->execute([$seconds]);
    $statement->get_result()->fetch_all();
}
$statement->close();
show(news());
$statement = $db->prepare('DO SLEEP(?), 2');
$statement->execute([0.002]);
$statement->close();
$db->query('DO 1');
show(news());
$db->execute_query('SELECT SLEEP(?) AS at_once', [0.002])->fetch_all();
show(news());
$db->query('SELECT SLEEP(0.002), 3', MYSQLI_USE_RESULT)->fetch_all();
show(news());
connect_pdo()->query("SELECT SLEEP(0.002), 'pdo'")->fetchAll();
show(news());
try {
    $db->query("SELECT SLEEP(0.002), (SELECT 'x' UNION SELECT 'y')")->fetch_all();
} catch (mysqli_sql_exception $e) {
    show($e->getCode());
}
show(news());
$db->multi_query("SELECT SLEEP(0.002), 'first'; SELECT 'second'");
do {
    $db->store_result();
} while ($db->next_result());
show(news());
$packed = new mysqli;
$packed->real_connect(...address(), flags: MYSQLI_CLIENT_COMPRESS);
$packed->query("SELECT SLEEP(0.002), 'packed'")->fetch_all();
$packed->close();
show(news());

section('a long one');
$db->query('SELECT SLEEP(0.002)' . str_repeat(', 1', 10_000))->fetch_all();
$news = news();
show(array_map(fn ($sql) => [substr($sql, 0, 25), substr($sql, -3), strlen($sql) < 1100], array_keys($news)), array_values($news));

section('as a trace has it');
$folder = sys_get_temp_dir() . '/vaquita-slowest-' . getmypid();
mkdir($folder, 0700);
Vaquita\trace($db, "$folder/trace");
$db->query('SELECT SLEEP(0.002), traced FROM (SELECT 1 AS traced) AS t')->fetch_all();
Vaquita\trace($db, null);
preg_match('/ digest=(\w+) sql=SELECT SLEEP.*traced/', file_get_contents("$folder/trace"), $match);
show(array_column(array_filter(statistics()['slowest'], fn ($it) => str_contains($it['sql'], 'traced')), 'digest') === [$match[1]]);
unlink("$folder/trace");
rmdir($folder);
news();

section('no more than are of use');
for ($i = 0; $i < 40; $i++) {
    $db->query("SELECT SLEEP(0.02) AS c$i")->fetch_all();
}
$db->query('SELECT SLEEP(0.0012) AS too_quick')->fetch_all();
$slowest = statistics()['slowest'];
show(count($slowest), str_contains(json_encode($slowest), 'too_quick'), preg_match('/secret|another|shape/', json_encode($slowest)));

section('not collected');
ini_set('mysqlnd.collect_statistics', '0');
$uncounted = connect();
$uncounted->query('SELECT SLEEP(0.01) AS uncounted')->fetch_all();
$uncounted->close();
show(statistics()['slowest'] === $slowest);
?>
--EXPECT--
=== none yet
[]
=== of each way to ask
["SELECT SLEEP(?), ?" => 2]
["DO SLEEP(?)" => 1]
["SELECT SLEEP(?)" => 2]
["DO SLEEP(?), ?" => 1]
["SELECT SLEEP(?) AS at_once" => 1]
["SELECT SLEEP(?), ?" => 1]
["SELECT SLEEP(?), ?" => 1]
1242
["SELECT SLEEP(?), (SELECT ? UNION SELECT ?)" => 1]
["SELECT SLEEP(?), ?; SELECT ?" => 1]
["SELECT SLEEP(?), ?" => 1]
=== a long one
[["SELECT SLEEP(?), ?, ?, ?,", "...", true]] | [1]
=== as a trace has it
true
=== no more than are of use
32 | false | 0
=== not collected
true
