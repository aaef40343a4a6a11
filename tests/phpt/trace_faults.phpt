--TEST--
A trace never breaks a query: a place that can't be written to, a disk that is full, a process that is killed; and only what was slow is written if that is wanted
--FILE--
<?php
// servers: mysql80
require 'support/prelude.php';
require 'support/trace.php';

$folder = sys_get_temp_dir() . '/trace-' . bin2hex(random_bytes(6));
mkdir($folder, 0700);
const QUERIES = '$db = connect(); for ($i = 0; $i < 50; $i++) { $db->query("SELECT $i")->fetch_row()[0] === "$i" || show("wrong"); } show("done");';

section('no place for it');
foreach (["$folder/none/x" => 'no folder', $folder => 'a folder', '/dev/full' => 'a device'] as $place => $what) {
    ob_start();
    child(QUERIES, ['vaquita.trace' => $place]);
    show($what, str_replace($folder, 'FOLDER', trim(ob_get_clean())));
}
child('show(ini_get("vaquita.trace"));', ['vaquita.trace' => 'relative', 'display_startup_errors' => '0']);
child(QUERIES, ['vaquita.trace' => 'stderr', 'vaquita.trace_slow_ms' => '60000']);

section('a full disk');
// A limit for files, behind which writing fails, as on a full disk.
$script = "$folder/script.php";
file_put_contents($script, "<?php require 'support/prelude.php';\n" . QUERIES . '$db->query("SELECT 1"); unset($db);');
$limited = 'trap "" XFSZ; ulimit -f 4; exec "$@"';
$command = ['sh', '-c', $limited, 'sh', PHP_BINARY, '-d', 'vaquita.trace=' . "$folder/full", '-d', 'include_path=' . get_include_path(), '-d', 'display_errors=1', '-d', 'log_errors=0', '-d', 'html_errors=0', $script];
$process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
show(str_replace($folder, 'FOLDER', trim(stream_get_contents($pipes[1]))));
show(proc_close($process));
$text = file_get_contents("$folder/full");
show(strlen($text), str_ends_with($text, "\n"));
// It goes on behind what was cut, on a line of its own.
child(QUERIES, ['vaquita.trace' => "$folder/full"]);
$lines = explode("\n", rtrim(file_get_contents("$folder/full")));
$odd = array_values(preg_grep(TRACE_LINE, $lines, PREG_GREP_INVERT));
show(count($odd) <= 1, count($lines) > 60);

section('killed at any moment');
for ($turn = 0; $turn < 20; $turn++) {
    $killed = proc_open([PHP_BINARY, '-d', "vaquita.trace=$folder/killed", '-d', 'include_path=' . get_include_path(), '-r', 'require "support/prelude.php"; $db = connect(); for (;;) { $db->query("SELECT " . implode(" + ", array_fill(0, 400, "1"))); }'], [1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']], $pipes);
    while ((is_file("$folder/killed") ? filesize("$folder/killed") : 0) < 2000 * ($turn + 1)) {
        clearstatcache();
        proc_get_status($killed)['running'] || exit('it has ended');
    }
    proc_terminate($killed, 9);
    proc_close($killed);
    clearstatcache();
}
$text = file_get_contents("$folder/killed");
show(str_ends_with($text, "\n"), count(trace_lines($text)) > 40);

section('only what was slow');
child('
    $db = connect();
    $db->query("SELECT \'fast one\'");
    $db->query("SELECT SLEEP(0.3) AS slow");
    $db->query("SELECT \'fast two\'");
', ['vaquita.trace' => "$folder/slow", 'vaquita.trace_slow_ms' => '200']);
$text = file_get_contents("$folder/slow");
show_trace($text, 'first_byte', 'slow', 'request');
child('$db = connect(); $db->query("SELECT \'all is fast\'");', ['vaquita.trace' => "$folder/fast", 'vaquita.trace_slow_ms' => '20000']);
show(file_get_contents("$folder/fast"));

section('a fork');
child('
    $db = connect();
    $db->query("SELECT 1");
    if (($child = pcntl_fork()) === 0) {
        $own = connect();
        $own->query("SELECT 2");
        $own->close();
        posix_kill(posix_getpid(), SIGKILL);
    }
    pcntl_waitpid($child, $status);
    $db->query("SELECT 3");
', ['vaquita.trace' => "$folder/fork"]);
$lines = trace_lines(file_get_contents("$folder/fork"));
show(array_values(array_unique(array_count_values(array_column($lines, 'pid')))) > [1], count(array_unique(array_column($lines, 'pid'))));

array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
=== no place for it
"no folder" | "\"done\"\n  Warning: vaquita.trace: nothing is traced, FOLDER/none/x: No such file or directory\n\n  exit code 0"
"a folder" | "\"done\"\n  Warning: vaquita.trace: nothing is traced, FOLDER: it is no regular file\n\n  exit code 0"
"a device" | "\"done\"\n  Warning: vaquita.trace: nothing is traced, /dev/full: it is no regular file\n\n  exit code 0"
PHP Warning:  PHP Startup: vaquita.trace stays off: it must be off, stderr or the path of a file, from the root, not relative in Unknown on line 0
"off"

  exit code 0
"done"

  exit code 0
=== a full disk
"\"done\"\n  Warning: Vaquita: lines of a trace are lost: FOLDER/full: No space left on device"
0
2048 | false
"done"

  exit code 0
true | true
=== killed at any moment
true | true
=== only what was slow

  exit code 0
  first_byte query SELECT ?
  first_byte query SELECT SLEEP(?) AS slow
  slow query SELECT SLEEP(?) AS slow
  first_byte query SELECT ?
  request
  slow

  exit code 0
""
=== a fork

  exit code 0
true | 2
