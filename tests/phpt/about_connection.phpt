--TEST--
phpinfo() tells of the last connection and of the statistics
--FILE--
<?php
// servers: mariadb mysql80
// transports: unix tls zlib
require 'support/prelude.php';
/** Rows of vaquita's section of phpinfo(). */
function rows(): array
{
    ob_start();
    phpinfo(INFO_MODULES);
    preg_match('/^vaquita\n\n(.*?)^Directive/ms', ob_get_clean(), $section);
    preg_match_all('/^(.+?) => (.*)$/m', $section[1], $rows);
    return array_combine($rows[1], $rows[2]);
}

show(rows()['Last connection'], rows()['Connections']);
$db = connect();
$db->query('SELECT 1')->fetch_all();
$rows = rows();
show((bool) preg_match('/^\d+\.\d+\.\d+.* by (unix socket|TCP)$/D', $rows['Last connection']), str_contains($rows['Last connection'], 'unix') === (server('TRANSPORT') === 'unix'));
$tls = (bool) preg_match('/^TLSv1_[23], TLS\w+, server not verified$/D', $rows["Last connection's TLS"]);
show($tls === (server('TRANSPORT') === 'tls'), $tls || $rows["Last connection's TLS"] === 'none');
show($rows["Last connection's compression"] === (server('TRANSPORT') === 'zlib' ? 'zlib' : 'none'));
$has_tracking = $db->server_version >= 50700;
show(str_contains($rows["Last connection's features"], 'SESSION_TRACK') === $has_tracking, $rows['Connections']);
show((bool) preg_match('/^1 commands in \d+ round trips, \d+ reads of \d+ bytes, \d+ writes of \d+ bytes$/D', $rows['Traffic']));
show($rows["The driver's own"]);
show((bool) preg_match('/^1 replies, p50 \d+ us, p95 \d+ us, p99 \d+ us, longest \d+ us$/D', $rows['Latency: query']), isset($rows['Latency: execute']));
?>
--EXPECT--
"none in this process" | "0 opened, 0 failed, 0 reused, 0 reconnected, 0 open"
true | true
true | true
true
true | "1 opened, 0 failed, 0 reused, 0 reconnected, 1 open"
true
"0 commands by itself, 0 without a reply (0 bytes), 0 statements prepared already, 0 kept"
true | false
