--TEST--
vaquita.metrics_shared: Vaquita\metrics has the figures of all processes, those that ended or were killed among them
--FILE--
<?php
// servers: mysql80
require 'support/prelude.php';

$folder = sys_get_temp_dir() . '/metrics-' . bin2hex(random_bytes(6));
mkdir($folder, 0700);
$settings = ['vaquita.metrics_shared' => '1', 'vaquita.run_dir' => $folder];
$value = 'function value(string $name): string { preg_match("/^" . preg_quote($name) . " (\S+)$/m", Vaquita\metrics(), $found); return $found[1]; }';
$five = $value . ' $db = connect(); for ($i = 0; $i < 5; $i++) { $db->stat(); } show(value("vaquita_commands_total{command=\"statistics\"}"), value("db_client_connection_count{db_client_connection_state=\"used\"}"));';

section('one after the other');
child($five, $settings);
child($five, $settings);
child("$value show(value('vaquita_commands_total{command=\"statistics\"}'), value('db_client_connection_count{db_client_connection_state=\"used\"}'));", $settings);
section('killed: what it had published counts');
child($five . ' posix_kill(posix_getpid(), SIGKILL);', $settings);
child("$value show(value('vaquita_commands_total{command=\"statistics\"}'));", $settings);
section('a child of a script counts for itself, and publishes nothing');
child($five . ' if (($child = pcntl_fork()) === 0) { $own = connect(); $own->stat(); exit; } pcntl_waitpid($child, $status); show(value("vaquita_commands_total{command=\"statistics\"}"));', $settings);
section('another folder, and not shared');
mkdir("$folder/other", 0700);
child($five, ['vaquita.run_dir' => "$folder/other"] + $settings);
child($five, ['vaquita.run_dir' => $folder]);
section('no place for its figures: they stay its own');
mkdir("$folder/gone", 0700);
ob_start();
child('array_map(unlink(...), glob(ini_get("vaquita.run_dir") . "/*"));' . $five, ['vaquita.run_dir' => "$folder/gone"] + $settings);
show(preg_replace('/vaquita-\S+-metrics/', 'FILE', str_replace($folder, 'FOLDER', trim(ob_get_clean()))));
section('a folder that is none');
ob_start();
child($five, ['vaquita.run_dir' => "$folder/none"] + $settings);
show(preg_replace('/vaquita-\S+-metrics/', 'FILE', str_replace($folder, 'FOLDER', trim(ob_get_clean()))));
foreach ([...glob("$folder/*/*"), ...glob("$folder/*")] as $file) {
    is_dir($file) ? rmdir($file) : unlink($file);
}
rmdir($folder);
?>
--EXPECT--
=== one after the other
"5" | "1"

  exit code 0
"10" | "1"

  exit code 0
"10" | "0"

  exit code 0
=== killed: what it had published counts
"15" | "1"

  killed by signal 9
"15"

  exit code 0
=== a child of a script counts for itself, and publishes nothing
"20" | "1"
"20"

  exit code 0
=== another folder, and not shared
"5" | "1"

  exit code 0
"5" | "1"

  exit code 0
=== no place for its figures: they stay its own
"\"5\" | \"1\"\n  Warning: vaquita.metrics_shared: the figures stay this process's own: FOLDER/gone/FILE: another one has taken its place\n\n  exit code 0"
=== a folder that is none
"\"5\" | \"1\"\n  Warning: vaquita.metrics_shared: the figures stay this process's own: FOLDER/none/FILE: No such file or directory\n\n  exit code 0"
