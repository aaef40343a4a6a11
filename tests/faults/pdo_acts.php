<?php
/*
 * What a script does in a try with PDO.
 */

declare(strict_types=1);

final class PdoActs
{
    /** As Acts::ALL. */
    public const ALL = [
        'pdo' => [400, 65_000],
        'pdo native' => [400, 65_000],
        'pdo transaction' => [500, 300],
        'pdo persistent' => [400, 400],
    ];

    public function __construct(private readonly Trial $trial)
    {
    }

    public function pdo(): void
    {
        $t = $this->trial;
        $db = $t->pdo_link();
        $t->write('exec', [0], fn() => $db->exec($t->insert(0)));
        $t->check_rows($t->timed('query', fn() => $db->query($t->many())->fetchAll(PDO::FETCH_NUM)));
        $t->write('execute', [1], fn() => $db->prepare($t->insert('?'))->execute([1]));
    }

    public function pdo_native(): void
    {
        $t = $this->trial;
        $db = $t->pdo_link([PDO::ATTR_EMULATE_PREPARES => false]);
        $insert = $t->timed('prepare', fn() => $db->prepare($t->insert('?')));
        $t->write('execute', [0], fn() => $insert->execute([0]));
        $db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
        $select = $t->timed('prepare', fn() => $db->prepare($t->many()));
        $t->timed('execute', fn() => $select->execute());
        $t->read($select, fn() => $select->fetch(PDO::FETCH_NUM));
        $t->write('execute', [1], fn() => $insert->execute([1]));
    }

    public function pdo_transaction(): void
    {
        $t = $this->trial;
        $db = $t->pdo_link();
        $t->timed('begin', fn() => $db->beginTransaction());
        foreach ([0, 1, 2] as $item) {
            $t->timed('exec', fn() => $db->exec($t->insert($item)));
        }
        $t->together[] = [0, 1, 2];
        $t->write('commit', [0, 1, 2], fn() => $db->commit());
    }

    public function pdo_persistent(): void
    {
        $t = $this->trial;
        foreach ([0, 1, 2] as $round) {
            if ($round === 2) {
                $t->arm();
            }
            $db = $t->timed('connect', fn() => $t->pdo([PDO::ATTR_PERSISTENT => $t->name()]));
            $left = $t->timed('select', fn() => $db->query('SELECT @left')->fetchColumn());
            $left === null || throw new Wrong("a variable of the last user is $left");
            $round === 1 && !$t->plan->meets_connecting && $t->arm();
            $t->write('exec', [$round], fn() => $db->exec($t->insert($round)));
            $t->timed('exec', fn() => $db->exec('SET @left = 1'));
            $t->timed('close', function () use (&$db) {
                $db = null;
            });
        }
    }
}
