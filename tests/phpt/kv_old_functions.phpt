--TEST--
mysqlnd_memcache_set has statements of one connection answered by a port, without the old plugin's defects
--SKIPIF--
<?php
require 'support/prelude.php';
require 'support/key_value.php';
skip_without_port();
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
require 'support/key_value.php';

/** What the functions know of a Memcached object. */
final class Servers
{
    public function __construct(private mixed $servers)
    {
    }

    public function getServerList(): mixed
    {
        return $this->servers;
    }
}

$admin = connect();
$admin->query('CREATE TABLE t (k VARCHAR(50) PRIMARY KEY, v VARCHAR(200) NOT NULL, w VARCHAR(200) NOT NULL) ENGINE=InnoDB');
$rows = ['plain' => ['eins', 'zwei'], 'separator' => ['a|b', 'c|d||'], 'empty' => ['', ''], 'binary' => ["a\0b", "\r\n\t\0"], 'a blank' => ['b', 'c'],
    "a\tcontrol\ncharacter" => ['b', 'c'], 'transaction' => ['before', 'before'], 'Case' => ['upper', 'case']];
foreach ($rows as $key => $row) {
    $admin->execute_query('INSERT INTO t VALUES (?, ?, ?)', [$key, ...$row]);
}
$admin->query('CREATE TABLE n (k VARCHAR(50) PRIMARY KEY, v VARCHAR(200) NOT NULL) ENGINE=InnoDB');
$admin->query("INSERT INTO n VALUES ('plain', 'one value')");
$admin->query('CREATE TABLE m (k VARCHAR(50) PRIMARY KEY, v VARCHAR(200)) ENGINE=InnoDB');
$admin->query("INSERT INTO m VALUES ('null', NULL), ('empty', '')");
open_port($admin, ['m' => ['k', 'v'], 'n' => ['k', 'v'], 't' => ['k', 'v,w']]);
[$host, $port] = explode(':', port_address());

section('the arguments');
$db = connect();
show(mysqlnd_memcache_get_config($db));
attempt('no address', fn() => mysqlnd_memcache_set($db, 'nowhere'));
attempt('no servers', fn() => mysqlnd_memcache_set($db, new Servers([])));
attempt('no list', fn() => mysqlnd_memcache_set($db, new Servers(false)));
attempt('no Memcached', fn() => mysqlnd_memcache_set($db, new stdClass));
attempt('a number', fn() => mysqlnd_memcache_set($db, [1]));
attempt('no function', fn() => mysqlnd_memcache_set($db, port_address(), null, 'no function'));
attempt('no connection', fn() => mysqlnd_memcache_set(new mysqli));
attempt('another pattern', fn() => mysqlnd_memcache_set($db, port_address(), '/x/'));
show(mysqlnd_memcache_get_config($db)['pattern']);
attempt('the usual pattern', fn() => mysqlnd_memcache_set($db, port_address(), MYSQLND_MEMCACHE_DEFAULT_REGEXP));
attempt('several servers', fn() => mysqlnd_memcache_set($db, new Servers([['host' => $host, 'port' => (int) $port, 'type' => 'TCP'], ['host' => 'other', 'port' => 1]])));
show(MYSQLND_MEMCACHE_VERSION, MYSQLND_MEMCACHE_VERSION_ID);
foreach (["SELECT a, b FROM t WHERE k = 1", "select `a` from `t` where `k` = 'x';", 'SELECT 1'] as $sql) {
    show(preg_match(MYSQLND_MEMCACHE_DEFAULT_REGEXP, $sql, $match) ? array_slice($match, 1) : 'no');
}

