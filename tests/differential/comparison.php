<?php
/*
 * Both stacks beside each other, on one server: what differs, and the shortest sequence that still differs.
 */

declare(strict_types=1);

final class Comparison
{
    public int $passed = 0;
    public int $failed = 0;
    private int $known_count = 0;
    /** @var array<int, list<string>> sequences that differ */
    public array $different = [];
    /** @var array<int, array{string, list<string>}> where they do first, and how */
    private array $found = [];
    /** @var array<int, string> where stock crashed */
    private array $crashes = [];
    /** @var array<string, list<int>> sequences by the difference that they come to */
    private array $same = [];
    private readonly Stack $stock;
    private readonly Stack $ours;

    public function __construct(private readonly string $surface, private readonly Place $place, private readonly Known $known)
    {
        $this->stock = new Stack(getenv('STOCK_PHP'), $place);
        $this->ours = new Stack(getenv('VAQUITA_PHP'), $place);
    }

    /**
     * Plays them on both.
     *
     * @param array<int, list<string>> $sequences
     * @return Generator<int, Command, Finished, array<int, ?array{string, list<string>}>> the step that differs first, and how
     */
    private function differences(array $sequences, bool $counts = false): Generator
    {
        $stock = yield from $this->stock->play($sequences);
        $ours = yield from $this->ours->play($sequences);
        $differences = [];
        foreach ($sequences as $number => $_) {
            $differences[$number] = $this->first_difference($stock[$number], $ours[$number]);
            if ($counts && $stock[$number]->crashed()) {
                $this->crashes[$number] = $stock[$number]->end . ' at ' . self::step_of($stock[$number]);
            }
        }
        return $differences;
    }

    /** @return ?array{string, list<string>} */
    private function first_difference(Played $stock, Played $ours): ?array
    {
        $crashed_at = $stock->crashed() ? count($stock->steps) - 1 : null; // what came of that step nobody knows
        foreach ($stock->steps as $i => $step) {
            $our_step = $ours->steps[$i] ?? '';
            if ($i !== $crashed_at && $step !== $our_step) {
                $our_end = $i >= count($ours->steps) - 1 && $ours->end !== null ? ["+ ($ours->end)"] : [];
                return [substr(strtok($step, "\n"), 2), [...difference($step, $our_step), ...$our_end]];
            }
        }
        // PDO itself is the same on both: where both die of one step, it is PDO that did.
        $is_pdo = $this->surface === 'pdo' && self::step_of($stock) === self::step_of($ours);
        if ($stock->crashed() ? $ours->crashed() && !$is_pdo : $ours->end !== $stock->end) {
            return ['end', ['- (' . ($stock->end ?? 'none') . ')', '+ (' . ($ours->end ?? 'none') . ') at ' . self::step_of($ours)]];
        }
        return null;
    }

    /** @param array<int, list<string>> $sequences */
    public function judge(array $sequences): Generator
    {
        $has_crashed = false;
        foreach (yield from $this->differences($sequences, true) as $number => $difference) {
            if ($has_crashed && $difference !== null && $this->is_new($difference, $sequences[$number])) {
                // Since then stock's process is another one, in which there are no persistent connections of those before.
                [$difference] = yield from $this->differences([$sequences[$number]]);
            }
            $has_crashed = $has_crashed || isset($this->crashes[$number]);
            if ($difference === null) {
                $this->passed += isset($this->crashes[$number]) ? 0 : 1;
                continue;
            }
            unset($this->crashes[$number]); // of no interest after a difference
            if (!$this->is_new($difference, $sequences[$number])) {
                $this->known_count++;
            } else {
                $this->failed++;
                $this->different[$number] = $sequences[$number];
                $this->found[$number] = $difference;
            }
        }
    }

    /** Each entry's own sequence must still differ as the entry says. */
    public function check_ledger(): Generator
    {
        $sequences = $this->known->sequences();
        if ($sequences === []) {
            return;
        }
        foreach (yield from $this->differences($sequences) as $number => $difference) {
            if ($difference === null || !$this->known->is($number, $difference[0], $difference[1], $sequences[$number])) {
                $this->failed++;
                echo "FAIL the $this->surface ledger's entry {$this->known->name($number)} on $this->place ", $difference === null ? 'no longer differs: remove it' : "differs otherwise:\n$difference[0]\n" . implode("\n", $difference[1]), "\n";
            }
        }
    }

