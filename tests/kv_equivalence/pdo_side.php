<?php
/*
 * A side of PDO: all the ways in which it asks, and all that it tells of an answer.
 */

declare(strict_types=1);

final class PdoSide extends Side
{
    public const FETCHES = ['assoc', 'num', 'both', 'object', 'column', 'pair', 'class', 'into', 'bound', 'named', 'all', 'all_group', 'all_unique', 'all_column', 'foreach', 'first', 'none', 'rows', 'func', 'lazy', 'fetch_object'];
    /** A statement that was fetched so is not executed again: PDO keeps in one place what each of these needs, and crashes. */
    private const ONCE = ['class', 'into', 'bound', 'func', 'fetch_object', 'lazy'];
    public const OF_TEXT = ['query', 'query', 'query', 'query', 'query', 'query', 'unbuffered', 'prepare', 'rowsets'];
    public const OF_PREPARED = ['execute', 'execute', 'bind', 'bind', 'bind_param', 'named', 'emulated', 'native', 'kept', 'kept', 'kept', 'kept', 'kept', 'kept', 'kept', 'kept', 'kept', 'unbuffered_execute'];

    protected function connect(): PDO
    {
        [$user, $password] = $this->server->account($this->as['user'] ?? null);
        $way = $this->as['tcp'] ? "host=127.0.0.1;port={$this->server->port()}" : "unix_socket={$this->server->socket()}";
        $database = $this->sql($this->as['database'] ?? ONE);
        return new PDO("mysql:$way;dbname=$database;charset={$this->as['charset']}", $user, $password, $this->as['attributes'] + [PDO::ATTR_PERSISTENT => $this->as['persistent'] ? ($this->has_port ? 'with' : 'without') : false]);
    }

    protected function thread(): int
    {
        return (int) $this->link->query('SELECT CONNECTION_ID()')->fetchColumn();
    }

