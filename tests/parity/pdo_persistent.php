<?php
// PDO: persistent handles in one request after the other, whatever the last one left, and in forked processes.
// servers: mariadb mysql80
// transports: tcp tls
require 'support/prelude.php';
require 'support/web_server.php';
watch_errors();

section('one request after the other');
$server = new WebServer(<<<'PHP'
<?php
require 'support/prelude.php';
header('Content-Type: text/plain');
$do = $_GET['do'];
$db = connect_pdo([PDO::ATTR_PERSISTENT => true, PDO::ATTR_EMULATE_PREPARES => $do !== 'native', PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $do !== 'unbuffered']);
switch ($do) {
    case 'variable': show($db->exec('SET @x = 5')); break;
    case 'unbuffered': $kept = $db->query('SELECT 1 UNION SELECT 2 UNION SELECT 3'); show($kept->fetchColumn()); exit;
    case 'native': $kept = $db->prepare('SELECT ? UNION SELECT 7'); show($kept->execute(['b']), $kept->fetchColumn()); break;
    case 'several': $kept = $db->query('SELECT 1; SELECT 2'); exit;
    case 'transaction': show($db->beginTransaction(), $db->exec('CREATE TEMPORARY TABLE IF NOT EXISTS kept (a INT)'), $db->exec('INSERT INTO kept VALUES (1)')); break;
    case 'error': attempt('nonsense', fn() => $db->exec('nonsense')); break;
    case 'fatal': $kept = $db->query('SELECT 1 UNION SELECT 2'); nowhere();
    case 'kill': connect_pdo()->exec('KILL ' . $db->query('SELECT CONNECTION_ID()')->fetchColumn()); exit;
}
show($db->errorCode(), $db->errorInfo(), $db->inTransaction(), $db->query('SELECT t.n FROM (SELECT 1 AS n) t')->fetch(PDO::FETCH_ASSOC));
PHP);
foreach (['', '', 'variable', '', 'unbuffered', '', 'unbuffered', 'unbuffered', 'native', 'native', '', 'several', '', 'transaction', '', 'error', '', 'fatal', '', 'kill', '', ''] as $do) {
    echo "--- $do\n", preg_replace(['#HTTP/\d\.\d#', '#/\S*/index.php#'], ['HTTP', 'index.php'], $server->get("do=$do")), "\n";
}
unset($server);
if (server('TRANSPORT') === 'tls') {
    exit; // stock adds warnings of OpenSSL's to what follows, which differ from run to run
}

section('a further object of a handle that is busy');
$ways = ['nothing' => fn($db) => null, 'rows of exec' => fn($db) => $db->exec('SELECT 1'), 'results of exec' => fn($db) => $db->exec('SELECT 1; SELECT 2'), 'rows' => fn($db) => $db->query('SELECT 1 UNION SELECT 2'),
    'results' => fn($db) => $db->query('SELECT 1; SELECT 2'), 'an error after rows' => fn($db) => $db->query('SELECT 1; nonsense'), 'a transaction' => fn($db) => $db->beginTransaction()];
foreach ([true, false] as $buffered) {
    foreach ($ways as $what => $way) {
        $open = fn() => connect_pdo([PDO::ATTR_PERSISTENT => "busy with $what", PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => $buffered]);
        $look = fn(string $who, PDO $db) => attempt("$what, $who", fn() => $db->query('SELECT @whose')->fetchAll(PDO::FETCH_COLUMN));
        [$first, $beside] = [$open(), $open()];
        $first->exec('SET @whose = "first"');
        $left = $way($beside);
        $second = $open();
        $third = $open();
        attempt("$what, set", fn() => $third->exec('SET @whose = "second"'));
        $look('second', $second);
        $look('first', $first);
        attempt("$what, rows", fn() => [$left instanceof PDOStatement ? $left->fetchAll(PDO::FETCH_COLUMN) : null, $left instanceof PDOStatement ? $left->nextRowset() : null]);
        $look('first', $first);
        $first = $left = null;
        $look('beside the first', $beside);
        $beside = null;
        $look('third', $third);
        $second = $third = null;
    }
}

