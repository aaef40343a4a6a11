<?php
/*
 * What the figures of a run mean: the table of the processes and the servers, and all that is wrong with them.
 */

declare(strict_types=1);

final class Verdict
{
    /** What a process may grow by an hour, in KiB, where the run is long enough to say, and between the last two thirds of any run. */
    private const SLOPE_KIB = 1024;
    private const GROWTH_KIB = 8192;
    /** The same of a run that is too short to say. */
    private const EARLY_GROWTH_KIB = 24576;
    /** Before that a process still grows to what the largest of its steps need. */
    private const SLOPE_FROM_S = 600;
    /** Descriptors, connections and the like, beyond what there was at most in the first two thirds. */
    private const MORE = 6;
    /** @var list<string> */
    public array $faults = [];
    public float $steepest = -INF;
    private int $undecided = 0;

    /** @param list<Member> $members */
    public function processes(array $members, float $seconds): void
    {
        printf("%-3s %-8s %-8s %9s %9s %9s %22s %12s %6s %6s %5s %8s\n", '#', 'server', 'as', 'steps', 'RSS MiB', 'at most', 'slope, MiB/h', 'growth, KiB', 'files', 'conns', 'thr.', 'by port');
        foreach ($members as $member) {
            $rss = $member->series['rss'] ?? new Series();
            [$slope, $error] = $rss->slope();
            $growth = $rss->growth();
            $most = fn(string $name) => isset($member->series[$name]) ? (string) $member->series[$name]->most() : '-';
            $answered = isset($member->series['answered']) ? (string) $member->series['answered']->last() : '-';
            printf("%-3d %-8s %-8s %9d %9.1f %9.1f %22s %12d %6s %6s %5s %8s\n", $member->number, $member->server, $member->is_fpm ? 'FPM' : 'CLI', $member->steps, $rss->last() / 1024, $rss->most() / 1024, sprintf('%+.2f ± %.2f', $slope / 1024, $error / 1024), $growth, $most('descriptors'), $most('open'), $most('threads'), $answered);
            $who = "process $member->number";
            $this->steepest = max($this->steepest, $slope / 1024);
            if ($member->fault !== null) {
                $this->faults[] = "$who: $member->fault";
            }
            if ($seconds < self::SLOPE_FROM_S) {
                $this->undecided++;
            } elseif ($slope - $error > self::SLOPE_KIB) {
                $this->faults[] = sprintf('%s: its memory grows by %.1f MiB an hour, or %.1f at the least', $who, $slope / 1024, ($slope - $error) / 1024);
            } elseif ($slope + $error > self::SLOPE_KIB) {
                $this->undecided++;
            }
            if ($growth > ($seconds < self::SLOPE_FROM_S ? self::EARLY_GROWTH_KIB : self::GROWTH_KIB)) {
                $this->faults[] = "$who: its memory has grown by $growth KiB between the second third of the run and the last";
            }
            foreach (['descriptors', 'threads', 'open', 'idle'] as $name) {
                $series = $member->series[$name] ?? null;
                if ($series !== null && $series->growth() > self::MORE) {
                    $this->faults[] = "$who: its $name have grown by {$series->growth()}, to " . $series->last();
                }
            }
        }
        if ($this->undecided > 0) {
            echo "the run is too short to say of $this->undecided of them whether they grow by 1 MiB/h: there only growth between the last two thirds of it was judged\n";
        }
    }

    /** @param array<string, array<string, Series>> $servers figures over time */
    public function servers(array $servers): void
    {
        foreach ($servers as $server => $figures) {
            foreach ($figures as $name => $series) {
                printf("%s: %s %d at the end, %d at most\n", $server, $name, $series->last(), $series->most());
                if ($name !== 'Open_tables' && $series->growth() > 2 * self::MORE) {
                    $this->faults[] = "$server: $name has grown by {$series->growth()}";
                }
            }
        }
    }
}
