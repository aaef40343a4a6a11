<?php
// PDO: connections that work and such that don't, attributes, errors in each mode, transactions, several results, things out of order.
// servers: mariadb mysql80
// transports: tcp unix zlib tls
// without mysql56: it has no TLS 1.2, which some of these ask for
require 'support/prelude.php';
watch_errors();

section('names of servers');
$port = server('PORT');
foreach (["host=127.0.0.1;port=1", 'unix_socket=/nowhere', 'host=localhost;unix_socket=/nowhere', "host=nowhere.invalid", "host=127.0.0.1;port={$port}x;dbname=mysql", "host=127.0.0.1;port= $port",
    "host=127.0.0.1;port=$port;charset=nonsense", "host=127.0.0.1;port=$port;charset=latin1", "host=127.0.0.1;port=$port;dbname=nowhere_to_be_found", "host=127.0.0.1;port=$port;user=nobody;password=x",
    "host=127.0.0.1:$port", "dbname=a;;b", ''] as $name) {
    attempt(str_replace($port, 'PORT', $name), function () use ($name) {
        $db = str_contains($name, 'user=') ? new PDO("mysql:$name") : new PDO("mysql:$name", server('USER'), server('PASSWORD'));
        return $db->query('SELECT DATABASE(), @@character_set_client')->fetch(PDO::FETCH_NUM);
    });
}
attempt('wrong password', fn() => new PDO("mysql:host=127.0.0.1;port=$port", 'nobody', 'wrong'));
foreach ([['nonsense'], [PDO::MYSQL_ATTR_INIT_COMMAND => 'SET @a = 7'], [PDO::MYSQL_ATTR_INIT_COMMAND => 'nonsense'], [PDO::ATTR_TIMEOUT => 5], [PDO::ATTR_TIMEOUT => '2'], [PDO::MYSQL_ATTR_SSL_CA => '/nowhere'],
    [PDO::MYSQL_ATTR_MULTI_STATEMENTS => false], [PDO::MYSQL_ATTR_FOUND_ROWS => true], [PDO::MYSQL_ATTR_IGNORE_SPACE => true], [PDO::ATTR_AUTOCOMMIT => false], [PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT],
    [PDO::MYSQL_ATTR_SERVER_PUBLIC_KEY => '/nowhere'], [PDO::MYSQL_ATTR_LOCAL_INFILE => true], [PDO::MYSQL_ATTR_LOCAL_INFILE_DIRECTORY => '/tmp'], [PDO::ATTR_STRINGIFY_FETCHES => true]] as $options) {
    attempt('options ' . json_encode($options), function () use ($options) {
        $db = connect_pdo($options);
        $db->exec('CREATE TEMPORARY TABLE f (a INT)');
        $db->exec('INSERT INTO f VALUES (1)');
        show($db->exec('UPDATE f SET a = 1'));
        attempt('two statements', fn() => $db->query('SELECT 1; SELECT 2')->fetchAll());
        $read = [PDO::MYSQL_ATTR_LOCAL_INFILE, PDO::MYSQL_ATTR_LOCAL_INFILE_DIRECTORY, PDO::ATTR_AUTOCOMMIT, PDO::ATTR_STRINGIFY_FETCHES];
        return [connect_pdo($options)->query('SELECT @a, @@sql_mode LIKE "%IGNORE_SPACE%", @@autocommit')->fetch(PDO::FETCH_NUM), array_map($db->getAttribute(...), $read)];
    });
}

section('TLS asked for by attributes without a value');
foreach (['KEY', 'CERT', 'CA', 'CAPATH', 'CIPHER'] as $name) {
    foreach (['', null, false] as $value) {
        foreach ([true, false] as $is_verified) {
            $options = [constant("PDO::MYSQL_ATTR_SSL_$name") => $value, PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => $is_verified];
            try {
                $db = new PDO("mysql:host=127.0.0.1;port=$port", server('USER'), server('PASSWORD'), $options);
                show($name, $value, $is_verified, $db->query("SHOW STATUS LIKE 'Ssl_cipher'")->fetchColumn(1) !== '');
            } catch (PDOException $thrown) {
                show($name, $value, $is_verified, $thrown->getCode(), substr($thrown->getMessage(), 0, 54));
            }
        }
    }
}

