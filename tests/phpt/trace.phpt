--TEST--
vaquita.trace writes a line for each wait, of all connections or of one, without what is secret
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix tls
require 'support/prelude.php';
require 'support/trace.php';

$folder = sys_get_temp_dir() . '/trace-' . bin2hex(random_bytes(6));
mkdir($folder, 0700);

/** Runs a script that is traced, and gives the trace. */
function traced(string $script, array $settings = []): string
{
    global $folder;
    $file = "$folder/" . bin2hex(random_bytes(6));
    child($script, $settings + ['vaquita.trace' => $file]);
    $text = is_file($file) ? file_get_contents($file) : '';
    show(is_file($file) ? decoct(fileperms($file) & 0777) : 'no file');
    return $text;
}

section('all of a request');
$text = traced('
    $db = connect();
    $db->query("SELECT 1, \'secret\', x\'5E\', 2.5 FROM (SELECT 3 AS `back``tick`) AS t WHERE 4 IN (1, 2, 4) -- secret
        ")->fetch_all();
    try { $db->query("nonsense \'secret"); } catch (mysqli_sql_exception) {}
    $statement = $db->prepare("SELECT ? + 5");
    $statement->execute([17]);
    $statement->get_result();
    $db->stat();
    $db->close();
');
show_trace($text, 'first_byte', 'auth', 'request', 'end');
$lines = trace_lines($text);
$events = array_count_values(array_column($lines, 'event'));
show(isset($events['tls']) === (server('TRANSPORT') === 'tls'), $events['connect'], $events['auth'], $events['request'], str_contains($text, 'secret'));
$request = end($lines);
$waits = array_filter($lines, fn($line) => !in_array($line['event'], ['end', 'request'], true));
show((int) $request['waits'] === count($waits), (int) $request['waits_us'] <= (int) $request['us'], (int) $request['connecting_us'] <= (int) $request['waits_us']);
$write = array_values(array_filter($lines, fn($line) => $line['event'] === 'write' && $line['command'] === 'statistics'))[0];
show($write['bytes'], $write['packets']);

section('rows that come late, procedures, a database that is not there');
show_trace(traced('
    $db = connect();
    require "support/trace.php";
    $db->query("SELECT REPEAT(\'x\', 300000) UNION ALL SELECT SLEEP(0.05) UNION ALL SELECT REPEAT(\'y\', 900000)")->fetch_all();
    $lines = trace_lines(file_get_contents(ini_get("vaquita.trace")));
    $late = array_filter($lines, fn($line) => $line["event"] === "more_rows" && $line["us"] > 40000);
    // MySQL 5.6 sends nothing of a UNION before it has all.
    show(count($late) > 0 || on("mysql56"), str_contains(end($late)["sql"] ?? (on("mysql56") ? "REPEAT(?, ?)" : ""), "REPEAT(?, ?)"));
    try { $db->select_db("secret_place"); } catch (mysqli_sql_exception $e) { show($e->getCode() > 0); }
'), 'auth');

section('passwords');
$text = traced('
    try { connect(username: "nobody", password: "secret1"); } catch (mysqli_sql_exception) {}
    $db = connect();
    foreach (["SET PASSWORD FOR nobody@nowhere = PASSWORD(\'secret3\')", "CREATE USER \'a\'@\'secret4\' IDENTIFIED BY \"secret5\" REQUIRE",
        "ALTER USER nobody@nowhere IDENTIFIED BY \'secret6\'", "/*! SET @x = \'secret7\' */ nonsense", "SELECT \'secret8", "SELECT `t`.`x` /* secret9 */ FROM `t", "do \"secret10\""] as $sql) {
        try { $db->query($sql); } catch (mysqli_sql_exception) {}
    }
    try { new PDO(data_source() . ";dbname=x", "nobody", "secret11"); } catch (PDOException) {}
', ['vaquita.trace_literals' => '0']);
show_trace($text, 'auth', 'first_byte');
show(preg_match_all('/secret\d+/', $text, $found), $found[0]);

$text = traced('
    $db = connect();
    try { $db->change_user("nobody", "secret2", ""); } catch (mysqli_sql_exception) {}
');
$replies = array_filter(trace_lines($text), fn($line) => $line['event'] === 'first_byte' && $line['command'] === 'change_user');
show(end($replies)['failed'] ?? null, str_contains($text, 'secret'));

section('with literals');
$text = traced('
    $db = connect();
    $db->query("SELECT 1, \'shown\nas \e[1m it is\'");
    try { $db->query("SET PASSWORD FOR nobody@nowhere = PASSWORD(\'secret\')"); } catch (mysqli_sql_exception) {}
', ['vaquita.trace_literals' => '1']);
show_trace($text, 'first_byte');
show(str_contains($text, 'secret'), str_contains($text, "\e"));

section('of one connection');
$db = connect();
$other = connect_pdo();
[$one, $two] = ["$folder/one", "$folder/two"];
show(Vaquita\trace($db, $one), Vaquita\trace($other, $two), decoct(fileperms($one) & 0777));
$db->query('SELECT 1');
$other->query('SELECT 2')->fetchAll();
show(Vaquita\trace($db, null));
$db->query('SELECT 3');
unset($other);
foreach ([$one, $two] as $file) {
    show_trace(file_get_contents($file));
}
attempt('a path', fn() => Vaquita\trace($db, "a\0b"));
chdir($folder);
attempt('no folder', fn() => Vaquita\trace($db, 'none/x'));
symlink($one, "$folder/link");
attempt('a link', fn() => Vaquita\trace($db, 'link'));
touch("$folder/open");
chmod("$folder/open", 0644);
attempt('open to all', fn() => Vaquita\trace($db, 'open'));
attempt('a folder', fn() => Vaquita\trace($db, '.'));
attempt('a device', fn() => Vaquita\trace($db, '/dev/full'));
child("\$db = connect(); ini_set('open_basedir', get_include_path()); set_error_handler(fn(\$level, \$text) => show(str_contains(\$text, 'open_basedir restriction'))); show(Vaquita\\trace(\$db, '$folder/outside'));");
show(is_file("$folder/outside"));
$closed = connect();
$closed->close();
attempt('closed', fn() => Vaquita\trace($closed, $one));

array_map(unlink(...), glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
=== all of a request

  exit code 0
"600"
  auth
  first_byte query SELECT ?, ?, ?, ? FROM (SELECT ? AS `back``tick`) AS t WHERE ? IN (?, ...)
  first_byte query failed NONSENSE
  first_byte stmt_prepare SELECT ? + ?
  first_byte stmt_execute SELECT ? + ?
  first_byte statistics
  end
  request
true | 1 | 1 | 1 | false
true | true | true
"5" | "1"
=== rows that come late, procedures, a database that is not there
true | true
true

  exit code 0
"600"
  auth
=== passwords

  exit code 0
"600"
  auth failed
  auth
  first_byte query failed SET PASSWORD FOR nobody @nowhere = PASSWORD(?)
  first_byte query failed CREATE USER ?@? IDENTIFIED BY ? REQUIRE
  first_byte query failed ALTER USER nobody @nowhere IDENTIFIED BY ?
  first_byte query failed SET
  first_byte query failed SELECT
  first_byte query failed SELECT
  first_byte query do ?
  auth failed
0 | []

  exit code 0
"600"
"1" | false
=== with literals

  exit code 0
"600"
  first_byte query SELECT 1, 'shown\nas \x1b[1m it is'
  first_byte query failed SET PASSWORD FOR nobody @nowhere = PASSWORD(?)
false | false
=== of one connection
true | true | "600"
true
  write query SELECT ?
  first_byte query SELECT ?
  write query SELECT ?
  first_byte query SELECT ?
  write quit
  end
a path: thrown ValueError(0): Vaquita\trace(): Argument #2 ($path) must not contain any null bytes
  Warning: Vaquita\trace(): none/x can't be opened for a trace: No such file or directory
no folder: false
  Warning: Vaquita\trace(): link can't be opened for a trace: it is a symbolic link
a link: false
  Warning: Vaquita\trace(): open can't be opened for a trace: others have permissions to it (0644), it has to be 0600
open to all: false
  Warning: Vaquita\trace(): . can't be opened for a trace: it is no regular file
a folder: false
  Warning: Vaquita\trace(): /dev/full can't be opened for a trace: it is no regular file
a device: false
true
false

  exit code 0
false
closed: thrown Error(0): mysqli object is already closed

