<?php

/*
 * What PHP sees of mysqli, as stock PHP 8.2's and 8.4's Reflection shows it: the order is stock's too.
 * The crate vaquita-stub-gen makes Zend's tables of this, and says what a note (the comment at the end of a line) can say.
 */

// What mysqli_options sets.
const MYSQLI_READ_DEFAULT_GROUP = 5;
const MYSQLI_READ_DEFAULT_FILE = 4;
const MYSQLI_OPT_CONNECT_TIMEOUT = 0;
const MYSQLI_OPT_LOCAL_INFILE = 8;
const MYSQLI_OPT_LOAD_DATA_LOCAL_DIR = 43;
const MYSQLI_INIT_COMMAND = 3;
const MYSQLI_OPT_READ_TIMEOUT = 11;
const MYSQLI_OPT_NET_CMD_BUFFER_SIZE = 202;
const MYSQLI_OPT_NET_READ_BUFFER_SIZE = 203;
const MYSQLI_OPT_INT_AND_FLOAT_NATIVE = 201;
const MYSQLI_OPT_SSL_VERIFY_SERVER_CERT = 21;
const MYSQLI_SERVER_PUBLIC_KEY = 35;

// Flags of mysqli_real_connect.
const MYSQLI_CLIENT_SSL = 2048;
const MYSQLI_CLIENT_COMPRESS = 32;
const MYSQLI_CLIENT_INTERACTIVE = 1024;
const MYSQLI_CLIENT_IGNORE_SPACE = 256;
const MYSQLI_CLIENT_NO_SCHEMA = 16;
const MYSQLI_CLIENT_FOUND_ROWS = 2;
const MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT = 1073741824;
const MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT = 64;
const MYSQLI_CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS = 4194304;
const MYSQLI_OPT_CAN_HANDLE_EXPIRED_PASSWORDS = 37;

// How results are taken and rows fetched.
const MYSQLI_STORE_RESULT = 0;
const MYSQLI_USE_RESULT = 1;
const MYSQLI_ASYNC = 8;
const MYSQLI_STORE_RESULT_COPY_DATA = 16; // deprecated since 8.4
const MYSQLI_ASSOC = 1;
const MYSQLI_NUM = 2;
const MYSQLI_BOTH = 3;

// Attributes of prepared statements.
const MYSQLI_STMT_ATTR_UPDATE_MAX_LENGTH = 0;
const MYSQLI_STMT_ATTR_CURSOR_TYPE = 1;
const MYSQLI_CURSOR_TYPE_NO_CURSOR = 0;
const MYSQLI_CURSOR_TYPE_READ_ONLY = 1;
const MYSQLI_CURSOR_TYPE_FOR_UPDATE = 2; // until 8.3
const MYSQLI_CURSOR_TYPE_SCROLLABLE = 4; // until 8.3
const MYSQLI_STMT_ATTR_PREFETCH_ROWS = 2; // until 8.3

// Flags of a column.
const MYSQLI_NOT_NULL_FLAG = 1;
const MYSQLI_PRI_KEY_FLAG = 2;
const MYSQLI_UNIQUE_KEY_FLAG = 4;
const MYSQLI_MULTIPLE_KEY_FLAG = 8;
const MYSQLI_BLOB_FLAG = 16;
const MYSQLI_UNSIGNED_FLAG = 32;
const MYSQLI_ZEROFILL_FLAG = 64;
const MYSQLI_AUTO_INCREMENT_FLAG = 512;
const MYSQLI_TIMESTAMP_FLAG = 1024;
const MYSQLI_SET_FLAG = 2048;
const MYSQLI_NUM_FLAG = 32768;
const MYSQLI_PART_KEY_FLAG = 16384;
const MYSQLI_GROUP_FLAG = 32768;
const MYSQLI_ENUM_FLAG = 256;
const MYSQLI_BINARY_FLAG = 128;
const MYSQLI_NO_DEFAULT_VALUE_FLAG = 4096;
const MYSQLI_ON_UPDATE_NOW_FLAG = 8192;

