--TEST--
PDO: user code that closes the cursor, runs the statement again or fetches while a row's values are given away
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';

const QUERY = "SELECT 1 AS a, 'text of one' AS b, 'more of one' AS c UNION ALL SELECT 2, 'text of two', 'more of two' UNION ALL SELECT 3, 'text of three', 'more of three'";

class Meddler
{
    public static ?Closure $meddle = null;
    public array $seen = [];
    public function __set(string $name, mixed $value): void
    {
        $this->seen[] = $value;
        if ($meddle = self::$meddle) {
            self::$meddle = null;
            $meddle();
        }
    }
}

class Ending
{
    public function __construct(private Closure $end) {}
    public function __destruct() { ($this->end)(); }
}

$ways = [
    'closes the cursor' => fn($s) => $s->closeCursor(),
    'runs it again' => fn($s) => $s->closeCursor() && $s->execute(),
    'runs it again and fetches' => fn($s) => $s->closeCursor() && $s->execute() && $s->fetch(PDO::FETCH_NUM),
    'fetches' => fn($s) => $s->fetch(PDO::FETCH_NUM),
    'fetches all' => fn($s) => $s->fetchAll(PDO::FETCH_NUM),
];
foreach ($ways as $what => $way) {
    echo "$what:\n";
    $outcomes = [];
    foreach ([true, false] as $emulate) {
        foreach ([true, false] as $buffered) {
            $run = function () use ($emulate, $buffered) {
                $db = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulate, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered]);
                $s = $db->prepare(QUERY);
                $s->execute();
                return $s;
            };
            $seen = [];

            $s = $run();
            Meddler::$meddle = fn() => $way($s);
            $seen[] = text($s->fetchObject('Meddler')->seen);

            // PDO itself frees an object twice whose end fetches into the variable that held it.
            if (!str_contains($what, 'fetches')) {
                $s = $run();
                $done = false;
                $s->bindColumn(1, $a);
                $s->bindColumn(2, $b);
                $s->bindColumn(3, $c);
                $a = new Ending(function () use ($s, $way, &$done) { $done || ($done = true) && $way($s); });
                $row = $s->fetch(PDO::FETCH_NUM);
                $seen[] = text([$row, $a, $b, $c]);
            }

            $s = $run();
            $row = $s->fetch(PDO::FETCH_LAZY);
            $before = [$row->a, $row->b, $row->a];
            $way($s);
            $seen[] = text([$before, $row->a, $row->b, $row->c, $row->a]);
            $outcomes[implode("\n", $seen)][] = ($emulate ? 'emulated' : 'native') . ($buffered ? ' buffered' : ' unbuffered');
        }
    }
    foreach ($outcomes as $outcome => $hows) {
        echo implode(', ', $hows), "\n$outcome\n";
    }
}
--EXPECT--
closes the cursor:
emulated buffered, emulated unbuffered, native buffered, native unbuffered
[1, null, null]
[[null, null, null], null, null, null]
[[1, "text of one", 1], null, null, null, null]
runs it again:
emulated buffered, emulated unbuffered, native buffered, native unbuffered
[1, null, null]
[[null, null, null], null, null, null]
[[1, "text of one", 1], null, null, null, null]
runs it again and fetches:
emulated buffered, emulated unbuffered, native buffered, native unbuffered
[1, "text of one", "more of one"]
[[1, "text of one", 1], 1, "text of one", "more of one", 1]
fetches:
emulated buffered, emulated unbuffered, native buffered, native unbuffered
[1, "text of two", "more of two"]
[[1, "text of one", 1], 2, "text of two", "more of two", 2]
fetches all:
emulated buffered, emulated unbuffered, native buffered, native unbuffered
[1, "text of three", "more of three"]
[[1, "text of one", 1], 3, "text of three", "more of three", 3]
