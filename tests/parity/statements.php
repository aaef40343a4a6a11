<?php
// Prepared statements: parameters of every kind, rows into variables and into objects, cursors, procedures, wrong orders, errors.
// servers: mariadb mysql80
// transports: tcp unix zlib tls
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

$db = connect();
$db->query('CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a INT, b DOUBLE, c VARCHAR(100), d BLOB)');

function show_statement(mysqli_stmt $s): void
{
    $seen = [];
    foreach (['affected_rows', 'insert_id', 'num_rows', 'param_count', 'field_count', 'errno', 'error', 'error_list', 'sqlstate'] as $name) {
        $seen[$name] = attempt_value(fn() => $s->$name);
    }
    show($seen);
}

function attempt_value(callable $f): mixed
{
    try {
        return $f();
    } catch (Throwable $e) {
        return get_class($e) . ': ' . $e->getMessage();
    }
}

section('parameters');
class Text { public function __construct(private string $text) {} public function __toString(): string { return $this->text; } }
$values = [null, true, false, 0, 1, -1, PHP_INT_MAX, PHP_INT_MIN, 0.0, 1.5, -0.1, 1e300, 9.3e18, -9.3e18, NAN, INF, '', '0', '1', '12abc', 'abc', '9223372036854775808', '-9223372036854775809', '1e3', "a\0b'\\", str_repeat('x', 300), new Text('object')];
foreach (['i', 'd', 's', 'b'] as $type) {
    foreach ($values as $value) {
        $s = $db->prepare('SELECT ? AS v, ISNULL(?) AS n');
        $twice = $value;
        $shown = is_object($value) ? 'object' : var_export($value, true);
        attempt("$type " . substr($shown, 0, 40), function () use ($s, $type, $value) {
            $again = $value;
            show($s->bind_param($type . $type, $value, $again));
            show($s->execute());
            show($s->get_result()?->fetch_all(MYSQLI_ASSOC));
            return gettype($value);
        });
        show_statement($s);
    }
}

section('types, counts and closed statements');
$s = $db->prepare('SELECT ?, ?');
$one = 1;
foreach ([[''], ['i'], ['i', 1], ['ii', 1], ['ii', 1, 2, 3], ['ix', 1, 2], ['iix', 1, 2, 3]] as $arguments) {
    attempt(json_encode($arguments), function () use ($s, $arguments) {
        $types = array_shift($arguments);
        return $s->bind_param($types, ...$arguments);
    });
    attempt('mysqli_stmt_bind_param', function () use ($s, $arguments) {
        $types = array_shift($arguments);
        return mysqli_stmt_bind_param($s, $types, ...$arguments);
    });
}
attempt('execute without parameters', fn() => $s->execute());
show_statement($s);
foreach ([[], [1], [1, 2], [1, 2, 3], ['a' => 1, 'b' => 2], [1 => 1, 0 => 2], [null, 1.5], [true, new Text('o')]] as $array) {
    attempt('execute ' . json_encode($array), function () use ($s, $array) {
        $done = $s->execute($array);
        return [$done, $done ? $s->get_result()->fetch_all() : $s->error];
    });
    attempt('mysqli_stmt_execute', fn() => mysqli_stmt_execute($s, $array));
    $s->free_result();
}
attempt('execute with an array in it', fn() => $s->execute([[1], 2]));
attempt('close', fn() => $s->close());
foreach (['execute', 'fetch', 'get_result', 'store_result', 'free_result', 'reset', 'close', 'more_results', 'next_result', 'result_metadata'] as $name) {
    attempt("closed: $name", fn() => $s->$name());
}
show_statement($s);

section('variables by reference');
$s = $db->prepare('INSERT INTO t (a, b, c, d) VALUES (?, ?, ?, ?)');
$s->bind_param('idsb', $a, $b, $c, $d);
foreach ([[1, 1.5, 'x', 'ignored'], [null, null, null, null], ['7', '2.25', 8, null]] as [$a, $b, $c, $d]) {
    show($s->execute());
    show_statement($s);
    show([$a, $b, $c, $d, $db->insert_id, $db->affected_rows, $db->warning_count]);
}
show($s->send_long_data(3, 'long '), $s->send_long_data(3, 'data'), $s->send_long_data(0, 'no blob'));
show_statement($s);
attempt('parameter 9', fn() => $s->send_long_data(9, 'x'));
attempt('parameter -1', fn() => $s->send_long_data(-1, 'x'));
show_statement($s);
show($s->execute());
unset($a, $b);
show($s->execute());
show($db->query('SELECT * FROM t')->fetch_all());

