<?php
/*
 * Random sequences of calls, as PHP source: one expression a step. A sequence is made before anybody runs it, of what probably is in each
 * variable by then, and is the same for the same seed and stub files. Each surface has its own steps.
 */

declare(strict_types=1);

/** A surface has the constants KINDS, the name of the variables for each class, and ARGUMENTS, the class that makes those. */
abstract class Sequence
{
    protected const STEPS = 20;
    private const OF_A_KIND = 3;

    protected readonly Dice $dice;
    protected readonly Arguments $arguments;
    /** @var array<string, list<int>> the numbers of the variables of each kind that were set */
    protected array $set;

    /** @param array{calls: list<array>, properties: array<string, list<string>>, constants: list<string>} $catalogue */
    final protected function __construct(protected readonly array $catalogue, int $seed)
    {
        $this->dice = new Dice($seed);
        $this->arguments = new (static::ARGUMENTS)($this->dice);
        $this->set = array_fill_keys(array_values(static::KINDS), []);
    }

    /** @return list<string> */
    final public static function of(array $catalogue, int $seed): array
    {
        $sequence = new static($catalogue, $seed);
        $steps = [$sequence->first()];
        while (count($steps) < static::STEPS) {
            $steps[] = $sequence->step();
        }
        return $sequence->harmless($steps);
    }

    /**
     * The steps without what spoils the memory of PHP itself, whatever the driver: what comes after that can't be compared.
     *
     * @param list<string> $steps
     * @return list<string>
     */
    protected function harmless(array $steps): array
    {
        return $steps;
    }

    abstract protected function first(): string;

    abstract protected function step(): string;

    /**
     * The arguments of a call, where they have to fit each other.
     *
     * @param list<string> $arguments
     * @return list<string>
     */
    abstract protected function fitting(array $call, array $arguments): array;

    /** A variable of this kind: one that was set, most of the time. */
    protected function some(string $kind): string
    {
        $number = $this->set[$kind] === [] || $this->dice->one_in(40) ? $this->dice->number(0, self::OF_A_KIND - 1) : $this->dice->any($this->set[$kind]);
        return "\$$kind$number";
    }

    /** A variable of this kind to set, as the beginning of an assignment. */
    protected function into(string $kind): string
    {
        $number = $this->dice->number(0, self::OF_A_KIND - 1);
        if (!in_array($number, $this->set[$kind], true)) {
            $this->set[$kind][] = $number;
        }
        return "\$$kind$number = ";
    }

    protected static function number(string $variable): int
    {
        return (int) substr($variable, -1);
    }

    /** Any call of the catalogue for which there are objects. */
    protected function call(): string
    {
        do {
            $call = $this->dice->any($this->catalogue['calls']);
            $kind = static::KINDS[$call['class'] ?? $call['parameters'][0]['type'] ?? ''] ?? null;
        } while ($kind !== null && $this->set[$kind] === [] && !$this->dice->one_in(15));
        $link = null;
        $arguments = [];
        foreach ($call['parameters'] as $parameter) {
            if ($parameter['optional'] && ($parameter['variadic'] || $this->dice->one_in(2))) {
                break;
            }
            $of = static::KINDS[$parameter['type']] ?? null;
            if ($of !== null) {
                $argument = $this->dice->one_in(30) ? $this->dice->any(['null', '1', 'new stdClass', '$result0', '$stmt0', '$link0', '$warning0']) : $this->some($of);
                $link ??= $of === 'link' ? self::number($argument) : null;
            } else {
                $argument = $this->arguments->for($parameter, $call['name'] === '__construct' ? $call['class'] : $call['name'], $link ?? 0);
            }
            $arguments[] = $argument;
        }
        if (end($call['parameters'])['variadic'] ?? false) {
            array_push($arguments, ...array_slice(['$a', '$b', '$c', '$a'], $this->dice->number(0, 1), $this->dice->number(0, 3)));
        }
        $arguments = $this->fitting($call, $arguments);
        if ($this->dice->one_in(40)) {
            $this->dice->one_in(2) || str_starts_with((string) end($arguments), '...') ? array_pop($arguments) : $arguments[] = '1';
        }
        $list = '(' . implode(', ', $arguments) . ')';
        $text = match (true) {
            $call['name'] === '__construct' => "new {$call['class']}$list",
            $call['static'] => "{$call['class']}::{$call['name']}$list",
            $call['class'] === null => $call['name'] . $list,
            isset(static::KINDS[$call['class']]) => $this->some(static::KINDS[$call['class']]) . "->{$call['name']}$list",
            default => "(new {$call['class']})->{$call['name']}$list",
        };
        $made = $call['name'] === '__construct' ? $call['class'] : $call['returns'];
        foreach (static::KINDS as $class => $kind) {
            if (preg_match('/\b' . preg_quote($class) . '\b/', $made) && !$this->dice->one_in(8)) {
                return $this->into($kind) . $text;
            }
        }
        return $text;
    }
}
