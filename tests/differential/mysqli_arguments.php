<?php
/*
 * What the names of mysqli's parameters say of their arguments.
 */

declare(strict_types=1);

final class MysqliArguments extends Arguments
{
    /** By the parameter's name; with the name of the call before it where that matters. */
    protected const BY_NAME = [
        'hostname' => ["'localhost'", "server('HOST')", 'null', "''", "'p:localhost'", "'p:'", "'no.such.host.invalid'", '"local\0host"', "'p:' . server('HOST')"],
        'username' => ["server('USER')", "server('USER')", "server('USER')", "server('USER')", "server('USER')", "server('USER')", "'nobody'", "''", 'null', '"ro\0ot"', "str_repeat('u', 300)"],
        'password' => ["server('PASSWORD')", "server('PASSWORD')", "server('PASSWORD')", "server('PASSWORD')", "server('PASSWORD')", "'wrong'", "''", 'null'],
        'database' => ["server('DATABASE')", "'no_such_db'", "''", 'null', "'information_schema'", '"a\0b"'],
        'port' => ["(int) server('PORT')", '0', '1', '-1', '65536', 'null'],
        'socket' => ["server('SOCKET')", "'/nowhere'", "''", 'null', '"/no\0where"', "str_repeat('/s', 100)"],
        'charset' => ["'utf8mb4'", "'latin1'", "'utf8'", "'nonsense'", "'gbk'", "''", "'UTF8MB4'", '"utf8\0mb4"', "'utf16'", "'binary'"],
        'name' => ["'s'", "'a b'", "'`'", "''", 'null', "'x*/y'", '"s\0t"', "str_repeat('n', 100)", "'é'"],
        'class' => ["'stdClass'", "'Row'", "'NoSuchClass'", "'Throwing'", "'Hidden'", "'Abstracted'", "'Countable'", "'Suit'", "''", "'mysqli'", "'Typed'", "'Fixed'"],
        'constructor_args' => ['[]', '[1]', '[1, 2]', "['name' => 'x']", "['no_such' => 1]"],
        'types' => ["'i'", "'s'", "'d'", "'b'", "'is'", "'ss'", "'ib'", "'x'", "''", "'iiii'", "'I'", '"i\0"', "'sb'"],
        'process_id' => ['0', '-1', 'PHP_INT_MAX', '$link0->thread_id', '$link1->thread_id'],
        'flags of mysqli_refresh' => ['0', 'MYSQLI_REFRESH_GRANT', 'MYSQLI_REFRESH_STATUS', 'MYSQLI_REFRESH_HOSTS', 'MYSQLI_REFRESH_THREADS'],
        'flags of mysqli_report' => ['MYSQLI_REPORT_OFF', 'MYSQLI_REPORT_ERROR', 'MYSQLI_REPORT_STRICT', 'MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT', 'MYSQLI_REPORT_ALL', 'MYSQLI_REPORT_INDEX', 'MYSQLI_REPORT_INDEX | MYSQLI_REPORT_STRICT', '8', '-1', '256'],
        'flags of mysqli_real_connect' => ['0', 'MYSQLI_CLIENT_COMPRESS', 'MYSQLI_CLIENT_FOUND_ROWS', 'MYSQLI_CLIENT_IGNORE_SPACE', 'MYSQLI_CLIENT_INTERACTIVE', 'MYSQLI_CLIENT_NO_SCHEMA', 'MYSQLI_CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS'],
        'flags' => ['0', '1', '2', '3', '4', '5', '6', '8', '12', '15', '16', '-1', 'PHP_INT_MAX'],
        'mode' => ['0', 'MYSQLI_ASSOC', 'MYSQLI_NUM', 'MYSQLI_BOTH', '4', '-1', 'MYSQLI_STORE_RESULT_COPY_DATA'],
        'result_mode' => ['MYSQLI_STORE_RESULT', 'MYSQLI_USE_RESULT', 'MYSQLI_ASYNC', 'MYSQLI_ASYNC | MYSQLI_USE_RESULT', '16', '2', '-1'],
        'attribute' => ['MYSQLI_STMT_ATTR_UPDATE_MAX_LENGTH', 'MYSQLI_STMT_ATTR_CURSOR_TYPE', 'MYSQLI_STMT_ATTR_PREFETCH_ROWS', '3', '-1', '4294967296'],
        'option' => ['MYSQLI_OPT_CONNECT_TIMEOUT', 'MYSQLI_OPT_LOCAL_INFILE', 'MYSQLI_OPT_LOAD_DATA_LOCAL_DIR', 'MYSQLI_INIT_COMMAND', 'MYSQLI_OPT_READ_TIMEOUT', 'MYSQLI_OPT_NET_CMD_BUFFER_SIZE', 'MYSQLI_OPT_NET_READ_BUFFER_SIZE',
            'MYSQLI_OPT_INT_AND_FLOAT_NATIVE', 'MYSQLI_OPT_SSL_VERIFY_SERVER_CERT', 'MYSQLI_SERVER_PUBLIC_KEY', 'MYSQLI_SET_CHARSET_NAME', 'MYSQLI_OPT_CAN_HANDLE_EXPIRED_PASSWORDS', 'MYSQLI_READ_DEFAULT_GROUP', '9999', '-1'],
        'value' => ['0', '1', '2', '-1', '5', '4096', "'1'", "'SET @x = 7'", "'utf8'", 'true', 'false', 'null', '[]', '1.5', 'new stdClass'],
        'seconds' => ['0', '0', '0', '-1'],
        'microseconds' => ['0', '1000', '-1'],
        'read' => ['$links'], 'error' => ['$none', '$links'], 'reject' => ['$none'],
        'param_num' => ['0', '0', '1', '-1', '2'],
        'index' => ['0', '1', '2', '-1', '100'],
        'column' => ['0', '1', '2', '-1', '100'],
        'offset' => ['0', '1', '2', '-1', '4', '1000', 'PHP_INT_MAX'],
        'params' => ['null', '[]', '[1]', "['a']", "[1, 'b']", '[null]', "['k' => 1]", '[[]]', '[1, 2, 3]', "[new Words, 1.5]", '[5 => 1, 3 => 2]', '[true, false]'],
        'key' => ['null', "'/nowhere'", "''"], 'certificate' => ['null', "'/nowhere'"], 'ca_certificate' => ['null', "'/nowhere'"], 'ca_path' => ['null', "'/nowhere'"], 'cipher_algos' => ['null', "'AES128-SHA'", "'nonsense'"],
        'options' => ["''", "'d'"],
    ];

    protected function named(string $name, string $call, int $link): ?string
    {
        $of_flags = "$name of mysqli_" . preg_replace('/^mysqli_/', '', $call);
        return match (true) {
            $name === 'query' && str_ends_with($call, 'multi_query') => $this->many_sql($link),
            $name === 'query' && str_contains($call, 'prepare') || $call === 'mysqli_stmt' => self::quoted($this->dice->any(self::PREPARED)[0], $link),
            $name === 'query' => $this->sql($link),
            $name === 'flags' && isset(self::BY_NAME[$of_flags]) => $this->dice->any(self::BY_NAME[$of_flags]),
            default => null,
        };
    }
}