// Types of a column.
const MYSQLI_TYPE_DECIMAL = 0;
const MYSQLI_TYPE_TINY = 1;
const MYSQLI_TYPE_SHORT = 2;
const MYSQLI_TYPE_LONG = 3;
const MYSQLI_TYPE_FLOAT = 4;
const MYSQLI_TYPE_DOUBLE = 5;
const MYSQLI_TYPE_NULL = 6;
const MYSQLI_TYPE_TIMESTAMP = 7;
const MYSQLI_TYPE_LONGLONG = 8;
const MYSQLI_TYPE_INT24 = 9;
const MYSQLI_TYPE_DATE = 10;
const MYSQLI_TYPE_TIME = 11;
const MYSQLI_TYPE_DATETIME = 12;
const MYSQLI_TYPE_YEAR = 13;
const MYSQLI_TYPE_NEWDATE = 14;
const MYSQLI_TYPE_ENUM = 247;
const MYSQLI_TYPE_SET = 248;
const MYSQLI_TYPE_TINY_BLOB = 249;
const MYSQLI_TYPE_MEDIUM_BLOB = 250;
const MYSQLI_TYPE_LONG_BLOB = 251;
const MYSQLI_TYPE_BLOB = 252;
const MYSQLI_TYPE_VAR_STRING = 253;
const MYSQLI_TYPE_STRING = 254;
const MYSQLI_TYPE_CHAR = 1;
const MYSQLI_TYPE_INTERVAL = 247; // until 8.3
const MYSQLI_TYPE_GEOMETRY = 255;
const MYSQLI_TYPE_VECTOR = 242; // since 8.4
const MYSQLI_TYPE_JSON = 245;
const MYSQLI_TYPE_NEWDECIMAL = 246;
const MYSQLI_TYPE_BIT = 16;

// More options.
const MYSQLI_SET_CHARSET_NAME = 7;
const MYSQLI_SET_CHARSET_DIR = 6; // until 8.3

// What fetching from a prepared statement answers.
const MYSQLI_NO_DATA = 100; // deprecated
const MYSQLI_DATA_TRUNCATED = 101; // deprecated

// Report modes.
const MYSQLI_REPORT_INDEX = 4;
const MYSQLI_REPORT_ERROR = 1;
const MYSQLI_REPORT_STRICT = 2;
const MYSQLI_REPORT_ALL = 255;
const MYSQLI_REPORT_OFF = 0;

// What the library and the server tell.
const MYSQLI_DEBUG_TRACE_ENABLED = 0;
const MYSQLI_SERVER_QUERY_NO_GOOD_INDEX_USED = 16; // deprecated
const MYSQLI_SERVER_QUERY_NO_INDEX_USED = 32; // deprecated
const MYSQLI_SERVER_QUERY_WAS_SLOW = 2048; // deprecated
const MYSQLI_SERVER_PS_OUT_PARAMS = 4096; // deprecated

// What mysqli_refresh flushes.
const MYSQLI_REFRESH_GRANT = 1; // deprecated since 8.4
const MYSQLI_REFRESH_LOG = 2; // deprecated since 8.4
const MYSQLI_REFRESH_TABLES = 4; // deprecated since 8.4
const MYSQLI_REFRESH_HOSTS = 8; // deprecated since 8.4
const MYSQLI_REFRESH_STATUS = 16; // deprecated since 8.4
const MYSQLI_REFRESH_THREADS = 32; // deprecated since 8.4
const MYSQLI_REFRESH_REPLICA = 64; // deprecated since 8.4
const MYSQLI_REFRESH_SLAVE = 64; // deprecated since 8.4
const MYSQLI_REFRESH_MASTER = 128; // deprecated since 8.4
const MYSQLI_REFRESH_BACKUP_LOG = 2097152; // deprecated since 8.4

// How transactions begin and end.
const MYSQLI_TRANS_START_WITH_CONSISTENT_SNAPSHOT = 1;
const MYSQLI_TRANS_START_READ_WRITE = 2;
const MYSQLI_TRANS_START_READ_ONLY = 4;
const MYSQLI_TRANS_COR_AND_CHAIN = 1;
const MYSQLI_TRANS_COR_AND_NO_CHAIN = 2;
const MYSQLI_TRANS_COR_RELEASE = 4;
const MYSQLI_TRANS_COR_NO_RELEASE = 8;

