--TEST--
memory_limit is reached in the middle of Vaquita\pipeline: PHP's own fatal error, then shutdown functions run, and use the link
--FILE--
<?php
// servers: mariadb mysql80
require 'support/prelude.php';
// What PHP says differs in numbers that are its own business.
function ending(string $what): string
{
    ob_start();
    child("
        \$db = connect();
        \$statement = \$db->prepare('SELECT ?');
        // What a shutdown function needs has to be left by the script.
        \$reserve = str_repeat(' ', 1 << 18);
        register_shutdown_function(function () use (\$db, &\$reserve) {
            \$reserve = null;
            try { echo ' shutdown: ', \$db->query('SELECT 5')->fetch_row()[0]; } catch (mysqli_sql_exception \$e) { echo \$e->getCode(); \$db = connect(); }
            echo ', ', Vaquita\\pipeline(\$db, ['SELECT 6'])[0]->fetch_row()[0];
        });
        $what echo 'not reached';", ['memory_limit' => '12M']);
    return trim(preg_replace(['/ of \d+ bytes exhausted \(tried to allocate \d+ bytes\) in FILE on line \d+/', '/\s+/'], [' exhausted', ' '], ob_get_clean()));
}
show(ending('$outcomes = Vaquita\pipeline($db, array_fill(0, 100000, "SELECT 1"));'));
show(ending('$outcomes = Vaquita\pipeline($db, array_fill(0, 100000, "DO 1"));'));
show(ending('$outcomes = Vaquita\pipeline($db, array_fill(0, 100000, "nonsense"));'));
show(ending('$outcomes = Vaquita\pipeline($statement, array_fill(0, 100000, ["1"]));'));
show(ending('$outcomes = Vaquita\pipeline($statement, array_fill(0, 100000, [123456]));'));
// The results alone are too large: the connection is closed in the middle.
show(ending('$outcomes = Vaquita\pipeline($db, array_fill(0, 100000, "SELECT REPEAT(\'x\', 300)"));'));
?>
--EXPECT--
"Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255"
"Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255"
"Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255"
"Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255"
"Fatal error: Allowed memory size exhausted shutdown: 5, 6 exit code 255"
"Fatal error: Allowed memory size exhausted shutdown: 2006, 6 exit code 255"
