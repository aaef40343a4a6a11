<?php
// set_charset, character_set_name and real_escape_string in every kind of character set.
// servers: mariadb mysql80
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$db = connect();
section('fresh');
show($db->character_set_name(), mysqli_character_set_name($db), $db->query('SELECT @@character_set_client, @@character_set_results, @@collation_connection')->fetch_row());
$names = ['utf8mb4', 'utf8', 'utf8mb3', 'UTF8MB4', 'Utf8', 'latin1', 'LATIN1', 'latin2', 'latin5', 'latin7', 'ascii', 'binary', 'cp1250', 'cp1251', 'cp1256', 'cp1257', 'cp850', 'cp852', 'cp866', 'cp932', 'dec8', 'eucjpms', 'euckr',
    'gb2312', 'gbk', 'geostd8', 'greek', 'hebrew', 'hp8', 'keybcs2', 'koi8r', 'koi8u', 'macce', 'macroman', 'sjis', 'swe7', 'tis620', 'ucs2', 'ujis', 'utf16', 'utf16le', 'utf32', 'armscii8', 'big5',
    '', ' ', 'utf-8', 'utf8mb4 ', 'nonsense', "latin1'; DROP TABLE x", str_repeat('x', 1000), 'utf8mb4_general_ci', 'default'];