    protected function state(): array
    {
        return ['code' => $this->link->errorCode(), 'info' => $this->link->errorInfo(), 'in transaction' => $this->link->inTransaction(), 'id' => $this->link->lastInsertId(),
            'modes' => [$this->link->getAttribute(PDO::ATTR_AUTOCOMMIT), $this->link->getAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY)]];
    }

    protected function ask(string $way, string $sql, array $parameters, string $types): array
    {
        [$way, $fetch] = explode(' ', $way);
        $link = $this->link;
        if ($way === 'exec' || $way === 'plain') {
            return [$link->exec($sql)];
        }
        if ($way === 'two') {
            return $this->result($link->query("$sql; SELECT FOUND_ROWS(), ROW_COUNT()"), $fetch, true);
        }
        if ($way === 'query' || $way === 'warnings' || $way === 'rowsets') {
            return $this->result($link->query($sql), $fetch, $way === 'rowsets');
        }
        if (str_starts_with($way, 'unbuffered')) {
            $link->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
        }
        try {
            if ($way === 'unbuffered') {
                return $this->result($link->query($sql), $fetch, false);
            }
            return $this->prepared($way, $fetch, $sql, $parameters, $types);
        } finally {
            $link->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, true);
        }
    }

    private function prepared(string $way, string $fetch, string $sql, array $parameters, string $types): array
    {
        if ($way === 'named') {
            foreach (array_keys($parameters) as $place) {
                $sql = preg_replace('/\?/', ":p$place", $sql, 1);
            }
        }
        $options = match ($way) {
            'emulated' => [PDO::ATTR_EMULATE_PREPARES => true],
            'native' => [PDO::ATTR_EMULATE_PREPARES => false],
            default => [],
        };
        $statement = $way === 'kept' ? $this->statements[$sql] ??= $this->link->prepare($sql) : $this->link->prepare($sql, $options);
        if (!$statement instanceof PDOStatement) {
            unset($this->statements[$sql]);
            return ['not prepared', $statement];
        }
        if (count($this->statements) > 8 || in_array($fetch, self::ONCE, true)) {
            $this->statements = [];
        }
        $came = [];
        foreach ($way === 'execute' || $way === 'prepare' ? [] : array_values($parameters) as $place => $value) {
            $name = $way === 'named' ? ":p$place" : $place + 1;
            $type = match (true) {
                $value === null => PDO::PARAM_NULL,
                is_bool($value) => PDO::PARAM_BOOL,
                $types[$place] === 'i' => PDO::PARAM_INT,
                $types[$place] === 'b' => PDO::PARAM_LOB,
                default => PDO::PARAM_STR,
            };
            if ($way === 'bind_param') {
                $came[] = $statement->bindParam($name, $parameters[$place], $type);
            } else {
                $came[] = $statement->bindValue($name, $value, $type);
            }
        }
        $came[] = $statement->execute($way === 'execute' || $way === 'prepare' ? $parameters : null);
        $came[] = $this->result($statement, $fetch, false);
        return $came;
    }

    private function result(PDOStatement|false $statement, string $fetch, bool $has_more): array
    {
        if ($statement === false) {
            return ['no result', $this->state()];
        }
        $came = ['rows' => $statement->rowCount(), 'columns' => $statement->columnCount(), 'state' => $this->state()];
        for ($i = 0; $i < $statement->columnCount(); $i++) {
            $came['meta'][] = $statement->getColumnMeta($i);
        }
        if ($fetch === 'unread') {
            $this->pending[] = $statement;
            return $came;
        }
        $came['fetched'] = $this->fetched($statement, $fetch);
        $came['after'] = [$statement->errorCode(), $statement->errorInfo(), $statement->rowCount(), $this->state()];
        if ($has_more) {
            $came['next'] = [$statement->nextRowset(), $statement->columnCount()];
        }
        if ($fetch !== 'none') {
            $came['closed'] = $statement->closeCursor();
        }
        return $came;
    }

    private function fetched(PDOStatement $statement, string $fetch): mixed
    {
        $each = function (Closure $next): array {
            $rows = [];
            while (($row = $next()) !== false && count($rows) < 200) {
                $rows[] = is_object($row) ? [$row::class, get_object_vars($row)] : $row;
            }
            return [$rows, $row];
        };
        $into = new Bare;
        $bound = [];
        return match ($fetch) {
            'assoc' => $each(fn() => $statement->fetch(PDO::FETCH_ASSOC)),
            'num' => $each(fn() => $statement->fetch(PDO::FETCH_NUM)),
            'both' => $each(fn() => $statement->fetch()),
            'object' => $each(fn() => $statement->fetch(PDO::FETCH_OBJ)),
            'fetch_object' => $each(fn() => $statement->fetchObject(Bare::class)),
            'named' => $each(fn() => $statement->fetch(PDO::FETCH_NAMED)),
            'lazy' => $each(fn() => ($row = $statement->fetch(PDO::FETCH_LAZY)) === false ? false : [$row->queryString ?? null, $row[0] ?? null]),
            'column' => $each(fn() => ($value = $statement->fetchColumn()) === false ? false : [$value]),
            'pair' => $statement->fetchAll(PDO::FETCH_KEY_PAIR),
            'class' => array_map(fn(object $row) => get_object_vars($row), $statement->fetchAll(PDO::FETCH_CLASS, Bare::class)),
            'into' => [$statement->setFetchMode(PDO::FETCH_INTO, $into), $statement->fetch(), get_object_vars($into)],
            'bound' => [$statement->columnCount() > 0 && $statement->bindColumn(1, $bound[0]), $statement->fetch(PDO::FETCH_BOUND), array_map(fn(mixed $value) => $value, $bound)],
            'func' => $statement->fetchAll(PDO::FETCH_FUNC, fn(mixed ...$values) => $values),
            'all' => $statement->fetchAll(),
            'all_group' => $statement->fetchAll(PDO::FETCH_GROUP | PDO::FETCH_ASSOC),
            'all_unique' => $statement->fetchAll(PDO::FETCH_UNIQUE),
            'all_column' => $statement->fetchAll(PDO::FETCH_COLUMN, 0),
            'foreach' => self::all($statement),
            'first' => $statement->fetch(),
            'rows' => function_exists('Vaquita\rows') ? Vaquita\rows($statement)->toArray() : $statement->fetchAll(),
            'none' => null,
        };
    }

    protected function call(string $what, array $arguments): mixed
    {
        return match ($what) {
            'begin' => $this->link->beginTransaction(),
            'commit' => $this->link->commit(),
            'rollback' => $this->link->rollBack(),
            'autocommit' => $this->link->setAttribute(PDO::ATTR_AUTOCOMMIT, $arguments[0]),
            'attribute' => $this->link->setAttribute(...$arguments),
            'ping', 'get_warnings' => null,
            'select_db' => $this->link->exec("USE $arguments[0]"),
            'set_charset' => $this->link->exec("SET NAMES $arguments[0]"),
            'change_user' => null,
            default => throw new Exception("what is $what?"),
        };
    }
}
