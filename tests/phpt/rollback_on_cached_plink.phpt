--TEST--
A closed persistent connection holds no lock; with mysqli.rollback_on_cached_plink close() waits until that is so
--FILE--
<?php
// servers: mariadb mysql80
// transports: tcp unix
// without mysql56: without the reset an XA transaction ends only when its connection is used again
require 'support/prelude.php';

const ROWS = 2000; // so many that taking them back takes longer than looking
const TRIES = 10;

$admin = connect();
$admin->query('DROP TABLE IF EXISTS cached_plink');
$admin->query('CREATE TABLE cached_plink (id INT PRIMARY KEY, value INT) ENGINE=InnoDB');
foreach (array_chunk(range(1, ROWS), 500) as $ids) {
    $admin->query('INSERT INTO cached_plink VALUES ' . implode(',', array_map(fn($id) => "($id, 0)", $ids)));
}

$script = <<<'PHP'
$other = connect();
$is_free = function (float $seconds) use ($other) {
    $until = microtime(true) + $seconds;
    do {
        try {
            return (bool) $other->query('SELECT * FROM cached_plink WHERE id = 1 FOR UPDATE NOWAIT');
        } catch (mysqli_sql_exception) {
            // Locked still.
        }
    } while (microtime(true) < $until);
    return false;
};
foreach (['new connections' => false, 'the same one' => true] as $what => $is_same) {
    $free = 0;
    $ids = [];
    $kept = [];
    for ($try = 0; $try < TRIES; ++$try) {
        if (!$is_same) {
            $kept[] = connect(hostname: 'p:' . address()['hostname']); // the idle one
        }
        $db = connect(hostname: 'p:' . address()['hostname']);
        $ids[$db->thread_id] = true;
        // What only ROLLBACK ends, and what it does not.
        $db->query($try % 2 ? 'BEGIN' : "XA START '" . bin2hex(random_bytes(8)) . "'");
        $db->query('UPDATE cached_plink SET value = value + 1');
        $db->close();
        $free += $is_free(PATIENCE);
    }
    $are_new = count($ids) > 1 ? 'several' : 'one';
    echo "$what: $free of ", TRIES, " free, $are_new\n";
}
PHP;
foreach (['1' => 0.0, '0' => 5.0] as $waits => $patience) {
    echo "-- mysqli.rollback_on_cached_plink = $waits\n";
    child('const TRIES = ' . TRIES . "; const PATIENCE = $patience; $script", ['mysqli.rollback_on_cached_plink' => (string) $waits]);
}
$admin->query('DROP TABLE cached_plink');
echo "done\n";
?>
--EXPECT--
-- mysqli.rollback_on_cached_plink = 1
new connections: 10 of 10 free, several
the same one: 10 of 10 free, one

  exit code 0
-- mysqli.rollback_on_cached_plink = 0
new connections: 10 of 10 free, several
the same one: 10 of 10 free, one

  exit code 0
done
