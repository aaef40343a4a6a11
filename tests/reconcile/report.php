<?php
/*
 * What is printed of it all: what does not add up, at once; then each figure and its parts.
 */

declare(strict_types=1);

final class Report
{
    private const TITLES = [
        'driver' => 'What the driver has sent: asked for, and by itself',
        'server' => 'What the server has received (performance_schema)',
        'own' => 'What the driver sends by itself, by the digests of the server',
        'Com_*' => 'Statements by their kind (SHOW GLOBAL STATUS)',
        'totals' => 'Totals (SHOW GLOBAL STATUS)',
        'observer' => 'The statements that ask for all of this, which are in none of the above',
        'unmapped' => 'What has no place',
    ];

    private int $unaccounted = 0;
    private int $steps = 0;

    public function __construct(private readonly Place $place, private readonly Observer $observer, private readonly Books $books, private readonly Differences $differences)
    {
        echo "$place->name ({$observer->version()})\n";
    }

    /** @param list<string> $names of the steps @param list<Line> $wrong */
    public function batch(int $number, array $names, array $wrong): void
    {
        if ($wrong === []) {
            return;
        }
        echo "  FAIL up to step $number: ", implode(', ', array_map(fn(string $name, int $times) => $times > 1 ? "$name ($times)" : $name, array_keys($counts = array_count_values($names)), $counts)), "\n";
        foreach ($wrong as $line) {
            $this->unaccounted += max(1, abs($line->left()));
            echo '    ', $this->shown($line), "\n";
        }
    }

    public function steps(int $count, int $kinds, int $seed): void
    {
        $this->steps = $count;
        echo "  $count steps of $kinds kinds, seed $seed: {$this->books->commands()} commands in {$this->books->connections()} connections\n";
    }

    /** A procedure that loops: what the server counts of one command. */
    public function loop(World $world, int $times): void
    {
        loop($world, $times);
        $wrong = $this->books->balance();
        $this->batch($this->steps + 1, ["a procedure that loops $times times"], $wrong);
        $queries = 3 + 3 * $times;
        echo "  A procedure that loops $times times: 1 command, 1 of Questions, $queries of Queries, $times of Com_do.\n";
        echo "    Questions counts what clients send: the CALL. Queries counts, besides, each instruction of a stored program that has an expression or a statement in it:\n";
        echo "    2 (DECLARE, and WHILE where it ends) and 3 a turn (WHILE, SET, DO). The jump back has none. Com_do counts each DO, wherever it stands.\n";
    }

    /** @param list<string> $own what the driver may send by itself @return bool whether all is accounted for */
    public function end(array $own): bool
    {
        $lines = array_filter($this->books->total(), fn(Line $line) => $line->has_moved());
        foreach (self::TITLES as $group => $title) {
            $of_group = array_filter($lines, fn(Line $line) => $line->group === $group);
            if ($of_group !== []) {
                echo "  $title\n";
                foreach ($of_group as $line) {
                    echo '    ', $this->shown($line), "\n";
                }
            }
        }
        foreach ($this->differences->met() as [$servers, $what, $source]) {
            echo '  Only ', implode(' and ', $servers), ": $what ($source)\n";
        }
        $this->see_that_it_can_fail($own);
        printf("reconciled: %d commands, %d unaccounted\n", $this->books->commands(), $this->unaccounted);
        return $this->unaccounted === 0 && $this->books->commands() > 0;
    }

    private function see_that_it_can_fail(array $own): void
    {
        [$altered, $unnoticed] = $this->books->alter();
        echo "  $altered figures were altered by one each, and ", $altered - count($unnoticed), " of them noticed\n";
        foreach ($unnoticed as $name) {
            $this->unaccounted++;
            echo "  FAIL one more of $name would not be noticed\n";
        }
        foreach (array_diff($own, array_keys(Accounts::OWN)) as $name) {
            $this->unaccounted++;
            echo "  FAIL the driver may send '$name' by itself, which has no place in accounts.php\n";
        }
        $never = array_diff($own, $this->books->own());
        echo $never === [] ? '' : '  Not sent here: ' . implode(', ', $never) . "\n";
    }

    private function shown(Line $line): string
    {
        $parts = array_map(fn(string $name, int $number) => ($number < 0 ? '- ' : '+ ') . "$name " . abs($number), array_keys($line->parts), $line->parts);
        $sum = preg_replace('/^\+ /', '', implode(' ', $parts)) ?: 'nothing';
        $text = sprintf('%-26s %8d = %s', $line->name, $line->found, $sum);
        return $line->left() === 0 ? $text : "$text, {$line->left()} unaccounted";
    }
}