section('the configuration');
$servers = new Servers([['host' => $host, 'port' => (int) $port, 'type' => 'TCP']]);
show(mysqlnd_memcache_set($db, $servers));
$config = mysqlnd_memcache_get_config($db);
show(array_keys($config), $config['memcached'] === $servers, $config['pattern'] === MYSQLND_MEMCACHE_DEFAULT_REGEXP, str_contains($config['mapping_query'], 'containers') !== on_mariadb());
foreach ($config['mappings'] as $name => $mapping) {
    $prefix = on_mariadb() ? ['', '', '', []] : ["@@{$mapping['table_name']}.", 'k', '|', $mapping['table_name'] === 't' ? ['v', 'w'] : ['v']];
    show(array_keys($mapping), $mapping['schema_name'] === server('DATABASE'), $mapping['table_name'], [$mapping['prefix'], $mapping['id_field_name'], $mapping['separator'], $mapping['fields']] === $prefix);
}
foreach (['m' => '7', '7' => 'm'] as $before => $after) {
    on_mariadb() || $admin->query("UPDATE innodb_memcache.containers SET name = '$after' WHERE name = '$before'");
    Vaquita\kv($db)->refresh();
    mysqlnd_memcache_set($db, $servers);
    show(on_mariadb() || mysqlnd_memcache_get_config($db)['mappings'][$after]['prefix'] === "@@$after.");
}
show(mysqlnd_memcache_set($db), mysqlnd_memcache_get_config($db));

/** Asks a connection with a port and one without, thrice; says whether all answers were alike. Which a port gave at last is noted. */
function compare(string $what, Closure $ask, mysqli|PDO $link, mysqli|PDO $other): void
{
    global $by_port;
    $answered = fn() => Vaquita\kv($link)->statistics()['answered'];
    $alike = true;
    for ($i = 0; $i < 3; $i++) {
        $before = $answered();
        $alike = $ask($link) === $ask($other) && $alike;
    }
    if ($answered() > $before) {
        $by_port[] = $what;
    }
    $alike || print("$what: other answers\n");
}

section('the old defects');
$plain = connect();
show(mysqlnd_memcache_set($db, $servers));
foreach (array_keys($rows) as $key) {
    foreach (['SELECT v, w FROM t', 'SELECT w AS x, v, w FROM t', 'SELECT v FROM t', 'SELECT * FROM t'] as $select) {
        $sql = "$select WHERE k = '" . $plain->real_escape_string($key) . "'";
        compare(text($key) . " $select", fn(mysqli $link) => [$link->query($sql)->fetch_all(MYSQLI_BOTH), $link->query($sql)->fetch_row(), $link->query($sql, MYSQLI_USE_RESULT)->fetch_all(),
            array_map(fn($field) => [$field->name, $field->orgname, $field->type, $field->charsetnr], $link->query($sql)->fetch_fields())], $db, $plain);
    }
}
foreach (['null', 'empty'] as $key) {
    compare("one that may be NULL: $key", fn(mysqli $link) => $link->query("SELECT v FROM m WHERE k = '$key'")->fetch_all(), $db, $plain);
}
compare('one value', fn(mysqli $link) => $link->query("SELECT v FROM n WHERE k = 'plain'")->fetch_all(), $db, $plain);
compare('the key in other letters', fn(mysqli $link) => $link->query("SELECT v FROM n WHERE k = 'PLAIN'")->fetch_all(), $db, $plain);
compare('no row', fn(mysqli $link) => $link->query("SELECT v FROM n WHERE k = 'none'")->fetch_all(), $db, $plain);
compare('a number for a text', fn(mysqli $link) => $link->query('SELECT v FROM n WHERE k = 0')->fetch_all(), $db, $plain);
compare('a comment', fn(mysqli $link) => $link->query("SELECT v FROM n WHERE k = 'plain' /* ' */")->fetch_all(), $db, $plain);
compare('a prepared statement', fn(mysqli $link) => ($statement = $link->prepare('SELECT v FROM n WHERE k = ?'))->execute(['plain']) ? $statement->get_result()->fetch_all() : null, $db, $plain);

// HandlerSocket tells NULL, has no separator, and gives the key; memcached takes no blanks, and its plugin separates values by a character.
$selects = ['SELECT v, w FROM t', 'SELECT w AS x, v, w FROM t', 'SELECT v FROM t'];
[$keys, $more] = [['plain', 'empty', 'binary', 'transaction', 'Case'], ['one value', 'the key in other letters', 'a comment', 'a prepared statement']];
if (on_mariadb()) {
    [$keys, $more] = [array_keys($rows), [...$more, 'one that may be NULL: null', 'one that may be NULL: empty']];
    $selects[] = 'SELECT * FROM t';
}
$expected = [...$more, ...array_merge(...array_map(fn(string $key) => array_map(fn(string $select) => text($key) . " $select", $selects), $keys))];
show(array_diff($expected, $by_port), array_diff($by_port, $expected));