section('rows into variables');
$s = $db->prepare('SELECT id, a, b, c, d FROM t ORDER BY id');
attempt('too few', fn() => $s->bind_result($x));
attempt('fetch before execute', fn() => $s->fetch());
show_statement($s);
foreach (['unbuffered', 'buffered'] as $how) {
    show($s->execute());
    if ($how === 'buffered') {
        show($s->store_result());
    }
    $s->bind_result($v1, $v2, $v3, $v4, $v5);
    while ($row = $s->fetch()) {
        show([$v1, $v2, $v3, $v4, $v5]);
        show($s->num_rows);
    }
    show($row);
    show($s->fetch());
    show_statement($s);
    if ($how === 'buffered') {
        foreach ([2, 0, 99] as $offset) {
            attempt("seek $offset", fn() => $s->data_seek($offset));
            show($s->fetch(), $v1);
        }
        attempt('seek -1', fn() => $s->data_seek(-1));
    }
}
class Typed { public int $id = 0; public ?string $a = ''; public string $b = ''; public mixed $c; public ?int $d = 0; }
$typed = new Typed();
$s->execute();
$s->bind_result($typed->id, $typed->a, $typed->b, $typed->c, $typed->d);
for ($i = 0; $i < 4; $i++) {
    attempt('typed properties', fn() => $s->fetch());
    attempt('typed', fn() => [$typed->id, $typed->a, $typed->b]);
}
$s->free_result();
show_statement($s);
attempt('bound, then without a result', fn() => $s->fetch());

section('objects of results');
$s = $db->prepare('SELECT id, a, b, c FROM t WHERE id > ? ORDER BY id');
$s->execute([1]);
$result = $s->get_result();
show($result->num_rows, $result->field_count, $result->type);
while ($row = $result->fetch_assoc()) {
    show($row, $result->lengths);
}
show_statement($s);
attempt('get_result again', fn() => $s->get_result());
show_statement($s);
$meta = $s->result_metadata();
show($meta->num_rows, $meta->field_count, array_map(fn($f) => [$f->name, $f->type, $f->flags], $meta->fetch_fields()));
attempt('fetch from metadata', fn() => $meta->fetch_row());
attempt('seek in metadata', fn() => $meta->data_seek(0));
$s->execute([0]);
$s->store_result();
attempt('get_result after store_result', fn() => $s->get_result());
attempt('link is usable', fn() => $db->query('SELECT 1')->fetch_row());
$s->execute([0]);
attempt('link is busy', fn() => $db->query('SELECT 1'));
show_error($db);
$s->close();
attempt('link is usable', fn() => $db->query('SELECT 1')->fetch_row());

section('statements without rows, and refused ones');
$s = $db->prepare('UPDATE t SET a = a + 1');
show($s->execute(), $s->affected_rows, $s->store_result(), $s->get_result(), $s->result_metadata(), $s->fetch());
show_statement($s);
foreach (['SELEKT 1', 'SELECT unknown', '', 'SELECT 1; SELECT 2', 'SELECT ? FROM', 'INSERT INTO t (id) VALUES (1)'] as $sql) {
    attempt("prepare $sql", fn() => $db->prepare($sql));
    show_error($db);
    $s = $db->stmt_init();
    attempt("stmt_init and prepare $sql", fn() => $s->prepare($sql));
    show_statement($s);
    attempt('execute', fn() => $s->execute());
    show_statement($s);
    show_error($db);
}
$s = $db->prepare('INSERT INTO t (id) VALUES (?)');
show($s->execute([1]));
show_statement($s);
show_error($db);
show($s->execute([100]), $s->insert_id, $db->insert_id);
show($s->prepare('SELECT 5'), $s->execute(), $s->get_result()?->fetch_row(), $s->param_count);
attempt('new on a link', fn() => (new mysqli_stmt($db, 'SELECT 1'))->execute());
attempt('new without a text', fn() => (new mysqli_stmt($db))->execute());
attempt('clone', fn() => clone $s);
attempt('serialize', fn() => serialize($s));

