<?php
/*
 * What a script does in a try: the ways of mysqli and Vaquita to write and to read.
 */

declare(strict_types=1);

use function Vaquita\{pipeline, query};

final class Acts
{
    /** Each, and about how many bytes go to the server and come back once it is connected. */
    public const ALL = [
        'queries' => [300, 400],
        'buffered' => [200, 65_000],
        'unbuffered' => [200, 65_000],
        'prepared' => [400, 7000],
        'statement rows' => [200, 65_000],
        'cursor' => [700, 4000],
        'long data' => [90_000, 200],
        'commands' => [300, 300],
        'query timeout' => [500, 4000],
        'multi query' => [400, 4000],
        'pipelined' => [600, 700],
        'bound query' => [700, 1000],
        'local infile' => [52_000, 200],
        'local infile transaction' => [52_000, 300],
        'asynchronous' => [300, 300],
        'transaction' => [400, 200],
        'rollback' => [200, 200],
        'change user' => [300, 300],
        'persistent' => [400, 400],
        ...PdoActs::ALL,
        ...KvActs::ALL,
        ...PortActs::ALL,
        ...FirstActs::ALL,
    ];
    /** Lines of a local file, and their first item. */
    private const LINES = 100;
    private const FIRST_LINE = 100;
    private const POLLS = 12;
    /** Rows of a cursor, which come one by one. */
    private const CURSOR_ROWS = 20;
    private const LONG_BYTES = 80_000;
    private const QUERY_MS = 1500;

    public function __construct(private readonly Trial $trial)
    {
    }

    public function queries(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->write('query', [0], fn() => $db->query($t->insert(0)));
        $t->check_rows($t->timed('select', fn() => $db->query($t->many(1))->fetch_all()), 1);
        $t->write('execute_query', [1], fn() => $db->execute_query($t->insert('?'), [1]));
    }

    public function buffered(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->check_rows($t->timed('query', fn() => $db->query($t->many())->fetch_all()));
        $t->write('query', [0], fn() => $db->query($t->insert(0)));
    }

    public function unbuffered(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $result = $t->timed('query', fn() => $db->query($t->many(), MYSQLI_USE_RESULT));
        $t->read($db, fn() => $result->fetch_row());
        $result->free();
        $t->write('query', [0], fn() => $db->query($t->insert(0)));
    }

    public function prepared(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $insert = $t->timed('prepare', fn() => $db->prepare($t->insert('?')));
        foreach ([0, 1] as $item) {
            $t->write('execute', [$item], fn() => $insert->execute([$item]));
        }
        $select = $t->timed('prepare', fn() => $db->prepare("SELECT {$t->plan->number}, k, filler FROM numbers WHERE k < ? ORDER BY k"));
        $t->check_rows($t->timed('execute', function () use ($select) {
            $select->execute([50]);
            return $select->get_result()->fetch_all();
        }), 50);
        // The driver keeps what is closed, and takes it for the same text.
        $insert->close();
        $insert = $t->timed('prepare again', fn() => $db->prepare($t->insert('?')));
        $t->write('execute again', [2], fn() => $insert->execute([2]));
    }

    public function statement_rows(): void
    {
        $this->read_bound([], Trial::ROWS);
    }

    /** @param array<int, int> $attributes of the statement */
    private function read_bound(array $attributes, int $count): void
    {
        $t = $this->trial;
        $db = $t->link();
        $select = $t->timed('prepare', fn() => $db->prepare($t->many($count)));
        foreach ($attributes as $attribute => $value) {
            $select->attr_set($attribute, $value);
        }
        $t->timed('execute', fn() => $select->execute());
        $select->bind_result($try, $k, $filler);
        $t->read($select, function () use ($select, &$try, &$k, &$filler) {
            return $select->fetch() ? [$try, $k, $filler] : null;
        }, $count);
        $select->close();
        $t->write('query', [0], fn() => $db->query($t->insert(0)));
    }

