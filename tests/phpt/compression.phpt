--TEST--
vaquita.compression says how to compress where MYSQLI_CLIENT_COMPRESS asks for it, and takes no value that it does not know
--FILE--
<?php
// servers: mysql80
// transports: tcp
require 'support/prelude.php';
/** How the server says that it compresses for us. */
function compression(int $flags): array
{
    $link = mysqli_init();
    $link->real_connect(...address(), flags: $flags);
    $link->query("SELECT REPEAT('x', 100000)")->fetch_row();
    $status = $link->query("SHOW SESSION STATUS WHERE Variable_name IN ('Compression', 'Compression_algorithm', 'Compression_level')");
    return array_column($status->fetch_all(), 1, 0) + ['sent' => (int) $link->query("SHOW SESSION STATUS LIKE 'Bytes_sent'")->fetch_row()[1] < 50_000];
}
show(ini_get('vaquita.compression'));
show(compression(0));
show(compression(MYSQLI_CLIENT_COMPRESS));
foreach (["zstd", "zstd,zlib", "zlib,zstd"] as $list) {
    show($list, ini_set('vaquita.compression', $list), compression(MYSQLI_CLIENT_COMPRESS)['Compression_algorithm']);
}
show(compression(0)['Compression']);
foreach (['', 'lz4', 'zlib,lz4', 'zlib,zlib', '1', 'zlib '] as $list) {
    show($list, ini_set('vaquita.compression', $list), ini_get('vaquita.compression'));
}
child('show(ini_get("vaquita.compression"));', ['vaquita.compression' => 'off']);
?>
--EXPECT--
"zlib"
["Compression" => "OFF", "Compression_algorithm" => "", "Compression_level" => "0", "sent" => false]
["Compression" => "ON", "Compression_algorithm" => "zlib", "Compression_level" => "6", "sent" => true]
"zstd" | "zlib" | "zstd"
"zstd,zlib" | "zstd" | "zstd"
"zlib,zstd" | "zstd,zlib" | "zlib"
"OFF"
"" | false | "zlib,zstd"
"lz4" | false | "zlib,zstd"
"zlib,lz4" | false | "zlib,zstd"
"zlib,zlib" | false | "zlib,zstd"
"1" | false | "zlib,zstd"
"zlib " | false | "zlib,zstd"
"zlib"

  exit code 0
