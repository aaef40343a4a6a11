<?php
/*
 * Sequences of mysqli: links, results, statements and warnings, by methods and functions.
 */

declare(strict_types=1);

final class MysqliSequence extends Sequence
{
    protected const KINDS = ['mysqli' => 'link', 'mysqli_result' => 'result', 'mysqli_stmt' => 'stmt', 'mysqli_warning' => 'warning'];
    protected const ARGUMENTS = MysqliArguments::class;

    /** @var array<int, array{int, int}> how many parameters and columns each statement has */
    private array $shapes = [];
    /** @var array<string, true> links that were asked something and not taken the answer of */
    private array $is_due = [];

    protected function first(): string
    {
        return $this->dice->one_in(3) ? $this->report() : 'mysqli_report(MYSQLI_REPORT_OFF)';
    }

    protected function fitting(array $call, array $arguments): array
    {
        if (preg_match('/connect$/', $call['name']) && !$this->dice->one_in(3)) {
            return [...array_slice($arguments, 0, $call['class'] === null && $call['name'] === 'mysqli_real_connect' ? 1 : 0), '...address()'];
        }
        return $arguments;
    }

    private function report(): string
    {
        return 'mysqli_report(' . $this->dice->any(['MYSQLI_REPORT_ERROR', 'MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT', 'MYSQLI_REPORT_ALL', 'MYSQLI_REPORT_ALL ^ MYSQLI_REPORT_STRICT']) . ')';
    }

    protected function step(): string
    {
        if ($this->set['link'] === []) {
            return $this->make_link();
        }
        $roll = $this->dice->number(1, 100);
        return match (true) {
            $roll <= 4 => $this->make_link(),
            $roll <= 20 => $this->ask(),
            $roll <= 30 => $this->fetch(),
            $roll <= 50 => $this->use_statement(),
            $roll <= 54 => $this->look(),
            $roll <= 58 => $this->drop(),
            $roll <= 61 => '$' . $this->dice->any(['a', 'b', 'c']) . ' = ' . $this->arguments->value(),
            $roll <= 62 => $this->dice->any(['$links = [$link0]', '$links = [$link0, $link1]', '$links = []', '$links = [1]', '$none = []', '$none = null']),
            $roll <= 63 => $this->dice->any([$this->report(), '$driver->report_mode = ' . $this->dice->any(['0', '1', '3', "'x'", '-1', '255']), 'dump($driver)', '$driver->client_info', '$driver->no_such_property']),
            default => $this->call(),
        };
    }

    private function make_link(): string
    {
        $into = $this->into('link');
        return $into . ($this->dice->one_in(4) ? $this->dice->any(['mysqli_init()', 'new mysqli', 'new Bare', 'new Child(...address())', "connect(hostname: 'p:localhost')",
            "connect(username: 'nobody')", "connect(database: 'no_such_db')", 'mysqli_connect(...address())', "connect(database: '')"]) : 'connect()');
    }

    /** A query, or what comes after one. */
    private function ask(): string
    {
        $link = $this->some('link');
        $sql = fn(?array $from = null) => $this->arguments->sql(self::number($link), $from);
        return match (isset($this->is_due[$link]) && $this->dice->one_in(3) ? 11 : $this->dice->number(1, 12)) {
            1, 2 => $this->into('result') . "{$link}->query({$sql(Arguments::ROWS)})",
            3 => $this->into('result') . "{$link}->query({$sql(Arguments::ROWS)}, MYSQLI_USE_RESULT)",
            4 => "{$link}->query({$sql()})",
            5 => "{$link}->multi_query({$this->arguments->many_sql(self::number($link))})",
            6 => $this->into('result') . "{$link}->" . $this->dice->any(['store_result()', 'use_result()']),
            7 => "{$link}->next_result()",
            8 => "{$link}->real_query({$sql()})",
            9 => "{$link}->query({$sql(Arguments::NO_ROWS)})",
            10 => $this->into('warning') . "{$link}->get_warnings()",
            11 => $this->ask_later($link, $sql()),
            12 => $this->into('result') . "{$link}->execute_query({$sql(Arguments::ROWS)})",
        };
    }

