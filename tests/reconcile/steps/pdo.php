<?php
/*
 * PDO. A handle says goodbye when it goes.
 */

declare(strict_types=1);

/** Works with a handle of its own. */
$with = function (World $w, array $attributes, Closure $work): void {
    $pdo = $w->pdo($attributes, $w->dice->any(['unix', 'tcp', 'unix zlib']));
    $work($pdo);
    $w->plan->note('COM_QUIT');
    unset($pdo);
    $w->settle();
};

return [
    'PDO: exec and query' => fn(World $w) => $with($w, [], function (PDO $pdo) use ($w): void {
        $pdo->exec($w->plan->asks('SET @a = 1'));
        $pdo->query($w->plan->asks('SELECT a FROM t'))->fetchAll();
        $pdo->exec($w->plan->asks('SET @a = 1', 'SET @b = 2'));
        failing(fn() => $pdo->query($w->plan->asks('NONSENSE')));
    }),
    'PDO: unbuffered' => fn(World $w) => $with($w, [PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false], function (PDO $pdo) use ($w): void {
        $statement = $pdo->query($w->plan->asks('SELECT a FROM t'));
        $statement->fetch();
        $statement->closeCursor();
        $pdo->query($w->plan->asks('SELECT 1'))->fetchAll();
    }),
    'PDO: emulated prepares' => fn(World $w) => $with($w, [], function (PDO $pdo) use ($w): void {
        $statement = $pdo->prepare('SELECT a FROM t WHERE k < ?');
        foreach ([3, 9] as $most) {
            $w->plan->asks('SELECT a FROM t WHERE k < ?');
            $statement->execute([$most]);
            $statement->fetchAll();
        }
    }),
    'PDO: native prepares' => fn(World $w) => $with($w, [PDO::ATTR_EMULATE_PREPARES => false], function (PDO $pdo) use ($w): void {
        foreach (['SELECT a FROM t WHERE k < ?', 'SELECT a FROM t WHERE k < ?', 'SELECT CONCAT(?)'] as $sql) {
            $statement = $pdo->prepare($w->plan->prepares($sql));
            $w->plan->runs($sql, 2);
            foreach ([3, 9] as $value) {
                $statement->execute([$value]);
                $statement->fetchAll();
            }
            unset($statement);
        }
        $w->plan->note('COM_STMT_PREPARE');
        failing(fn() => $pdo->prepare('SELECT a FROM nowhere WHERE k = ?'));
        // What is to be closed is, with the next command.
        $pdo->exec($w->plan->asks('SET @a = 2'));
    }),
    'PDO: transactions' => fn(World $w) => $with($w, [], function (PDO $pdo) use ($w): void {
        foreach (['COMMIT' => $pdo->commit(...), 'ROLLBACK' => $pdo->rollBack(...)] as $sql => $end) {
            $w->plan->asks('START TRANSACTION');
            $pdo->beginTransaction();
            $w->plan->asks($sql);
            $end();
        }
    }),
    'PDO: attributes' => fn(World $w) => $with($w, [PDO::MYSQL_ATTR_INIT_COMMAND => INIT_COMMAND], function (PDO $pdo) use ($w): void {
        $w->plan->note('COM_STATISTICS');
        $pdo->getAttribute(PDO::ATTR_SERVER_INFO);
        $pdo->getAttribute(PDO::ATTR_SERVER_VERSION);
        foreach (['0', '1'] as $on) {
            $w->plan->asks("SET autocommit = $on");
            $pdo->setAttribute(PDO::ATTR_AUTOCOMMIT, (int) $on);
        }
        $pdo->lastInsertId();
    }),
    'PDO: several results' => fn(World $w) => $with($w, [], function (PDO $pdo) use ($w): void {
        $statement = $pdo->query($w->plan->asks('SELECT 1', 'SELECT a FROM t', 'SELECT 3'));
        do {
            $statement->fetchAll();
        } while ($statement->nextRowset());
    }),
    'PDO: a wrong password' => function (World $w): void {
        $w->plan->note('refused log-ins');
        failing(fn() => new PDO('mysql:unix_socket=' . $w->place->of('SOCKET'), $w->place->of('USER'), 'wrong'));
    },
    'PDO: persistent' => function (World $w): void {
        $pdo = $w->persistent_pdo($w->dice->any(['one', 'two']));
        $pdo->exec($w->plan->asks('SET @left = 3'));
        $pdo->query($w->plan->asks('SELECT a FROM t WHERE k < 3'))->fetchAll();
    },
];
