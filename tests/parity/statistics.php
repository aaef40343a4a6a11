<?php
// Each of mysqlnd's counters after known work: connections, queries, results of every kind, statements, types, commands.
// places: mariadb-unix mysql80-tcp
// ini: vaquita.statement_cache=0
// without mysql97: ours sends statements there in the place of two commands, where stock fails
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

/**
 * The changes of stock's counters, without its slips: what it counts twice or under its neighbour's name.
 *
 * - Each write counts as one packet more than it was, with a header's four bytes.
 * - The counters of types stand one place off between JSON as text, which has no name, and JSON as binary, which nobody counts.
 */
function mended(array $changes): array
{
    $extra = intdiv((int) $changes['packets_sent'], 2);
    $changes['packets_sent'] -= $extra;
    $changes['protocol_overhead_out'] -= 4 * $extra;
    $changes['bytes_sent'] -= 4 * $extra;
    $names = array_keys($changes);
    $text_blob = array_search('proto_text_fetched_blob', $names);
    $binary_json = array_search('proto_binary_fetched_json', $names);
    $mended = $changes;
    for ($i = $text_blob; $i < $binary_json; $i++) {
        $mended[$names[$i]] = $changes[$names[$i + 1]];
    }
    $mended[$names[$text_blob - 1]] = $changes[$names[$text_blob - 1]];
    $mended['proto_text_fetched_other'] += $changes['proto_text_fetched_blob'];
    $mended['proto_binary_fetched_json'] = 0;
    return $mended;
}

/** What stock counts so wrongly that it can't be mended: ours is looked at below. */
const NOT_COMPARED = '/^(mem_|(bytes|packets)_received_(ok|eof|rset_header|rset_field_meta|rset_row|prepare_response|change_user)' .
    '|proto_text_fetched_null$|active_|pconnect_success$|implicit_free_result$)/';

/** The counters that some work changed, and by how much. */
function work(string $name, callable $work): void
{
    section($name);
    $before = mysqli_get_client_stats();
    $kept = $work();
    $after = mysqli_get_client_stats();
    $changes = [];
    foreach ($after as $counter => $number) {
        $changes[$counter] = $number - $before[$counter];
    }
    if (!extension_loaded('vaquita')) {
        $changes = mended($changes);
    }
    if ($changes['com_stmt_prepare'] > 0) {
        unset($changes['bytes_sent']); // stock counts the answer there, too
    }
    foreach ($changes as $counter => $change) {
        if ($change == 0 || preg_match(NOT_COMPARED, $counter)) {
            continue;
        }
        // Log-ins differ in what the client tells of itself, answers in what a server tells ours of the session.
        $is_vague = preg_match('/^(connect|select_db|set_charset|autocommit)/', $name) && preg_match('/^bytes_(sent|received)$/', $counter);
        echo $counter, ' ', $is_vague ? ($change > 0 ? 'more' : 'less') : $change, "\n";
    }
}

section('names');
$names = array_keys(mysqli_get_client_stats());
show(count($names), $names);
show(array_unique(array_map(gettype(...), mysqli_get_client_stats())));
show(array_sum(mysqli_get_client_stats()));

work('connect', function () {
    global $db;
    $db = connect();
});
$db->query('CREATE TABLE t (id INT PRIMARY KEY, label CHAR(1) NULL)');
$db->query("INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL), (4, 'd'), (5, 'e')");
const SELECT = 'SELECT id, label FROM t ORDER BY id';

work('connect: refused', fn() => mysqli_connect(...address(password: 'wrong')));
work('connect: nobody there', fn() => mysqli_connect('127.0.0.1', 'x', 'x', 'x', 1));
work('connect: again and close', fn() => connect()->close());
work('connect: again and let go', function () {
    connect();
});
work('connect: in place of another', function () {
    $link = mysqli_init();
    $link->real_connect(...address());
    $link->real_connect(...address());
});
work('connect: in the middle of a result', function () {
    $link = connect();
    $result = $link->query('SELECT 1', MYSQLI_USE_RESULT);
    $link->close();
});
work('connect: init commands', function () {
    $link = mysqli_init();
    $link->options(MYSQLI_INIT_COMMAND, 'SET @a = 1');
    $link->options(MYSQLI_INIT_COMMAND, 'SELECT 1');
    $link->real_connect(...address());
});
work('connect: a failing init command', function () {
    $link = mysqli_init();
    $link->options(MYSQLI_INIT_COMMAND, 'nonsense');
    $link->real_connect(...address());
});

