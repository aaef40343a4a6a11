<?php
/*
 * What a script does first on a persistent connection that was idle: the driver has sent a reset without waiting, and finds out now whether the connection
 * lives. Here alone it may take another in its place, and send again what can't write.
 */

declare(strict_types=1);

use function Vaquita\{pipeline, query};

final class FirstActs
{
    /** As Acts::ALL. */
    public const ALL = [
        'persistent first' => [300, 300],
        'pdo persistent first' => [300, 300],
        'pdo persistent shared' => [500, 300],
    ];
    /** How often the connection is taken, each time for another first command; the fault comes upon it from the second one on. */
    private const ROUNDS = 4;
    private const WAYS = ['query', 'rows', 'unbuffered rows', 'execute_query', 'prepare', 'bound query', 'kv', 'transaction', 'pipeline', 'ping', 'escape', 'multi query', 'asynchronous'];
    private const PDO_WAYS = ['exec', 'rows', 'prepare', 'native', 'kv', 'transaction', 'quote'];

    public function __construct(private readonly Trial $trial)
    {
    }

    public function persistent_first(): void
    {
        $t = $this->trial;
        $this->rounds(self::WAYS, fn() => $t->mysqli('p:'), fn(mysqli $db) => $db->query('SET @left = 1'), $this->first(...));
    }

    public function pdo_persistent_first(): void
    {
        $t = $this->trial;
        $open = fn() => $t->pdo([PDO::ATTR_PERSISTENT => $t->name()]);
        $this->rounds(self::PDO_WAYS, $open, fn(PDO $db) => $db->exec('SET @left = 1'), $this->pdo_first(...));
    }

    /** @param list<string> $ways */
    private function rounds(array $ways, Closure $open, Closure $leave, Closure $first): void
    {
        $t = $this->trial;
        // While it is idle, in use and without a command, given back.
        [$fatal, $when] = [1 + $t->plan->number % (self::ROUNDS - 1), intdiv($t->plan->number, self::ROUNDS - 1) % 3];
        for ($round = 0; $round < self::ROUNDS; $round++) {
            $arm = fn(int $now) => [$round, $when] === [$fatal, $now] && $t->arm();
            $arm(0);
            $db = $t->timed('connect', $open);
            $arm(1);
            $first($ways[($t->plan->number + $round) % count($ways)], $db, $round);
            $arm(2);
            $t->timed('leave', fn() => $leave($db));
            $t->timed('close', function () use (&$db) {
                $db = null;
            });
        }
    }

    private function first(string $way, mysqli $db, int $item): void
    {
        $t = $this->trial;
        $write = fn(Closure $work) => $t->write("first $way", [$item], $work);
        match ($way) {
            'query' => $write(fn() => $db->query($t->insert($item))),
            'rows' => $t->check_rows($t->timed('first rows', fn() => $db->query($t->many(3))->fetch_all()), 3),
            'unbuffered rows' => $t->read($db, $t->timed('first rows', fn() => $db->query($t->many(3), MYSQLI_USE_RESULT))->fetch_row(...), 3),
            'execute_query' => $write(fn() => $db->execute_query($t->insert('?'), [$item])),
            'prepare' => $write(fn() => $db->prepare($t->insert('?'))->execute([$item])),
            'bound query' => $write(fn() => query($db, $t->insert('?'), [$item])),
            'kv' => $this->add($db, $item),
            'transaction' => $this->transaction($item, $db->begin_transaction(...), fn() => $db->query($t->insert($item)), $db->commit(...)),
            'pipeline' => $this->pipeline($db, $item),
            'ping' => $t->timed('first ping', fn() => $db->ping()) || throw new Wrong('ping says false, without an error'),
            'escape' => $write(fn() => $db->query($t->insert("'" . $db->real_escape_string((string) $item) . "'"))),
            'multi query' => $this->multi_query($db, $item),
            'asynchronous' => $this->asynchronous($db, $item),
        };
    }

