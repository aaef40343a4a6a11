--TEST--
php -m, --ri, --re and phpinfo() tell of Vaquita; the launcher prints no warnings; docs/settings.md has a row for each setting
--FILE--
<?php
require 'support/prelude.php';
/** The outputs of the launcher, which must not say anything but what it was asked for. */
function launch(string ...$arguments): string
{
    $process = proc_open([...explode(' ', getenv('VAQUITA_PHP')), ...$arguments], [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
    $output = stream_get_contents($pipes[1]);
    do {
        $status = proc_get_status($process);
    } while ($status['running']);
    proc_close($process);
    if ($status['signaled'] || $status['exitcode'] !== 0 || preg_match('/^(PHP )?(Warning|Deprecated|Notice|Fatal error):/m', $output)) {
        echo implode(' ', $arguments), ": ", json_encode($status), substr($output, 0, 500), "\n";
    }
    return $output;
}
show(array_values(array_intersect(explode("\n", launch('-m')), ['mysqlnd', 'mysqli', 'pdo_mysql', 'vaquita'])));
show(str_contains(launch('-v'), 'PHP 8'));
preg_match('/^vaquita$.*?^Vaquita => enabled$.*?^Version => \d+\.\d+\.\d+$.*?^Build => \S.*$.*?^TLS => \S.*$/ms', launch('--ri', 'vaquita'), $found);
show(count($found));
show(str_contains(launch('--ri', 'mysqli'), 'Client API library version => mysqlnd'), str_contains(launch('--ri', 'mysqlnd'), 'mysqlnd => enabled'));
foreach (['vaquita', 'mysqli', 'mysqlnd', 'pdo_mysql'] as $module) {
    show(str_contains(launch('--re', $module), "extension #") && str_contains(launch('--re', $module), $module));
}
show(str_contains(launch('-i'), 'Client API library version => mysqlnd'));
show(launch('-r', 'echo 1;'), launch('-d', 'mysqli.default_port=77', '-r', 'echo ini_get("mysqli.default_port");'));

$settings = array_keys(ini_get_all('vaquita') ?: []);
preg_match_all('/^\| `(vaquita\.\w+)`/m', file_get_contents(getenv('VAQUITA_TESTS') . '/../docs/settings.md'), $rows);
preg_match_all('/^(vaquita\.\w+) => /m', launch('--ri', 'vaquita'), $shown);
sort($settings);
sort($rows[1]);
sort($shown[1]);
show($rows[1] === $settings ?: ['documented' => $rows[1], 'there' => $settings]);
show($shown[1] === $settings ?: ['shown' => $shown[1], 'there' => $settings]);
?>
--EXPECT--
["mysqli", "mysqlnd", "pdo_mysql", "vaquita"]
true
1
true | true
true
true
true
true
true
"1" | "77"
true
true
