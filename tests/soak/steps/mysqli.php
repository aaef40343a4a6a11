<?php
/*
 * Steps by mysqli: queries, several statements, asynchronous ones, files, and sessions.
 */

declare(strict_types=1);

final class MysqliSteps
{
    public const WEIGHTS = ['stored' => 20, 'unbuffered' => 12, 'abandoned' => 8, 'several' => 8, 'asynchronous' => 4, 'local_file' => 4, 'other_user' => 3, 'warnings' => 5, 'large' => 2, 'all_rows' => 1, 'escaped' => 6];

    public function __construct(private readonly Place $place)
    {
    }

    public function stored(): void
    {
        $this->read(MYSQLI_STORE_RESULT);
    }

    public function unbuffered(): void
    {
        $this->read(MYSQLI_USE_RESULT);
    }

    private function read(int $mode): void
    {
        $place = $this->place;
        $model = $place->model;
        [$from, $to] = $place->range();
        $ids = range($from, $to);
        $result = $place->mysqli()->query(Place::select($from, $to), $mode);
        $by = $place->dice->any(['fetch_row', 'fetch_assoc', 'fetch_array', 'fetch_object', 'class', 'fetch_all', 'foreach', 'column']);
        $found = [];
        switch ($by) {
            case 'fetch_row':
            case 'fetch_assoc':
                while (($row = $result->$by()) !== null) {
                    $found[] = array_values($row);
                }
                break;
            case 'fetch_array':
                while (($row = $result->fetch_array()) !== null) {
                    $place->same('both', array_values(array_filter($row, is_int(...), ARRAY_FILTER_USE_KEY)), array_values(array_filter($row, is_string(...), ARRAY_FILTER_USE_KEY)));
                    $found[] = array_slice(array_values(array_filter($row, is_int(...), ARRAY_FILTER_USE_KEY)), 0);
                }
                break;
            case 'fetch_object':
                while ($row = $result->fetch_object()) {
                    $found[] = array_values((array) $row);
                }
                break;
            case 'class':
                while ($row = $result->fetch_object(Record::class, ['of mysqli'])) {
                    $place->same('constructor', 'of mysqli', $row->by);
                    $found[] = array_values($row->values);
                }
                break;
            case 'fetch_all':
                $found = array_map(array_values(...), $result->fetch_all($place->dice->any([MYSQLI_NUM, MYSQLI_ASSOC])));
                break;
            case 'foreach':
                foreach ($result as $row) {
                    $found[] = array_values($row);
                }
                break;
            case 'column':
                while (($name = $result->fetch_column(2)) !== false) {
                    $found[] = $name;
                }
                $place->same('column', array_map(fn(int $id) => $model->text($id)[2], $ids), $found);
                return;
        }
        $place->same($by, array_map($model->text(...), $ids), $found);
        if ($mode === MYSQLI_STORE_RESULT) {
            $at = $place->dice->number(0, count($ids) - 1);
            $result->data_seek($at);
            $place->same('data_seek', $model->named($ids[$at], false), $result->fetch_assoc());
            $place->same('num_rows', count($ids), $result->num_rows);
        }
    }

    /** Some rows are read, and then the result goes, or with it the connection. */
    public function abandoned(): void
    {
        $place = $this->place;
        [$from, $to] = $place->range();
        $db = $place->dice->one_in(2) ? $place->mysqli() : $place->connect($place->dice->any(['', 'p:']));
        $result = $db->query(Place::select($from, $to), $place->dice->any([MYSQLI_USE_RESULT, MYSQLI_STORE_RESULT]));
        for ($id = $from, $last = $place->dice->number($from, $to); $id <= $last; $id++) {
            $place->same('row', $place->model->text($id), $result->fetch_row());
        }
        match ($place->dice->number(1, 3)) {
            1 => $result->free(),
            2 => $result = null,
            3 => null, // both go as the step ends, the connection first
        };
        if ($result === null) {
            $place->same('afterwards', '7', $db->query('SELECT 7')->fetch_column());
        } elseif ($place->dice->one_in(2)) {
            $place->let_go();
            unset($db);
        }
    }

    public function several(): void
    {
        $place = $this->place;
        $db = $place->mysqli();
        $ids = array_map(fn() => $place->dice->number(1, Model::ROWS), range(1, $place->dice->number(1, 6)));
        $statements = array_map(fn(int $id) => Place::select($id, $id), $ids);
        $fails = $place->dice->one_in(3);
        $fails && $statements[] = 'SELECT nothing FROM nowhere';
        $db->multi_query(implode(';', $statements));
        $found = [];
        do {
            $result = $place->dice->one_in(2) ? $db->store_result() : $db->use_result();
            // Some are not read to their end.
            $found[] = $result->fetch_row();
            $place->dice->one_in(2) || $place->same('end', null, $result->fetch_row());
            $result->free();
            if (!$db->more_results()) {
                break;
            }
            if ($fails && count($found) === count($ids)) {
                $place->fails('the last of several', [1146], $db->next_result(...));
                break;
            }
        } while ($db->next_result());
        $place->same('several', array_map($place->model->text(...), $ids), $found);
    }

