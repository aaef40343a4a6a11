<?php
/*
 * Connections: made, refused, kept, lost, and other users on them.
 */

declare(strict_types=1);

/** Of the driver's own: what it is to be seen by. */
const INIT_COMMAND = 'SET SESSION sql_select_limit = DEFAULT';

return [
    'connect and close' => function (World $w): void {
        $link = $w->connect($w->way());
        $link->query($w->plan->asks('SELECT 1'))->free();
        $w->close($link);
    },
    'connect and do nothing' => fn(World $w) => $w->close($w->connect($w->way())),
    'another of the open links' => fn(World $w) => $w->renew(),
    'a wrong password' => function (World $w): void {
        $w->plan->note('refused log-ins');
        $way = $w->place->name === 'mysql80' ? 'unix' : $w->dice->any(['unix', 'tcp']);
        failing(fn() => $w->connect($way, password: 'wrong'));
    },
    'a database that is not there' => function (World $w): void {
        $w->plan->note('refused log-ins');
        failing(fn() => $w->connect($w->way(), database: 'nowhere'));
    },
    'nobody there' => function (World $w): void {
        $w->plan->note('nobody there');
        // The first port; nobody listens there without being root.
        failing(fn() => new mysqli('127.0.0.1', 'nobody', '', '', 1));
    },
    'TLS by a CA that the server does not have' => function (World $w): void {
        $w->plan->note('refused log-ins');
        if ($w->place->has_tls()) {
            // The server calls it an error (1043), of which nobody hears any more.
            $w->plan->note('bytes to whom had gone', 26);
        }
        $link = mysqli_init();
        $link->ssl_set(null, null, __DIR__ . '/../../../crates/client/tests/tls_peer/cert.pem', null, null);
        failing(fn() => $link->real_connect($w->place->of('HOST'), $w->place->of('USER'), $w->place->of('PASSWORD'), '', (int) $w->place->of('PORT'), '', MYSQLI_CLIENT_SSL));
    },
    'init commands' => function (World $w): void {
        $link = $w->connect($w->way(), options: [MYSQLI_INIT_COMMAND => INIT_COMMAND]);
        $w->close($link);
    },
    'an init command that fails' => function (World $w): void {
        $w->plan->note('failed init commands');
        $w->plan->note('COM_QUIT');
        failing(fn() => $w->connect($w->way(), options: [MYSQLI_INIT_COMMAND => "SET SESSION sql_select_limit = 'nonsense'"]));
    },
    'changes of the session are told' => function (World $w): void {
        ini_set('vaquita.kv', 'on');
        ini_set('vaquita.kv_address', '127.0.0.1:1'); // where no port is: for what is not by key it is not needed
        $link = $w->connect($w->way());
        ini_set('vaquita.kv', 'off');
        $link->query($w->plan->asks('SELECT 1'))->free();
        $w->close($link);
    },
    'a character set that escaping depends on' => fn(World $w) => $w->close($w->connect($w->way(), options: [MYSQLI_SET_CHARSET_NAME => 'gbk'])),
    'change_user' => function (World $w): void {
        $link = $w->link();
        $w->plan->note('COM_CHANGE_USER');
        $link->change_user($w->place->of('USER'), $w->place->of('PASSWORD'), World::DATABASE);
    },
    'change_user, refused' => function (World $w): void {
        $link = $w->connect('unix');
        $w->plan->note('COM_CHANGE_USER');
        failing(fn() => $link->change_user($w->place->of('USER'), 'wrong', ''));
        if ($w->place->is_mariadb()) {
            $w->close($link);
        } else {
            $w->give_back($link); // the server has closed it
        }
    },
    'kill another' => function (World $w): void {
        $way = $w->dice->any(['unix', 'tcp']);
        $link = $w->connect($way);
        $thread = $link->thread_id;
        $w->observer->await_idle($thread);
        if ($w->dice->one_in(2)) {
            $w->plan->note('COM_PROCESS_KILL');
            $w->link()->kill($thread);
        } else {
            $w->link()->query($w->plan->asks("KILL $thread"));
        }
        $w->observer->await_end_of($thread);
        failing(fn() => $link->query($w->plan->asks_nobody('SELECT 1')));
        // A socket of TCP takes the first bytes still.
        $w->plan->note($way === 'unix' ? 'not sent COM_QUERY' : 'unanswered COM_QUERY');
        $w->give_back($link);
    },
    'kill oneself' => function (World $w): void {
        // The server says so (1927, MySQL 1317), to nobody. A unix socket may be closed before that; one of TCP takes it.
        $link = $w->connect('tcp');
        $w->plan->note('bytes to whom had gone', $w->place->is_mariadb() ? 34 : 44);
        $w->plan->note('COM_PROCESS_KILL');
        $link->kill($link->thread_id);
        $w->give_back($link);
    },
    'kill nobody' => function (World $w): void {
        $w->plan->note('COM_PROCESS_KILL');
        failing(fn() => $w->link()->kill(999_999_999));
    },
    'LOAD DATA LOCAL' => function (World $w): void {
        $link = $w->connect($w->way());
        $file = tempnam(sys_get_temp_dir(), 'reconcile');
        $key = $w->key();
        file_put_contents($file, "$key\tfrom a file\t1\n");
        $link->query($w->plan->asks("LOAD DATA LOCAL INFILE '$file' INTO TABLE t"));
        $link->query($w->plan->asks("DELETE FROM t WHERE k = $key"));
        unlink($file);
        $w->close($link);
    },
    'LOAD DATA LOCAL, refused' => function (World $w): void {
        $link = $w->connect($w->way());
        $link->options(MYSQLI_OPT_LOCAL_INFILE, 0);
        failing(fn() => $link->query($w->plan->asks("LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE t")));
        $w->close($link);
    },
    'persistent' => function (World $w): void {
        $link = $w->persistent($w->dice->any(['unix', 'tcp']));
        $sql = $w->dice->any(['SELECT 1', 'SET @left = 1', 'SELECT a FROM t WHERE k = 1']);
        $link->query($w->plan->asks($sql));
        $w->give_back($link);
    },
    'persistent, without a command' => fn(World $w) => $w->give_back($w->persistent()),
    'persistent, with a lot left' => function (World $w): void {
        $link = $w->persistent();
        foreach (['CREATE TEMPORARY TABLE left_over (k INT)', 'SET autocommit = 0', 'LOCK TABLES t WRITE'] as $sql) {
            $link->query($w->plan->asks($sql));
        }
        $w->plan->note('COM_INIT_DB');
        $link->select_db(World::OTHER_DATABASE);
        $w->give_back($link);
    },
    'persistent, another database and character set' => function (World $w): void {
        $link = $w->persistent('unix', World::OTHER_DATABASE);
        $w->plan->asks('SET NAMES latin1');
        $link->set_charset('latin1');
        $w->give_back($link);
    },
    'persistent, after a procedure' => function (World $w): void {
        $link = $w->persistent();
        $link->query($w->plan->asks('CALL many(0)'));
        $w->plan->note('instructions of procedures', 2);
        $w->give_back($link);
    },
    'persistent and interactive' => function (World $w): void {
        $link = $w->persistent('unix interactive');
        $link->query($w->plan->asks('SET @left = 1'));
        $w->give_back($link);
    },
    'persistent, with init commands' => function (World $w): void {
        $link = $w->persistent('tcp', options: [MYSQLI_INIT_COMMAND => INIT_COMMAND]);
        $link->query($w->plan->asks('SELECT 1'))->free();
        $w->give_back($link);
    },
    'persistent, more than are kept' => function (World $w): void {
        $links = array_map(fn() => $w->persistent(), range(1, 6));
        foreach ($links as $link) {
            $link->query($w->plan->asks('SET @left = 2'));
        }
        foreach ($links as $link) {
            $w->give_back($link);
            // Who is closed to make room was given back a while ago, and has the replies to what was sent then.
            $w->link()->query($w->plan->asks('DO SLEEP(0.005)'));
        }
    },
    'persistent, dead when it is taken' => function (World $w): void {
        $link = $w->persistent();
        $thread = $link->thread_id;
        $w->give_back($link);
        $w->observer->await_idle($thread);
        $w->plan->note('COM_PROCESS_KILL');
        $w->link()->kill($thread);
        $w->observer->await_end_of($thread);
        $link = $w->persistent();
        $link->query($w->plan->asks('SELECT 1'))->free();
        $w->give_back($link);
    },
    'persistent, dead at the first command' => function (World $w): void {
        $link = $w->persistent();
        $thread = $link->thread_id;
        $w->give_back($link);
        $link = $w->persistent(); // it is the one that was given back last
        $w->observer->await_idle($thread);
        $w->plan->note('COM_PROCESS_KILL');
        $w->link()->kill($thread);
        $w->observer->await_end_of($thread);
        // It is sent again, by the driver itself.
        $link->query($w->plan->asks_nobody('SELECT a FROM t WHERE k = 2'))->free();
        $w->plan->note('not sent COM_QUERY');
        $w->give_back($link);
    },
];
