<?php
// Prepared statements in orders that nobody means: after refused calls, foreign results and new connections. tests/differential found them.
// places: mariadb-unix mysql80-tcp
require 'support/prelude.php';
mysqli_report(MYSQLI_REPORT_OFF);

const LATE_ERROR = 'SELECT n, (SELECT m FROM (SELECT 1 AS m UNION SELECT 2) AS y WHERE x.n = 2 OR m = 1) AS v FROM (SELECT 1 AS n UNION SELECT 2) AS x';
connect()->query('CREATE PROCEDURE two() BEGIN SELECT 1 AS one; SELECT 2 AS two; END');

/** Shows what each step gives, and the state in which it leaves the link and the statement. */
function steps(string $name, Closure ...$steps): void
{
    section($name);
    $db = connect();
    $s = $a = $b = null;
    foreach ($steps as $number => $step) {
        try {
            $value = $step($db, $s, $a, $b);
            $shown = $value instanceof mysqli_result ? 'a result' : ($value instanceof mysqli_stmt ? 'a statement' : text($value));
        } catch (Throwable $thrown) {
            $shown = text($thrown);
        }
        echo "$number: $shown; bound ", text([$a, $b]), "\n";
        echo "  link: $db->affected_rows $db->errno $db->error $db->field_count\n";
        if ($s !== null) {
            echo '  statement: ', text(array_map(fn(string $property) => attempt_value(fn() => $s->$property), ['affected_rows', 'num_rows', 'field_count', 'errno', 'error'])), "\n";
        }
    }
}

function attempt_value(callable $f): mixed
{
    try {
        return $f();
    } catch (Throwable $thrown) {
        return $thrown->getMessage();
    }
}

steps('prepared again after the link has a new connection',
    function ($db, &$s) { $s = $db->prepare('SELECT 1'); },
    fn($db) => $db->real_connect(...address()),
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->result_metadata(),
    fn($db, $s) => $s->more_results(),
    fn($db, $s) => $s->prepare('SELECT 1'));
steps('prepared for the first time then',
    function ($db, &$s) { $s = $db->stmt_init(); },
    fn($db) => $db->real_connect(...address()),
    fn($db, $s) => $s->prepare('SELECT 1'));
steps('columns after rows were freed',
    function ($db, &$s) { $s = $db->prepare('SELECT 1'); },
    fn($db, $s) => $s->result_metadata(),
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->free_result(),
    fn($db, $s) => $s->result_metadata(),
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->result_metadata(),
    fn($db, $s) => $s->get_result(),
    fn($db, $s) => $s->result_metadata());
steps('columns after a run that could not be tried',
    function ($db, &$s) { $s = $db->prepare('SELECT ?'); },
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->result_metadata());
steps('storing fails',
    function ($db, &$s) { $s = $db->prepare(LATE_ERROR); },
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->store_result(),
    fn($db, $s) => $s->get_result(),
    fn($db, $s) => $s->result_metadata());
steps('a cursor wanted too late',
    function ($db, &$s) { $s = $db->prepare('SELECT 1'); },
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY),
    fn($db, $s) => $s->fetch());
steps('freed after a refused call',
    function ($db, &$s) { $s = $db->prepare('SELECT 1'); },
    fn($db, $s) => $s->execute(),
    fn($db) => $db->query('DO 1'),
    fn($db, $s) => $s->send_long_data(0, 'x'),
    fn($db, $s) => $s->free_result());
steps("others' results in the way",
    function ($db, &$s) { $s = $db->prepare('SELECT 1, 2'); },
    fn($db, &$s, &$a, &$b) => $s->bind_result($a, $b),
    fn($db) => $db->multi_query('SELECT 1; DO 1; SELECT 2; SELECT 3'),
    fn($db) => $db->store_result(),
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->prepare('SELECT 3, 4'));
steps("variables after others' results",
    function ($db, &$s) { $s = $db->prepare('SELECT 1, 2'); },
    fn($db, &$s, &$a, &$b) => $s->bind_result($a, $b),
    fn($db) => $db->multi_query('SELECT 1; DO 1'),
    fn($db) => $db->store_result(),
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->fetch());
steps("others' next result is an error",
    function ($db, &$s) { $s = $db->prepare('SELECT 1'); },
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->get_result(),
    fn($db) => $db->multi_query('DO 1; SELECT nothing'),
    fn($db, $s) => $s->next_result());
