<?php
/*
 * The proof that the comparison can fail: now and then one thing that came of a step is altered a little (a value's type, one of its bytes, a
 * property of a column, a counter, an error), and the comparison must notice each.
 */

declare(strict_types=1);

final class Spoiler
{
    /** What must have been altered at least once on each surface, as it is called in an outcome. */
    public const ALL = [
        'mysqli' => ['rows', 'num_rows', 'field_count', 'type', 'lengths', 'errno', 'error', 'sqlstate', 'affected_rows', 'insert_id', 'warning_count', 'info', 'name', 'orgname', 'table', 'orgtable', 'def', 'db', 'catalog', 'max_length', 'length', 'charsetnr', 'flags', 'decimals', 'fetched', 'thrown'],
        'pdo' => ['fetched', 'rows', 'columns', 'native_type', 'pdo_type', 'flags', 'table', 'name', 'len', 'precision', 'code', 'info', 'in transaction', 'id', 'modes', 'closed', 'thrown'],
    ];

    /** @var array<string, int> how often each was altered, and noticed */
    public array $noticed = [];
    /** @var array<string, int> what was not noticed */
    public array $missed = [];
    private ?string $altered = null;

    public function __construct(private readonly Dice $dice)
    {
    }

    /** What came of a step, altered in one place of three times out of four. */
    public function of(array $outcome): array
    {
        $this->altered = null;
        if (!$this->dice->one_in(4)) {
            $places = [];
            $this->find($outcome, [], $places);
            // What was altered least goes first.
            $this->dice->one_in(2) && usort($places, fn(array $one, array $other) => ($this->noticed[self::named($one)] ?? 0) <=> ($this->noticed[self::named($other)] ?? 0));
            $place = $this->dice->one_in(2) ? $places[0] : $this->dice->any($places);
            $leaf = &$outcome;
            foreach ($place as $key) {
                $leaf = &$leaf[$key];
            }
            $before = $leaf;
            $leaf = $this->altered($leaf);
            if ($leaf !== $before) {
                $this->altered = self::named($place);
            }
        }
        return $outcome;
    }

    /** @return bool whether this step was altered, and so is no difference of the driver's */
    public function has_judged(bool $differs): bool
    {
        if ($this->altered === null) {
            return false;
        }
        $in = $differs ? 'noticed' : 'missed';
        $this->$in[$this->altered] = ($this->$in[$this->altered] ?? 0) + 1;
        $this->altered = null;
        return true;
    }

    private function find(array $outcome, array $path, array &$places): void
    {
        foreach ($outcome as $key => $value) {
            if (is_array($value) && $value !== []) {
                $this->find($value, [...$path, $key], $places);
            } elseif (!is_object($value)) {
                $places[] = [...$path, $key];
            }
        }
    }

    /** The last name on the way there; those of columns are the test's own, and say less than what is around them. */
    private static function named(array $path): string
    {
        if (in_array('fetched', $path, true)) {
            return 'fetched';
        }
        $names = array_filter($path, fn(int|string $key) => in_array($key, self::ALL['mysqli'], true) || in_array($key, self::ALL['pdo'], true));
        return $names === [] ? (in_array('thrown', $path, true) ? 'thrown' : 'other') : (string) end($names);
    }

    private function altered(mixed $value): mixed
    {
        $is_bit = $this->dice->one_in(2);
        return match (true) {
            $value === null => '',
            is_bool($value) => (int) $value,
            is_int($value) => $is_bit ? $value ^ 1 : (string) $value,
            is_float($value) => (string) $value,
            $value === '' => null,
            $value === [] => [null],
            ctype_digit($value) && $is_bit => (int) $value,
            default => substr_replace($value, $value[-1] ^ "\1", -1),
        };
    }
}
