<?php
/*
 * The one source of what is random.
 */

declare(strict_types=1);

/** Chance, the same for the same seed. */
final class Dice
{
    private readonly Random\Randomizer $random;

    public function __construct(int $seed)
    {
        $this->random = new Random\Randomizer(new Random\Engine\Mt19937($seed));
    }

    public function number(int $from, int $to): int
    {
        return $this->random->getInt($from, $to);
    }

    public function one_in(int $many): bool
    {
        return $this->number(1, $many) === 1;
    }

    public function any(array $from): mixed
    {
        return $from[$this->number(0, count($from) - 1)];
    }

    public function shuffled(array $from): array
    {
        return $this->random->shuffleArray($from);
    }
}