// Always false: the library is not MariaDB's.
const MYSQLI_IS_MARIADB = false; // deprecated

function mysqli_affected_rows(mysqli $mysql): string|int {} // link::affected_rows
function mysqli_autocommit(mysqli $mysql, bool $enable): bool {} // transaction::autocommit
function mysqli_begin_transaction(mysqli $mysql, int $flags = 0, ?string $name = null): bool {} // transaction::begin_transaction
function mysqli_change_user(mysqli $mysql, string $username, #[\SensitiveParameter] string $password, ?string $database): bool {} // commands::change_user
function mysqli_character_set_name(mysqli $mysql): string {} // link::character_set_name
function mysqli_close(mysqli $mysql): true {} // connect::close
function mysqli_commit(mysqli $mysql, int $flags = 0, ?string $name = null): bool {} // transaction::commit
function mysqli_connect(
    ?string $hostname = null,
    ?string $username = null,
    #[\SensitiveParameter] ?string $password = null,
    ?string $database = null,
    ?int $port = null,
    ?string $socket = null,
): mysqli|false {} // connect::connect
function mysqli_connect_errno(): int {} // connect::connect_errno
function mysqli_connect_error(): ?string {} // connect::connect_error
function mysqli_data_seek(mysqli_result $result, int $offset): bool {} // result::data_seek
function mysqli_dump_debug_info(mysqli $mysql): bool {} // commands::dump_debug_info
function mysqli_debug(string $options): true {} // commands::debug
function mysqli_errno(mysqli $mysql): int {} // link::errno
function mysqli_error(mysqli $mysql): string {} // link::error
function mysqli_error_list(mysqli $mysql): array {} // link::error_list
function mysqli_stmt_execute(mysqli_stmt $statement, ?array $params = null): bool {} // execute::execute
function mysqli_execute(mysqli_stmt $statement, ?array $params = null): bool {} // execute::execute
function mysqli_execute_query(mysqli $mysql, string $query, ?array $params = null): mysqli_result|bool {} // execute::execute_query
function mysqli_fetch_field(mysqli_result $result): object|false {} // field::fetch_field
function mysqli_fetch_fields(mysqli_result $result): array {} // field::fetch_fields
function mysqli_fetch_field_direct(mysqli_result $result, int $index): object|false {} // field::fetch_field_direct
function mysqli_fetch_lengths(mysqli_result $result): array|false {} // result::fetch_lengths
function mysqli_fetch_all(mysqli_result $result, int $mode = MYSQLI_NUM): array {} // fetch::fetch_all
function mysqli_fetch_array(mysqli_result $result, int $mode = MYSQLI_BOTH): array|false|null {} // fetch::fetch_array
function mysqli_fetch_assoc(mysqli_result $result): array|false|null {} // fetch::fetch_assoc
function mysqli_fetch_object(mysqli_result $result, string $class = "stdClass", array $constructor_args = []): object|false|null {} // fetch::fetch_object
function mysqli_fetch_row(mysqli_result $result): array|false|null {} // fetch::fetch_row
function mysqli_fetch_column(mysqli_result $result, int $column = 0): string|int|float|false|null {} // fetch::fetch_column
function mysqli_field_count(mysqli $mysql): int {} // link::field_count
function mysqli_field_seek(mysqli_result $result, int $index): bool {} // field::field_seek, returns true since 8.4
function mysqli_field_tell(mysqli_result $result): int {} // field::field_tell
function mysqli_free_result(mysqli_result $result): void {} // result::free_result
function mysqli_get_connection_stats(mysqli $mysql): array {} // statistics::get_connection_stats
function mysqli_get_client_stats(): array {} // statistics::get_client_stats
function mysqli_get_charset(mysqli $mysql): ?object {} // link::get_charset
function mysqli_get_client_info(?mysqli $mysql = null): string {} // link::get_client_info
function mysqli_get_client_version(): int {} // link::get_client_version
function mysqli_get_links_stats(): array {} // statistics::get_links_stats
function mysqli_get_host_info(mysqli $mysql): string {} // link::get_host_info
function mysqli_get_proto_info(mysqli $mysql): int {} // link::get_proto_info
function mysqli_get_server_info(mysqli $mysql): string {} // link::get_server_info
function mysqli_get_server_version(mysqli $mysql): int {} // link::get_server_version
function mysqli_get_warnings(mysqli $mysql): mysqli_warning|false {} // warnings::get_warnings
function mysqli_init(): mysqli|false {} // connect::init
function mysqli_info(mysqli $mysql): ?string {} // link::info
function mysqli_insert_id(mysqli $mysql): string|int {} // link::insert_id
#[\Deprecated(since: '8.4', message: 'use KILL CONNECTION/QUERY SQL statement instead')]
function mysqli_kill(mysqli $mysql, int $process_id): bool {} // commands::kill
function mysqli_more_results(mysqli $mysql): bool {} // query::more_results
function mysqli_multi_query(mysqli $mysql, string $query): bool {} // query::multi_query
function mysqli_next_result(mysqli $mysql): bool {} // query::next_result
function mysqli_num_fields(mysqli_result $result): int {} // result::num_fields
function mysqli_num_rows(mysqli_result $result): string|int {} // result::num_rows
function mysqli_options(mysqli $mysql, int $option, $value): bool {} // options::options
function mysqli_set_opt(mysqli $mysql, int $option, $value): bool {} // options::options
#[\Deprecated(since: '8.4', message: 'because the reconnect feature has been removed in PHP 8.2 and this function is now redundant')]
function mysqli_ping(mysqli $mysql): bool {} // commands::ping
function mysqli_poll(?array &$read, ?array &$error, array &$reject, int $seconds, int $microseconds = 0): int|false {} // asynchronous::poll
function mysqli_prepare(mysqli $mysql, string $query): mysqli_stmt|false {} // prepare::prepare_on_link
function mysqli_report(int $flags): bool {} // report::report, returns true since 8.4
function mysqli_query(mysqli $mysql, string $query, int $result_mode = MYSQLI_STORE_RESULT): mysqli_result|bool {} // query::query
function mysqli_real_connect(
    mysqli $mysql,
    ?string $hostname = null,
    ?string $username = null,
    #[\SensitiveParameter] ?string $password = null,
    ?string $database = null,
    ?int $port = null,
    ?string $socket = null,
    int $flags = 0,
): bool {} // connect::real_connect
function mysqli_real_escape_string(mysqli $mysql, string $string): string {} // commands::real_escape_string
function mysqli_escape_string(mysqli $mysql, string $string): string {} // commands::real_escape_string
function mysqli_real_query(mysqli $mysql, string $query): bool {} // query::real_query
function mysqli_reap_async_query(mysqli $mysql): mysqli_result|bool {} // asynchronous::reap_async_query
function mysqli_release_savepoint(mysqli $mysql, string $name): bool {} // transaction::release_savepoint
function mysqli_rollback(mysqli $mysql, int $flags = 0, ?string $name = null): bool {} // transaction::rollback
function mysqli_savepoint(mysqli $mysql, string $name): bool {} // transaction::savepoint
function mysqli_select_db(mysqli $mysql, string $database): bool {} // commands::select_db
function mysqli_set_charset(mysqli $mysql, string $charset): bool {} // commands::set_charset
function mysqli_stmt_affected_rows(mysqli_stmt $statement): string|int {} // statement_property::affected_rows
function mysqli_stmt_attr_get(mysqli_stmt $statement, int $attribute): int {} // statement_attribute::attr_get
function mysqli_stmt_attr_set(mysqli_stmt $statement, int $attribute, int $value): bool {} // statement_attribute::attr_set
function mysqli_stmt_bind_param(mysqli_stmt $statement, string $types, mixed &...$vars): bool {} // parameters::bind_param
function mysqli_stmt_bind_result(mysqli_stmt $statement, mixed &...$vars): bool {} // statement_result::bind_result
function mysqli_stmt_close(mysqli_stmt $statement): true {} // prepare::close
function mysqli_stmt_data_seek(mysqli_stmt $statement, int $offset): void {} // statement_result::data_seek
function mysqli_stmt_errno(mysqli_stmt $statement): int {} // statement_property::errno
function mysqli_stmt_error(mysqli_stmt $statement): string {} // statement_property::error
function mysqli_stmt_error_list(mysqli_stmt $statement): array {} // statement_property::error_list
function mysqli_stmt_fetch(mysqli_stmt $statement): ?bool {} // statement_result::fetch
function mysqli_stmt_field_count(mysqli_stmt $statement): int {} // statement_property::field_count
function mysqli_stmt_free_result(mysqli_stmt $statement): void {} // statement_result::free_result
function mysqli_stmt_get_result(mysqli_stmt $statement): mysqli_result|false {} // statement_result::get_result
function mysqli_stmt_get_warnings(mysqli_stmt $statement): mysqli_warning|false {} // warnings::stmt_get_warnings
function mysqli_stmt_init(mysqli $mysql): mysqli_stmt|false {} // prepare::init
function mysqli_stmt_insert_id(mysqli_stmt $statement): string|int {} // statement_property::insert_id
function mysqli_stmt_more_results(mysqli_stmt $statement): bool {} // statement_result::more_results
function mysqli_stmt_next_result(mysqli_stmt $statement): bool {} // statement_result::next_result
function mysqli_stmt_num_rows(mysqli_stmt $statement): string|int {} // statement_property::num_rows
function mysqli_stmt_param_count(mysqli_stmt $statement): int {} // statement_property::param_count
function mysqli_stmt_prepare(mysqli_stmt $statement, string $query): bool {} // prepare::prepare
function mysqli_stmt_reset(mysqli_stmt $statement): bool {} // prepare::reset
function mysqli_stmt_result_metadata(mysqli_stmt $statement): mysqli_result|false {} // statement_result::result_metadata
function mysqli_stmt_send_long_data(mysqli_stmt $statement, int $param_num, string $data): bool {} // parameters::send_long_data
function mysqli_stmt_store_result(mysqli_stmt $statement): bool {} // statement_result::store_result
function mysqli_stmt_sqlstate(mysqli_stmt $statement): string {} // statement_property::sqlstate
function mysqli_sqlstate(mysqli $mysql): string {} // link::sqlstate
function mysqli_ssl_set(mysqli $mysql, ?string $key, ?string $certificate, ?string $ca_certificate, ?string $ca_path, ?string $cipher_algos): true {} // options::ssl_set
function mysqli_stat(mysqli $mysql): string|false {} // commands::stat
function mysqli_store_result(mysqli $mysql, int $mode = 0): mysqli_result|false {} // query::store_result
function mysqli_thread_id(mysqli $mysql): int {} // link::thread_id
function mysqli_thread_safe(): bool {} // link::thread_safe
function mysqli_use_result(mysqli $mysql): mysqli_result|false {} // query::use_result
function mysqli_warning_count(mysqli $mysql): int {} // link::warning_count
#[\Deprecated(since: '8.4', message: 'use FLUSH SQL statement instead')]
function mysqli_refresh(mysqli $mysql, int $flags): bool {} // commands::refresh

final class mysqli_sql_exception extends RuntimeException {
    protected string $sqlstate = '00000';

    public function getSqlState(): string {} // report::get_sqlstate
}

final class mysqli_driver {
    public string $client_info;
    public int $client_version;
    public int $driver_version;
    public int $report_mode = 0;
}

class mysqli {
    public string|int $affected_rows;
    public string $client_info;
    public int $client_version;
    public int $connect_errno;
    public ?string $connect_error;
    public int $errno;
    public string $error;
    public array $error_list;
    public int $field_count;
    public string $host_info;
    public ?string $info;
    public string|int $insert_id;
    public string $server_info;
    public int $server_version;
    public string $sqlstate;
    public int $protocol_version;
    public int $thread_id;
    public int $warning_count;

    public function __construct(
        ?string $hostname = null,
        ?string $username = null,
        #[\SensitiveParameter] ?string $password = null,
        ?string $database = null,
        ?int $port = null,
        ?string $socket = null,
    ) {} // connect::construct
    public function autocommit(bool $enable): bool {} // transaction::autocommit, tentative
    public function begin_transaction(int $flags = 0, ?string $name = null): bool {} // transaction::begin_transaction, tentative
    public function change_user(string $username, #[\SensitiveParameter] string $password, ?string $database): bool {} // commands::change_user, tentative
    public function character_set_name(): string {} // link::character_set_name, tentative
    public function close() {} // connect::close, tentative, returns true since 8.4
    public function commit(int $flags = 0, ?string $name = null): bool {} // transaction::commit, tentative
    public function connect(
        ?string $hostname = null,
        ?string $username = null,
        #[\SensitiveParameter] ?string $password = null,
        ?string $database = null,
        ?int $port = null,
        ?string $socket = null,
    ): bool {} // connect::connect, tentative
    public function dump_debug_info(): bool {} // commands::dump_debug_info, tentative
    public function debug(string $options) {} // commands::debug, tentative, returns true since 8.4
    public function get_charset(): ?object {} // link::get_charset, tentative
    public function execute_query(string $query, ?array $params = null): mysqli_result|bool {} // execute::execute_query
    #[\Deprecated(since: '8.1', message: 'use mysqli_get_client_info() instead')]
    public function get_client_info(): string {} // link::get_client_info, tentative
    public function get_connection_stats(): array {} // statistics::get_connection_stats, tentative
    public function get_server_info(): string {} // link::get_server_info, tentative
    public function get_warnings(): mysqli_warning|false {} // warnings::get_warnings, tentative
    #[\Deprecated(since: '8.1', message: 'replace calls to parent::init() with parent::__construct()')]
    public function init() {} // connect::init
    #[\Deprecated(since: '8.4', message: 'use KILL CONNECTION/QUERY SQL statement instead')]
    public function kill(int $process_id): bool {} // commands::kill, tentative
    public function multi_query(string $query): bool {} // query::multi_query, tentative
    public function more_results(): bool {} // query::more_results, tentative
    public function next_result(): bool {} // query::next_result, tentative
    #[\Deprecated(since: '8.4', message: 'because the reconnect feature has been removed in PHP 8.2 and this method is now redundant')]
    public function ping(): bool {} // commands::ping, tentative
    public static function poll(?array &$read, ?array &$error, array &$reject, int $seconds, int $microseconds = 0): int|false {} // asynchronous::poll, tentative
    public function prepare(string $query): mysqli_stmt|false {} // prepare::prepare_on_link, tentative
    public function query(string $query, int $result_mode = MYSQLI_STORE_RESULT): mysqli_result|bool {} // query::query, tentative
    public function real_connect(
        ?string $hostname = null,
        ?string $username = null,
        #[\SensitiveParameter] ?string $password = null,
        ?string $database = null,
        ?int $port = null,
        ?string $socket = null,
        int $flags = 0,
    ): bool {} // connect::real_connect, tentative
    public function real_escape_string(string $string): string {} // commands::real_escape_string, tentative
    public function reap_async_query(): mysqli_result|bool {} // asynchronous::reap_async_query, tentative
    public function escape_string(string $string): string {} // commands::real_escape_string, tentative
    public function real_query(string $query): bool {} // query::real_query, tentative
    public function release_savepoint(string $name): bool {} // transaction::release_savepoint, tentative
    public function rollback(int $flags = 0, ?string $name = null): bool {} // transaction::rollback, tentative
    public function savepoint(string $name): bool {} // transaction::savepoint, tentative
    public function select_db(string $database): bool {} // commands::select_db, tentative
    public function set_charset(string $charset): bool {} // commands::set_charset, tentative
    public function options(int $option, $value): bool {} // options::options, tentative
    public function set_opt(int $option, $value): bool {} // options::options, tentative
    public function ssl_set(?string $key, ?string $certificate, ?string $ca_certificate, ?string $ca_path, ?string $cipher_algos) {} // options::ssl_set, tentative, returns true since 8.4
    public function stat(): string|false {} // commands::stat, tentative
    public function stmt_init(): mysqli_stmt|false {} // prepare::init, tentative
    public function store_result(int $mode = 0): mysqli_result|false {} // query::store_result, tentative
    public function thread_safe(): bool {} // link::thread_safe, tentative
    public function use_result(): mysqli_result|false {} // query::use_result, tentative
    #[\Deprecated(since: '8.4', message: 'use FLUSH SQL statement instead')]
    public function refresh(int $flags): bool {} // commands::refresh, tentative
}

final class mysqli_warning {
    public string $message;
    public string $sqlstate;
    public int $errno;

    private function __construct() {} // warnings::construct
    public function next(): bool {} // warnings::next
}

class mysqli_result implements IteratorAggregate {
    public int $current_field;
    public int $field_count;
    public ?array $lengths;
    public string|int $num_rows;
    public int $type;

    public function __construct(mysqli $mysql, int $result_mode = MYSQLI_STORE_RESULT) {} // result::construct
    public function close(): void {} // result::free_result, tentative
    public function free(): void {} // result::free_result, tentative
    public function data_seek(int $offset): bool {} // result::data_seek, tentative
    public function fetch_field(): object|false {} // field::fetch_field, tentative
    public function fetch_fields(): array {} // field::fetch_fields, tentative
    public function fetch_field_direct(int $index): object|false {} // field::fetch_field_direct, tentative
    public function fetch_all(int $mode = MYSQLI_NUM): array {} // fetch::fetch_all, tentative
    public function fetch_array(int $mode = MYSQLI_BOTH): array|false|null {} // fetch::fetch_array, tentative
    public function fetch_assoc(): array|false|null {} // fetch::fetch_assoc, tentative
    public function fetch_object(string $class = "stdClass", array $constructor_args = []): object|false|null {} // fetch::fetch_object, tentative
    public function fetch_row(): array|false|null {} // fetch::fetch_row, tentative
    public function fetch_column(int $column = 0): string|int|float|false|null {} // fetch::fetch_column
    public function field_seek(int $index): bool {} // field::field_seek, tentative, returns true since 8.4
    public function free_result(): void {} // result::free_result, tentative
    public function getIterator(): Iterator {} // result::get_iterator
}

class mysqli_stmt {
    public string|int $affected_rows;
    public string|int $insert_id;
    public string|int $num_rows;
    public int $param_count;
    public int $field_count;
    public int $errno;
    public string $error;
    public array $error_list;
    public string $sqlstate;
    public int $id;

    public function __construct(mysqli $mysql, ?string $query = null) {} // prepare::construct
    public function attr_get(int $attribute): int {} // statement_attribute::attr_get, tentative
    public function attr_set(int $attribute, int $value): bool {} // statement_attribute::attr_set, tentative
    public function bind_param(string $types, mixed &...$vars): bool {} // parameters::bind_param, tentative
    public function bind_result(mixed &...$vars): bool {} // statement_result::bind_result, tentative
    public function close() {} // prepare::close, tentative, returns true since 8.4
    public function data_seek(int $offset): void {} // statement_result::data_seek, tentative
    public function execute(?array $params = null): bool {} // execute::execute, tentative
    public function fetch(): ?bool {} // statement_result::fetch, tentative
    public function get_warnings(): mysqli_warning|false {} // warnings::stmt_get_warnings, tentative
    public function result_metadata(): mysqli_result|false {} // statement_result::result_metadata, tentative
    public function more_results(): bool {} // statement_result::more_results, tentative
    public function next_result(): bool {} // statement_result::next_result, tentative
    public function num_rows(): string|int {} // statement_property::num_rows, tentative
    public function send_long_data(int $param_num, string $data): bool {} // parameters::send_long_data, tentative
    public function free_result(): void {} // statement_result::free_result, tentative
    public function reset(): bool {} // prepare::reset, tentative
    public function prepare(string $query): bool {} // prepare::prepare, tentative
    public function store_result(): bool {} // statement_result::store_result, tentative
    public function get_result(): mysqli_result|false {} // statement_result::get_result, tentative
}
