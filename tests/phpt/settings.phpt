--TEST--
A bad value of a vaquita.* setting is told and not taken, at PHP's start and by ini_set
--FILE--
<?php
require 'support/prelude.php';
section('at the start');
foreach (['vaquita.compression=off', 'vaquita.compression=lz4', 'vaquita.cleartext_password=on', 'vaquita.cleartext_password="yes"', 'vaquita.query_timeout_ms=-5', 'vaquita.query_timeout_ms=soon'] as $setting) {
    [$name, $value] = explode('=', $setting);
    child("show(ini_get('$name'));", [$name => $value, 'display_startup_errors' => '0']); // then it goes to the log
}
section('good ones');
child('show(ini_get("vaquita.compression"), ini_get("vaquita.cleartext_password"), ini_get("vaquita.query_timeout_ms"));', ['vaquita.compression' => 'zlib,zstd', 'vaquita.cleartext_password' => 'off', 'vaquita.query_timeout_ms' => '1k']);
section('ini_set');
ini_set('vaquita.compression', 'zstd');
foreach (['vaquita.compression' => ['', 'ZLIB', 'zlib,lz4', 'zlib,zlib', 'zlib,', "zlib\0x", '1'], 'vaquita.query_timeout_ms' => ['-1', '1 hour', '250'], 'vaquita.cleartext_password' => ['on', 'off']] as $name => $values) {
    foreach ($values as $value) {
        show($value, ini_set($name, $value), ini_get($name));
    }
}
section('a handler that throws');
set_error_handler(fn(int $level, string $message) => throw new ErrorException($message));
attempt('ini_set', fn() => ini_set('vaquita.compression', 'lz4'));
show(ini_get('vaquita.compression'));
ini_restore('vaquita.compression');
show(ini_get('vaquita.compression'));
?>
--EXPECT--
=== at the start
PHP Warning:  PHP Startup: vaquita.compression stays zlib: it must be zlib or zstd or zstd,zlib or zlib,zstd, not empty in Unknown on line 0
"zlib"

  exit code 0
PHP Warning:  PHP Startup: vaquita.compression stays zlib: it must be zlib or zstd or zstd,zlib or zlib,zstd, not lz4 in Unknown on line 0
"zlib"

  exit code 0
PHP Warning:  PHP Startup: vaquita.cleartext_password stays secure: it must be secure or off, not 1 in Unknown on line 0
"secure"

  exit code 0
PHP Warning:  PHP Startup: vaquita.cleartext_password stays secure: it must be secure or off, not yes in Unknown on line 0
"secure"

  exit code 0
PHP Warning:  PHP Startup: vaquita.query_timeout_ms stays 0: it must be a whole number, 0 or more, not -5 in Unknown on line 0
"0"

  exit code 0
PHP Warning:  PHP Startup: vaquita.query_timeout_ms stays 0: it must be a whole number, 0 or more, not soon in Unknown on line 0
"0"

  exit code 0
=== good ones
"zlib,zstd" | "" | "1k"

  exit code 0
=== ini_set
  Warning: ini_set(): vaquita.compression stays zstd: it must be zlib or zstd or zstd,zlib or zlib,zstd, not empty
"" | false | "zstd"
  Warning: ini_set(): vaquita.compression stays zstd: it must be zlib or zstd or zstd,zlib or zlib,zstd, not ZLIB
"ZLIB" | false | "zstd"
  Warning: ini_set(): vaquita.compression stays zstd: it must be zlib or zstd or zstd,zlib or zlib,zstd, not zlib,lz4
"zlib,lz4" | false | "zstd"
  Warning: ini_set(): vaquita.compression stays zstd: it must be zlib or zstd or zstd,zlib or zlib,zstd, not zlib,zlib
"zlib,zlib" | false | "zstd"
  Warning: ini_set(): vaquita.compression stays zstd: it must be zlib or zstd or zstd,zlib or zlib,zstd, not zlib,
"zlib," | false | "zstd"
  Warning: ini_set(): vaquita.compression stays zstd: it must be zlib or zstd or zstd,zlib or zlib,zstd, not zlib
"zlib\000x" | false | "zstd"
  Warning: ini_set(): vaquita.compression stays zstd: it must be zlib or zstd or zstd,zlib or zlib,zstd, not 1
"1" | false | "zstd"
  Warning: ini_set(): vaquita.query_timeout_ms stays 0: it must be a whole number, 0 or more, not -1
"-1" | false | "0"
  Warning: ini_set(): vaquita.query_timeout_ms stays 0: it must be a whole number, 0 or more, not 1 hour
"1 hour" | false | "0"
"250" | "0" | "250"
"on" | false | "secure"
"off" | false | "secure"
=== a handler that throws
ini_set: thrown ErrorException(0): ini_set(): vaquita.compression stays zstd: it must be zlib or zstd or zstd,zlib or zlib,zstd, not lz4
"zstd"
"zlib"
