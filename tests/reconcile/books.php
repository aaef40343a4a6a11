<?php
/*
 * From one balance to the next: what has moved on each side, and the sum of all that was.
 */

declare(strict_types=1);

final class Books
{
    /** How long the server may take to note what it has done, until a difference counts as one. Its counts only grow: waiting hides nothing. */
    private const PATIENCE_S = 3.0;

    /** @var array<string, array<string, int>> the figures of the last balance, and since the first */
    private array $before;
    private array $sums = ['server' => [], 'driver' => [], 'plan' => [], 'observing' => []];

    public function __construct(
        private readonly Observer $observer,
        private readonly Driver $driver,
        private readonly Plan $plan,
        private readonly Accounts $accounts,
    ) {
        // What has been before this counts nowhere, but it has to be over.
        do {
            $earlier = $this->read();
            usleep(20_000);
            $this->before = $this->read();
        } while (self::others($earlier['server']) !== self::others($this->before['server']));
    }

    /** @return array<string, array<string, int>> */
    private function read(): array
    {
        // The observer's statements come last: none of them is among what the driver has counted by then.
        return [
            'plan' => $this->plan->count(),
            'driver' => $this->driver->count(),
            'observing' => $this->observer->counted(),
            'server' => $this->observer->observe(),
        ];
    }

    private static function others(array $figures): array
    {
        return array_filter($figures, fn(string $name) => !str_starts_with($name, 'own ') && !str_starts_with($name, 'digest '), ARRAY_FILTER_USE_KEY);
    }

    /** @return list<Line> those that do not add up */
    public function balance(): array
    {
        $until = microtime(true) + self::PATIENCE_S;
        do {
            $now = $this->read();
            $moved = [];
            foreach ($now as $side => $figures) {
                $moved[$side] = self::moved($this->before[$side], $figures);
            }
            $lines = $this->lines($moved);
            $wrong = array_values(array_filter($lines, fn(Line $line) => $line->left() !== 0));
        } while ($wrong !== [] && microtime(true) < $until && usleep(5000) === null);
        $this->before = $now;
        foreach ($moved as $side => $figures) {
            foreach ($figures as $name => $number) {
                $this->sums[$side][$name] = ($this->sums[$side][$name] ?? 0) + $number;
            }
        }
        return $wrong;
    }

    /** @return list<Line> of all balances together */
    public function total(): array
    {
        return $this->lines($this->sums);
    }

    /**
     * What could be counted wrongly without being noticed: each figure that has moved is altered by one, and some line must not add up then.
     *
     * @return array{int, list<string>} how many were altered, and which of them nobody noticed
     */
    public function alter(): array
    {
        [$altered, $unnoticed] = [0, []];
        foreach ($this->sums as $side => $figures) {
            foreach (array_filter($figures) as $name => $number) {
                if ($this->accounts->only_told($side, $name)) {
                    continue;
                }
                $altered++;
                $this->sums[$side][$name]++;
                $is_noticed = array_filter($this->total(), fn(Line $line) => $line->left() !== 0) !== [];
                $this->sums[$side][$name]--;
                $is_noticed || $unnoticed[] = "$name ($side)";
            }
        }
        return [$altered, $unnoticed];
    }

    /** @return list<string> what the driver has sent by itself */
    public function own(): array
    {
        $own = array_filter(array_keys(array_filter($this->sums['driver'])), fn(string $name) => str_starts_with($name, 'own '));
        return array_values(array_map(fn(string $name) => substr($name, 4), $own));
    }

    /** @return list<Line> */
    private function lines(array $moved): array
    {
        return $this->accounts->balance($moved['server'], $moved['driver'], $moved['plan'], $moved['observing']);
    }

    /** What has become more or less, and what always has a line. */
    private static function moved(array $before, array $now): array
    {
        $moved = [];
        foreach ($now as $name => $number) {
            $moved[$name] = $number - ($before[$name] ?? 0);
        }
        return $moved;
    }

    /** How many commands the driver has sent. */
    public function commands(): int
    {
        return array_sum(array_filter($this->sums['driver'], fn(string $name) => str_starts_with($name, 'COM_'), ARRAY_FILTER_USE_KEY));
    }

    public function connections(): int
    {
        return $this->sums['driver']['attempts'];
    }
}
