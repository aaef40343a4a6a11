<?php
/*
 * Hours of figures that are made up, and what the verdict has to say of each: short runs can't show whether a slope is noticed. The last line is "all hours are judged right"; the exit status is
 * 0 then.
 */

declare(strict_types=1);

require __DIR__ . '/series.php';
require __DIR__ . '/fleet.php';
require __DIR__ . '/verdict.php';

const EVERY_S = 5;
const HOUR_S = 3600;

/** @param array<string, Closure(float): float> $grown KiB or a number, by the part of the run that is over, on top of figures as those of a process that keeps nothing */
function judge(array $grown, int $seconds = HOUR_S): Verdict
{
    mt_srand(7);
    $member = new Member(3, 'mariadb', false);
    for ($at = 0; $at < $seconds; $at += EVERY_S) {
        // A step that has just ended leaves something, and PHP's heap has more and fewer pieces.
        $own = ['php' => 2048 * mt_rand(4, 7), 'used' => 1200 + mt_rand(0, 400), 'heap' => 6000 + mt_rand(0, 300), 'rest' => 30000 + mt_rand(0, 400), 'descriptors' => mt_rand(8, 12), 'open' => mt_rand(1, 4), 'threads' => 1, 'idle' => 2];
        foreach ($grown as $name => $by) {
            $own[$name] += (int) $by($at / $seconds);
        }
        $own['rss'] = $own['rest'] + $own['php'];
        $member->note($at, [...$own, 'peak' => 60000]);
    }
    $verdict = new Verdict();
    ob_start();
    $verdict->processes([$member], $seconds);
    ob_end_clean();
    return $verdict;
}

$mib = fn(float $an_hour) => fn(float $part) => 1024 * $an_hour * $part;
// What grows, and the fault that has to be found; null: none is to be.
$hours = [
    'nothing' => [[], null],
    'half a MiB of everything' => [array_fill_keys(['rest', 'used', 'heap'], $mib(0.5)), null],
    'what is not PHP\'s' => [['rest' => $mib(2)], "RSS without PHP's heap grows by"],
    'PHP\'s' => [['used' => $mib(2)], "use of PHP's heap grows by"],
    'the C library\'s' => [['heap' => $mib(2)], "use of the C library's heap grows by"],
    'pieces of PHP\'s heap, once' => [['php' => fn(float $part) => $part > 0.6 ? 3 * 2048 : 0], null],
    'pieces of PHP\'s heap, without end' => [['php' => $mib(40)], 'memory has grown by'],
    'RSS at once, late' => [['rest' => fn(float $part) => $part > 0.6 ? 10240 : 0], 'memory has grown by'],
    'while it is warming up' => [array_fill_keys(['rest', 'used', 'heap'], fn(float $part) => 30720 * min($part, 0.3)), null],
    'descriptors' => [['descriptors' => fn(float $part) => 30 * $part], 'descriptors have grown by'],
    'open connections' => [['open' => fn(float $part) => 30 * $part], 'open connections have grown by'],
    'idle connections' => [['idle' => fn(float $part) => 30 * $part], 'idle connections have grown by'],
    'threads' => [['threads' => fn(float $part) => 30 * $part], 'threads have grown by'],
];
$wrong = 0;
foreach ($hours as $what => [$grown, $expected]) {
    $faults = judge($grown)->faults;
    $is_right = $expected === null ? $faults === [] : array_filter($faults, fn(string $fault) => str_contains($fault, "process 3: its $expected")) !== [];
    if (!$is_right) {
        $wrong++;
        echo "FAIL: of an hour in which there grows $what: " . ($faults === [] ? 'no fault' : implode('; ', $faults)) . "\n";
    }
}
echo $wrong === 0 ? "all hours are judged right\n" : "$wrong hours are judged wrong\n";
exit($wrong === 0 ? 0 : 1);
