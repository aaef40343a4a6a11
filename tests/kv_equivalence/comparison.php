<?php
/*
 * Plays rounds on both sides and compares what came of each step, byte by byte. The first difference of a round is printed with the fewest steps that
 * still show it.
 */

declare(strict_types=1);

/** The tables are not the same on both sides any more: what follows says nothing. */
final class GivenUp extends Exception
{
}

final class Comparison
{
    /** So many differences of a round are looked at; what is left of it would hardly tell more. */
    private const MOST_OF_A_ROUND = 5;
    private const SHORTEN_SECONDS = 40;
    /** After so many steps that a connection has refused (something is unread, it is gone), both begin anew. */
    private const MOST_REFUSED = 6;
    private const MOST_LEFT_OUT = 100;

    public int $statements = 0;
    public int $different = 0;
    /** How many of the statements were errors, and for how many both connected anew. */
    public int $errors = 0;
    public int $stuck = 0;
    /** How many times the tables of a round could not be made. */
    public int $left_out = 0;
    /** @var array<string, int|array<string, int>> what the driver has counted */
    public array $counted = [];
    /** @var array<string, int> how often which step differed */
    public array $ways = [];
    /** @var list<array> what both were asked last, for whoever finds the server dead */
    public array $last = [];
    private ?Spoiler $spoiler = null;

    public function __construct(private readonly Server $server, private int $shorten)
    {
    }

    public function spoil(Spoiler $spoiler): void
    {
        $this->spoiler = $spoiler;
    }

    public function play(Round $round, int $most = PHP_INT_MAX): void
    {
        $found = 0;
        $reported = null;
        $show = function (int $place, string $one, string $two) use ($round, &$found, &$reported): bool {
            $step = $round->steps[$place];
            $this->ways[self::kind($round, $step)] = ($this->ways[self::kind($round, $step)] ?? 0) + 1;
            $this->different++;
            if ($found++ === 0) {
                $reported = [$place, $one, $two];
            } else {
                echo "  and $round->number:$place ", self::line($step), "\n";
            }
            return $found < self::MOST_OF_A_ROUND;
        };
        $this->statements += $this->both($round, $round->steps, $show, $most);
        if ($reported !== null) {
            $this->report($round, ...$reported);
        }
    }

    /**
     * Plays the steps on tables as they were made.
     *
     * @param Closure(int, string, string): bool $differs is told of each difference, and says whether to go on
     * @return int how many statements both were asked: at most so many
     */
    private function both(Round $round, array $steps, Closure $differs, int $most = PHP_INT_MAX): int
    {
        try {
            $this->server->make($round->tables);
        } catch (GivenUp $reason) {
            $this->left_out++ < self::MOST_LEFT_OUT || throw new Exception($reason->getMessage());
            return 0;
        }
        $class = $round->surface === 'mysqli' ? MysqliSide::class : PdoSide::class;
        [$one, $two] = array_map(fn(bool $has_port) => new $class($this->server, $has_port, $round->as), [true, false]);
        $one->spoiler = $this->spoiler === null ? null : $this->spoiler->of(...);
        $asked = $refused = 0;
        try {
            foreach ($steps as $place => $step) {
                if ($asked >= $most) {
                    break;
                }
                if ($this->of_others($step, $one, $two)) {
                    continue;
                }
                $asked += $step[0] === 'ask' ? 1 : 0;
                $this->last = [...array_slice($this->last, -4), $step];
                $came = $one->play($step);
                $expected = $two->play($step);
                if ($step[0] === 'ask' && preg_match('/"thrown"|"errno";i:(?!0;)|"code";s:5:"(?!00000)/', $expected) === 1) {
                    $this->errors++;
                    $refused = preg_match('/\b20(06|13|14)\b|already closed|not connected/', $expected) === 1 ? $refused + 1 : 0;
                } else {
                    $refused = 0;
                }
                $is_spoilt = $this->spoiler?->has_judged($came !== $expected) ?? false;
                if ($came !== $expected && !$is_spoilt && !self::is_other_order($came, $expected) && !$differs($place, $came, $expected)) {
                    break;
                }
                if ($refused === 1 && !$this->server->lives()) {
                    throw new mysqli_sql_exception('the server has died', 2006);
                }
                if ($refused >= self::MOST_REFUSED) {
                    [$refused] = [0, $this->stuck++, $one->play(['connect']), $two->play(['connect'])];
                }
            }
        } catch (GivenUp) {
            // It is counted where it happens.
        } finally {
            foreach ([$one, $two] as $side) {
                $side->close();
            }
            foreach ($one->counted() as $name => $value) {
                foreach (is_array($value) ? $value : [] as $reason => $count) {
                    $this->counted[$name][$reason] = ($this->counted[$name][$reason] ?? 0) + $count;
                }
                if (is_int($value)) {
                    $this->counted[$name] = ($this->counted[$name] ?? 0) + $value;
                }
            }
        }
        return $asked;
    }

