--TEST--
vaquita.host_max_links: which links count, what is said at the limit, and where they can't be counted
--FILE--
<?php
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';
$folder = tempnam(sys_get_temp_dir(), 'vaquita');
unlink($folder);
mkdir($folder);
mkdir("$folder/run");
/** Runs a script where so many links may be; the names of the files in which they are counted differ from run to run. */
function limited(int $most, string $script, string $run = 'run'): void
{
    global $folder;
    ob_start();
    child('mysqli_report(0); function p(): mysqli|false { return mysqli_connect(...array_values(address(hostname: "p:" . address()["hostname"]))); }'
        . 'function refused(): void { try { connect_pdo(); } catch (PDOException $e) { echo "PDO: {$e->getMessage()}\n"; } }'
        . 'function plain(): mysqli|false { return mysqli_connect(...array_values(address())); }' . "\n$script",
        ['vaquita.host_max_links' => (string) $most, 'vaquita.run_dir' => $run === '' || $run === 'relative' ? $run : "$folder/$run"]);
    echo preg_replace(['~vaquita-1-\d+-\d+-[0-9a-f]{32}~', '~' . preg_quote($folder, '~') . '~'], ['LINKS', 'FOLDER'], ob_get_clean());
}

section('at the limit');
limited(3, <<<'PHP'
    show(plain() && p() && plain());
    $db = plain();
    $p = p(); // what p() gave back waits for this
    $pdo = connect_pdo();
    attempt('a plain link', fn() => plain());
    attempt('a persistent one', fn() => p());
    attempt('PDO', fn() => connect_pdo());
    attempt('PDO, persistent', fn() => connect_pdo([PDO::ATTR_PERSISTENT => true]));
    mysqli_report(MYSQLI_REPORT_ALL);
    attempt('where errors are exceptions', fn() => plain());
    attempt('an object', fn() => new mysqli(...address()));
    attempt('mysqli_init', fn() => [mysqli_init()->real_connect(...address()), mysqli_connect_errno(), mysqli_connect_error()]);
    $id = $p->thread_id;
    $p->close();
    echo "-- an idle one counts, and can be had\n";
    attempt('a plain link', fn() => plain());
    show(p()->thread_id === $id);
    $pdo = null;
    show(plain()->query('SELECT 1')->fetch_row());
    PHP);

section('a query that is stopped at the limit');
limited(1, <<<'PHP'
    ini_set('vaquita.query_timeout_ms', '200');
    $db = plain();
    $begun = hrtime(true);
    $db->query('DO SLEEP(60)'); // which takes a second connection on MySQL
    show(hrtime(true) - $begun < 30e9, $db->query('SELECT 1')->fetch_row());
    show(plain());
    PHP);

section('none at all');
limited(0, 'attempt("mysqli", fn() => plain()); attempt("PDO", fn() => connect_pdo());');

section('any number');
limited(-1, 'show(plain() && p() && connect_pdo());', 'missing');

section('one server by another name');
limited(1, '$db = plain(); show((bool) mysqli_connect(...array_values(server("TRANSPORT") === "unix" ? address(hostname: "127.0.0.1", socket: null) : address(hostname: "localhost", socket: server("SOCKET")))));');

section('where links can not be counted');
$files = glob("$folder/run/vaquita-*");
show(count($files), array_map(fn($file) => decoct(fileperms($file)), $files)[0]);
$try = 'attempt("mysqli", fn() => plain()); show(mysqli_connect_errno()); mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT); attempt("mysqli", fn() => p()); refused();';
limited(1, $try, 'missing');
limited(1, $try, 'relative');
mkdir("$folder/linked");
foreach ($files as $file) {
    symlink($file, "$folder/linked/" . basename($file));
}
limited(1, 'refused();', 'linked');
foreach ($files as $file) {
    chmod($file, 0644);
}
limited(1, 'refused();');
foreach ($files as $file) {
    chmod($file, 0600);
    file_put_contents($file, 'something else');
}
limited(1, 'refused();');
array_map(unlink(...), $files);
limited(1, 'show((bool) connect_pdo());');

section('settings');
foreach (['many', '-2', '', '2.5', '0x'] as $value) {
    child('show(ini_get("vaquita.host_max_links"));', ['vaquita.host_max_links' => $value, 'display_startup_errors' => '1']);
}
show(ini_get('vaquita.host_max_links'), ini_get('vaquita.run_dir'), ini_set('vaquita.host_max_links', '5'), ini_set('vaquita.run_dir', '/tmp'));
exec('rm -r ' . escapeshellarg($folder));
?>
--EXPECT--
=== at the limit
true
  Warning: mysqli_connect(): Too many open links (3)
a plain link: false
  Warning: mysqli_connect(): Too many open links (3)
