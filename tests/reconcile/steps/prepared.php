<?php
/*
 * mysqli's prepared statements.
 */

declare(strict_types=1);

/** So many that they differ in their texts: more than the statement cache keeps. */
const TEXTS = 40;

return [
    'prepare, execute, close' => function (World $w): void {
        $sql = 'SELECT a FROM t WHERE k = ? OR k = ' . $w->dice->number(1, TEXTS);
        $statement = $w->link()->prepare($w->plan->prepares($sql));
        $times = $w->dice->number(0, 4);
        $w->plan->runs($sql, $times);
        for (; $times > 0; $times--) {
            $statement->execute([$w->dice->number(1, World::ROWS)]);
            $statement->get_result()->fetch_all();
        }
        $statement->close();
    },
    'bound, with bound results' => function (World $w): void {
        $statement = $w->link()->prepare($w->plan->prepares($sql = 'SELECT k, a FROM t WHERE k < ?'));
        $statement->bind_param('i', $most);
        $statement->bind_result($key, $text);
        foreach ([3, World::ROWS] as $most) {
            $w->plan->runs($sql);
            $statement->execute();
            if ($most === 3) {
                $statement->store_result();
            }
            while ($statement->fetch());
        }
        unset($statement);
    },
    'values of other types than before' => function (World $w): void {
        // MySQL derives types: one that was kept is prepared again for these, by the driver, and for a float by the server itself.
        $w->plan->note('prepared again by the server');
        $sql = 'SELECT a FROM t WHERE k = ?';
        foreach ([1, '05', 1.5] as $value) {
            $statement = $w->link()->prepare($w->plan->prepares($sql));
            $statement->bind_param(match (true) { is_int($value) => 'i', is_float($value) => 'd', default => 's' }, $value);
            $w->plan->runs($sql);
            $statement->execute();
            $statement->get_result()->fetch_all();
            $statement->close();
        }
    },
    'columns asked for before the run' => function (World $w): void {
        $sql = 'SELECT a FROM t WHERE k = ?';
        for ($link = $w->link(), $i = 0; $i < 2; $i++) {
            $statement = $link->prepare($w->plan->prepares($sql));
            $statement->result_metadata()->fetch_fields();
            $w->plan->runs($sql);
            $statement->execute([1]);
            $statement->get_result()->free();
            $statement->close();
        }
    },
    'writes' => function (World $w): void {
        [$link, $key] = [$w->link(), $w->key()];
        foreach ([['INSERT INTO t VALUES (?, ?, 1)', [$key, 'new']], ['UPDATE t SET a = ? WHERE k = ?', ['newer', $key]], ['DELETE FROM t WHERE k = ?', [$key]]] as [$sql, $values]) {
            $statement = $link->prepare($w->plan->prepares($sql));
            $w->plan->runs($sql);
            $statement->execute($values);
            $statement->close();
        }
    },
    'a run that fails' => function (World $w): void {
        $statement = $w->link()->prepare($w->plan->prepares($sql = 'INSERT INTO t VALUES (?, ?, 2)'));
        $w->plan->runs($sql);
        failing(fn() => $statement->execute([1, 'is there']));
        $statement->close();
    },
    'one that can\'t be prepared' => function (World $w): void {
        $w->plan->note('COM_STMT_PREPARE');
        failing(fn() => $w->link()->prepare('SELECT a FROM nowhere WHERE k = ?'));
    },
    'another in its place' => function (World $w): void {
        $statement = $w->link()->stmt_init();
        foreach (['SELECT ? + 1', 'SELECT ? + 2'] as $sql) {
            $statement->prepare($w->plan->prepares($sql));
            $w->plan->runs($sql);
            $statement->execute([1]);
            $statement->get_result()->fetch_all();
        }
        $statement->close();
    },
    'reset' => function (World $w): void {
        $statement = $w->link()->prepare($w->plan->prepares($sql = 'SELECT LENGTH(?)'));
        $w->plan->runs($sql);
        $w->plan->note('COM_STMT_RESET');
        $statement->execute(['abc']);
        $statement->get_result()->free();
        $statement->reset();
        $statement->close();
    },
    'long data' => function (World $w): void {
        $statement = $w->link()->prepare($w->plan->prepares($sql = 'SELECT LENGTH(?)'));
        $value = null;
        $statement->bind_param('b', $value);
        for ($parts = $w->dice->number(1, 5); $parts > 0; $parts--) {
            $w->plan->note('COM_STMT_SEND_LONG_DATA');
            $statement->send_long_data(0, str_repeat('z', $w->dice->number(1, 20_000)));
        }
        $w->plan->runs($sql);
        $statement->execute();
        $statement->get_result()->fetch_all();
        $statement->close();
    },
    'a cursor' => function (World $w): void {
        $statement = $w->link()->prepare($w->plan->prepares($sql = 'SELECT k, a FROM t WHERE k <= 20'));
        $statement->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
        $w->plan->runs($sql);
        // One at a time, and once more to find that there is none.
        $w->plan->note('COM_STMT_FETCH', World::ROWS + 1);
        $statement->execute();
        $statement->bind_result($key, $text);
        while ($statement->fetch());
        $statement->close();
    },
    'execute_query' => function (World $w): void {
        $link = $w->link();
        foreach (['SELECT a FROM t WHERE k = ?', 'SELECT CONCAT(?)'] as $sql) {
            $w->plan->runs($sql);
            $link->execute_query($w->plan->prepares($sql), [7])->fetch_all();
        }
    },
    'execute_query that can\'t be prepared' => function (World $w): void {
        $link = $w->link();
        $w->plan->note('COM_STMT_PREPARE');
        $before = mysqli_get_connection_stats($link)['com_stmt_execute'];
        failing(fn() => $link->execute_query('SELECT a FROM nowhere WHERE k = ?', [1]));
        // MariaDB gets the run with it, and refuses that too, before it counts it as a kind of statement.
        $runs = mysqli_get_connection_stats($link)['com_stmt_execute'] - $before;
        $w->plan->note('COM_STMT_EXECUTE', $runs);
        $w->plan->note('Com_stmt_execute', -$runs);
    },
    'more texts than are kept' => function (World $w): void {
        for ($link = $w->link(), $number = 1; $number <= 20; $number++) {
            $w->plan->runs($sql = "SELECT a FROM t WHERE k = ? AND n <> $number");
            $link->execute_query($w->plan->prepares($sql), [1])->free();
        }
    },
    'open when its connection goes' => function (World $w): void {
        $link = $w->connect($w->way());
        $w->plan->note('COM_STMT_PREPARE');
        $statement = $link->prepare($sql = 'SELECT ? + 3');
        $w->plan->runs($sql);
        $statement->execute([1]);
        $statement->get_result()->free();
        $w->close($link);
    },
];