    /** Whether these are several rows in another order, which is up to the server; what a port gives is one row. */
    private static function is_other_order(string $came, string $expected): bool
    {
        return preg_match('/"(?:num_rows|rows)";i:(?![01];)/', $expected) === 1 && count_chars($came, 1) === count_chars($expected, 1);
    }

    /** Does what others do, and waits until the driver must know it. */
    private function of_others(array $step, Side $one, Side $two): bool
    {
        $poke = function () use ($one, $two): void {
            $one->play(['ask', 'plain none', 'SELECT 1', [], '']);
            $two->play(['ask', 'plain none', 'SELECT 1', [], '']);
        };
        switch ($step[0]) {
            case 'rows':
                $this->server->change($step[1]);
                return true;
            case 'rights':
                $this->server->change($step[1]);
                break;
            case 'spoil':
                $this->server->change_second($step[1]);
                return true;
            case 'tables':
                foreach ($step[1] as $statement) {
                    $this->server->change_tables($statement, $poke) || throw new GivenUp;
                }
                break;
            default:
                return false;
        }
        usleep(($this->server->stale + 20) * 1000);
        return true;
    }

    private function report(Round $round, int $place, string $one, string $two): void
    {
        echo "\nFAIL {$this->server->name}, round $round->number, step $place, $round->surface ", json_encode($round->as, JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
        $steps = array_slice($round->steps, 0, $place + 1);
        if ($this->shorten-- > 0) {
            $shorter = $this->shortest($round, $steps, $one, $two);
            echo $shorter === null ? "  (not again when played alone; the last steps were)\n" : '';
            $steps = $shorter ?? array_slice($steps, -12);
        } else {
            $steps = array_slice($steps, -12);
        }
        foreach ($round->tables as $table) {
            if (preg_match("/\\b$table->name\\b/i", implode("\n", array_map(self::line(...), $steps)))) {
                echo '  ', self::printable($table->create[0]), $table->container === null ? '' : '   container: ' . implode(' ', $table->container), "\n";
            }
        }
        echo '  ', implode("\n  ", array_map(self::line(...), $steps)), "\n";
        [$two, $one] = array_map(function (string $outcome): string {
            $read = @unserialize($outcome);
            return $read === false ? $outcome : var_export($read, true);
        }, [$two, $one]);
        $lines = array_map(fn(string $line) => self::printable($line, false), difference($two, $one));
        echo '    ', cut(implode("\n    ", $lines), 40), "\n";
    }

    /** @return ?list<array> the fewest steps found of which the last one still differs; null if it does not do so again */
    private function shortest(Round $round, array $steps, string &$one, string &$two): ?array
    {
        $until = hrtime(true) + self::SHORTEN_SECONDS * 1_000_000_000;
        $differs = function (array $steps) use ($round, &$one, &$two): bool {
            $last = count($steps) - 1;
            $is_there = false;
            $this->both($round, $steps, function (int $place, string $came, string $expected) use ($last, &$is_there, &$one, &$two): bool {
                if ($place === $last) {
                    [$is_there, $one, $two] = [true, $came, $expected];
                }
                return true;
            });
            return $is_there;
        };
        if (!$differs($steps)) {
            return null;
        }
        // Ever smaller parts are left out, but for the first step and the last.
        for ($size = intdiv(count($steps), 2); $size >= 1;) {
            $is_shorter = false;
            for ($at = count($steps) - 1 - $size; $at >= 1 && hrtime(true) < $until; $at -= $size) {
                $try = $steps;
                array_splice($try, $at, $size);
                if ($differs($try)) {
                    $steps = $try;
                    $is_shorter = true;
                }
            }
            if (hrtime(true) >= $until) {
                break;
            }
            $size = $size > 1 ? intdiv($size + 1, 2) : ($is_shorter ? 1 : 0);
        }
        return $differs($steps) ? $steps : null; // and for its outcomes
    }

    private static function kind(Round $round, array $step): string
    {
        return $round->surface . ' ' . ($step[0] === 'ask' ? strtok($step[1], ' ') : $step[0]);
    }

    /** A step, as one reads it. */
    public static function line(array $step): string
    {
        if ($step[0] === 'ask') {
            return "[$step[1]] " . self::printable($step[2]) . ($step[3] === [] ? '' : '   ' . self::printable(var_export($step[3], true)) . " $step[4]");
        }
        return $step[0] . ' ' . self::printable(implode('; ', array_map(fn(mixed $it) => is_array($it) ? implode('; ', array_map(fn(mixed $part) => is_string($part) ? $part : json_encode($part), $it)) : (string) $it, array_slice($step, 1))));
    }

    private static function printable(string $text, bool $is_one_line = true): string
    {
        $text = strlen($text) > 3000 ? substr($text, 0, 1500) . ' ... ' . substr($text, -300) : $text;
        $text = addcslashes($text, $is_one_line ? "\0..\37\177..\377" : "\0..\11\13..\37\177..\377");
        return $is_one_line ? preg_replace('/\\\\n */', ' ', $text) : $text;
    }
}