steps('asked for the index of a statement that was prepared before',
    function ($db, &$s) { $s = $db->prepare('CALL two()'); },
    fn() => mysqli_report(MYSQLI_REPORT_ALL),
    fn($db, $s) => $s->execute(),
    fn() => mysqli_report(MYSQLI_REPORT_OFF));
steps('a result of before the new connection',
    function ($db, &$s, &$a) { $a = $db->query('SELECT 1 UNION SELECT 2'); },
    fn($db) => $db->real_connect(...address()),
    fn($db) => $db->query('nonsense'),
    fn($db, $s, $a) => $a->fetch_row());
steps('columns alone leave the error',
    function ($db, &$s, &$a) { $s = $db->prepare('SELECT 1'); $a = $s->result_metadata(); },
    fn($db) => $db->query('nonsense'),
    fn($db, $s, $a) => $a->fetch_row());
steps('a kill that is refused',
    fn($db) => $db->multi_query('DO 1; DO 2'),
    fn($db) => $db->kill(5));
steps('a part of no parameter',
    function ($db, &$s) { $s = $db->prepare('SELECT 1'); },
    fn($db, $s) => $s->execute([]),
    fn($db, $s) => $s->send_long_data(0, 'x'));
steps('a part of a parameter after the link has a new connection',
    function ($db, &$s, &$a) { $s = $db->prepare('SELECT ?'); $s->bind_param('b', $a); },
    fn($db) => $db->real_connect(...address()),
    fn($db, $s) => $s->send_long_data(0, 'x'));
steps('rows behind a cursor, counted by the link',
    function ($db, &$s) { $s = $db->prepare('SELECT 1 UNION SELECT 2'); $s->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY); },
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->fetch(),
    fn($db, $s) => $s->fetch(),
    fn($db, $s) => $s->fetch(),
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->store_result(),
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->get_result());
/** Becomes a string, and sets something on the way. */
final class Setting
{
    public function __construct(private Closure $set)
    {
    }

    public function __toString(): string
    {
        ($this->set)();
        return 'set';
    }
}
steps('parameters that one of them sets',
    function ($db, &$s, &$a, &$b) {
        $a = 1;
        $b = '1';
        $setting = new Setting(function () use (&$a, &$b) { $a = 2; $b = '2'; });
        $s = $db->prepare('SELECT ?, ?, ?');
        $s->bind_param('iss', $a, $setting, $b);
    },
    fn($db, $s) => $s->execute(),
    fn($db, $s) => json_encode($s->get_result()->fetch_row()));
const TYPES = ['is' => [7, 'setting', 9], 'si' => ['setting', '7', '9'], 'ds' => ['7', 'setting', '9'], 'sd' => ['setting', 7.5, 9.5], 'id' => [7, 'warning', 9], 'di' => ['warning', '7', '9'], 'dd' => ['7', 'warning', '9']];
foreach (TYPES as $types => [$first, $second, $set]) {
    steps("parameters that one of them sets, $types",
        function ($db, &$s, &$a, &$b) use ($types, $first, $second, $set) {
            $change = function () use (&$a, &$b, $set) { is_object($a) ? $b = $set : $a = $set; };
            set_error_handler(function () use ($change) { $change(); return true; });
            [$a, $b] = array_map(fn(mixed $value) => match ($value) { 'setting' => new Setting($change), 'warning' => new stdClass, default => $value }, [$first, $second]);
            $s = $db->prepare('SELECT ?, ?');
            $s->bind_param($types, $a, $b);
        },
        fn($db, $s) => $s->execute(),
        fn($db, $s) => json_encode($s->get_result()->fetch_row()),
        fn() => restore_error_handler());
}
steps('reset after the link was closed',
    function ($db, &$s) { $s = $db->prepare('SELECT 1 UNION SELECT 2'); },
    fn($db, $s) => $s->execute(),
    fn($db, $s) => $s->fetch(),
    fn($db, &$s, &$a) => $a = $s->num_rows);
steps('a kill of oneself that is refused',
    fn($db) => $db->multi_query('DO 1; DO 2'),
    fn($db) => $db->kill($db->thread_id));
steps('prepared again after a cursor was wanted',
    function ($db, &$s) { $s = $db->prepare('SELECT 1'); },
    fn($db, $s) => $s->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY),
    fn($db, $s) => $s->prepare('SELECT 1'),
    fn($db, $s) => $s->attr_get(MYSQLI_STMT_ATTR_CURSOR_TYPE),
    fn($db, $s) => $s->execute(),
    fn($db) => $db->query('SELECT 2'));
section('begun again after a constructor that failed');
$db = connect(username: 'nobody');
$db->init();
show($db->errno, $db->error);
