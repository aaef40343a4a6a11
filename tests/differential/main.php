<?php
/*
 * tests/differential/run's own program.
 *
 *     --surface NAME   mysqli or pdo (both, one after the other)
 *     --seed N         the first sequence's number (1); a sequence is what its number says, as long as the stub file and this folder don't change
 *     --count N        how many of each surface (300)
 *     --server NAME    on which server (each that is in the environment of mariadb and mysql80, in turns)
 *     --transport NAME unix, or tcp
 *     --shrink N       how many of those that differ are shortened (20)
 *     --print N        only prints the sequences with that number, as scripts
 *     --script FILE    plays the steps of the file, one a line, and prints both outputs
 */

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(fn(int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));

const TESTS = __DIR__ . '/..';
const BATCH = 50;
/** So many sequences should meet each entry of the ledger. */
const MANY = 10_000;

require TESTS . '/runner/processes.php';
require TESTS . '/runner/text.php';
require TESTS . '/runner/test.php';
require __DIR__ . '/dice.php';
require __DIR__ . '/arguments.php';
require __DIR__ . '/mysqli_arguments.php';
require __DIR__ . '/pdo_arguments.php';
require __DIR__ . '/sequence.php';
require __DIR__ . '/mysqli_sequence.php';
require __DIR__ . '/pdo_sequence.php';
require __DIR__ . '/stack.php';
require __DIR__ . '/comparison.php';
require __DIR__ . '/known.php';

const SURFACES = ['mysqli' => [MysqliSequence::class, 'mysqli.stub.php'], 'pdo' => [PdoSequence::class, 'pdo_mysql.stub.php']];

$options = ['surface' => null, 'seed' => '1', 'count' => '300', 'server' => null, 'transport' => 'unix', 'shrink' => '20', 'print' => null, 'script' => null];
for ($i = 1; $i < $argc; $i += 2) {
    $name = substr($argv[$i], 2);
    array_key_exists($name, $options) && isset($argv[$i + 1]) || exit("what is $argv[$i]? See main.php\n");
    $options[$name] = $argv[$i + 1];
}
$surfaces = $options['surface'] !== null ? [$options['surface']] : array_keys(SURFACES);
$sequences = [];
foreach ($surfaces as $surface) {
    [$class, $stub] = SURFACES[$surface];
    $words = [PHP_BINARY, '-n', '-d', 'extension=pdo', __DIR__ . '/catalogue.php', $surface, TESTS . "/../crates/php/stubs/$stub"];
    $catalogue = json_decode(shell_exec(implode(' ', array_map(escapeshellarg(...), $words))), true);
    $sequences[$surface] = fn(int $number) => $class::of($catalogue, $number);
}
if ($options['print'] !== null) {
    foreach ($sequences as $sequence) {
        echo Comparison::script($sequence((int) $options['print']));
    }
    exit;
}
$servers = $options['server'] !== null ? [$options['server']] : array_filter(['mariadb', 'mysql80'], fn(string $server) => (new Place($server, ''))->missing() === null);
$comparisons = [];
foreach ($surfaces as $surface) {
    foreach ($servers as $server) {
        $comparisons[$surface][] = new Comparison($surface, new Place($server, $options['transport']), new Known(__DIR__ . "/$surface.ledger", $server));
    }
}

$queue = new Processes((int) (getenv('VAQUITA_JOBS') ?: 4));
if ($options['script'] !== null) {
    foreach (reset($comparisons) as $comparison) {
        $queue->add(fn() => $comparison->show(file($options['script'], FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES)));
    }
    $queue->run();
    exit;
}

$started = hrtime(true);
$numbers = range((int) $options['seed'], (int) $options['seed'] + (int) $options['count'] - 1);
foreach ($surfaces as $surface) {
    foreach (array_chunk($numbers, BATCH) as $turn => $batch) {
        $comparison = $comparisons[$surface][$turn % count($servers)];
        $queue->add(fn() => $comparison->judge(array_combine($batch, array_map($sequences[$surface], $batch))));
    }
}
$comparisons = array_merge(...array_values($comparisons));
foreach ($comparisons as $comparison) {
    $queue->add(fn() => $comparison->check_ledger());
}
$queue->run();

$shortened = 0;
$passed = $failed = $known = $crashed = 0;
foreach ($comparisons as $comparison) {
    foreach (array_slice($comparison->different, 0, (int) $options['shrink'], true) as $number => $steps) {
        $queue->add(fn() => $comparison->report($number, $steps));
    }
    $queue->run();
    echo $comparison->summary();
    $passed += $comparison->passed;
    $failed += $comparison->failed;
    $known += $comparison->cut()[0];
    $crashed += $comparison->cut()[1];
}
$unused = array_filter(array_reduce($comparisons, fn(array $uses, Comparison $comparison) => $comparison->uses($uses), []), fn(int $uses) => $uses === 0);
if (count($numbers) >= MANY && $unused !== []) {
    echo "not met, though these are many:\n  ", implode("\n  ", array_keys($unused)), "\n";
}
printf("%d sequences took %.1f s\n", count($numbers) * count($surfaces), (hrtime(true) - $started) / 1e9);
echo "skipped: $known sequences were compared until a difference of the ledger, $crashed until stock crashed\n";
echo "$passed passed, $failed failed, ", $known + $crashed, " skipped\n";
exit($failed > 0 || $passed === 0 ? 1 : 0);
