<?php
/*
 * A request to a worker of PHP-FPM: some steps, of which the last may end the script by exit() or a fatal error. It prints what worker.php says, once.
 */

declare(strict_types=1);

require __DIR__ . '/player.php';

/** What the step that has no memory left is allowed. */
const LITTLE_BYTES = 4 << 20;

$options = json_decode(getenv('SOAK_OPTIONS'), true);
$player = new Player($options, json_decode(getenv('SOAK_ACCOUNT'), true), true);
$first = $step = (int) $_GET['first'];
$wrong = $ends_by = null;
// Of the requests before nothing is left but what the process keeps.
$figures = $player->figures();
$memory_limit = ini_get('memory_limit');
register_shutdown_function(function () use ($player, $figures, $first, &$step, &$wrong, &$ends_by, $memory_limit): void {
    ini_set('memory_limit', $memory_limit);
    $player->place->ledger->save();
    $error = error_get_last();
    if ($error !== null && ($error['type'] & (E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR)) !== 0 && !($ends_by === 'memory' && str_starts_with($error['message'], 'Allowed memory size'))) {
        $wrong ??= "step $step: $error[message]";
    }
    echo json_encode(['process_id' => getmypid(), 'steps' => $step - $first, 'ends_by' => $ends_by, 'wrong' => $wrong, ...$figures], JSON_INVALID_UTF8_SUBSTITUTE);
});
try {
    while ($step < $first + (int) $_GET['steps']) {
        $player->play($step++);
    }
    $ends_by = $player->place->dice->any(['end', 'end', 'end', 'exit', 'memory']);
    if ($ends_by !== 'end') {
        $result = $player->place->connect('p:')->query(Place::select(1, 50), MYSQLI_USE_RESULT);
        if ($ends_by === 'memory') {
            ini_set('memory_limit', (string) (memory_get_usage(true) + LITTLE_BYTES));
        }
        $kept = '';
        $player->place->pdo()->query(Place::select(1, 50))->fetchAll(PDO::FETCH_FUNC, function () use ($ends_by, &$kept): void {
            $ends_by === 'exit' ? exit : $kept .= str_repeat('x', LITTLE_BYTES);
        });
        $wrong = "step $step: the script went on after $ends_by";
    }
} catch (Wrong $e) {
    $wrong = $e->getMessage();
}
