--TEST--
Requests that one process serves share a persistent connection, however they end, and nothing of each other's sessions
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
require 'support/web_server.php';
$db = connect();
$db->query('CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT) ENGINE=InnoDB');
$server = new WebServer(<<<'PHP'
<?php
require 'support/prelude.php';
header('Content-Type: text/plain');
restore_error_handler();
$way = $_GET['way'];
$db = connect(hostname: 'p:' . address()['hostname']);
$clean = $db->query('SELECT @a IS NULL AND @@autocommit AND (SELECT COUNT(*) FROM t) = 0')->fetch_row()[0] === '1';
echo $db->thread_id, ' ', $clean ? 'clean' : 'not clean', ' ', implode(' ', mysqli_get_links_stats()), ' ';
$db->query('SET @a = 1, autocommit = 0');
$db->query('INSERT INTO t VALUES ()');
switch ($way) {
    case 'close': $db->close(); break;
    case 'two': $other = connect(hostname: 'p:' . address()['hostname']); echo 'two ', implode(' ', mysqli_get_links_stats()), ' '; break;
    case 'exit': exit('out');
    case 'exception': throw new LogicException('out');
    case 'fatal': trigger_error('out', E_USER_ERROR);
    case 'memory': ob_get_level() && ob_flush(); flush(); ini_set('memory_limit', '4M'); str_repeat('x', 100_000_000);
    case 'rows': $result = $db->query('SELECT 1 UNION SELECT 2', MYSQLI_USE_RESULT); $result->fetch_row(); exit('out');
    case 'results': $db->multi_query('SELECT 1; SELECT 2'); exit('out');
    case 'statement': $statement = $db->prepare('SELECT 1'); $statement->execute(); exit('out');
    case 'cycle': $db->self = [$db]; break;
}
echo 'end';
PHP);
$ids = [];
foreach (['close', 'end', 'two', 'exit', 'two', 'exception', 'fatal', 'memory', 'cycle', 'statement', 'rows', 'end', 'results', 'end'] as $way) {
    $answer = explode("\n", $server->get("way=$way"), 2)[1];
    preg_match('/^(\d+) ([a-z ]+)((?: ?\d+)*) (.*)/s', $answer, $match) || exit($answer);
    $known = array_search($match[1], $ids, true);
    if ($known === false) {
        $known = array_push($ids, $match[1]) - 1;
    }
    $two = preg_match('/two [\d ]+\d/', $match[4], $two) ? ", $two[0]" : '';
    echo "$way: link $known, $match[2]$match[3]$two\n";
}
?>
--EXPECT--
close: link 0, clean 1 1 0
end: link 0, clean 1 1 0
two: link 0, clean 1 1 0, two 2 2 0
exit: link 0, clean 1 1 1
two: link 0, clean 1 1 1, two 2 2 0
exception: link 0, clean 1 1 1
fatal: link 0, clean 1 1 1
memory: link 0, clean 1 1 1
cycle: link 0, clean 1 1 1
statement: link 0, clean 1 1 1
rows: link 0, clean 1 1 1
end: link 0, clean 1 1 1
results: link 0, clean 1 1 1
end: link 1, clean 1 1 0
