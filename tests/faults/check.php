<?php
/*
 * Shows the judge made-up tries: which it must let pass, and what it must say of the others. The last line is "N passed, N failed".
 */

declare(strict_types=1);

error_reporting(E_ALL);
require __DIR__ . '/../differential/dice.php';
require __DIR__ . '/../reconcile/place.php';
foreach (['plan', 'trial', 'pdo_acts', 'kv_acts', 'port_acts', 'first_acts', 'acts', 'verdict'] as $file) {
    require __DIR__ . "/$file.php";
}

putenv('VAQUITA_MARIADB_SOCKET=/none');
putenv('VAQUITA_MARIADB_KEY_VALUE_PORT=1');

/** The first try of this kind, by acts that have this in their names. */
function plan_of(string $kind, string $only): Plan
{
    for ($number = 1;; $number++) {
        $plan = new Plan(new Place('mariadb'), 1, $number, $kind === 'hold', $only);
        if ($plan->fault->kind === $kind) {
            return $plan;
        }
    }
}

$good = ['told' => [0 => 'done'], 'together' => [], 'errors' => [], 'wrong' => [], 'longest' => [0.1, 'query'], 'has_cut' => true];
$gone = [['query', 2006, 'MySQL server has gone away']];
/** A fault, what is different in the record, the rows, [lost, doubled, wrong in another way], and which acts. */
$cases = [
    'all is well' => ['none', [], [0 => 1], [0, 0, 0]],
    'nothing is there' => ['none', [], [], [1, 0, 0]],
    'it is there twice' => ['none', [], [0 => 2], [0, 1, 0]],
    'nobody wrote what is there' => ['none', [], [0 => 1, 7 => 1], [0, 1, 0]],
    'an error that nothing explains' => ['latency', ['errors' => $gone], [0 => 1], [0, 0, 1]],
    'an error though the fault came too late' => ['close', ['errors' => $gone, 'has_cut' => false], [0 => 1], [0, 0, 1]],
    'an unknown outcome, done' => ['close', ['told' => [0 => 'unknown'], 'errors' => $gone], [0 => 1], [0, 0, 0]],
    'an unknown outcome, not done' => ['reset', ['told' => [0 => 'unknown'], 'errors' => $gone], [], [0, 0, 0]],
    'an unknown outcome, done twice' => ['close', ['told' => [0 => 'unknown'], 'errors' => $gone], [0 => 2], [0, 1, 0]],
    'what was not committed is there' => ['close', ['told' => [0 => 'never'], 'errors' => $gone], [0 => 1], [0, 1, 0]],
    'commands out of sync' => ['close', ['errors' => [['query', 2014, 'Commands out of sync']]], [0 => 1], [0, 0, 1]],
    'an error without a text' => ['close', ['errors' => [['query', 2006, '']]], [0 => 1], [0, 0, 1]],
    'no connection' => ['close', ['told' => [], 'errors' => [['connect', 2002, 'refused']]], [], [0, 0, 0]],
    'no connection, in the middle of one' => ['close', ['errors' => [['query', 2002, 'refused']]], [0 => 1], [0, 0, 1]],
    'half a packet' => ['half', ['errors' => [['query', 1158, 'Got an error']]], [0 => 1], [0, 0, 0]],
    'half a packet where nothing is half' => ['close', ['errors' => [['query', 1158, 'Got an error']]], [0 => 1], [0, 0, 1]],
    'nothing came, and that is said' => ['silence', ['told' => [0 => 'unknown'], 'errors' => [['poll', 0, 'no answer']]], [], [0, 0, 0]],
    'an error without a number' => ['silence', ['told' => [0 => 'unknown'], 'errors' => [['query', 0, 'what?']]], [], [0, 0, 1]],
    'a killed server that comes back slowly' => ['hold', ['longest' => [40.0, 'next connection']], [0 => 1], [0, 0, 0]],
    'a call that takes as long' => ['hold', ['longest' => [40.0, 'query']], [0 => 1], [0, 0, 1]],
    'an error though only the way to the port is broken' => ['close', ['errors' => $gone], [0 => 1], [0, 0, 1], 'port'],
    'a port that is waited for' => ['silence', ['longest' => [1.7, 'get']], [0 => 1], [0, 0, 0], 'port'],
    'a port that is waited for too long' => ['late', ['longest' => [8.0, 'get']], [0 => 1], [0, 0, 1], 'port'],
    'a port whose server is killed' => ['hold', ['errors' => $gone, 'longest' => [15.0, 'set']], [0 => 1], [0, 0, 0], 'port'],
    'all of a transaction' => ['close', ['told' => [0 => 'unknown', 1 => 'unknown'], 'together' => [[0, 1]], 'errors' => $gone], [0 => 1, 1 => 1], [0, 0, 0]],
    'half of a transaction' => ['close', ['told' => [0 => 'unknown', 1 => 'unknown'], 'together' => [[0, 1]], 'errors' => $gone], [1 => 1], [0, 0, 1]],
    'rows of another query' => ['none', ['wrong' => ['a row of another query']], [0 => 1], [0, 0, 1]],
];
$failed = 0;
foreach ($cases as $name => $case) {
    [$kind, $record, $rows, $expected] = $case;
    $plan = plan_of($kind, $case[4] ?? 'transaction');
    $verdict = new Verdict([$plan->number => $rows]);
    $verdict->judge($plan, array_replace($good, $record));
    $found = [$verdict->lost, $verdict->doubled, $verdict->wrong];
    if ($found !== $expected || ($verdict->faults !== []) !== (array_sum($expected) > 0)) {
        $failed++;
        echo "FAIL $name: ", json_encode($found), ' ', json_encode($verdict->faults), "\n";
    }
}
printf("%d passed, %d failed\n", count($cases) - $failed, $failed);
exit($failed === 0 ? 0 : 1);
