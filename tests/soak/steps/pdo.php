<?php
/*
 * Steps by PDO, emulated and native, buffered and not: each way to fetch, results left half-way, several results.
 */

declare(strict_types=1);

final class PdoSteps
{
    public const WEIGHTS = ['fetched' => 25, 'one_by_one' => 10, 'closed' => 8, 'bound' => 6, 'next_rowset' => 5, 'prepared_twice' => 8, 'large' => 2, 'all_rows' => 1, 'quoted' => 5];

    public function __construct(private readonly Place $place)
    {
    }

    /** @return array{PDOStatement, int, int} a statement that has run, and from which row to which its result is */
    private function run(?PDO $pdo = null): array
    {
        $place = $this->place;
        $pdo ??= $place->pdo();
        [$from, $to] = $place->range();
        if ($place->dice->one_in(3)) {
            return [$pdo->query(Place::select($from, $to)), $from, $to];
        }
        $statement = $pdo->prepare('SELECT ' . implode(', ', Model::COLUMNS) . ' FROM soak_data WHERE id >= :from AND id <= :to ORDER BY id');
        $statement->bindValue('from', $from, PDO::PARAM_INT);
        $statement->bindValue('to', $to, PDO::PARAM_INT);
        $statement->execute();
        return [$statement, $from, $to];
    }

    public function fetched(): void
    {
        $place = $this->place;
        [$statement, $from, $to] = $this->run();
        $ids = range($from, $to);
        $rows = array_map($place->model->typed(...), $ids);
        $named = array_map(fn(int $id) => $place->model->named($id, true), $ids);
        $mode = $place->dice->any(['NUM', 'ASSOC', 'BOTH', 'OBJ', 'COLUMN', 'KEY_PAIR', 'CLASS', 'PROPS_LATE', 'FUNC', 'GROUP', 'UNIQUE', 'NAMED', 'foreach']);
        [$expected, $found] = match ($mode) {
            'NUM' => [$rows, $statement->fetchAll(PDO::FETCH_NUM)],
            'ASSOC' => [$named, $statement->fetchAll(PDO::FETCH_ASSOC)],
            'NAMED' => [$named, $statement->fetchAll(PDO::FETCH_NAMED)],
            'BOTH' => [array_map(fn(array $row) => array_merge(...array_map(fn(string $name, int $i) => [$name => $row[$name], "#$i" => $row[$name]], Model::COLUMNS, array_keys(Model::COLUMNS))), $named),
                array_map(fn(array $row) => array_combine(array_map(fn(int|string $key) => is_int($key) ? "#$key" : $key, array_keys($row)), $row), $statement->fetchAll(PDO::FETCH_BOTH))],
            'OBJ' => [$named, array_map(get_object_vars(...), $statement->fetchAll(PDO::FETCH_OBJ))],
            'COLUMN' => [array_column($rows, 4), $statement->fetchAll(PDO::FETCH_COLUMN, 4)],
            'CLASS' => [$named, array_map(fn(Record $record) => $record->values, $statement->fetchAll(PDO::FETCH_CLASS, Record::class, ['of PDO']))],
            'PROPS_LATE' => [$named, array_map(fn(Record $record) => $record->values, $statement->fetchAll(PDO::FETCH_CLASS | PDO::FETCH_PROPS_LATE, Record::class, ['of PDO']))],
            'FUNC' => [$rows, $statement->fetchAll(PDO::FETCH_FUNC, fn(mixed ...$row) => $row)],
            'GROUP' => [array_combine($ids, array_map(fn(array $row) => [array_slice($row, 1)], $rows)), $statement->fetchAll(PDO::FETCH_GROUP | PDO::FETCH_NUM)],
            'UNIQUE' => [array_combine($ids, array_map(fn(array $row) => array_slice($row, 1), $rows)), $statement->fetchAll(PDO::FETCH_UNIQUE | PDO::FETCH_NUM)],
            'KEY_PAIR' => [array_column($rows, 2, 0), array_column($statement->fetchAll(PDO::FETCH_NUM), 2, 0)],
            'foreach' => [$named, (function () use ($statement) {
                $statement->setFetchMode(PDO::FETCH_ASSOC);
                return iterator_to_array($statement, false);
            })()],
        };
        $place->same($mode, $expected, $found);
    }