section('attributes and cursors');
$s = $db->prepare('SELECT id FROM t ORDER BY id');
foreach ([[0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [1, 3], [2, 0], [2, 1], [2, 5], [7, 1]] as [$attribute, $value]) {
    attempt("attr_set $attribute $value", fn() => $s->attr_set($attribute, $value));
    show_statement($s);
    attempt("attr_get $attribute", fn() => $s->attr_get($attribute));
}
$s->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
foreach (['fetch', 'store_result', 'get_result'] as $how) {
    show($s->execute());
    if ($how === 'get_result') {
        show($s->get_result()->fetch_all());
        continue;
    }
    if ($how === 'store_result') {
        show($s->store_result(), $s->num_rows);
    }
    $s->bind_result($id);
    while ($s->fetch()) {
        show($id);
        if ($how === 'fetch') {
            show($db->query('SELECT "between"')->fetch_row());
        }
    }
    show_statement($s);
}
$s->execute();
$s->fetch();
show($s->reset());
attempt('after reset', fn() => $s->fetch());

section('procedures');
$db->query('CREATE PROCEDURE p(IN x INT) BEGIN SELECT x, "a"; SELECT x + 1; SELECT "three", 3, 3.5; END');
$s = $db->prepare('CALL p(?)');
$s->execute([40]);
do {
    show($s->field_count);
    $result = $s->get_result();
    show($result ? $result->fetch_all() : $result);
    show_statement($s);
    show($more = $s->more_results(), $next = $s->next_result());
} while ($next);
show_statement($s);
$s->execute([1]);
$s->store_result();
show($s->next_result(), $s->store_result(), $s->num_rows);
$s->execute([2]);
show($s->get_result()->fetch_all());
$s->close();
attempt('link is usable', fn() => $db->query('SELECT 1')->fetch_row());

section('execute_query');
foreach ([['SELECT ?', ['x']], ['SELECT 1', null], ['SELECT ?', []], ['SELECT ?', ['a', 'b']], ['SELECT ?', ['k' => 1]], ['SELEKT', null], ['UPDATE t SET a = ?', [5]], ['DO 1', []], ['INSERT INTO t (id) VALUES (1)', null]] as [$sql, $array]) {
    attempt("$sql " . json_encode($array), function () use ($db, $sql, $array) {
        $result = $db->execute_query($sql, $array);
        return [is_object($result) ? $result->fetch_all() : $result, $db->affected_rows, $db->errno, $db->error, $db->field_count, $db->insert_id];
    });
    attempt('mysqli_execute_query', fn() => is_object($r = mysqli_execute_query($db, $sql, $array)) ? $r->num_rows : $r);
}

section('warnings');
attempt('none', fn() => $db->get_warnings());
$s = $db->prepare("SELECT CAST(? AS SIGNED), CAST('y' AS SIGNED)");
$s->execute(['x']);
$s->get_result();
function show_warnings(mysqli|mysqli_stmt $of): void
{
    for ($is_there = (bool)($warning = $of->get_warnings()); $is_there; $is_there = $warning->next()) {
        show([$warning->errno, $warning->sqlstate, $warning->message]);
    }
    show($warning && $warning->next());
}
show_warnings($s);
$s = $db->prepare("UPDATE t SET c = CAST('z' AS SIGNED) + ?");
$db->query('SET sql_mode = ""');
$s->execute(['x']);
show_warnings($s);
$db->query("SELECT CAST('y' AS SIGNED)");
show_warnings($db);
attempt('new mysqli_warning', fn() => new mysqli_warning());
attempt('statement without', fn() => $db->prepare('SELECT 1')->get_warnings());

section('what the end of a statement does to its link');
$tell = function () use ($db): void { show($db->errno, $db->sqlstate, $db->error, count($db->error_list)); };
foreach (['SELEKT', 'SELECT 1'] as $sql) {
    $s = new mysqli_stmt($db, $sql);
    $tell();
    $db->query('nonsense');
    $s = null;
    $tell();
    new mysqli_stmt($db, $sql);
    $tell();
    $s = $db->stmt_init();
    $s->prepare($sql);
    $tell();
    attempt('close', fn() => $s->close());
    $tell();
    attempt('prepare', fn() => is_object($db->prepare($sql)));
    $tell();
    attempt('use_result', fn() => $db->use_result());
    $db->query('DO 1');
}

section('results that wait when a statement runs');
foreach (['SELECT 5', 'DO 1'] as $sql) {
    foreach (['DO 1; SELECT 2; SELECT 3', 'SELECT 1; SELECT 2'] as $many) {
        $s = $db->prepare($sql);
        attempt("$many, then $sql", fn() => [$db->multi_query($many), $s->execute(), $s->errno, is_object($r = $s->get_result()) ? $r->fetch_all() : $r]);
        attempt('the rest', fn() => [$db->more_results(), $db->next_result(), is_object($r = $db->store_result()) ? $r->fetch_all() : $r]);
        while ($db->more_results() && $db->next_result()) {
            $db->store_result();
        }
        attempt("$many, then reset", fn() => [$db->multi_query($many), $s->reset(), $s->errno, $db->more_results(), $db->next_result()]);
        while ($db->more_results() && $db->next_result()) {
            $db->store_result();
        }
        attempt('what is left', fn() => is_object($r = $db->store_result()) ? $r->fetch_all() : $r);
        while ($db->more_results() && $db->next_result()) {
            $db->store_result();
        }
        attempt("$many, then another in its place", fn() => [$db->multi_query($many), $s->prepare('SELECT 6'), $s->errno]);
        $s->close();
        attempt('the rest', fn() => is_object($r = $db->store_result()) ? $r->fetch_all() : $r);
        while ($db->more_results() && $db->next_result()) {
            $db->store_result();
        }
    }
}

section('the link goes first');
$s = $db->prepare('SELECT ?');
$s->execute(['x']);
$db->close();
foreach (['fetch', 'get_result', 'store_result', 'execute', 'reset', 'free_result', 'more_results', 'next_result'] as $name) {
    attempt($name, fn() => $s->$name());
    show_statement($s);
}
attempt('close', fn() => $s->close());
