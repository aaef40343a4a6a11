<?php
/*
 * Comparing texts: what differs line by line, and the patterns of phpt's EXPECTF.
 */

declare(strict_types=1);

/** Above this many pairs of lines the texts are shown as wholly different: the exact way takes too much memory. */
const MOST_PAIRS = 4_000_000;

/**
 * What turns one text into the other, without what they share: lines that begin with "- " or "+ ".
 *
 * @return list<string>
 */
function difference(string $expected, string $actual, ?Closure $same = null): array
{
    $same ??= fn(string $left, string $right): bool => $left === $right;
    $a = explode("\n", rtrim($expected, "\n"));
    $b = explode("\n", rtrim($actual, "\n"));
    while ($a !== [] && $b !== [] && $same($a[0], $b[0])) {
        array_shift($a);
        array_shift($b);
    }
    while ($a !== [] && $b !== [] && $same(end($a), end($b))) {
        array_pop($a);
        array_pop($b);
    }
    $height = count($a);
    $width = count($b);
    $longest = [];
    if ($height * $width <= MOST_PAIRS) {
        // $longest[$i][$j]: how many lines the rests from $i and $j on share.
        $longest = array_fill(0, $height + 1, array_fill(0, $width + 1, 0));
        for ($i = $height - 1; $i >= 0; $i--) {
            for ($j = $width - 1; $j >= 0; $j--) {
                $longest[$i][$j] = $same($a[$i], $b[$j]) ? $longest[$i + 1][$j + 1] + 1 : max($longest[$i + 1][$j], $longest[$i][$j + 1]);
            }
        }
    }
    $lines = [];
    for ($i = $j = 0; $i < $height || $j < $width;) {
        if ($longest !== [] && $i < $height && $j < $width && $same($a[$i], $b[$j])) {
            $i++;
            $j++;
        } elseif ($j >= $width || ($i < $height && ($longest === [] || $longest[$i + 1][$j] >= $longest[$i][$j + 1]))) {
            $lines[] = "- {$a[$i]}";
            $i++;
        } else {
            $lines[] = "+ {$b[$j]}";
            $j++;
        }
    }
    return $lines;
}

/** A line, or text, of phpt's EXPECTF as a regular expression. */
function expectf(string $pattern): string
{
    $parts = preg_split('/(%[sSaAwidxfc%])/', $pattern, -1, PREG_SPLIT_DELIM_CAPTURE);
    $expressions = [
        '%s' => '[^\r\n]+', '%S' => '[^\r\n]*', '%a' => '.+', '%A' => '.*', '%w' => '\s*', '%i' => '[+-]?\d+', '%d' => '\d+',
        '%x' => '[0-9a-fA-F]+', '%f' => '[+-]?\.?\d+\.?\d*(?:[Ee][+-]?\d+)?', '%c' => '.', '%%' => '%',
    ];
    return '/^' . implode('', array_map(fn(string $part) => $expressions[$part] ?? preg_quote($part, '/'), $parts)) . '$/sD';
}

/** Cuts a text that nobody would read to its end. */
function cut(string $text, int $lines = 60): string
{
    $all = explode("\n", $text);
    $text = count($all) <= $lines ? $text : implode("\n", array_slice($all, 0, $lines)) . "\n... (" . (count($all) - $lines) . ' more lines)';
    return preg_replace('/^(.{1000}).+$/m', '$1...', $text);
}
