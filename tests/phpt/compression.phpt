--TEST--
vaquita.compression says how to compress where MYSQLI_CLIENT_COMPRESS asks for it
--FILE--
<?php
// servers: mysql80
// without mysql56: its status does not tell by what it compresses
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
?>
--EXPECT--
"zlib"
["Compression" => "OFF", "Compression_algorithm" => "", "Compression_level" => "0", "sent" => false]
["Compression" => "ON", "Compression_algorithm" => "zlib", "Compression_level" => "6", "sent" => true]
"zstd" | "zlib" | "zstd"
"zstd,zlib" | "zstd" | "zstd"
"zlib,zstd" | "zstd,zlib" | "zlib"
"OFF"
