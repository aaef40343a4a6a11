<?php
/*
 * Work of all kinds with mysqli and PDO under OpenTelemetry's auto-instrumentation: what each call gave, then every span with its attributes, status and events.
 *
 *   php -d extension=opentelemetry.so work.php AUTOLOAD SERVER     with the server in the environment
 *
 * What it prints is the same on the stock extensions and on Vaquita (scripts/opentelemetry). Its last line is "N spans".
 */

declare(strict_types=1);

use OpenTelemetry\API\Globals;
use OpenTelemetry\SDK\Common\Attribute\Attributes;
use OpenTelemetry\SDK\Resource\ResourceInfo;
use OpenTelemetry\SDK\Trace\SpanExporter\InMemoryExporter;
use OpenTelemetry\SDK\Trace\SpanProcessor\SimpleSpanProcessor;
use OpenTelemetry\SDK\Trace\TracerProvider;

error_reporting(E_ALL);
[, $autoload, $server] = $argv;
require $autoload; // the instrumentations register themselves
$spans = new ArrayObject();
$provider = new TracerProvider(new SimpleSpanProcessor(new InMemoryExporter($spans)), resource: ResourceInfo::create(Attributes::create([])));
Globals::registerInitializer(fn ($configurator) => $configurator->withTracerProvider($provider));

$setting = fn (string $name) => getenv('VAQUITA_' . strtoupper($server) . "_$name");
[$host, $user, $password, $database, $port] = array_map($setting, ['HOST', 'USER', 'PASSWORD', 'DATABASE', 'PORT']);
$port = (int) $port;
$account = [$host, $user, $password, $database, $port];

/** Shows what came of a call: a value, a class, or what was thrown. */
function at(string $what, callable $do): void
{
    try {
        $result = $do();
        $shown = is_object($result) ? $result::class : json_encode($result);
    } catch (Throwable $e) {
        $shown = $e::class . " {$e->getCode()} {$e->getMessage()}";
    }
    echo "$what: $shown\n";
}

/** All results of a statement that has several. */
function results(callable $call): array
{
    $all = [];
    do {
        $result = $call('store_result');
        $all[] = $result ? $result->fetch_row() : $result;
    } while ($call('next_result'));
    return $all;
}