work('no rows', fn() => $db->query('DO 1'));
work('an error', fn() => $db->query('nonsense'));
work('rows affected', fn() => $db->query("UPDATE t SET label = 'x' WHERE id < 3"));
work('a long query', fn() => $db->query('DO ' . str_repeat(' ', 5000) . '1'));
work('stored, not fetched', function () use ($db) {
    $db->query(SELECT);
});
work('stored, fetched and freed', function () use ($db) {
    $result = $db->query(SELECT);
    while ($result->fetch_row());
    $result->free();
});
work('stored, fetched in part and kept', fn() => $db->query(SELECT)->fetch_row() ? null : null);
work('stored, fetched twice', function () use ($db) {
    $result = $db->query(SELECT);
    $result->fetch_all();
    $result->data_seek(1);
    $result->fetch_assoc();
});
$kept = $db->query(SELECT);
work('a fetch', fn() => $kept->fetch_array());
work('another, of NULL', fn() => [$kept->fetch_object(), $kept->fetch_object()]);
work('free', fn() => $kept->free());
work('a single column', fn() => $db->query(SELECT)->fetch_column(1));
work('unbuffered, all', function () use ($db) {
    $result = $db->query(SELECT, MYSQLI_USE_RESULT);
    while ($result->fetch_row());
    $result->free();
});
work('unbuffered, in part', function () use ($db) {
    $result = $db->query(SELECT, MYSQLI_USE_RESULT);
    $result->fetch_row();
    $result->free();
});
work('unbuffered, let go', function () use ($db) {
    $db->query(SELECT, MYSQLI_USE_RESULT);
});
work('several', function () use ($db) {
    $db->multi_query('SELECT 1; DO 1; SELECT 2');
    do {
        $db->store_result();
    } while ($db->more_results() && $db->next_result());
});
work('async', function () use ($db) {
    $db->query('SELECT 1', MYSQLI_ASYNC);
    $links = $errors = $rejected = [$db];
    mysqli_poll($links, $errors, $rejected, 5);
    $db->reap_async_query()->fetch_row();
});
work('long values', fn() => $db->query("SELECT REPEAT('x', 250), REPEAT('x', 251), REPEAT('x', 70000), NULL")->fetch_row());
work('no index', fn() => $db->query("SELECT id FROM t WHERE label = 'a'"));

work('prepared, never run', fn() => $db->prepare(SELECT)->close());
work('prepared, never run, let go', function () use ($db) {
    $db->prepare(SELECT);
});
work('a statement never prepared', function () use ($db) {
    $db->stmt_init();
});
work('prepared wrongly', fn() => $db->prepare('nonsense'));
work('run once, without rows', function () use ($db) {
    $s = $db->prepare("UPDATE t SET label = 'y' WHERE id < ?");
    $id = 3;
    $s->bind_param('i', $id);
    $s->execute();
    $s->close();
});
work('run twice, stored', function () use ($db) {
    $s = $db->prepare(SELECT);
    for ($i = 0; $i < 2; $i++) {
        $s->execute();
        $s->bind_result($id, $label);
        $s->store_result();
        while ($s->fetch());
        $s->free_result();
    }
    $s->close();
});
work('run once, unbuffered', function () use ($db) {
    $s = $db->prepare(SELECT);
    $s->execute();
    $s->bind_result($id, $label);
    while ($s->fetch());
    $s->close();
});
work('unbuffered statement, in part', function () use ($db) {
    $s = $db->prepare(SELECT);
    $s->execute();
    $s->bind_result($id, $label);
    $s->fetch();
    $s->free_result();
    $s->close();
});
work('rows nobody asks for', function () use ($db) {
    $s = $db->prepare(SELECT);
    $s->execute();
    $s->close();
});
work('get_result', function () use ($db) {
    $s = $db->prepare(SELECT);
    $s->execute();
    $result = $s->get_result();
    $result->fetch_all();
    $result->free();
    $s->close();
});
work('result_metadata', function () use ($db) {
    $s = $db->prepare(SELECT);
    $s->result_metadata()->free();
    $s->close();
});
work('cursor', function () use ($db) {
    $s = $db->prepare(SELECT);
    $s->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
    $s->execute();
    $s->bind_result($id, $label);
    while ($s->fetch());
    $s->close();
});
work('prepared again', function () use ($db) {
    $s = $db->prepare(SELECT);
    $s->execute();
    $s->store_result();
    $s->prepare('DO 1');
    $s->execute();
    $s->close();
});
work('long data and reset', function () use ($db) {
    $s = $db->prepare('DO ?');
    $s->bind_param('b', $blob);
    $s->send_long_data(0, 'abc');
    $s->reset();
    $s->close();
});
// Ours has a statement closed with the next command.
work('execute_query', fn() => [$db->execute_query(SELECT)->fetch_all(), $db->query('DO 1')]);

