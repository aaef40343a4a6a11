<?php
/*
 * What a script does in a try with rows by their keys, over mysqli or PDO. Each write that the server does leaves its value in `counter`, by the triggers of
 * `kept` (main.php): so one that is done twice is there twice, though a key has one row.
 */

declare(strict_types=1);

final class KvActs
{
    /** As Acts::ALL. */
    public const ALL = [
        'kv' => [1700, 3000],
        'kv transaction' => [1500, 2500],
        'pdo kv' => [1700, 3000],
        'pdo kv transaction' => [1700, 3000],
    ];
    /** What a deleted row's value leaves, besides. */
    public const DELETED = 100;

    public function __construct(private readonly Trial $trial)
    {
    }

    public function kv(): void
    {
        $this->write_each($this->trial->link());
    }

    public function pdo_kv(): void
    {
        $this->write_each($this->trial->pdo_link());
    }

    public function kv_transaction(): void
    {
        $db = $this->trial->link();
        $this->write_together($db, $db->begin_transaction(...), $db->commit(...));
    }

    public function pdo_kv_transaction(): void
    {
        $db = $this->trial->pdo_link();
        $this->write_together($db, $db->beginTransaction(...), $db->commit(...));
    }

    /** Each kind of write, and whether it says of the row what is so: one that was done before, unasked, would find another. */
    private function write_each(mysqli|PDO $db): void
    {
        $t = $this->trial;
        $kv = Vaquita\kv($db, 'kept');
        [$one, $other] = [$this->key(0), $this->key(1)];
        $t->write('set', [10], fn() => $kv->set($one, ['value' => 10]));
        $t->write('set again', [11], fn() => $kv->set($one, ['value' => 11]));
        $t->write('add', [12], fn() => self::expect($kv->add($other, ['value' => 12]), 'add finds a row'));
        $t->timed('add again', fn() => self::expect(!$kv->add($other, ['value' => 13]), 'add finds no row'));
        $t->write('replace', [14], fn() => self::expect($kv->replace($other, ['value' => 14]), 'replace finds no row'));
        $this->check($t->timed('getMulti', fn() => $kv->getMulti([$one, $other])), [[0, 11], [1, 14]]);
        $t->write('delete', [14 + self::DELETED], fn() => self::expect($kv->delete($other), 'delete finds no row'));
        $t->timed('delete again', fn() => self::expect(!$kv->delete($other), 'delete finds a row'));
        $t->timed('replace nothing', fn() => self::expect(!$kv->replace($other, ['value' => 15]), 'replace finds a row'));
        $this->check([$t->timed('get', fn() => $kv->get($one))], [[0, 11]]);
        $t->timed('get', fn() => self::expect($kv->get($other) === null, 'get finds a row'));
    }

    /** None of them looks for a row that is not there: that would keep others from making theirs as long as the transaction hangs. */
    private function write_together(mysqli|PDO $db, Closure $begin, Closure $commit): void
    {
        $t = $this->trial;
        $kv = Vaquita\kv($db, 'kept');
        $t->timed('begin', $begin);
        $t->timed('add', fn() => self::expect($kv->add($this->key(0), ['value' => 20]), 'add finds a row'));
        $t->timed('add', fn() => self::expect($kv->add($this->key(1), ['value' => 21]), 'add finds a row'));
        $t->timed('set', fn() => $kv->set($this->key(0), ['value' => 22]));
        $t->timed('delete', fn() => self::expect($kv->delete($this->key(1)), 'delete finds no row'));
        $items = [20, 21, 22, 21 + self::DELETED];
        $t->together[] = $items;
        $t->write('commit', $items, $commit);
        $this->check([$t->timed('get', fn() => $kv->get($this->key(0)))], [[0, 22]]);
    }

    /** @return array{int, int} */
    private function key(int $item): array
    {
        return [$this->trial->plan->number, $item];
    }

    private static function expect(bool $is_so, string $otherwise): void
    {
        $is_so || throw new Wrong($otherwise);
    }

    /** @param list<array{int, int}> $expected the items and their values */
    private function check(array $rows, array $expected): void
    {
        $expected = array_map(fn(array $row) => ['try' => $this->trial->plan->number, 'item' => $row[0], 'value' => $row[1]], $expected);
        $rows === $expected || throw new Wrong('rows by their keys are ' . json_encode($rows));
    }
}
