<?php
// Random walks: sequences of calls that nobody would write, the same for both.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

const STATEMENTS = ['SELECT 1', 'SELECT 1 UNION SELECT 2 UNION SELECT 3', 'SELECT * FROM t ORDER BY n', 'SELECT * FROM t WHERE n > 1000', 'INSERT INTO t VALUES (NULL, "new")', 'UPDATE t SET s = "u" WHERE n < 3', 'DELETE FROM t WHERE n > 10',
    'nonsense', 'SELECT nothing_known', 'DO 1', 'SET @x = 1', 'SELECT @x', 'CALL p()', 'SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 2 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2) AS x', "SELECT CAST('x' AS SIGNED)"];

final class Walk
{
    private array $links = [];
    private array $results = [];

    public function __construct(private readonly Random\Randomizer $random)
    {
    }

    private function any(array $from): mixed
    {
        return $from === [] ? null : $from[array_keys($from)[$this->random->getInt(0, count($from) - 1)]];
    }

    private function sql(): string
    {
        return $this->any(STATEMENTS);
    }

    private function keep(mixed $result): mixed
    {
        if ($result instanceof mysqli_result) {
            $this->results[] = $result;
            if (count($this->results) > 4) {
                array_splice($this->results, $this->random->getInt(0, 3), 1);
            }
            return [$result->type, $result->field_count];
        }
        return $result;
    }

    private function step(): mixed
    {
        $link = $this->any($this->links);
        $result = $this->any($this->results);
        $many = implode('; ', array_map(fn() => $this->sql(), range(0, $this->random->getInt(0, 3))));
        $mode = $this->random->getInt(0, 1);
        $number = $this->random->getInt(-1, 4);
        $calls = [
            'connect' => function () { if (count($this->links) < 3) { $this->links[] = connect(); } return count($this->links); },
            "query mode $mode" => fn() => $this->keep($link->query($this->sql(), $mode)),
            "mysqli_query mode $mode" => fn() => $this->keep(mysqli_query($link, $this->sql(), $mode)),
            'real_query' => fn() => $link->real_query($this->sql()),
            "multi_query $many" => fn() => $link->multi_query($many),
            'store_result' => fn() => $this->keep($link->store_result()),
            'use_result' => fn() => $this->keep($link->use_result()),
            'new mysqli_result' => fn() => $this->keep(new mysqli_result($link, $mode)),
            'more_results' => fn() => $link->more_results(),
            'next_result' => fn() => $link->next_result(),
            'next_result, store_result' => fn() => [$link->next_result(), $this->keep($link->store_result())],
            'fetch_row' => fn() => $result->fetch_row(),
            'fetch_assoc' => fn() => $result->fetch_assoc(),
            'fetch_object' => fn() => $result->fetch_object(),
            'fetch_column' => fn() => $result->fetch_column(),
            'fetch_all' => fn() => $result->fetch_all(),
            'foreach' => function () use ($result) { $rows = []; foreach ($result as $key => $row) { $rows[$key] = $row; } return $rows; },
            'foreach, one' => function () use ($result) { foreach ($result as $row) { return $row; } },
            "data_seek $number" => fn() => $result->data_seek($number),
            "field_seek $number" => fn() => $result->field_seek($number),
            'fetch_field' => fn() => $result->fetch_field()->name ?? null,
            'num_rows' => fn() => [$result->num_rows, mysqli_num_rows($result)],
            'free' => fn() => $result->free(),
            'drop the result' => function () use ($result) { $this->results = array_values(array_filter($this->results, fn($kept) => $kept !== $result)); },
            'drop the link' => function () use ($link) { $this->links = array_values(array_filter($this->links, fn($kept) => $kept !== $link)); },
            'close' => fn() => $this->random->getInt(0, 3) === 0 ? $link->close() : null,
            'real_connect' => fn() => $this->random->getInt(0, 3) === 0 ? $link->real_connect(...address()) : null,
            'ping' => fn() => $link->ping(),
            'select_db' => fn() => $link->select_db($mode ? server('DATABASE') : 'no_such_database'),
            'set_charset' => fn() => $link->set_charset($mode ? 'utf8mb4' : 'nonsense'),
            'autocommit' => fn() => $link->autocommit((bool) $mode),
            'begin, commit' => fn() => [$link->begin_transaction(), $link->commit()],
            'rollback' => fn() => $link->rollback(),
            'savepoint' => fn() => [$link->savepoint('s'), $link->release_savepoint('s')],
            'escape' => fn() => $link->real_escape_string("'"),
            'state' => fn() => [$link->insert_id, $link->info, $link->warning_count, $link->field_count],
            'error' => fn() => [$link->errno, $link->sqlstate, $link->error],
        ];
        $name = $this->any(array_keys($calls));
        echo str_replace("\n", ' ', $name), ': ';
        return $calls[$name]();
    }

    public function go(int $steps): void
    {
        $this->links[] = connect();
        for ($i = 0; $i < $steps; $i++) {
            try {
                show($this->step());
            } catch (Throwable $thrown) {
                show($thrown);
            }
            if (getenv('RANDOM_STATE')) {
                foreach ($this->links as $link) {
                    try {
                        show_status($link);
                    } catch (Error) {
                    }
                }
            }
        }
        // Ends in an order of its own.
        foreach ($this->random->shuffleArray([...$this->links, ...$this->results]) as $object) {
            $this->links = array_filter($this->links, fn($kept) => $kept !== $object);
            $this->results = array_filter($this->results, fn($kept) => $kept !== $object);
        }
    }
}

for ($seed = (int) (getenv('RANDOM_FROM') ?: 1); $seed <= (int) (getenv('RANDOM_TO') ?: 60); $seed++) {
    section("seed $seed");
    $db = connect();
    $db->multi_query("DROP TABLE IF EXISTS t; CREATE TABLE t (n INT AUTO_INCREMENT PRIMARY KEY, s VARCHAR(10)); INSERT INTO t VALUES (1, 'a'), (2, NULL), (3, 'c'); DROP PROCEDURE IF EXISTS p; CREATE PROCEDURE p() SELECT 7 UNION SELECT 8");
    while ($db->more_results() && $db->next_result());
    $db->close();
    (new Walk(new Random\Randomizer(new Random\Engine\Mt19937($seed))))->go(60);
}
