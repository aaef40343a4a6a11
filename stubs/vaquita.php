<?php

/*
 * What Vaquita's extension adds to PHP: for IDEs and PHPStan, which do not see into it. Nobody loads this file.
 *
 * Each function, class and method is declared as the extension has it (tests/phpt/stubs.phpt compares them), with a comment that says more.
 */

namespace Vaquita;

/**
 * Rows of a table by their keys, and what a connection's statements may be answered by besides the server (vaquita.kv).
 *
 * @param string|null $table `t` or `d.t`, with or without backticks around each name; a table without a database is one of the database that is
 *                           current when it is first used. NULL: only statistics(), mapping() and refresh() can be called.
 * @param list<string>|null $columns what get() and getMulti() give; NULL: all columns
 * @param string $index the unique index whose columns are the key
 *
 * @throws \TypeError a column's name is no string
 * @throws \ValueError the PDO is one of another driver's, or the table's name is none
 */
function kv(\mysqli|\PDO $link, ?string $table = null, ?array $columns = null, string $index = 'PRIMARY'): \Vaquita\Kv {}

/**
 * The figures of this process, or of all (vaquita.metrics_shared), as a page for Prometheus (text format 0.0.4), in the names of OpenTelemetry where it has some: docs/metrics.md.
 */
function metrics(): string {}

/**
 * Sends many statements, or runs one with many rows of parameters, without waiting for the answer to each.
 *
 * Each element of what comes back, under the key of its statement, is a mysqli_result, a Done, or the exception of its error, which is not thrown.
 *
 * @template T of array-key
 *
 * @param array<string>|array<list<mixed>> $queries statements; of a mysqli_stmt rows of parameters
 * @param bool $stop_on_error each is sent when the one before has succeeded, and nothing after the first error
 *
 * @phpstan-param ($link is \mysqli ? array<T, string> : array<T, list<mixed>>) $queries
 * @phpstan-return array<T, \mysqli_result|Done|\mysqli_sql_exception>
 *
 * @throws \mysqli_sql_exception nothing was sent: the link is busy or gone
 * @throws \TypeError an element is no statement, or no row
 * @throws \ValueError a row has more or fewer values than the statement has parameters
 */
function pipeline(\mysqli|\mysqli_stmt $link, array $queries, bool $stop_on_error = false): array {}

/**
 * What became of this process's persistent connections.
 *
 * @return array{
 *     active: int, idle: int, hits: int, misses: int, resets: int, replaced: int,
 *     evicted_for_room: int, evicted_as_idle: int, evicted_as_old: int, evicted_as_spoilt: int
 * }
 */
function pool_stats(): array {}

/**
 * Prepares a statement, runs it with the values of $params, and returns what mysqli::execute_query() returns.
 *
 * Placeholders are `?`, with a list of values, or `:name`, with names as keys. An array of values becomes as many placeholders (`IN (?)`), a list of
 * lists rows (`VALUES ?`).
 *
 * @phpstan-param array<array-key, scalar|null|\Stringable|array<array-key, scalar|null|\Stringable|list<scalar|null|\Stringable>>> $params
 *
 * @throws \mysqli_sql_exception as the report mode asks
 * @throws \ValueError placeholders and values do not go together, or an array is empty
 * @throws \TypeError a value is of another type
 */
function query(\mysqli $link, string $sql, array $params = []): \mysqli_result|bool {}

/**
 * Keeps the rows of a result as they came over the wire; a field is decoded when it is read.
 *
 * They stay when the result and its connection are gone, and never change. Of a mysqli_result that is buffered they are all rows, and the result
 * stays as it is. Of one that is not (MYSQLI_USE_RESULT), and of a PDOStatement, they are the rows that were not fetched yet; those that are still
 * with the server are received, and the result is then at its end.
 *
 * @param int $mode MYSQLI_ASSOC: each row reads as the array that fetch_assoc() gives; MYSQLI_NUM: as that of fetch_row(); MYSQLI_BOTH: both.
 *                  It is mysqli's for PDO, too.
 *
 * @phpstan-param 1|2|3 $mode
 * @throws \mysqli_sql_exception the rest of the rows could not be received, whatever the report mode
 * @throws \PDOException the same of a PDOStatement, whatever the error mode
 * @throws \TypeError the statement is of another driver than PDO's mysql
 * @throws \ValueError the mode is none, or the statement has no result
 */
function rows(\mysqli_result|\PDOStatement $result, int $mode = \MYSQLI_ASSOC): \Vaquita\Rows {}

