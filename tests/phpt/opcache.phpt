--TEST--
With opcache, and its JIT, results are the same
--SKIPIF--
<?php
if (!extension_loaded('Zend OPcache')) {
    echo 'skip opcache is not installed';
}
?>
--FILE--
<?php
require 'support/prelude.php';
$script = <<<'PHP'
class Row { public int $n; public ?string $s; public function __construct(public string $extra = 'x') {} }
final class Repository {
    public function __construct(private mysqli $db) {}
    public function all(int $mode): array {
        $rows = [];
        foreach ($this->db->query('SELECT n, s FROM t ORDER BY n', $mode) as $row) { $rows[] = $row['n'] + strlen((string) $row['s']); }
        $result = $this->db->query('SELECT n, s FROM t ORDER BY n', $mode);
        while ($row = $result->fetch_object(Row::class, ['y'])) { $rows[] = $row->n . $row->extra; }
        $result->free();
        while (0) {}
        $result = $this->db->query('SELECT n, s FROM t ORDER BY n', $mode);
        while (($value = $result->fetch_column(1)) !== false) { $rows[] = $value; }
        $result->free();
        return array_merge($rows, ...$this->db->query('SELECT n, s FROM t ORDER BY n', $mode)->fetch_all(MYSQLI_NUM));
    }
}
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (n INT, s VARCHAR(20))');
$db->query('INSERT INTO t VALUES ' . implode(', ', array_map(fn($i) => "($i, " . ($i % 7 ? "'s$i'" : 'NULL') . ')', range(1, 300))));
$repository = new Repository($db);
$digests = [];
for ($i = 0; $i < 30; $i++) {
    $digests[md5(serialize($repository->all($i % 2)))] = true;
    try { $db->query('nonsense'); } catch (mysqli_sql_exception $e) { $digests[$e->getCode()] = true; }
}
show(array_keys($digests));
show(function_exists('opcache_get_status') && opcache_get_status(false) ? [opcache_get_status(false)['opcache_enabled'], opcache_get_status(false)['jit']['on'] ?? false] : null);
PHP;
child($script);
child($script, ['opcache.enable_cli' => '1', 'opcache.jit' => '0', 'opcache.jit_buffer_size' => '0']);
child($script, ['opcache.enable_cli' => '1', 'opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '32M', 'opcache.jit_hot_func' => '2', 'opcache.jit_hot_loop' => '2']);
child($script, ['opcache.enable_cli' => '1', 'opcache.jit' => 'function', 'opcache.jit_buffer_size' => '32M']);
?>
--EXPECT--
["4ef7d5a5638459ee79151d53fb06892f", 1064]
null

  exit code 0
["4ef7d5a5638459ee79151d53fb06892f", 1064]
[true, false]

  exit code 0
["4ef7d5a5638459ee79151d53fb06892f", 1064]
[true, true]

  exit code 0
["4ef7d5a5638459ee79151d53fb06892f", 1064]
[true, true]

  exit code 0
