<?php
/*
 * Where the extension is made to panic, and the ways that lead there. A way gets a link or a PDO, or connects by itself where the panic is to come while it does;
 * it returns what was open when the panic came, if that is not what it was given.
 */

declare(strict_types=1);

const SELECT = 'SELECT id, name FROM panics ORDER BY id';

/** @return array{string, string, string, string} the host, the user, the password and the database */
function address(): array
{
    return array_map(fn(string $what) => getenv("VAQUITA_MARIADB_$what"), ['HOST', 'USER', 'PASSWORD', 'DATABASE']);
}

function port(): int
{
    return (int) getenv('VAQUITA_MARIADB_PORT');
}

function link_of(int $flags = 0, string $prefix = ''): mysqli
{
    [$host, $user, $password, $database] = address();
    $link = mysqli_init();
    $link->real_connect($prefix . $host, $user, $password, $database, port(), null, $flags);
    return $link;
}

/** @param array<int, mixed> $options */
function pdo_of(array $options = []): PDO
{
    [$host, $user, $password, $database] = address();
    return new PDO("mysql:host=$host;dbname=$database;port=" . port(), $user, $password, $options);
}

/** @return array<string, array<string, Closure>> as places(), where a panic is the end of the request, but not of the process */
function ends(): array
{
    return ['php/session new' => ['mysqli' => fn(null $_) => mysqli_init()]];
}

/** @return array<string, array<string, Closure>> by place, by way */
function places(): array
{
    $query = fn(mysqli $db) => $db->query(SELECT)->fetch_all();
    $pdo = fn(PDO $db) => $db->query(SELECT)->fetchAll();
    $prepared = fn(mysqli $db) => $db->execute_query('SELECT name FROM panics WHERE id = ?', [1])->fetch_all();
    $native = function (PDO $db): void {
        $db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
        $statement = $db->prepare('SELECT name FROM panics WHERE id = ?');
        $statement->execute([1]);
        $statement->fetchAll();
    };
    $write = fn(mysqli $db) => $db->query("INSERT INTO panics (name) VALUES ('new')");
    $pdo_write = fn(PDO $db) => $db->exec("INSERT INTO panics (name) VALUES ('new')");
    $unbuffered = function (mysqli $db): void {
        foreach ($db->query(SELECT, MYSQLI_USE_RESULT) as $row);
    };
    $both = ['mysqli' => $query, 'PDO' => $pdo];
    return [
        'protocol/ok_packet' => ['mysqli' => $write, 'PDO' => $pdo_write, 'connecting' => fn(null $_) => link_of(), 'PDO, connecting' => fn(null $_) => pdo_of()],
        'protocol/err_packet' => ['mysqli' => fn(mysqli $db) => $db->query('SELECT nonsense'), 'PDO' => fn(PDO $db) => $db->query('SELECT nonsense')],
        // Definitions that came before are known, and not read again.
        'protocol/column_definition41' => [
            'mysqli' => fn(mysqli $db) => $db->query('SELECT 1 AS another'),
            'PDO' => fn(PDO $db) => $db->query('SELECT 1 AS other'),
            'prepared' => fn(mysqli $db) => $db->prepare('SELECT id AS one_more FROM panics WHERE id = ?'),
        ],
        'protocol/text_row' => [...$both, 'unbuffered' => $unbuffered],
        'protocol/binary_row' => ['mysqli' => $prepared, 'PDO' => $native],
        'client/connect' => ['mysqli' => fn(null $_) => link_of(), 'PDO' => fn(null $_) => pdo_of()],
        'client/tls' => ['mysqli' => fn(null $_) => link_of(MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT)],
        'client/compression' => ['mysqli' => fn(null $_) => link_of(MYSQLI_CLIENT_COMPRESS)->query(SELECT), 'PDO' => fn(null $_) => pdo_of([PDO::MYSQL_ATTR_COMPRESS => true])->query(SELECT)],
        'client/packet_stream' => [...$both, 'a write' => $write, 'PDO, a transaction' => fn(PDO $db) => $db->beginTransaction()],
        'client/packet_stream read' => [...$both, 'a write' => $write],
        'client/query' => [...$both, 'a write' => $write, 'PDO, a write' => $pdo_write, 'several' => fn(mysqli $db) => $db->multi_query('DO 1; DO 2'), 'asynchronous' => function (mysqli $db): void {
            $db->query(SELECT, MYSQLI_ASYNC);
            $db->reap_async_query();
        }],
        'client/result_set' => $both,
        'client/result_set received' => [
            'unbuffered' => $unbuffered,
            'PDO, unbuffered' => function (PDO $db): void {
                $db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
                foreach ($db->query(SELECT) as $row);
            },
        ],
        'client/result_set discard' => [
            'freed' => fn(mysqli $db) => $db->query(SELECT, MYSQLI_USE_RESULT)->free(),
            'PDO, closed' => function (PDO $db): void {
                $db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
                $db->query(SELECT)->closeCursor();
            },
        ],
        'client/statement' => ['mysqli' => fn(mysqli $db) => $db->prepare('SELECT ?'), 'PDO' => $native],
        'client/pipeline' => ['Vaquita' => fn(mysqli $db) => Vaquita\pipeline($db, ['DO 1', 'DO 2'])],
        'client/connection close' => ['mysqli' => fn(mysqli $db) => $db->close()],
        'client/reuse release' => ['mysqli' => fn(null $_) => link_of(prefix: 'p:')->close()],
        'kv/access' => ['mysqli' => $query],
        'telemetry/latency' => $both,
        'telemetry/trace' => ['mysqli' => function (mysqli $db): void {
            $file = tempnam(sys_get_temp_dir(), 'panics');
            Vaquita\trace($db, $file);
            unlink($file);
            $db->query(SELECT);
        }],
        'php/session' => [...$both, 'a write' => $write, 'a quiet one' => function (mysqli $db): void {
            mysqli_report(MYSQLI_REPORT_OFF);
            $db->query(SELECT);
        }],
        'php/ini' => ['a setting' => fn(null $_) => ini_set('vaquita.kv', 'off')],
        'php/info' => ['phpinfo' => function (null $_): void {
            ob_start();
            try {
                phpinfo(INFO_MODULES);
            } finally {
                ob_end_clean();
            }
        }],
        'php/mysqli/query' => ['mysqli' => $query, 'function' => fn(mysqli $db) => mysqli_query($db, SELECT)],
        'php/mysqli/fetch' => ['mysqli' => fn(mysqli $db) => $db->query(SELECT)->fetch_assoc()],
        'php/mysqli/result' => ['unbuffered' => $unbuffered],
        'php/mysqli/link' => ['mysqli' => fn(mysqli $db) => $db->thread_id, 'isset' => fn(mysqli $db) => isset($db->thread_id), 'var_dump' => function (mysqli $db): void {
            ob_start();
            try {
                var_dump($db);
            } finally {
                ob_end_clean();
            }
        }],
        'php/convert' => ['mysqli' => fn(mysqli $db) => $db->query(SELECT)->fetch_row(), 'unbuffered' => $unbuffered],
        'php/pdo/statement' => ['PDO' => $pdo],
        'php/pdo/database' => ['PDO' => $pdo_write],
    ];
}
