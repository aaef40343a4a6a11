--TEST--
Requests that ask persistent connections for the same columns have nothing of each other
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
require 'support/web_server.php';
$server = new WebServer(<<<'PHP'
<?php
require 'support/prelude.php';
header('Content-Type: text/plain');
$pdo = connect_pdo([PDO::ATTR_PERSISTENT => true]);
$db = connect(hostname: 'p:' . address()['hostname']);
// The names of the columns are in no request's own text.
$names = array_map(fn($number) => 'c' . chr(97 + $number) . strlen($_GET['name']), range(0, 3));
$sql = "SELECT 1 AS $names[0], NULL AS $names[1], 'three' AS $names[2], 4 AS $names[3] UNION ALL SELECT 5, 'six', 7, NULL";
$kept = [];
for ($i = 0; $i < 4; $i++) {
    $kept[] = $pdo->query($sql)->fetchAll(PDO::FETCH_ASSOC);
    $kept[] = $db->query($sql)->fetch_all(MYSQLI_ASSOC);
    $result = $db->query($sql);
    $kept[] = [$result->fetch_assoc(), $result->fetch_assoc()];
}
// PDO makes integers, mysqli strings.
echo json_encode(array_values(array_unique($kept, SORT_REGULAR))), "\n";
// These end with the request: a statement with rows left, a result in a cycle, and where memory ends whatever is there.
$statement = $pdo->prepare($sql);
$statement->execute();
$statement->fetch();
$cycle = new stdClass;
$cycle->self = $cycle;
$cycle->result = $db->query($sql);
$cycle->row = $cycle->result->fetch_assoc();
register_shutdown_function(function () use ($db, $sql) {
    echo count($db->query($sql)->fetch_assoc()), " columns at the end\n";
});
class AtTheEnd
{
    public function __construct(private mysqli $db, private string $sql)
    {
    }
    public function __destruct()
    {
        echo count($this->db->query($this->sql)->fetch_assoc()), " columns in a destructor\n";
    }
}
$GLOBALS['end'] = new AtTheEnd($db, $sql);
if (isset($_GET['fatal'])) {
    ini_set('display_errors', '0');
    ini_set('memory_limit', '16M');
    for ($more = [];; $more[] = str_repeat('x', 10_000)) {
        $more[] = $db->query($sql)->fetch_assoc();
    }
}
PHP);
foreach (['name=a', 'name=b', 'name=cc', 'name=a&fatal=1', 'name=a', 'name=dd'] as $query) {
    $answer = $server->get($query);
    // What is still told of a request that ends so depends on settings of PHP's.
    echo str_contains($query, 'fatal') ? "ended\n" : preg_replace('#HTTP/\d\.\d#', 'HTTP', $answer);
}
?>
--EXPECT--
HTTP 200 OK
[[{"ca1":1,"cb1":null,"cc1":"three","cd1":4},{"ca1":5,"cb1":"six","cc1":"7","cd1":null}]]
4 columns at the end
4 columns in a destructor
HTTP 200 OK
[[{"ca1":1,"cb1":null,"cc1":"three","cd1":4},{"ca1":5,"cb1":"six","cc1":"7","cd1":null}]]
4 columns at the end
4 columns in a destructor
HTTP 200 OK
[[{"ca2":1,"cb2":null,"cc2":"three","cd2":4},{"ca2":5,"cb2":"six","cc2":"7","cd2":null}]]
4 columns at the end
4 columns in a destructor
ended
HTTP 200 OK
[[{"ca1":1,"cb1":null,"cc1":"three","cd1":4},{"ca1":5,"cb1":"six","cc1":"7","cd1":null}]]
4 columns at the end
4 columns in a destructor
HTTP 200 OK
[[{"ca2":1,"cb2":null,"cc2":"three","cd2":4},{"ca2":5,"cb2":"six","cc2":"7","cd2":null}]]
4 columns at the end
4 columns in a destructor
