<?php
/*
 * A process of the command line that plays steps until the time is up; its lines on standard output, in JSON, are read by main.php.
 *
 *   php worker.php OPTIONS ACCOUNT   both in JSON; of the options: process, seed, folder, spoil, first (step), steps (0: any number), until (a time), every (seconds)
 */

declare(strict_types=1);

require __DIR__ . '/player.php';

$options = json_decode($argv[1], true);
$player = new Player($options, json_decode($argv[2], true), false);
$say = function (array $what): void {
    fwrite(STDOUT, json_encode($what, JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
};
$next_report = 0.0;
$step = $options['first'];
try {
    while (microtime(true) < $options['until'] && ($options['steps'] === 0 || $step < $options['first'] + $options['steps'])) {
        $player->play($step++);
        if (microtime(true) >= $next_report) {
            $say(['steps' => $step - $options['first'], ...$player->figures()]);
            $next_report = microtime(true) + $options['every'];
        }
    }
    $player->rest();
    $player->place->ledger->save();
    $say(['steps' => $step - $options['first'], 'has_ended' => true, ...$player->figures()]);
} catch (Wrong $e) {
    $say(['steps' => $step - $options['first'], 'wrong' => $e->getMessage()]);
    exit(1);
}
