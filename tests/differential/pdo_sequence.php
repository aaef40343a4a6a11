<?php
/*
 * Sequences of PDO: handles and statements, emulated and prepared, buffered and not.
 */

declare(strict_types=1);

final class PdoSequence extends Sequence
{
    protected const KINDS = ['PDO' => 'db', 'PDOStatement' => 'stmt', 'Pdo\Mysql' => 'db'];
    protected const ARGUMENTS = PdoArguments::class;
    protected const STEPS = 30;

    /** @var array<int, array{list<int|string>, int}> the parameters of each statement, and how many columns it has */
    private array $shapes = [];
    /** @var array<int, true> statements that were run, and probably have rows */
    private array $has_run = [];
    /** @var array<int, true> handles that probably are in a transaction */
    private array $in_transaction = [];
    /** Whether a handle may be a persistent one: then none is constructed again, for PDO frees what the other uses. */
    private bool $is_persistent = false;

    protected function first(): string
    {
        $this->arguments->attributes($this->catalogue['constants']);
        $this->is_persistent = $this->dice->one_in(8);
        return $this->into('db') . "connect_pdo({$this->arguments->options()}" . ($this->is_persistent ? ', own_key())' : ')');
    }

    /**
     * In PHP 8.4 (8.4.24 and 8.4.27; not in 8.2) PDOStatement::fetchAll() lets go of a reference that is not its own to the object of a statement's
     * FETCH_INTO: the object is freed while others use it. So there such sequences have either FETCH_INTO or fetchAll().
     */
    protected function harmless(array $steps): array
    {
        $spoils = PHP_VERSION_ID >= 80300 && preg_grep('/fetchAll\(/i', $steps) !== [];
        return $spoils ? preg_replace('/PDO::FETCH_INTO(, new \w+)?/', 'PDO::FETCH_NAMED', $steps) : $steps;
    }

    protected function step(): string
    {
        if ($this->set['stmt'] === []) {
            return $this->use_statement();
        }
        $roll = $this->dice->number(1, 100);
        return match (true) {
            $roll <= 4 => $this->make_db(),
            $roll <= 18 => $this->ask(),
            $roll <= 32 => $this->fetch(),
            $roll <= 52 => $this->use_statement(),
            $roll <= 57 => $this->set_attribute(),
            $roll <= 61 => $this->transact(),
            $roll <= 65 => $this->look(),
            $roll <= 71 => $this->drop(),
            $roll <= 75 => '$' . $this->dice->any(['a', 'b', 'c', 'd']) . ' = ' . $this->arguments->value(),
            $roll <= 77 => $this->meddle(),
            $roll <= 78 => $this->end_from_outside(),
            default => $this->call(),
        };
    }

    protected function fitting(array $call, array $arguments): array
    {
        return match ($this->dice->one_in(4) ? '' : $call['name']) {
            '__construct', 'connect' => ['data_source()', "server('USER')", "server('PASSWORD')", $this->arguments->options()],
            'setAttribute' => [$attribute = $this->arguments->attribute(), $this->arguments->value_of($attribute)],
            'setFetchMode' => [$this->arguments->fetch_with()],
            'fetchAll' => array_filter([$this->arguments->fetch_all()]),
            default => $arguments,
        };
    }

    private function make_db(): string
    {
        $options = $this->arguments->options();
        if ($this->is_persistent) {
            $options = '[PDO::ATTR_PERSISTENT => ' . $this->dice->any(['true', 'true', 'own_key()', 'false']) . ', ' . substr($options, 1);
        }
        $more = $this->is_persistent ? ', own_key()' : '';
        return $this->dice->one_in(8) ? $this->dice->any(["new PDO(data_source(), 'nobody', 'wrong', $options)", "connect_pdo($options, ';charset=nonsense')", "connect_pdo($options, ';dbname=no_such_db')",
            $this->into('db') . "new ChildOfPdo(data_source(), server('USER'), server('PASSWORD'), $options)", $this->into('db') . $this->dice->any(['connect_pdo()', 'connect_pdo()', 'new BarePdo', '(new ReflectionClass(PDO::class))->newInstanceWithoutConstructor()']),
            "new PDO('mysql:host=127.0.0.1;port=' . server('PORT') . ';dbname=' . server('DATABASE'), server('USER'), server('PASSWORD'), {$this->arguments->tls()})"]) : $this->into('db') . "connect_pdo($options$more)";
    }

