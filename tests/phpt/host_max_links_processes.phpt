--TEST--
64 processes that connect at once never have more links than vaquita.host_max_links, also when some are killed
--FILE--
<?php
// servers: mariadb mysql80
// seconds: 120
require 'support/prelude.php';
const MOST = 5;
const PROCESSES = 64;
$folder = tempnam(sys_get_temp_dir(), 'vaquita');
unlink($folder);
mkdir($folder);
file_put_contents("$folder/worker.php", <<<'PHP'
<?php
require 'support/prelude.php';
restore_error_handler();
mysqli_report(0);
[, $number, $folder, $most, $processes, $way] = $argv;
$ways = [
    'plain' => fn() => @mysqli_connect(...array_values(address())),
    'persistent' => fn() => @mysqli_connect(...array_values(address(hostname: 'p:' . address()['hostname']))),
    'PDO' => connect_pdo(...),
    'PDO, persistent' => fn() => connect_pdo([PDO::ATTR_PERSISTENT => true]),
];
$way = $ways[$way];
/** Connects; whether that came to something, or the refusal. */
function open(): string
{
    global $way, $link;
    error_clear_last();
    try {
        $link = $way();
        return $link ? 'open' : error_get_last()['message'];
    } catch (PDOException $e) {
        return $e->getMessage();
    }
}
/** Whether there are too many processes with a link. Nobody begins to have one while they are counted, and who is killed has none. */
function are_too_many(): bool
{
    global $number, $most, $files, $turn;
    flock($turn, LOCK_EX);
    flock($files[$number], LOCK_EX);
    $others = array_filter($files, fn($file, $of) => $of !== (int) $number && !flock($file, LOCK_SH | LOCK_NB), ARRAY_FILTER_USE_BOTH);
    foreach (array_diff_key($files, $others, [$number => 0]) as $free) {
        flock($free, LOCK_UN);
    }
    flock($turn, LOCK_UN);
    return count($others) + 1 > $most;
}
while (($order = trim((string) fgets(STDIN))) !== '') {
    switch ($order) {
        case 'open':
            $answer = open();
            break;
        case 'close':
            $link = null;
            $answer = 'closed';
            break;
        case 'are you there':
            $answer = 'yes';
            break;
        case 'open and close':
            $turn = fopen("$folder/turn", 'c');
            $files = array_map(fn($of) => fopen("$folder/$of", 'c'), range(0, $processes - 1));
            [$had, $exceeded] = [0, 0];
            $end = hrtime(true) + 2e9;
            while (hrtime(true) < $end) {
                if (open() === 'open') {
                    $had++;
                    $exceeded += (int) are_too_many();
                    usleep(mt_rand(0, 2000)); // so that others come, and some are killed here
                    flock($files[$number], LOCK_UN);
                    $link = null;
                }
            }
            $answer = "$had $exceeded";
    }
    echo "$answer\n";
}
PHP);

final class Worker
{
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    private readonly int $id;

