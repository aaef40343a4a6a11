--TEST--
A forked child's own links count, and what it inherited stays its parent's
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) {
    echo 'skip there is no fork without pcntl';
}
?>
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
$folder = tempnam(sys_get_temp_dir(), 'vaquita');
unlink($folder);
mkdir($folder);
child(<<<'PHP'
    mysqli_report(0);
    /** Does something in a child, and waits for its end. */
    function forked(Closure $act): void
    {
        $child = pcntl_fork();
        if ($child === 0) {
            $act();
            exit(0); // all the way through PHP's end
        }
        pcntl_waitpid($child, $status);
        show($status);
    }
    $p = connect(hostname: 'p:' . address()['hostname']);
    $idle = connect(hostname: 'p:' . address()['hostname']);
    $idle->close();
    $db = connect();
    echo "-- what it inherited\n";
    $another = fn() => mysqli_connect(...array_values(address()));
    forked(function () use ($another) {
        show($another());
        unset($GLOBALS['db'], $GLOBALS['p']); // to the server this is the end of the former, as in stock
        show($another());
    });
    show($another());
    echo "-- its own\n";
    $db->close();
    forked(function () use ($another) {
        $own = $another();
        show($own->query('SELECT 1')->fetch_row(), $another());
    });
    forked(function () use ($another) {
        $own = $another();
        show($own->query('SELECT 1')->fetch_row(), $another());
        posix_kill(getmypid(), SIGKILL);
    });
    $db = $another();
    show($db->query('SELECT 1')->fetch_row(), $p->query('SELECT 2')->fetch_row(), $another());
    PHP, ['vaquita.host_max_links' => '3', 'vaquita.run_dir' => $folder]);
exec('rm -r ' . escapeshellarg($folder));
?>
--EXPECT--
-- what it inherited
  Warning: mysqli_connect(): Too many open links (3)
false
  Warning: mysqli_connect(): Too many open links (3)
false
0
  Warning: mysqli_connect(): Too many open links (3)
false
-- its own
  Warning: mysqli_connect(): Too many open links (3)
["1"] | false
0
  Warning: mysqli_connect(): Too many open links (3)
["1"] | false
9
  Warning: mysqli_connect(): Too many open links (3)
["1"] | ["2"] | false

  exit code 0
