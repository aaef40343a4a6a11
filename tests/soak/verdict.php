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
    /** What is judged by its slope, and what that is at most, in MiB an hour. */
    private const JUDGED = ['rest' => 'RSS without PHP\'s heap', 'used' => 'use of PHP\'s heap', 'heap' => 'use of the C library\'s heap'];
    /** @var array<string, float> */
    public array $steepest = ['rss' => -INF, 'rest' => -INF, 'used' => -INF, 'heap' => -INF];
    /** @var array<string, int> of how many processes the run does not say */
    private array $undecided = [];

    /** @param list<Member> $members */
    public function processes(array $members, float $seconds): void
    {
        $row = "%-3s %-8s %-4s %8s %8s %8s %14s %10s %14s %8s %8s %14s %8s %14s %6s %6s %5s %8s\n";
        printf($row, '#', 'server', 'as', 'steps', 'RSS MiB', 'peak', 'slope MiB/h', 'growth KiB', 'without PHP', 'PHP MiB', 'used MiB', 'slope MiB/h', 'heap MiB', 'slope MiB/h', 'files', 'conns', 'thr.', 'by port');
        foreach ($members as $member) {
            $who = "process $member->number";
            $series = fn(string $name) => $member->series[$name] ?? new Series();
            $growth = $series('rss')->growth();
            $most = fn(string $name) => isset($member->series[$name]) ? (string) $member->series[$name]->most() : '-';
            $mib = fn(float $kib) => sprintf('%.2f', $kib / 1024);
            $slope = fn(string $name) => vsprintf('%+.2f ± %.2f', array_map(fn(float $kib) => $kib / 1024, $series($name)->slope()));
            $answered = isset($member->series['answered']) ? (string) $member->series['answered']->last() : '-';
            printf($row, $member->number, $member->server, $member->is_fpm ? 'FPM' : 'CLI', $member->steps, $mib($series('rss')->last()), $mib($series('peak')->most()), $slope('rss'), $growth, $slope('rest'), $mib($series('php')->last()), $mib($series('used')->last()), $slope('used'), $mib($series('heap')->last()), $slope('heap'), $most('descriptors'), $most('open'), $most('threads'), $answered);
            foreach (array_keys($this->steepest) as $name) {
                $this->steepest[$name] = max($this->steepest[$name], $series($name)->slope()[0] / 1024);
            }
            if ($member->fault !== null) {
                $this->faults[] = "$who: $member->fault";
            }
            foreach (self::JUDGED as $name => $what) {
                [$grows, $error] = $series($name)->slope();
                if ($seconds < self::SLOPE_FROM_S || $grows - $error <= self::SLOPE_KIB && $grows + $error > self::SLOPE_KIB) {
                    $this->undecided[$what] = ($this->undecided[$what] ?? 0) + 1;
                } elseif ($grows > self::SLOPE_KIB) {
                    $this->faults[] = sprintf('%s: its %s grows by %.1f MiB an hour, or %.1f at the least', $who, $what, $grows / 1024, ($grows - $error) / 1024);
                }
            }
            if ($growth > ($seconds < self::SLOPE_FROM_S ? self::EARLY_GROWTH_KIB : self::GROWTH_KIB)) {
                $this->faults[] = "$who: its memory has grown by $growth KiB between the second third of the run and the last";
            }
            foreach (['descriptors' => 'descriptors', 'threads' => 'threads', 'open' => 'open connections', 'idle' => 'idle connections'] as $name => $what) {
                if ($series($name)->growth() > self::MORE) {
                    $this->faults[] = "$who: its $what have grown by {$series($name)->growth()}, to " . $series($name)->last();
                }
            }
        }
        foreach ($this->undecided as $what => $count) {
            echo "the run is too short to say of $count of them whether their $what grows by 1 MiB/h: there only RSS was judged, by its growth between the last two thirds\n";
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
