<?php
/*
 * A side of mysqli: all the ways in which it asks, and all that it tells of an answer.
 */

declare(strict_types=1);

final class Bare
{
    public mixed $k = 'untouched';
}

final class MysqliSide extends Side
{
    public const FETCHES = ['row', 'assoc', 'array', 'both', 'all', 'all_assoc', 'object', 'class', 'column', 'foreach', 'seek', 'none', 'first', 'rows'];
    public const OF_TEXT = ['store', 'store', 'store', 'store', 'store', 'store', 'real', 'multi', 'use', 'reap', 'real_use'];
    public const OF_PREPARED = ['get_result', 'get_result', 'get_result', 'execute_query', 'execute_query', 'stmt_store', 'stmt_store', 'stmt_use', 'execute_array', 'vaquita_query', 'twice'];

    protected function connect(): mysqli
    {
        $link = mysqli_init();
        $link->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, $this->as['native']);
        [$user, $password] = $this->server->account($this->as['user'] ?? null);
        $database = $this->sql($this->as['database'] ?? ONE);
        $host = ($this->as['persistent'] ? 'p:' : '') . ($this->as['tcp'] ? '127.0.0.1' : 'localhost');
        $link->real_connect($host, $user, $password, $database, $this->server->port(), $this->as['tcp'] ? null : $this->server->socket(), $this->as['flags']);
        $link->set_charset($this->as['charset']);
        return $link;
    }

    protected function thread(): int
    {
        return $this->link->thread_id;
    }

    protected function state(): array
    {
        $state = [];
        foreach (['errno', 'error', 'sqlstate', 'error_list', 'affected_rows', 'insert_id', 'field_count', 'warning_count', 'info'] as $name) {
            $state[$name] = $this->link->$name;
        }
        return $state;
    }

    protected function ask(string $way, string $sql, array $parameters, string $types): array
    {
        [$way, $fetch] = explode(' ', $way);
        $link = $this->link;
        return match ($way) {
            'store' => $this->result($link->query($sql), $fetch),
            'use' => $this->result($link->query($sql, MYSQLI_USE_RESULT), $fetch),
            'real' => [$link->real_query($sql), $this->result($link->store_result(), $fetch)],
            'real_use' => [$link->real_query($sql), $this->result($link->use_result(), $fetch)],
            'multi' => $this->multi($sql, $fetch),
            'two' => $this->multi("$sql; SELECT FOUND_ROWS(), ROW_COUNT()", $fetch),
            'reap' => [$link->query($sql, MYSQLI_ASYNC), $this->result($link->reap_async_query(), $fetch)],
            'execute_query' => $this->result($link->execute_query($sql, $parameters), $fetch),
            'vaquita_query' => function_exists('Vaquita\query') ? $this->result(Vaquita\query($link, $sql, $parameters), $fetch) : [],
            'warnings' => [$this->result($link->query($sql), $fetch), $this->warnings($link)],
            'plain' => [$link->query($sql)],
            default => $this->prepared($way, $fetch, $sql, $parameters, $types),
        };
    }

    private function multi(string $sql, string $fetch): array
    {
        $came = [$this->link->multi_query($sql)];
        do {
            $came[] = [$this->result($this->link->store_result(), $fetch), $this->state(), $this->link->more_results()];
        } while ($this->link->more_results() && $this->link->next_result() && count($came) < 10);
        return $came;
    }

    private function result(mysqli_result|bool|null $result, string $fetch): array
    {
        if (!$result instanceof mysqli_result) {
            return ['no result', $result, $this->state()];
        }
        $came = ['num_rows' => $result->num_rows, 'field_count' => $result->field_count, 'type' => $result->type, 'lengths' => $result->lengths, 'state' => $this->state()];
        if ($fetch === 'unread') {
            $this->pending[] = $result;
            return $came;
        }
        $came['fields'] = array_map(fn(object $field) => (array) $field, $result->fetch_fields());
        $each = function (Closure $next) use ($result): array {
            $rows = [];
            while (($row = $next()) !== null && $row !== false && count($rows) < 200) {
                $rows[] = [is_object($row) ? [$row::class, get_object_vars($row)] : $row, $result->lengths];
            }
            return [$rows, $row];
        };
        $came['rows'] = match ($fetch) {
            'row' => $each(fn() => $result->fetch_row()),
            'assoc' => $each(fn() => $result->fetch_assoc()),
            'array' => $each(fn() => $result->fetch_array()),
            'both' => $each(fn() => $result->fetch_array(MYSQLI_NUM)),
            'all' => $result->fetch_all(),
            'all_assoc' => $result->fetch_all(MYSQLI_ASSOC),
            'object' => $each(fn() => $result->fetch_object()),
            'class' => $each(fn() => $result->fetch_object(Bare::class)),
            'column' => $each(fn() => $result->fetch_column()),
            'foreach' => self::all($result),
            'seek' => [$result->fetch_row(), $result->type === MYSQLI_STORE_RESULT ? [$result->data_seek(0), $result->fetch_assoc(), $result->data_seek(1)] : null, $result->field_seek(0), $result->fetch_field()],
            'rows' => function_exists('Vaquita\rows') ? Vaquita\rows($result)->toArray() : $result->fetch_all(),
            'first' => [$result->fetch_row(), $result->lengths],
            'none' => null,
        };
        $came['after'] = [$result->num_rows, $result->lengths, $result->current_field, $this->state()];
        $result->free();
        return $came;
    }

    private function prepared(string $way, string $fetch, string $sql, array $parameters, string $types): array
    {
        $statement = $this->statements[$sql] ??= $this->link->prepare($sql);
        if (!$statement instanceof mysqli_stmt) {
            unset($this->statements[$sql]);
            return ['not prepared', $statement];
        }
        if (count($this->statements) > 8) {
            $this->statements = [$sql => $statement];
        }
        $came = [$statement->param_count, $statement->field_count];
        for ($i = $way === 'twice' ? 2 : 1; $i > 0; $i--) {
            if ($way !== 'execute_array' && $types !== '') {
                $came[] = $statement->bind_param($types, ...$parameters);
                foreach (str_split($types) as $place => $type) {
                    if ($type === 'b' && $parameters[$place] !== null) {
                        $came[] = $statement->send_long_data($place, (string) $parameters[$place]);
                    }
                }
            }
            $came[] = $way === 'execute_array' ? $statement->execute($parameters) : $statement->execute();
            $came[] = $this->of_statement($statement);
            $came[] = match ($way) {
                'stmt_store', 'stmt_use' => $this->bound($statement, $way === 'stmt_store', $fetch),
                default => $this->result($statement->get_result(), $fetch),
            };
        }
        $came[] = $this->of_statement($statement);
        return $came;
    }

    private function of_statement(mysqli_stmt $statement): array
    {
        return [$statement->errno, $statement->error, $statement->sqlstate, $statement->error_list, $statement->affected_rows, $statement->num_rows, $statement->insert_id, $statement->field_count, $this->state()];
    }

    private function bound(mysqli_stmt $statement, bool $stores, string $fetch): array
    {
        $metadata = $statement->result_metadata();
        $came = [$metadata ? array_map(fn(object $field) => (array) $field, $metadata->fetch_fields()) : $metadata];
        if ($stores) {
            $came[] = [$statement->store_result(), $statement->num_rows, $statement->affected_rows];
        }
        if ($statement->field_count > 0) {
            $values = array_fill(0, $statement->field_count, 'untouched');
            $came[] = $statement->bind_result(...$values);
            if ($fetch !== 'unread') {
                do {
                    $came[] = [$fetched = $statement->fetch(), array_map(fn(mixed $value) => $value, $values)];
                } while ($fetched === true && count($came) < 200);
            }
        }
        $came[] = [$this->of_statement($statement), $this->warnings($statement)];
        if ($fetch !== 'unread') {
            $statement->free_result();
        }
        return $came;
    }

    private function warnings(mysqli|mysqli_stmt $of): array
    {
        $warnings = [];
        for ($warning = $of->get_warnings(); $warning && count($warnings) < 20; $warning = $warning->next() ? $warning : false) {
            $warnings[] = [$warning->message, $warning->sqlstate, $warning->errno];
        }
        return $warnings;
    }

    protected function call(string $what, array $arguments): mixed
    {
        if ($what === 'change_user') {
            [$user, $password] = $this->server->account($arguments[0]);
            $came = $this->link->change_user($user, $password, $arguments[1]);
            $this->statements = [];
            return $came;
        }
        if ($what === 'get_warnings') {
            return $this->warnings($this->link);
        }
        if ($what === 'begin') {
            $what = 'begin_transaction';
        }
        return $this->link->$what(...$arguments);
    }
}
