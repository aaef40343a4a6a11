<?php
/*
 * Steps that fail, as they have to: refused statements and log-ins, connections killed at all times, time-outs, results larger than memory_limit.
 */

declare(strict_types=1);

final class ErrorSteps
{
    /** Gone, lost, killed by somebody; MySQL's goodbye to whom it ends. */
    private const ENDED = [2006, 2013, 1927, 1317, 4031];
    public const WEIGHTS = ['syntax' => 10, 'duplicate' => 6, 'refused' => 4, 'nobody_there' => 2, 'killed' => 5, 'killed_in_result' => 4, 'killed_pdo' => 4, 'out_of_sync' => 5, 'parameters' => 4, 'silent' => 5];
    /** What stock has not: a limit of its own for queries, errors instead of a fatal one where memory ends. */
    public const OWN_WEIGHTS = ['query_timeout' => 2, 'memory_limit' => 3];
    private const MEMORY_BYTES = 16 << 20;

    public function __construct(private readonly Place $place)
    {
    }

    public function syntax(): void
    {
        $place = $this->place;
        $sql = $place->dice->any(['SELEKT 1', 'SELECT * FROM nowhere', 'SELECT nothing FROM soak_data', "SELECT 'open"]);
        $codes = [1064, 1146, 1054];
        $way = $place->dice->number(1, 6);
        $place->fails($sql, $codes, fn() => match ($way) {
            1 => $place->mysqli()->query($sql),
            2 => $place->mysqli()->prepare($sql),
            3 => $place->mysqli()->multi_query($sql),
            4 => $place->mysqli()->execute_query($sql),
            5 => $place->pdo()->query($sql),
            6 => $place->pdo()->prepare($sql)->execute(),
        });
    }

    public function duplicate(): void
    {
        $place = $this->place;
        $sql = "INSERT INTO {$place->ledger->counters()} VALUES (0, 5)";
        $place->fails('duplicate', [1062], fn() => $place->dice->one_in(2) ? $place->mysqli()->query($sql) : $place->pdo()->exec($sql));
    }

    public function refused(): void
    {
        $place = $this->place;
        $host = $place->dice->any(['', 'p:']) . $place->account['host'];
        $place->fails('a wrong password', [1045], fn() => $place->dice->one_in(2)
            ? new mysqli($host, $place->account['user'], 'wrong', $place->account['database'], $place->account['port'])
            : new PDO($place->dsn(), $place->account['user'], 'wrong'));
        $place->fails('a wrong database', [1044, 1049], fn() => new mysqli($host, $place->account['user'], $place->account['password'], 'no_such', $place->account['port']));
    }

    public function nobody_there(): void
    {
        $place = $this->place;
        $place->fails('no server', [2002], fn() => $place->dice->one_in(2) ? new mysqli('127.0.0.1', 'x', 'y', 'z', 1) : new PDO("mysql:unix_socket=$place->folder/none", 'x', 'y'));
    }

    private function kill(int $thread): void
    {
        $this->place->connect('p:')->query("KILL $thread");
    }

    /** With a transaction open, of which nothing stays. */
    public function killed(): void
    {
        $place = $this->place;
        $db = $place->connect();
        $statement = $db->prepare('SELECT 1');
        if ($place->dice->one_in(2)) {
            $db->begin_transaction();
            $db->query("UPDATE {$place->ledger->counters()} SET n = n + 1 WHERE slot = " . $place->dice->number(0, Ledger::SLOTS - 1));
        }
        $this->kill($db->thread_id);
        // The server ends it soon, not at once: statements may still be answered.
        $place->fails('killed', self::ENDED, function () use ($db, $statement, $place) {
            for ($until = microtime(true) + 20; microtime(true) < $until;) {
                $place->dice->one_in(2) ? @$db->query('SELECT 1')->free() : @$statement->execute() && @$statement->get_result()->free();
            }
        });
    }

