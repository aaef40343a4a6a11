<?php
/*
 * tests/run's own program: finds the tests, runs some at once, prints what failed and counts.
 *
 * A test is a script with a way to run and judge it (the files beside this one), on one server over one transport. A script
 * says where it runs, and how, in lines like `// servers: mariadb mysql80`, `// transports: tcp unix`, `// ini: name=value`, and
 * `// without mysql97: REASON`; or, in the place of the first two or besides, `// places: mariadb-tcp mysql80-unix`, where not every server
 * needs or has every transport: each place costs its time. `// servers: any` is for one that talks to a server of its own.
 * It has a database of its own, fresh for each run.
 */

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(fn(int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));

require __DIR__ . '/processes.php';
require __DIR__ . '/text.php';
require __DIR__ . '/test.php';
require __DIR__ . '/parity.php';
require __DIR__ . '/phpt.php';
require __DIR__ . '/program.php';

const TESTS = __DIR__ . '/..';

/** @return list<Test> */
function all_tests(Ledger $ledger): array
{
    $tests = [];
    foreach (glob(TESTS . '/parity/*.php') as $path) {
        foreach (Place::all_of(file_get_contents($path)) as $place) {
            $tests[] = new Parity($path, $place, $ledger);
        }
    }
    foreach (glob(TESTS . '/phpt/*.phpt') as $path) {
        foreach (Place::all_of(file_get_contents($path)) as $place) {
            $tests[] = new Phpt($path, $place);
        }
    }
    foreach (['reflection', 'loading', 'hostile', 'judge', 'differential/check', 'differential/run', 'kv_equivalence/check', 'reconcile/check', 'faults/check'] as $name) {
        if (is_executable(TESTS . "/$name")) {
            $tests[] = new Program($name);
        }
    }
    return $tests;
}

$arguments = array_slice($argv, 1);
$list = in_array('--list', $arguments, true);
$show = in_array('--show', $arguments, true);
$whole = in_array('--whole', $arguments, true);
$times = in_array('--times', $arguments, true);
$names = array_values(array_diff($arguments, ['--list', '--show', '--whole', '--times']));

$ledger = new Ledger(TESTS . '/parity/ledger');
$tests = all_tests($ledger);
$chosen = array_filter($tests, function (Test $test) use ($names): bool {
    return $names === [] || array_filter($names, fn(string $name) => str_contains($test->name, $name)) !== [];
});
if ($list) {
    array_map(fn(Test $test) => print("$test->name\n"), $chosen);
    exit;
}

$started = hrtime(true);
$totals = $failures = $skips = [];
$queue = new Processes((int) (getenv('VAQUITA_JOBS') ?: 3)); // on two processors: some tests do nothing but wait
foreach ($chosen as $test) {
    $queue->add(function () use ($test, $show, $whole, $times, &$totals, &$failures, &$skips): Generator {
        $begun = hrtime(true);
        $verdict = $test->skipped() !== null ? Verdict::skip($test->skipped()) : yield from $test->run();
        $total = &$totals[$test->part()];
        $total ??= ['passed' => 0, 'failed' => 0, 'skipped' => 0, 'seconds' => 0.0];
        $total['passed'] += $verdict->passed;
        $total['failed'] += $verdict->failed;
        $total['skipped'] += $verdict->skipped;
        $total['seconds'] += (hrtime(true) - $begun) / 1e9;
        if ($verdict->failed > 0) {
            $same = array_search($verdict->text, $failures, true);
            $failures[$test->name] = $verdict->text;
            echo "\nFAIL $test->name\n", match (true) {
                $same !== false => "as $same",
                $whole => $verdict->text,
                default => cut($verdict->text),
            }, "\n";
        } elseif ($verdict->skipped > 0) {
            $skips[$verdict->text][] = $test->name;
            echo "SKIP $test->name: $verdict->text\n";
        }
        if ($times) {
            printf("%6.1f s %s\n", (hrtime(true) - $begun) / 1e9, $test->name);
        }
        if ($show) {
            echo "\n-- $test->name\n$verdict->output";
        }
    });
}
$queue->run();

if (count($chosen) === count($tests)) {
    foreach ($ledger->unused() as $entry) {
        echo "\nFAIL the ledger's entry for $entry no longer differs: remove it\n";
        $totals['parity']['failed']++;
    }
}

echo "\n";
$sums = ['passed' => 0, 'failed' => 0, 'skipped' => 0];
foreach ($totals as $part => $total) {
    printf("%s: %d passed, %d failed, %d skipped, %.1f s\n", $part, $total['passed'], $total['failed'], $total['skipped'], $total['seconds']);
    foreach ($sums as $key => &$sum) {
        $sum += $total[$key];
    }
    unset($sum);
}
foreach ($skips as $reason => $names) {
    echo "skipped, $reason: ", implode(', ', $names), "\n";
}
printf("%d differences are in the ledger; everything took %.1f s\n", $ledger->used(), (hrtime(true) - $started) / 1e9);
echo "{$sums['passed']} passed, {$sums['failed']} failed", $sums['skipped'] > 0 ? ", {$sums['skipped']} skipped" : '', "\n";
exit($sums['failed'] > 0 || $sums['passed'] === 0 ? 1 : 0);
