<?php
/*
 * One request of tests/fpm/metrics.php: sends as many COM_STATISTICS as it is told, which the driver never sends by itself, and says which process it is and what the
 * page of metrics has of them. Or it is killed in the midst of it.
 */

declare(strict_types=1);

if ($_GET['n'] > 0) {
    $db = new mysqli(getenv('FPM_HOST'), getenv('FPM_USER'), getenv('FPM_PASSWORD'), getenv('FPM_DATABASE'), (int) getenv('FPM_PORT'));
    for ($i = 0; $i < $_GET['n']; $i++) {
        $db->stat();
    }
}
if (isset($_GET['dies'])) {
    posix_kill(getmypid(), 9); // FPM has no pcntl, whose constant SIGKILL is
}
usleep(20_000); // so that requests that come together are not all one worker's
preg_match('/^vaquita_commands_total\{command="statistics"\} (\d+)$/m', Vaquita\metrics(), $match);
echo getmypid(), ' ', $match[1];
