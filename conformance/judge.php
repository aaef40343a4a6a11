<?php
/*
 * Compares, test by test, what conformance/run.php left of stock and of Vaquita.
 *
 *   php judge.php NAME EXPECTED FOLDER
 *
 * NAME is what the run is called, EXPECTED the file expected.toml, FOLDER has stock/results and vaquita/results. Prints one line of counts, then each test that is worse
 * on Vaquita, then what else is to be told. The exit code is 0 if no test is worse but those of EXPECTED, each of these is, stock's counts
 * are those recorded there, and something ran.
 */

declare(strict_types=1);

error_reporting(E_ALL);
set_error_handler(fn(int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));

/** run-tests.php's words, from worst to best; what is in the same group is equally good. */
enum Status: int
{
    case Missing = -1;
    case Skipped = 0;
    case Failed = 1;
    case Xfail = 2;
    case Passed = 3;

    public static function of(string $word): Status
    {
        return match ($word) {
            'PASSED' => Status::Passed,
            'XFAILED', 'XLEAKED', 'WARNED' => Status::Xfail,
            'FAILED', 'LEAKED', 'BORKED' => Status::Failed,
            'SKIPPED' => Status::Skipped,
        };
    }

    public function word(): string
    {
        return match ($this) {
            Status::Missing => 'does not run it',
            Status::Skipped => 'skips it',
            Status::Failed => 'fails',
            Status::Xfail => 'fails as PHP expects',
            Status::Passed => 'passes',
        };
    }
}

/** What one stack made of a suite. */
final class Results
{
    /** @var array<string, Status> */
    public readonly array $statuses;

    public function __construct(string $file)
    {
        $statuses = [];
        foreach (file_exists($file) ? file($file, FILE_IGNORE_NEW_LINES) : [] as $line) {
            [$word, $test] = explode("\t", $line, 2);
            // A test of another suite that this one redirects to is named as "# THIS: THAT", with the path of the run's copy.
            $statuses[preg_replace('#/\S*/source/#', '', $test)] = Status::of($word);
        }
        $this->statuses = $statuses;
    }

    public function of(string $test): Status
    {
        return $this->statuses[$test] ?? Status::Missing;
    }

    public function count(Status $status): int
    {
        return count(array_keys($this->statuses, $status, true));
    }

    /** As expected.toml records it. */
    public function counts(): string
    {
        return "{$this->count(Status::Passed)} passed, {$this->count(Status::Failed)} failed, {$this->count(Status::Skipped)} skipped, "
            . "{$this->count(Status::Xfail)} xfail";
    }
}

/**
 * The sections of a TOML file that has nothing but tables of strings.
 *
 * @return array<string, array<string, string>>
 */
function tables(string $file): array
{
    $tables = [];
    foreach (file($file, FILE_IGNORE_NEW_LINES) as $number => $line) {
        if (preg_match('/^\["([^"\\\\]+)"\]$/', $line, $match)) {
            $table = &$tables[$match[1]];
            $table ??= [];
        } elseif (preg_match('/^"([^"\\\\]+)" = "([^"\\\\]+)"$/', $line, $match) && isset($table) && !isset($table[$match[1]])) {
            $table[$match[1]] = $match[2];
        } elseif ($line !== '' && $line[0] !== '#') {
            throw new Exception("$file, line " . ($number + 1) . ": neither a section, nor a line \"NAME\" = \"TEXT\" that is new in one: $line");
        }
    }
    return $tables;
}

[, $name, $expected_file, $folder] = $argv;
$tables = tables($expected_file);
$php = 'PHP ' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . (PHP_DEBUG ? '-debug' : '');
$recorded = $tables[$php][$name] ?? 'nothing';
$expected = $tables["$php: $name"] ?? [];
$stock = new Results("$folder/stock/results");
$vaquita = new Results("$folder/vaquita/results");

$worse = $better = $failures = [];
$has_failed = false;
foreach (['stock' => $stock, 'vaquita' => $vaquita] as $stack => $results) {
    if ($results->count(Status::Passed) === 0) {
        $failures[] = "nothing passed on $stack: why stands above, or in $folder/$stack/output";
    }
}
// Where a stack did not run at all, that is all there is to say.
$tests = $failures === [] ? array_keys($stock->statuses + $vaquita->statuses) : [];
foreach ($tests as $test) {
    $line = "$test: stock {$stock->of($test)->word()}, Vaquita {$vaquita->of($test)->word()}";
    $is_worse = $vaquita->of($test)->value < $stock->of($test)->value;
    if ($is_worse && isset($expected[$test])) {
        $worse[] = "expected: $line ($expected[$test])";
    } elseif ($is_worse) {
        $worse[] = "worse: $line";
        $has_failed = true;
    } elseif ($vaquita->of($test)->value > $stock->of($test)->value) {
        $better[] = "better: $line";
    }
    if (!$is_worse && isset($expected[$test])) {
        $failures[] = "$expected_file says that $test cannot be as on stock, but it is: remove that line";
    }
}
foreach (array_diff_key($expected, $stock->statuses) as $test => $_) {
    $failures[] = "$expected_file names $test, which stock did not run";
}
if ($stock->counts() !== $recorded) {
    $failures[] = "stock's counts are not those of $expected_file: {$stock->counts()}; recorded: $recorded. Stock fails in: "
        . (implode(' ', array_keys($stock->statuses, Status::Failed, true)) ?: 'no test');
}

// A PHP that was asked for by its version is named.
$label = $name . (getenv('VAQUITA_PHP_VERSION') ? ", $php" : '');
echo "$label: Vaquita {$vaquita->count(Status::Passed)} passed, {$vaquita->count(Status::Failed)} failed, {$vaquita->count(Status::Skipped)} skipped; ",
    "stock {$stock->count(Status::Passed)}, {$stock->count(Status::Failed)}, {$stock->count(Status::Skipped)}\n";
foreach ([...$worse, ...$better, ...array_map(fn(string $failure) => "FAIL: $failure", $failures)] as $line) {
    echo "$line\n";
}
if ($worse !== []) {
    echo "What they printed is in $folder/vaquita/source, how it differs from what they should in the .diff files there.\n";
}
exit($has_failed || $failures !== [] ? 1 : 0);
