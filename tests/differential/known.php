<?php
/*
 * The differences that are meant. An entry of the ledger:
 *
 *     [STEP]               the step that differs first, as PHP writes it; * and ? stand for anything
 *     [STEP] on mysql80    only on this server
 *     the reason, one or more lines
 *     > a step             the steps of the shortest sequence that shows it, which is always played
 *     - a line of stock's  with * and ? too; together they must be the step's whole difference
 *     + a line of ours
 *     -*                   any lines of stock's; +* any of ours
 */

declare(strict_types=1);

final class Known
{
    /** @var list<array{names: list<string>, steps: list<string>, reason: string, difference: list<string>}> */
    private array $entries = [];

    public function __construct(string $path, string $server)
    {
        $entry = null;
        foreach ([...(is_file($path) ? file($path, FILE_IGNORE_NEW_LINES) : []), '[]'] as $line) {
            if (preg_match('/^\[(.*)\](?: on (\w+))?$/', $line, $match)) {
                if (($entry['reason'] ?? '') !== '') {
                    $entry['difference'] !== [] && $entry['steps'] !== [] || throw new Exception("the ledger's entry {$entry['line']} has no steps or no difference");
                    if ($entry['names'] !== []) { // else it is about other servers
                        $this->entries[] = $entry;
                    }
                    $entry = null;
                }
                $entry ??= ['line' => $line, 'names' => [], 'steps' => [], 'reason' => '', 'difference' => []];
                if (($match[2] ?? $server) === $server) {
                    $entry['names'][] = $match[1];
                }
            } elseif (preg_match('/^([-+>])( .*|\*)$/', $line, $match)) {
                $match[1] === '>' ? $entry['steps'][] = ltrim($match[2]) : $entry['difference'][] = $line;
            } elseif (trim($line) !== '' && !str_starts_with($line, '#')) {
                $entry['reason'] .= $line;
            }
        }
    }

    /** @param list<string> $difference */
    public function has(string $step, array $difference): bool
    {
        return array_filter($this->entries, fn(array $entry) => self::matches($entry, $step, $difference)) !== [];
    }

    /** @param list<string> $difference */
    public function is(int $number, string $step, array $difference): bool
    {
        return self::matches($this->entries[$number], $step, $difference);
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

    private static function matches(array $entry, string $step, array $difference): bool
    {
        $expression = fn(string $pattern): string => strtr(preg_quote($pattern, '/'), ['\\*' => '.*', '\\?' => '.']);
        if (array_filter($entry['names'], fn(string $name) => preg_match("/^{$expression($name)}$/D", $step)) === []) {
            return false;
        }
        $lines = array_map(fn(string $line) => match ($line) {
            '-*' => '(- .*\n)*',
            '+*' => '(\+ .*\n)*',
            default => $expression($line) . '\n',
        }, $entry['difference']);
        return (bool) preg_match('/^' . implode('', self::stock_first($lines)) . '$/D', implode("\n", self::stock_first($difference)) . "\n");
    }

    /** Lines of a difference, stock's before ours; also where they are expressions. */
    private static function stock_first(array $lines): array
    {
        $of_stock = array_filter($lines, fn(string $line) => ltrim($line, '(\\')[0] === '-');
        return [...$of_stock, ...array_diff_key($lines, $of_stock)];
    }
}