// Strings with everything that is special, and bytes that begin or end characters of several bytes somewhere.
$strings = [
    '', 'plain', "a'b", 'a"b', 'a\\b', "a\0b", "a\nb", "a\rb", "a\x1ab", "a\tb", '%_', "'", "''''", "\\'", "'\\", "\\\\'",
    "\xbf'", "\xbf\\", "\xbf\x27 OR 1=1", "\xbf\x5c\x27", "\xa1'", "\xa1\\'", "\x81'", "\x81\\", "\xe0'", "\xe0\x80'", "\xfc'", "\xfc\\", "\x95\\'", "\x83\x5c", "\x83\x5c'", "\x8e'", "\x8f\xa1'", "\x8f'",
    "\xc3\xa4'", "\xc3'", "\xe2\x82\xac'", "\xe2\x82'", "\xf0\x9f\x98\x80'", "\xf0\x9f\x98'", "\xf0'", "\xed\xa0\x80'", "\xc0\xa7", "\xff'", "\xfe'", "\x80'", "\xf5\x80\x80\x80'", "\xf4\x90\x80\x80'", "\xe0\x80\x80'", "\xc1\xbf'",
    "\x81\x30\x81\x30'", "\x81\x30'", "\x81\x30\x81'", "\xfe\x39\xfe\x39\x27",
    implode('', array_map('chr', range(0, 255))), implode('', array_map('chr', range(255, 0, -1))),
];
mt_srand(7);
for ($i = 0; $i < 40; $i++) {
    $strings[] = implode('', array_map(fn() => chr([0x27, 0x5c, 0x22, 0, 0x1a, 10, 13, 0x30, 0x40, 0x7e, 0x80, 0x81, 0x8e, 0x8f, 0xa1, 0xa4, 0xbf, 0xc3, 0xe0, 0xe2, 0xf0, 0xfe, 0xff][mt_rand(0, 22)]), range(1, 60)));
}
foreach ($names as $name) {
    $db->set_charset('latin1');
    section('set_charset ' . addcslashes(substr($name, 0, 30), "\0"));
    attempt('method', fn() => $db->set_charset($name));
    show_error($db);
    attempt('function', fn() => mysqli_set_charset($db, $name));
    show($db->character_set_name(), mysqli_character_set_name($db), $db->query('SELECT @@character_set_client, @@character_set_results, @@collation_connection')->fetch_row());
    $escaped = array_map($db->real_escape_string(...), $strings);
    show(array_slice($escaped, 0, 40));
    show(array_slice($escaped, 40, 40));
    show(md5(serialize($escaped)), md5(serialize(array_map(fn($s) => mysqli_real_escape_string($db, $s), $strings))), md5(serialize(array_map(fn($s) => mysqli_escape_string($db, $s), $strings))));
    $db->query("SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
    $escaped = array_map($db->real_escape_string(...), $strings);
    show(array_slice($escaped, 0, 40));
    show(md5(serialize($escaped)));
    $db->query("SET sql_mode = ''");
}
section('every pair of bytes');
foreach (['latin1', 'utf8', 'utf8mb4', 'gbk', 'sjis', 'cp932', 'big5', 'gb2312', 'gb18030', 'ujis', 'eucjpms', 'euckr', 'binary'] as $name) {
    if (!$db->set_charset($name)) {
        show($name, 'not there');
        continue;
    }
    $digest = hash_init('md5');
    for ($a = 0; $a < 256; $a++) {
        for ($b = 0; $b < 256; $b++) {
            hash_update($digest, $db->real_escape_string(chr($a) . chr($b) . "'") . "\n");
        }
    }
    show($name, hash_final($digest));
}
section('round trips');
foreach (['latin1', 'utf8mb4', 'gbk', 'sjis', 'cp932', 'big5', 'gb18030', 'ujis', 'euckr'] as $name) {
    if ($db->set_charset($name)) {
        foreach (['', 'NO_BACKSLASH_ESCAPES'] as $mode) {
            $db->query("SET sql_mode = '$mode'");
            foreach (["a'b", "\xbf'", "\xbf\x5c'", "\x95\x5c", "\0\n\r\x1a\"", "\\"] as $string) {
                $result = $db->query("SELECT HEX(CAST('" . $db->real_escape_string($string) . "' AS BINARY))");
                show($name, $mode, $string, $result ? $result->fetch_row() : $db->error);
            }
        }
        $db->query("SET sql_mode = ''");
    }
}
section('random bytes');
foreach (['utf8mb4', 'utf8', 'latin1', 'binary', 'ascii', 'big5', 'gbk', 'gb2312', 'sjis', 'cp932', 'euckr', 'ujis', 'eucjpms', 'swe7', 'tis620'] as $name) {
    $db->set_charset($name);
    foreach (['', 'NO_BACKSLASH_ESCAPES'] as $mode) {
        $db->query("SET sql_mode = '$mode'");
        mt_srand(crc32("$name $mode"));
        $special = "\0\n\r\x1a'\"\\`\x40\x5b\x5e\x60\x7e\x80\x81\x8e\x8f\xa0\xa1\xb1\xc2\xe0\xf0\xf9\xfc\xfe\xff";
        $hash = hash_init('md5');
        for ($i = 0; $i < 20_000; $i++) {
            $string = '';
            for ($length = mt_rand(0, 12); $length > 0; $length--) {
                $string .= mt_rand(0, 2) ? $special[mt_rand(0, strlen($special) - 1)] : chr(mt_rand(0, 255));
            }
            hash_update($hash, $db->real_escape_string($string) . "\n\n");
        }
        show($name, $mode, hash_final($hash));
    }
    $db->query("SET sql_mode = ''");
}
section('SET NAMES in a query: the name');
$db->set_charset('utf8mb4');
$db->query('SET NAMES gbk');
show($db->character_set_name(), mysqli_character_set_name($db));
section('SET NAMES in a query: escaping');
show($db->real_escape_string("\xbf'"));
$result = $db->query("SELECT HEX('" . $db->real_escape_string("\xbf' OR 1=1 -- ") . "')");
show($result ? $result->fetch_row() : $db->errno);
section('SET NAMES in a query: back');
$db->query('SET NAMES utf8mb4');
show($db->character_set_name(), $db->real_escape_string("\xbf'"));
$db->set_charset('utf8mb4');
section('NO_BACKSLASH_ESCAPES is known from the last answer');
$db->query("SET sql_mode = 'NO_BACKSLASH_ESCAPES'");
show($db->real_escape_string("a'b\\"));
$db->query('SELECT 1')->fetch_all();
show($db->real_escape_string("a'b\\"));
$result = $db->query("SELECT 1", MYSQLI_USE_RESULT);
show($db->real_escape_string("a'b\\"));
$result->free();
$db->query('nonsense');
show($db->real_escape_string("a'b\\"));
$db->ping();
show($db->real_escape_string("a'b\\"));
$db->select_db(server('DATABASE'));
show($db->real_escape_string("a'b\\"));
$db->set_charset('latin1');
show($db->real_escape_string("a'b\\"));
$db->query("SET sql_mode = ''");
show($db->real_escape_string("a'b\\"));
section('the connection charset and big strings');
show(strlen($db->real_escape_string(str_repeat("'", 1_000_000))), md5($db->real_escape_string(str_repeat("ab'\0", 100_000))));
section('report modes');
foreach ([MYSQLI_REPORT_ERROR, MYSQLI_REPORT_STRICT, MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT] as $mode) {
    mysqli_report($mode);
    foreach (['nonsense', 'ucs2', 'utf16', ''] as $name) {
        attempt("set_charset($name)", fn() => $db->set_charset($name));
        show_error($db);
    }
}
section('closed and unready links');
attempt('unready', fn() => mysqli_init()->set_charset('utf8'));
attempt('unready', fn() => mysqli_init()->character_set_name());
attempt('unready', fn() => mysqli_init()->real_escape_string('x'));
$db->close();
attempt('closed', fn() => $db->set_charset('utf8'));
attempt('closed', fn() => $db->character_set_name());
attempt('closed', fn() => $db->real_escape_string('x'));
