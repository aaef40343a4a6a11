--TEST--
A connection has the settings of its time, whoever changed them since the last one: a script, a handler's caller, a request's end
--FILE--
<?php
// servers: mariadb
require 'support/prelude.php';
require 'support/web_server.php';
mysqli_report(MYSQLI_REPORT_OFF);
$limit = fn () => connect()->query('SELECT @@max_statement_time')->fetch_row()[0];

section('a script');
show($limit());
ini_set('vaquita.query_timeout_ms', '20000');
show($limit());
@ini_set('vaquita.query_timeout_ms', 'soon');
show($limit());
ini_restore('vaquita.query_timeout_ms');
show($limit());

section('a setting whose warning connects');
set_error_handler(function (int $level, string $message): void {
    show(strlen($message) > 0, connect()->query('SELECT 1')->fetch_row());
});
ini_set('mysqlnd.net_read_timeout', '1 second');
restore_error_handler();
$begun = hrtime(true);
$db = connect();
show($db->query('SELECT SLEEP(20)'), $db->errno, hrtime(true) - $begun < 10e9);

section('requests');
$server = new WebServer(<<<'PHP'
<?php
require 'support/prelude.php';
header('Content-Type: text/plain');
if (isset($_GET['set'])) {
    ini_set('vaquita.query_timeout_ms', $_GET['set']);
}
echo connect()->query('SELECT @@max_statement_time')->fetch_row()[0];
PHP);
foreach (['', 'set=30000', '', 'set=1', ''] as $query) {
    show($query, explode("\n", $server->get($query), 2)[1]);
}
?>
--EXPECT--
=== a script
"0.000000"
"20.000000"
  Warning: ini_set(): vaquita.query_timeout_ms stays 20000: it must be a whole number, 0 or more, not soon
"20.000000"
"0.000000"
=== a setting whose warning connects
true | ["1"]
false | 2006 | true
=== requests
"" | "0.000000"
"set=30000" | "30.000000"
"" | "0.000000"
"set=1" | "0.001000"
"" | "0.000000"
