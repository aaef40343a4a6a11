<?php
/*
 * The types of columns: those that ports are known to answer as SQL does, and all kinds of others.
 */

declare(strict_types=1);

/** A column's type; of: text, bytes, int or raw (whose values are a list of literals). */
final class Kind
{
    /** @param list<string> $raw */
    private function __construct(
        public readonly string $type,
        public readonly string $of,
        public readonly int $most = 0,
        public readonly array $raw = [],
        public readonly string $least_number = '0',
        public readonly string $most_number = '0',
        public readonly bool $is_large = false,
        public readonly bool $crashes = false,
    ) {
    }

    private static function text(string $type, int $most, string $charset, bool $is_large = false): self
    {
        return new self("$type CHARACTER SET $charset", 'text', $most, is_large: $is_large);
    }

    private static function bytes(string $type, int $most, bool $is_large = false): self
    {
        return new self($type, 'bytes', $most, is_large: $is_large);
    }

    private static function int(string $type, string $least, string $most, bool $crashes = false): self
    {
        return new self($type, 'int', 0, [], $least, $most, false, $crashes);
    }

    private static function raw(string $type, array $values, bool $crashes = false): self
    {
        return new self($type, 'raw', raw: $values, crashes: $crashes);
    }

    /** @return list<self> keys that ports are asked for */
    public static function good_keys(string $server): array
    {
        $newest = match ($server) {
            'mysql80' => [self::text('VARCHAR(40)', 40, 'utf8mb4 COLLATE utf8mb4_0900_ai_ci'), self::text('VARCHAR(40)', 40, 'utf8mb4 COLLATE utf8mb4_0900_bin')],
            'mariadb' => [self::text('VARCHAR(40)', 40, 'utf8mb4 COLLATE utf8mb4_nopad_bin'), self::text('VARCHAR(40)', 40, 'utf8mb4 COLLATE utf8mb4_uca1400_ai_ci')],
            default => [],
        };
        return [
            ...$newest,
            self::text('VARCHAR(40)', 40, 'utf8mb4 COLLATE utf8mb4_bin'),
            self::text('VARCHAR(40)', 40, 'utf8mb4 COLLATE utf8mb4_general_ci'),
            self::text('VARCHAR(180)', 180, 'utf8mb4 COLLATE utf8mb4_unicode_ci'),
            self::text('VARCHAR(3)', 3, 'utf8mb4 COLLATE utf8mb4_german2_ci'),
            self::text('VARCHAR(30)', 30, 'latin1 COLLATE latin1_swedish_ci'),
            self::text('VARCHAR(255)', 255, 'latin1 COLLATE latin1_german2_ci'),
            self::text('VARCHAR(20)', 20, 'ascii COLLATE ascii_bin'),
            self::text('VARCHAR(20)', 20, 'utf8 COLLATE utf8_general_ci'),
            self::int('INT', '-2147483648', '2147483647'),
            self::int('INT', '-2147483648', '2147483647'),
            ...($server === 'mysql56' ? [self::int('INT', '-2147483648', '2147483647')] : [
                self::int('BIGINT', '-9223372036854775808', '9223372036854775807'),
                self::int('TINYINT', '-128', '127'),
                self::int('SMALLINT', '-32768', '32767'),
                self::int('INT UNSIGNED', '0', '4294967295'),
                self::int('BIGINT UNSIGNED', '0', '18446744073709551615'),
            ]),
        ];
    }

    /** @return list<self> values that ports give as SQL does */
    public static function good_values(string $server): array
    {
        return [
            self::text('VARCHAR(100)', 100, 'utf8mb4'),
            self::text('VARCHAR(100)', 100, 'utf8mb4'),
            self::text('TEXT', 60, 'latin1'),
            self::text('MEDIUMTEXT', 60, 'utf8mb4', true),
            self::text('VARCHAR(20)', 20, 'ascii'),
            self::text('VARCHAR(50)', 50, 'utf8'),
            self::bytes('VARBINARY(60)', 60),
            self::bytes('MEDIUMBLOB', 60, true),
            self::bytes('BINARY(5)', 5),
            self::int('INT', '-2147483648', '2147483647'),
            ...($server === 'mysql56' ? [] : [self::int('BIGINT', '-9223372036854775808', '9223372036854775807'), self::int('SMALLINT UNSIGNED', '0', '65535'), self::int('TINYINT', '-128', '127')]),
        ];
    }

