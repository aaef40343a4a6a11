<?php
/*
 * The differences that are meant. An entry of the ledger:
 *
 *     [STEP]               the step that differs first, as PHP writes it; in all patterns * and ? stand for anything, {+} for a number above
 *                          zero, {a} for anything that is the same wherever the entry says {a}
 *     [STEP] on mysql80    only on this server
 *     [STEP] since 8.4     only in these versions of PHP; or: until 8.3
 *     the reason, one or more lines
 *     < STEP               one of the steps before it; of several such lines one must fit
 *     & STEP               one of the steps between that and it; of several such lines one must fit
 *     > a step             the steps of the shortest sequence that shows it, which is always played
 *     - a line of stock's  together these must be the step's whole difference
 *     + a line of ours
 *     -* a line            any number of such lines, also none; +* of ours
 *
 * Where ours crashes no entry fits.
 */

declare(strict_types=1);

final class Known
{
    /** @var list<array{line: string, names: list<string>, before: list<string>, between: list<string>, steps: list<string>, reason: string, difference: list<string>}> */
    private array $entries = [];
    /** @var array<int, int> how often each was met, but for its own sequence */
    private array $met = [];

    public function __construct(string $path, string $server)
    {
        $entry = null;
        foreach ([...(is_file($path) ? file($path, FILE_IGNORE_NEW_LINES) : []), '[]'] as $line) {
            if (preg_match('/^\[(.*)\](?: on (\w+))?(?: (since|until) (\d+\.\d+))?$/', $line, $match)) {
                if (($entry['reason'] ?? '') !== '') {
                    $entry['difference'] !== [] && $entry['steps'] !== [] || throw new Exception("the ledger's entry {$entry['line']} has no steps or no difference");
                    if ($entry['names'] !== []) { // else it is about other servers
                        $this->entries[] = $entry;
                    }
                    $entry = null;
                }
                $entry ??= ['line' => $line, 'names' => [], 'before' => [], 'between' => [], 'steps' => [], 'reason' => '', 'difference' => []];
                $is_version = !isset($match[3]) || version_compare(PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, $match[4], $match[3] === 'since' ? '>=' : '<=');
                if ($is_version && in_array($match[2] ?? '', ['', $server], true)) {
                    $entry['names'][] = $match[1];
                }
            } elseif (preg_match('/^([<&>]) (.+)$/', $line, $match)) {
                $entry[['<' => 'before', '&' => 'between', '>' => 'steps'][$match[1]]][] = $match[2];
            } elseif (preg_match('/^[-+]/', $line)) {
                $entry['difference'][] = $line;
            } elseif (trim($line) !== '' && !str_starts_with($line, '#')) {
                $entry['reason'] .= $line;
            }
        }
    }

    /**
     * Whether an entry says so.
     *
     * @param list<string> $difference
     * @param list<string> $sequence in which the step is
     */
    public function has(string $step, array $difference, array $sequence): bool
    {
        foreach (array_keys($this->entries) as $number) {
            if ($this->is($number, $step, $difference, $sequence)) {
                $this->met[$number] = ($this->met[$number] ?? 0) + 1;
                return true;
            }
        }
        return false;
    }

    /**
     * @param list<string> $difference
     * @param list<string> $sequence
     */
    public function is(int $number, string $step, array $difference, array $sequence): bool
    {
        $entry = $this->entries[$number];
        if (preg_grep('/^\+ .*(\(killed by signal|zend_mm_heap corrupted)/', $difference) !== []) {
            return false;
        }
        $places = array_keys($sequence, $step, true);
        $steps_before = array_map(fn(string $step) => "$step\n", array_slice($sequence, 0, $places === [] ? null : end($places)));
        foreach ([$entry['before'], $entry['between']] as $patterns) {
            $fitting = array_map(fn(string $pattern) => array_key_first(preg_grep(self::expression($pattern), $steps_before)), $patterns);
            $fitting = array_filter($fitting, is_int(...));
            if ($patterns !== [] && $fitting === []) {
                return false;
            }
            $steps_before = $fitting === [] ? $steps_before : array_slice($steps_before, min($fitting) + 1);
        }
        $text = implode("\n", [$step, ...self::stock_first($difference)]) . "\n";
        $lines = implode("\n", self::stock_first($entry['difference']));
        foreach ($entry['names'] as $name) {
            if (preg_match(self::expression("$name\n$lines"), $text) === 1) {
                return true;
            }
        }
        return false;
    }

    /** A pattern of one line or more. */
    private static function expression(string $pattern): string
    {
        $seen = [];
        $lines = array_map(function (string $line) use (&$seen): string {
            $is_repeated = preg_match('/^([-+])\*(.*)$/', $line, $match) === 1;
            $parts = preg_split('/(\{[a-z+]\}|[*?])/', $is_repeated ? $match[1] . $match[2] : $line, -1, PREG_SPLIT_DELIM_CAPTURE);
            $parts = array_map(function (string $part) use (&$seen): string {
                return match (true) {
                    $part === '*' => '[^\n]*',
                    $part === '?' => '[^\n]',
                    $part === '{+}' => '[1-9][0-9]*',
                    preg_match('/^\{([a-z])\}$/', $part, $match) !== 1 => preg_quote($part, '/'),
                    isset($seen[$match[1]]) => "\\k<$match[1]>",
                    default => ($seen[$match[1]] = "(?<$match[1]>[^\n]*)"),
                };
            }, $parts);
            return $is_repeated ? '(?:' . implode('', $parts) . '\n)*' : implode('', $parts) . '\n';
        }, explode("\n", $pattern));
        return '/^' . implode('', $lines) . '$/D';
    }

    /** Lines of a difference, stock's before ours. */
    private static function stock_first(array $lines): array
    {
        $of_stock = array_filter($lines, fn(string $line) => $line[0] === '-');
        return [...$of_stock, ...array_diff_key($lines, $of_stock)];
    }

    public function name(int $number): string
    {
        return $this->entries[$number]['line'];
    }

    /** @return array<int, list<string>> */
    public function sequences(): array
    {
        return array_map(fn(array $entry) => $entry['steps'], $this->entries);
    }

    /** @return array<string, int> how often each entry was met, by its beginning */
    public function uses(): array
    {
        $uses = [];
        foreach ($this->entries as $number => $entry) {
            $uses["$entry[line] " . strtok($entry['reason'], '.;')] = $this->met[$number] ?? 0;
        }
        return $uses;
    }
}
