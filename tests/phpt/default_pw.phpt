--TEST--
phpinfo() tells whether there is a mysqli.default_pw, and not what it is
--INI--
mysqli.default_pw=hunter2
--FILE--
<?php
function shown(): string
{
    ob_start();
    phpinfo(INFO_MODULES);
    preg_match('/^mysqli\.default_pw => .*$/m', $all = ob_get_clean(), $line);
    return $line[0] . (str_contains($all, 'hunter') ? ', but it is there' : '') . "\n";
}
echo shown();
ini_set('mysqli.default_pw', 'hunter3');
echo shown();
ini_set('mysqli.default_pw', '');
echo shown(), ini_get('mysqli.default_pw'), "\n";
ini_restore('mysqli.default_pw');
echo ini_get('mysqli.default_pw'), "\n";
?>
--EXPECT--
mysqli.default_pw => ******** => ********
mysqli.default_pw => ******** => ********
mysqli.default_pw => no value => ********

hunter2