    public function cursor(): void
    {
        $this->read_bound([MYSQLI_STMT_ATTR_CURSOR_TYPE => MYSQLI_CURSOR_TYPE_READ_ONLY], self::CURSOR_ROWS);
    }

    /** A parameter in pieces, whose length is the item. */
    public function long_data(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $insert = $t->timed('prepare', fn() => $db->prepare($t->insert('LENGTH(?)')));
        $value = null;
        $insert->bind_param('b', $value);
        foreach (str_split(str_repeat('x', self::LONG_BYTES), 30_000) as $piece) {
            $t->timed('send_long_data', fn() => $insert->send_long_data(0, $piece));
        }
        $t->write('execute', [self::LONG_BYTES], fn() => $insert->execute());
    }

    public function commands(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->timed('ping', fn() => $db->ping()) || throw new Wrong('ping says false, without an error');
        $t->timed('select_db', fn() => $db->select_db(Trial::DATABASE));
        $t->timed('set_charset', fn() => $db->set_charset('latin1'));
        $t->timed('stat', fn() => $db->stat()) !== '' || throw new Wrong('there is no stat');
        $t->write('query', [0], fn() => $db->query($t->insert(0)));
    }

    /** With a limit for queries, and so with a second connection where one is not answered in time. */
    public function query_timeout(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->timed('set_query_timeout', fn() => Vaquita\set_query_timeout($db, self::QUERY_MS));
        $t->write('query', [0], fn() => $db->query($t->insert(0)));
        $t->check_rows($t->timed('select', fn() => $db->query($t->many(20))->fetch_all()), 20);
        $t->write('query', [1], fn() => $db->query($t->insert(1)));
    }

    public function multi_query(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->sent([0, 1]);
        $t->timed('multi_query', fn() => $db->multi_query("{$t->insert(0)}; {$t->many(30)}; {$t->insert(1)}"));
        $t->done([0]);
        $t->timed('next_result', fn() => $db->next_result()) || throw new Wrong('there is no second result');
        $t->check_rows($t->timed('store_result', fn() => $db->store_result()->fetch_all()), 30);
        $t->timed('next_result', fn() => $db->next_result()) || throw new Wrong('there is no third result');
        $t->done([1]);
    }

    public function pipelined(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $items = [0, 1, 2, 3];
        $t->sent($items);
        $outcomes = $t->timed('pipeline', fn() => pipeline($db, [...array_map($t->insert(...), $items), $t->many(2), $t->insert(4)]));
        foreach ([0 => 0, 1 => 1, 2 => 2, 3 => 3, 5 => 4] as $place => $item) {
            $outcome = $outcomes[$place];
            if ($outcome instanceof Vaquita\Done) {
                $t->done([$item]);
            } elseif ($outcome->getCode() === 2006) {
                // Documented: of such a statement no byte was sent.
                $t->told[$item] = 'never';
            } else {
                $t->told[$item] = 'unknown';
            }
        }
        !$outcomes[4] instanceof mysqli_result || $t->check_rows($outcomes[4]->fetch_all(), 2);
        foreach ($outcomes as $outcome) {
            !$outcome instanceof mysqli_sql_exception || throw $outcome;
        }
    }

    public function bound_query(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->together[] = [0, 1, 2];
        $t->write('Vaquita\query', [0, 1, 2], fn() => query($db, 'INSERT INTO counter (try, item) VALUES ?', [array_map(fn(int $item) => [$t->plan->number, $item], [0, 1, 2])]));
        $t->check_rows($t->timed('Vaquita\query', fn() => query($db, "SELECT {$t->plan->number}, k, filler FROM numbers WHERE k IN (?) ORDER BY k", [[0, 1, 2]])->fetch_all()), 3);
        // From now on MariaDB gets a statement and its run in one write.
        $t->write('Vaquita\query at once', [3], fn() => query($db, $t->insert('?'), [3]));
        $t->write('execute_query at once', [4], fn() => $db->execute_query($t->insert('? + 0'), [4]));
    }

    public function local_infile(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $this->load(function (string $load, array $items) use ($db, $t) {
            $t->write('load', $items, fn() => $db->query($load));
        });
    }

