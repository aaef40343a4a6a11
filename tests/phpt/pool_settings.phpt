--TEST--
Persistent connections: how many stay idle, how long, how old they become, and how it is found out that they live
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
const APIS = <<<'PHP'
error_reporting(E_ALL);
$apis = [
    'mysqli' => [fn() => connect(hostname: 'p:' . address()['hostname']), fn($db, $sql) => $db->query($sql)->fetch_row()[0]],
    'pdo' => [fn() => connect_pdo([PDO::ATTR_PERSISTENT => true]), fn($db, $sql) => $db->query($sql)->fetchColumn()],
];
function is_there(string $id): bool
{
    static $admin;
    $admin ??= connect();
    return $admin->query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = $id")->fetch_row()[0] === '1';
}
/** How long it takes, in seconds, till the server has ended a connection; null: longer than anybody waits. */
function seconds_till_gone(string $id): ?float
{
    for ($from = microtime(true); microtime(true) < $from + 20; usleep(20_000)) {
        if (!is_there($id)) {
            return microtime(true) - $from;
        }
    }
    return null;
}
PHP;
function with(array $settings, string $script): void
{
    echo '-- ', json_encode($settings), "\n";
    ob_start();
    child(APIS . "\n" . $script, $settings);
    echo preg_replace('/\n  exit code 0\n$/', '', ob_get_clean());
}

// The server ends what nobody uses, of a process that sleeps; its users see the server's own limit.
with(['vaquita.pool_idle_timeout' => 1], <<<'PHP'
foreach ($apis as $api => [$connect, $value]) {
    $limit = $value($connect(), 'SELECT @@GLOBAL.wait_timeout');
    foreach ([1, 2, 3] as $round) {
        $db = $connect();
        $is_first = $round === 2; // a command that may write goes first
        if ($is_first) {
            $api === 'pdo' ? $db->exec('SET @a = 1') : $db->query('SET @a = 1');
        }
        $seen = $value($db, 'SELECT @@wait_timeout');
        $id = $value($db, 'SELECT CONNECTION_ID()');
        unset($db);
        $db = $connect();
        $same = $value($db, 'SELECT CONNECTION_ID()') === $id;
        unset($db);
        echo "$api $round: ", $seen === $limit ? "the server's own limit" : $seen, $same ? ', the same' : ', another', "\n";
    }
    $seconds = seconds_till_gone($id);
    echo "$api: ", $seconds === null ? 'stays' : ($seconds > 0.5 && $seconds < 6 ? 'ended by the server' : "ended after $seconds s"), "\n";
    $db = $connect();
    echo "$api: ", $value($db, 'SELECT CONNECTION_ID()') === $id ? 'the same' : 'another', "\n";
    unset($db);
}
PHP);
with(['vaquita.pool_max_idle' => 1], <<<'PHP'
[$connect, $value] = $apis['mysqli'];
$links = [$connect(), $connect(), $connect()];
$ids = array_map(fn($db) => $db->thread_id, $links);
foreach ($links as &$link) {
    $link->close();
}
echo json_encode(array_intersect_key(Vaquita\pool_stats(), ['idle' => 1, 'evicted_for_room' => 1])), "\n";
echo $connect()->thread_id === $ids[2] ? 'the last one' : 'another one', "\n";
PHP);
with(['vaquita.pool_max_idle' => 0], <<<'PHP'
[$connect] = $apis['mysqli'];
$id = $connect()->thread_id;
echo $connect()->thread_id === $id ? 'kept' : 'not kept', "\n";
PHP);
with(['vaquita.pool_max_lifetime' => 1], <<<'PHP'
foreach ($apis as $api => [$connect, $value]) {
    $id = $value($connect(), 'SELECT CONNECTION_ID()');
    for ($from = microtime(true); microtime(true) < $from + 10 && ($now = $value($connect(), 'SELECT CONNECTION_ID()')) === $id; usleep(20_000));
    $seconds = microtime(true) - $from;
    echo "$api: ", $now === $id ? 'stays' : ($seconds > 0.5 ? 'too old' : "replaced after $seconds s"), "\n";
}
echo Vaquita\pool_stats()['evicted_as_old'], "\n";
PHP);
foreach (['none', 'peek', 'ping'] as $check) {
    with(['vaquita.pool_check' => $check], <<<'PHP'
foreach ($apis as $api => [$connect, $value]) {
    $db = $connect();
    $id = $value($db, 'SELECT CONNECTION_ID()');
    unset($db);
    unset($db);
    $value($db = $connect(), 'SELECT 1'); // reset and learnt
    unset($db);
    connect()->query("KILL $id");
    seconds_till_gone($id);
    $db = $connect();
    $api === 'pdo' ? $db->exec('SET @a = 1') : $db->query('SET @a = 1');
    echo "$api: ", $value($db, 'SELECT @a'), $value($db, 'SELECT CONNECTION_ID()') === $id ? ' on the dead one' : ' on another one', "\n";
    unset($db);
}
echo Vaquita\pool_stats()['replaced'], "\n";
PHP);
}
?>
--EXPECT--
-- {"vaquita.pool_idle_timeout":1}
mysqli 1: the server's own limit, the same
mysqli 2: the server's own limit, the same
mysqli 3: the server's own limit, the same
mysqli: ended by the server
mysqli: another
pdo 1: the server's own limit, the same
pdo 2: the server's own limit, the same
pdo 3: the server's own limit, the same
pdo: ended by the server
pdo: another
-- {"vaquita.pool_max_idle":1}
{"idle":1,"evicted_for_room":2}
the last one
-- {"vaquita.pool_max_idle":0}
not kept
-- {"vaquita.pool_max_lifetime":1}
mysqli: too old
pdo: too old
2
-- {"vaquita.pool_check":"none"}
mysqli: 1 on another one
pdo: 1 on another one
2
-- {"vaquita.pool_check":"peek"}
mysqli: 1 on another one
pdo: 1 on another one
2
-- {"vaquita.pool_check":"ping"}
mysqli: 1 on another one
pdo: 1 on another one
2
