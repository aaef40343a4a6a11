<?php
/*
 * The cases of tests/judge.
 */

declare(strict_types=1);

putenv('VAQUITA_PHP_VERSION');
$php = 'PHP ' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
$passed = $failed = 0;
$folder = sys_get_temp_dir() . '/vaquita-judge-' . getmypid();
mkdir("$folder/stock", recursive: true);
mkdir("$folder/vaquita");

/**
 * @param string $results a line `TEST STOCK VAQUITA` for each test; `-` where a stack did not run it
 * @param string $expected the lines of the run's section
 * @param list<string> $lines what is printed after the counts
 */
function check(string $what, string $results, string $expected, int $code, string $counts, array $lines, string $recorded = '2 passed, 0 failed, 1 skipped, 1 xfail'): void
{
    global $folder, $php, $passed, $failed;
    $columns = array_map(fn(string $line) => explode(' ', $line), explode("\n", $results));
    foreach (['stock' => 1, 'vaquita' => 2] as $stack => $column) {
        $ran = array_filter($columns, fn(array $words) => $words[$column] !== '-');
        file_put_contents("$folder/$stack/results", implode('', array_map(fn(array $words) => "$words[$column]\t$words[0]\n", $ran)));
    }
    file_put_contents("$folder/expected.toml", "# A comment.\n[\"$php\"]\n\"a run\" = \"$recorded\"\n\n[\"$php: a run\"]\n$expected\n[\"$php: another\"]\n\"a\" = \"b\"\n");
    exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, __DIR__ . '/../conformance/judge.php', 'a run', "$folder/expected.toml", $folder])) . ' 2>&1', $output, $status);
    $output = array_values(preg_grep('/^What they printed/', $output, PREG_GREP_INVERT));
    $wanted = ["a run: Vaquita $counts", ...$lines];
    $actual = str_replace($folder, 'FOLDER', $output);
    if ($status === $code && $actual === $wanted) {
        $passed++;
        return;
    }
    $failed++;
    echo "FAIL $what: exit code $status, wanted $code\n- ", implode("\n- ", $wanted), "\n+ ", implode("\n+ ", $actual), "\n";
}

const SAME = "a PASSED PASSED\nb PASSED PASSED\nc SKIPPED SKIPPED\nd XFAILED XFAILED";
const SAME_COUNTS = '2 passed, 0 failed, 1 skipped; stock 2, 0, 1';

check('the same', SAME, '', 0, SAME_COUNTS, []);
check('an expected failure that passes is as good', strtr(SAME, ['XFAILED XFAILED' => 'XFAILED WARNED']), '', 0, SAME_COUNTS, []);
check('better', strtr(SAME, ['SKIPPED SKIPPED' => 'SKIPPED PASSED', 'XFAILED XFAILED' => 'XFAILED PASSED']), '', 0, '4 passed, 0 failed, 0 skipped; stock 2, 0, 1',
    ['better: c: stock skips it, Vaquita passes', 'better: d: stock fails as PHP expects, Vaquita passes']);
check('failed, skipped, not run', "a PASSED FAILED\nb PASSED PASSED\nc SKIPPED -\nd XFAILED SKIPPED", '', 1, '1 passed, 1 failed, 1 skipped; stock 2, 0, 1',
    ['worse: a: stock passes, Vaquita fails', 'worse: c: stock skips it, Vaquita does not run it', 'worse: d: stock fails as PHP expects, Vaquita skips it']);
check('skipped', strtr(SAME, ['b PASSED PASSED' => 'b PASSED SKIPPED']), '', 1, '1 passed, 0 failed, 2 skipped; stock 2, 0, 1', ['worse: b: stock passes, Vaquita skips it']);
check('skipped is worse than failed', strtr(SAME, ['b PASSED PASSED' => 'b FAILED SKIPPED']), '', 1, '1 passed, 0 failed, 2 skipped; stock 1, 1, 1',
    ['worse: b: stock fails, Vaquita skips it'], '1 passed, 1 failed, 1 skipped, 1 xfail');
check('leaked and borked are failed', "a LEAKED PASSED\nb PASSED BORKED", '', 1, '1 passed, 1 failed, 0 skipped; stock 1, 1, 0',
    ['worse: b: stock passes, Vaquita fails', 'better: a: stock fails, Vaquita passes'], '1 passed, 1 failed, 0 skipped, 0 xfail');
check('listed', strtr(SAME, ['b PASSED PASSED' => 'b PASSED FAILED']), '"b" = "a reason"', 0, '1 passed, 1 failed, 1 skipped; stock 2, 0, 1',
    ['expected: b: stock passes, Vaquita fails (a reason)']);
check('listed, but it passes', SAME, '"b" = "a reason"', 1, SAME_COUNTS, ['FAIL: FOLDER/expected.toml says that b cannot be as on stock, but it is: remove that line']);
check('listed, but unknown', SAME, '"x" = "a reason"', 1, SAME_COUNTS, ['FAIL: FOLDER/expected.toml names x, which stock did not run']);
check("stock's counts differ", strtr(SAME, ['SKIPPED SKIPPED' => 'FAILED FAILED']), '', 1, '2 passed, 1 failed, 0 skipped; stock 2, 1, 0',
    ["FAIL: stock's counts are not those of FOLDER/expected.toml: 2 passed, 1 failed, 0 skipped, 1 xfail; recorded: 2 passed, 0 failed, 1 skipped, 1 xfail. Stock fails in: c"]);
check('all skipped', "a SKIPPED SKIPPED", '', 1, '0 passed, 0 failed, 1 skipped; stock 0, 0, 1',
    ['FAIL: nothing passed on stock: why stands above, or in FOLDER/stock/output', 'FAIL: nothing passed on vaquita: why stands above, or in FOLDER/vaquita/output'], '0 passed, 0 failed, 1 skipped, 0 xfail');
check('nothing ran on Vaquita', strtr(SAME, ['PASSED PASSED' => 'PASSED -', 'SKIPPED SKIPPED' => 'SKIPPED -', 'XFAILED XFAILED' => 'XFAILED -']), '', 1, '0 passed, 0 failed, 0 skipped; stock 2, 0, 1',
    ['FAIL: nothing passed on vaquita: why stands above, or in FOLDER/vaquita/output']);
check('a redirected test has the same name in both', "#_/one/source/ext/a.phpt:_b PASSED -\n#_/another/source/ext/a.phpt:_b - PASSED", '', 0, '1 passed, 0 failed, 0 skipped; stock 1, 0, 0',
    [], '1 passed, 0 failed, 0 skipped, 0 xfail');

array_map(unlink(...), glob("$folder/{,*/}{results,expected.toml}", GLOB_BRACE));
array_map(rmdir(...), ["$folder/stock", "$folder/vaquita", $folder]);
echo "$passed passed, $failed failed\n";
exit($failed > 0 ? 1 : 0);