/**
 * Limits how long queries of a connection may take, from the next one on, until it connects again.
 *
 * @param int $milliseconds 0: no limit
 *
 * @phpstan-param non-negative-int $milliseconds
 * @throws \mysqli_sql_exception as the report mode asks
 */
function set_query_timeout(\mysqli $link, int $milliseconds): void {}

/**
 * What this process did with its servers, what it waited for, and how long: all that mysqlnd.collect_statistics (on by default) has counted since it
 * began, in all requests. Times are in microseconds, and off by an eighth at the most, but for `total_us` and `max_us`, which are exact.
 *
 * `latency` has a line for each kind of command that there was (connect, query, prepare, execute, fetch, other): from when the command was sent until the
 * first bytes of its reply were there, and until the last ones were, the client's own time between rows included. `round_trips` is how often
 * the server was waited for, `reads` and `writes` are system calls.
 *
 * `slowest` has the statements whose replies took a millisecond or more, by their shapes, without literals, the slowest first; 32 at the most (docs/operating.md).
 *
 * `commands` is how many were sent, by their names in the protocol (`query`, `stmt_execute`), `unanswered` how many of them on connections that ended before
 * anything of a reply had come: whether the server has read these nobody knows. `own` is how many of them the driver sent by itself, by how they begin
 * (`ROLLBACK`; docs/operating.md tells why). What was never sent is in none of these, and names that have no number are not there. Of `connections`, `attempts` is
 * what the server counts: sockets that were opened, `replacements` those in the place of a dead persistent connection, `killers` those that stopped a query.
 * `statement_cache` is what was not sent: statements that were prepared already (`hits`), and that were `kept` where a script closed them.
 *
 * Bytes are those on the wire, compressed where it is, below TLS's own; `bytes_unanswered` are those of `bytes_sent` that were `unanswered` commands.
 *
 * @return array{
 *     connections: array{opened: int, failed: int, reused: int, reconnected: int, open: int, attempts: int, replacements: int, killers: int},
 *     commands: array<string, int>,
 *     unanswered: array<string, int>,
 *     own: array<string, int>,
 *     statement_cache: array{hits: int, kept: int},
 *     traffic: array{round_trips: int, reads: int, writes: int, bytes_received: int, bytes_sent: int, bytes_unanswered: int, packets_received: int, packets_sent: int},
 *     pool: array{active: int, idle: int, hits: int, misses: int, resets: int, replaced: int, evicted_for_room: int, evicted_as_idle: int,
 *         evicted_as_old: int, evicted_as_spoilt: int},
 *     key_value: array{statements: int, eligible: int, asked: int, answered: int, learnt: int, misses: int, errors: int, reasons: array<string, int>},
 *     latency: array<string, array{
 *         first_byte: array{count: int, total_us: float, p50_us: float, p95_us: float, p99_us: float, max_us: float},
 *         last_byte: array{count: int, total_us: float, p50_us: float, p95_us: float, p99_us: float, max_us: float}
 *     }>,
 *     slowest: list<array{digest: string, sql: string, count: int, total_us: float, max_us: float}>
 * }
 */
function statistics(): array {}

/**
 * Writes a line for each wait of one connection to a file, as vaquita.trace does for all (docs/operating.md), until it is closed or given back.
 *
 * @param string|null $path a file, which is made for its user alone if there is none, or `stderr`; open_basedir holds. NULL: no more
 *
 * @return bool false: the file can't be written to, or there is no connection; a warning says why
 *
 * @throws \ValueError the PDO is one of another driver's, or the path has a NUL
 */
function trace(\mysqli|\PDO $link, ?string $path): bool {}

/**
 * What a statement without rows did, where pipeline() sent it.
 *
 * The properties read as those of a mysqli object; they can't be written.
 */
final class Done
{
    /** How many rows were changed, added or deleted; -1: nobody knows. A string beyond PHP_INT_MAX. */
    public string|int $affected_rows;
    /** The first id that an AUTO_INCREMENT column gave; 0: none. A string beyond PHP_INT_MAX. */
    public string|int $insert_id;
    /** How many warnings there were. */
    public int $warning_count;
    /** What the server said besides. */
    public ?string $info;

    /** One comes from pipeline(). */
    private function __construct() {}
}

/**
 * One of the rows that rows() keeps. It reads as the array that a fetch would give, and decodes only the field that is asked for.
 *
 * A field that is not there is a warning and NULL, as in an array. A row keeps all rows of its result in memory, as long as it is there.
 *
 * @implements \IteratorAggregate<array-key, string|int|float|null>
 * @implements \ArrayAccess<array-key, string|int|float|null>
 */