section('transactions');
$db->begin_transaction();
$db->query("UPDATE n SET v = 'mine' WHERE k = 'plain'");
show($db->query("SELECT v FROM n WHERE k = 'plain'")->fetch_row(), $plain->query("SELECT v FROM n WHERE k = 'plain'")->fetch_row());
$db->rollback();
show($db->query("SELECT v FROM n WHERE k = 'plain'")->fetch_row());
$plain->query("UPDATE n SET v = 'theirs' WHERE k = 'plain'");
show($db->query("SELECT v FROM n WHERE k = 'plain'")->fetch_row());

section('what the session has done before');
foreach (['CREATE TEMPORARY TABLE n AS SELECT "plain" AS k, "temporary" AS v', 'LOCK TABLES n READ', 'SELECT 1'] as $before) {
    $link = connect();
    $link->query($before);
    mysqlnd_memcache_set($link, port_address());
    for ($i = 0; $i < 3; $i++) {
        $row = $link->query("SELECT v FROM n WHERE k = 'plain'")->fetch_row();
    }
    show($before, $row, Vaquita\kv($link)->statistics()['answered'] > 0);
    $link->close();
}
$link = connect();
ini_set('vaquita.kv', 'on');
ini_set('vaquita.kv_address', port_address());
$link = connect();
ini_set('vaquita.kv', 'off');
$statement = $link->prepare('SELECT v FROM n WHERE k = ?');
$link->query('CREATE DATABASE other_' . server('DATABASE'));
$link->select_db('other_' . server('DATABASE'));
$link->query('CREATE TABLE n (k VARCHAR(50) PRIMARY KEY, v VARCHAR(200) NOT NULL) ENGINE=InnoDB');
mysqlnd_memcache_set($link, port_address());
for ($i = 0; $i < 4; $i++) {
    $statement->execute(['plain']);
    show($statement->get_result()->fetch_row());
}
$link->query('DROP DATABASE other_' . server('DATABASE'));
// What a function has made is told by the server where a port was set before, but not by MySQL 5.6.
$admin->query("CREATE FUNCTION made() RETURNS INT BEGIN CREATE TEMPORARY TABLE n (k VARCHAR(50), v VARCHAR(200)); INSERT INTO n VALUES ('plain', 'temporary'); RETURN 1; END");
$makes = on('mysql56') ? "CREATE TEMPORARY TABLE n AS SELECT 'plain' AS k, 'temporary' AS v" : 'DO made()';
$link = connect();
mysqlnd_memcache_set($link, port_address());
for ($i = 0; $i < 4; $i++) {
    $i === 3 && $link->query($makes) && mysqlnd_memcache_set($link, port_address());
    show($link->query("SELECT v FROM n WHERE k = 'plain'")->fetch_row());
}

section('another session');
$told = [];
$tell = function (bool $by_port) use (&$told): void {
    $told[] = $by_port;
};
$ask = function (mysqli $link, int $times = 3) use (&$told): void {
    // What is known of tables may be too old for the first.
    $link->query("SELECT v FROM n WHERE k = 'plain'");
    $told = [];
    for ($i = 0; $i < $times; $i++) {
        $row = $link->query("SELECT v FROM n WHERE k = 'plain'")->fetch_row();
    }
    show($row, $told, Vaquita\kv($link)->statistics()['mode'], is_array(mysqlnd_memcache_get_config($link)));
};
mysqlnd_memcache_set($link, port_address(), null, $tell);
$ask($link);
$link->change_user(server('USER'), server('PASSWORD'), server('DATABASE'));
$ask($link);
$link->real_connect(...address());
$ask($link);
mysqlnd_memcache_set($link, port_address(), null, $tell);
$ask($link);
$other = connect();
$ask($other);
attempt('closed', fn() => $other->close() && mysqlnd_memcache_set($other, port_address()));
attempt('closed, its configuration', fn() => mysqlnd_memcache_get_config($other));
mysqlnd_memcache_set($link);
$ask($link);

