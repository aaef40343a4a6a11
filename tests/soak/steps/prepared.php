<?php
/*
 * Steps by prepared statements of mysqli: all ways to bind, fetch, and leave.
 */

declare(strict_types=1);

final class PreparedSteps
{
    public const WEIGHTS = ['got' => 12, 'bound' => 12, 'at_once' => 8, 'cursor' => 8, 'long_data' => 3, 'types' => 6, 'left' => 6];

    public function __construct(private readonly Place $place)
    {
    }

    private function statement(mysqli $db): mysqli_stmt
    {
        return $db->prepare('SELECT ' . implode(', ', Model::COLUMNS) . ' FROM soak_data WHERE id >= ? AND id <= ? ORDER BY id');
    }

    /** @return list<list<mixed>> */
    private function rows(int $from, int $to): array
    {
        return array_map($this->place->model->typed(...), range($from, $to));
    }

    public function got(): void
    {
        $place = $this->place;
        $statement = $this->statement($place->mysqli());
        for ($i = $place->dice->number(1, 4); $i > 0; $i--) {
            [$from, $to] = $place->range();
            $statement->bind_param('ii', $from, $to);
            $statement->execute();
            $place->same('get_result', $this->rows($from, $to), $statement->get_result()->fetch_all());
        }
    }

    public function bound(): void
    {
        $place = $this->place;
        $statement = $this->statement($place->mysqli());
        for ($i = $place->dice->number(1, 3); $i > 0; $i--) {
            [$from, $to] = $place->range();
            $statement->execute([$from, $to]);
            $is_stored = $place->dice->one_in(2) && $statement->store_result();
            $row = array_fill(0, count(Model::COLUMNS), null);
            $statement->bind_result(...$row);
            $found = [];
            // Not all are read to the end.
            $most = $place->dice->one_in(4) ? $place->dice->number(1, $to - $from + 1) : PHP_INT_MAX;
            while (count($found) < $most && $statement->fetch()) {
                $found[] = array_map(fn(mixed $value) => $value, $row);
            }
            $place->same('bind_result', array_slice($this->rows($from, $to), 0, $most), $found);
            !$is_stored || $place->same('num_rows', $to - $from + 1, $statement->num_rows);
            $statement->free_result();
        }
    }

    public function at_once(): void
    {
        $place = $this->place;
        [$from, $to] = $place->range();
        $found = $place->mysqli()->execute_query('SELECT ' . implode(', ', Model::COLUMNS) . ' FROM soak_data WHERE id >= ? AND id <= ? ORDER BY id', [$from, $to])->fetch_all(MYSQLI_ASSOC);
        $place->same('execute_query', array_map(fn(int $id) => $place->model->named($id, true), range($from, $to)), $found);
    }

    public function cursor(): void
    {
        $place = $this->place;
        $statement = $this->statement($place->mysqli());
        $statement->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
        for ($i = $place->dice->number(1, 2); $i > 0; $i--) {
            [$from, $to] = $place->range(100);
            $statement->execute([$from, $to]);
            $row = array_fill(0, count(Model::COLUMNS), null);
            $statement->bind_result(...$row);
            for ($id = $from, $last = $place->dice->any([$to, $place->dice->number($from, $to)]); $id <= $last; $id++) {
                $place->same('a cursor', [true, $place->model->typed($id)], [$statement->fetch(), array_map(fn(mixed $value) => $value, $row)]);
            }
            $place->dice->one_in(2) && $statement->free_result();
        }
    }

    public function long_data(): void
    {
        $place = $this->place;
        $statement = $place->mysqli()->prepare('SELECT LENGTH(?), MD5(?)');
        $value = $other = null;
        $statement->bind_param('bb', $value, $other);
        $whole = '';
        for ($i = $place->dice->number(1, 20); $i > 0; $i--) {
            $part = str_repeat(chr(97 + $i), $place->dice->number(1, 200_000));
            $whole .= $part;
            $statement->send_long_data(0, $part);
            $statement->send_long_data(1, $part);
        }
        $place->dice->one_in(5) && $statement->reset() && $whole = null;
        $statement->execute();
        $place->same('sent in parts', $whole === null ? [null, null] : [strlen($whole), md5($whole)], array_slice($statement->get_result()->fetch_row(), 0));
    }

    public function types(): void
    {
        $place = $this->place;
        $dice = $place->dice;
        [$int, $float, $text, $none] = [$dice->number(PHP_INT_MIN, PHP_INT_MAX), $dice->number(-1_000_000, 1_000_000) * 0.0625, str_repeat('ä', $dice->number(0, 300)), null];
        $statement = $place->mysqli()->prepare('SELECT CAST(? AS SIGNED), CAST(? AS DOUBLE), CONCAT(?), ?');
        $statement->bind_param('idss', $int, $float, $text, $none);
        $statement->execute();
        $place->same('types', [$int, $float, $text, null], $statement->get_result()->fetch_row());
    }

    /** Statements that are open when their connection goes, in either order, with results that nobody has read. */
    public function left(): void
    {
        $place = $this->place;
        $db = $place->connect($place->dice->any(['', 'p:']));
        $statements = [];
        for ($i = $place->dice->number(1, 5); $i > 0; $i--) {
            $statements[] = $this->statement($db);
        }
        [$from, $to] = $place->range();
        $statements[0]->execute([$from, $to]);
        $result = $place->dice->one_in(2) ? $statements[0]->get_result() : null;
        if ($place->dice->one_in(2)) {
            $db->close();
        } else {
            unset($db);
        }
        $result === null || $place->same('a result without its connection', $this->rows($from, $to), $result->fetch_all());
        shuffle($statements);
    }
}