    /** @return list<self> what else there is */
    public static function others(string $server, bool $is_key): array
    {
        $is_old = $server === 'mysql56';
        $dates = ["'2020-01-02'", "'1000-01-01'", "'9999-12-31'", "'2020-02-29'"];
        $times = ["'2020-01-02 03:04:05'", "'1980-01-01 00:00:00'", "'2030-12-31 23:59:59'"];
        $both = [
            self::text('CHAR(10)', 10, 'utf8mb4'),
            self::text('CHAR(10)', 10, 'latin1'),
            self::text('VARCHAR(20)', 20, 'ucs2'),
            self::text('VARCHAR(20)', 20, 'gbk'),
            self::text('VARCHAR(20)', 20, 'utf8mb4 COLLATE utf8mb4_turkish_ci'),
            self::bytes('VARBINARY(20)', 20),
            self::bytes('BINARY(4)', 4),
            self::int('INT(6) ZEROFILL', '0', '4294967295', $is_old),
            self::int('MEDIUMINT', '-8388608', '8388607', $is_old),
            self::int('MEDIUMINT UNSIGNED', '0', '16777215', $is_old),
            self::int('SMALLINT UNSIGNED', '0', '65535', $is_old),
            self::int('INT UNSIGNED', '0', '4294967295', $is_old),
            self::int('TINYINT UNSIGNED', '0', '255', $is_old),
            self::int('TINYINT(1)', '-128', '127', $is_old),
            self::raw('DECIMAL(10, 2)', ['0', '1', '-1.5', '42.42', '2.50']),
            self::raw('FLOAT', ['0', '1.1', '-2.5', '1e20', '16777217']),
            self::raw('DOUBLE', ['0', '0.1', '-2.5', '1e300']),
            self::raw('DATE', $dates, true),
            self::raw('DATETIME(3)', $times, true),
            self::raw('TIMESTAMP NULL', $times, true),
            self::raw('TIME', ["'01:02:03'", "'-838:59:59'", "'00:00:00'"], true),
            self::raw('YEAR', ['2020', '1901', '2155'], true),
            self::raw("ENUM('x', 'y', 'ä')", ["'x'", "'y'", "'ä'"], true),
            self::raw("SET('x', 'y')", ["'x'", "'x,y'", "''"], true),
            self::raw('BIT(9)', ['0', '1', '257', '511'], true),
        ];
        return $is_key ? $both : [
            ...$both,
            ...($is_old ? [] : [self::raw('JSON', ["'{}'", "'[1, \"a\"]'", "'\"ä\"'", "'7'"], true), self::raw('POINT', ['POINT(1, 2)', 'POINT(0, 0)'], true)]),
            ...($server === 'mariadb' ? [self::raw('UUID', ["'123e4567-e89b-12d3-a456-426655440000'"]), self::raw('INET6', ["'::1'", "'10.0.0.1'"])] : []),
        ];
    }

    /** A value, as it is; of `raw` ones a literal. */
    public function value(Dice $dice): string
    {
        return match ($this->of) {
            'text' => Values::text($dice, $this->most),
            'bytes' => Values::bytes($dice, $this->most),
            'int' => Values::number($dice, $this->least_number, $this->most_number),
            'raw' => $dice->any($this->raw),
        };
    }

    /** A value for a key that ports are asked for; more of them can be asked for than of all. */
    public function key(Dice $dice): string
    {
        return $this->of === 'text' && !$dice->one_in(3) ? Values::plain($dice, $this->most) : $this->value($dice);
    }

    /** As it is written into the table. */
    public function literal(string $value): string
    {
        return match ($this->of) {
            'text', 'bytes' => Values::exact($value, $this->of === 'text'),
            'int', 'raw' => $value,
        };
    }
}
