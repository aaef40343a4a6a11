<?php
/*
 * One request of the test: by mysqli or by PDO, on a persistent connection. It says whether the last user's session shows, writes a row under its own number, and
 * leaves whatever it can behind.
 */

declare(strict_types=1);

header('Content-Type: text/plain');
$number = (int) $_GET['n'];
$account = array_map(getenv(...), ['HOST' => 'FPM_HOST', 'USER' => 'FPM_USER', 'PASSWORD' => 'FPM_PASSWORD', 'DATABASE' => 'FPM_DATABASE', 'PORT' => 'FPM_PORT']);
/** What shows a session that somebody has used. */
const TRACES = "SELECT CONCAT_WS(' ', IFNULL(@left, '-'), @@autocommit = 1, DATABASE() = '%s', @@group_concat_max_len = @@GLOBAL.group_concat_max_len, IS_FREE_LOCK(CONCAT('fpm', CONNECTION_ID())), @@character_set_client)";
const CLEAN = '- 1 1 1 1 utf8mb4';
$traces = sprintf(TRACES, $account['DATABASE']);
$insert = "INSERT INTO fpm_requests (number) VALUES ($number)";
$left = ["SET @left = $number, autocommit = 0, SESSION group_concat_max_len = 77777", "DO GET_LOCK(CONCAT('fpm', CONNECTION_ID()), 0)", 'CREATE TEMPORARY TABLE left_over (a INT)', 'USE information_schema', 'SET NAMES latin1', 'START TRANSACTION'];
try {
    if ($number % 2 === 0) {
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $db = mysqli_init();
        $db->options(MYSQLI_SET_CHARSET_NAME, 'utf8mb4');
        $db->real_connect("p:$account[HOST]", $account['USER'], $account['PASSWORD'], $account['DATABASE'], (int) $account['PORT']);
        $read = fn(string $sql) => $db->query($sql)->fetch_row()[0];
        $run = $db->query(...);
    } else {
        $db = new PDO("mysql:host=$account[HOST];port=$account[PORT];dbname=$account[DATABASE];charset=utf8mb4", $account['USER'], $account['PASSWORD'], [PDO::ATTR_PERSISTENT => true]);
        $read = fn(string $sql) => $db->query($sql)->fetchColumn();
        $run = $db->exec(...);
    }
    // Now a read comes first, now a write.
    if ($number % 3 === 0) {
        $run($insert);
    }
    $found = $read($traces);
    if ($number % 3 !== 0) {
        $run($insert);
    }
    array_map($run, array_slice($left, 0, $number % 7));
    echo $found === CLEAN ? 'done' : "not clean: $found";
} catch (mysqli_sql_exception | PDOException $e) {
    http_response_code(503);
    echo 'error ', $e instanceof PDOException ? $e->errorInfo[1] ?? $e->getCode() : $e->getCode(), ': ', $e->getMessage();
}