a persistent one: false
PDO: thrown PDOException(2002) ["HY000", 2002, "Too many open links (3): this machine may have no more to one server (vaquita.host_max_links)"]: SQLSTATE[HY000] [2002] Too many open links (3): this machine may have no more to one server (vaquita.host_max_links)
PDO, persistent: thrown PDOException(2002) ["HY000", 2002, "Too many open links (3): this machine may have no more to one server (vaquita.host_max_links)"]: SQLSTATE[HY000] [2002] Too many open links (3): this machine may have no more to one server (vaquita.host_max_links)
  Warning: mysqli_connect(): Too many open links (3)
where errors are exceptions: false
  Warning: mysqli::__construct(): Too many open links (3)
an object: object mysqli
  Warning: mysqli::real_connect(): Too many open links (3)
mysqli_init: [false, 0, null]
-- an idle one counts, and can be had
  Warning: mysqli_connect(): Too many open links (3)
a plain link: false
true
["1"]

  exit code 0
=== a query that is stopped at the limit
true | ["1"]
  Warning: mysqli_connect(): Too many open links (1)
false

  exit code 0
=== none at all
  Warning: mysqli_connect(): Too many open links (0)
mysqli: false
PDO: thrown PDOException(2002) ["HY000", 2002, "Too many open links (0): this machine may have no more to one server (vaquita.host_max_links)"]: SQLSTATE[HY000] [2002] Too many open links (0): this machine may have no more to one server (vaquita.host_max_links)

  exit code 0
=== any number
true

  exit code 0
=== one server by another name
true

  exit code 0
=== where links can not be counted
2 | "100600"
  Warning: mysqli_connect(): (HY000/2002): Links can't be counted, as vaquita.host_max_links asks: FOLDER/missing/LINKS: No such file or directory. vaquita.run_dir must be a folder where this user may make files
mysqli: false
2002
mysqli: thrown mysqli_sql_exception(2002) [HY000]: Links can't be counted, as vaquita.host_max_links asks: FOLDER/missing/LINKS: No such file or directory. vaquita.run_dir must be a folder where this user may make files
PDO: SQLSTATE[HY000] [2002] Links can't be counted, as vaquita.host_max_links asks: FOLDER/missing/LINKS: No such file or directory. vaquita.run_dir must be a folder where this user may make files

  exit code 0
  Warning: mysqli_connect(): (HY000/2002): Links can't be counted, as vaquita.host_max_links asks: relative: it is no absolute path. vaquita.run_dir must be a folder where this user may make files
mysqli: false
2002
mysqli: thrown mysqli_sql_exception(2002) [HY000]: Links can't be counted, as vaquita.host_max_links asks: relative: it is no absolute path. vaquita.run_dir must be a folder where this user may make files
PDO: SQLSTATE[HY000] [2002] Links can't be counted, as vaquita.host_max_links asks: relative: it is no absolute path. vaquita.run_dir must be a folder where this user may make files

  exit code 0
PDO: SQLSTATE[HY000] [2002] Links can't be counted, as vaquita.host_max_links asks: FOLDER/linked/LINKS: it is a symbolic link. vaquita.run_dir must be a folder where this user may make files

  exit code 0
PDO: SQLSTATE[HY000] [2002] Links can't be counted, as vaquita.host_max_links asks: FOLDER/run/LINKS: its mode is 644, not 600. vaquita.run_dir must be a folder where this user may make files

  exit code 0
PDO: SQLSTATE[HY000] [2002] Links can't be counted, as vaquita.host_max_links asks: FOLDER/run/LINKS: it is damaged; remove it while PHP is stopped. vaquita.run_dir must be a folder where this user may make files

  exit code 0
true

  exit code 0
=== settings

Warning: PHP Startup: vaquita.host_max_links stays -1: it must be a whole number, 0 or more, or -1 for no limit, not many in Unknown on line 0
"-1"

  exit code 0

Warning: PHP Startup: vaquita.host_max_links stays -1: it must be a whole number, 0 or more, or -1 for no limit, not -2 in Unknown on line 0
"-1"

  exit code 0

Warning: PHP Startup: vaquita.host_max_links stays -1: it must be a whole number, 0 or more, or -1 for no limit, not empty in Unknown on line 0
"-1"

  exit code 0

Warning: PHP Startup: vaquita.host_max_links stays -1: it must be a whole number, 0 or more, or -1 for no limit, not 2.5 in Unknown on line 0
"-1"

  exit code 0

Warning: PHP Startup: vaquita.host_max_links stays -1: it must be a whole number, 0 or more, or -1 for no limit, not 0x in Unknown on line 0
"-1"

  exit code 0
"-1" | "" | false | false
