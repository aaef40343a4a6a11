<?php
/*
 * The ways in which clients of mysqli and PDO meet the scripts of the fake server, for tests/hostile.php: each takes a connection, does the
 * deed that the script is for, and returns when all has been taken, or throws.
 */

declare(strict_types=1);

/** How many rows or results of a server that does not stop are enough. */
const ENOUGH = 200;
/** What a stored result may have where it has no end, but for the ways that say that memory_limit decides. */
const RESULT_LIMIT = '8M';
const BY_MEMORY_LIMIT = ', memory_limit';

/** @return array<string, Closure> the ways to do a deed */
function ways(string $deed): array
{
    return match ($deed) {
        'query', 'zlib', 'zstd' => query_ways(),
        'endless', 'endless-zlib', 'endless-row' => endless_ways(),
        'endless-warnings' => warnings_ways(),
        'results' => results_ways(),
        'statement' => statement_ways(),
        'cursor' => cursor_ways(),
        'load-data' => load_data_ways(),
        'tls' => connect_ways(),
    };
}

/** The ways to connect and no more. */
function connect_ways(): array
{
    return ['connect' => fn(mysqli $db) => null, 'PDO, connect' => fn(PDO $db) => null];
}

/** The ways to take the answer to a query; each returns when all has been taken, or throws. */
function query_ways(): array
{
    return [
        'query, fetch_all' => fn(mysqli $db) => $db->query('SELECT 1')->fetch_all(),
        'unbuffered, fetch_row' => function (mysqli $db) {
            $result = $db->query('SELECT 1', MYSQLI_USE_RESULT);
            while ($result->fetch_row());
        },
        'unbuffered, fetch_all' => fn(mysqli $db) => $db->query('SELECT 1', MYSQLI_USE_RESULT)->fetch_all(MYSQLI_BOTH),
        'unbuffered, foreach' => function (mysqli $db) {
            foreach ($db->query('SELECT 1', MYSQLI_USE_RESULT) as $row);
        },
        'unbuffered, fetch_object' => function (mysqli $db) {
            $result = $db->query('SELECT 1', MYSQLI_USE_RESULT);
            while ($result->fetch_object());
        },
        'real_query, store_result' => function (mysqli $db) {
            $db->real_query('SELECT 1');
            $db->store_result()->fetch_all();
        },
        'Vaquita\rows' => fn(mysqli $db) => Vaquita\rows($db->query('SELECT 1'))->toArray(),
        'unbuffered, Vaquita\rows' => fn(mysqli $db) => Vaquita\rows($db->query('SELECT 1', MYSQLI_USE_RESULT))->toArray(),
        'PDO, Vaquita\rows' => function (PDO $db) {
            $statement = $db->query('SELECT 1');
            Vaquita\rows($statement);
            say_error($statement);
        },
        'PDO, unbuffered, Vaquita\rows' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            Vaquita\rows($statement);
            say_error($statement);
        },
        'PDO, fetchAll' => function (PDO $db) {
            $statement = $db->query('SELECT 1');
            $statement->fetchAll();
            say_error($statement);
        },
        'PDO, execute and fetchColumn' => function (PDO $db) {
            $statement = $db->prepare('SELECT ?');
            $statement->execute([1]);
            while ($statement->fetchColumn() !== false);
        },
        'PDO, exec' => function (PDO $db) {
            $db->exec('SELECT 1');
            $db->query('SELECT 1');
        },
        'PDO, unbuffered, fetch' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            while ($statement->fetch());
        },
        'PDO, unbuffered, fetchAll' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            $statement->fetchAll(PDO::FETCH_NUM);
            say_error($statement);
        },
        'PDO, unbuffered, foreach' => function (PDO $db) {
            foreach (unbuffered($db)->query('SELECT 1', PDO::FETCH_OBJ) as $row);
        },
        'PDO, unbuffered, closeCursor' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            $statement->fetch();
            $statement->closeCursor();
            $db->query('SELECT 1');
        },
    ];
}

/** The ways to take the answer where it should do no harm, rows or not. */
function harmless_ways(): array
{
    $rows = fn(mysqli_result|bool $result) => $result instanceof mysqli_result ? $result->fetch_all() : $result;
    return [
        'query, fetch_all' => fn(mysqli $db) => [$rows($db->query('SELECT 1')), $db->ping()],
        'unbuffered, fetch_all' => fn(mysqli $db) => [$rows($db->query('SELECT 1', MYSQLI_USE_RESULT)), $db->info, $db->ping()],
        'unbuffered, fetch_object' => function (mysqli $db) {
            $result = $db->query('SELECT 1', MYSQLI_USE_RESULT);
            while ($result instanceof mysqli_result && $result->fetch_object());
            $fields = $result instanceof mysqli_result ? $result->fetch_fields() : [];
            return [count($fields), $db->ping()];
        },
        'PDO, fetchAll' => function (PDO $db) {
            $statement = $db->query('SELECT 1');
            $rows = $statement->columnCount() > 0 ? $statement->fetchAll(PDO::FETCH_BOTH) : [];
            return [$rows, $db->getAttribute(PDO::ATTR_SERVER_VERSION)];
        },
    ];
}