section('attributes');
$db = connect_pdo();
foreach ((new ReflectionClass('PDO'))->getConstants() as $name => $number) {
    if (preg_match('/^(MYSQL_)?ATTR_/', $name) && $name !== 'ATTR_SERVER_INFO' && $name !== 'ATTR_STATEMENT_CLASS') {
        attempt("get $name", fn() => $db->getAttribute($number));
        foreach ([true, 0, '1', 'x', []] as $value) {
            if ($name !== 'ATTR_AUTOCOMMIT' && $name !== 'ATTR_CURSOR_NAME') {
                attempt("set $name to " . text($value), fn() => connect_pdo()->setAttribute($number, $value));
            }
        }
    }
}
show((bool) preg_match('/^Uptime: \d+  Threads: /', $db->getAttribute(PDO::ATTR_SERVER_INFO)));
foreach (['x', "it's", "\0\n\r\\\"\x1a", 'ä€', ''] as $text) {
    foreach ([PDO::PARAM_STR, PDO::PARAM_LOB, PDO::PARAM_INT, PDO::PARAM_STR | PDO::PARAM_STR_NATL, PDO::PARAM_STR | PDO::PARAM_STR_CHAR] as $type) {
        show($db->quote($text, $type));
    }
}
$db->setAttribute(PDO::ATTR_DEFAULT_STR_PARAM, PDO::PARAM_STR_NATL);
show($db->quote('n'), $db->quote('n', PDO::PARAM_STR | PDO::PARAM_STR_CHAR), $db->quote('n', PDO::PARAM_LOB), $db->getAttribute(PDO::ATTR_DEFAULT_STR_PARAM));

foreach ([PDO::ERRMODE_SILENT, PDO::ERRMODE_WARNING, PDO::ERRMODE_EXCEPTION] as $mode) {
    foreach ([true, false] as $emulate) {
        section("errors in mode $mode, " . ($emulate ? 'emulated' : 'native'));
        $db = connect_pdo([PDO::ATTR_ERRMODE => $mode, PDO::ATTR_EMULATE_PREPARES => $emulate]);
        $calls = [
            'query' => fn() => $db->query('nonsense'), 'exec' => fn() => $db->exec('nonsense'), 'exec of rows' => fn() => $db->exec('SELECT 1'), 'after that' => fn() => $db->query('SELECT 2'),
        ];
        foreach ($calls as $name => $call) {
            attempt($name, $call);
            show($db->errorCode(), $db->errorInfo());
        }
        $db = connect_pdo([PDO::ATTR_ERRMODE => $mode, PDO::ATTR_EMULATE_PREPARES => $emulate]);
        attempt('prepare', fn() => $db->prepare('SELECT nonsense FROM nowhere WHERE a = ?'));
        show($db->errorInfo());
        $db->exec('CREATE TEMPORARY TABLE k (a INT PRIMARY KEY)');
        $s = $db->prepare('INSERT INTO k VALUES (?)');
        foreach ([1, 1, 2] as $value) {
            attempt("insert $value", fn() => $s->execute([$value]));
            show($s->errorCode(), $s->errorInfo(), $s->rowCount(), $db->errorInfo(), $db->lastInsertId());
        }
        attempt('rows of an insert', fn() => $s->fetchAll());
        attempt('in the middle of a result', fn() => $db->query('SELECT 1 UNION SELECT (SELECT 1 UNION SELECT 2)')->fetchAll());
        attempt('SHOW, which some servers do not prepare', function () use ($db) { $s = $db->prepare('SHOW VARIABLES LIKE ?'); return [$s->execute(['autocommit']), $s->fetchAll()]; });
        attempt('a statement that is never prepared', function () use ($db) { $s = $db->prepare('START TRANSACTION'); return [$s->execute(), $db->inTransaction(), $db->rollBack()]; });
    }
}

section('transactions');
$db = connect_pdo();
$db->exec('CREATE TEMPORARY TABLE i (a INT) ENGINE=InnoDB');
show($db->inTransaction(), $db->beginTransaction(), $db->inTransaction(), $db->exec('INSERT INTO i VALUES (1)'), $db->rollBack(), $db->inTransaction(), $db->query('SELECT COUNT(*) FROM i')->fetchColumn());
show($db->beginTransaction(), $db->exec('INSERT INTO i VALUES (2)'), $db->commit(), $db->query('SELECT COUNT(*) FROM i')->fetchColumn());
foreach (['commit', 'rollBack'] as $end) {
    attempt("$end without a transaction", fn() => $db->$end());
}
attempt('two at once', function () use ($db) { $db->beginTransaction(); return $db->beginTransaction(); });
$db->rollBack();
attempt('an implicit commit', function () use ($db) {
    $db->beginTransaction();
    $db->exec('CREATE TABLE IF NOT EXISTS implicit (a INT)');
    show($db->inTransaction());
    return $db->commit();
});
show($db->setAttribute(PDO::ATTR_AUTOCOMMIT, false), $db->getAttribute(PDO::ATTR_AUTOCOMMIT), $db->query('SELECT @@autocommit')->fetchColumn(), $db->inTransaction());
show($db->exec('INSERT INTO i VALUES (3)'), $db->inTransaction(), $db->rollBack(), $db->setAttribute(PDO::ATTR_AUTOCOMMIT, true), $db->query('SELECT @@autocommit')->fetchColumn());

