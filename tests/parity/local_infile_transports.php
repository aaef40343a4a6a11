<?php
// LOCAL INFILE by every way to the server: what arrives in the table is what the file has, whatever it goes through.
// servers: mariadb mysql80
// transports: tcp unix zlib tls tls-zlib
// places: mysql80-zstd
// ini: mysqli.allow_local_infile=1
require 'support/prelude.php';

$file = sys_get_temp_dir() . '/' . server('DATABASE');
$db = connect();
check_transport($db);
$db->query('CREATE TABLE t (id INT, a BLOB) ENGINE=MyISAM');
$random = new Random\Engine\Mt19937(3);
$noise = fn(int $length) => implode('', array_map(fn() => $random->generate(), range(1, $length)));
// Some that compression makes small, some that it does not.
$contents = ['no rows' => [], 'one short row' => ['x'], 'text' => array_fill(0, 10_000, str_repeat('much of the same ', 6)), 'noise' => array_map(fn() => bin2hex($noise(24)), range(1, 5_000)),
    'long rows' => [str_repeat('y', 60_000), bin2hex($noise(7_000)), str_repeat('z', 65_535)]];
foreach ($contents as $name => $rows) {
    section($name);
    file_put_contents($file, implode('', array_map(fn($id, $row) => "$id\t$row\n", array_keys($rows), $rows)));
    $db->query('TRUNCATE t');
    show($db->query("LOAD DATA LOCAL INFILE '$file' INTO TABLE t"));
    show_status($db);
    foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
        $loaded = array_column($db->query('SELECT id, a FROM t ORDER BY id', $mode)->fetch_all(), 1);
        show(count($loaded), md5(serialize($loaded)), $loaded === $rows);
    }
}
section('a file that is not there');
unlink($file);
attempt('query', fn() => $db->query("LOAD DATA LOCAL INFILE '$file' INTO TABLE t") ? 'done' : 'not done');
show($db->query('SELECT COUNT(*) FROM t')->fetch_row());
