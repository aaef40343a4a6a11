--TEST--
Loops over rows with opcache and its JIT see and keep what they do without
--SKIPIF--
<?php
if (!extension_loaded('Zend OPcache')) {
    echo 'skip opcache is not installed';
}
?>
--FILE--
<?php
// servers: mariadb
require 'support/prelude.php';
$script = <<<'PHP'
require 'support/row_loops.php';
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (id INT, name VARCHAR(90), price DOUBLE)');
$db->query('INSERT INTO t VALUES ' . implode(', ', array_map(fn($i) => "($i * $i * 37, " . ($i % 5 ? "'" . str_repeat('n', $i % 60) . "'" : 'NULL') . ", $i / 8)", range(1, 120))));
$all = '';
for ($seed = 0; $seed < 400; $seed++) {
    $all .= loop_rows($db, 'SELECT * FROM t', $seed);
}
final class Counted {
    public static int $alive = 0;
    public function __construct() { self::$alive++; }
    public function __destruct() { self::$alive--; }
}
/** A function that a compiler knows to return an array of nobody else's: what is written into it must not come back in another row. */
function write_into_rows(mysqli $db): string
{
    $result = $db->query('SELECT name, id FROM t');
    $all = '';
    for ($i = 0; $i < 100; $i++) {
        $row = mysqli_fetch_assoc($result);
        $row['id'] = new Counted;
        $all .= $row['name'] . Counted::$alive;
    }
    return $all;
}
for ($i = 0; $i < 50; $i++) {
    $all .= write_into_rows($db);
}
show(md5($all), Counted::$alive);
show(function_exists('opcache_get_status') && opcache_get_status(false) ? opcache_get_status(false)['jit']['on'] ?? false : null);
PHP;
ob_start();
child($script);
$expected = strtok(ob_get_clean(), '|');
echo strlen($expected), "\n";
foreach ([['0', '0'], ['tracing', '2'], ['function', '2']] as [$jit, $hot]) {
    ob_start();
    child($script, ['opcache.enable_cli' => '1', 'opcache.jit' => $jit, 'opcache.jit_buffer_size' => $jit ? '32M' : '0', 'opcache.jit_hot_func' => $hot, 'opcache.jit_hot_loop' => $hot]);
    $printed = ob_get_clean();
    echo "$jit: ", str_replace($expected, 'the same', $printed);
}
?>
--EXPECT--
35
0: the same| 0
false

  exit code 0
tracing: the same| 0
true

  exit code 0
function: the same| 0
true

  exit code 0