foreach ([true, false] as $buffered) {
    section('several results, ' . ($buffered ? 'buffered' : 'unbuffered'));
    $db = connect_pdo([PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered]);
    $s = $db->query('SELECT 1 AS a; CREATE TEMPORARY TABLE several (a INT); INSERT INTO several VALUES (1), (2); SELECT 2 AS b, 3 AS c');
    do {
        show($s->columnCount(), $s->rowCount());
        attempt('rows', fn() => $s->fetchAll(PDO::FETCH_ASSOC));
    } while ($s->nextRowset());
    show($s->errorInfo());
    attempt('one fails', function () use ($db) { $s = $db->query('SELECT 1; nonsense; SELECT 2'); show($s->fetchAll()); show($s->nextRowset()); return $s->errorInfo(); });
    attempt('while results wait', function () use ($db) { $s = $db->query('SELECT 1; SELECT 2'); return $db->query('SELECT 3')->fetchAll(); });
    attempt('after closeCursor', function () use ($db) { $s = $db->query('SELECT 1; SELECT 2'); show($s->closeCursor()); return $db->query('SELECT 3')->fetchAll(); });
    attempt('while rows wait', function () use ($db) { $s = $db->query('SELECT 1 UNION SELECT 2'); show($s->fetch()); return $db->query('SELECT 3')->fetchAll(); });
    attempt('exec of several', fn() => [$db->exec('INSERT INTO several VALUES (5); INSERT INTO several VALUES (6), (7)'), $db->query('SELECT COUNT(*) FROM several')->fetchColumn()]);
    foreach ([true, false] as $emulate) {
        attempt('a procedure', function () use ($db, $emulate) {
            $db->setAttribute(PDO::ATTR_EMULATE_PREPARES, $emulate);
            $db->exec('DROP PROCEDURE IF EXISTS two');
            $db->exec('CREATE PROCEDURE two(IN x INT) BEGIN SELECT x AS a; SELECT x + 1 AS b, 7 AS c; END');
            $s = $db->prepare('CALL two(?)');
            foreach ([1, 5] as $x) {
                $s->execute([$x]);
                do {
                    show($s->columnCount(), $s->columnCount() > 0 ? $s->fetchAll(PDO::FETCH_ASSOC) : null);
                } while ($s->nextRowset());
            }
            $s->execute([9]);
            show($s->fetchAll());
            unset($s);
            return $db->query('SELECT 1')->fetchColumn();
        });
    }
}

section('a connection that dies');
// By TLS stock's streams warn of a broken pipe if the server was quick.
foreach (server('TRANSPORT') === 'tls' ? [] : [true, false] as $emulate) {
    $db = connect_pdo([PDO::ATTR_EMULATE_PREPARES => $emulate]);
    $s = $db->prepare('SELECT ?');
    connect_pdo()->exec('KILL ' . $db->query('SELECT CONNECTION_ID()')->fetchColumn());
    attempt('execute', fn() => @$s->execute([1]));
    attempt('query', fn() => @$db->query('SELECT 1'));
    attempt('begin', fn() => @$db->beginTransaction());
    attempt('quote', fn() => $db->quote("it's"));
    attempt('last insert id', fn() => $db->lastInsertId());
    attempt('server version', fn() => is_string($db->getAttribute(PDO::ATTR_SERVER_VERSION)));
}

section('objects');
attempt('clone', fn() => clone connect_pdo());
attempt('serialize', fn() => serialize(connect_pdo()));
attempt('no constructor', fn() => (new ReflectionClass('PDO'))->newInstanceWithoutConstructor()->query('SELECT 1'));
attempt('a statement of one\'s own', function () {
    class_exists('Own') || eval('class Own extends PDOStatement { protected function __construct(public string $note) {} }');
    $db = connect_pdo([PDO::ATTR_STATEMENT_CLASS => ['Own', ['note']]]);
    $s = $db->query('SELECT 1');
    return [$s::class, $s->note, $s->fetchAll()];
});
attempt('a statement outlives its connection', function () { $db = connect_pdo(); $s = $db->query('SELECT 1 AS a'); $db = null; return $s->fetchAll(); });
attempt('persistent', function () {
    $options = [PDO::ATTR_PERSISTENT => 'p' . server('TRANSPORT')];
    $first = connect_pdo($options);
    $first->exec('SET @kept = 5');
    $id = $first->query('SELECT CONNECTION_ID()')->fetchColumn();
    $second = connect_pdo($options);
    show($second->query('SELECT CONNECTION_ID()')->fetchColumn() === $id, $second->query('SELECT @kept')->fetchColumn());
    unset($first, $second);
    $third = connect_pdo($options);
    show($third->query('SELECT CONNECTION_ID()')->fetchColumn() === $id);
    connect_pdo()->exec("KILL $id");
    return @connect_pdo($options)->query('SELECT CONNECTION_ID()')->fetchColumn() !== $id;
});