$types = ['TINYINT' => 1, 'SMALLINT' => 2, 'MEDIUMINT' => 3, 'INT' => 4, 'BIGINT' => 5, 'DECIMAL(5,2)' => 1.5, 'FLOAT' => 1.5, 'DOUBLE' => 1.5, 'BIT(9)' => 5,
    'DATE' => '2026-11-21', 'YEAR' => 2026, 'TIME' => '10:11:12', 'DATETIME' => '2026-11-21 10:11:12', 'TIMESTAMP' => '2026-11-21 10:11:12', 'CHAR(5)' => 'abc',
    'VARCHAR(5)' => 'abc', 'VARBINARY(5)' => 'abc', 'TEXT' => 'abc', 'BLOB' => 'abc', 'LONGBLOB' => 'abc', "ENUM('abc')" => 'abc', "SET('abc')" => 'abc', 'JSON' => '[1]'];
foreach ($types as $type => $value) {
    if (!$db->query("CREATE TABLE typed (v $type NULL)")) {
        continue; // JSON is too new for MySQL 5.6
    }
    $db->query("INSERT INTO typed VALUES ('$value'), (NULL)") || $db->query("INSERT INTO typed VALUES ($value), (NULL)");
    work("$type as text", fn() => $db->query('SELECT * FROM typed')->fetch_all());
    work("$type as binary", fn() => [$db->execute_query('SELECT * FROM typed')->fetch_all(), $db->query('DO 1')]);
    $db->query('DROP TABLE typed');
}
work('GEOMETRY as text', fn() => $db->query("SELECT ST_GeomFromText('POINT(1 2)')")->fetch_all());
work('GEOMETRY as binary', fn() => [$db->execute_query("SELECT ST_GeomFromText('POINT(1 2)')")->fetch_all(), $db->query('DO 1')]);

$commands = [
    'select_db' => fn() => $db->select_db(server('DATABASE')),
    'ping' => fn() => @$db->ping(),
    'refresh' => fn() => @$db->refresh(MYSQLI_REFRESH_STATUS),
    'dump_debug_info' => fn() => $db->dump_debug_info(),
    'set_charset' => fn() => $db->set_charset('utf8mb4'),
    'kill' => fn() => @$db->kill(999999999),
    'autocommit' => fn() => $db->autocommit(true),
    'commit' => fn() => $db->commit(),
];
foreach ($commands as $name => $command) {
    work($name, $command);
}
work('connect: change_user', fn() => $db->change_user(server('USER'), server('PASSWORD'), server('DATABASE')));

section('what stock miscounts');
$before = mysqli_get_client_stats();
$one = connect();
$after_connect = mysqli_get_client_stats();
$one->query(SELECT)->fetch_all();
$s = $one->prepare(SELECT);
$s->execute();
$s->bind_result($id, $label);
while ($s->fetch());
$s->close();
@$one->ping();
$after = mysqli_get_client_stats();
$bytes = $packets = 0;
foreach ($after as $counter => $number) {
    $change = $number - $after_connect[$counter];
    if (preg_match('/^bytes_received_.*_packet$/', $counter)) {
        $bytes += $change;
    } elseif (preg_match(NOT_COMPARED, $counter) && !str_starts_with($counter, 'mem_') && $change != 0) {
        show($counter, $change);
        $packets += str_starts_with($counter, 'packets_') ? $change : 0;
    }
}
show('packets of all kinds', $packets === $after['packets_received'] - $after_connect['packets_received']);
show('their bytes', $bytes === $after['bytes_received'] - $after_connect['bytes_received']);
show('open', $after['active_connections'] - $before['active_connections']);
unset($s);
$one->close();
show('open', mysqli_get_client_stats()['active_connections'] - $before['active_connections']);

