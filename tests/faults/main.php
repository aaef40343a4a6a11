<?php
/*
 * scripts/faults's own program: one server, which nobody else uses.
 *
 *     --server NAME       which, of those in the environment
 *     --tries N           how many (10000)
 *     --seed N            which ones (1)
 *     --try N             this one only
 *     --only TEXT         only acts whose names contain this
 *     --processes N       at once (12)
 *     --spoil 1           has the driver do what it must not, and fails where that is not noticed
 */

declare(strict_types=1);

error_reporting(E_ALL);
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);

require __DIR__ . '/../differential/dice.php';
require __DIR__ . '/../reconcile/place.php';
foreach (['plan', 'relay', 'trial', 'pdo_acts', 'kv_acts', 'port_acts', 'first_acts', 'acts', 'spoiler', 'crew', 'verdict', 'report'] as $file) {
    require __DIR__ . "/$file.php";
}

/** Of a hundred tries so many are in a server that is killed. */
const KILLS_PERCENT = 3;
/** How long a try may take in all. */
const PATIENCE_SECONDS = 60;
/** The same where one is made not to come back. */
const SPOILT_PATIENCE_SECONDS = 6;

/** @param list<string> $words @return array<string, string> */
function options(array $words): array
{
    $options = ['server' => '', 'tries' => '10000', 'seed' => '1', 'try' => '', 'only' => '', 'processes' => '12', 'spoil' => ''];
    for ($i = 0; $i < count($words); $i += 2) {
        $name = str_starts_with($words[$i], '--') ? substr($words[$i], 2) : '';
        isset($options[$name]) || throw new Mistake("what is $words[$i]? There are --" . implode(', --', array_keys($options)));
        $value = $words[$i + 1] ?? throw new Mistake("$words[$i] needs a value");
        if (!in_array($name, ['server', 'only'], true)) {
            (ctype_digit($value) && strlen($value) < 10) || throw new Mistake("$words[$i] is a number, not \"$value\"");
            ($name !== 'tries' && $name !== 'processes') || (int) $value > 0 || throw new Mistake("$words[$i] is at least 1");
        }
        $options[$name] = $value;
    }
    $options['server'] !== '' || throw new Mistake('which --server?');
    return $options;
}

/** A database without anything of other runs. */
function begin(Place $place): mysqli
{
    $link = new mysqli('localhost', $place->of('USER'), $place->of('PASSWORD'), '', 0, $place->of('SOCKET'));
    $database = Trial::DATABASE;
    $link->query("DROP DATABASE IF EXISTS $database");
    $link->query("CREATE DATABASE $database CHARACTER SET utf8mb4");
    $link->select_db($database);
    // Nothing in it makes one try wait for another, as AUTO_INCREMENT would for a LOAD DATA that has stalled.
    $link->query('CREATE TABLE counter (try INT NOT NULL, item INT NOT NULL, KEY (try)) ENGINE = InnoDB');
    // What each write by key leaves: its value, and that of a row that goes a second time (KvActs).
    $link->query('CREATE TABLE kept (try INT NOT NULL, item INT NOT NULL, value INT NOT NULL, PRIMARY KEY (try, item)) ENGINE = InnoDB');
    foreach (['INSERT' => 'NEW.try, NEW.value', 'UPDATE' => 'NEW.try, NEW.value', 'DELETE' => 'OLD.try, OLD.value + ' . KvActs::DELETED] as $event => $values) {
        $link->query("CREATE TRIGGER kept_$event AFTER $event ON kept FOR EACH ROW INSERT INTO counter (try, item) VALUES ($values)");
    }
    PortActs::make($link, $place);
    $link->query('CREATE TABLE numbers (k INT PRIMARY KEY, filler VARCHAR(100) NOT NULL) ENGINE = InnoDB');
    $link->query('INSERT INTO numbers VALUES ' . implode(', ', array_map(fn(int $k) => "($k, '" . str_repeat(md5((string) $k), 3) . "')", range(0, Trial::ROWS - 1))));
    return $link;
}

/** How often each item of each try is there, when nobody is connected any more. @return array<int, array<int, int>> */
function rows(Place $place): array
{
    $link = new mysqli('localhost', $place->of('USER'), $place->of('PASSWORD'), Trial::DATABASE, 0, $place->of('SOCKET'));
    $until = microtime(true) + PATIENCE_SECONDS;
    $others = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = '{$place->of('USER')}' AND id != CONNECTION_ID()";
    while ($link->query($others)->fetch_row() !== ['0']) {
        microtime(true) < $until || throw new Exception('connections stay open');
        usleep(20_000);
    }
    $rows = [];
    foreach ($link->query('SELECT try, item, COUNT(*) FROM counter GROUP BY try, item', MYSQLI_USE_RESULT) as $row) {
        [$try, $item, $count] = array_map(intval(...), array_values($row));
        $rows[$try][$item] = $count;
    }
    return $rows;
}

try {
    $options = options(array_slice($argv, 1));
    $place = new Place($options['server']);
    $is_spoilt = $options['spoil'] === '1';
    $tries = (int) $options['tries'];
    $numbers = $options['try'] === '' ? range(1, $tries) : [(int) $options['try']];
    // Every so many tries one is of those, by its number alone.
    $is_kill = fn(int $number): bool => !$is_spoilt && $number % intdiv(100, KILLS_PERCENT) === 0;
    $plan = fn(int $number) => new Plan($place, (int) $options['seed'], $number, $is_kill($number), $options['only'] === '' ? null : $options['only'], $is_spoilt);
    $plan($numbers[0]); // is there such an act?
} catch (Mistake $mistake) {
    fwrite(STDERR, "tests/faults: {$mistake->getMessage()}\n");
    exit(2);
}

begin($place)->close();
$crew = new Crew($place, [$options['server'], $options['seed'], $options['only'], $options['spoil']], min((int) $options['processes'], count($numbers)), $is_spoilt ? SPOILT_PATIENCE_SECONDS : PATIENCE_SECONDS);
try {
    $crew->work(array_values(array_filter($numbers, fn(int $number) => !$is_kill($number))));
    $crew->work_while_killed(array_values(array_filter($numbers, $is_kill)));
} finally {
    $crew->end();
}
$verdict = new Verdict(rows($place));
foreach ($numbers as $number) {
    isset($crew->records[$number]) ? $verdict->judge($plan($number), $crew->records[$number]) : $verdict->judge_hung($number);
}
$report = new Report($place, $crew, $verdict, $plan, (int) $options['seed']);
exit(($is_spoilt ? $report->see_that_it_can_fail() : $report->print(count($numbers))) ? 0 : 1);
