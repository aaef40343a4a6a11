<?php
/*
 * Steps that write, each into tables of its process only: what is acknowledged counts, what is rolled back or left uncommitted does not.
 */

declare(strict_types=1);

final class WriteSteps
{
    public const WEIGHTS = ['one' => 15, 'transaction' => 10, 'left_open' => 6, 'several' => 5, 'inserted' => 8, 'compared' => 8];
    public const OWN_WEIGHTS = ['pipeline' => 6];

    public function __construct(private readonly Place $place)
    {
    }

    private function update(int $slot, int $more): string
    {
        return "UPDATE {$this->place->ledger->counters()} SET n = n + $more WHERE slot = $slot";
    }

    /** @return array{int, int} a slot, and by how much */
    private function drawn(): array
    {
        return [$this->place->dice->number(0, Ledger::SLOTS - 1), $this->place->dice->number(1, 1000)];
    }

    public function one(): void
    {
        $place = $this->place;
        [$slot, $more] = $this->drawn();
        $table = $place->ledger->counters();
        switch ($place->dice->number(1, 4)) {
            case 1:
                $db = $place->mysqli();
                $db->query($this->update($slot, $more));
                $place->ledger->add($slot, $more);
                $place->same('affected_rows', 1, $db->affected_rows);
                break;
            case 2:
                $statement = $place->mysqli()->prepare("UPDATE $table SET n = n + ? WHERE slot = ?");
                $statement->execute([$more, $slot]);
                $place->ledger->add($slot, $more);
                $place->same('affected_rows', 1, $statement->affected_rows);
                break;
            case 3:
                $changed = $place->pdo()->exec($this->update($slot, $more));
                $place->ledger->add($slot, $more);
                $place->same('exec', 1, $changed);
                break;
            case 4:
                $statement = $place->pdo()->prepare("UPDATE $table SET n = n + :more WHERE slot = :slot");
                $statement->execute(['more' => $more, 'slot' => $slot]);
                $place->ledger->add($slot, $more);
                $place->same('rowCount', 1, $statement->rowCount());
        }
    }

    public function transaction(): void
    {
        $place = $this->place;
        $changes = array_map($this->drawn(...), range(1, $place->dice->number(1, 6)));
        $commits = $place->dice->one_in(2);
        if ($place->dice->one_in(2)) {
            $db = $place->mysqli();
            $db->begin_transaction();
            foreach ($changes as $change) {
                $db->query($this->update(...$change));
            }
            $commits ? $db->commit() : $db->rollback();
        } else {
            $db = $place->pdo();
            $db->beginTransaction();
            foreach ($changes as $change) {
                $db->exec($this->update(...$change));
            }
            $commits ? $db->commit() : $db->rollBack();
        }
        foreach ($commits ? $changes : [] as $change) {
            $place->ledger->add(...$change);
        }
    }

    /** The connection goes before anything is committed, by itself or with something thrown. */
    public function left_open(): void
    {
        $place = $this->place;
        [$slot, $more] = $this->drawn();
        try {
            if ($place->dice->one_in(2)) {
                $db = $place->connect($place->dice->any(['', 'p:']));
                $db->begin_transaction();
                $db->query($this->update($slot, $more));
                $place->dice->one_in(3) && $db->close();
            } else {
                $pdo = $place->pdo();
                $pdo->beginTransaction();
                $pdo->exec($this->update($slot, $more));
            }
            $place->dice->one_in(2) && throw new Thrown();
        } catch (Thrown) {
        }
    }

    public function several(): void
    {
        $place = $this->place;
        $changes = array_map($this->drawn(...), range(1, $place->dice->number(1, 5)));
        $db = $place->mysqli();
        $db->multi_query(implode(';', array_map(fn(array $change) => $this->update(...$change), $changes)));
        $affected = [$db->affected_rows];
        while ($db->more_results() && $db->next_result()) {
            $affected[] = $db->affected_rows;
        }
        foreach ($changes as $change) {
            $place->ledger->add(...$change);
        }
        $place->same('several', array_fill(0, count($changes), 1), $affected);
    }

    public function pipeline(): void
    {
        $place = $this->place;
        $changes = array_map($this->drawn(...), range(1, $place->dice->number(1, 20)));
        $done = Vaquita\pipeline($place->mysqli(), array_map(fn(array $change) => $this->update(...$change), $changes));
        foreach ($changes as $change) {
            $place->ledger->add(...$change);
        }
        $place->same('pipeline', array_fill(0, count($changes), 1), array_map(fn(Vaquita\Done $done) => $done->affected_rows, $done));
    }

    /** Rows, some of them large, that are read again and deleted. */
    public function inserted(): void
    {
        $place = $this->place;
        $table = $place->ledger->lines();
        $db = $place->mysqli();
        $statement = $db->prepare("INSERT INTO $table (line) VALUES (?)");
        $lines = [];
        for ($i = $place->dice->number(1, 10); $i > 0; $i--) {
            $line = str_repeat($place->dice->any(['a', 'ö', '€']), $place->dice->number(0, 200));
            $statement->execute([$line]);
            $lines[$statement->insert_id] = $line;
        }
        $place->same('inserted', $lines, array_column($db->query("SELECT id, line FROM $table ORDER BY id")->fetch_all(), 1, 0));
        $db->query("DELETE FROM $table");
        $place->same('deleted', count($lines), $db->affected_rows);
    }

    public function compared(): void
    {
        $place = $this->place;
        $found = $place->mysqli()->execute_query("SELECT slot, n FROM {$place->ledger->counters()} ORDER BY slot")->fetch_all();
        $place->same('what was written', $place->ledger->slots, array_column($found, 1, 0));
    }
}