    /** The step that came last. */
    private static function step_of(Played $played): string
    {
        $steps = $played->steps;
        return $steps === [] ? $played->before : strtok(end($steps), "\n");
    }

    /** Prints the shortest form of a sequence that differs; of those with the same one, once. */
    public function report(int $number, array $steps): Generator
    {
        [$alone] = yield from $this->differences([$steps]);
        if (!$this->is_new($alone, $steps)) {
            [$step, $lines] = $this->found[$number];
            echo "\nFAIL $this->surface $number@$this->place, but only after the sequences before it: $step\n", cut(implode("\n", $lines)), "\n";
            return;
        }
        foreach ($steps as $i => $step) { // what comes after the first difference does not matter
            if ($step === $alone[0]) {
                [$difference] = yield from $this->differences([array_slice($steps, 0, $i + 1)]);
                $steps = $this->is_new($difference, $steps) ? array_slice($steps, 0, $i + 1) : $steps;
                break;
            }
        }
        do {
            $shorter = [];
            foreach ($steps as $i => $_) {
                $shorter[$i] = array_values(array_diff_key($steps, [$i => 0]));
            }
            $differences = yield from $this->differences($shorter);
            $removable = array_filter($differences, fn(?array $difference, int $i) => $this->is_new($difference, $shorter[$i]), ARRAY_FILTER_USE_BOTH);
            $tries = $removable === [] ? [] : [array_values(array_diff_key($steps, $removable)), ...array_reverse(array_intersect_key($shorter, $removable))];
            $removable = [];
            foreach ($tries as $try) { // alone, for among others it may differ by what they left
                [$difference] = $try === [] ? [null] : yield from $this->differences([$try]);
                if ($this->is_new($difference, $try)) {
                    $steps = $removable = $try;
                    break;
                }
            }
        } while ($removable !== [] && count($steps) > 1);
        [$difference] = yield from $this->differences([$steps]);
        $difference ??= ["not again, but before: $alone[0]", $alone[1]];
        $text = preg_replace('/[0-9]/', '', implode("\n", $difference[1] ?? []));
        $this->same[$text][] = $number;
        if (count($this->same[$text]) === 1) {
            echo "\nFAIL $this->surface $number@$this->place: $difference[0]\n", cut(implode("\n", $difference[1])), "\n", self::script($steps);
        }
    }

    private function is_new(?array $difference, array $sequence): bool
    {
        return $difference !== null && !$this->known->has($difference[0], $difference[1], $sequence);
    }

    /** Plays one sequence, and prints what both gave. */
    public function show(array $steps): Generator
    {
        foreach (['stock' => $this->stock, 'ours' => $this->ours] as $name => $stack) {
            [$played] = yield from $stack->play([$steps]);
            echo "--- $name on $this->place\n", implode('', $played->steps), $played->end === null ? '' : "($played->end)\n";
        }
    }

    /** @return array{int, int} how many were compared only until a difference of the ledger, and until stock crashed */
    public function cut(): array
    {
        return [$this->known_count, count($this->crashes)];
    }

    /**
     * @param array<string, int> $uses
     * @return array<string, int> these and how often its entries of the ledger were met
     */
    public function uses(array $uses): array
    {
        foreach ($this->known->uses() as $entry => $count) {
            $uses[$entry] = ($uses[$entry] ?? 0) + $count;
        }
        return $uses;
    }

    public function summary(): string
    {
        $text = "\n$this->surface on $this->place: $this->passed as stock, $this->known_count until a difference of the ledger, " . count($this->crashes) . " until stock crashed, $this->failed different\n";
        foreach ($this->crashes as $number => $crash) {
            $text .= "  $number: $crash\n";
        }
        foreach (array_filter($this->same, fn(array $numbers) => count($numbers) > 1) as $numbers) {
            $text .= '  the same difference: ' . implode(', ', $numbers) . "\n";
        }
        return $text;
    }

    /** The steps as a script, for tests/run or a server by hand. */
    public static function script(array $steps): string
    {
        $lines = array_map(fn(string $step) => "try { show($step); } catch (Throwable \$thrown) { show(\$thrown); }\n", $steps);
        return "    <?php\n    require 'support/prelude.php';\n    " . implode('    ', $lines);
    }
}
