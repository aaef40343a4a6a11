<?php
/*
 * What is random in tests/soak: all of a step follows from the seed, the process and the step's number, so that a step can be played again by itself.
 */

declare(strict_types=1);

final class Dice
{
    private readonly Random\Randomizer $random;

    public function __construct(int $seed, int $process, int $step)
    {
        $this->random = new Random\Randomizer(new Random\Engine\Xoshiro256StarStar(hash('sha256', "$seed $process $step", true)));
    }

    public function number(int $least, int $most): int
    {
        return $this->random->getInt($least, $most);
    }

    public function one_in(int $n): bool
    {
        return $this->random->getInt(1, $n) === 1;
    }

    /**
     * @template T
     *
     * @param non-empty-list<T> $list
     *
     * @return T
     */
    public function any(array $list): mixed
    {
        return $list[$this->random->getInt(0, count($list) - 1)];
    }

    /** @param non-empty-array<string, positive-int> $weights */
    public function weighted(array $weights): string
    {
        $left = $this->random->getInt(1, array_sum($weights));
        foreach ($weights as $name => $weight) {
            $left -= $weight;
            if ($left <= 0) {
                return $name;
            }
        }
        throw new LogicException('the weights changed');
    }
}
