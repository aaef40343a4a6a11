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
    public float $steepest_heap = -INF;
    /** @var array<string, int> of how many processes the run does not say */
    private array $undecided = [];

    /** @param list<Member> $members */
    public function processes(array $members, float $seconds): void
    {
        printf("%-3s %-8s %-4s %8s %8s %8s %18s %11s %8s %9s %18s %6s %6s %5s %8s\n", '#', 'server', 'as', 'steps', 'RSS MiB', 'peak', 'slope MiB/h', 'growth KiB', 'PHP MiB', 'heap MiB', 'slope MiB/h', 'files', 'conns', 'thr.', 'by port');
        foreach ($members as $member) {
            $who = "process $member->number";
            [$rss, $heap] = [$member->series['rss'] ?? new Series(), $member->series['heap'] ?? new Series()];
            $growth = $rss->growth();
            $most = fn(string $name) => isset($member->series[$name]) ? (string) $member->series[$name]->most() : '-';
            $slopes = array_map(fn(array $slope) => sprintf('%+.2f ± %.2f', $slope[0] / 1024, $slope[1] / 1024), [$rss->slope(), $heap->slope()]);
            $answered = isset($member->series['answered']) ? (string) $member->series['answered']->last() : '-';
            printf("%-3d %-8s %-4s %8d %8.1f %8.1f %19s %11d %8.1f %9.2f %19s %6s %6s %5s %8s\n", $member->number, $member->server, $member->is_fpm ? 'FPM' : 'CLI', $member->steps, $rss->last() / 1024, isset($member->series['peak']) ? $member->series['peak']->most() / 1024 : NAN, $slopes[0], $growth, isset($member->series['php']) ? $member->series['php']->last() / 1024 : NAN, $heap->last() / 1024, $slopes[1], $most('descriptors'), $most('open'), $most('threads'), $answered);
            $this->steepest = max($this->steepest, $rss->slope()[0] / 1024);
            $this->steepest_heap = max($this->steepest_heap, $heap->slope()[0] / 1024);
            if ($member->fault !== null) {
                $this->faults[] = "$who: $member->fault";
            }
            foreach (['memory' => $rss, "heap's use" => $heap] as $what => $series) {
                [$slope, $error] = $series->slope();
                if ($seconds < self::SLOPE_FROM_S || $slope - $error <= self::SLOPE_KIB && $slope + $error > self::SLOPE_KIB) {
                    $this->undecided[$what] = ($this->undecided[$what] ?? 0) + 1;
                } elseif ($slope > self::SLOPE_KIB) {
                    $this->faults[] = sprintf('%s: its %s grows by %.1f MiB an hour, or %.1f at the least', $who, $what, $slope / 1024, ($slope - $error) / 1024);
                }
            }
            if ($growth > ($seconds < self::SLOPE_FROM_S ? self::EARLY_GROWTH_KIB : self::GROWTH_KIB)) {
                $this->faults[] = "$who: its memory has grown by $growth KiB between the second third of the run and the last";
            }
            foreach (['descriptors' => 'descriptors', 'threads' => 'threads', 'open' => 'open connections', 'idle' => 'idle connections'] as $name => $what) {
                $series = $member->series[$name] ?? null;
                if ($series !== null && $series->growth() > self::MORE) {
                    $this->faults[] = "$who: its $what have grown by {$series->growth()}, to " . $series->last();
                }
            }
        }
        foreach ($this->undecided as $what => $count) {
            echo "the run is too short to say of $count of them whether their $what grows by 1 MiB/h: there only growth between the last two thirds of it was judged\n";
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
