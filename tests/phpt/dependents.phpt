--TEST--
An extension that says that it needs mysqlnd is named when PHP starts, and one that needs others is not
--FILE--
<?php
require 'support/prelude.php';
$folder = sys_get_temp_dir() . '/vaquita-dependents-' . getmypid();
mkdir($folder);

/** Builds an extension that needs a module, and starts PHP with it. */
function start_beside(string $folder, string $name, string $needed): void
{
    file_put_contents("$folder/$name.c", <<<C
        #include "php.h"
        static const zend_module_dep deps[] = { ZEND_MOD_REQUIRED("$needed") ZEND_MOD_END };
        zend_module_entry entry = { STANDARD_MODULE_HEADER_EX, NULL, deps, "$name", NULL, NULL, NULL, NULL, NULL, NULL, "1", STANDARD_MODULE_PROPERTIES };
        ZEND_DLEXPORT zend_module_entry *get_module(void) { return &entry; }
        C);
    $includes = trim(shell_exec('sh ' . escapeshellarg(getenv('VAQUITA_PHP_CONFIG')) . ' --includes'));
    passthru("gcc -shared -fPIC $includes -o $folder/$name.so $folder/$name.c 2>&1");
    child('echo extension_loaded("' . $name . '") ? "runs" : "not loaded", "\n";', ['extension' => "$folder/$name.so", 'display_startup_errors' => '1']);
}
start_beside($folder, 'splitter', 'mysqlnd');
start_beside($folder, 'another', 'standard');
array_map('unlink', glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
Warning: Vaquita: the extension splitter is made for stock mysqlnd, whose functions in C Vaquita does not have: where it uses them, PHP ends with "undefined symbol: mysqlnd_..."; see docs/other_extensions.md in Unknown on line 0
runs

  exit code 0
runs

  exit code 0
