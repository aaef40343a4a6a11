--TEST--
10,000 times a persistent connection is taken, used and given back, in the memory that the first 1,000 left
--FILE--
<?php
// places: mariadb-unix mysql80-tcp
// seconds: 120
require 'support/prelude.php';

function resident_kib(): int
{
    preg_match('/^VmRSS:\s+(\d+) kB$/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1];
}
[$host, $user, $password, $database, $port, $socket] = array_values(address());
$before = 0;
$ids = [];
for ($i = 1; $i <= 10_000; $i++) {
    $db = new mysqli("p:$host", $user, $password, $database, $port, $socket);
    $ids[$db->thread_id] = true;
    if ($i % 10 === 0 && $db->query('SELECT 1')->fetch_row() !== ['1']) {
        echo "wrong answer\n";
    }
    $db->close();
    if ($i === 1_000) {
        $before = resident_kib();
        $allocated = memory_get_usage();
    }
}
$growth = resident_kib() - $before;
show($growth <= 1024 ? 'within 1 MiB' : "grew by $growth KiB", memory_get_usage() === $allocated ? 'the same to PHP' : memory_get_usage() - $allocated, count($ids), mysqli_get_links_stats());
?>
--EXPECT--
"within 1 MiB" | "the same to PHP" | 1 | ["total" => 0, "active_plinks" => 0, "cached_plinks" => 1]
