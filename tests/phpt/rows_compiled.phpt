--TEST--
Vaquita\rows with opcache, its JIT and preloading, and in a PHP without PDO
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
final class Report {
    public function __construct(private Vaquita\Rows $rows) {}
    public function sum(): array {
        $sums = [0, 0, 0, 0];
        foreach ($this->rows as $number => $row) {
            $sums[0] += $row['n'] + $number;
            $sums[1] += strlen($row['s'] ?? 'none');
            $sums[2] += isset($row['s']) + empty($row['n']) + count($row);
            foreach ($row as $name => $value) { $sums[3] += strlen($name . $value); }
        }
        for ($i = 0; $i < count($this->rows); $i++) { $sums[0] += $this->rows[$i]['n']; $sums[1] += isset($this->rows[$i + 1]); }
        ['n' => $n] = $this->rows[7];
        return [...$sums, $n, $this->rows[999] ?? 'none', array_sum($this->rows->column('n'))];
    }
    public function change(): string {
        try { $row = $this->rows[0]; $row['n'] = 5; } catch (Error $e) { return $e->getMessage(); }
    }
    public function miss(): mixed { return $this->rows[999] . $this->rows[0]['none']; }
}
set_error_handler(fn(int $level, string $message) => throw new ErrorException($message));
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (n INT, s VARCHAR(20))');
$db->query('INSERT INTO t VALUES ' . implode(', ', array_map(fn($i) => "($i, " . ($i % 7 ? "'s$i'" : 'NULL') . ')', range(0, 299))));
$report = new Report(Vaquita\rows($db->query('SELECT n, s FROM t ORDER BY n')));
$all = [];
for ($i = 0; $i < 50; $i++) {
    $all[json_encode($report->sum())] = $all[$report->change()] = true;
    try { $report->miss(); } catch (ErrorException $e) { $all[$e->getMessage()] = true; }
}
show(array_keys($all));
show(function_exists('opcache_get_status') && opcache_get_status(false) ? opcache_get_status(false)['jit']['on'] ?? false : null);
PHP;
child($script);
child($script, ['opcache.enable_cli' => '1', 'opcache.jit' => '0', 'opcache.jit_buffer_size' => '0']);
child($script, ['opcache.enable_cli' => '1', 'opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '32M', 'opcache.jit_hot_func' => '2', 'opcache.jit_hot_loop' => '2']);
child($script, ['opcache.enable_cli' => '1', 'opcache.jit' => 'function', 'opcache.jit_buffer_size' => '32M']);

section('preloaded');
$preloaded = tempnam(sys_get_temp_dir(), 'vaquita');
file_put_contents($preloaded, '<?php class Users { public ?Vaquita\Rows $rows = null; public function name(Vaquita\Row $row): string { return $row["name"]; } public function first(): ?Vaquita\Row { return $this->rows[0] ?? null; } }');
child('$users = new Users; show($users->first()); $users->rows = Vaquita\rows(connect()->query("SELECT 5 AS name")); show($users->name($users->first()));', ['opcache.enable_cli' => '1', 'opcache.preload' => $preloaded, 'opcache.preload_user' => posix_getpwuid(posix_geteuid())['name']]);
unlink($preloaded);

section('without PDO');
$environment = array_diff_key(getenv(), ['PHP_INI_SCAN_DIR' => 1]);
$code = 'require "support/prelude.php"; class PDOStatement { public $a = 1; } var_dump(extension_loaded("pdo")); show(Vaquita\rows(connect()->query("SELECT 5 AS n"))[0]["n"]); attempt("a class by that name", fn() => Vaquita\rows(new PDOStatement));';
$process = proc_open([PHP_BINARY, '-n', '-d', 'include_path=' . get_include_path(), '-d', 'extension=' . getenv('VAQUITA_SO'), '-r', $code], [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, $environment);
echo stream_get_contents($pipes[1]);
echo 'exit code ', proc_close($process), "\n";
?>
--EXPECT--
["Vaquita\\Row can't be changed; toArray() gives an array that can", "[134550,1406,858,2325,\"7\",\"none\",44850]", "Undefined array key 999"]
null

  exit code 0
["Vaquita\\Row can't be changed; toArray() gives an array that can", "[134550,1406,858,2325,\"7\",\"none\",44850]", "Undefined array key 999"]
false

  exit code 0
["Vaquita\\Row can't be changed; toArray() gives an array that can", "[134550,1406,858,2325,\"7\",\"none\",44850]", "Undefined array key 999"]
true

  exit code 0
["Vaquita\\Row can't be changed; toArray() gives an array that can", "[134550,1406,858,2325,\"7\",\"none\",44850]", "Undefined array key 999"]
true

  exit code 0
=== preloaded
null
"5"

  exit code 0
=== without PDO
bool(false)
"5"
a class by that name: thrown TypeError(0): Vaquita\rows(): Argument #1 ($result) must be of type mysqli_result|PDOStatement, PDOStatement given
exit code 0