section('a further object of a handle whose connection is gone');
/** Has the server end the session of a connection, and waits until it has. */
function kill(PDO $db, int $id): void
{
    $db->exec("KILL $id");
    while ($db->query("SELECT 1 FROM information_schema.processlist WHERE id = $id")->fetchAll() !== []) {
        usleep(1000);
    }
}
$admin = connect_pdo();
$admin->exec('CREATE TABLE split (who VARCHAR(20)) ENGINE=InnoDB');
$ways = ['nothing' => fn($db) => null, 'a variable' => fn($db) => $db->exec('SET @whose = "first"'), 'a lock' => fn($db) => $db->query('SELECT GET_LOCK("split", 0)')->fetchAll(),
    'locked tables' => fn($db) => $db->exec('LOCK TABLES split WRITE'), 'a transaction' => fn($db) => $db->beginTransaction(), 'no autocommit' => fn($db) => $db->setAttribute(PDO::ATTR_AUTOCOMMIT, 0)];
foreach ([false, true] as $is_told) {
    foreach ($ways as $what => $way) {
        $open = fn() => connect_pdo([PDO::ATTR_PERSISTENT => "gone with $what, " . (int) $is_told]);
        $look = fn(string $who, PDO $db, string $ask) => attempt("$what, $who", fn() => @$db->query($ask)->fetchAll(PDO::FETCH_COLUMN));
        $write = fn(string $who, PDO $db) => attempt("$what, $who writes", fn() => @$db->exec("INSERT INTO split VALUES ('$who')"));
        $first = $open();
        $id = $first->query('SELECT CONNECTION_ID()')->fetchColumn();
        $way($first);
        kill($admin, $id);
        $is_told && $write('first', $first);
        $second = @$open();
        $look('second', $second, 'SELECT @whose');
        $write('second', $second);
        // Whatever it had in its session is gone: it is not to go on as if nothing had happened.
        $write('first', $first);
        attempt("$what, commit", fn() => @$first->commit());
        $third = $open();
        show($third->query('SELECT CONNECTION_ID()')->fetchColumn() === $second->query('SELECT CONNECTION_ID()')->fetchColumn());
        $first = null;
        $write('third', $third);
        $second = $third = null;
    }
}
show($admin->query('SELECT who, COUNT(*) FROM split GROUP BY who ORDER BY who')->fetchAll(PDO::FETCH_NUM));
$admin = null;

/** What the function shows in a child of this process. */
function in_child(callable $function): string
{
    [$mine, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $child = pcntl_fork();
    if ($child === 0) {
        fclose($mine);
        fwrite($theirs, text($function()));
        exit; // all the way through PHP's end
    }
    fclose($theirs);
    $shown = stream_get_contents($mine);
    pcntl_waitpid($child, $status);
    return "$status: $shown";
}

foreach ([true, false] as $is_persistent) {
    foreach (['uses it', 'lets it be'] as $what) {
        section('a child of a process with a ' . ($is_persistent ? 'persistent' : 'plain') . " handle $what");
        $db = connect_pdo([PDO::ATTR_PERSISTENT => $is_persistent, PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]);
        $db->exec('SET @whose = "parent"');
        $rows = $what === 'uses it' ? null : $db->query('SELECT 1 UNION SELECT 2 UNION SELECT 3');
        show($rows?->fetchColumn());
        show(in_child(fn() => $rows !== null ?: connect_pdo([PDO::ATTR_PERSISTENT => $is_persistent])->query('SELECT @whose')->fetchColumn()));
        attempt('rows', fn() => $rows?->fetchAll(PDO::FETCH_COLUMN));
        attempt('query', fn() => $db->query('SELECT @whose')->fetchColumn());
        attempt('again', fn() => connect_pdo([PDO::ATTR_PERSISTENT => $is_persistent])->query('SELECT @whose')->fetchColumn());
        unset($rows, $db);
    }
}
