--TEST--
Requests that end in the middle of everything (memory, exit, exceptions, fatal errors) leave no memory and no connections behind in their process
--FILE--
<?php
// servers: mariadb
// seconds: 120
require 'support/prelude.php';
require 'support/web_server.php';
$db = connect();
$db->query('CREATE TABLE t (id INT, s TEXT)');
$db->query("INSERT INTO t VALUES " . implode(', ', array_map(fn($i) => "($i, REPEAT('x', 1000))", range(1, 2000))));
$server = new WebServer(<<<'PHP'
<?php
require 'support/prelude.php';
restore_error_handler();
mysqli_report(MYSQLI_REPORT_ERROR);
class Exits { public $id; public $s; public function __construct() { exit('out'); } }
class Throws { public $id; public $s; public function __construct() { throw new LogicException('out'); } }
class Fails { public $id; public $s; public function __construct() { trigger_error('out', E_USER_ERROR); } }
class Hungry { public $id; public $s; public function __construct() { $this->s = str_repeat('x', 100_000_000); } }
class Text { public function __construct(private Closure $speak) { } public function __toString(): string { return ($this->speak)(); } }
class FailsLate { public $id; public $s; public function __destruct() { trigger_error('out', E_USER_ERROR); } }
$db = connect();
$mode = $_GET['mode'] === 'use' ? MYSQLI_USE_RESULT : MYSQLI_STORE_RESULT;
$result = $db->query('SELECT * FROM t', $mode);
switch ($_GET['way']) {
    case 'fetch_all': $rows = $result->fetch_all(MYSQLI_ASSOC); break;
    case 'fetch_row': while ($row = $result->fetch_row()) { $rows[] = $row; } break;
    case 'foreach': foreach ($result as $row) { $rows[] = $row; } break;
    case 'fetch_object': while ($row = $result->fetch_object()) { $rows[] = $row; } break;
    case 'exit': $result->fetch_row(); exit('out');
    case 'in a handler': set_error_handler(function () { exit('out'); }); $other = connect(); $other->query('nonsense'); break;
    case 'fatal in a handler': set_error_handler(function () { restore_error_handler(); trigger_error('out', E_USER_ERROR); }); $other = connect(); $other->query('nonsense'); break;
    case 'rows of a statement': $result->free(); $rows = $db->execute_query('SELECT * FROM t WHERE id > ?', [0])->fetch_all(); break;
    case 'variables of a statement': $result->free(); $statement = $db->prepare('SELECT * FROM t'); $statement->execute(); $statement->bind_result($id, $text); while ($statement->fetch()) { $rows[] = $text; } break;
    case 'parameter exits': $result->free(); $db->prepare('SELECT ?')->execute([new Text(function () { exit('out'); })]); break;
    case 'parameter throws': $result->free(); $db->execute_query('SELECT ?', [new Text(function () { throw new LogicException('out'); })]); break;
    case 'parameter fails': $result->free(); $db->execute_query('SELECT ?', [new Text(function () { trigger_error('out', E_USER_ERROR); })]); break;
    case 'variable fails': $result->free(); $statement = $db->prepare('SELECT 1'); $statement->execute(); $bound = new FailsLate(); $statement->bind_result($bound); $statement->fetch(); break;
    case 'forgotten variable fails': $result->free(); $statement = $db->prepare('SELECT 1'); (function () use ($statement) { $bound = new FailsLate(); $statement->bind_result($bound); })(); $statement = null; break;
    default: $row = $result->fetch_object($_GET['way']); unset($row); break;
}
echo 'not reached';
PHP, ['memory_limit' => '2M']);
$connections = fn() => (int) $db->query("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '" . server('DATABASE') . "' AND ID != CONNECTION_ID()")->fetch_row()[0];
foreach (['store', 'use'] as $mode) {
    foreach (['fetch_all', 'fetch_row', 'foreach', 'fetch_object', 'exit', 'Exits', 'Throws', 'Fails', 'Hungry', 'FailsLate', 'in a handler', 'fatal in a handler',
        'rows of a statement', 'variables of a statement', 'parameter exits', 'parameter throws', 'parameter fails', 'variable fails', 'forgotten variable fails'] as $way) {
        $get = function (int $times) use ($server, $mode, $way, $connections) {
            for ($i = 0; $i < $times; $i++) {
                $answer = $server->get('mode=' . $mode . '&way=' . urlencode($way));
                if (!str_contains($answer, 'out') && !str_contains($answer, 'exhausted')) {
                    echo "$mode, $way: $answer\n";
                    return;
                }
            }
        };
        $get(10);
        // Zend's heap takes another chunk of 2 MiB now and then, and keeps it: what leaks grows each time.
        for ($rounds = 0, $growth = PHP_INT_MAX; $rounds < 3 && $growth > 600; $rounds++) {
            $before = $server->resident_kib();
            $get(40);
            $growth = $server->resident_kib() - $before;
        }
        if ($growth > 600 || !$server->is_running()) {
            echo "$mode, $way: the process grew by $growth KiB\n";
        }
        // The server counts a connection a moment longer than its client.
        for ($tries = 0; $connections() > 0; $tries++) {
            if ($tries > 10_000) {
                echo "$mode, $way: {$connections()} connections are left\n";
                break;
            }
        }
    }
}
echo "done\n";
?>
--EXPECT--
done
