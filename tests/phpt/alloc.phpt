--TEST--
vaquita alloc counts the same calls of malloc, calloc and realloc as another counter, and every emalloc, and PHP does not notice
--FILE--
<?php
// places: mariadb-unix mysql80-tcp
// seconds: 120
require 'support/prelude.php';
connect(); // so that the server knows the user, who logs in the same way each time from now on
$vaquita = dirname(getenv('VAQUITA_SO')) . '/vaquita';
$folder = sys_get_temp_dir() . '/vaquita-alloc-' . getmypid();
mkdir($folder);
$sources = getenv('VAQUITA_TESTS') . '/support';
exec("gcc -Wall -Wextra -Werror -shared -fPIC -o $folder/counter.so $sources/malloc_counter.c", $said, $code);
$code === 0 || throw new Exception('gcc failed');

/**
 * Runs a command with a script, in a PHP without modules that are not needed: libxml2 fills hash tables when it starts, which it seeds by the clock, and so allocates now more, now less.
 * Nor are there statistics, which note a statement that took a millisecond.
 *
 * @return string what it printed
 */
function run(array $command, string $script, array $environment = []): string
{
    global $folder;
    file_put_contents("$folder/script.php", "<?php require 'support/prelude.php';\n$script");
    $words = [...$command, getenv('VAQUITA_PHP'), '-n'];
    $settings = ['extension=pdo.so', 'extension=' . getenv('VAQUITA_SO'), 'include_path=' . get_include_path(), 'log_errors=0', 'mysqlnd.collect_statistics=0', 'display_errors=1', 'html_errors=0'];
    foreach ($settings as $setting) {
        array_push($words, '-d', $setting);
    }
    $words[] = "$folder/script.php";
    $process = proc_open($words, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, $environment + getenv());
    $output = str_replace("$folder/script.php", 'SCRIPT', stream_get_contents($pipes[1]));
    $code = proc_close($process);
    return rtrim($output) . ($code === 0 ? '' : ", exit code $code");
}

/** What `vaquita alloc` counts, in lines: function, least bytes, calls, bytes and caller. */
function counted(string $script, string ...$options): array
{
    global $vaquita, $folder, $output;
    $output = run([$vaquita, 'alloc', '--lines', '--output', "$folder/lines", ...$options, '--'], $script);
    return array_map(fn(string $line) => array_slice(explode("\t", $line), 1), file("$folder/lines", FILE_IGNORE_NEW_LINES));
}

/** The calls of these functions. */
function calls(array $lines, string ...$functions): int
{
    return array_sum(array_column(array_filter($lines, fn(array $line) => in_array($line[0], $functions, true)), 2));
}

section('three rows');
$ways = [
    'mysqli' => '$rows = connect()->query($sql)->fetch_all(MYSQLI_ASSOC);',
    'execute' => '$db = connect(); $s = $db->prepare($sql); $s->execute(); $rows = $s->get_result()->fetch_all(MYSQLI_ASSOC);',
    'PDO' => '$rows = connect_pdo()->query($sql)->fetchAll(PDO::FETCH_ASSOC);',
];
foreach ($ways as $name => $way) {
    $script = '$sql = "SELECT 1 AS id, \'tea\' AS name UNION SELECT 2, \'rusk\' UNION SELECT 3, NULL";' . "\n$way\necho count(\$rows);";
    $plain = run([], $script, ['LD_PRELOAD' => "$folder/counter.so", 'MALLOC_COUNTER' => "$folder/counter"]);
    $theirs = trim(file_get_contents("$folder/counter"));
    foreach ([[], ['--frames', '3'], ['--without-zend']] as $options) {
        $lines = counted($script, ...$options);
        $ours = implode(' ', array_map(fn($function) => calls($lines, $function), ['malloc', 'calloc', 'realloc']));
        show($name, $plain, $output, $ours === $theirs ?: [$ours, $theirs], calls($lines, 'malloc') > 10_000, calls($lines, 'emalloc') > 300);
    }
}

section('the allocator of PHP');
$lines = counted('umask(0701); for ($i = 0; $i < 100; $i++) { $kept[] = str_repeat("x", 5000); } umask(0700); echo "done";', '--marks');
$lines = array_filter($lines, fn(array $line) => $line[0] === 'emalloc' && $line[1] === '4096');
show($output, array_sum(array_column($lines, 2)), array_sum(array_column($lines, 3)), preg_match('/^php/', array_column($lines, 4)[0]));
$lines = counted('$db = connect(); $result = $db->query("SELECT REPEAT(\'x\', 300)"); umask(0701); $row = $result->fetch_row(); umask(0700); echo strlen($row[0]);', '--marks');
$ours = array_filter($lines, fn(array $line) => $line[0] === 'emalloc' && preg_match('/^vaquita\.so vaquita::/', $line[4]));
show($output, array_sum(array_column(array_filter($ours, fn(array $line) => $line[1] === '256'), 2)));

section('as without it');
$script = 'ini_set("memory_limit", "16M"); try { for (;;) { $kept[] = str_repeat("x", 100_000); } } finally { echo "!"; }';
$plain = run([], $script);
show(preg_replace('/ \(tried.*\)/', '', $plain), run([$vaquita, 'alloc', '--output', '/dev/null', '--'], $script) === $plain);
$script = '$p = memory_get_usage(); $x = str_repeat("x", 1_000_000); echo intdiv(memory_get_usage() - $p, 1000), " ", count(gc_status()) > 3, gc_mem_caches() >= 0;';
$plain = run([], $script);
show($plain, run([$vaquita, 'alloc', '--output', '/dev/null', '--'], $script) === $plain);

section('in words');
$report = run([$vaquita, 'alloc', '--top', '1', '--'], 'echo "said\n";', ['USE_ZEND_ALLOC' => '0']);
show(str_starts_with($report, "said\n"), str_contains($report, "ended with exit code 0\n"), (bool) preg_match('/PHP\'s own allocator was turned off \(USE_ZEND_ALLOC=0\): .*$/', $report));
$report = run([$vaquita, 'alloc', '--by', 'size', '--'], 'exit(9);');
show((bool) preg_match('/--- PHP\'s own allocator: emalloc and its family, erealloc\n[\d,]+ calls for [\d,]+ bytes; [\d,]+ calls of efree\n/', $report), preg_match('/, exit code \d+$/', $report, $match) ? $match[0] : null);
array_map('unlink', glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
=== three rows
"mysqli" | "3" | "3" | true | true | true
"mysqli" | "3" | "3" | true | true | true
"mysqli" | "3" | "3" | true | true | false
"execute" | "3" | "3" | true | true | true
"execute" | "3" | "3" | true | true | true
"execute" | "3" | "3" | true | true | false
"PDO" | "3" | "3" | true | true | true
"PDO" | "3" | "3" | true | true | true
"PDO" | "3" | "3" | true | true | false
=== the allocator of PHP
"done" | 100 | 503200 | 1
"300" | 1
=== as without it
"\nFatal error: Allowed memory size of 16777216 bytes exhausted in SCRIPT on line 2, exit code 255" | true
"1003 11" | true
=== in words
true | true | true
true | ", exit code 9"
