<?php
/*
 * What is Vaquita's own.
 */

declare(strict_types=1);

return [
    'Vaquita\query' => function (World $w): void {
        $link = $w->link();
        $w->plan->runs($sql = 'SELECT a FROM t WHERE k IN (?, ?)');
        $w->plan->prepares($sql);
        Vaquita\query($link, 'SELECT a FROM t WHERE k IN (?)', [[3, 5]])->free();
        $w->plan->runs($sql = 'SELECT a FROM t WHERE n < ?');
        $w->plan->prepares($sql);
        Vaquita\query($link, 'SELECT a FROM t WHERE n < :most', ['most' => 5])->free();
    },
    'Vaquita\pipeline' => function (World $w): void {
        $sent = array_map(fn() => $w->plan->asks($w->dice->any(['SELECT 1', 'SET @p = 1', 'NONSENSE', 'SELECT a FROM t'])), range(1, $w->dice->number(1, 60)));
        Vaquita\pipeline($w->link(), $sent);
    },
    'Vaquita\pipeline, up to an error' => function (World $w): void {
        Vaquita\pipeline($w->link(), [$w->plan->asks('SELECT 1'), $w->plan->asks('NONSENSE'), 'SELECT 2'], true);
    },
    'Vaquita\pipeline of a prepared statement' => function (World $w): void {
        $statement = $w->link()->prepare($w->plan->prepares($sql = 'SELECT a FROM t WHERE k = ?'));
        $values = array_map(fn(int $key) => [$key], range(1, $w->dice->number(2, 40)));
        $w->plan->runs($sql, count($values));
        Vaquita\pipeline($statement, $values);
        $statement->close();
    },
    'Vaquita\pipeline on a dead connection' => function (World $w): void {
        $link = $w->connect('unix');
        $thread = $link->thread_id;
        $w->observer->await_idle($thread);
        $w->plan->note('COM_PROCESS_KILL');
        $w->link()->kill($thread);
        $w->observer->await_end_of($thread);
        $sent = [$w->plan->asks_nobody('SELECT 1'), $w->plan->asks_nobody('SELECT 2')];
        $w->plan->note('not sent COM_QUERY', 2);
        Vaquita\pipeline($link, $sent); // gives what each came to
        $w->give_back($link);
    },
    'Vaquita\rows' => function (World $w): void {
        Vaquita\rows($w->link()->query($w->plan->asks('SELECT * FROM t')))->toArray();
    },
    'Vaquita\kv' => function (World $w): void {
        [$link, $key] = [$w->link(), $w->key()];
        // What it asks of the server about the table is the driver's own.
        $kv = Vaquita\kv($link, 't');
        $runs = ['SELECT one' => 1, 'UPDATE' => 0, 'INSERT' => 0, 'DELETE' => 0];
        $kv->get(3);
        // Few are asked for one by one, and all where there is no JSON_TABLE.
        $kv->getMulti([1, 2]);
        $runs['SELECT one'] += 2;
        $kv->getMulti(range(1, 12));
        if ($w->place->name === 'mysql56') {
            $runs['SELECT one'] += 12;
        } else {
            $runs['SELECT many'] = 1;
        }
        $kv->set($key, ['a' => 'set', 'n' => 1]); // finds none to change
        $kv->set($key, ['a' => 'other', 'n' => 1]);
        $kv->replace($key, ['a' => 'replaced', 'n' => 2]);
        $runs['UPDATE'] += 3;
        $runs['INSERT']++;
        $kv->delete($key);
        $kv->add($key, ['a' => 'added', 'n' => 3]);
        $kv->delete($key);
        $runs['DELETE'] += 2;
        $runs['INSERT']++;
        foreach ($runs as $sql => $times) {
            $w->plan->prepares($sql);
            $w->plan->runs($sql, $times);
        }
    },
    'SELECTs by key, from a port' => function (World $w): void {
        $address = $w->place->key_value_address();
        ini_set('vaquita.kv', 'on');
        ini_set('vaquita.kv_address', $address ?? '127.0.0.1:1');
        ini_set('vaquita.kv_tables', World::DATABASE . '.t');
        $link = $w->connect($w->way());
        ini_set('vaquita.kv', 'off');
        $has_answered = fn(): int => Vaquita\statistics()['key_value']['answered'];
        $through_port = 0;
        for ($key = 1; $key <= 4; $key++) {
            $before = $has_answered();
            $link->query($sql = "SELECT a FROM t WHERE k = $key")->fetch_all();
            // What the port has answered was asked of no server.
            $has_answered() > $before ? $through_port++ : $w->plan->asks($sql);
        }
        $through_port > 0 || $address === null || throw new Exception('the port has answered nothing');
        // The server is told of the last one, so that it knows.
        $link->query($w->plan->asks('SELECT FOUND_ROWS()'))->free();
        $w->close($link);
    },
    'Vaquita\set_query_timeout' => function (World $w): void {
        $link = $w->connect($w->way());
        foreach ([5000, 6000, 0] as $milliseconds) {
            Vaquita\set_query_timeout($link, $milliseconds);
            $link->query($w->plan->asks('SELECT 1'))->free();
        }
        $w->close($link);
    },
    'queries that take too long' => function (World $w): void {
        ini_set('vaquita.query_timeout_ms', '50');
        $link = $w->connect($w->dice->any(['unix', 'tcp']));
        ini_set('vaquita.query_timeout_ms', '0');
        // MariaDB stops all of them itself, MySQL the first; an interrupted SLEEP alone is no error.
        $sql = $w->dice->any(['SELECT k FROM t WHERE SLEEP(9) = 1', 'UPDATE t SET n = 1 WHERE SLEEP(9) = 1', 'DO SLEEP(9)']);
        try {
            $link->query($w->plan->asks($sql));
        } catch (mysqli_sql_exception $error) {
            in_array($error->getCode(), [1969, 3024], true) || throw $error;
        }
        $w->settle();
        if ($w->dice->one_in(2)) {
            $link->query($w->plan->asks('SELECT 1'))->free();
        }
        $w->close($link);
    },
];
