--TEST--
The files in stubs/ declare what the extension has, all of it, with a comment each, and nothing else
--FILE--
<?php
// servers: any
require 'support/prelude.php';
/** What a PHP says, with these arguments. */
function declarations(array $environment, string ...$arguments): array
{
    $command = [PHP_BINARY, ...$arguments];
    $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, $environment);
    $output = stream_get_contents($pipes[1]);
    proc_close($process);
    return json_decode($output, true) ?? exit("$output\n");
}
$folder = getenv('VAQUITA_TESTS');
$script = "$folder/support/declarations.php";
$stubs = ["$folder/../stubs/vaquita.php", "$folder/../stubs/mysqlnd_memcache.php"];
$ours = declarations(getenv(), $script);
$theirs = declarations(array_diff_key(getenv(), ['PHP_INI_SCAN_DIR' => 1]), '-n', $script, ...$stubs);
foreach ($ours as $name => $source) {
    $stub = $theirs[$name] ?? null;
    if ($stub === null) {
        echo "stubs/ lacks the $name; write, with a comment:\n    $source\n";
    } elseif (str_ends_with($stub, ' (no comment)')) {
        echo "stubs/ has no comment for the $name\n";
    } elseif ($stub !== $source) {
        echo "stubs/ has another $name:\n    $stub\nthe extension has\n    $source\n";
    }
}
foreach (array_diff_key($theirs, $ours) as $name => $source) {
    echo "stubs/ has the $name, which the extension has not\n";
}
echo count($ours) > 30 && isset($ours['function Vaquita\rows'], $ours['method Vaquita\Row::toArray()'], $ours['function mysqlnd_memcache_set'], $ours['constant MYSQLND_MEMCACHE_VERSION']) ? "compared\n" : "found only " . count($ours) . "\n";
$package = json_decode(file_get_contents("$folder/../stubs/composer.json"), true, flags: JSON_THROW_ON_ERROR);
show($package['name'], is_file(dirname($stubs[0]) . '/' . $package['extra']['phpstan']['includes'][0]));
?>
--EXPECT--
compared
"vaquita/stubs" | true