    public function killed_in_result(): void
    {
        $place = $this->place;
        $db = $place->connect();
        $result = $db->query('SELECT ' . implode(', ', Model::COLUMNS) . ' FROM soak_data ORDER BY id', MYSQLI_USE_RESULT);
        $id = 0;
        try {
            for ($last = $place->dice->number(1, 100); $id < $last;) {
                $place->same('before', $place->model->text(++$id), $result->fetch_row());
            }
            $this->kill($db->thread_id);
            // What has come is right, whether the server was quick enough or not.
            while (($row = @$result->fetch_row()) !== null && $row !== false) {
                $place->same('meanwhile', $place->model->text(++$id), $row);
            }
            $place->same('all, or an error', [Model::ROWS, 0], [$id, $db->errno]);
        } catch (mysqli_sql_exception $e) {
            $place->same('killed', true, in_array($e->getCode(), self::ENDED, true));
        }
    }

    public function killed_pdo(): void
    {
        $place = $this->place;
        // Of a persistent handle that it finds dead PDO's core forgets half a kilobyte, with any driver; a thousand of them in an hour would hide what we forget.
        $pdo = $place->pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => true], persistent: 10);
        $thread = $pdo->query('SELECT CONNECTION_ID()')->fetchColumn();
        $statement = $pdo->prepare('SELECT 1');
        // In a transaction a persistent handle is not replaced without a word.
        $pdo->beginTransaction();
        $this->kill((int) $thread);
        $place->fails('killed', self::ENDED, function () use ($pdo, $statement, $place) {
            for ($until = microtime(true) + 20; microtime(true) < $until;) {
                $place->dice->one_in(2) ? @$pdo->query('SELECT 1')->fetchAll() : @$statement->execute() && @$statement->fetchAll();
            }
        });
    }

    public function out_of_sync(): void
    {
        $place = $this->place;
        [$from, $to] = $place->range();
        $db = $place->mysqli();
        $result = $db->query(Place::select($from, $to), MYSQLI_USE_RESULT);
        $place->same('first', $place->model->text($from), $result->fetch_row());
        $place->fails('out of sync', [2014], fn() => $db->query('SELECT 1'));
        $result->free();
        $place->same('in sync', '1', $db->query('SELECT 1')->fetch_column());
    }

    public function parameters(): void
    {
        $place = $this->place;
        try {
            $place->dice->one_in(2) ? $place->mysqli()->execute_query('SELECT ?, ?', [1]) : $place->pdo()->prepare('SELECT ?, ?')->execute([1]);
        } catch (ValueError | ArgumentCountError | PDOException | mysqli_sql_exception) {
            return;
        }
        throw new Wrong('a missing parameter: no error');
    }

    /** Without exceptions: false, and an error to be asked for. */
    public function silent(): void
    {
        $place = $this->place;
        mysqli_report(MYSQLI_REPORT_OFF);
        try {
            $db = $place->mysqli();
            $place->same('false', [false, 1146], [$db->query('SELECT * FROM nowhere'), $db->errno]);
            $place->same('prepare', false, $db->prepare('SELECT * FROM nowhere'));
            $place->same('list', 1146, $db->error_list[0]['errno']);
        } finally {
            mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        }
    }

    public function query_timeout(): void
    {
        $place = $this->place;
        $db = $place->connect($place->dice->any(['', 'p:']));
        Vaquita\set_query_timeout($db, 50);
        $place->fails('too slow', [1969, 3024, 2013], fn() => $db->query('SELECT COUNT(*) FROM soak_data a, soak_data b WHERE a.ratio + b.ratio = -1'));
        $place->same('the next', '6', $db->query('SELECT 6')->fetch_column());
    }

    public function memory_limit(): void
    {
        $place = $this->place;
        $db = $place->connect($place->dice->any(['', 'p:']));
        $pdo = $place->pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => true]);
        gc_collect_cycles();
        gc_mem_caches();
        $limit = ini_set('memory_limit', (string) (memory_get_usage(true) + self::MEMORY_BYTES));
        $way = $place->dice->number(1, 5);
        try {
            $large = "SELECT REPEAT('x', 40000000)";
            $many = 'SELECT a.*, b.note AS more FROM soak_data a, soak_data b WHERE b.id <= 4';
            $place->fails("more than memory_limit allows, $way", [2008], fn() => match ($way) {
                1 => $db->query($large),
                2 => $db->query($many),
                3 => $db->execute_query($many),
                4 => $pdo->query($large)->fetchAll(),
                5 => $pdo->query($many)->fetchAll(),
            });
        } finally {
            ini_set('memory_limit', $limit);
        }
    }
}