/** Throws what PDO keeps to itself: after the first row its fetchAll() throws nothing. */
function say_error(PDOStatement $statement): void
{
    [, $errno, $message] = $statement->errorInfo();
    if ($errno !== null) {
        $e = new PDOException($message);
        $e->errorInfo = $statement->errorInfo();
        throw $e;
    }
}

function unbuffered(PDO $db): PDO
{
    $db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
    return $db;
}

/** Those to meet a result without an end: whoever does not store it takes enough of it, and leaves; PDO can do so only at last. */
function endless_ways(): array
{
    return [
        'query' => fn(mysqli $db) => stored($db, RESULT_LIMIT),
        'query' . BY_MEMORY_LIMIT => fn(mysqli $db) => stored($db, '0'),
        'unbuffered' => function (mysqli $db) {
            $result = $db->query('SELECT 1', MYSQLI_USE_RESULT);
            for ($row = 0; $row < ENOUGH && $result->fetch_row(); $row++);
            $db->close();
        },
        'PDO, query' => fn(PDO $db) => stored($db, RESULT_LIMIT),
        'PDO, query' . BY_MEMORY_LIMIT => fn(PDO $db) => stored($db, '0'),
        'PDO, unbuffered' => function (PDO $db) {
            $statement = unbuffered($db)->query('SELECT 1');
            for ($row = 0; $row < ENOUGH && $statement->fetch(); $row++);
            keep($statement);
        },
    ];
}

/** A stored result, of at most so many bytes. */
function stored(mysqli|PDO $db, string $limit): void
{
    ini_set('vaquita.max_result_bytes', $limit);
    $db->query('SELECT 1');
}

/** Those to ask for warnings, which PDO does not know; what goes wrong there is only told where somebody asks. */
function warnings_ways(): array
{
    $warnings = function (mysqli $db, string $limit) {
        ini_set('vaquita.max_result_bytes', $limit);
        $db->query('SELECT 1');
        $db->get_warnings();
        $db->errno === 0 || throw new mysqli_sql_exception($db->error, $db->errno);
    };
    return [
        'get_warnings' => fn(mysqli $db) => $warnings($db, RESULT_LIMIT),
        'get_warnings' . BY_MEMORY_LIMIT => fn(mysqli $db) => $warnings($db, '0'),
    ];
}

/** Those to meet results without an end. */
function results_ways(): array
{
    return [
        'store_result' => function (mysqli $db) {
            $db->real_query('CALL p()');
            $results = 0;
            do {
                $result = $db->store_result();
                $result && $result->fetch_all();
            } while (++$results < ENOUGH && $db->more_results() && $db->next_result());
            $db->close();
        },
        'use_result' => function (mysqli $db) {
            $db->real_query('CALL p()');
            $results = 0;
            do {
                $result = $db->use_result();
                while ($result && $result->fetch_row());
                $result = null;
            } while (++$results < ENOUGH && $db->more_results() && $db->next_result());
            $db->close();
        },
        'PDO, nextRowset' => function (PDO $db) {
            $statement = $db->query('CALL p()');
            for ($results = 0; $results < ENOUGH && $statement->nextRowset(); $results++);
            keep($statement);
        },
    ];
}

/** Those to run a prepared statement with one parameter. */
function statement_ways(): array
{
    return [
        'execute, get_result' => function (mysqli $db) {
            $statement = prepared($db);
            $statement->execute();
            return $statement->get_result()->fetch_all();
        },
        'execute, store_result, fetch' => function (mysqli $db) {
            $statement = prepared($db);
            $statement->execute();
            $statement->store_result();
            return fetched($statement);
        },
        'execute, fetch' => function (mysqli $db) {
            $statement = prepared($db);
            $statement->execute();
            return fetched($statement);
        },
        'execute_query' => fn(mysqli $db) => $db->execute_query('SELECT ?', [1])->fetch_all(),
        'PDO, execute, fetchAll' => function (PDO $db) {
            $statement = native($db)->prepare('SELECT ?');
            $statement->execute([1]);
            $rows = $statement->fetchAll(PDO::FETCH_NUM);
            say_error($statement);
            return $rows;
        },
        'PDO, unbuffered, execute, fetch' => function (PDO $db) {
            $statement = unbuffered(native($db))->prepare('SELECT ?');
            $statement->execute([1]);
            while ($statement->fetch());
            say_error($statement);
        },
    ];
}

