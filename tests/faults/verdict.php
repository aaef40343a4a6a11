<?php
/*
 * What was told beside what is in the table: is anything lost, doubled, torn? Were errors those that the fault explains?
 */

declare(strict_types=1);

final class Verdict
{
    /** What a broken network may be told by, on a connection that is there: gone, lost. */
    public const BROKEN = [2006, 2013];
    /** The same while it is being made. */
    public const CONNECTING = [2002, ...self::BROKEN];
    /** Besides, what comes of a server that gets half of something: MySQL says so, in a packet that may have another number than the awaited one (2027). */
    public const HALF = [1158, 2027];

    public int $lost = 0;
    public int $doubled = 0;
    /** Tries that went wrong in another way. */
    public int $wrong = 0;
    /** @var array<int, list<string>> what is wrong with each try */
    public array $faults = [];

    /** @param array<int, array<int, int>> $rows how often each item of each try is in the table */
    public function __construct(private readonly array $rows)
    {
    }

    /** @param array $record as worker.php tells it */
    public function judge(Plan $plan, array $record): void
    {
        $number = $plan->number;
        $rows = $this->rows[$number] ?? [];
        $others = $record['wrong'];
        // A fault may come too late for anything to be cut; whoever shares a server that is killed need not have been held. What a port does not give the server does.
        $is_explained = $plan->is_kill || !$plan->is_by_port() && $plan->fault->is_breaking() && $record['has_cut'];
        foreach ($record['errors'] as [$step, $errno, $message]) {
            if (!$is_explained) {
                $others[] = "$step fails, though nothing is lost: $errno $message";
            } elseif (!in_array($errno, self::allowed($plan, $step), true) || $message === '') {
                $others[] = "$step says $errno $message";
            }
        }
        [$took, $step] = $record['longest'];
        if ($took > $plan->most_seconds() && !($plan->is_kill && $step === 'next connection')) {
            $others[] = sprintf('%s takes %.1f s', $step, $took);
        }
        foreach ($record['together'] as $items) {
            $there = count(array_intersect_key($rows, array_flip($items)));
            $there === 0 || $there === count($items) || $others[] = "of $there rows of " . count($items) . ' that belong together the others are not there';
        }
        $wrong = [];
        foreach ($record['told'] + array_fill_keys(array_keys($rows), 'never') as $item => $told) {
            $found = $rows[$item] ?? 0;
            if ($told === 'done' && $found < 1) {
                $this->lost++;
                $wrong[] = "item $item is lost";
            } elseif ($found > ($told === 'never' ? 0 : 1)) {
                $this->doubled++;
                $wrong[] = $told === 'never' ? "item $item is there, though it was never sent or not committed" : "item $item is there $found times";
            }
        }
        $this->wrong += $others === [] ? 0 : 1;
        if ($others !== [] || $wrong !== []) {
            $this->faults[$number] = [...$wrong, ...$others];
        }
    }

    /** @return list<int> */
    private static function allowed(Plan $plan, string $step): array
    {
        return match (true) {
            // mysqli_poll() has no error: nothing came.
            $step === 'poll' => [0],
            $plan->fault->kind === 'half' => [...self::HALF, ...self::CONNECTING],
            $step === 'connect' => self::CONNECTING,
            default => self::BROKEN,
        };
    }

    /** Of a try that never came back. */
    public function judge_hung(int $number): void
    {
        $this->faults[$number] = ['does not come back'];
    }
}
