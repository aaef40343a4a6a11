<?php
// LOAD DATA LOCAL INFILE and LOAD XML LOCAL INFILE: when a file is given away, which one, and what is said if not.
// places: mariadb-unix mysql80-tcp
// ini: mysqli.allow_local_infile=1
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$folder = sys_get_temp_dir() . sprintf('/vaquita-infile-%010d', getmypid()); // servers cut statements in their texts: always of one length
mkdir("$folder/inside/deeper", recursive: true);
mkdir("$folder/outside");
mkdir("$folder/inside2");
register_shutdown_function(function () use ($folder) {
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS), RecursiveIteratorIterator::CHILD_FIRST) as $entry) {
        $entry->isDir() && !$entry->isLink() ? rmdir($entry) : unlink($entry);
    }
    rmdir($folder);
});
$files = ['inside/a.csv' => "1,one\n2,two\n", 'inside/deeper/b.csv' => "3,three\n", 'outside/c.csv' => "4,four\n", 'inside2/d.csv' => "5,five\n", 'inside/empty.csv' => '',
    "inside/it's.csv" => "6,quote\n", 'inside/back\\slash.csv' => "7,backslash\n", "inside/caf\u{e9}.csv" => "8,utf8\n", "inside/caf\xe9.csv" => "9,latin1\n", 'inside/rows.xml' => '<list><row id="10" name="ten"/><row><id>11</id><name>eleven</name></row></list>'];
foreach ($files as $name => $content) {
    file_put_contents("$folder/$name", $content);
}
symlink("$folder/outside/c.csv", "$folder/inside/link.csv");
symlink("$folder/inside/a.csv", "$folder/outside/back.csv");
symlink("$folder/inside", "$folder/way");
$hide = fn(?string $text) => str_replace($folder, 'FOLDER', (string) $text);
ob_start($hide, 1);

/** Sets up a table, loads, and tells what came of it. */
$load = function (mysqli $link, string $label, string $statement) use ($folder) {
    $link->query('CREATE TEMPORARY TABLE IF NOT EXISTS t (id INT PRIMARY KEY, name VARCHAR(30))');
    $link->query('DELETE FROM t');
    attempt($label, fn() => $link->query(str_replace('FOLDER', $folder, $statement)));
    echo '  error: ';
    show($link->errno, $link->sqlstate, $link->error);
    show_status($link);
    $result = $link->query('SELECT * FROM t ORDER BY id');
    echo '  rows: ';
    $result ? show($result->fetch_all()) : show_error($link);
};
$into = "INTO TABLE t FIELDS TERMINATED BY ','";

