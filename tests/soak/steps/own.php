<?php
/*
 * Steps by Vaquita's own functions, and through the key-value port. Stock has none of them.
 */

declare(strict_types=1);

final class OwnSteps
{
    public const WEIGHTS = ['query' => 10, 'pipeline' => 8, 'pipeline_of_statement' => 6, 'rows' => 10, 'rows_of_pdo' => 5, 'key_value' => 8, 'by_key' => 12, 'traced' => 4, 'figures' => 4];

    public function __construct(private readonly Place $place)
    {
    }

    public function query(): void
    {
        $place = $this->place;
        $ids = array_unique(array_map(fn() => $place->dice->number(1, Model::ROWS), range(1, $place->dice->number(1, 20))));
        sort($ids);
        $found = Vaquita\query($place->mysqli(), 'SELECT id, n, name FROM soak_data WHERE id IN (:ids) ORDER BY id', ['ids' => $ids])->fetch_all();
        $place->same('Vaquita\query', array_map(fn(int $id) => array_slice($place->model->typed($id), 0, 3), $ids), $found);
    }

    public function pipeline(): void
    {
        $place = $this->place;
        $ids = array_map(fn() => $place->dice->number(1, Model::ROWS), range(0, $place->dice->number(0, $place->dice->one_in(10) ? 2000 : 40)));
        $bad = $place->dice->one_in(3) ? array_rand($ids) : null;
        $queries = array_map(fn(int $id) => Place::select($id, $id), $ids);
        $bad === null || $queries[$bad] = 'SELECT nothing FROM nowhere';
        $found = [];
        foreach (Vaquita\pipeline($place->mysqli(), $queries) as $key => $outcome) {
            $found[$key] = $outcome instanceof mysqli_sql_exception ? $outcome->getCode() : $outcome->fetch_row();
        }
        $expected = array_map($place->model->text(...), $ids);
        $bad === null || $expected[$bad] = 1146;
        $place->same('pipeline', $expected, $found);
    }

    public function pipeline_of_statement(): void
    {
        $place = $this->place;
        $ids = array_map(fn() => $place->dice->number(1, Model::ROWS), range(1, $place->dice->number(1, 100)));
        $statement = $place->mysqli()->prepare('SELECT n, ratio FROM soak_data WHERE id = ?');
        $found = array_map(fn(mysqli_result $result) => $result->fetch_row(), Vaquita\pipeline($statement, array_map(fn(int $id) => [$id], $ids)));
        $place->same('pipeline of a statement', array_map(fn(int $id) => [$place->model->typed($id)[1], $place->model->typed($id)[3]], $ids), $found);
    }

    public function rows(): void
    {
        $place = $this->place;
        [$from, $to] = $place->range();
        $rows = Vaquita\rows($place->mysqli()->query(Place::select($from, $to), $place->dice->any([MYSQLI_USE_RESULT, MYSQLI_STORE_RESULT])));
        $this->compare($rows, $from, $to, false);
    }

    public function rows_of_pdo(): void
    {
        $place = $this->place;
        [$from, $to] = $place->range();
        $this->compare(Vaquita\rows($place->pdo()->query(Place::select($from, $to))), $from, $to, true);
    }

    private function compare(Vaquita\Rows $rows, int $from, int $to, bool $is_typed): void
    {
        $place = $this->place;
        $place->same('how many rows', $to - $from + 1, count($rows));
        for ($i = 0; $i < 10; $i++) {
            $id = $place->dice->number($from, $to);
            $name = $place->dice->any(Model::COLUMNS);
            $place->same("rows[][$name]", $place->model->named($id, $is_typed)[$name], $rows[$id - $from][$name]);
        }
        if ($place->dice->one_in(2)) {
            $id = $from;
            foreach ($rows as $row) {
                $place->same('rows', $place->model->named($id++, $is_typed), $row->toArray());
            }
        }
    }

    public function key_value(): void
    {
        $place = $this->place;
        $kv = Vaquita\kv($place->mysqli(), 'soak_data');
        $id = $place->dice->number(1, Model::ROWS);
        $place->same('kv', $place->model->named($id, true), $kv->get($id));
        $ids = array_unique(array_map(fn() => $place->dice->number(1, Model::ROWS), range(1, $place->dice->number(1, 30))));
        $found = $kv->getMulti([...$ids, -1]);
        ksort($found);
        sort($ids);
        $place->same('kv, many', array_combine($ids, array_map(fn(int $id) => $place->model->named($id, true), $ids)), $found);
    }

    /** Often enough by the same shape that a port is asked. */
    public function by_key(): void
    {
        $place = $this->place;
        $db = $place->mysqli();
        for ($i = 0; $i < 6; $i++) {
            $id = $place->dice->number(1, Model::ROWS);
            $place->same('by key', array_slice($place->model->text($id), 0, 4), $db->query("SELECT id, n, name, ratio FROM soak_data WHERE id = $id")->fetch_row());
        }
    }

    public function traced(): void
    {
        $place = $this->place;
        $path = $place->file('');
        try {
            $db = $place->mysqli();
            Vaquita\trace($db, $path);
            $id = $place->dice->number(1, Model::ROWS);
            $place->same('traced', $place->model->text($id), $db->query(Place::select($id, $id))->fetch_row());
            if ($place->dice->one_in(2)) {
                Vaquita\trace($db, null);
                $place->same('not traced', '5', $db->query('SELECT 5')->fetch_column());
            } else {
                $place->let_go();
                unset($db);
            }
            $place->same('lines of the trace', true, substr_count(file_get_contents($path), "\n") > 0);
        } finally {
            unlink($path);
        }
    }

    public function figures(): void
    {
        $statistics = Vaquita\statistics();
        $this->place->same('the slowest', true, count($statistics['slowest']) <= 32);
        $this->place->same('metrics', true, str_contains(Vaquita\metrics(), 'vaquita_commands_total'));
        Vaquita\pool_stats();
        mysqli_get_client_stats();
    }
}
