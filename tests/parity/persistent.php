<?php
// Persistent connections: what is handed on and what is not, limits, and how many links there are.
// places: mariadb-unix mariadb-tcp mariadb-zlib mysql80-unix mysql80-tcp mysql80-tls
require 'support/prelude.php';

const PERSISTENT = <<<'PHP'
function persistent(mixed ...$replaced): mysqli|false
{
    $address = address(...$replaced);
    $address['hostname'] = "p:$address[hostname]";
    if (flags() !== 0) {
        $link = mysqli_init();
        return $link->real_connect(...array_values($address), flags: flags()) ? $link : false;
    }
    return mysqli_connect(...array_values($address));
}
function stats(string $label): void
{
    // Stock counts what real_connect takes from the pool twice.
    if (flags() === 0) {
        echo "  links $label: ";
        show(mysqli_get_links_stats());
    }
}
PHP;
eval(PERSISTENT);

/** Runs a script in a PHP of its own, with these settings. */
function apart(string $script, array $settings): void
{
    child('const PERSISTENT = ' . var_export(PERSISTENT, true) . '; eval(PERSISTENT);' . "\n$script", $settings);
}

section('the same connection, another session');
stats('at first');
$db = persistent();
stats('with one');
$id = $db->thread_id;
$db->query('CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT) ENGINE=InnoDB');
$db->query('INSERT INTO t (n) VALUES (1), (2)');
$db->query('CREATE TEMPORARY TABLE own (id INT)');
$db->query('SET @a = 1, SESSION group_concat_max_len = 77777, autocommit = 0');
$db->query("DO GET_LOCK(CONCAT(DATABASE(), '.lock'), 0)");
$db->query('UPDATE t SET n = 5');
$db->query("PREPARE s FROM 'SELECT 1'");
$db->query("SELECT CAST('x' AS SIGNED)");
attempt('an error', fn() => $db->query('nonsense'));
show($db->close());
stats('after close');
$db = persistent();
stats('again');
show('the same', $db->thread_id === $id, mysqli_connect_errno(), mysqli_connect_error());
$db->query('DO 0');
show_status($db);
show($db->errno, $db->error, $db->error_list, $db->sqlstate);
foreach (['SELECT @a', 'SELECT @@autocommit, DATABASE() = ' . "'" . server('DATABASE') . "'", "SELECT IS_FREE_LOCK(CONCAT(DATABASE(), '.lock'))", 'SELECT n FROM t', 'SELECT * FROM own', 'EXECUTE s', 'SELECT LAST_INSERT_ID()'] as $sql) {
    attempt($sql, fn() => $db->query($sql)->fetch_all());
}
$group_concat = fn(mysqli $link) => $link->query('SELECT @@group_concat_max_len')->fetch_row();
show($group_concat($db) === $group_concat(connect()));
show($db->affected_rows, $db->insert_id);

section('at once');
show($db->thread_id === $id, $db->affected_rows);
$db->query('INSERT INTO t (n) VALUES (3)');
$db->close();
$db = persistent();
show($db->thread_id === $id, $db->affected_rows, $db->insert_id, $db->warning_count, $db->info, $db->host_info === connect()->host_info);

section('several links');
$two = persistent();
stats('two');
show('the same', $two->thread_id === $db->thread_id);
$ids = [$db->thread_id, $two->thread_id];
unset($two);
stats('one freed');
$db->close();
stats('none');
[$first, $second] = [persistent(), persistent()];
show('the last one first', [$first->thread_id, $second->thread_id] === $ids);
$first = null;
$second = connect(); // takes the place of a persistent one
stats('a plain one');
$second = null;
stats('none');

section('who gets it');
$db = persistent();
$id = $db->thread_id;
$db->close();
mysqli_report(MYSQLI_REPORT_OFF);
attempt('wrong password', fn() => @persistent(password: 'wrong'));
show(mysqli_connect_errno());
attempt('the same', fn() => ($it = persistent())->thread_id === $id && $it->close());
show(mysqli_connect_errno(), mysqli_connect_error());
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
attempt('plain', fn() => connect()->thread_id === $id);

section('another user meanwhile');
$db = persistent();
$id = $db->thread_id;
attempt('change_user', fn() => $db->change_user(server('USER'), server('PASSWORD'), 'information_schema'));
$db->close();
$db = persistent();
show($db->query('SELECT DATABASE() = ' . "'" . server('DATABASE') . "'")->fetch_row());

section('killed while idle');
$db->close();
stats('before');
kill_connection(connect(), $id);
$db = persistent();
show($db->thread_id === $id, $db->query('SELECT 1')->fetch_row(), mysqli_connect_errno());
stats('after');

section('closed links');
$db->close();
attempt('close', fn() => $db->close());
attempt('thread_id', fn() => $db->thread_id);
attempt('query', fn() => $db->query('SELECT 1'));

section('connect on a connected link');
$db = persistent();
$id = $db->thread_id;
attempt('persistent again', fn() => $db->connect('p:' . address()['hostname'], ...array_slice(array_values(address()), 1)));
if (flags() === 0) {
    show($db->thread_id === $id);
}
attempt('plain', fn() => $db->connect(...array_values(address())));
show($db->thread_id === $id);
$db->close();
stats('none');

section('names of hosts');
foreach (['P:', 'p:'] as $prefix) {
    $db = mysqli_connect($prefix . address()['hostname'], ...array_slice(array_values(address()), 1));
    stats($prefix);
    $db->close();
}
mysqli_report(MYSQLI_REPORT_OFF);
set_error_handler(fn() => true); // its text is a matter of connect_errors
attempt('p: alone', fn() => (bool) mysqli_connect('p:', ...array_slice(array_values(address()), 1)));
restore_error_handler();
stats('p: alone');
ini_set('mysqli.default_host', 'p:' . address()['hostname']);
$db = mysqli_connect(null, ...array_slice(array_values(address()), 1));
stats('by default');
$db->close();