section('a port that fails');
$link = connect();
show(mysqlnd_memcache_set($link, '127.0.0.1:1', null, function (bool $by_port): void {
    show($by_port);
}));
for ($i = 0; $i < 3; $i++) {
    show($link->query("SELECT v FROM n WHERE k = 'plain'")->fetch_row());
}
show(Vaquita\kv($link)->statistics()['errors'] > 0);

section('the callback');
$told = [];
$tell = function (bool $by_port) use (&$told): void {
    $told[] = $by_port;
};
mysqlnd_memcache_set($link, port_address(), null, $tell);
// What is known of tables may be too old for the first.
$link->query("SELECT v FROM n WHERE k = 'plain'");
$told = [];
for ($i = 0; $i < 3; $i++) {
    $link->query("SELECT v FROM n WHERE k = 'plain'");
}
$link->real_query('SELECT 1');
$link->store_result();
try {
    $link->query('SELECT none');
} catch (mysqli_sql_exception $failure) {
    show($failure->getCode());
}
show($told);
$pdo = connect_pdo();
show(mysqlnd_memcache_set($pdo, new Servers([['host' => $host, 'port' => $port]]), callback: $tell));
$pdo->query("SELECT v FROM n WHERE k = 'plain'");
$told = [];
for ($i = 0; $i < 3; $i++) {
    show($pdo->query("SELECT v FROM n WHERE k = 'plain'")->fetchAll(PDO::FETCH_NUM));
}
$pdo->exec('DO 1');
foreach ([PDO::ERRMODE_SILENT, PDO::ERRMODE_EXCEPTION] as $mode) {
    $pdo->setAttribute(PDO::ATTR_ERRMODE, $mode);
    try {
        $pdo->query('SELECT none');
    } catch (PDOException $failure) {
        show($failure->getCode());
    }
}
show($told);
$link = connect();
mysqlnd_memcache_set($link, port_address(), null, fn() => throw new LogicException('from the callback'));
attempt('it throws', fn() => $link->query('SELECT 1'));
mysqlnd_memcache_set($pdo, port_address(), null, fn() => throw new LogicException('from the callback'));
attempt('it throws in PDO', fn() => $pdo->query('SELECT 1'));
attempt('it throws in exec', fn() => $pdo->exec('DO 1'));
$statement = null;
$deep = 0;
mysqlnd_memcache_set($pdo, port_address(), null, function () use (&$statement, $pdo, &$deep) {
    if ($deep++ < 3) {
        $statement->execute(['plain']);
        $statement->closeCursor();
        $pdo->query('SELECT 1')->fetchAll();
    }
});
$statement = $pdo->prepare('SELECT v FROM n WHERE k = ?');
$statement->execute(['plain']);
show($deep, $statement->fetchAll(PDO::FETCH_NUM));
mysqlnd_memcache_set($link, port_address(), null, function () use (&$link) {
    mysqlnd_memcache_set($link);
    $link->close();
    $link = null;
});
attempt('it closes', fn() => $link->query('SELECT 1'));
show($link);

section('a handler of errors that throws');
set_error_handler(fn(int $level, string $message) => throw new ErrorException($message));
$link = connect();
foreach (['another pattern' => [port_address(), '/x/'], 'several servers' => [new Servers([['host' => $host, 'port' => $port], ['host' => 'other', 'port' => 1]])]] as $what => $arguments) {
    attempt($what, fn() => mysqlnd_memcache_set($link, ...$arguments));
    show(mysqlnd_memcache_get_config($link));
}
restore_error_handler();

section('ends');
final class Noisy extends ArrayObject
{
    public function __destruct()
    {
        echo "gone\n";
    }