    public function local_infile_transaction(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $this->load(function (string $load, array $items) use ($db, $t) {
            $t->timed('begin', fn() => $db->begin_transaction());
            $t->timed('load', fn() => $db->query($load));
            $t->write('commit', $items, fn() => $db->commit());
        });
    }

    private function load(Closure $work): void
    {
        $t = $this->trial;
        $file = tempnam(sys_get_temp_dir(), 'vaquita-faults');
        $items = range(self::FIRST_LINE, self::FIRST_LINE + self::LINES - 1);
        file_put_contents($file, implode('', array_map(fn(int $item) => "{$t->plan->number}\t$item\t" . str_repeat('x', 500) . "\n", $items)));
        $t->together[] = $items;
        try {
            $work("LOAD DATA LOCAL INFILE '$file' INTO TABLE counter (try, item, @filler)", $items);
        } finally {
            unlink($file);
        }
    }

    public function asynchronous(): void
    {
        $t = $this->trial;
        $links = [$t->link(), $t->link()];
        foreach ($links as $item => $db) {
            $t->sent([$item]);
            $t->last = $db;
            $t->timed('query', fn() => $db->query($t->insert($item), MYSQLI_ASYNC));
        }
        $failure = null;
        for ($polls = 0; $links !== []; $polls++) {
            if ($polls === self::POLLS) {
                // Nothing came: the script gives up, and may.
                $t->errors[] = ['poll', 0, 'no answer'];
                return;
            }
            $read = $error = $reject = $links;
            $t->timed('poll', fn() => mysqli_poll($read, $error, $reject, 0, 250_000));
            foreach ($links as $item => $db) {
                if (in_array($db, $read, true) || in_array($db, $error, true)) {
                    unset($links[$item]);
                    try {
                        $t->timed('reap', fn() => $db->reap_async_query());
                        $t->done([$item]);
                    } catch (mysqli_sql_exception $failure) {
                        $t->last = $db;
                    }
                }
            }
        }
        $failure === null || throw $failure;
    }

    public function transaction(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->timed('begin', fn() => $db->begin_transaction());
        foreach ([0, 1, 2] as $item) {
            $t->timed('query', fn() => $db->query($t->insert($item)));
        }
        $t->together[] = [0, 1, 2];
        $t->write('commit', [0, 1, 2], fn() => $db->commit());
    }

    /** What is rolled back is never there, whether or not that is told. */
    public function rollback(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->timed('begin', fn() => $db->begin_transaction());
        $t->timed('query', fn() => $db->query($t->insert(0)));
        $t->timed('rollback', fn() => $db->rollback());
        $t->write('query', [1], fn() => $db->query($t->insert(1)));
    }

    public function change_user(): void
    {
        $t = $this->trial;
        $db = $t->link();
        $t->timed('query', fn() => $db->query('SET @before = 1'));
        $t->timed('change_user', fn() => $db->change_user($t->place->of('USER'), $t->place->of('PASSWORD'), Trial::DATABASE));
        $row = $t->timed('select', fn() => $db->query('SELECT @before')->fetch_row());
        $row === [null] || throw new Wrong("a variable of before the change is $row[0]");
        $t->write('query', [0], fn() => $db->query($t->insert(0)));
    }

    /** The fault comes while the connection is given back, idle, and taken again. */
    public function persistent(): void
    {
        $t = $this->trial;
        foreach ([0, 1, 2] as $round) {
            if ($round === 2) {
                $t->arm();
            }
            $db = $t->timed('connect', fn() => $t->mysqli('p:'));
            $row = $t->timed('select', fn() => $db->query('SELECT @left')->fetch_row());
            $row === [null] || throw new Wrong("a variable of the last user is $row[0]");
            $round === 1 && !$t->plan->meets_connecting && $t->arm();
            $t->write('query', [$round], fn() => $db->query($t->insert($round)));
            $t->timed('query', fn() => $db->query('SET @left = 1'));
            $t->timed('close', fn() => $db->close());
        }
    }
}