final class Row implements \IteratorAggregate, \ArrayAccess, \Countable, \JsonSerializable
{
    /** A row is one of those of rows(). */
    private function __construct() {}

    /**
     * How many elements the row has: as many as it has columns, unless some have the same name, or by MYSQLI_BOTH.
     *
     * @return positive-int
     */
    public function count(): int {}

    /**
     * Whether there is such a column, also where its value is NULL; isset() then says false, as of an array.
     *
     * @param array-key $offset
     */
    public function offsetExists(mixed $offset): bool {}

    /**
     * The value of a column: by its name, or by its number, as the mode of rows() says.
     *
     * @param array-key $offset
     */
    public function offsetGet(mixed $offset): string|int|float|null {}

    /**
     * Throws: a row doesn't change.
     *
     * @throws \Error
     */
    public function offsetSet(mixed $offset, mixed $value): never {}

    /**
     * Throws: a row doesn't change.
     *
     * @throws \Error
     */
    public function offsetUnset(mixed $offset): never {}

    /**
     * Goes through the fields, which are decoded at once.
     *
     * @return \ArrayIterator<array-key, string|int|float|null>
     */
    public function getIterator(): \ArrayIterator {}

    /**
     * The row as an array: what a fetch gives.
     *
     * @return array<array-key, string|int|float|null>
     */
    public function toArray(): array {}

    /**
     * The row as an array.
     *
     * @return array<array-key, string|int|float|null>
     */
    public function jsonSerialize(): array {}
}

/**
 * A place among the rows that rows() keeps; for LimitIterator and whoever else seeks.
 *
 * @implements \SeekableIterator<int, Row>
 */
final class RowIterator implements \SeekableIterator
{
    /** An iterator is made by Rows::getIterator(). */
    private function __construct() {}

    /** The row that it stands at; NULL behind the last. */
    public function current(): ?\Vaquita\Row {}

    /** The number of that row, from 0; NULL behind the last. */
    public function key(): ?int {}

    /** Goes on to the next row. */
    public function next(): void {}

    /** Goes back to the first row. */
    public function rewind(): void {}

    /** Whether it stands at a row. */
    public function valid(): bool {}

    /**
     * Goes to the row with this number, counted from 0.
     *
     * @throws \OutOfBoundsException there is none, and it stays where it was
     */
    public function seek(int $offset): void {}
}

/**
 * Rows of a table by their keys; Vaquita\kv() makes it.
 *
 * A key is an integer or a string, of an index of several columns an array: a list in the index's order, or values by the names of its columns. It is
 * compared as a value of its column: '5' is the number 5, and no row of a table of numbers has the key '5x'.
 *
 * Errors of the server, and of the connection, are reported as others of the same connection: as mysqli_report() or PDO::ATTR_ERRMODE say. Where they are
 * not thrown nothing is found, or written.
 */
final class Kv
{
    /** One comes from kv(). */
    private function __construct() {}

    /**
     * With vaquita.kv = advise: what a key-value port would be good for, the statements by their shapes, what takes the most of the time first.
     *
     * `seconds` is from the sending of each to the beginning of its reply, `reasons` why a port could not have answered how many of them, and `table` what
     * a port would have to know of a table for those that ask for a row by its key; `unique`: whether that key finds one row, null if that is not known.
     *
     * @return list<array{
     *     shape: string, statements: int, seconds: float, share: float, eligible: bool, reasons: array<string, int>,
     *     table: array{name: string, key: list<string>, values: list<string>, unique: bool|null}|null
     * }>
     */
    public function advice(): array {}

    /**
     * The row of a key; NULL: there is none.
     *
     * @param int|string|array<array-key, int|string> $key
     *
     * @return array<string, int|float|string|null>|null values as of a prepared statement's result, by the names of their columns
     * @throws \mysqli_sql_exception|\PDOException as for any statement
     * @throws \TypeError a key is of another type
     * @throws \ValueError the key has more or fewer values than the index has columns, or other names
     * @throws \Error there is no such index or column, or the table is a view
     */
    public function get(array|string|int $key): ?array {}

    /**
     * The rows of many keys: each under its key, of several columns under the place of the key in $keys. Those that are not there are left out.
     *
     * @param array<int|string|array<array-key, int|string>> $keys
     *
     * @return array<array-key, array<string, int|float|string|null>>
     * @throws \mysqli_sql_exception|\PDOException as for any statement
     * @throws \TypeError a key is of another type
     * @throws \ValueError a key has more or fewer values than the index has columns, or other names
     * @throws \Error there is no such index or column, or the table is a view
     */
    public function getMulti(array $keys): array {}

