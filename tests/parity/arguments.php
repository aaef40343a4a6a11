<?php
// Wrong arguments of every function and method: too few, too many, wrong types, null, values out of range.
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$values = ['null' => null, 'true' => true, 'false' => false, 'int' => 7, 'negative' => -1, 'big' => PHP_INT_MAX, 'float' => 1.5, 'whole float' => 2.0, 'huge float' => 1e30, 'nan' => NAN,
    'empty string' => '', 'numeric string' => '3', 'leading numeric' => '3x', 'text' => 'x', 'array' => [], 'object' => new stdClass, 'closure' => fn() => 1];
class Texty { public function __toString(): string { return 'texty'; } }
$values['stringable'] = new Texty;

// What a call is tried with where an argument is not the one that varies.
$db = connect();
$fresh = fn() => $db;
$result = fn() => $db->query('SELECT 1 AS a, 2 AS b UNION SELECT 3, 4');
$functions = [
    'mysqli_affected_rows' => [$fresh], 'mysqli_autocommit' => [$fresh, true], 'mysqli_begin_transaction' => [$fresh, 0, 'n'], 'mysqli_character_set_name' => [$fresh],
    'mysqli_commit' => [$fresh, 0, 'n'], 'mysqli_connect_errno' => [], 'mysqli_connect_error' => [],
    'mysqli_data_seek' => [$result, 0], 'mysqli_errno' => [$fresh], 'mysqli_error' => [$fresh], 'mysqli_error_list' => [$fresh], 'mysqli_fetch_field' => [$result], 'mysqli_fetch_fields' => [$result],
    'mysqli_fetch_field_direct' => [$result, 0], 'mysqli_fetch_lengths' => [$result], 'mysqli_fetch_all' => [$result, MYSQLI_NUM], 'mysqli_fetch_array' => [$result, MYSQLI_NUM],
    'mysqli_fetch_assoc' => [$result], 'mysqli_fetch_object' => [$result, 'stdClass', []], 'mysqli_fetch_row' => [$result], 'mysqli_fetch_column' => [$result, 0], 'mysqli_field_count' => [$fresh],
    'mysqli_field_seek' => [$result, 0], 'mysqli_field_tell' => [$result], 'mysqli_free_result' => [$result], 'mysqli_get_client_info' => [], 'mysqli_get_client_version' => [],
    'mysqli_get_host_info' => [$fresh], 'mysqli_get_proto_info' => [$fresh], 'mysqli_get_server_info' => [$fresh], 'mysqli_get_server_version' => [$fresh], 'mysqli_init' => [],
    'mysqli_info' => [$fresh], 'mysqli_insert_id' => [$fresh], 'mysqli_more_results' => [$fresh], 'mysqli_multi_query' => [$fresh, 'DO 1'], 'mysqli_next_result' => [$fresh],
    'mysqli_num_fields' => [$result], 'mysqli_num_rows' => [$result], 'mysqli_options' => [$fresh, MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 0], 'mysqli_set_opt' => [$fresh, MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 0],
    'mysqli_ping' => [$fresh], 'mysqli_query' => [$fresh, 'DO 1', MYSQLI_STORE_RESULT], 'mysqli_real_escape_string' => [$fresh, 'x'], 'mysqli_escape_string' => [$fresh, 'x'],
    'mysqli_real_query' => [$fresh, 'DO 1'], 'mysqli_release_savepoint' => [$fresh, 's'], 'mysqli_rollback' => [$fresh, 0, 'n'], 'mysqli_savepoint' => [$fresh, 's'],
    'mysqli_select_db' => [$fresh, server('DATABASE')], 'mysqli_set_charset' => [$fresh, 'utf8mb4'], 'mysqli_sqlstate' => [$fresh], 'mysqli_store_result' => [$fresh, 0], 'mysqli_thread_safe' => [],
    'mysqli_use_result' => [$fresh], 'mysqli_warning_count' => [$fresh], 'mysqli_report' => [MYSQLI_REPORT_OFF], 'mysqli_thread_id' => [$fresh],
];
$quiet = ['mysqli_thread_id', 'mysqli_init'];
$show = fn(string $name, mixed $value) => in_array($name, $quiet, true) ? get_debug_type($value) : $value;
$fill = fn(array $arguments) => array_map(fn($argument) => $argument instanceof Closure ? $argument() : $argument, $arguments);
foreach ($functions as $name => $arguments) {
    section($name);
    $count = count($arguments);
    for ($i = 0; $i < $count; $i++) {
        attempt("with $i arguments", fn() => $show($name, $name(...array_slice($fill($arguments), 0, $i))));
    }
    attempt('with one too many', fn() => $show($name, $name(...$fill($arguments), ...['surplus'])));
    attempt('with two too many', fn() => $show($name, $name(...$fill($arguments), ...['surplus', 'more'])));
    attempt('with an unknown name', fn() => $show($name, $name(...$fill($arguments), nonsense: 1)));
    foreach ($arguments as $index => $_) {
        foreach ($values as $kind => $value) {
            if ($name === 'mysqli_report' && $index === 0) {
                attempt("$kind as #$index", fn() => $name($value));
                mysqli_report(MYSQLI_REPORT_OFF);
                continue;
            }
            $given = $fill($arguments);
            $given[$index] = $value;
            attempt("$kind as #$index", fn() => $show($name, $name(...$given)));
        }
        if ($index === 0 && $arguments[0] instanceof Closure) {
            $given = $fill($arguments);
            $given[0] = $arguments[0] === $result ? $db : $result();
            attempt("the wrong object as #$index", fn() => $name(...$given));
        }
    }
    while ($db->more_results() && $db->next_result());
}
$methods = [
    'mysqli' => ['autocommit' => [true], 'begin_transaction' => [0, 'n'], 'character_set_name' => [], 'commit' => [0, 'n'], 'get_client_info' => [], 'get_server_info' => [], 'init' => [],
        'multi_query' => ['DO 1'], 'more_results' => [], 'next_result' => [], 'ping' => [], 'query' => ['DO 1', MYSQLI_STORE_RESULT], 'real_escape_string' => ['x'], 'escape_string' => ['x'],
        'real_query' => ['DO 1'], 'release_savepoint' => ['s'], 'rollback' => [0, 'n'], 'savepoint' => ['s'], 'select_db' => [server('DATABASE')], 'set_charset' => ['utf8mb4'],
        'options' => [MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 0], 'set_opt' => [MYSQLI_OPT_INT_AND_FLOAT_NATIVE, 0], 'store_result' => [0], 'thread_safe' => [], 'use_result' => []],
    'mysqli_result' => ['data_seek' => [0], 'fetch_field' => [], 'fetch_fields' => [], 'fetch_field_direct' => [0], 'fetch_all' => [MYSQLI_NUM], 'fetch_array' => [MYSQLI_NUM], 'fetch_assoc' => [],
        'fetch_object' => ['stdClass', []], 'fetch_row' => [], 'fetch_column' => [0], 'field_seek' => [0], 'free_result' => [], 'close' => [], 'free' => [], 'getIterator' => []],
];
foreach ($methods as $class => $names) {
    foreach ($names as $name => $arguments) {
        section("$class::$name");
        // init makes the link forget its connection.
        $object = $name === 'init' ? fn() => new mysqli : ($class === 'mysqli' ? $fresh : $result);
        $look = fn(mixed $value) => $name === 'getIterator' ? 'an iterator' : ($name === 'close' ? get_debug_type($value) : $value);
        $count = count($arguments);
        for ($i = 0; $i < $count; $i++) {
            attempt("with $i arguments", fn() => $look($object()->$name(...array_slice($arguments, 0, $i))));
        }
        attempt('as it should be', fn() => $look($object()->$name(...$arguments)));
        attempt('with one too many', fn() => $look($object()->$name(...$arguments, ...['surplus'])));
        attempt('with an unknown name', fn() => $look($object()->$name(...$arguments, nonsense: 1)));
        attempt('statically', fn() => $class::$name(...$arguments));
        foreach ($arguments as $index => $_) {
            foreach ($values as $kind => $value) {
                $given = $arguments;
                $given[$index] = $value;
                attempt("$kind as #$index", fn() => $look($object()->$name(...$given)));
            }
        }
        while ($db->more_results() && $db->next_result());
    }
}
section('constructors');
foreach ($values as $kind => $value) {
    attempt("mysqli_result of $kind", fn() => new mysqli_result($value));
    attempt("mysqli_result mode $kind", fn() => new mysqli_result($db, $value));
    if (!is_string($value) && !$value instanceof Texty && !is_numeric($value) && !is_bool($value) && $value !== null) {
        foreach (range(0, 5) as $index) {
            $given = ['127.0.0.1', 'u', 'p', 'd', 1, null];
            $given[$index] = $value;
            attempt("mysqli argument $index $kind", fn() => new mysqli(...$given));
            attempt("mysqli_connect argument $index $kind", fn() => mysqli_connect(...$given));
            attempt("real_connect argument $index $kind", fn() => mysqli_init()->real_connect(...$given));
            attempt("mysqli_real_connect argument $index $kind", fn() => mysqli_real_connect(mysqli_init(), ...$given));
        }
        attempt("real_connect flags $kind", fn() => mysqli_init()->real_connect('127.0.0.1', 'u', 'p', 'd', 1, null, $value));
    }
}
attempt('mysqli, too many', fn() => new mysqli('127.0.0.1', 'u', 'p', 'd', 1, null, 7));
attempt('mysqli_connect, too many', fn() => mysqli_connect('127.0.0.1', 'u', 'p', 'd', 1, null, 7));
attempt('real_connect, too many', fn() => mysqli_init()->real_connect('127.0.0.1', 'u', 'p', 'd', 1, null, 0, 8));
attempt('mysqli_real_connect without link', fn() => mysqli_real_connect());
attempt('mysqli_result without arguments', fn() => new mysqli_result);
attempt('mysqli_result, too many', fn() => new mysqli_result($db, 0, 1));
attempt('mysqli_result without a result', fn() => new mysqli_result($db));
attempt('mysqli_result of a closed link', function () { $link = connect(); $link->close(); return new mysqli_result($link); });
attempt('mysqli_result of a fresh link', fn() => new mysqli_result(mysqli_init()));
attempt('mysqli_result after real_query', function () use ($db) { $db->real_query('SELECT 5'); return (new mysqli_result($db))->fetch_row(); });
attempt('mysqli_result, unbuffered', function () use ($db) { $db->real_query('SELECT 5'); $result = new mysqli_result($db, MYSQLI_USE_RESULT); return [$result->type, $result->fetch_all()]; });
attempt('mysqli_result after DO', function () use ($db) { $db->real_query('DO 5'); return new mysqli_result($db); });
attempt('mysqli_driver with argument', fn() => new mysqli_driver(1));
foreach ([0, 1, 2, 3, 16, 17, -1] as $mode) {
    attempt("mysqli_result mode $mode", function () use ($db, $mode) { $db->real_query('SELECT 5'); return (new mysqli_result($db, $mode))->fetch_row(); });
    attempt("query mode $mode", fn() => $db->query('SELECT 6', $mode)->fetch_row());
    attempt("mysqli_query mode $mode", fn() => mysqli_query($db, 'SELECT 6', $mode)->fetch_row());
    attempt("store_result mode $mode", function () use ($db, $mode) { $db->real_query('SELECT 7'); return $db->store_result($mode)->fetch_row(); });
    attempt("mysqli_store_result mode $mode", function () use ($db, $mode) { $db->real_query('SELECT 7'); return mysqli_store_result($db, $mode)->fetch_row(); });
}
section('an asynchronous query');
attempt('query', fn() => $db->query('SELECT 6', MYSQLI_ASYNC));
$db = connect();
attempt('mysqli_query', fn() => mysqli_query($db, 'SELECT 6', MYSQLI_ASYNC));
$db = connect();
section('fetch modes');
foreach ([0, 1, 2, 3, 4, 5, 8, -1, 255] as $mode) {
    foreach (['fetch_array', 'fetch_all'] as $name) {
        attempt("$name($mode)", fn() => $result()->$name($mode));
        attempt("mysqli_$name($mode)", fn() => "mysqli_$name"($result(), $mode));
    }
}
section('fetch_column');
foreach ([0, 1, 2, 3, -1, PHP_INT_MAX, PHP_INT_MIN] as $column) {
    attempt("fetch_column($column)", fn() => $result()->fetch_column($column));
    attempt("mysqli_fetch_column($column)", fn() => mysqli_fetch_column($result(), $column));
}
section('strict types');
file_put_contents($file = tempnam(sys_get_temp_dir(), 'vq'), '<?php declare(strict_types=1); return fn($link) => [fn() => $link->query(5), fn() => mysqli_query($link, 5), fn() => $link->autocommit(1), fn() => mysqli_autocommit($link, "1"),
    fn() => $link->query("SELECT 1", 0.0), fn() => $link->real_escape_string(1.5), fn() => mysqli_report("1"), fn() => $link->select_db(null), fn() => new mysqli(null, null, null, null, "1")];');
foreach ((include $file)($db) as $index => $call) {
    attempt("call $index", $call);
}
unlink($file);
section('callbacks');
attempt('array_map', fn() => array_map('mysqli_errno', [$db, $db]));
attempt('call_user_func', fn() => call_user_func([$db, 'real_escape_string'], "a'b"));
attempt('call_user_func_array by name', fn() => call_user_func_array('mysqli_query', ['query' => 'SELECT 9', 'mysql' => $db])->fetch_row());
attempt('first class callable', fn() => array_map($db->real_escape_string(...), ["'", '"']));
attempt('named', fn() => $db->query(result_mode: MYSQLI_USE_RESULT, query: 'SELECT 1')->fetch_all(mode: MYSQLI_ASSOC));
