--TEST--
A trace is its process's own: a child that a script forks repeats nothing of its parent's, and a script that closes its standard error has no trace in its connections
--FILE--
<?php
// servers: mysql80
require 'support/prelude.php';
require 'support/trace.php';

$folder = sys_get_temp_dir() . '/trace-' . bin2hex(random_bytes(6));
mkdir($folder, 0700);

$fork = '
    $db = connect();
    $db->query("SELECT SLEEP(0.25) AS parents");
    if (($child = pcntl_fork()) === 0) {
        OWN
        exit;
    }
    pcntl_waitpid($child, $status);
    show(pcntl_wexitstatus($status));
';
$own = '$own = connect(); $own->query("SELECT SLEEP(0.25) AS childs"); unset($own);';
foreach (['all' => [], 'slow' => ['vaquita.trace_slow_ms' => '200']] as $what => $settings) {
    foreach (['nothing' => '', 'its own' => $own] as $does => $work) {
        section("$what; the child does $does");
        child(str_replace('OWN', $work, $fork), ['vaquita.trace' => "$folder/fork"] + $settings);
        $lines = trace_lines(file_get_contents("$folder/fork"));
        unlink("$folder/fork");
        $told = array_count_values(array_map(fn($line) => implode(' ', [$line['event'], $line['what'] ?? '', ltrim((string) strrchr($line['sql'] ?? '', ' '))]), $lines));
        // A child that ends says goodbye to its parent's server, as in stock.
        foreach (['first_byte  parents', 'slow statement parents', 'first_byte  childs', 'slow statement childs', 'request  ', 'slow request '] as $event) {
            echo "  $event: ", $told[$event] ?? 0, "\n";
        }
        show(count(array_unique(array_column($lines, 'pid'))) <= 2);
    }
}

section('standard error is closed');
$script = '
    fclose(STDERR);
    $db = connect();
    $other = connect();
    for ($i = 0; $i < 3; $i++) {
        show($db->query("SELECT $i")->fetch_row()[0], $other->query("SELECT $i")->fetch_row()[0]);
    }
    show(Vaquita\trace($other, "stderr"), $other->query("SELECT 4")->fetch_row()[0], $other->query("SELECT 5")->fetch_row()[0]);
';
ob_start();
child($script, ['vaquita.trace' => 'stderr']);
$text = ob_get_clean();
$lines = trace_lines(implode("\n", preg_grep('/^\d{4}-\d\d-\d\dT/', explode("\n", $text))) . "\n");
show(count($lines) > 10, end($lines)['event']);
echo preg_replace('/^\d{4}-\d\d-\d\dT.*\n/m', '', $text);

array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
=== all; the child does nothing
0

  exit code 0
  first_byte  parents: 1
  slow statement parents: 0
  first_byte  childs: 0
  slow statement childs: 0
  request  : 1
  slow request : 0
true
=== all; the child does its own
0

  exit code 0
  first_byte  parents: 1
  slow statement parents: 0
  first_byte  childs: 1
  slow statement childs: 0
  request  : 1
  slow request : 0
true
=== slow; the child does nothing
0

  exit code 0
  first_byte  parents: 1
  slow statement parents: 1
  first_byte  childs: 0
  slow statement childs: 0
  request  : 1
  slow request : 1
true
=== slow; the child does its own
0

  exit code 0
  first_byte  parents: 1
  slow statement parents: 1
  first_byte  childs: 1
  slow statement childs: 1
  request  : 1
  slow request : 1
true
=== standard error is closed
true | "request"
"0" | "0"
"1" | "1"
"2" | "2"
  Warning: Vaquita\trace(): stderr can't be opened for a trace: Bad file descriptor
false | "4" | "5"

  exit code 0
