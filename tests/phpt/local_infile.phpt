--TEST--
LOCAL INFILE: several statements, and requests and files that are refused where stock would go on
--FILE--
<?php
// servers: mariadb mysql80
// ini: mysqli.allow_local_infile=1
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$folder = sys_get_temp_dir() . '/vaquita-local-infile-' . getmypid();
mkdir($folder);
file_put_contents("$folder/a", "1\n2\n");
file_put_contents("$folder/b", "3\n");
shell_exec('mkfifo ' . escapeshellarg("$folder/pipe"));
symlink('/dev/zero', "$folder/zero");
register_shutdown_function(function () use ($folder) {
    array_map(unlink(...), glob("$folder/*"));
    rmdir($folder);
});
$db = connect();
$db->query('CREATE TEMPORARY TABLE t (id INT)');
$load = fn(string $name) => "LOAD DATA LOCAL INFILE '$folder/$name' INTO TABLE t";
$tell = fn() => print(str_replace($folder, 'FOLDER', text([$db->affected_rows, $db->errno, $db->error])) . "\n");

section('several statements');
$db->multi_query($load('a') . '; SELECT 5; ' . $load('none') . '; ' . $load('b') . '; SELECT COUNT(*) FROM t');
do {
    $tell();
    if ($result = $db->store_result()) {
        show($result->fetch_all());
    }
} while ($db->more_results() && ($db->next_result() || $db->errno));
show($db->query('DO 1'));

section('no plain files');
foreach (['pipe', 'zero', '', 'a\0b', '../../../../../../../../dev/zero'] as $name) {
    show($name, $db->query($load($name)));
    $tell();
}

section('a prepared statement');
// MySQL prepares no such statement; on MariaDB it is the EXECUTE that has no name.
$db->query('PREPARE loading FROM "' . $load('a') . '"');
show($db->query('EXECUTE loading'), in_array($db->errno, [2068, 1243]), $db->query('SELECT COUNT(*) FROM t')->fetch_row());

section('an error and an exception');
mysqli_report(MYSQLI_REPORT_ERROR);
show($db->query("LOAD DATA LOCAL INFILE 'none' INTO TABLE t"));
mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
attempt('strict', fn() => $db->query("LOAD DATA LOCAL INFILE 'none' INTO TABLE t"));
show($db->query('SELECT COUNT(*) FROM t')->fetch_row());
?>
--EXPECT--
=== several statements
[2, 0, ""]
[-1, 0, ""]
[["5"]]
[0, 7890, "Can't find file 'FOLDER/none'."]
[1, 0, ""]
[-1, 0, ""]
[["3"]]
true
=== no plain files
"pipe" | false
[0, 2000, "Error reading file: only plain files are sent"]
"zero" | false
[0, 2000, "Error reading file: only plain files are sent"]
"" | false
[0, 2000, "Error reading file: only plain files are sent"]
"a\\0b" | false
[0, 2068, "LOAD DATA LOCAL INFILE is forbidden: the statement does not name the file that the server asked for"]
"../../../../../../../../dev/zero" | false
[0, 2000, "Error reading file: only plain files are sent"]
=== a prepared statement
false | true | ["3"]
=== an error and an exception
  Warning: mysqli::query(): (HY000/7890): Can't find file 'none'.
false
strict: thrown mysqli_sql_exception(7890) [HY000]: Can't find file 'none'.
["3"]
