<?php
// Two results on one link: commands out of sync, results that outlive their link, orders of destruction.
// servers: mariadb mysql80
// transports: tcp unix
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

const ROWS = 'SELECT 1 AS n UNION SELECT 2 UNION SELECT 3';
section('two unbuffered results');
$db = connect();
$a = $db->query(ROWS, MYSQLI_USE_RESULT);
attempt('first row', fn() => $a->fetch_row());
attempt('second query', fn() => $db->query(ROWS, MYSQLI_USE_RESULT));
show_error($db);
attempt('row', fn() => $a->fetch_row());
attempt('buffered query', fn() => $db->query(ROWS));
show_error($db);
attempt('rest', fn() => $a->fetch_all());
attempt('query', fn() => $db->query('SELECT 5')->fetch_row());
show_error($db);
section('each call with an unbuffered result open');
foreach (['ping' => [], 'select_db' => [server('DATABASE')], 'set_charset' => ['latin1'], 'autocommit' => [true], 'commit' => [], 'rollback' => [], 'begin_transaction' => [], 'savepoint' => ['x'], 'more_results' => [], 'next_result' => [],
    'store_result' => [], 'use_result' => [], 'real_query' => ['SELECT 1'], 'multi_query' => ['SELECT 1; SELECT 2'], 'real_escape_string' => ["'"], 'character_set_name' => []] as $method => $arguments) {
    $db = connect();
    $a = $db->query(ROWS, MYSQLI_USE_RESULT);
    $a->fetch_row();
    attempt($method, fn() => $db->$method(...$arguments));
    show_error($db);
    attempt('  rest', fn() => $a->fetch_all());
    show_error($db);
    attempt('  query', fn() => $db->query('SELECT 5')->fetch_row());
    $a->free();
    attempt('  query after free', fn() => $db->query('SELECT 6')->fetch_row());
    show_error($db);
}
section('the end of the rows frees the link');
$db = connect();
$a = $db->query(ROWS, MYSQLI_USE_RESULT);
while ($a->fetch_row());
attempt('query', fn() => $db->query('SELECT 5')->fetch_row());
attempt('row of the old one', fn() => $a->fetch_row());
attempt('all of the old one', fn() => $a->fetch_all());
attempt('free', fn() => $a->free());
section('the last row does not free the link, the end does');
$db = connect();
$a = $db->query(ROWS, MYSQLI_USE_RESULT);
show($a->fetch_row(), $a->fetch_row(), $a->fetch_row());
attempt('query', fn() => $db->query('SELECT 5'));
show_error($db);
show($a->fetch_row());
attempt('query', fn() => $db->query('SELECT 5')->fetch_row());
section('freeing frees the link');
$db = connect();
$a = $db->query(ROWS, MYSQLI_USE_RESULT);
$a->free();
attempt('query', fn() => $db->query('SELECT 5')->fetch_row());
$a = $db->query(ROWS, MYSQLI_USE_RESULT);
$a->fetch_row();
unset($a);
attempt('query', fn() => $db->query('SELECT 6')->fetch_row());
$db->query(ROWS, MYSQLI_USE_RESULT);
attempt('query', fn() => $db->query('SELECT 7')->fetch_row());
$a = $db->query(ROWS, MYSQLI_USE_RESULT);
$a = $db->query('SELECT 8');
show($a, $db->errno);
$a = $db->query('SELECT 9');
show($a ? $a->fetch_row() : $a, $db->errno);
section('an unbuffered result outlives its link: unset');
$make = function () {
    $db = connect();
    return $db->query(ROWS, MYSQLI_USE_RESULT);
};
$a = $make();
attempt('row', fn() => $a->fetch_row());
attempt('row', fn() => $a->fetch_assoc());
attempt('num_rows', fn() => $a->num_rows);
attempt('rest', fn() => $a->fetch_all());
attempt('free', fn() => $a->free());
section('a buffered result outlives its link: unset');
$make = function () {
    $db = connect();
    return $db->query(ROWS);
};
$a = $make();
attempt('row', fn() => $a->fetch_row());
attempt('field', fn() => $a->fetch_field()->name);
attempt('rest', fn() => $a->fetch_all());
section('an unbuffered result outlives its link: close');
$db = connect();
$a = $db->query(ROWS, MYSQLI_USE_RESULT);
attempt('row', fn() => $a->fetch_row());
attempt('close', fn() => $db->close());
attempt('row', fn() => $a->fetch_row());
attempt('row', fn() => $a->fetch_assoc());
attempt('object', fn() => $a->fetch_object());
attempt('column', fn() => $a->fetch_column());
attempt('all', fn() => $a->fetch_all());
attempt('num_rows', fn() => $a->num_rows);
attempt('field', fn() => $a->fetch_field()->name);
attempt('foreach', function () use ($a) { foreach ($a as $row) { show($row); } });
attempt('free', fn() => $a->free());
attempt('row', fn() => $a->fetch_row());
section('a buffered result outlives its link: close');
$db = connect();
$a = $db->query(ROWS);
attempt('row', fn() => $a->fetch_row());
attempt('close', fn() => $db->close());
attempt('all', fn() => $a->fetch_all());
attempt('seek', fn() => $a->data_seek(1));
attempt('row', fn() => $a->fetch_row());
attempt('num_rows', fn() => $a->num_rows);
attempt('free', fn() => $a->free());
attempt('close again', fn() => $db->close());
section('an untaken result, then close');
$db = connect();
$db->real_query(ROWS);
attempt('close', fn() => $db->close());
section('a foreach whose link is closed in the middle');
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $db = connect();
    attempt("mode $mode", function () use ($db, $mode) {
        foreach ($db->query(ROWS, $mode) as $key => $row) {
            show($key, $row);
            $key === 0 && $db->close();
        }
    });
}
section('a foreach whose link queries in the middle');
foreach ([MYSQLI_STORE_RESULT, MYSQLI_USE_RESULT] as $mode) {
    $db = connect();
    attempt("mode $mode", function () use ($db, $mode) {
        foreach ($db->query(ROWS, $mode) as $key => $row) {
            $inner = $db->query('SELECT 7');
            show($key, $row, $inner ? $inner->fetch_row() : [$db->errno, $db->error]);
        }
    });
}
section('the link is reconnected while a result is open');
$db = connect();
$a = $db->query(ROWS, MYSQLI_USE_RESULT);
show($a->fetch_row());
attempt('real_connect', fn() => $db->real_connect(...address()));
attempt('query', fn() => $db->query('SELECT 5')->fetch_row());
attempt('row', fn() => $a->fetch_row());
attempt('row', fn() => $a->fetch_row());
attempt('free', fn() => $a->free());
attempt('query', fn() => $db->query('SELECT 6')->fetch_row());
section('two links at once');
$one = connect();
$two = connect();
$a = $one->query(ROWS, MYSQLI_USE_RESULT);
$b = $two->query(ROWS, MYSQLI_USE_RESULT);
show($a->fetch_row(), $b->fetch_row(), $b->fetch_row(), $a->fetch_row(), $a->fetch_all(), $b->fetch_all());
$one->query('SELECT nonsense');
show($one->errno, $two->errno);
section('a subclass');
class Database extends mysqli
{
    public array $log = [];
    public function query(string $query, int $result_mode = MYSQLI_STORE_RESULT): mysqli_result|bool
    {
        $this->log[] = $query;
        return parent::query($query, $result_mode);
    }
    public function __destruct()
    {
        echo "gone, after ", count($this->log), " queries: ", @parent::query('SELECT 5')->fetch_row()[0], "\n";
    }
}
$db = connect('Database');
show($db->query('SELECT 1')->fetch_row(), mysqli_query($db, 'SELECT 2')->fetch_row(), $db->log, $db->errno);
unset($db);
class Result extends mysqli_result
{
    public function first(): mixed
    {
        return $this->fetch_row()[0];
    }
}
$db = connect();
$db->real_query('SELECT 42');
$result = new Result($db);
show($result->first(), $result->num_rows, get_debug_type($result));
class Halfway extends mysqli
{
    public function __construct()
    {
        parent::__construct();
        $this->options(MYSQLI_INIT_COMMAND, 'SET @half = 5');
    }
}
$half = new Halfway;
show($half->real_connect(...address()), $half->query('SELECT @half')->fetch_row());
section('closed link');
$db = connect();
show($db->close());
foreach (['close' => [], 'query' => ['SELECT 1'], 'real_query' => ['SELECT 1'], 'multi_query' => ['SELECT 1'], 'store_result' => [], 'use_result' => [], 'more_results' => [], 'next_result' => [], 'ping' => [], 'select_db' => ['x'], 'get_server_info' => [],
    'thread_safe' => [], 'init' => [], 'real_connect' => ['127.0.0.1', 'u', 'p', 'd', 1], 'connect' => ['127.0.0.1', 'u', 'p', 'd', 1]] as $method => $arguments) {
    attempt($method, fn() => $db->$method(...$arguments));
}
foreach (['close', 'affected_rows', 'errno', 'error', 'error_list', 'sqlstate', 'field_count', 'info', 'insert_id', 'warning_count', 'thread_id', 'get_host_info', 'get_proto_info', 'get_server_info', 'get_server_version', 'get_client_info'] as $function) {
    $db = connect();
    $db->close();
    attempt("mysqli_$function", fn() => "mysqli_$function"($db));
}
section('unready link');
foreach (['query' => ['SELECT 1'], 'real_query' => ['SELECT 1'], 'multi_query' => ['SELECT 1'], 'store_result' => [], 'use_result' => [], 'more_results' => [], 'next_result' => [], 'ping' => [], 'select_db' => ['x'], 'get_server_info' => [],
    'thread_safe' => [], 'init' => [], 'close' => []] as $method => $arguments) {
    $db = mysqli_init();
    attempt($method, fn() => $db->$method(...$arguments));
}
foreach (['affected_rows', 'errno', 'error', 'error_list', 'sqlstate', 'field_count', 'info', 'insert_id', 'warning_count', 'thread_id', 'get_host_info', 'get_proto_info', 'get_server_info', 'get_server_version', 'get_client_info', 'close'] as $function) {
    $db = mysqli_init();
    attempt("mysqli_$function", fn() => "mysqli_$function"($db));
}
section('freed result');
$db = connect();
$methods = ['free' => [], 'close' => [], 'free_result' => [], 'data_seek' => [0], 'fetch_field' => [], 'fetch_fields' => [], 'fetch_field_direct' => [0], 'fetch_all' => [], 'fetch_array' => [], 'fetch_assoc' => [], 'fetch_object' => [], 'fetch_row' => [],
    'fetch_column' => [], 'field_seek' => [0], 'getIterator' => []];
foreach ($methods as $method => $arguments) {
    $a = $db->query(ROWS);
    $a->free();
    attempt($method, fn() => get_debug_type($a->$method(...$arguments)));
}
foreach (['free_result', 'num_rows', 'num_fields', 'field_tell', 'fetch_lengths', 'fetch_field', 'fetch_fields', 'fetch_all', 'fetch_array', 'fetch_assoc', 'fetch_object', 'fetch_row', 'fetch_column'] as $function) {
    $a = $db->query(ROWS);
    mysqli_free_result($a);
    attempt("mysqli_$function", fn() => "mysqli_$function"($a));
}
section('the link is freed before its result at the end of the script');
$last_link = connect();
$last_result = $last_link->query(ROWS, MYSQLI_USE_RESULT);
$last_buffered = connect()->query(ROWS);
$last_untaken = connect();
$last_untaken->multi_query('SELECT 1; SELECT 2');
echo "end\n";