foreach ([MYSQLI_REPORT_OFF, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT] as $mode) {
    mysqli_report($mode);
    foreach ([false, true] as $procedural) {
        echo "#### mysqli mode $mode ", $procedural ? 'procedural' : 'object', "\n";
        $db = $procedural ? mysqli_connect(...$account) : new mysqli(...$account);
        $call = fn (string $name, ...$a) => $procedural ? ("mysqli_$name")($db, ...$a) : $db->$name(...$a);
        at('query', fn () => $call('query', 'SELECT 1 AS a')->fetch_all());
        at('query unbuffered', fn () => $call('query', 'SELECT 1 UNION SELECT 2', MYSQLI_USE_RESULT)->fetch_all());
        at('query bad', fn () => $call('query', 'SELEC 1'));
        at('real_query', fn () => $call('real_query', "/* hi */ SELECT 'é'"));
        at('store', fn () => $call('store_result')->fetch_row());
        at('real_query bad', fn () => $call('real_query', 'SELECT nope FROM nowhere'));
        at('execute_query', fn () => $call('execute_query', 'SELECT ?', [5])->fetch_row());
        at('execute_query bad', fn () => $call('execute_query', 'SELECT ? FROM nowhere', [5]));
        at('multi', fn () => $call('multi_query', 'SELECT 1; SELECT 2; SELECT nope FROM nowhere; SELECT 3'));
        at('multi results', fn () => results($call));
        at('next after', fn () => $call('next_result'));
        at('multi good', fn () => $call('multi_query', 'SELECT 1; SELECT 2'));
        at('multi results', fn () => results($call));
        at('multi bad', fn () => $call('multi_query', 'SELEC 1; SELECT 2'));
        at('prepare', function () use ($call, $procedural) { $st = $call('prepare', 'SELECT ? + 1'); $x = 4;
            if ($procedural) { mysqli_stmt_bind_param($st, 'i', $x); mysqli_stmt_execute($st); $r = mysqli_stmt_get_result($st)->fetch_row(); mysqli_stmt_close($st); return $r; }
            $st->bind_param('i', $x); $st->execute(); $st->bind_result($y); $st->fetch(); $st->execute([7]); return [$y, $st->get_result()->fetch_row(), $st->next_result()]; });
        at('prepare bad', fn () => $call('prepare', 'SELECT ? FROM nowhere'));
        at('stmt_init', function () use ($call, $procedural) { $st = $call('stmt_init'); if ($procedural) { mysqli_stmt_prepare($st, 'SELECT 9'); mysqli_stmt_execute($st); return mysqli_stmt_get_result($st)->fetch_row(); } $st->prepare('SELECT 9'); $st->execute(); return $st->get_result()->fetch_row(); });
        at('new stmt', function () use ($db) { $st = new mysqli_stmt($db, 'SELECT 3'); $st->execute(); return $st->get_result()->fetch_row(); });
        at('execute bad', function () use ($call) { $st = $call('prepare', 'INSERT INTO otel_t VALUES (?)'); $st->execute([1]); return $st->execute([1]); });
        $call('query', 'CREATE TEMPORARY TABLE otel_t (a INT PRIMARY KEY)');
        at('execute dup', function () use ($call) { $st = $call('prepare', 'INSERT INTO otel_t VALUES (?)'); $st->execute([1]); return $st->execute([1]); });
        at('begin', fn () => $call('begin_transaction', 0, 'named'));
        at('insert', fn () => $call('query', 'INSERT INTO otel_t VALUES (2)'));
        at('rollback', fn () => $call('rollback', 0, 'named'));
        at('begin', fn () => $call('begin_transaction', MYSQLI_TRANS_START_READ_ONLY));
        at('commit', fn () => $call('commit'));
        at('savepoint', fn () => $call('savepoint', 'sp'));
        at('procedure', fn () => $call('query', 'CREATE PROCEDURE otel_p() BEGIN SELECT 1; SELECT 2; END'));
        at('call', function () use ($call) { $st = $call('prepare', 'CALL otel_p()'); $st->execute(); $all = []; do { if ($r = $st->get_result()) $all[] = $r->fetch_row(); } while ($st->next_result()); return $all; });
        at('drop', fn () => $call('query', 'DROP PROCEDURE otel_p'));
        at('select_db', fn () => $call('select_db', 'information_schema'));
        at('query there', fn () => $call('query', 'SELECT DATABASE()')->fetch_row());
        at('select_db bad', fn () => $call('select_db', 'nowhere_db'));
        at('change_user', fn () => $call('change_user', $user, $password, $database));
        at('query there', fn () => $call('query', 'SELECT DATABASE()')->fetch_row());
        at('change_user bad', fn () => $call('change_user', $user, 'wrong', $database));
        at('close', fn () => $call('close'));
        at('query closed', fn () => $call('query', 'SELECT 1'));
    }
    at('connect refused', fn () => @mysqli_connect($host, $user, 'wrong', $database, $port));
    at('new refused', fn () => @new mysqli($host, $user, 'wrong', $database, $port));
    at('no server', fn () => @new mysqli('127.0.0.1', $user, $password, $database, 1));
    at('real_connect', function () use ($account) { $db = mysqli_init(); $r = mysqli_real_connect($db, ...$account); mysqli_query($db, 'SELECT 1'); return $r; });
    at('->real_connect', function () use ($account) { $db = mysqli_init(); $r = $db->real_connect(...$account); $db->query('SELECT 1'); return $r; });
    at('->real_connect p:', function () use ($account) { $db = mysqli_init(); $r = $db->real_connect(...array_replace($account, ['p:' . $account[0]])); $db->query('SELECT 1'); return $r; });
    at('->connect', function () use ($account) { $db = new mysqli; $r = $db->connect(...$account); $db->query('SELECT 1'); return $r; });
    at('sub', function () use ($account) { $db = new class(...$account) extends mysqli { function query($q, $m = 0): mysqli_result|bool { return parent::query("$q /* sub */"); } }; return $db->query('SELECT 1')->fetch_row(); });
    at('real_connect refused', function () use ($host, $user, $database, $port) { $db = mysqli_init(); return @$db->real_connect($host, $user, 'wrong', $database, $port); });
    at('async', function () use ($account) { $db = new mysqli(...$account); $db->query('SELECT SLEEP(0.01), 4', MYSQLI_ASYNC); return $db->reap_async_query()->fetch_row(); });
}
foreach ([PDO::ERRMODE_SILENT, PDO::ERRMODE_WARNING, PDO::ERRMODE_EXCEPTION] as $mode) {
    foreach ([true, false] as $emulate) {
        echo "#### PDO mode $mode emulate ", (int) $emulate, "\n";
        $db = new PDO("mysql:host=$host;port=$port;dbname=$database", $user, $password, [PDO::ATTR_ERRMODE => $mode, PDO::ATTR_EMULATE_PREPARES => $emulate]);
        at('query', fn () => $db->query('SELECT 1')->fetchAll());
        at('query bad', fn () => @$db->query('SELEC 1'));
        at('exec', fn () => $db->exec('CREATE TEMPORARY TABLE otel_t (a INT PRIMARY KEY)'));
        at('exec bad', fn () => @$db->exec('CREATE nonsense'));
        at('prepare', function () use ($db) { $st = $db->prepare('INSERT INTO otel_t VALUES (:a)'); $st->bindValue(':a', 5, PDO::PARAM_INT); return [$st->execute(), @$st->execute(), $st->errorCode()]; });
        at('prepare bad', fn () => @$db->prepare('SELECT * FROM nowhere WHERE a = ?'));
        at('prepare fetchAll', function () use ($db) { $st = $db->prepare('SELECT ?, a FROM otel_t'); $st->execute(['x']); return $st->fetchAll(PDO::FETCH_NUM); });
        at('begin', fn () => $db->beginTransaction());
        at('begin twice', fn () => @$db->beginTransaction());
        at('insert', fn () => $db->exec('INSERT INTO otel_t VALUES (6)'));
        at('rollBack', fn () => $db->rollBack());
        at('rollBack none', fn () => @$db->rollBack());
        at('begin', fn () => $db->beginTransaction());
        at('commit', fn () => $db->commit());
        at('multi', function () use ($db) { $st = $db->query('SELECT 1; SELECT 2'); if (!$st) return $st; $a = $st->fetchAll(); $st->nextRowset(); return [$a, $st->fetchAll()]; });
        at('foreach', function () use ($db) { $a = []; foreach ($db->query('SELECT 1 UNION SELECT 2', PDO::FETCH_COLUMN, 0) as $v) $a[] = $v; return $a; });
        at('sub', function () use ($account) { $db = new class("mysql:host=$host;port=$port;dbname=$database", $user, $password) extends PDO {}; $st = $db->query('SELECT 1'); return $st->fetchColumn(); });
    }
    at('refused', fn () => new PDO("mysql:host=$host;port=$port;dbname=$database", $user, 'wrong'));
    at('persistent', fn () => (new PDO("mysql:host=$host;port=$port;dbname=$database", $user, $password, [PDO::ATTR_PERSISTENT => true]))->query('SELECT 1')->fetchAll());
}
echo "#### spans\n";
foreach ($spans as $span) {
    $attributes = $span->getAttributes()->toArray();
    ksort($attributes);
    $links = count($span->getLinks());
    echo "{$span->getName()}, kind {$span->getKind()}, {$span->getStatus()->getCode()} ", json_encode($span->getStatus()->getDescription()), ", $links links: ", json_encode($attributes, JSON_UNESCAPED_SLASHES), "\n";
    foreach ($span->getEvents() as $event) {
        $of = $event->getAttributes()->toArray();
        echo "   {$event->getName()} ", json_encode([$of['exception.type'] ?? null, $of['exception.message'] ?? null]), "\n";
    }
}
echo count($spans), " spans\n";