    public function asynchronous(): void
    {
        $place = $this->place;
        $links = $ids = $found = [];
        for ($i = $place->dice->number(1, 3); $i > 0; $i--) {
            $db = $place->connect($place->dice->any(['', 'p:']));
            $id = $place->dice->number(1, Model::ROWS);
            $db->query(Place::select($id, $id), MYSQLI_ASYNC);
            $links[$db->thread_id] = $db;
            $ids[$db->thread_id] = $id;
        }
        if ($place->dice->one_in(5)) {
            return; // nobody waits for them
        }
        $waiting = $links;
        for ($until = microtime(true) + 30; $waiting !== [] && microtime(true) < $until;) {
            $read = $error = $reject = array_values($waiting);
            mysqli::poll($read, $error, $reject, 1);
            foreach ($read as $db) {
                $found[$db->thread_id] = $db->reap_async_query()->fetch_row();
                unset($waiting[$db->thread_id]);
            }
        }
        ksort($ids);
        ksort($found);
        $place->same('asynchronous', array_map($place->model->text(...), $ids), $found);
    }

    public function local_file(): void
    {
        $place = $this->place;
        $table = $place->ledger->lines();
        $lines = array_map(fn(int $i) => "line $i " . str_repeat(chr(65 + $i % 26), $place->dice->number(0, 150)), range(1, $place->dice->number(1, $place->dice->one_in(10) ? 20_000 : 200)));
        $path = $place->file(implode("\n", $lines) . "\n");
        $db = $place->mysqli();
        try {
            if ($place->dice->one_in(5)) {
                $place->fails('a file that is not there', [2000, 2068, 7890, 13, 29], fn() => @$db->query("LOAD DATA LOCAL INFILE '$path.no' INTO TABLE $table (line)"));
                $place->let_go();
                return;
            }
            $db->begin_transaction();
            $db->query("LOAD DATA LOCAL INFILE '$path' INTO TABLE $table CHARACTER SET utf8mb4 (line)");
            $place->same('lines', count($lines), $db->affected_rows);
            $place->same('what was loaded', $lines, array_column($db->query("SELECT line FROM $table ORDER BY id")->fetch_all(), 0));
            $db->rollback();
        } finally {
            unlink($path);
        }
    }

    public function other_user(): void
    {
        $place = $this->place;
        $db = $place->connect($place->dice->any(['', 'p:']));
        $db->query('SET @left = 5');
        $statement = $db->prepare('SELECT @left');
        $db->change_user($place->account['user'], $place->account['password'], $place->account['database']);
        $place->same('a new session', null, $db->query('SELECT @left')->fetch_column());
        $place->fails('a statement of the old session', [1243, 2006, 2013, 2030], fn() => $statement->execute());
    }

    public function warnings(): void
    {
        $place = $this->place;
        $db = $place->mysqli();
        $count = $place->dice->number(1, 5);
        $db->query('SELECT ' . implode(', ', array_map(fn(int $i) => "CAST('x$i' AS SIGNED)", range(1, $count))))->free();
        $place->same('warning_count', $count, $db->warning_count);
        $found = [];
        if ($warning = $db->get_warnings()) {
            do {
                $found[] = $warning->errno;
            } while ($warning->next());
        }
        $place->same('warnings', array_fill(0, $count, 1292), $found);
    }

    /** A value of 1 to 16 MiB. */
    public function large(): void
    {
        $place = $this->place;
        $bytes = $place->dice->number(1 << 20, 1 << 24);
        $char = chr($place->dice->number(97, 122));
        $db = $place->mysqli();
        $way = $place->dice->number(1, 4);
        if ($way === 4) {
            $statement = $db->prepare('SELECT LENGTH(?), MD5(?)');
            $value = str_repeat($char, $bytes);
            $statement->execute([$value, $value]);
            $place->same('a large parameter', [$bytes, md5($value)], $statement->get_result()->fetch_row());
            return;
        }
        $sql = "SELECT 1, REPEAT('$char', $bytes), 2";
        $row = match ($way) {
            1 => $db->query($sql)->fetch_row(),
            2 => $db->query($sql, MYSQLI_USE_RESULT)->fetch_row(),
            3 => $db->execute_query($sql)->fetch_row(),
        };
        $place->same('a large value', [strlen($row[1]), $char, true], [$bytes, $row[1][0], $row[1] === str_repeat($char, $bytes)]);
        $place->same('what is around it', ['1', '2'], [(string) $row[0], (string) $row[2]]);
    }

    public function all_rows(): void
    {
        $place = $this->place;
        $db = $place->mysqli();
        $id = 0;
        foreach ($db->query(Place::select(1, Model::ROWS), $place->dice->any([MYSQLI_USE_RESULT, MYSQLI_STORE_RESULT])) as $row) {
            $place->same('one of all', $place->model->named(++$id, false), $row);
        }
        $place->same('all', Model::ROWS, $id);
    }

    public function escaped(): void
    {
        $place = $this->place;
        $db = $place->mysqli();
        $text = implode('', array_map(fn() => $place->dice->any(["'", '\\', '"', "\0", "\n", "\x1a", 'ä', '%', 'x', '😀']), range(1, $place->dice->number(1, 60))));
        $place->same('escaped', $text, $db->query("SELECT '" . $db->real_escape_string($text) . "'")->fetch_column());
    }
}

/** Takes rows by its constructor and by __set. */
final class Record
{
    /** @var array<string, mixed> */
    public array $values = [];

    public function __construct(public string $by = '')
    {
    }

    public function __set(string $name, mixed $value): void
    {
        $this->values[$name] = $value;
    }
}