    /** A statement that was run, most of the time. */
    private function some_run(): string
    {
        return $this->has_run === [] || $this->dice->one_in(8) ? $this->some('stmt') : '$stmt' . $this->dice->any(array_keys($this->has_run));
    }

    /** A statement to set, as the beginning of an assignment; whether it is run at once. */
    private function into_statement(bool $is_run): string
    {
        $into = $this->into('stmt');
        $number = self::number(rtrim($into, ' ='));
        unset($this->has_run[$number]);
        if ($is_run) {
            $this->has_run[$number] = true;
        }
        return $into;
    }

    private function transact(): string
    {
        $db = $this->some('db');
        $number = self::number($db);
        if (isset($this->in_transaction[$number]) && !$this->dice->one_in(4)) {
            unset($this->in_transaction[$number]);
            return "{$db}->" . $this->dice->any(['commit()', 'rollBack()']);
        }
        $call = $this->dice->any(['beginTransaction()', 'beginTransaction()', 'beginTransaction()', 'commit()', 'rollBack()', 'inTransaction()', 'lastInsertId()']);
        if ($call === 'beginTransaction()') {
            $this->in_transaction[$number] = true;
        }
        return "{$db}->$call";
    }

    private function ask(): string
    {
        $db = $this->some('db');
        $number = self::number($db);
        return match ($this->dice->number(1, 9)) {
            9 => $this->into_statement(true) . "{$db}->query('" . $this->dice->any(['SELECT 1; SELECT 2, 3', 'CALL two()', 'CALL two()', 'SELECT id FROM t; DO 1; SELECT name, id FROM t']) . "')",
            1, 2, 3 => $this->into_statement(true) . "{$db}->query({$this->arguments->sql($number, PdoArguments::ROWS)})",
            4 => $this->into_statement(true) . "{$db}->query({$this->arguments->sql($number)}" . $this->dice->any(['', ', ' . $this->arguments->fetch_with()]) . ')',
            5 => $this->into_statement(true) . "{$db}->query({$this->arguments->many_sql($number)})",
            6 => "{$db}->exec({$this->arguments->sql($number)})",
            7 => "{$db}->exec({$this->arguments->sql($number, PdoArguments::NO_ROWS)})",
            8 => "{$db}->exec({$this->arguments->many_sql($number)})",
        };
    }

    private function fetch(): string
    {
        $stmt = $this->some_run();
        return match ($this->dice->number(1, 12)) {
            1, 2, 3, 4 => "{$stmt}->fetch({$this->arguments->fetch()})",
            5, 6 => "{$stmt}->fetchAll({$this->arguments->fetch_all()})",
            7 => "{$stmt}->fetchColumn({$this->dice->any(['', '0', '1', '100', '-1'])})",
            8 => "{$stmt}->fetchObject({$this->dice->any(['', "'Row'", "'Row', [1]", "'Meddling'", "'Throwing'"])})",
            9, 10 => "{$stmt}->nextRowset()",
            11 => "{$stmt}->closeCursor()",
            12 => $this->dice->any(["iterator_to_array($stmt)", "foreach_one($stmt)", "{$stmt}->setFetchMode({$this->arguments->fetch_with()})", "\$row = {$stmt}->fetch(PDO::FETCH_LAZY)", '$row->id', 'isset($row->name)', 'text($row)', '$row = null',
                "\$it = {$stmt}->getIterator()", '$it->current()', '$it->next()', '$it->rewind()', '$it = null']),
        };
    }