    public function getServerList(): array
    {
        return [['host' => '127.0.0.1', 'port' => 1]];
    }
}
foreach (['mysqli' => fn() => connect(), 'PDO' => fn() => connect_pdo(), 'persistent' => fn() => connect_pdo([PDO::ATTR_PERSISTENT => true])] as $what => $make) {
    $link = $make();
    mysqlnd_memcache_set($link, new Noisy);
    mysqlnd_memcache_set($link, new Noisy);
    echo "$what\n";
    $link = null;
}
$link = $make();
show(mysqlnd_memcache_get_config($link));
mysqlnd_memcache_set($link, new Noisy, null, fn() => $link);
echo "end\n";
?>
--EXPECT--
=== the arguments
false
no address: thrown ValueError(0): mysqlnd_memcache_set(): Argument #2 ($memcached) must be a Memcached object with a server, an address (host:port, [IPv6]:port or the path of a socket), or null
no servers: thrown ValueError(0): mysqlnd_memcache_set(): Argument #2 ($memcached) must be a Memcached object with a server, an address (host:port, [IPv6]:port or the path of a socket), or null
no list: thrown ValueError(0): mysqlnd_memcache_set(): Argument #2 ($memcached) must be a Memcached object with a server, an address (host:port, [IPv6]:port or the path of a socket), or null
no Memcached: thrown ValueError(0): mysqlnd_memcache_set(): Argument #2 ($memcached) must be a Memcached object with a server, an address (host:port, [IPv6]:port or the path of a socket), or null
a number: thrown TypeError(0): mysqlnd_memcache_set(): Argument #2 ($memcached) must be of type object|string|null, array given
no function: thrown TypeError(0): mysqlnd_memcache_set(): Argument #4 ($callback) must be a valid callback or null, string given
no connection: thrown Error(0): mysqli object is not fully initialized
  Deprecated: mysqlnd_memcache_set(): $pattern has no effect: what a statement means decides where it goes
another pattern: true
"/x/"
the usual pattern: true
  Warning: mysqlnd_memcache_set(): The Memcached object has several servers, of which the first one is used
several servers: true
"1.0.1" | 10001
["a, b", "t", "k", "", "1"]
["`a`", "t", "k", "x"]
"no"
=== the configuration
true
["memcached", "pattern", "mappings", "mapping_query"] | true | true | true
["prefix", "schema_name", "table_name", "id_field_name", "separator", "fields"] | true | "m" | true
["prefix", "schema_name", "table_name", "id_field_name", "separator", "fields"] | true | "n" | true
["prefix", "schema_name", "table_name", "id_field_name", "separator", "fields"] | true | "t" | true
true
true
true | false
=== the old defects
true
[] | []
=== transactions
["mine"] | ["one value"]
["one value"]
["theirs"]
=== what the session has done before
"CREATE TEMPORARY TABLE n AS SELECT \"plain\" AS k, \"temporary\" AS v" | ["temporary"] | false
"LOCK TABLES n READ" | ["theirs"] | false
"SELECT 1" | ["theirs"] | true
["theirs"]
["theirs"]
["theirs"]
["theirs"]
["theirs"]
["theirs"]
["theirs"]
["temporary"]
=== another session
["temporary"] | [false, false, false] | "on" | true
["theirs"] | [true, true, true] | "on" | true
["theirs"] | [] | "off" | false
["theirs"] | [true, true, true] | "on" | true
["theirs"] | [] | "off" | false
closed: thrown Error(0): mysqli object is already closed
closed, its configuration: thrown Error(0): mysqli object is already closed
["theirs"] | [] | "off" | false
=== a port that fails
true
false
["theirs"]
false
["theirs"]
false
["theirs"]
true
=== the callback
1054
[true, true, true, false]
true
[["theirs"]]
[["theirs"]]
[["theirs"]]
"42S22"
[true, true, true, false]
it throws: thrown LogicException(0): from the callback
it throws in PDO: thrown LogicException(0): from the callback
it throws in exec: thrown LogicException(0): from the callback
7 | []
it closes: object mysqli_result
null
=== a handler of errors that throws
another pattern: thrown ErrorException(0): mysqlnd_memcache_set(): $pattern has no effect: what a statement means decides where it goes
false
several servers: thrown ErrorException(0): mysqlnd_memcache_set(): The Memcached object has several servers, of which the first one is used
false
=== ends
gone
mysqli
gone
gone
PDO
gone
gone
persistent
gone
false
end
gone
