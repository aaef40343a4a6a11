--TEST--
After the server has come back, persistent connections are others in silence, unless somebody knows the old ones
--FILE--
<?php
// servers: any
require 'support/prelude.php';
// A server that nobody else has.
$file = tempnam(sys_get_temp_dir(), 'vaquita');
file_put_contents($file, <<<'PHP'
<?php
require 'support/prelude.php';

function persistent(string $transport): mysqli
{
    $env = fn(string $what) => getenv("VAQUITA_MARIADB_$what");
    [$host, $socket] = $transport === 'unix' ? ['p:localhost', $env('SOCKET')] : ['p:' . $env('HOST'), null];
    return new mysqli($host, $env('USER'), $env('PASSWORD'), $env('DATABASE'), (int) $env('PORT'), $socket);
}

function pdo(string $transport): PDO
{
    $env = fn(string $what) => getenv("VAQUITA_MARIADB_$what");
    $where = $transport === 'unix' ? 'unix_socket=' . $env('SOCKET') : "host={$env('HOST')};port={$env('PORT')}";
    return new PDO("mysql:$where;dbname={$env('DATABASE')}", $env('USER'), $env('PASSWORD'), [PDO::ATTR_PERSISTENT => true]);
}

/** The outcome of a statement. */
function outcome(mysqli $db, string $sql): string
{
    try {
        return $db->query($sql) ? 'done' : 'refused';
    } catch (mysqli_sql_exception $e) {
        return "{$e->getCode()}";
    }
}

foreach (['unix', 'tcp'] as $transport) {
    $before = Vaquita\pool_stats();
    // Each is reset twice: the first time takes a round trip.
    for ($i = 0; $i < 2; $i++) {
        $links = array_map(fn() => persistent($transport), range(1, 7));
        array_map(fn($db) => $db->query('CREATE TEMPORARY TABLE own (a INT)'), $links);
        array_map(fn($db) => $db->close(), $links);
        pdo($transport)->query('SET @a = 1');
    }
    $taken = [];
    foreach (['select', 'write', 'prepare', 'known select', 'known write'] as $name) {
        $taken[$name] = persistent($transport);
        str_starts_with($name, 'known') && $taken[$name]->thread_id;
    }
    exec('scripts/server restart mariadb', result_code: $code);
    $code === 0 || exit("no restart\n");
    foreach ($taken as $name => $db) {
        $sql = str_ends_with($name, 'select') ? 'SELECT 1' : 'CREATE TEMPORARY TABLE own (a INT)';
        if ($name === 'prepare') {
            show($transport, $name, $db->prepare('SELECT 1')->execute());
        } else {
            show($transport, $name, outcome($db, $sql), outcome($db, 'SELECT 2'));
        }
        $db->close();
    }
    // Idle ones, which were found dead.
    $db = persistent($transport);
    show($transport, 'idle', outcome($db, 'CREATE TEMPORARY TABLE own (a INT)'));
    $db->close();
    $pdo = pdo($transport);
    show($transport, 'PDO', $pdo->query('SELECT @a')->fetchColumn(), $pdo->exec('CREATE TEMPORARY TABLE own (a INT)'));
    unset($pdo);
    $after = Vaquita\pool_stats();
    show($after['replaced'] > $before['replaced'] + 3, $after['active']);
}
PHP);
chdir(dirname(getenv('VAQUITA_TESTS')));
passthru('scripts/with-servers mariadb -- ' . implode(' ', array_map('escapeshellarg', [PHP_BINARY, '-d', 'include_path=' . get_include_path(), $file])));
unlink($file);
?>
--EXPECT--
"unix" | "select" | "done" | "done"
"unix" | "write" | "done" | "done"
"unix" | "prepare" | true
"unix" | "known select" | "2006" | "2006"
"unix" | "known write" | "2006" | "2006"
"unix" | "idle" | "done"
"unix" | "PDO" | null | 0
true | 0
"tcp" | "select" | "done" | "done"
"tcp" | "write" | "done" | "done"
"tcp" | "prepare" | true
"tcp" | "known select" | "2006" | "2006"
"tcp" | "known write" | "2006" | "2006"
"tcp" | "idle" | "done"
"tcp" | "PDO" | null | 0
true | 0