    /** The next thing that one does with a prepared statement, or something else that one can. */
    private function use_statement(): string
    {
        if ($this->set['stmt'] === [] || $this->dice->one_in(5)) {
            $db = $this->some('db');
            $into = $this->into_statement(false);
            [$text, $parameters, $columns] = $this->dice->any(PdoArguments::TO_PREPARE);
            $this->shapes[self::number(rtrim($into, ' ='))] = [$parameters, $columns];
            return $into . "{$db}->prepare(" . PdoArguments::quoted($text, self::number($db)) . ')';
        }
        $stmt = $this->some('stmt');
        $number = self::number($stmt);
        [$parameters] = $this->shapes[$number] ?? [[], 1];
        $parameter = $parameters === [] || $this->dice->one_in(12) ? $this->dice->any(['1', '2', "':a'", '0']) : var_export($this->dice->any($parameters), true);
        $variable = '$' . $this->dice->any(['a', 'b', 'c', 'd']);
        $values = fn() => implode(', ', array_map(fn(int|string $parameter) => (is_string($parameter) ? "'$parameter' => " : '') . $this->arguments->value(), $parameters));
        $roll = $this->dice->number($parameters === [] || $this->dice->one_in(4) ? 1 : 3, 10);
        if ($roll <= 5) {
            $this->has_run[$number] = true;
        }
        return match ($roll) {
            1, 2 => "{$stmt}->execute()",
            3, 4, 5 => "{$stmt}->execute([{$values()}])",
            6, 7 => "{$stmt}->bindValue($parameter, {$this->arguments->value()}" . $this->dice->any(['', ', ' . $this->arguments->type()]) . ')',
            8, 9 => "{$stmt}->bindParam($parameter, $variable" . $this->dice->any(['', ', ' . $this->arguments->type()]) . ')',
            10 => "{$stmt}->bindColumn({$this->arguments->column()}, $variable" . $this->dice->any(['', ', ' . $this->arguments->type()]) . ')',
        };
    }

    private function set_attribute(): string
    {
        $attribute = $this->arguments->attribute();
        return $this->some('db') . ($this->dice->one_in(3) ? "->getAttribute($attribute)" : "->setAttribute($attribute, {$this->arguments->value_of($attribute)})");
    }

    /** What PHP itself does with objects. */
    private function look(): string
    {
        $class = $this->dice->any(['PDO', 'PDOStatement', 'PDOStatement']);
        $object = $this->some(self::KINDS[$class]);
        $property = $this->dice->any([...$this->catalogue['properties'][$class], 'no_such_property']);
        $again = $this->is_persistent ? [] : ['OBJECT->__construct()'];
        return str_replace('OBJECT', $object, $this->dice->any(['dump(OBJECT)', 'dump(OBJECT)', "OBJECT->$property", "isset(OBJECT->$property)", "empty(OBJECT->$property)", "OBJECT->$property = 'x'", "\$property = &OBJECT->$property",
            'clone OBJECT', 'serialize(OBJECT)', 'count((array) OBJECT)', 'OBJECT == OBJECT', '(bool) OBJECT', 'json_encode(OBJECT)', 'OBJECT->no_such_method()', 'get_object_vars(OBJECT)', "drop(OBJECT, '$property')", 'array_keys((array) OBJECT)',
            'OBJECT->errorInfo()', 'OBJECT->errorCode()', 'var_export(OBJECT, true)', "unserialize('O:3:\"PDO\":0:{}')", 'new PDOStatement', 'new PDORow', 'PDO::getAvailableDrivers()', ...$again]));
    }

    private function drop(): string
    {
        $kind = $this->dice->any(['db', 'stmt', 'stmt', 'stmt']);
        $object = $this->some($kind);
        if ($this->dice->one_in(4)) {
            return ($kind === 'stmt' ? $this->into_statement(true) : $this->into($kind)) . $object;
        }
        if ($kind === 'stmt') {
            unset($this->has_run[self::number($object)]);
        }
        if (count($this->set[$kind]) > 1) {
            $this->set[$kind] = array_values(array_diff($this->set[$kind], [self::number($object)]));
        }
        return "$object = null";
    }

    /** What objects made of rows, and functions called with them, do in the middle of a fetch. */
    private function meddle(): string
    {
        $stmt = $this->some('stmt');
        $db = $this->some('db');
        $act = $this->dice->any(["{$stmt}->fetch(PDO::FETCH_NUM)", "{$stmt}->execute()", "{$stmt}->closeCursor()", "$stmt = null", "$db = null", "{$stmt}->nextRowset()", "{$stmt}->bindColumn(1, \$b)", "{$stmt}->fetchAll(PDO::FETCH_NUM)",
            "{$db}->query('SELECT 1, 2')->fetch(PDO::FETCH_NUM)", "throw new DomainException('meddled')"]);
        return "Meddling::\$act = function () use (&$stmt, &$db, &\$b) { return $act; }";
    }

    private function end_from_outside(): string
    {
        return $this->dice->any(["\$id = id_of({$this->some('db')})", 'kill($id)', "kill(id_of({$this->some('db')}))"]);
    }
}