    public function __construct(int $number, public readonly string $way)
    {
        global $folder;
        $command = [PHP_BINARY];
        foreach (['include_path' => get_include_path(), 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0', 'vaquita.host_max_links' => MOST, 'vaquita.run_dir' => $folder] as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        $command = [...$command, "$folder/worker.php", $number, $folder, MOST, PROCESSES, $way];
        $this->process = proc_open(array_map(strval(...), $command), [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $this->pipes);
        $this->id = proc_get_status($this->process)['pid'];
    }

    public function tell(string $order): void
    {
        fwrite($this->pipes[0], "$order\n");
    }

    public function answer(): string
    {
        return trim((string) fgets($this->pipes[1]));
    }

    public function ask(string $order): string
    {
        $this->tell($order);
        return $this->answer();
    }

    public function kill(): void
    {
        proc_terminate($this->process, 9);
    }

    /** Waits until it is over; it stays a zombie. */
    public function mourn(): void
    {
        $stat = '/proc/' . $this->id . '/stat';
        while (!preg_match('/\) Z /', file_get_contents($stat)));
    }

    public function end(): void
    {
        array_map(fclose(...), $this->pipes);
        proc_close($this->process);
    }
}

/**
 * Has all of them do something at once.
 *
 * @param array<int, Worker> $workers
 * @return array<int, string> what they answer
 */
function all(array $workers, string $order): array
{
    foreach ($workers as $worker) {
        $worker->tell($order);
    }
    return array_map(fn(Worker $worker) => $worker->answer(), $workers);
}

/**
 * @param list<string> $ways of which each takes its turn
 * @return array<int, Worker>
 */
function workers(int $count, array $ways): array
{
    return array_map(fn($number) => new Worker($number, $ways[$number % count($ways)]), range(0, $count - 1));
}

/** How many links the server has; all but this one are the workers'. */
function links(): int
{
    global $db;
    return (int) $db->query('SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND ID != CONNECTION_ID()' . (on('mysql56') ? " AND COMMAND != 'Killed'" : ''))->fetch_row()[0];
}

function wait_for(int $links): void
{
    while (links() !== $links);
    show($links);
}

/** @param array<int, string> $answers */
function summary(array $answers): array
{
    $counts = array_count_values(array_map(fn($answer) => str_contains($answer, 'Too many open links (5)') ? 'refused' : $answer, $answers));
    ksort($counts);
    return $counts;
}

$db = connect();
section('at once');
$waiting = workers(PROCESSES, ['plain', 'persistent', 'PDO', 'PDO, persistent']);
$open = [];
/** Has all that have no link connect at once; what they say. */
function open_all(): array
{
    global $waiting, $open;
    $answers = all($waiting, 'open');
    $opened = array_filter($waiting, fn($number) => $answers[$number] === 'open', ARRAY_FILTER_USE_KEY);
    $open += $opened;
    $waiting = array_diff_key($waiting, $opened);
    return summary($answers);
}
show(open_all(), links());
section('some are killed');
$killed = array_slice($open, 0, count($open) - 2, true);
array_walk($killed, fn(Worker $worker) => $worker->kill());
array_walk($killed, fn(Worker $worker) => $worker->mourn());
$open = array_diff_key($open, $killed);
wait_for(2);
show(open_all()['open'], links());
section('those that wait for their next user count');
all($open, 'close');
$closed = array_filter($open, fn(Worker $worker) => !str_contains($worker->way, 'persistent'));
while (links() !== count($open) - count($closed));
show((open_all()['open'] ?? 0) === count($closed), links());
section('all are gone');
foreach ([...$waiting, ...$open, ...$killed] as $worker) {
    $worker->end();
}
wait_for(0);
section('over and over, and some are killed');
$workers = workers(PROCESSES, ['plain', 'PDO']);
all($workers, 'are you there');
foreach ($workers as $worker) {
    $worker->tell('open and close');
}
foreach (array_slice($workers, 0, 16) as $worker) {
    usleep(10_000);
    $worker->kill();
}
$had = 0;
foreach ($workers as $worker) {
    $answer = $worker->answer(); // of those that were killed in the midst of it none
    [$times, $exceeded] = explode(' ', $answer === '' ? '0 0' : $answer);
    $had += (int) $times;
    $exceeded === '0' || print "exceeded $exceeded times\n";
}
show($had > 100);
foreach (array_slice($workers, 0, 16) as $worker) {
    $worker->mourn();
}
wait_for(0);
$last = workers(MOST + 1, ['plain']);
show(summary(all($last, 'open')), links());
foreach ([...$workers, ...$last] as $worker) {
    $worker->end();
}
wait_for(0);
exec('rm -r ' . escapeshellarg($folder));
?>
--EXPECT--
=== at once
["open" => 5, "refused" => 59] | 5
=== some are killed
2
3 | 5
=== those that wait for their next user count
true | 5
=== all are gone
0
=== over and over, and some are killed
true
0
["open" => 5, "refused" => 1] | 5
0