    public function one_by_one(): void
    {
        $place = $this->place;
        [$statement, $from, $to] = $this->run();
        $into = new Record();
        $mode = $place->dice->any(['row', 'column', 'object', 'lazy', 'into', 'pairs']);
        for ($id = $from; $id <= $to; $id++) {
            $named = $place->model->named($id, true);
            [$expected, $found] = match ($mode) {
                'row' => [array_values($named), $statement->fetch(PDO::FETCH_NUM)],
                'column' => [$named['ratio'], $statement->fetchColumn(3)],
                'object' => [$named, $statement->fetchObject(Record::class)->values],
                'lazy' => [[$named['name'], $named['note']], (fn($row) => [$row->name, $row->note])($statement->fetch(PDO::FETCH_LAZY))],
                'into' => [$named, $statement->setFetchMode(PDO::FETCH_INTO, $into) ? $statement->fetch()->values : null],
                'pairs' => [[$named['id'], $named['n']], array_slice($statement->fetch(PDO::FETCH_NUM), 0, 2)],
            };
            $place->same($mode, $expected, $found);
        }
        $place->same('the end', false, $statement->fetch(PDO::FETCH_NUM));
    }

    /** closeCursor, a second run, or nothing at all, half-way. */
    public function closed(): void
    {
        $place = $this->place;
        $pdo = $place->pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => !$place->dice->one_in(4)]);
        [$statement, $from, $to] = $this->run($pdo);
        for ($id = $from, $last = $place->dice->number($from, $to); $id <= $last; $id++) {
            $place->same('row', $place->model->typed($id), $statement->fetch(PDO::FETCH_NUM));
        }
        if ($place->dice->one_in(3)) {
            return;
        }
        $statement->closeCursor();
        $place->same('afterwards', [[7]], $pdo->query('SELECT 7')->fetchAll(PDO::FETCH_NUM));
    }

    public function bound(): void
    {
        $place = $this->place;
        [$statement, $from, $to] = $this->run();
        $row = [];
        foreach (Model::COLUMNS as $place_of => $name) {
            $row[$place_of] = null;
            $statement->bindColumn($place->dice->one_in(2) ? $name : $place_of + 1, $row[$place_of]);
        }
        for ($id = $from; $id <= $to; $id++) {
            $statement->fetch(PDO::FETCH_BOUND);
            $place->same('bound', $place->model->text($id), array_map(fn(mixed $value) => $value, $row));
        }
    }

    public function next_rowset(): void
    {
        $place = $this->place;
        $pdo = $place->pdo([PDO::ATTR_EMULATE_PREPARES => true]);
        $ids = array_map(fn() => $place->dice->number(1, Model::ROWS), range(1, $place->dice->number(1, 5)));
        $statement = $pdo->query(implode(';', array_map(fn(int $id) => Place::select($id, $id), $ids)));
        $found = [];
        do {
            $found[] = $statement->fetchAll(PDO::FETCH_NUM)[0];
        } while (($more = !$place->dice->one_in(10)) && $statement->nextRowset());
        $place->same('next_rowset', array_slice(array_map($place->model->typed(...), $ids), 0, count($found)), $found);
        !$more || $place->same('how many', count($ids), count($found));
    }

    public function prepared_twice(): void
    {
        $place = $this->place;
        $pdo = $place->pdo();
        $statement = $pdo->prepare('SELECT n, note FROM soak_data WHERE id = ?');
        for ($i = $place->dice->number(1, 10); $i > 0; $i--) {
            $id = $place->dice->number(1, Model::ROWS);
            $statement->execute([$id]);
            $row = $place->model->typed($id);
            $place->same('prepared', [[$row[1], $row[4]]], $statement->fetchAll(PDO::FETCH_NUM));
        }
    }

    public function large(): void
    {
        $place = $this->place;
        $bytes = $place->dice->number(1 << 20, 1 << 24);
        $char = chr($place->dice->number(97, 122));
        $pdo = $place->pdo();
        if ($place->dice->one_in(3)) {
            $value = str_repeat($char, $bytes);
            $statement = $pdo->prepare('SELECT MD5(?)');
            $statement->execute([$value]);
            $place->same('a large parameter', md5($value), $statement->fetchColumn());
        } else {
            $statement = $pdo->prepare("SELECT REPEAT('$char', $bytes)");
            $statement->execute();
            $place->same('a large value', true, $statement->fetchColumn() === str_repeat($char, $bytes));
        }
    }

    public function all_rows(): void
    {
        $place = $this->place;
        $id = 0;
        $statement = $place->pdo()->query(Place::select(1, Model::ROWS), PDO::FETCH_NUM);
        foreach ($statement as $row) {
            $place->same('one of all', $place->model->typed(++$id), $row);
        }
        $place->same('all', Model::ROWS, $id);
    }

    public function quoted(): void
    {
        $place = $this->place;
        $pdo = $place->pdo();
        $text = implode('', array_map(fn() => $place->dice->any(["'", '\\', '"', "\n", "\x1a", 'ä', '?', ':x', '😀']), range(1, $place->dice->number(1, 60))));
        $statement = $pdo->prepare('SELECT ?, ' . $pdo->quote($text));
        // A question mark inside of a literal is none of PDO's.
        $statement->execute([$text]);
        $place->same('quoted', [$text, $text], $statement->fetch(PDO::FETCH_NUM));
    }
}
