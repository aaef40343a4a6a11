<?php
// Sends small statements over one connection, for whoever measures what they cost.
//
//     MYSQL_USER=me MYSQL_PASSWORD=secret build/php examples/cost.php 2000         2,000 for each line of the input; says what one took, in microseconds: user time, all processor time
//     MYSQL_USER=me MYSQL_PASSWORD=secret build/php examples/cost.php 2000 once    2,000, and nothing is said
//
// `make cost` runs it with statistics off, on, and a slow trace armed; on a web server it does nothing. The connection is described by MYSQL_HOST, MYSQL_PORT,
// MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

if (PHP_SAPI === 'cli-server') {
    exit;
}
$setting = fn (string $name, string $default = '') => getenv("MYSQL_$name") ?: $default;
$db = new mysqli($setting('HOST', 'localhost'), $setting('USER'), $setting('PASSWORD'), $setting('DATABASE'), (int) $setting('PORT', '3306'), $setting('SOCKET') ?: null);
$count = (int) ($argv[1] ?? 2000);

function work(mysqli $db, int $count): void
{
    for ($i = 0; $i < $count; $i++) {
        $db->query('SELECT 1')->fetch_row();
    }
}

/** @return array{float, float} the process's user time and its system time, in microseconds */
function times(): array
{
    $usage = getrusage();
    return array_map(fn (string $of) => 1e6 * $usage["ru_$of.tv_sec"] + $usage["ru_$of.tv_usec"], ['utime', 'stime']);
}

if (isset($argv[2])) {
    work($db, $count);
    exit;
}
work($db, 500); // what happens only once has happened then
while (fgets(STDIN) !== false) {
    [$user, $system] = times();
    work($db, $count);
    [$user_after, $system_after] = times();
    printf("%.4f %.4f\n", ($user_after - $user) / $count, ($user_after - $user + $system_after - $system) / $count);
}
