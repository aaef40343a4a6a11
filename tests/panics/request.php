<?php
/*
 * One request of tests/panics: goes a way on which the extension panics, if one is named, and says as JSON what became of it.
 */

declare(strict_types=1);

require __DIR__ . '/places.php';

ini_set('display_errors', '0');
if (!isset($_GET['place'])) {
    // What is to come comes behind the script.
    exit(json_encode(['pid' => getmypid(), 'rows' => count(link_of()->query(SELECT)->fetch_all())]));
}
['place' => $place, 'way' => $way] = $_GET;
$go = [...places(), ...ends()][$place][$way];
$type = (new ReflectionFunction($go))->getParameters()[0]->getType()->getName();
$kept = link_of();
$persistent = link_of(prefix: 'p:');
$open = match ($type) {
    'mysqli' => link_of(),
    'PDO' => pdo_of(),
    'null' => null,
};
$thread = match (true) {
    $open instanceof mysqli => $open->thread_id,
    $open instanceof PDO => (int) $open->query('SELECT CONNECTION_ID()')->fetchColumn(),
    default => null,
};
$said = ['pid' => getmypid(), 'thrown' => []];
putenv("VAQUITA_PANIC_AT=$place");
try {
    $go($open);
} catch (Throwable $e) {
    for (; $e !== null; $e = $e->getPrevious()) {
        $said['thrown'][] = get_class($e) . ': ' . $e->getMessage();
    }
}
putenv('VAQUITA_PANIC_AT');

mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
try {
    $said['afterwards'] = $open?->query('SELECT 1') === null ? 'nothing was open' : 'works';
} catch (mysqli_sql_exception | PDOException | Error $e) {
    $said['afterwards'] = $e instanceof PDOException ? $e->errorInfo[1] : ($e instanceof Error ? $e->getMessage() : $e->getCode());
}
$new = link_of();
$said['new'] = [$new->query('SELECT 1')->fetch_row()[0], link_of(prefix: 'p:')->query('SELECT 2')->fetch_row()[0], pdo_of()->query('SELECT 3')->fetchColumn()];
$statement = $new->prepare('SELECT COUNT(*) FROM information_schema.processlist WHERE id = ?');
for ($i = 0; $i < 100; $i++) {
    $statement->execute([$thread ?? 0]);
    $said['on the server'] = (int) $statement->get_result()->fetch_row()[0];
    if ($said['on the server'] === 0) {
        break;
    }
    usleep(20000);
}
$said['written'] = (int) $new->query("SELECT COUNT(*) FROM panics WHERE name = 'new'")->fetch_row()[0];
$new->query("DELETE FROM panics WHERE name = 'new'");
echo json_encode($said);
