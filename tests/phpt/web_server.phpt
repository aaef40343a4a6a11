--TEST--
PHP's own web server serves pages that query, one after the other
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
require 'support/web_server.php';
$server = new WebServer(<<<'PHP'
<?php
require 'support/prelude.php';
header('Content-Type: text/plain');
$db = connect();
if (isset($_GET['error'])) {
    try {
        $db->query('nonsense');
    } catch (mysqli_sql_exception $e) {
        echo $e->getCode();
    }
}
echo $db->query("SELECT '" . $db->real_escape_string($_GET['name'] ?? '') . "'")->fetch_row()[0], ' ', (new mysqli_driver)->report_mode, ' ', mysqli_connect_errno();
restore_error_handler();
mysqli_report(MYSQLI_REPORT_OFF); // neither this nor the connect error is for the next request
@mysqli_connect('127.0.0.1', 'u', 'p', 'd', 1);
PHP);
foreach (['name=one', 'name=it\'s', 'name=&error=1', 'name=last'] as $query) {
    echo preg_replace('#HTTP/\d\.\d#', 'HTTP', $server->get($query)), "\n";
}
?>
--EXPECT--
HTTP 200 OK
one 3 0
HTTP 200 OK
it's 3 0
HTTP 200 OK
1064 3 0
HTTP 200 OK
last 3 0