section('allowed');
$link = connect();
$load($link, 'plain', "LOAD DATA LOCAL INFILE 'FOLDER/inside/a.csv' $into");
$load($link, 'lower case and comments', "load /* x */ data local -- y\n infile 'FOLDER/inside/a.csv' $into");
$load($link, 'double quotes', "LOAD DATA LOCAL INFILE \"FOLDER/inside/a.csv\" $into");
$load($link, 'low priority', "LOAD DATA LOW_PRIORITY LOCAL INFILE 'FOLDER/inside/a.csv' $into");
$load($link, 'concurrent', "LOAD DATA CONCURRENT LOCAL INFILE 'FOLDER/inside/a.csv' REPLACE $into");
$load($link, 'executable comment', "/*!40000 LOAD DATA LOCAL INFILE 'FOLDER/inside/a.csv' $into */");
$load($link, 'two pieces of a string', "LOAD DATA LOCAL INFILE 'FOLDER/inside' '/a.csv' $into");
$load($link, 'doubled quote', "LOAD DATA LOCAL INFILE 'FOLDER/inside/it''s.csv' $into");
$load($link, 'escaped quote', "LOAD DATA LOCAL INFILE 'FOLDER/inside/it\\'s.csv' $into");
$load($link, 'escaped letters', "LOAD DATA LOCAL INFILE 'FOLDER/\\inside/\\a.csv' $into");
$load($link, 'escaped backslash', "LOAD DATA LOCAL INFILE 'FOLDER/inside/back\\\\slash.csv' $into");
$load($link, 'hexadecimal', "LOAD DATA LOCAL INFILE 0x612e637376 $into");
$load($link, 'introducer', "LOAD DATA LOCAL INFILE _latin1'FOLDER/inside/a.csv' $into");
$load($link, 'national', "LOAD DATA LOCAL INFILE N'FOLDER/inside/a.csv' $into");
$load($link, 'a link', "LOAD DATA LOCAL INFILE 'FOLDER/inside/link.csv' $into");
$load($link, 'empty file', "LOAD DATA LOCAL INFILE 'FOLDER/inside/empty.csv' $into");
$load($link, 'xml', "LOAD XML LOCAL INFILE 'FOLDER/inside/rows.xml' INTO TABLE t");
$load($link, 'xml with rows identified', "LOAD XML CONCURRENT LOCAL INFILE 'FOLDER/inside/rows.xml' INTO TABLE t ROWS IDENTIFIED BY '<row>'");
$load($link, 'no such file', "LOAD DATA LOCAL INFILE 'FOLDER/inside/none.csv' $into");
$load($link, 'no such file, long name', "LOAD DATA LOCAL INFILE '/no/" . str_repeat('long/', 60) . "none.csv' $into");
$load($link, 'no such table', "LOAD DATA LOCAL INFILE 'FOLDER/inside/a.csv' INTO TABLE no_such_table");
$load($link, 'not local', "LOAD DATA INFILE 'FOLDER/inside/a.csv' INTO TABLE no_such_table");
$load($link, 'columns and set', "LOAD DATA LOCAL INFILE 'FOLDER/inside/a.csv' $into (@a, @b) SET id = @a + 100, name = UPPER(@b)");
$load($link, 'ignored lines', "LOAD DATA LOCAL INFILE 'FOLDER/inside/a.csv' $into IGNORE 1 LINES");
$load($link, 'warnings', "LOAD DATA LOCAL INFILE 'FOLDER/inside/a.csv' $into (name, id)");
$load($link, 'doubles', "LOAD DATA LOCAL INFILE 'FOLDER/inside/a.csv' $into (@a, name) SET id = 1");
$load($link, 'doubles replaced', "LOAD DATA LOCAL INFILE 'FOLDER/inside/a.csv' REPLACE $into (@a, name) SET id = 1");

section('relative names');
chdir("$folder/inside");
$load($link, 'in the folder', "LOAD DATA LOCAL INFILE 'a.csv' $into");
$load($link, 'by dot', "LOAD DATA LOCAL INFILE './deeper/../a.csv' $into");
chdir('/');
$load($link, 'gone', "LOAD DATA LOCAL INFILE 'a.csv' $into");

