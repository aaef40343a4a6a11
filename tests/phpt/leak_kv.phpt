--TEST--
Vaquita\Kv leaves nothing behind: in PHP's memory, in the process, on the server
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix
require 'support/prelude.php';

function resident(): int
{
    preg_match('/^VmRSS:\s+(\d+) kB$/m', file_get_contents('/proc/self/status'), $match);
    return (int) $match[1] * 1024;
}
$db = connect();
$db->query('CREATE TABLE t (a INT, b VARCHAR(20), v TEXT, n INT, PRIMARY KEY (a, b))');
$pdo = connect_pdo();
foreach (range(1, 50) as $i) {
    $db->query("INSERT INTO t VALUES ($i, 'key', REPEAT('x', $i * 100), $i)");
}
$kv = Vaquita\kv($db, 't');
$of_pdo = Vaquita\kv($pdo, 't', ['v']);
$keys = array_map(fn($i) => [$i, 'key'], range(1, 60));
$tries = [
    'get' => fn() => [$kv->get([5, 'key']), $of_pdo->get(['b' => 'key', 'a' => 7]), $kv->get([99, 'x'])],
    'many' => fn() => [$kv->getMulti($keys), $of_pdo->getMulti([[1, 'key'], [1, 'key'], 'x' => [2, 'key']])],
    'written' => function () use ($kv) { $kv->set([1, 'new'], ['v' => 'text', 'n' => null]); $kv->add([1, 'new'], ['v' => 5.5]); $kv->replace([1, 'new'], ['n' => 5]); $kv->delete([1, 'new']); },
    'objects' => fn() => [Vaquita\kv($db, 't')->get([1, 'key']), Vaquita\kv($pdo, '`t`', ['n'])->getMulti([[1, 'key']]), Vaquita\kv($db), Vaquita\kv($db, 'none')],
    'no table' => fn() => Vaquita\kv($pdo, 'none')->get(1),
    'no name' => fn() => Vaquita\kv($db, 'a.b.c'),
    'no names' => fn() => Vaquita\kv($db, 't', [1]),
    'a wrong key' => fn() => $kv->get([1]),
    'a wrong type' => fn() => $kv->getMulti([[1, 'key'], 1.5]),
    'a wrong value' => fn() => $kv->set([1, 'key'], ['v' => []]),
    'a wrong column' => fn() => $kv->set([1, 'key'], ['x' => 1]),
    'an error' => fn() => $of_pdo->set([1, 'key'], ['n' => 'x']),
    'pending' => function () use ($db, $kv) { $rows = $db->query('SELECT 1', MYSQLI_USE_RESULT); $kv->get([1, 'key']); },
    'the link gone' => function () { $other = connect(); $kv = Vaquita\kv($other, 't'); $kv->get([1, 'key']); $other->close(); $kv->get([1, 'key']); },
];
foreach ($tries as $name => $try) {
    $run = function (int $times) use ($try) {
        for ($i = 0; $i < $times; $i++) {
            try {
                $try();
            } catch (Throwable) {
            }
        }
    };
    $run(50);
    $resident = resident();
    $allocated = memory_get_usage();
    $run(300);
    $more = memory_get_usage() - $allocated;
    $growth = (resident() - $resident) / 1024;
    if ($more > 0 || $growth > 600) {
        echo "$name: PHP's memory grew by $more bytes, the process by $growth KiB\n";
    }
}
// A link that keeps the object that keeps it.
class Keeper extends mysqli { public ?Vaquita\Kv $kv; }
class PdoKeeper extends PDO { public ?Vaquita\Kv $kv; }
foreach ([fn() => connect('Keeper'), fn() => new PdoKeeper(data_source(), server('USER'), server('PASSWORD'))] as $make) {
    $keeper = $make();
    $keeper->kv = Vaquita\kv($keeper, 't');
    $keeper->kv->get([5, 'key']);
    $kept = WeakReference::create($keeper);
    $keeper = null;
    gc_collect_cycles();
    show($kept->get());
}
$prepared = fn() => (int) $db->query("SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'")->fetch_row()[1];
show($prepared() < 100);
$before = $prepared();
$kv = $of_pdo = $tries = $try = $run = null;
$db->query('SELECT 1');
echo "done\n";
?>
--EXPECT--
null
null
true
done
