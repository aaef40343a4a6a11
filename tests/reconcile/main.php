<?php
/*
 * scripts/reconcile's own program: one server, which nobody else uses.
 *
 *     --server NAME       which, of those in the environment
 *     --steps N           how many (1500)
 *     --seed N            which ones (1)
 *     --batch N           after how many of them the books are balanced (100); 1 tells which step does not add up
 *     --only TEXT         only steps whose names contain this
 *     --loop N            how often the procedure loops that is run last (1000000)
 *     --spoil 1           alters each figure, and fails where that is not noticed
 */

declare(strict_types=1);

error_reporting(E_ALL);
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);

require __DIR__ . '/../differential/dice.php';
foreach (['place', 'plan', 'world', 'observer', 'driver', 'differences', 'accounts', 'books', 'report'] as $file) {
    require __DIR__ . "/$file.php";
}

/** Does what has to fail. */
function failing(Closure $work): void
{
    try {
        $work();
    } catch (mysqli_sql_exception | PDOException) {
        return;
    }
    throw new Exception('what had to fail did not');
}

/** What the driver may send by itself, as its source has it. @return list<string> */
function own_names(): array
{
    preg_match_all('/^    \w+ = "(.+)",$/m', file_get_contents(__DIR__ . '/../../crates/client/src/own.rs'), $names);
    return $names[1] !== [] ? $names[1] : throw new Exception('own.rs has no names');
}

/** Calls the procedure that loops; its instructions that have a value to find are queries to the server. */
function loop(World $w, int $times): void
{
    $w->link()->query($w->plan->asks("CALL many($times)"));
    $w->plan->note('inside Com_do', $times);
    // DECLARE and WHILE, and for each turn SET, DO and WHILE.
    $w->plan->note('instructions of procedures', 2 + 3 * $times);
}

$options = ['server' => null, 'steps' => '1500', 'seed' => '1', 'batch' => '100', 'only' => '', 'loop' => '1000000', 'spoil' => '0'];
for ($i = 1; $i < $argc; $i += 2) {
    $name = substr($argv[$i], 2);
    array_key_exists($name, $options) && isset($argv[$i + 1]) || exit("what is $argv[$i]? See main.php\n");
    $options[$name] = $argv[$i + 1];
}
$options['server'] !== null || exit("which --server?\n");

$steps = array_merge(...array_map(fn(string $file) => require __DIR__ . "/steps/$file.php", ['queries', 'prepared', 'connections', 'pdo', 'vaquita']));
$steps = array_filter($steps, fn(string $name) => $options['only'] === '' || str_contains($name, $options['only']), ARRAY_FILTER_USE_KEY);
$steps !== [] || exit("no step is called {$options['only']}\n");

$place = new Place($options['server']);
$world = new World($place, new Dice((int) $options['seed']));
$observer = $world->observer;
$differences = new Differences($place);
$books = new Books($observer, new Driver($observer), $world->plan, new Accounts($differences));
$report = new Report($place, $observer, $books, $differences);

// Each at least once, however few there are to be; then whatever comes.
$names = $world->dice->shuffled(array_keys($steps));
$count = max(count($names), (int) $options['steps']);
$batch = [];
for ($number = 1; $number <= $count; $number++) {
    $batch[] = $name = $names[$number - 1] ?? $world->dice->any(array_keys($steps));
    $steps[$name]($world);
    $world->settle();
    if (count($batch) >= (int) $options['batch'] || $number === $count) {
        $world->quiet();
        $report->batch($number, $batch, $books->balance());
        $batch = [];
        if ($number < $count) {
            $world->unquiet();
        }
    }
}
$report->steps($count, count($steps), (int) $options['seed']);
if ($options['loop'] !== '0') {
    $report->loop($world, (int) $options['loop']);
}
exit($report->end(own_names()) ? 0 : 1);