/** Those to fetch its rows by a cursor, which PDO does not open. */
function cursor_ways(): array
{
    return [
        'cursor, fetch' => function (mysqli $db) {
            ini_set('vaquita.max_result_bytes', RESULT_LIMIT);
            $statement = prepared($db, MYSQLI_CURSOR_TYPE_READ_ONLY);
            $statement->execute();
            fetched($statement);
            $db->close();
        },
        'cursor, get_result' => function (mysqli $db) {
            ini_set('vaquita.max_result_bytes', RESULT_LIMIT);
            $statement = prepared($db, MYSQLI_CURSOR_TYPE_READ_ONLY);
            $statement->execute();
            $result = $statement->get_result();
            for ($row = 0; $row < ENOUGH && $result->fetch_row(); $row++);
            $db->close();
        },
        'cursor, store_result' => function (mysqli $db) {
            ini_set('vaquita.max_result_bytes', RESULT_LIMIT);
            $statement = prepared($db, MYSQLI_CURSOR_TYPE_READ_ONLY);
            $statement->execute();
            $statement->store_result();
            fetched($statement);
            $db->close();
        },
    ];
}

function prepared(mysqli $db, int $cursor = MYSQLI_CURSOR_TYPE_NO_CURSOR): mysqli_stmt
{
    $statement = $db->prepare('SELECT ?');
    $statement->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, $cursor);
    $one = 1;
    $statement->bind_param('i', $one);
    return $statement;
}

/** @return list<list<mixed>> the rows, at most enough of them */
function fetched(mysqli_stmt $statement): array
{
    $values = array_fill(0, $statement->field_count, null);
    $statement->bind_result(...$values);
    $rows = [];
    while (count($rows) < ENOUGH && $statement->fetch()) {
        $rows[] = array_map(fn($value) => $value, $values);
    }
    return $rows;
}

/** Keeps a statement until its server is gone. Where rows are left PDO reads them when its statement goes, as stock does, and here that never ends. */
function keep(PDOStatement $statement): void
{
    static $kept = [];
    $kept[] = $statement;
}

function native(PDO $db): PDO
{
    $db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
    return $db;
}

/** Those to let the server have a file of this folder. */
function load_data_ways(): array
{
    $sql = "LOAD DATA LOCAL INFILE 'wanted.csv' INTO TABLE t";
    return [
        'LOAD DATA' => function (mysqli $db) use ($sql) {
            $db->query($sql);
            while ($db->more_results() && $db->next_result());
        },
        'LOAD DATA, real_query' => function (mysqli $db) use ($sql) {
            $db->real_query($sql);
            while ($db->more_results() && $db->next_result());
        },
        'PDO, LOAD DATA' => function (PDO $db) use ($sql) {
            $statement = $db->query($sql);
            while ($statement->nextRowset());
        },
    ];
}

/** @param class-string<mysqli|PDO> $class */
function client(string $class, int $port, int $timeout, string $deed, ?object &$client): void
{
    ini_set('vaquita.compression', $deed === 'zstd' ? 'zstd' : 'zlib');
    $is_compressed = in_array($deed, ['zlib', 'endless-zlib', 'zstd'], true);
    if ($class === PDO::class) {
        ini_set('vaquita.read_timeout', (string) $timeout);
        ini_set('mysqlnd.net_read_timeout', (string) $timeout); // in stock
        $options = [PDO::ATTR_TIMEOUT => $timeout, PDO::MYSQL_ATTR_LOCAL_INFILE => true, PDO::MYSQL_ATTR_COMPRESS => $is_compressed];
        if ($deed === 'tls') {
            $options += [PDO::MYSQL_ATTR_SSL_CIPHER => 'DEFAULT', PDO::MYSQL_ATTR_SSL_VERIFY_SERVER_CERT => false];
        }
        $client = new PDO("mysql:host=127.0.0.1;port=$port;dbname=database", 'user', PASSWORD, $options);
        return;
    }
    $client = mysqli_init();
    $client->options(MYSQLI_OPT_READ_TIMEOUT, $timeout);
    $client->options(MYSQLI_OPT_CONNECT_TIMEOUT, $timeout);
    $client->options(MYSQLI_OPT_LOCAL_INFILE, 1);
    $flags = ($is_compressed ? MYSQLI_CLIENT_COMPRESS : 0) | ($deed === 'tls' ? MYSQLI_CLIENT_SSL | MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT : 0);
    $client->real_connect('127.0.0.1', 'user', PASSWORD, 'database', $port, null, $flags);
}