    /** Sends a query, and then takes its answer. */
    private function ask_later(string $link, string $sql): string
    {
        if (isset($this->is_due[$link])) {
            unset($this->is_due[$link]);
            return $this->into('result') . "{$link}->reap_async_query()";
        }
        $this->is_due[$link] = true;
        return "{$link}->query($sql, MYSQLI_ASYNC" . $this->dice->any(['', ' | MYSQLI_USE_RESULT']) . ')';
    }

    private function fetch(): string
    {
        $result = $this->some('result');
        return "{$result}->" . $this->dice->any(['fetch_row()', 'fetch_row()', 'fetch_assoc()', 'fetch_array()', 'fetch_all()', 'fetch_object()', 'fetch_column()', 'fetch_field()', 'free()', 'num_rows', 'lengths', 'data_seek(0)']);
    }

    /** The next thing that one does with a prepared statement, or something else that one can. */
    private function use_statement(): string
    {
        if ($this->set['stmt'] === [] || $this->dice->one_in(6)) {
            $link = $this->some('link');
            $into = $this->into('stmt');
            [$text, $parameters, $columns] = $this->dice->any(Arguments::PREPARED);
            $this->shapes[self::number(rtrim($into, ' ='))] = [$parameters, $columns];
            return $into . "{$link}->prepare(" . Arguments::quoted($text, self::number($link)) . ')';
        }
        $stmt = $this->some('stmt');
        [$parameters, $columns] = $this->shapes[self::number($stmt)] ?? [1, 1];
        $variables = fn(int $count) => implode(', ', array_slice(['$a', '$b', '$c', '$d'], 0, $count));
        return match ($this->dice->number(1, 11)) {
            1, 2 => "{$stmt}->execute()",
            3 => "{$stmt}->execute([" . implode(', ', array_map(fn() => $this->arguments->value(), range(1, $parameters))) . '])',
            4, 5 => $parameters > 0 ? "{$stmt}->bind_param('" . implode('', array_map(fn() => $this->dice->any(['i', 's', 'd', 'b', 's']), range(1, $parameters))) . "', {$variables($parameters)})" : "{$stmt}->execute()",
            6 => "{$stmt}->bind_result(" . ($columns > 4 ? '...$many' : $variables($columns)) . ')',
            7, 8 => "{$stmt}->fetch()",
            9 => $this->into('result') . "{$stmt}->get_result()",
            10 => "{$stmt}->store_result()",
            11 => $this->dice->any(["{$stmt}->next_result()", "{$stmt}->free_result()", "{$stmt}->reset()", "{$stmt}->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY)"]),
        };
    }

    /** What PHP itself does with objects. */
    private function look(): string
    {
        $class = $this->dice->any(array_keys(self::KINDS));
        $object = $this->some(self::KINDS[$class]);
        $property = $this->dice->any([...$this->catalogue['properties'][$class], 'no_such_property']);
        return str_replace('OBJECT', $object, $this->dice->any(['dump(OBJECT)', 'dump(OBJECT)', "OBJECT->$property", "OBJECT->$property", "isset(OBJECT->$property)", "empty(OBJECT->$property)", "OBJECT->$property = 1", "OBJECT->$property = 'x'",
            "\$property = &OBJECT->$property", 'clone OBJECT', 'serialize(OBJECT)', 'count((array) OBJECT)', 'OBJECT == OBJECT', '(bool) OBJECT', 'iterator_to_array(OBJECT)', "OBJECT->{$property}[0]", 'json_encode(OBJECT)',
            "OBJECT->no_such_method()", 'foreach_one(OBJECT)', 'get_object_vars(OBJECT)', "drop(OBJECT, '$property')", 'OBJECT->__construct()', 'array_keys((array) OBJECT)', "OBJECT->$property++"]));
    }

    private function drop(): string
    {
        $kind = $this->dice->any(['link', 'result', 'result', 'stmt', 'stmt', 'warning']);
        $object = $this->some($kind);
        return $kind === 'warning' || $this->dice->one_in(2) ? "$object = null" : "{$object}->close()";
    }
}