    private function pdo_first(string $way, PDO $db, int $item): void
    {
        $t = $this->trial;
        $write = fn(Closure $work) => $t->write("first $way", [$item], $work);
        match ($way) {
            'exec' => $write(fn() => $db->exec($t->insert($item))),
            'rows' => $t->check_rows($t->timed('first rows', fn() => $db->query($t->many(3))->fetchAll(PDO::FETCH_NUM)), 3),
            'prepare' => $write(fn() => $db->prepare($t->insert('?'))->execute([$item])),
            'native' => $write(function () use ($db, $t, $item) {
                $db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
                $db->prepare($t->insert('?'))->execute([$item]);
            }),
            'kv' => $this->add($db, $item),
            'transaction' => $this->transaction($item, $db->beginTransaction(...), fn() => $db->exec($t->insert($item)), $db->commit(...)),
            'quote' => $write(fn() => $db->exec($t->insert($db->quote((string) $item)))),
        };
    }

    private function add(mysqli|PDO $db, int $item): void
    {
        $t = $this->trial;
        $t->write('first kv', [$item], function () use ($db, $t, $item) {
            Vaquita\kv($db, 'kept')->add([$t->plan->number, $item], ['value' => $item]) || throw new Wrong('add finds a row');
        });
    }

    private function transaction(int $item, Closure $begin, Closure $write, Closure $commit): void
    {
        $this->trial->timed('first begin', $begin);
        $this->trial->timed('write', $write);
        $this->trial->write('commit', [$item], $commit);
    }

    private function pipeline(mysqli $db, int $item): void
    {
        $t = $this->trial;
        $t->sent([$item]);
        [$written, $rows] = $t->timed('first pipeline', fn() => pipeline($db, [$t->insert($item), $t->many(2)]));
        if ($written instanceof Vaquita\Done) {
            $t->done([$item]);
        } elseif ($written->getCode() === 2006) {
            $t->told[$item] = 'never'; // as Acts::pipelined
        }
        !$rows instanceof mysqli_result || $t->check_rows($rows->fetch_all(), 2);
        foreach ([$written, $rows] as $outcome) {
            !$outcome instanceof mysqli_sql_exception || throw $outcome;
        }
    }

    private function multi_query(mysqli $db, int $item): void
    {
        $t = $this->trial;
        $t->sent([$item]);
        $t->timed('first multi_query', fn() => $db->multi_query("{$t->many(2)}; {$t->insert($item)}"));
        $t->check_rows($t->timed('store_result', fn() => $db->store_result()->fetch_all()), 2);
        $t->timed('next_result', fn() => $db->next_result()) || throw new Wrong('there is no second result');
        $t->done([$item]);
    }

    private function asynchronous(mysqli $db, int $item): void
    {
        $t = $this->trial;
        $t->write('first asynchronous', [$item], function () use ($db, $t, $item) {
            $db->query($t->insert($item), MYSQLI_ASYNC);
            $db->reap_async_query();
        });
    }

    /** Two objects have one handle of PDO's, and so one session: whose transaction is over hears of it, also where the other one has connected again meanwhile. */
    public function pdo_persistent_shared(): void
    {
        $t = $this->trial;
        $open = fn() => $t->pdo([PDO::ATTR_PERSISTENT => $t->name()]);
        $t->plan->meets_connecting && $t->arm();
        $one = $t->timed('connect', $open);
        $t->arm();
        $t->together[] = [0, 1];
        try {
            $t->timed('begin', $one->beginTransaction(...));
            $t->timed('exec', fn() => $one->exec($t->insert(0)));
            $other = $t->timed('connect', $open);
            $t->timed('exec', fn() => $one->exec($t->insert(1)));
            $t->write('commit', [0, 1], $one->commit(...));
        } catch (PDOException $e) {
            $failed = $t->step;
            $other ??= $this->another($open);
            $this->stays_broken($one);
            $t->step = $failed;
            throw $e;
        }
    }

    private function another(Closure $open): ?PDO
    {
        try {
            return $this->trial->timed('connect', $open);
        } catch (PDOException) {
            return null; // the server was killed
        }
    }

    private function stays_broken(PDO $db): void
    {
        try {
            $db->exec($this->trial->insert(98)); // nobody is told to write it
            throw new Wrong('a handle goes on after an error, in a session without its transaction');
        } catch (PDOException) {
        }
    }
}
