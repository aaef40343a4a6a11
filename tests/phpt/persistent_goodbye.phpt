--TEST--
PHP says goodbye on its idle persistent connections when it ends
--FILE--
<?php
// places: mariadb-tcp
require 'support/prelude.php';
// What the client sends goes through here.
$relay = stream_socket_server('tcp://127.0.0.1:0');
$address = ['p:127.0.0.1', server('USER'), server('PASSWORD'), '', (int) explode(':', stream_socket_get_name($relay, false))[1]];
$script = tempnam(sys_get_temp_dir(), 'vaquita');
file_put_contents($script, '<?php $db = new mysqli(...' . var_export($address, true) . '); $db->close(); $db = new mysqli(...' . var_export($address, true) . '); unset($db); echo json_encode(mysqli_get_links_stats());');
$process = proc_open([PHP_BINARY, $script], [1 => ['pipe', 'w']], $pipes);
$client = stream_socket_accept($relay);
$server = stream_socket_client('tcp://' . server('HOST') . ':' . server('PORT'));
$packets = [];
while (true) {
    $ready = [$client, $server];
    $none = null;
    stream_select($ready, $none, $none, null);
    foreach ($ready as $from) {
        $bytes = fread($from, 65536);
        if ($bytes === '' || $bytes === false) {
            break 2;
        }
        fwrite($from === $client ? $server : $client, $bytes);
        if ($from === $client) {
            $packets[] = $bytes;
        }
    }
}
echo stream_get_contents($pipes[1]), "\n";
proc_close($process);
unlink($script);
show(array_map(fn($packet) => ord($packet[4]), array_slice($packets, 1, -1)), end($packets)); // nothing but COM_QUIT
?>
--EXPECT--
{"total":0,"active_plinks":0,"cached_plinks":1}
[] | "\001\000\000\000\001"
