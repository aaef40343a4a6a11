<?php

/*
 * What PHP sees of the module vaquita besides its settings: functions and classes for what stock has no word for. Nothing is added to mysqli's
 * classes. What editors and PHPStan are told of it stands in stubs/, which a test compares with this.
 * The crate vaquita-stub-gen makes Zend's tables of this.
 */

namespace Vaquita;

function kv(\mysqli|\PDO $link, ?string $table = null, ?array $columns = null, string $index = "PRIMARY"): \Vaquita\Kv {} // vaquita::kv::kv

function metrics(): string {} // vaquita::metrics::metrics

function pipeline(\mysqli|\mysqli_stmt $link, array $queries, bool $stop_on_error = false): array {} // pipeline::pipeline

function pool_stats(): array {} // statistics::pool_stats

function query(\mysqli $link, string $sql, array $params = []): \mysqli_result|bool {} // bound_query::query

function rows(\mysqli_result|\PDOStatement $result, int $mode = MYSQLI_ASSOC): \Vaquita\Rows {} // vaquita::rows::rows

function set_query_timeout(\mysqli $link, int $milliseconds): void {} // commands::set_query_timeout

function statistics(): array {} // vaquita::statistics::statistics

function trace(\mysqli|\PDO $link, ?string $path): bool {} // vaquita::trace::trace

final class Kv { // not serializable, no dynamic properties
    private function __construct() {} // vaquita::kv::construct

    public function advice(): array {} // vaquita::kv_advice::advice

    public function get(array|string|int $key): ?array {} // vaquita::by_key::get

    public function getMulti(array $keys): array {} // vaquita::by_key::get_multi

    public function set(array|string|int $key, array $values): void {} // vaquita::by_key::set

    public function add(array|string|int $key, array $values): bool {} // vaquita::by_key::add

    public function replace(array|string|int $key, array $values): bool {} // vaquita::by_key::replace

    public function delete(array|string|int $key): bool {} // vaquita::by_key::delete

    public function mapping(): string {} // vaquita::kv::mapping

    public function refresh(): void {} // vaquita::kv::refresh

    public function statistics(): array {} // vaquita::kv::statistics
}

final class Rows implements \IteratorAggregate, \ArrayAccess, \Countable, \JsonSerializable { // not serializable, no dynamic properties
    private function __construct() {} // vaquita::rows::construct

    public function count(): int {} // vaquita::rows::count

    public function offsetExists(mixed $offset): bool {} // vaquita::rows::offset_exists

    public function offsetGet(mixed $offset): ?\Vaquita\Row {} // vaquita::rows::offset_get

    public function offsetSet(mixed $offset, mixed $value): never {} // vaquita::rows::offset_set

    public function offsetUnset(mixed $offset): never {} // vaquita::rows::offset_unset

    public function getIterator(): \Vaquita\RowIterator {} // vaquita::rows::get_iterator

    public function column(string|int $column): array {} // vaquita::rows::column

    public function toArray(): array {} // vaquita::rows::to_array

    public function jsonSerialize(): array {} // vaquita::rows::json_serialize
}

final class Row implements \IteratorAggregate, \ArrayAccess, \Countable, \JsonSerializable { // not serializable, no dynamic properties
    private function __construct() {} // vaquita::row::construct

    public function count(): int {} // vaquita::row::count

    public function offsetExists(mixed $offset): bool {} // vaquita::row::offset_exists

    public function offsetGet(mixed $offset): string|int|float|null {} // vaquita::row::offset_get

    public function offsetSet(mixed $offset, mixed $value): never {} // vaquita::row::offset_set

    public function offsetUnset(mixed $offset): never {} // vaquita::row::offset_unset

    public function getIterator(): \ArrayIterator {} // vaquita::row::get_iterator

    public function toArray(): array {} // vaquita::row::to_array

    public function jsonSerialize(): array {} // vaquita::row::to_array
}

final class RowIterator implements \SeekableIterator { // not serializable, no dynamic properties
    private function __construct() {} // vaquita::row_iterator::construct

    public function current(): ?\Vaquita\Row {} // vaquita::row_iterator::current

    public function key(): ?int {} // vaquita::row_iterator::key

    public function next(): void {} // vaquita::row_iterator::next

    public function rewind(): void {} // vaquita::row_iterator::rewind

    public function valid(): bool {} // vaquita::row_iterator::valid

    public function seek(int $offset): void {} // vaquita::row_iterator::seek
}

final class Done { // not serializable, no dynamic properties
    public string|int $affected_rows;
    public string|int $insert_id;
    public int $warning_count;
    public ?string $info;

    private function __construct() {} // done::construct
}
