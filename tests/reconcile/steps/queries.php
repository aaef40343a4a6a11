<?php
/*
 * mysqli's queries and plain commands.
 */

declare(strict_types=1);

return [
    'query, stored' => function (World $w): void {
        for ($i = $w->dice->number(1, 5); $i > 0; $i--) {
            $w->link()->query($w->plan->asks('SELECT k, a FROM t WHERE k < ' . $w->dice->number(1, World::ROWS)))->fetch_all();
        }
    },
    'query, unbuffered' => function (World $w): void {
        $result = $w->link()->query($w->plan->asks('SELECT * FROM t'), MYSQLI_USE_RESULT);
        for ($rows = $w->dice->number(0, World::ROWS); $rows > 0; $rows--) {
            $result->fetch_row();
        }
        $result->free();
    },
    'real_query' => function (World $w): void {
        $link = $w->link();
        $link->real_query($w->plan->asks('SELECT a FROM t'));
        $result = $w->dice->one_in(2) ? $link->store_result() : $link->use_result();
        $result->free();
    },
    'a large result' => function (World $w): void {
        $w->link()->query($w->plan->asks("SELECT REPEAT('x', " . $w->dice->number(100_000, 400_000) . '), a FROM t WHERE k < 4'))->fetch_all();
    },
    'a large query' => function (World $w): void {
        $w->link()->query($w->plan->asks("SELECT LENGTH('" . str_repeat('y', $w->dice->number(50_000, 200_000)) . "')"))->fetch_all();
    },
    'multi_query' => function (World $w): void {
        $link = $w->link();
        $statements = array_map(fn(int $number) => $w->dice->any(["SELECT $number", "SET @m = $number", 'SELECT k FROM t WHERE k < 3']), range(1, $w->dice->number(1, 6)));
        $link->multi_query($w->plan->asks(...$statements));
        do {
            $link->store_result();
        } while ($link->more_results() && $link->next_result());
    },
    'multi_query, the second one fails' => function (World $w): void {
        $link = $w->link();
        $link->multi_query($w->plan->asks('SELECT 1', 'SELECT k FROM nowhere') . '; SET @never = 1');
        try {
            do {
                $link->store_result();
            } while ($link->more_results() && $link->next_result());
        } catch (mysqli_sql_exception) {
        }
    },
    'no SQL' => function (World $w): void {
        failing(fn() => $w->link()->query($w->plan->asks('NONSENSE')));
    },
    'no table' => function (World $w): void {
        failing(fn() => $w->link()->query($w->plan->asks('SELECT a FROM nowhere')));
    },
    'writes' => function (World $w): void {
        [$link, $key] = [$w->link(), $w->key()];
        $link->query($w->plan->asks("INSERT INTO t VALUES ($key, 'new', 1)"));
        failing(fn() => $link->query($w->plan->asks("INSERT INTO t VALUES ($key, 'again', 1)")));
        $link->query($w->plan->asks("UPDATE t SET n = 2 WHERE k = $key"));
        $link->query($w->plan->asks("REPLACE INTO t VALUES ($key, 'other', 3)"));
        $link->query($w->plan->asks("DELETE FROM t WHERE k = $key"));
    },
    'transactions' => function (World $w): void {
        $link = $w->link();
        $w->plan->asks('START TRANSACTION');
        $link->begin_transaction();
        $w->plan->asks('SAVEPOINT `s`');
        $link->savepoint('s');
        $link->query($w->plan->asks('SELECT k FROM t WHERE k = 1'))->free();
        $link->query($w->plan->asks('ROLLBACK TO s'));
        $w->plan->asks('RELEASE SAVEPOINT `s`');
        $link->release_savepoint('s');
        if ($w->dice->one_in(2)) {
            $w->plan->asks('COMMIT');
            $link->commit();
        } else {
            $w->plan->asks('ROLLBACK');
            $link->rollback();
        }
    },
    'autocommit' => function (World $w): void {
        $link = $w->link();
        $w->plan->asks('SET autocommit = 0');
        $link->autocommit(false);
        $w->plan->asks('COMMIT');
        $link->commit();
        $w->plan->asks('SET autocommit = 1');
        $link->autocommit(true);
    },
    'ping' => function (World $w): void {
        $times = $w->dice->number(1, 4);
        $w->plan->note('COM_PING', $times);
        for ($link = $w->link(); $times > 0; $times--) {
            $link->ping();
        }
    },
    'stat' => function (World $w): void {
        $w->plan->note('COM_STATISTICS');
        $w->link()->stat();
    },
    // Not of the status: that would begin to count anew. Nor of the tables: MySQL runs what was prepared, and what procedures run, twice after that.
    'refresh' => function (World $w): void {
        $w->plan->note('COM_REFRESH');
        $w->link()->refresh($w->dice->any([MYSQLI_REFRESH_GRANT, MYSQLI_REFRESH_HOSTS]));
    },
    'dump_debug_info' => function (World $w): void {
        $w->plan->note('COM_DEBUG');
        $w->link()->dump_debug_info();
    },
    'select_db' => function (World $w): void {
        $link = $w->link();
        $w->plan->note('COM_INIT_DB', 3);
        $link->select_db(World::OTHER_DATABASE);
        failing(fn() => $link->select_db('nowhere'));
        $link->select_db(World::DATABASE);
    },
    'USE' => function (World $w): void {
        $w->link()->query($w->plan->asks('USE ' . World::DATABASE));
    },
    'set_charset' => function (World $w): void {
        $link = $w->link();
        foreach (['latin1', 'utf8mb4'] as $charset) {
            $w->plan->asks("SET NAMES $charset");
            $link->set_charset($charset);
        }
    },
    'get_warnings' => function (World $w): void {
        $link = $w->link();
        $link->query($w->plan->asks("DO CAST('a' AS SIGNED)"));
        $w->plan->asks('SHOW WARNINGS');
        $link->get_warnings();
    },
    'asynchronous' => function (World $w): void {
        $waiting = $w->links();
        foreach ($waiting as $link) {
            $link->query($w->plan->asks('SELECT a FROM t WHERE k < ' . $w->dice->number(2, 9)), MYSQLI_ASYNC);
        }
        while ($waiting !== []) {
            $read = $errors = $rejected = $waiting;
            mysqli_poll($read, $errors, $rejected, 5);
            foreach ($read as $link) {
                $link->reap_async_query()->free();
                $waiting = array_filter($waiting, fn(mysqli $it) => $it !== $link);
            }
        }
    },
    'asynchronous, fails' => function (World $w): void {
        $link = $w->link();
        $link->query($w->plan->asks('NONSENSE'), MYSQLI_ASYNC);
        $read = $errors = $rejected = [$link];
        mysqli_poll($read, $errors, $rejected, 5);
        failing(fn() => $link->reap_async_query());
    },
    'prepared in SQL' => function (World $w): void {
        $link = $w->link();
        foreach (["PREPARE s FROM 'SELECT ? + 1'", 'SET @one = 1', 'EXECUTE s USING @one', 'DEALLOCATE PREPARE s'] as $statement) {
            $link->query($w->plan->asks($statement));
        }
    },
    'a procedure with two results' => function (World $w): void {
        $link = $w->link();
        $link->multi_query($w->plan->asks('CALL two_results()'));
        $w->plan->note('inside Com_select', 2);
        $w->plan->note('instructions of procedures', 2);
        do {
            $link->store_result();
        } while ($link->more_results() && $link->next_result());
    },
    'a procedure that loops' => fn(World $w) => loop($w, $w->dice->number(0, 30)),
    'temporary tables and locks' => function (World $w): void {
        $link = $w->link();
        foreach (['CREATE TEMPORARY TABLE u (k INT)', 'INSERT INTO u VALUES (1)', 'DROP TEMPORARY TABLE u', 'LOCK TABLES t READ', 'UNLOCK TABLES'] as $statement) {
            $link->query($w->plan->asks($statement));
        }
    },
];
