<?php
/*
 * Rows inserted over persistent connections whose sessions are killed, and cut by a relay, at random times: a row that was reported is there
 * once, one whose insertion failed is there once or not, and one that was rolled back is not there.
 *
 * What kills and cuts are processes of their own; each writes a byte for each time.
 */

require_once 'support/prelude.php';

/** Kills sessions of a user until nobody reads how many. */
function kill_sessions(string $user): void
{
    $db = connect();
    echo "ready\n";
    while (true) {
        usleep(random_int(0, 8000));
        $ids = $db->query("SELECT id FROM information_schema.processlist WHERE user = '$user'")->fetch_all();
        if ($ids === []) {
            continue;
        }
        try {
            $db->query('KILL ' . $ids[array_rand($ids)][0]);
        } catch (mysqli_sql_exception $e) {
            $e->getCode() === 1094 || throw $e; // it is gone
            continue;
        }
        echo '.';
    }
}

/**
 * Passes on what clients and the server say, and closes a connection after a random number of bytes, again and again: there, or when the server has
 * done what it is asked for there and answers.
 */
function cut_connections(string $address): void
{
    $context = stream_context_create(['socket' => ['tcp_nodelay' => true]]);
    $listener = stream_socket_server($address, context: $context);
    echo 'ready ', stream_socket_get_name($listener, false), "\n";
    $server = server('TRANSPORT') === 'unix' ? 'unix://' . server('SOCKET') : 'tcp://' . server('HOST') . ':' . server('PORT');
    $peers = $sockets = $doomed = [];
    $left = 0;
    while (true) {
        $ready = [$listener, ...$sockets];
        $none = null;
        stream_select($ready, $none, $none, null);
        foreach ($ready as $from) {
            if ($from === $listener) {
                $pair = [stream_socket_accept($listener), stream_socket_client($server, context: $context)];
                foreach ($pair as $i => $socket) {
                    stream_set_blocking($socket, false);
                    $sockets[(int) $socket] = $socket;
                    $peers[(int) $socket] = $pair[1 - $i];
                    $doomed[(int) $socket] = $i === 0 ? null : false; // of a server's, whether its next answer is its last
                }
                continue;
            }
            if (!isset($peers[(int) $from])) {
                continue; // cut just now
            }
            $to = $peers[(int) $from];
            $bytes = (string) @fread($from, 65536);
            $is_due = strlen($bytes) > $left;
            if ($is_due && $doomed[(int) $from] === null && random_int(0, 1)) {
                $doomed[(int) $to] = true;
                $is_due = false;
                $left = strlen($bytes);
            }
            $is_cut = $is_due || $doomed[(int) $from];
            @fwrite($to, match (true) {
                !$is_cut => $bytes,
                $is_due => substr($bytes, 0, $left),
                default => '',
            });
            $left -= strlen($bytes);
            if ($is_cut) {
                $left = random_int(0, 2000);
                echo '.';
            }
            if ($is_cut || $bytes === '') {
                unset($peers[(int) $from], $peers[(int) $to], $sockets[(int) $from], $sockets[(int) $to]);
                fclose($from);
                fclose($to);
            }
        }
    }
}

/** A process that calls one of these, until it is dropped. */
final class Menace
{
    /** @var resource */
    private $process;
    /** @var resource */
    private $output;
    public readonly string $name;

    public function __construct(string $function, string $argument)
    {
        $code = "require 'support/reuse_faults.php'; $function(" . var_export($argument, true) . ');';
        $command = [PHP_BINARY, '-d', 'include_path=' . get_include_path(), '-d', 'display_errors=stderr', '-r', $code];
        $this->process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
        $this->output = $pipes[1];
        $line = (string) fgets($this->output);
        str_starts_with($line, 'ready') || throw new Exception("$function did not begin");
        $this->name = trim(substr($line, 6));
        stream_set_blocking($this->output, false);
    }

    /** How often it has struck since it was last asked. */
    public function count(): int
    {
        proc_get_status($this->process)['running'] || throw new Exception('nothing kills and cuts any more');
        return strlen(stream_get_contents($this->output));
    }

    public function __destruct()
    {
        proc_terminate($this->process, 9);
        proc_close($this->process);
    }
}

/**
 * What a dead connection is told by: the client's errors, and those of servers whose session is killed or cut in the middle of a command. MySQL 8.0
 * may tell the next one that connects instead, in the place of its greeting (2027).
 */
const DEAD = [2002, 2006, 2013, 2027, 1158, 1317, 1927];

