<?php
/*
 * Does tries, as main.php's processes: for each line of input, its number and whether the server will be killed, answers with a line of JSON.
 *
 *     php worker.php SERVER SEED ONLY SPOIL
 */

declare(strict_types=1);

error_reporting(E_ALL);
// What is warned of by nobody else is a fault; it is told on stderr.
ini_set('display_errors', 'stderr');
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);

require __DIR__ . '/../differential/dice.php';
require __DIR__ . '/../reconcile/place.php';
foreach (['plan', 'relay', 'trial', 'pdo_acts', 'kv_acts', 'port_acts', 'first_acts', 'acts', 'spoiler'] as $file) {
    require __DIR__ . "/$file.php";
}

[, $server, $seed, $only, $spoil] = $argv;
$place = new Place($server);
$relays = new Relays($place);
$link = $spoil === '1' ? new mysqli('localhost', $place->of('USER'), $place->of('PASSWORD'), Trial::DATABASE, 0, $place->of('SOCKET')) : null;
while (($line = fgets(STDIN)) !== false) {
    [$number, $is_kill] = array_map(intval(...), explode(' ', trim($line)));
    $spoiler = $link === null ? null : new Spoiler($link);
    $trial = new Trial($place, new Plan($place, (int) $seed, $number, $is_kill === 1, $only === '' ? null : $only, $spoiler !== null), $spoiler, $relays);
    $has_cut = $trial->run();
    $record = ['number' => $number, 'has_cut' => $has_cut, 'spoilt' => $spoiler?->done];
    foreach (['told', 'together', 'errors', 'wrong', 'longest', 'by_port'] as $name) {
        $record[$name] = $trial->$name;
    }
    unset($trial);
    fwrite(STDOUT, json_encode($record, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_FORCE_OBJECT) . "\n");
}
