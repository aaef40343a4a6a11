<?php
/*
 * scripts/kv-equivalence's own program: one server.
 *
 *     --server NAME       which, of those in the environment
 *     --statements N      how many (10000)
 *     --seed N            which ones (1)
 *     --round N           only the round of that number, which a difference is printed with
 *     --stale N           vaquita.kv_max_stale_ms (250)
 *     --shorten N         how many differences are printed with the fewest steps (10)
 *     --dares 0           only containers of types of which the plugin was not seen to crash its server
 *     --spoil 1           alters what comes of steps where the port is used, and fails where that is not noticed
 */

declare(strict_types=1);

error_reporting(E_ALL);
ini_set('memory_limit', '1G');

require __DIR__ . '/../differential/dice.php';
require __DIR__ . '/../runner/text.php';
foreach (['values', 'kinds', 'schema', 'selects', 'changes', 'server', 'side', 'mysqli_side', 'pdo_side', 'round', 'spoiler', 'comparison', 'verdict'] as $file) {
    require __DIR__ . "/$file.php";
}

/** The port is opened for so many rounds at a time, which have their tables in common. */
const ROUNDS_OF_ERA = 5;
const GOOD_TABLES = 12;
const OTHER_TABLES = 14;

$options = ['server' => null, 'statements' => '10000', 'seed' => '1', 'round' => null, 'stale' => '250', 'shorten' => '10', 'dares' => '1', 'spoil' => '0'];
for ($i = 1; $i < $argc; $i += 2) {
    $name = substr($argv[$i], 2);
    array_key_exists($name, $options) && isset($argv[$i + 1]) || exit("what is $argv[$i]? See main.php\n");
    $options[$name] = $argv[$i + 1];
}
$options['server'] !== null || exit("which --server?\n");

$seed = (int) $options['seed'];
$server = new Server($options['server'], (int) $options['stale']);
$comparison = new Comparison($server, (int) $options['shorten']);
$verdict = new Verdict($server, $comparison);
$only = $options['round'] === null ? null : (int) $options['round'];
$spoiler = null;
if ($options['spoil'] === '1') {
    $verdict->see_shortening($seed);
    $spoiler = new Spoiler(new Dice($seed));
    $comparison->spoil($spoiler);
}
Side::hear_notices();
try {
    for ($number = $only ?? 0; $comparison->statements < (int) $options['statements']; $number++) {
        if ($number % ROUNDS_OF_ERA === 0 || !isset($schema)) {
            isset($schema) && $verdict->end_era();
            $schema = new Schema(new Dice($seed * 1_000_003 + intdiv($number, ROUNDS_OF_ERA)), $server->name, $options['dares'] === '1', GOOD_TABLES, OTHER_TABLES);
            $server->make($schema->tables);
            $server->open_port($schema);
            $verdict->begin_era();
        }
        $round = new Round($number, new Dice($seed * 1_000_033 + $number), $schema, $server->name);
        $comparison->play($round, (int) $options['statements'] - $comparison->statements);
        fprintf(STDERR, "%s: %d statements, %d differ\n", $server->name, $comparison->statements, $comparison->different);
        if ($only !== null) {
            break;
        }
    }
    $verdict->end_era();
} catch (mysqli_sql_exception $error) {
    if ($server->lives()) {
        throw $error;
    }
    echo "FAIL $server->name has died in round ", $number ?? '?', ", after:\n  ", implode("\n  ", array_map(Comparison::line(...), $comparison->last)), "\n";
    $verdict->is_dead = true;
} catch (Exception $error) {
    echo "FAIL $server->name, round ", $number ?? '?', ": $error\n";
    $verdict->is_dead = true;
}
exit($verdict->tell($spoiler) ? 0 : 1);
