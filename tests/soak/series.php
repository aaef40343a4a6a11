<?php
/*
 * A figure over time: does it grow?
 *
 * What a process keeps goes up and down with what it just did, so of each fortieth of the run the lowest counts, which a leak raises too. The first third is warming up.
 */

declare(strict_types=1);

final class Series
{
    private const WINDOWS = 40;
    /** @var list<array{float, float}> seconds, value */
    private array $points = [];

    public function add(float $seconds, float $value): void
    {
        $this->points[] = [$seconds, $value];
    }

    public function last(): float
    {
        return $this->points === [] ? NAN : end($this->points)[1];
    }

    public function most(): float
    {
        return $this->points === [] ? NAN : max(array_column($this->points, 1));
    }

    /** @return list<array{float, float}> the lowest of each window, from the last two thirds */
    private function lowest(): array
    {
        $end = $this->points === [] ? 0.0 : end($this->points)[0];
        $windows = [];
        foreach ($this->points as [$seconds, $value]) {
            if ($seconds >= $end / 3) {
                $window = (int) ($seconds / $end * self::WINDOWS);
                if (!isset($windows[$window]) || $value < $windows[$window][1]) {
                    $windows[$window] = [$seconds, $value];
                }
            }
        }
        return array_values($windows);
    }

    /**
     * By least squares, of an hour.
     *
     * @return array{float, float} the slope, and what it may be off by: twice its standard error, which is the wider the more each point resembles the one before
     */
    public function slope(): array
    {
        $points = $this->lowest();
        $n = count($points);
        if ($n < 4) {
            return [0.0, INF];
        }
        $x = array_column($points, 0);
        $y = array_column($points, 1);
        [$mean_x, $mean_y] = [array_sum($x) / $n, array_sum($y) / $n];
        $xx = $xy = 0.0;
        foreach ($points as [$seconds, $value]) {
            $xx += ($seconds - $mean_x) ** 2;
            $xy += ($seconds - $mean_x) * ($value - $mean_y);
        }
        $slope = $xy / $xx;
        $off = array_map(fn(array $point) => $point[1] - $mean_y - $slope * ($point[0] - $mean_x), $points);
        $squares = array_sum(array_map(fn(float $one) => $one ** 2, $off));
        $resembling = $squares > 0 ? array_sum(array_map(fn(float $one, float $next) => $one * $next, array_slice($off, 0, -1), array_slice($off, 1))) / $squares : 0.0;
        $resembling = max(0.0, min(0.9, $resembling));
        return [$slope * 3600, 2 * sqrt($squares / ($n - 2) / $xx * (1 + $resembling) / (1 - $resembling)) * 3600];
    }

    /** By how much the last third's lowest, in the middle, is above the second third's. */
    public function growth(): float
    {
        $values = array_column($this->lowest(), 1);
        if (count($values) < 4) {
            return 0.0;
        }
        $middle = function (array $some): float {
            sort($some);
            return $some[intdiv(count($some), 2)];
        };
        $half = intdiv(count($values), 2);
        return $middle(array_slice($values, $half)) - $middle(array_slice($values, 0, $half));
    }
}
