<?php
/*
 * tests/differential/check's own program: made-up differences, and which of them a ledger may let pass.
 */

declare(strict_types=1);

require __DIR__ . '/known.php';

const LEDGER = <<<'END'
    [*->reset()]
    [mysqli_stmt_reset($stmt?)] on mysql80
    [next_php] since 99.0
    [this_php] until 99.0
    A reason.
    < $link? = *
    < *->close()
    & *->ping()
    & *reset(*
    > $link0 = connect()
    -*   Warning: *
    -   stmt?: {a} {+} {b}
    +   stmt?: {a} 0 {b}

    [*] on mariadb
    Another.
    > $link0 = connect()
    -   *
    +* *
    END;
const BEFORE = ['mysqli_report(MYSQLI_REPORT_OFF)', '$link0 = connect()', '$link0->ping()', '$stmt0->reset()', 'mysqli_stmt_reset($stmt0)'];
const ROWS = ['-   stmt0: -1 7 "x"', '+   stmt0: -1 0 "x"'];

$passed = $failed = 0;
$check = function (string $what, bool $expected, string $server, string $step, array $difference, array $sequence = BEFORE) use (&$passed, &$failed): void {
    $path = tempnam(sys_get_temp_dir(), 'vq_ledger');
    file_put_contents($path, LEDGER);
    $known = new Known($path, $server);
    unlink($path);
    $found = $known->has($step, $difference, $sequence);
    if ($found === $expected && ($found ? 1 : 0) === array_sum($known->uses())) {
        $passed++;
    } else {
        $failed++;
        echo "FAIL $what\n";
    }
};
$check('the difference of an entry', true, 'mysql80', '$stmt0->reset()', ROWS);
$check('with any number of the lines that may be repeated', true, 'mysql80', '$stmt0->reset()', ['-   Warning: a', '-   Warning: b', ...ROWS]);
$check('ours before that of stock', true, 'mysql80', '$stmt0->reset()', array_reverse(ROWS));
$check('another line beside it', false, 'mysql80', '$stmt0->reset()', [...ROWS, '+   link0: 1']);
$check('one line less', false, 'mysql80', '$stmt0->reset()', [ROWS[0]]);
$check('a line that continues', false, 'mysql80', '$stmt0->reset()', [ROWS[0], "+   stmt0: -1 0 \"x\" and more"]);
$check('no number above zero', false, 'mysql80', '$stmt0->reset()', ['-   stmt0: -1 none "x"', ROWS[1]]);
$check('something else in the place of what is the same', false, 'mysql80', '$stmt0->reset()', [ROWS[0], '+   stmt0: -1 0 "y"']);
$check('another step', false, 'mysql80', '$stmt0->execute()', ROWS);
$check('a second name', true, 'mysql80', 'mysqli_stmt_reset($stmt0)', ROWS);
$check('a second name for another server', false, 'mysql56', 'mysqli_stmt_reset($stmt0)', ROWS);
$check('a name for a PHP to come', false, 'mysql80', 'next_php', ROWS);
$check('a name for PHPs up to one', true, 'mysql80', 'this_php', ROWS);
$check('nothing before that must be there', false, 'mysql80', '$stmt0->reset()', ROWS, ['$stmt0->reset()', '$link0 = connect()']);
$check('nothing after that must be there', false, 'mysql80', '$stmt0->reset()', ROWS, ['$link0->close()', '$stmt0->reset()']);
$check('what must be there after that, but before it', false, 'mysql80', '$stmt0->reset()', ROWS, ['$link0->ping()', '$link0->close()', '$stmt0->reset()']);
$check('the other of what must be there', true, 'mysql80', '$stmt0->reset()', ROWS, ['$link0->close()', '$link0->ping()', '$stmt0->reset()']);
$check('an entry of another server', false, 'mysql80', 'anything', ['-   a', '+   b']);
$check('lines of any kind', true, 'mariadb', 'anything', ['-   a', '+   b', '+   c']);
$check('an end of ours that is no crash', true, 'mariadb', 'anything', ['-   a', '+ (exit code 255)']);
$check('a crash of ours', false, 'mariadb', 'anything', ['-   a', '+   b', '+ (killed by signal 11) at x']);
echo "$passed passed, $failed failed\n";
exit($failed > 0 || $passed === 0 ? 1 : 0);