section('phpinfo');
if (flags() === 0) {
    $db = persistent();
    ob_start();
    phpinfo(INFO_MODULES);
    preg_match_all('/^(?:Active|Inactive).*Links.*$/m', ob_get_clean(), $lines);
    show($lines[0]);
    $db->close();
}

section('arguments');
attempt('links_stats', fn() => mysqli_get_links_stats(1));

mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
section('killed while in use');
$db = persistent();
kill_connection(connect(), $db->thread_id);
attempt('query', fn() => $db->query('SELECT 1'));
attempt('close', fn() => $db->close());
$db = persistent();
show($db->query('SELECT 1')->fetch_row());
$db->close();

section('what a script leaves in the middle');
foreach ([
    'unread rows' => fn(mysqli $db) => $db->query('SELECT 1 UNION SELECT 2', MYSQLI_USE_RESULT),
    'more results' => fn(mysqli $db) => $db->multi_query('SELECT 1; SELECT 2'),
    'more results, one stored' => fn(mysqli $db) => $db->multi_query('SELECT 1; SELECT 2') && $db->store_result(),
    'no reply read' => fn(mysqli $db) => $db->query('SELECT 1', MYSQLI_ASYNC),
    'not fetched' => fn(mysqli $db) => $db->real_query('SELECT 1'),
    'closed by itself' => fn(mysqli $db) => $db->kill($db->thread_id),
] as $what => $act) {
    $db = persistent();
    $id = $db->thread_id;
    $kept = $act($db);
    $db->close();
    $db = persistent();
    attempt($what, fn() => [$db->thread_id === $id, $db->query("SELECT '$what'")->fetch_row()]);
    $kept = null;
    $db->close();
}

section('a transaction that nobody ended');
$script = <<<'PHP'
$db = persistent();
$db->query('CREATE TABLE locked (id INT PRIMARY KEY) ENGINE=InnoDB');
$db->query('INSERT INTO locked VALUES (1)');
$db->query('BEGIN');
$db->query('UPDATE locked SET id = 2');
$db->close();
$other = connect();
$look = fn() => $other->query('SELECT * FROM locked FOR UPDATE NOWAIT')->fetch_all();
// Unless closing waits for it the server may be a moment behind.
for ($left = ini_get('mysqli.rollback_on_cached_plink') ? 0 : 100; $left > 0; --$left) {
    try {
        $look();
        break;
    } catch (mysqli_sql_exception) {
        usleep(10000);
    }
}
attempt('while idle', $look);
$db = persistent();
attempt('after reuse', $look);
$other->query('DROP TABLE locked');
PHP;
apart($script, ['mysqli.rollback_on_cached_plink' => '1']);
section('a transaction that nobody ended, and nothing that ends it');
apart($script, ['mysqli.rollback_on_cached_plink' => '0']);

section('limits');
$script = <<<'PHP'
show(ini_get('mysqli.allow_persistent'), ini_get('mysqli.max_persistent'), ini_get('mysqli.max_links'));
$links = new ArrayObject; // which the functions below share
foreach ([1, 2, 3] as $number) {
    attempt("persistent $number", fn() => (bool) ($links[$number] = persistent()));
}
stats('all');
attempt('plain', fn() => (bool) ($links[] = connect()));
stats('all');
unset($links[1]);
attempt('plain in its place', fn() => (bool) ($links[] = connect()));
attempt('after one was freed', fn() => (bool) ($links[1] = persistent()));
attempt('plain again', fn() => (bool) ($links[] = mysqli_connect(...array_values(address()))));
stats('all');
show(mysqli_connect_errno());
unset($links);
stats('none');
PHP;
if (flags() === 0) {
    $limits = [['-1', '-1'], ['2', '-1'], ['-1', '2'], ['0', '-1'], ['-1', '0'], ['2', '2'], ['1', '3'], ['3', '1']];
    foreach ($limits as [$persistent, $links]) {
        apart($script, ['mysqli.max_persistent' => $persistent, 'mysqli.max_links' => $links]);
    }
    apart($script, ['mysqli.allow_persistent' => '0']);
}

section('the character set of another script');
$db = persistent();
$db->set_charset('latin2');
$db->close();
$db = persistent();
show($db->character_set_name() === connect()->character_set_name());
$db->close();

section('several statements of another script');
$db = persistent();
$db->multi_query('SET @a = 1; SET @a = 2');
while ($db->more_results()) {
    $db->next_result();
}
$db->close();
$db = persistent();
try {
    show((bool) $db->query('SELECT 1; SELECT 2'));
} catch (mysqli_sql_exception $e) {
    show($e->getCode());
}
$db->close();

section('init commands');
foreach ([1, 2] as $time) {
    $db = mysqli_init();
    $db->options(MYSQLI_INIT_COMMAND, "SET @init = 'run'");
    $db->real_connect('p:' . address()['hostname'], ...array_slice(array_values(address()), 1), flags: flags());
    show($db->query('SELECT @init')->fetch_row());
    $db->close();
}

section('real_connect');
$before = mysqli_get_links_stats();
$db = mysqli_init();
$db->real_connect('p:' . address()['hostname'], ...array_slice(array_values(address()), 1));
$db->close();
show(mysqli_get_links_stats()['active_plinks'] - $before['active_plinks']);
