<?php
/*
 * Random values, and how they are written in SQL. Texts are UTF-8 here; keys are drawn from few pieces, so that they meet each other.
 */

declare(strict_types=1);

final class Values
{
    /** What ports, servers and drivers may take for something else. */
    private const PIECES = ['a', 'A', 'b', 'key', 'Key', 'ä', 'Ä', 'ß', 'ss', 'é', "e\u{301}", '😀', '漢', 'ŀ', 'İ', 'i', '|', '||', '.', '@@', '@>', '@<', '@', '<', '>', ' ', '  ', "\t", "\r\n", "\n", "\0", "\1",
        "\x7f", "\x10", "\r\nEND\r\n", "VALUE x 0 1\r\n", "'", "''", '"', '\\', '%', '_', '`', 'NULL', '0', '1', '7', '1x', '-1', '1.0', '0x31', '?', ':a', '--', '#', '/*', '*/', ';', 'ＡＢ', "\u{ad}", "\u{200b}", '¥'];

    private const NUMBERS = ['0', '1', '2', '3', '5', '7', '10', '42', '-1', '-2', '-5', '100', '126', '127', '128', '-128', '-129', '255', '256', '257', '261', '32767', '-32768', '65535', '65536', '8388607', '16777215',
        '2147483647', '2147483648', '-2147483648', '-2147483649', '4294967295', '4294967296', '4294967301', '9223372036854775807', '9223372036854775808', '-9223372036854775808', '18446744073709551615', '18446744073709551616'];

    public static function text(Dice $dice, int $most): string
    {
        if ($dice->one_in(25)) {
            return '';
        }
        $text = $dice->any(self::PIECES);
        while ($dice->one_in(2)) {
            $text .= $dice->any(self::PIECES);
        }
        if ($dice->one_in(30)) { // about the longest key that memcached takes
            $text = str_repeat($text, 1 + intdiv($dice->number(230, 260), strlen($text)));
        }
        if ($dice->one_in(8)) {
            $text .= ' ';
        }
        return iconv_substr($text, 0, $most, 'UTF-8');
    }

    public static function bytes(Dice $dice, int $most): string
    {
        $text = $dice->one_in(4) ? "\xff\x00\x80" . $dice->any(self::PIECES) : self::text($dice, $most);
        return substr($text, 0, $most);
    }

    /** One that every protocol can carry as a key. */
    public static function plain(Dice $dice, int $most): string
    {
        $text = $dice->any(['a', 'A', 'b', 'key', 'Key', 'user:', 'x.y', '|', '1', '42', '-', '_', '%', "'", '"', '\\', $dice->any(['ä', 'ß', '😀', '漢', '@'])]);
        while ($dice->one_in(2)) {
            $text .= $dice->any(['a', 'A', 'z', '7', '.', '|', '/', $dice->any(['é', '😀', '\\', ' '])]);
        }
        return iconv_substr($text, 0, $most, 'UTF-8');
    }

    public static function number(Dice $dice, string $least, string $most): string
    {
        $fits = array_values(array_filter(self::NUMBERS, fn(string $number) => self::compare($number, $least) >= 0 && self::compare($number, $most) <= 0));
        return $dice->any($fits);
    }

    /** Any of the numbers, of whatever column. */
    public static function any_number(Dice $dice): string
    {
        return $dice->any(self::NUMBERS);
    }

    private static function compare(string $one, string $other): int
    {
        $negative = str_starts_with($one, '-');
        if ($negative !== str_starts_with($other, '-')) {
            return $negative ? -1 : 1;
        }
        $sign = $negative ? -1 : 1;
        return $sign * (strlen($one) <=> strlen($other) ?: strcmp($one, $other));
    }

    /** A text near another one: of another case, with another end, or with what collations take for the same. */
    public static function near(Dice $dice, string $text): string
    {
        return match ($dice->number(1, 9)) {
            1 => strtoupper($text),
            2 => ucfirst($text),
            3 => "$text ",
            4 => rtrim($text, ' '),
            5 => " $text",
            6 => str_replace(['ä', 'ß', 'a'], ['a', 'ss', 'á'], $text),
            7 => "$text\0",
            8 => "$text.",
            9 => substr($text, 0, -1),
        };
    }

    /** As it is written where neither character sets nor sql_mode have a say. */
    public static function exact(string $text, bool $is_text): string
    {
        return $text === '' ? "''" : ($is_text ? '_utf8mb4 ' : '') . '0x' . bin2hex($text);
    }

    /** Between quotes, in this or that style of escaping; where sql_mode has no backslashes it is another text, if any. */
    public static function quoted(Dice $dice, string $text, string $quote = "'"): string
    {
        $style = $dice->number(0, 5);
        $escapes = match (true) {
            $style <= 2 => ['\\' => '\\\\', $quote => $quote . $quote],
            $style <= 4 => ['\\' => '\\\\', $quote => "\\$quote", "\0" => '\0', "\n" => '\n', "\r" => '\r', "\x1a" => '\Z'],
            default => ['\\' => '\\\\', $quote => "\\$quote", "\0" => '\0', "\t" => '\t', "\n" => '\n', 'a' => '\a', '_' => '_', '"' => '\"', 'k' => '\k'],
        };
        return $quote . strtr($text, $escapes) . $quote;
    }
}
