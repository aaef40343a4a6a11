--TEST--
Vaquita\statistics tells by name what the driver sent by itself, what was never answered, and what the statement cache saved
--FILE--
<?php
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';

/** What has come to each figure of a group since it was asked for last. */
function since(string $group): array
{
    static $before = [];
    $now = Vaquita\statistics()[$group];
    $came = [];
    foreach ($now as $name => $number) {
        $came[$name] = $number - ($before[$group][$name] ?? 0);
    }
    $before[$group] = $now;
    return array_filter($came);
}

/** Has the server end a link, and waits until it has. */
function kill_it(mysqli $link): void
{
    $other = connect();
    $id = $link->thread_id;
    $other->query("KILL $id");
    while ($other->query("SELECT COUNT(*) FROM information_schema.processlist WHERE id = $id")->fetch_row()[0] !== '0');
}

$groups = ['own', 'unanswered', 'statement_cache'];
section('what a script asks for has no name');
$db = connect();
$db->set_charset('latin1');
$db->begin_transaction();
$db->rollback();
$db->stat();
show(array_map(since(...), $groups), since('commands'));

section('the end of a session');
$host = address()['hostname'];
connect(hostname: "p:$host")->query('SET @a = 1');
$own = since('own');
show(array_intersect_key($own, ['ROLLBACK' => 1, 'UNLOCK TABLES' => 1, 'COM_RESET_CONNECTION' => 1]));
$next = connect(hostname: "p:$host");
$next->query('SELECT 1')->free();
$own = since('own');
show(isset($own['SELECT @@init_connect']), ($own['COM_CHANGE_USER'] ?? 0) === (int) on('mysql56'));
// The name is that of a command: each is one of those that were sent.
$all = Vaquita\statistics();
show(array_sum($all['own']) < array_sum($all['commands']), $all['own']['COM_RESET_CONNECTION'] === $all['commands']['reset_connection']);
$next = null;

section('statements that were kept');
$link = connect();
$link->query('CREATE TEMPORARY TABLE kept (a INT)');
since('statement_cache');
since('commands');
for ($i = 0; $i < 3; $i++) {
    $link->prepare('SELECT a FROM kept WHERE a = ?')->close();
}
$cache = since('statement_cache') + ['hits' => 0, 'kept' => 0];
$sent = since('commands') + ['stmt_close' => 0];
// MySQL 5.6 does not tell of what a statement would need to know: nothing is kept there.
show($cache['hits'] === (on('mysql56') ? 0 : 2), $cache['kept'] === (on('mysql56') ? 0 : 3));
show($sent['stmt_prepare'] + $cache['hits'], $sent['stmt_close'] + $cache['kept']);

section('what was never answered');
$dead = connect();
kill_it($dead);
array_map(since(...), ['traffic', 'commands', 'unanswered']);
try {
    $dead->query('SELECT 12345');
} catch (mysqli_sql_exception $e) {
    show(in_array($e->getCode(), [2006, 2013], true));
}
// A unix socket refuses it, and then it was not sent; TCP takes what nobody reads.
$is_taken = server('TRANSPORT') === 'tcp';
show(since('unanswered') === ($is_taken ? ['query' => 1] : []), since('commands') === ($is_taken ? ['query' => 1] : []));
$traffic = since('traffic') + ['bytes_unanswered' => 0, 'bytes_sent' => 0];
show($traffic['bytes_unanswered'] === ($is_taken ? strlen('SELECT 12345') + 5 : 0), $traffic['bytes_sent'] === $traffic['bytes_unanswered']);
?>
--EXPECT--
=== what a script asks for has no name
[[], [], []] | ["query" => 3, "statistics" => 1]
=== the end of a session
["COM_RESET_CONNECTION" => 1, "ROLLBACK" => 1, "UNLOCK TABLES" => 1]
true | true
true | true
=== statements that were kept
true | true
3 | 3
=== what was never answered
true
true | true
true | true
