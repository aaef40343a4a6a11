<?php
// Asks a small question over and over, and marks for `vaquita alloc` where the first one is and where those are that come when all is warm.
//
//     php queries.php mysqli|mysqli_loop|mysqli_prepared|pdo
//
// It prints what came, as a hash. The connection is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE.

declare(strict_types=1);

const SQL = 'SELECT id, name, price FROM bench_mixed WHERE id <= 3';
const WARM_UP = 50;
const QUERIES = 1000;

$setting = fn (string $name, string $default = '') => getenv("MYSQL_$name") ?: $default;
$user = [$setting('USER'), $setting('PASSWORD')];
[$host, $database, $port, $socket] = [$setting('HOST', 'localhost'), $setting('DATABASE'), $setting('PORT', '3306'), $setting('SOCKET')];
$mysqli = fn () => new mysqli($host, ...[...$user, $database, (int) $port, $socket ?: null]);
$pdo = fn () => new PDO("mysql:host=$host;port=$port;dbname=$database" . ($socket === '' ? '' : ";unix_socket=$socket"), ...$user);

$ways = [
    'mysqli' => function () use ($mysqli): Closure {
        $db = $mysqli();
        return fn () => $db->query(SQL)->fetch_all(MYSQLI_ASSOC);
    },
    'mysqli_loop' => function () use ($mysqli): Closure {
        $db = $mysqli();
        return function () use ($db): array {
            $rows = [];
            foreach ($db->query(SQL) as $row) {
                $rows[] = $row;
            }
            return $rows;
        };
    },
    'mysqli_prepared' => function () use ($mysqli): Closure {
        $db = $mysqli();
        $statement = $db->prepare(SQL);
        return function () use ($db, $statement): array { // stock closes a link that nobody has
            $statement->execute();
            return $statement->get_result()->fetch_all(MYSQLI_ASSOC);
        };
    },
    'pdo' => function () use ($pdo): Closure {
        $db = $pdo();
        return fn () => $db->query(SQL)->fetchAll(PDO::FETCH_ASSOC);
    },
];

$ask = $ways[$argv[1]]();
umask(0701);
$ask();
umask(0700);
for ($i = 0; $i < WARM_UP; $i++) {
    $ask();
}
umask(0702);
for ($i = 0; $i < QUERIES; $i++) {
    $ask();
}
umask(0700);
echo hash('xxh128', serialize(array_map(fn ($row) => array_map(strval(...), $row), $ask()))), "\n";
