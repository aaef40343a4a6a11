<?php
/*
 * What is printed of it all: what went wrong and how to repeat it, what each fault came to, and the last line.
 */

declare(strict_types=1);

final class Report
{
    private const SHOWN = 20;

    /** @param Closure(int): Plan $plan */
    public function __construct(private readonly Place $place, private readonly Crew $crew, private readonly Verdict $verdict, private readonly Closure $plan, private readonly int $seed)
    {
    }

    /** @return bool whether all is well */
    public function print(int $tries): bool
    {
        $cut = count(array_filter($this->crew->records, fn(array $record) => $record['has_cut']));
        printf("%s, seed %d: %s; %d connections were cut, the server was killed %d times; %d rows came from its key-value port\n", $this->place->name, $this->seed, $this->crew->rate(), $cut, $this->crew->restarts, array_sum(array_column($this->crew->records, 'by_port')));
        $this->table();
        // What is lost and doubled first.
        $faults = $this->verdict->faults;
        uksort($faults, fn(int $one, int $other) => [!str_starts_with($faults[$one][0], 'item '), $one] <=> [!str_starts_with($faults[$other][0], 'item '), $other]);
        foreach (array_slice($faults, 0, self::SHOWN, true) as $number => $what) {
            printf("  FAIL try %d (%s): %s\n", $number, ($this->plan)($number), implode('; ', array_slice($what, 0, 4)));
            echo "    again: SERVERS={$this->place->name} SEED=$this->seed scripts/faults --try $number\n";
        }
        $more = count($this->verdict->faults) - self::SHOWN;
        echo $more > 0 ? "  FAIL and $more other tries\n" : '';
        foreach (array_slice($this->crew->complaints, 0, self::SHOWN) as $complaint) {
            echo "  FAIL $complaint\n";
        }
        $hung = $tries - count($this->crew->records);
        echo $this->verdict->wrong > 0 ? "  {$this->verdict->wrong} tries went wrong in another way\n" : '';
        printf("faults: %d tries, %d lost, %d doubled, %d hung\n", $tries, $this->verdict->lost, $this->verdict->doubled, $hung);
        return $this->verdict->faults === [] && $this->crew->complaints === [] && $hung === 0;
    }

    /** What each fault came to: tries, how many of them were cut, errors by their number, the longest step. */
    private function table(): void
    {
        $lines = [];
        foreach ($this->crew->records as $number => $record) {
            $plan = ($this->plan)($number);
            $line = &$lines[$plan->fault->kind];
            $line ??= ['tries' => 0, 'cut' => 0, 'errors' => [], 'longest' => 0.0, 'where' => ''];
            $line['tries']++;
            $line['cut'] += (int) $record['has_cut'];
            foreach ($record['errors'] as [$step, $errno]) {
                $name = $step === 'connect' ? "$errno connecting" : (string) $errno;
                $line['errors'][$name] = ($line['errors'][$name] ?? 0) + 1;
            }
            [$took, $step] = $record['longest'];
            if ($took > $line['longest'] && $step !== 'next connection') {
                [$line['longest'], $line['where']] = [$took, "$step in try $number"];
            }
            unset($line);
        }
        foreach (['none', ...Fault::SLOW, 'late', ...Fault::BREAKING] as $kind) {
            if (isset($lines[$kind])) {
                ['tries' => $tries, 'cut' => $cut, 'errors' => $errors, 'longest' => $longest, 'where' => $where] = $lines[$kind];
                ksort($errors);
                $said = implode(', ', array_map(fn(string|int $name, int $count) => "$name ($count)", array_keys($errors), $errors)) ?: 'no errors';
                printf("  %-10s %5d tries, %5d cut, at most %.1f s (%s): %s\n", $kind, $tries, $cut, $longest, $where, $said);
            }
        }
    }

    /** @return bool whether all that was done wrong was noticed, and nothing else */
    public function see_that_it_can_fail(): bool
    {
        $noticed = array_fill_keys(Spoiler::KINDS, 0);
        $missed = [];
        foreach ($this->crew->records as $number => ['spoilt' => $kind]) {
            $is_wrong = isset($this->verdict->faults[$number]);
            if ($kind !== null && $is_wrong) {
                $noticed[$kind]++;
            } elseif ($kind !== null || $is_wrong) {
                $missed[] = $kind === null ? "try $number: " . implode('; ', $this->verdict->faults[$number]) : "a driver that is '$kind' is not noticed in try $number";
            }
        }
        $noticed['stuck'] = count($this->crew->hung);
        foreach (array_keys($noticed, 0, true) as $kind) {
            $missed[] = "no driver that is '$kind' was seen";
        }
        foreach ([...$missed, ...$this->crew->complaints] as $line) {
            echo "  FAIL $line\n";
        }
        printf("%s: %d tries were spoilt and noticed: %s\n", $this->place->name, array_sum($noticed), implode(', ', array_map(fn(string $kind, int $count) => "$kind $count", array_keys($noticed), $noticed)));
        return $missed === [] && $this->crew->complaints === [];
    }
}
