--TEST--
Settings of vaquita.kv: what they take, and what a connection has of them; Vaquita\kv() takes links to MySQL
--FILE--
<?php
require 'support/prelude.php';
section('settings');
foreach (['vaquita.kv' => ['maybe', 'advise', 'on'], 'vaquita.kv_address' => ['localhost', 'localhost:0', '[::1]:9998', '/tmp/x.sock', '127.0.0.1:1'], 'vaquita.kv_tables' => ['t', 'a.b, c.d', 'é.t', ''], 'vaquita.kv_max_stale_ms' => ['-1', '50']] as $name => $values) {
    foreach ($values as $value) {
        show($value, ini_set($name, $value), ini_get($name));
    }
}
section('a port that is not there');
$link = connect();
for ($i = 0; $i < 4; $i++) {
    show($link->query("SELECT 'a' AS a FROM (SELECT 1) AS t WHERE 'a' = 'a'")->fetch_row());
}
show(Vaquita\kv($link)->statistics()['mode'], Vaquita\kv($link)->mapping(), Vaquita\kv($link)->refresh());
section('off');
ini_set('vaquita.kv', 'off');
show(Vaquita\kv($link)->statistics()['mode'], Vaquita\kv(connect())->statistics());
section('what is no link');
attempt('closed', function () use ($link) {
    $link->close();
    Vaquita\kv($link);
});
attempt('a statement', fn() => Vaquita\kv(connect()->prepare('SELECT 1')));
attempt('made', fn() => new Vaquita\Kv());
attempt('cloned', fn() => clone Vaquita\kv(connect()));
?>
--EXPECT--
=== settings
  Warning: ini_set(): vaquita.kv stays off: it must be off or on or advise or 0 or 1, not maybe
"maybe" | false | "off"
"advise" | "off" | "advise"
"on" | "advise" | "on"
  Warning: ini_set(): vaquita.kv_address stays empty: it must be host:port, [IPv6]:port or the path of a socket, not localhost
"localhost" | false | ""
  Warning: ini_set(): vaquita.kv_address stays empty: it must be host:port, [IPv6]:port or the path of a socket, not localhost:0
"localhost:0" | false | ""
"[::1]:9998" | "" | "[::1]:9998"
"/tmp/x.sock" | "[::1]:9998" | "/tmp/x.sock"
"127.0.0.1:1" | "/tmp/x.sock" | "127.0.0.1:1"
  Warning: ini_set(): vaquita.kv_tables stays empty: it must be a list of tables, each as database.table, not t
"t" | false | ""
"a.b, c.d" | "" | "a.b, c.d"
  Warning: ini_set(): vaquita.kv_tables stays a.b, c.d: it must be a list of tables, each as database.table, not é.t
"\303\251.t" | false | "a.b, c.d"
"" | "a.b, c.d" | ""
  Warning: ini_set(): vaquita.kv_max_stale_ms stays 1000: it must be a whole number, 0 or more, not -1
"-1" | false | "1000"
"50" | "1000" | "50"
=== a port that is not there
["a"]
["a"]
["a"]
["a"]
"on" | "" | null
=== off
"on" | ["mode" => "off"]
=== what is no link
closed: thrown Error(0): mysqli object is already closed
a statement: thrown TypeError(0): Vaquita\kv(): Argument #1 ($link) must be of type mysqli|PDO, mysqli_stmt given
made: thrown Error(0): Call to private Vaquita\Kv::__construct() from global scope
cloned: thrown Error(0): Trying to clone an uncloneable object of class Vaquita\Kv
