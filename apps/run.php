<?php
/*
 * Uses applications on the stock extensions and on Vaquita, and compares every page, its number of queries and what it logged, in a real browser also the
 * requests that it sent and its console.
 *
 *   php run.php STOCK_PHP VAQUITA_PHP PACKAGES FOLDER [NAME...]
 *
 * PACKAGES is the folder with the applications' unpacked packages, FOLDER where everything is kept that was seen. The server is in the
 * environment (scripts/with-servers mariadb). An application is a file here, which returns what it is made of:
 * packages, folder (in them), masks (of what may differ between two visits), settings(packages, folder), prepare(folder, packages, database), install(site), visit(site),
 * look(site), which uses it in a real browser, fill(browser), for install.php, uncounted: a pattern (of REGEXP) of queries
 * that come another number of times each time, and counts: false if that is true of its pages in a real browser.
 */

declare(strict_types=1);

error_reporting(E_ALL);
date_default_timezone_set('UTC');
set_error_handler(fn(int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));
require 'browser.php';
require 'chromium.php';
require 'site.php';

[, $stock, $vaquita, $packages, $kept] = $argv;
$version = fn(string $php) => shell_exec(escapeshellarg($php) . ' -r ' . escapeshellarg('echo phpversion("vaquita");'));
if ($version($stock) || !$version($vaquita)) {
    throw new Exception('the first PHP is meant as stock, the second one to have Vaquita');
}
$names = array_slice($argv, 5) ?: array_map(fn($path) => basename($path, '.php'), array_diff(glob(__DIR__ . '/*.php'), array_map(fn($name) => __DIR__ . "/$name.php", ['run', 'install', 'browser', 'chromium', 'site'])));
$failed = 0;
foreach ($names as $name) {
    $app = require __DIR__ . "/$name.php";
    do {
        // Not only dates change at midnight: WordPress notes that a draft of yesterday is published today. Both stacks are used on one day.
        $day = date('Y-m-d');
        shell_exec('rm -rf ' . implode(' ', array_map(escapeshellarg(...), [...glob("$kept/$name-*"), ...glob(getenv('VAQUITA_RUN') . "/$name-*")])));
        $seen = [];
        foreach (['stock' => $stock, 'vaquita' => $vaquita] as $stack => $php) {
            $seen[$stack] = seen($app, $php, $packages, "$kept/$name-$stack", "{$name}_app");
        }
    } while (date('Y-m-d') !== $day);
    $pages = count(preg_grep('/^=== /', $seen['stock']));
    $same = $seen['stock'] === $seen['vaquita'];
    $failed += $same ? 0 : 1;
    echo "$name: $pages pages, ", $same ? "the same on both\n" : "which differ: diff $kept/$name-stock.pages $kept/$name-vaquita.pages\n";
    if (!$same) {
        passthru('diff ' . escapeshellarg("$kept/$name-stock.pages") . ' ' . escapeshellarg("$kept/$name-vaquita.pages") . ' | cut -c 1-400 | head -60');
    }
}
echo "What was seen is kept: pages $kept/*.pages, the browser's pictures $kept/*.screens\n";
echo count($names) - $failed, " passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);

/**
 * Uses an application on one stack.
 *
 * @return list<string> the lines of what was seen, which are kept too
 */
function seen(array $app, string $php, string $packages, string $folder, string $database): array
{
    $site = Site::of($app, $php, $packages, $folder, $database);
    try {
        isset($app['install']) && $app['install']($site);
        $app['visit']($site);
        $app['look']($site);
    } finally {
        $site->close();
        file_put_contents("$folder.pages", implode("\n", $site->seen()) . "\n");
    }
    return $site->seen();
}
