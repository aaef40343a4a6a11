--TEST--
A forked child neither uses nor ends the persistent connections of its parent; they end with the process that made them
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
$persistent = fn() => connect(hostname: 'p:' . address()['hostname']);
$list = fn(int $id) => connect()->query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = $id")->fetch_row()[0];

$idle = $persistent();
$used = $persistent();
[$idle_id, $used_id] = [$idle->thread_id, $used->thread_id];
$idle->close();
show(mysqli_get_links_stats());

[$mine, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$child = pcntl_fork();
if ($child === 0) {
    fclose($mine);
    $own = $persistent();
    fwrite($theirs, "$own->thread_id\n" . json_encode(mysqli_get_links_stats()) . "\n");
    unset($own, $used); // the one goes into the child's pool, the other is the parent's
    fwrite($theirs, json_encode(mysqli_get_links_stats()) . "\n");
    exit(0); // all the way through PHP's end
}
fclose($theirs);
[$own_id, $stats, $stats_after] = explode("\n", stream_get_contents($mine));
pcntl_waitpid($child, $status);
show($status, in_array($own_id, [(string) $idle_id, (string) $used_id], true), $stats, $stats_after);
while ($list((int) $own_id) !== '0');
echo "the child's is gone\n";
show($used->query('SELECT CONNECTION_ID()')->fetch_row() === [(string) $used_id]);
$again = $persistent();
show($again->thread_id === $idle_id, $again->query('SELECT 1')->fetch_row());
?>
--EXPECT--
["total" => 1, "active_plinks" => 1, "cached_plinks" => 1]
0 | false | "{\"total\":2,\"active_plinks\":2,\"cached_plinks\":0}" | "{\"total\":0,\"active_plinks\":0,\"cached_plinks\":1}"
the child's is gone
true
true | ["1"]