/** One try; whether it was reported as done, null: it was rolled back. */
function insert(int $tag, array $address, string $data_source): ?bool
{
    $insert = "INSERT INTO counters (tag) VALUES ($tag)";
    try {
        if (random_int(0, 2) === 0) {
            $pdo = new PDO($data_source, $address['username'], $address['password'], [PDO::ATTR_PERSISTENT => true]);
            if (random_int(0, 1)) {
                return $pdo->exec($insert) === 1;
            }
            $pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
            return $pdo->prepare('INSERT INTO counters (tag) VALUES (?)')->execute([$tag]);
        }
        $db = new mysqli(...$address);
        $way = random_int(0, 4);
        if ($way === 0) {
            $db->query('SELECT 1')->fetch_row() === ['1'] || throw new Exception('wrong answer');
        }
        switch ($way) {
            case 1:
                $statement = $db->prepare('INSERT INTO counters (tag) VALUES (?)');
                $statement->bind_param('i', $tag);
                $done = $statement->execute();
                break;
            case 2:
                $db->begin_transaction();
                $db->query($insert);
                $done = $db->commit();
                break;
            case 3:
                $db->begin_transaction();
                try {
                    $db->query($insert);
                } finally {
                    $done = null;
                }
                random_int(0, 1) && $db->rollback();
                break;
            default:
                $done = $db->query($insert);
        }
        random_int(0, 3) && $db->close();
        return $done;
    } catch (mysqli_sql_exception | PDOException $e) {
        $code = $e instanceof PDOException ? $e->errorInfo[1] : $e->getCode();
        in_array($code, DEAD, true) || throw $e;
        return isset($way) && $way === 3 ? null : false;
    }
}

/** So many tries, or more, until a tenth of them had a chance to meet a dead connection. */
function reuse_faults(int $tries): void
{
    $admin = connect();
    $admin->query('CREATE TABLE counters (id INT PRIMARY KEY AUTO_INCREMENT, tag INT, KEY (tag)) ENGINE=InnoDB');
    $user = 'faults_' . getmypid();
    foreach (['localhost', '%'] as $host) {
        $admin->query("CREATE USER '$user'@'$host' IDENTIFIED BY 'secret'");
        $admin->query('GRANT ALL ON ' . server('DATABASE') . ".* TO '$user'@'$host'");
    }
    $is_unix = server('TRANSPORT') === 'unix';
    $path = sys_get_temp_dir() . "/vaquita-faults-$user.sock";
    $killer = new Menace('kill_sessions', $user);
    $relay = new Menace('cut_connections', $is_unix ? "unix://$path" : 'tcp://127.0.0.1:0');
    try {
        $direct = address(username: $user, password: 'secret');
        $relayed = $is_unix ? ['socket' => $path] : ['hostname' => '127.0.0.1', 'port' => (int) explode(':', $relay->name)[1]];
        $places = [];
        foreach ([$direct, array_replace($direct, $relayed)] as $address) {
            $where = $is_unix ? "unix_socket={$address['socket']}" : "host={$address['hostname']};port={$address['port']}";
            $places[] = [['hostname' => "p:{$address['hostname']}"] + $address, "mysql:$where;dbname={$address['database']}"];
        }
        $outcomes = [];
        $struck = 0;
        while (count($outcomes) < $tries || $struck < $tries / 10) {
            $tag = count($outcomes);
            $outcomes[] = insert($tag, ...$places[random_int(0, 1)]);
            $struck += $killer->count() + $relay->count();
        }
    } finally {
        unset($killer, $relay);
        !file_exists($path) || unlink($path);
    }
    $pool = Vaquita\pool_stats();
    $found = array_column($admin->query('SELECT tag, COUNT(*) FROM counters GROUP BY tag')->fetch_all(), 1, 0);
    $lost = $doubled = $left = 0;
    foreach ($outcomes as $tag => $done) {
        $rows = $found[$tag] ?? 0;
        $lost += $done === true && $rows < 1;
        $doubled += $rows > 1;
        $left += $done === null && $rows > 0;
    }
    $failed = count(array_filter($outcomes, fn($done) => $done === false));
    foreach (['localhost', '%'] as $host) {
        $admin->query("DROP USER '$user'@'$host'");
    }
    printf("%d of them failed, %d connections were reused, %d were replaced\n", $failed, $pool['hits'], $pool['replaced']);
    printf("reuse faults: %d tries, %d killed, %d lost, %d doubled, %d not rolled back\n", count($outcomes), $struck, $lost, $doubled, $left);
}