    /**
     * Has the row of a key have these values; it is made if there is none, with the other columns' defaults.
     *
     * @param int|string|array<array-key, int|string> $key
     * @param array<string, scalar|null> $values by the names of columns, of which none is the key's
     *
     * @throws \mysqli_sql_exception|\PDOException as for any statement
     * @throws \TypeError a key or a value is of another type
     * @throws \ValueError there is no such column, or the columns of the key do not hold its values as they are
     * @throws \Error there is no such index, or the table is a view
     */
    public function set(array|string|int $key, array $values): void {}

    /**
     * Makes a row with a key and these values; false, and nothing is changed: there is one with this key.
     *
     * @param int|string|array<array-key, int|string> $key
     * @param array<string, scalar|null> $values by the names of columns, of which none is the key's
     *
     * @throws \mysqli_sql_exception|\PDOException as for any statement; also where another unique index has such a row
     * @throws \TypeError a key or a value is of another type
     * @throws \ValueError there is no such column, or the columns of the key do not hold its values as they are
     * @throws \Error there is no such index, or the table is a view
     */
    public function add(array|string|int $key, array $values): bool {}

    /**
     * Has the row of a key have these values; false: there is none. A row that has them already counts.
     *
     * @param int|string|array<array-key, int|string> $key
     * @param array<string, scalar|null> $values by the names of columns, of which none is the key's
     *
     * @throws \mysqli_sql_exception|\PDOException as for any statement
     * @throws \TypeError a key or a value is of another type
     * @throws \ValueError there is no such column
     * @throws \Error there is no such index, or the table is a view
     */
    public function replace(array|string|int $key, array $values): bool {}

    /**
     * Deletes the row of a key; false: there is none.
     *
     * @param int|string|array<array-key, int|string> $key
     *
     * @throws \mysqli_sql_exception|\PDOException as for any statement
     * @throws \TypeError a key is of another type
     * @throws \ValueError the key has more or fewer values than the index has columns, or other names
     * @throws \Error there is no such index, or the table is a view
     */
    public function delete(array|string|int $key): bool {}

    /** What the port answers from, for people; empty: it is not known, or there is none. */
    public function mapping(): string {}

    /** Has tables and rights asked anew, with the next statement that needs them. */
    public function refresh(): void {}

    /**
     * What became of this connection's statements.
     *
     * @return array{
     *     mode: string, port?: string, statements?: int, eligible?: int, asked?: int, answered?: int, learnt?: int, misses?: int, errors?: int,
     *     reasons?: array<string, int>
     * }
     */
    public function statistics(): array {}
}

/**
 * The rows of a result, kept by rows(): read as a list of rows is, and never changed.
 *
 * A row that is not there is a warning and NULL, as in an array.
 *
 * @implements \IteratorAggregate<int, Row>
 * @implements \ArrayAccess<int, Row>
 */
final class Rows implements \IteratorAggregate, \ArrayAccess, \Countable, \JsonSerializable
{
    /** Rows are made by rows(). */
    private function __construct() {}

    /**
     * How many rows there are.
     *
     * @return non-negative-int
     */
    public function count(): int {}

    /**
     * Whether there is a row with this number, counted from 0.
     *
     * @param int $offset
     */
    public function offsetExists(mixed $offset): bool {}

    /**
     * The row with this number, counted from 0; NULL, and a warning, if there is none.
     *
     * @param int $offset
     *
     * @return Row as of arrays PHPStan does not ask whether it is there
     */
    public function offsetGet(mixed $offset): ?\Vaquita\Row {}

    /**
     * Throws: rows don't change.
     *
     * @throws \Error
     */
    public function offsetSet(mixed $offset, mixed $value): never {}

    /**
     * Throws: rows don't change.
     *
     * @throws \Error
     */
    public function offsetUnset(mixed $offset): never {}

    /** An iterator that can seek. foreach goes through the rows without one, also several times at once. */
    public function getIterator(): \Vaquita\RowIterator {}

    /**
     * The values of one column, as a list.
     *
     * @param string|int $column its name (of several by that name the last), or its number from 0
     *
     * @return list<string|int|float|null>
     * @throws \ValueError there is no such column
     */
    public function column(string|int $column): array {}

    /**
     * All rows as arrays: what fetch_all() gives.
     *
     * @return list<array<array-key, string|int|float|null>>
     */
    public function toArray(): array {}

    /**
     * All rows as objects, which json_encode() decodes one after the other.
     *
     * @return list<Row>
     */
    public function jsonSerialize(): array {}
}
