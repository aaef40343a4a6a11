<?php
/*
 * Parity: one script under stock and under Vaquita, and their outputs compared part by part; a part begins with "=== NAME".
 * A difference fails, unless the ledger has exactly it, with a reason.
 */

declare(strict_types=1);

final class Parity extends Script
{
    /**
     * MariaDB from 11.4 on ends a log-in with a proof that it has its certificate, in the place of the info, other each time:
     * stock shows it as that, ours shows no info. As prelude.php writes it, and as it is.
     */
    private const PROOF = ['/"\\\\001[0-9A-F]{64}"/' => 'null', '/\001[0-9A-F]{64}/' => ''];

    public function __construct(string $path, Place $place, private readonly Ledger $ledger)
    {
        parent::__construct($path, $place);
    }

    public function run(): Generator
    {
        $stock = $this->outcome(yield $this->command(getenv('STOCK_PHP'), $this->path));
        $ours = $this->outcome(yield $this->command(getenv('VAQUITA_PHP'), $this->path));
        $expected_end = header_words($this->source, 'exit')[0] ?? '0';
        $end = self::parts($stock)['end'] ?? "exit code 0\n";
        if ($end !== "exit code $expected_end\n") {
            return Verdict::fail("Stock itself: $end... " . implode("\n", array_slice(explode("\n", $stock), -20)), $stock);
        }
        $wrong = [];
        $expected = self::parts(preg_replace(array_keys(self::PROOF), self::PROOF, $stock));
        $actual = self::parts($ours);
        foreach ($expected + $actual as $part => $_) {
            $difference = difference($expected[$part] ?? '', $actual[$part] ?? '');
            if ($difference !== [] && !$this->ledger->has($this->script(), $this->place, (string) $part, $difference)) {
                $wrong[] = "=== $part\n" . implode("\n", $difference);
            }
        }
        return $wrong === [] ? Verdict::pass($ours) : Verdict::fail(implode("\n", $wrong), $ours);
    }

    private function script(): string
    {
        return pathinfo($this->path, PATHINFO_FILENAME);
    }

    /** @return array<string, string> the output's parts by name */
    private static function parts(string $output): array
    {
        $parts = [];
        $pieces = preg_split('/^=== (.*)\n/m', $output, -1, PREG_SPLIT_DELIM_CAPTURE);
        $parts['(before the first part)'] = $pieces[0];
        for ($i = 1; $i < count($pieces); $i += 2) {
            $name = $pieces[$i];
            while (isset($parts[$name])) {
                $name .= ' again';
            }
            $parts[$name] = $pieces[$i + 1];
        }
        return $parts;
    }
}

/**
 * The differences that are meant. An entry:
 *
 *     [SCRIPT: PART]              one or more; * and ? stand for anything
 *     [SCRIPT@SERVER: PART]       only on this server
 *     [SCRIPT: PART] since 8.4    only in these versions of PHP; or: until 8.3
 *     the reason, one or more lines
 *     - a line of stock's
 *     + a line of ours
 *
 * A part's whole difference must be that of one entry.
 */
final class Ledger
{
    /** @var list<array{line: string, names: list<string>, reason: string, difference: list<string>, used: bool}> */
    private array $entries = [];

    public function __construct(string $path)
    {
        $entry = null;
        $finish = function () use (&$entry): void {
            if ($entry !== null) {
                $entry['reason'] !== '' || throw new Exception("the ledger's entry for {$entry['line']} has no reason");
                $entry['difference'] !== [] || throw new Exception("the ledger's entry for {$entry['line']} has no difference");
                if ($entry['names'] !== []) { // else it is about other versions or servers
                    $this->entries[] = $entry;
                }
            }
            $entry = null;
        };
        foreach (is_file($path) ? file($path, FILE_IGNORE_NEW_LINES) : [] as $line) {
            if (preg_match('/^\[(.+)\](?: (since|until) (\d+\.\d+))?$/', $line, $match)) {
                if (($entry['difference'] ?? []) !== [] || ($entry['reason'] ?? '') !== '') {
                    $finish();
                }
                $entry ??= ['line' => $line, 'names' => [], 'reason' => '', 'difference' => [], 'used' => false];
                $minor = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION; // of stock, which runs this
                $is_version = !isset($match[2]) || version_compare($minor, $match[3], $match[2] === 'since' ? '>=' : '<=');
                if ($is_version && self::is_here($match[1])) {
                    $entry['names'][] = $match[1];
                }
            } elseif (preg_match('/^[-+] /', $line)) {
                $entry['difference'][] = $line;
            } elseif (trim($line) !== '' && !str_starts_with($line, '#')) {
                $entry['reason'] .= $line;
            }
        }
        $finish();
    }

    /** Whether the server that the name of an entry may tell is in the environment. */
    private static function is_here(string $name): bool
    {
        return !preg_match('/^\w+@(\w+): /', $name, $match) || (new Place($match[1], ''))->missing() === null;
    }

    /** @param list<string> $difference */
    public function has(string $script, Place $place, string $part, array $difference): bool
    {
        $has = false;
        foreach ($this->entries as &$entry) {
            $matches = array_filter($entry['names'], fn(string $name) => fnmatch($name, "$script: $part", FNM_NOESCAPE) || fnmatch($name, "$script@$place->server: $part", FNM_NOESCAPE));
            if ($matches !== [] && $entry['difference'] === $difference) {
                $has = $entry['used'] = true;
            }
        }
        return $has;
    }

    public function used(): int
    {
        return count(array_filter($this->entries, fn(array $entry) => $entry['used']));
    }

    /** @return list<string> */
    public function unused(): array
    {
        return array_map(fn(array $entry) => implode(', ', $entry['names']), array_values(array_filter($this->entries, fn(array $entry) => !$entry['used'])));
    }
}