work('connect: PDO', function () {
    global $pdo;
    $pdo = connect_pdo();
});
const WORDS = "SELECT 1 AS number, 'a' AS letter UNION SELECT 2, NULL";
work('PDO: fetched', fn() => $pdo->query(WORDS)->fetchAll());
work('PDO: fetched in part and kept', function () use ($pdo) {
    global $kept;
    $kept = $pdo->query(WORDS);
    $kept->fetch();
});
work('PDO: a fetch', fn() => $kept->fetchObject());
work('PDO: unbuffered', function () use ($pdo) {
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
    foreach ($pdo->query(WORDS) as $row);
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
});
work('PDO: prepared', function () use ($pdo) {
    $pdo->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
    $s = $pdo->prepare('SELECT ?, ?');
    for ($i = 0; $i < 2; $i++) {
        $s->execute([$i, 'x']);
        $s->fetchAll();
    }
    $s = null;
    $pdo->exec('DO 1'); // tells the server, too, that the statement is not needed any more
});
work('PDO: prepared, never run', function () use ($pdo) {
    $pdo->prepare('SELECT ?');
    $pdo->exec('DO 1');
});
work('PDO: prepared wrongly', function () use ($pdo) {
    attempt('nonsense', fn() => $pdo->prepare('nonsense'));
    $pdo->exec('DO 1');
});
work('PDO: run once, unbuffered', function () use ($pdo) {
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
    $s = $pdo->prepare(WORDS);
    $s->execute();
    $s->fetch();
    $s->closeCursor();
    $s = null;
    $pdo->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
    $pdo->exec('DO 1');
});
work('PDO: exec', fn() => $pdo->exec('DO 1'));
work('autocommit: PDO', fn() => $pdo->beginTransaction() && $pdo->rollBack());
work('PDO: close', function () {
    global $pdo, $kept;
    $pdo = $kept = null;
});

section('one connection of several');
show(array_keys(connect()->get_connection_stats()) === $names, array_keys(mysqli_get_connection_stats(connect())) === $names);
$one = connect();
$other = connect();
$other->query(SELECT)->fetch_all();
$before = $one->get_connection_stats();
$result = $one->query(SELECT);
$result->fetch_row();
$after = $one->get_connection_stats();
foreach (['com_query', 'result_set_queries', 'rows_fetched_from_server_normal', 'rows_fetched_from_client_normal_buffered', 'proto_text_fetched_int', 'connect_success'] as $counter) {
    show($counter, $before[$counter], $after[$counter], $other->get_connection_stats()[$counter]);
}
attempt('closed', function () use ($one) {
    $one->close();
    return $one->get_connection_stats();
});
attempt('not connected', fn() => mysqli_init()->get_connection_stats());
attempt('an argument', fn() => mysqli_get_client_stats(1));

section('switched off');
ini_set('mysqlnd.collect_statistics', '0');
$before = mysqli_get_client_stats();
$link = connect();
$result = $link->query(SELECT);
$result->fetch_all();
$result->free();
$db->query('DO 1');
$db->query(SELECT, MYSQLI_USE_RESULT)->fetch_all();
$link->close();
show(array_diff_assoc(mysqli_get_client_stats(), $before));
ini_restore('mysqlnd.collect_statistics');
$db->query('DO 1');
show(mysqli_get_client_stats()['com_query'] - $before['com_query']);
section('a persistent handle of PDO');
work('connect', function () {
    $GLOBALS['persistent'] = connect_pdo([PDO::ATTR_PERSISTENT => true]);
});
work('again', function () {
    unset($GLOBALS['persistent']);
    $GLOBALS['persistent'] = connect_pdo([PDO::ATTR_PERSISTENT => true]);
});