section('sql_mode');
$link->query("SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
$load($link, 'backslash', "LOAD DATA LOCAL INFILE 'FOLDER/inside/back\\slash.csv' $into");
$link->query("SET sql_mode = 'ANSI_QUOTES'");
$load($link, 'double quotes', "LOAD DATA LOCAL INFILE \"FOLDER/inside/a.csv\" $into");
$load($link, 'single quotes', "LOAD DATA LOCAL INFILE 'FOLDER/inside/it\\'s.csv' $into");
$link->query("SET sql_mode = ''");

section('character sets');
foreach (['utf8mb4', 'latin1'] as $charset) {
    $link->set_charset($charset);
    $load($link, "$charset, utf8 name", "LOAD DATA LOCAL INFILE 'FOLDER/inside/caf\u{e9}.csv' $into");
    $load($link, "$charset, latin1 name", "LOAD DATA LOCAL INFILE 'FOLDER/inside/caf\xe9.csv' $into");
}
section('a name that the server converts');
$link->query('SET character_set_filesystem = latin1');
$link->set_charset('utf8mb4');
$load($link, 'filesystem latin1, utf8 name', "LOAD DATA LOCAL INFILE 'FOLDER/inside/caf\u{e9}.csv' $into");
$link->query('SET character_set_filesystem = binary');

section('several statements');
$link->query('DELETE FROM t');
$results = function (mysqli $link) {
    do {
        $result = $link->store_result();
        show($link->errno, $link->error, $link->affected_rows, $link->info, $result ? $result->fetch_all() : $result, $link->more_results());
    } while ($link->more_results() && $link->next_result());
    show_error($link);
};
$load_a = "LOAD DATA LOCAL INFILE '$folder/inside/a.csv' $into";
$load_b = "LOAD DATA LOCAL INFILE '$folder/inside/deeper/b.csv' $into";
show($link->multi_query($load_a));
$results($link);
$link->query('DELETE FROM t');
show($link->multi_query("SELECT 1; $load_a"));
$results($link);
attempt('and then', fn() => $link->query('SELECT * FROM t')->fetch_all());

section('real_query');
$link->query('DELETE FROM t');
show($link->real_query($load_a), $link->affected_rows, $link->info, $link->store_result(), $link->use_result(), $link->query('SELECT * FROM t')->fetch_all());
show($link->query("LOAD DATA LOCAL INFILE '$folder/inside/deeper/b.csv' $into", MYSQLI_USE_RESULT), $link->affected_rows);

section('no name');
$load($link, 'empty name', "LOAD DATA LOCAL INFILE '' $into");
section('what only a stream wrapper opens');
$load($link, 'data', "LOAD DATA LOCAL INFILE 'data:text/plain,7' $into");
section('a folder in place of a file');
$load($link, 'folder', "LOAD DATA LOCAL INFILE 'FOLDER/inside' $into");

section('larger than one packet');
file_put_contents("$folder/inside/large.csv", implode('', array_map(fn($i) => "$i," . str_repeat(chr(97 + $i % 26), $i % 30) . "\n", range(1, 40_000))));
$link->query('DELETE FROM t');
show($link->query("LOAD DATA LOCAL INFILE '$folder/inside/large.csv' $into"), $link->info, $link->query('SELECT COUNT(*), SUM(id), SUM(LENGTH(name)) FROM t')->fetch_row());
foreach ([4092, 16384, 65536, 0xffffff, 0x1000000] as $size) {
    file_put_contents("$folder/inside/sized.csv", str_repeat('x', $size));
    $link->query('CREATE TEMPORARY TABLE u (a LONGTEXT)');
    show($size, $link->query("LOAD DATA LOCAL INFILE '$folder/inside/sized.csv' INTO TABLE u"), $link->info, $link->query('SELECT COUNT(*), SUM(LENGTH(a)) FROM u')->fetch_row());
    $link->query('DROP TABLE u');
}

section('the option wins over the setting');
foreach ([0, 1, 2, -1, '0', '1', null, false, true] as $value) {
    $link = connect();
    show($value, $link->options(MYSQLI_OPT_LOCAL_INFILE, $value));
    $load($link, 'set afterwards', $load_a);
}
foreach ([0, 1] as $value) {
    $link = mysqli_init();
    show($link->options(MYSQLI_OPT_LOCAL_INFILE, $value), $link->real_connect(...address()));
    $load($link, "set to $value before", $load_a);
}

section('a folder by option');
foreach ([[0, "$folder/inside"], [0, "$folder/inside/"], [0, "$folder/way"], [0, "$folder/inside/../inside"], [0, ''], [0, '/'], [0, "$folder/inside/deeper"], [1, "$folder/inside"], [1, '']] as [$allow, $directory]) {
    $link = connect();
    echo "--- $allow $directory ", text([$link->options(MYSQLI_OPT_LOCAL_INFILE, $allow), $link->options(MYSQLI_OPT_LOAD_DATA_LOCAL_DIR, $directory)]), "\n";
    $load($link, 'inside', $load_a);
    $load($link, 'deeper', $load_b);
    $load($link, 'outside', "LOAD DATA LOCAL INFILE 'FOLDER/outside/c.csv' $into");
    $load($link, 'similar name', "LOAD DATA LOCAL INFILE 'FOLDER/inside2/d.csv' $into");
    $load($link, 'by dots', "LOAD DATA LOCAL INFILE 'FOLDER/inside/../outside/c.csv' $into");
    $load($link, 'link out', "LOAD DATA LOCAL INFILE 'FOLDER/inside/link.csv' $into");
    $load($link, 'link in', "LOAD DATA LOCAL INFILE 'FOLDER/outside/back.csv' $into");
    $load($link, 'missing', "LOAD DATA LOCAL INFILE 'FOLDER/inside/none.csv' $into");
    $load($link, 'missing outside', "LOAD DATA LOCAL INFILE 'FOLDER/outside/none.csv' $into");
}
foreach ([[0, "$folder/in"], [0, "$folder/inside/a.csv"], [1, "$folder/in"]] as [$allow, $directory]) {
    section("allow $allow, and a folder that can't be opened: " . basename($directory));
    $link = connect();
    $link->options(MYSQLI_OPT_LOCAL_INFILE, $allow);
    $link->options(MYSQLI_OPT_LOAD_DATA_LOCAL_DIR, $directory);
    $load($link, 'inside', $load_a);
}
section('a folder that changes');
$link = connect();
$link->options(MYSQLI_OPT_LOCAL_INFILE, 0);
$link->options(MYSQLI_OPT_LOAD_DATA_LOCAL_DIR, "$folder/inside");
$link->options(MYSQLI_OPT_LOAD_DATA_LOCAL_DIR, "$folder/outside");
$load($link, 'changed', $load_a);
$link->options(MYSQLI_OPT_LOAD_DATA_LOCAL_DIR, '');
$load($link, 'taken back', $load_a);
chdir($folder);
$link->options(MYSQLI_OPT_LOAD_DATA_LOCAL_DIR, 'inside');
$load($link, 'relative folder', $load_a);
$load($link, 'relative folder and name', "LOAD DATA LOCAL INFILE 'inside/a.csv' $into");
$link->options(MYSQLI_OPT_LOAD_DATA_LOCAL_DIR, '.');
$load($link, 'dot', $load_a);
$load($link, 'dot and name', "LOAD DATA LOCAL INFILE 'outside/c.csv' $into");
chdir("$folder/outside");
$load($link, 'dot elsewhere', $load_a);
chdir('/');

section('settings');
$tell = '$into = "INTO TABLE t FIELDS TERMINATED BY \',\'"; mysqli_report(MYSQLI_REPORT_OFF);
    function load($link, $file) { global $into; $link->query("CREATE TEMPORARY TABLE IF NOT EXISTS t (id INT, name VARCHAR(30))");
        show($link->query("LOAD DATA LOCAL INFILE \'' . $folder . '/$file\' $into"), $link->errno, $link->error, $link->query("SELECT COUNT(*) FROM t")->fetch_row()); }
    foreach (["mysqli.allow_local_infile", "mysqli.local_infile_directory"] as $name) { show($name, ini_get($name), ini_set($name, "1")); } ';
foreach ([['0', ''], ['1', ''], ['0', "$folder/inside"], ['1', "$folder/inside"]] as [$allow, $directory]) {
    echo "--- allow $allow, directory ", $directory, "\n";
    child($tell . '$link = connect(); foreach (["inside/a.csv", "outside/c.csv"] as $file) load($link, $file);
        echo "before\n"; foreach ([0, 1] as $value) { $link = mysqli_init(); $link->options(MYSQLI_OPT_LOCAL_INFILE, $value); $link->real_connect(...address()); load($link, "outside/c.csv"); }
        echo "directory before\n"; $link = mysqli_init(); $link->options(MYSQLI_OPT_LOAD_DATA_LOCAL_DIR, "' . $folder . '/outside"); $link->real_connect(...address()); load($link, "outside/c.csv"); load($link, "inside/a.csv");
        echo "after\n"; $link->options(MYSQLI_OPT_LOCAL_INFILE, 1); load($link, "outside/c.csv");',
        ['mysqli.allow_local_infile' => $allow, 'mysqli.local_infile_directory' => $directory]);
}
foreach (['0', '1'] as $allow) {
    section("the setting's folder is not there, allow $allow");
    child($tell . '$link = connect(); load($link, "inside/a.csv");', ['mysqli.allow_local_infile' => $allow, 'mysqli.local_infile_directory' => "$folder/none"]);
}
section('open_basedir');
foreach ([['1', '', "$folder/inside"], ['0', "$folder/inside", "$folder/inside"], ['0', "$folder/inside", "$folder/outside"], ['1', '', "$folder/outside"]] as [$allow, $directory, $basedir]) {
    echo "--- allow $allow, directory ", $directory, ', basedir ', $basedir, "\n";
    child($tell . '$link = connect(); foreach (["inside/a.csv", "outside/c.csv", "inside/link.csv"] as $file) load($link, $file);',
        ['mysqli.allow_local_infile' => $allow, 'mysqli.local_infile_directory' => $directory, 'open_basedir' => "$basedir:" . get_include_path() . ':' . sys_get_temp_dir() . '/vaquita']);
}
