<?php
/*
 * A page for each thing that programs do with Doctrine DBAL, by its own API: ?driver=pdo_mysql&page=types. Each makes what it needs anew, and shows all that comes.
 */

declare(strict_types=1);

use Doctrine\DBAL\ArrayParameterType;
use Doctrine\DBAL\Configuration;
use Doctrine\DBAL\Connection;
use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\ParameterType;
use Doctrine\DBAL\Portability;
use Doctrine\DBAL\Schema\Schema;
use Doctrine\DBAL\Schema\SchemaConfig;
use Doctrine\DBAL\TransactionIsolationLevel;
use Doctrine\DBAL\Types\Type;

require_once 'Doctrine/DBAL/autoload.php';

['driver' => $driver, 'page' => $page, 'database' => $database, 'socket' => $socket, 'user' => $user, 'password' => $password] = $_GET + ['page' => ''];
$parameters = ['driver' => $driver, 'unix_socket' => $socket, 'user' => $user, 'password' => $password, 'dbname' => $database, 'charset' => 'utf8mb4'];

function show(string $what, mixed $value): void
{
    ob_start();
    var_dump($value);
    $shown = ob_get_clean();
    echo "$what: $shown";
}

// What a call returns, or what it throws, with the exceptions below it.
function attempt(string $what, Closure $call): void
{
    try {
        show($what, $call());
    } catch (Throwable $error) {
        for (; $error; $error = $error->getPrevious()) {
            echo "$what: ", $error::class, ' ', $error->getCode(), method_exists($error, 'getSQLState') ? " [{$error->getSQLState()}]" : '', ": {$error->getMessage()}\n";
        }
    }
}

function columns(): array
{
    return ['small' => 'smallint', 'number' => 'integer', 'big' => 'bigint', 'yes' => 'boolean', 'ratio' => 'float', 'price' => 'decimal', 'name' => 'string', 'story' => 'text', 'bytes' => 'binary', 'photo' => 'blob',
        'day' => 'date', 'hour' => 'time', 'moment' => 'datetime', 'fixed' => 'datetime_immutable', 'data' => 'json', 'list' => 'simple_array', 'guid' => 'guid', 'ascii' => 'ascii_string'];
}

function schema(): Schema
{
    $config = new SchemaConfig();
    $config->setDefaultTableOptions(['charset' => 'utf8mb4', 'collation' => 'utf8mb4_unicode_ci']);
    $schema = new Schema([], [], $config);
    $authors = $schema->createTable('authors');
    $authors->addColumn('id', 'integer', ['autoincrement' => true, 'unsigned' => true]);
    $authors->addColumn('name', 'string', ['length' => 50, 'comment' => "It's a 🐬"]);
    $authors->setPrimaryKey(['id']);
    $authors->addUniqueIndex(['name']);
    $books = $schema->createTable('books');
    $books->addColumn('id', 'bigint', ['autoincrement' => true]);
    $books->addColumn('author', 'integer', ['unsigned' => true, 'notnull' => false]);
    $books->addColumn('title', 'string', ['length' => 100, 'default' => "no 'title'"]);
    $books->setPrimaryKey(['id']);
    $books->addForeignKeyConstraint($authors, ['author'], ['id'], ['onDelete' => 'CASCADE'], 'fk_author');
    $books->addIndex(['title'], 'by_title', [], ['lengths' => [20]]);
    $types = $schema->createTable('types');
    $types->addColumn('id', 'integer', ['autoincrement' => true]);
    foreach (columns() as $name => $type) {
        $types->addColumn($name, $type, ['notnull' => false] + match ($type) {
            'decimal' => ['precision' => 20, 'scale' => 5],
            'string', 'ascii_string', 'binary' => ['length' => 40],
            default => [],
        });
    }
    $types->setPrimaryKey(['id']);
    return $schema;
}

function fill(Connection $db): void
{
    foreach (['types', 'books', 'authors'] as $table) {
        $db->executeStatement("DROP TABLE IF EXISTS $table");
    }
    foreach (schema()->toSql($db->getDatabasePlatform()) as $sql) {
        $db->executeStatement($sql);
    }
    foreach (["Anna O'Neill 🐬", 'Böll', "back\\slash %s :name ?"] as $name) {
        $db->insert('authors', ['name' => $name]);
        $author = $db->lastInsertId();
        $db->insert('books', ['author' => $author, 'title' => "The first of $name"]);
        $db->insert('books', ['author' => $author, 'title' => 'Another'], ['author' => ParameterType::INTEGER]);
    }
}

$pages = [
    'connect' => function (Connection $db) use ($parameters): void {
        show('native', $db->getNativeConnection()::class);
        show('platform', $db->getDatabasePlatform()::class);
        show('database', $db->getDatabase() === $parameters['dbname']);
        show('quoted', $db->quote("It's a \\ \"quoted\" 🐬 \0\n\x1a"));
        show('one', $db->fetchOne('SELECT 1'));
        $db->close();
        show('connected', $db->isConnected());
        show('again', $db->fetchOne("SELECT CONCAT('a', 'b')"));
        attempt('wrong password', fn() => DriverManager::getConnection(['password' => 'wrong'] + $parameters)->connect());
        attempt('no such database', fn() => DriverManager::getConnection(['dbname' => 'nowhere'] + $parameters)->connect());
        attempt('no server', fn() => DriverManager::getConnection(['unix_socket' => '/nowhere'] + $parameters)->connect());
    },
    'schema' => function (Connection $db): void {
        fill($db);
        $platform = $db->getDatabasePlatform();
        $manager = $db->createSchemaManager();
        show('SQL', schema()->toSql($platform));
        $found = $manager->introspectSchema();
        show('differences', $manager->createComparator()->compareSchemas($found, schema())->toSaveSql($platform));
        $changed = clone $found;
        $changed->getTable('books')->addColumn('pages', 'smallint', ['default' => 3]);
        $changed->getTable('books')->dropIndex('by_title');
        $changed->getTable('authors')->modifyColumn('name', ['length' => 80]);
        foreach ($manager->createComparator()->compareSchemas($found, $changed)->toSaveSql($platform) as $sql) {
            show($sql, $db->executeStatement($sql));
        }
        show('columns', array_map(fn($column) => $column->toArray()['type']::class . ' ' . json_encode(array_diff_key($column->toArray(), ['type' => 1])), $manager->listTableColumns('books')));
        $indexes = array_map(fn($index) => [$index->getColumns(), $index->isUnique(), $index->isPrimary()], $manager->listTableIndexes('authors'));
        ksort($indexes); // the server tells them in any order
        show('indexes', $indexes);
        show('foreign keys', array_map(fn($key) => [$key->getName(), $key->getForeignTableName(), $key->onDelete()], $manager->listTableForeignKeys('books')));
        $manager->createView(new Doctrine\DBAL\Schema\View('names', 'SELECT name FROM authors'));
        show('views', array_map(fn($view) => strlen($view->getSql()) > 0, $manager->listViews()));
        $manager->dropView('names');
    },
    'types' => function (Connection $db): void {
        fill($db);
        $moment = new DateTime('2001-02-03 04:05:06');
        $row = ['small' => -32768, 'number' => 2147483647, 'big' => '9223372036854775807', 'yes' => true, 'ratio' => 1.1, 'price' => '123456789012345.67890', 'name' => "Bob's 🐬", 'story' => str_repeat("\\ ñ 漢字\n", 3), 'bytes' => "\0\xff\x1a'", 'photo' => "\0\xfe\\",
            'day' => $moment, 'hour' => $moment, 'moment' => $moment, 'fixed' => DateTimeImmutable::createFromMutable($moment), 'data' => ['a' => [1, 2.5, null, '🐬']], 'list' => ['x', 'y'], 'guid' => '01234567-89ab-cdef-0123-456789abcdef', 'ascii' => 'plain'];
        show('inserted', $db->insert('types', $row, columns()));
        show('inserted NULL', $db->insert('types', array_fill_keys(array_keys(columns()), null), columns()));
        $stream = fopen('php://memory', 'w+');
        fwrite($stream, str_repeat("\0large🐬", 20_000));
        rewind($stream);
        show('inserted a stream', $db->insert('types', ['photo' => $stream, 'yes' => false, 'ratio' => -1e-30], ['photo' => 'blob', 'yes' => 'boolean', 'ratio' => 'float']));
        foreach ($db->iterateAssociative('SELECT * FROM types ORDER BY id') as $found) {
            $found['photo'] = $found['photo'] === null ? null : md5($found['photo']);
            show('raw', $found);
        }
        $found = $db->fetchAssociative('SELECT * FROM types WHERE id = ?', [1], ['integer']);
        foreach (columns() as $name => $type) {
            $value = Type::getType($type)->convertToPHPValue($found[$name], $db->getDatabasePlatform());
            show("as $type", is_resource($value) ? stream_get_contents($value) : $value);
        }
        foreach (columns() as $name => $type) {
            if (!in_array($type, ['float', 'json', 'blob'], true)) {
                show("found by $type", $db->fetchOne("SELECT id FROM types WHERE $name = ?", [$row[$name]], [$type]));
            }
        }
        show('updated', $db->update('types', ['name' => null, 'price' => '1.5'], ['id' => 1], ['price' => 'decimal']));
        show('updated nothing', $db->update('types', ['price' => '1.5'], ['id' => 1]));
        show('deleted', $db->delete('types', ['id' => 2]));
    },
    'queries' => function (Connection $db): void {
        fill($db);
        $sql = 'SELECT a.id, a.name, COUNT(b.id) AS books FROM authors a LEFT JOIN books b ON b.author = a.id GROUP BY a.id ORDER BY a.id';
        show('all', $db->fetchAllAssociative($sql));
        show('all by number', $db->fetchAllNumeric($sql));
        show('pairs', $db->fetchAllKeyValue('SELECT id, name FROM authors ORDER BY id'));
        show('indexed', $db->fetchAllAssociativeIndexed($sql));
        show('column', $db->fetchFirstColumn('SELECT name FROM authors WHERE id > :id AND name <> :name ORDER BY id', ['name' => 'x', 'id' => 1]));
        show('row', $db->fetchNumeric('SELECT ?, ?, ?, ?', [1, '2', null, true], ['integer', 'string', 'string', 'boolean']));
        show('nothing', [$db->fetchOne('SELECT 1 FROM authors WHERE 0'), $db->fetchAssociative('SELECT 1 FROM authors WHERE 0'), $db->fetchAllNumeric('SELECT 1 FROM authors WHERE 0')]);
        show('list', $db->fetchFirstColumn('SELECT name FROM authors WHERE id IN (?) OR name IN (?) ORDER BY id', [[1, 3], ["Böll", "?"]], [ArrayParameterType::INTEGER, ArrayParameterType::STRING]));
        $builder = $db->createQueryBuilder();
        $builder->select('b.title', 'UPPER(a.name) AS name')->from('books', 'b')->leftJoin('b', 'authors', 'a', 'a.id = b.author')->where($builder->expr()->like('b.title', ':title'))->setParameter('title', '%first%')->orderBy('b.id', 'DESC')->setFirstResult(1)->setMaxResults(2);
        show('SQL', $builder->getSQL());
        show('built', $builder->fetchAllAssociative());
        $statement = $db->prepare('SELECT id, name FROM authors WHERE id = ?');
        foreach ([1, 2, 99] as $id) {
            $statement->bindValue(1, $id, ParameterType::INTEGER);
            show("prepared $id", $statement->executeQuery()->fetchAllAssociative());
        }
        $insert = $db->prepare('INSERT INTO authors (name) VALUES (?)');
        foreach (['eins', 'zwei'] as $name) {
            $insert->bindValue(1, $name);
            show($name, [$insert->executeStatement(), $db->lastInsertId()]);
        }
        $result = $db->executeQuery('SELECT id, name FROM authors ORDER BY id');
        show('result', [$result->columnCount(), $result->rowCount(), $result->fetchAssociative(), $result->fetchNumeric(), $result->fetchOne(), $result->fetchFirstColumn(), $result->fetchOne()]);
        $result->free();
        show('iterated', [...$db->iterateKeyValue('SELECT id, name FROM authors ORDER BY id')]);
        show('changed', [$db->executeStatement('UPDATE authors SET name = CONCAT(name, ?) WHERE id < ?', ['!', 3]), $db->executeStatement('UPDATE authors SET id = id')]);
        show('several', $db->executeStatement('DO 1'));
        $portable = DriverManager::getConnection($db->getParams(), (new Configuration())->setMiddlewares([new Portability\Middleware(Portability\Connection::PORTABILITY_ALL, Doctrine\DBAL\ColumnCase::UPPER)]));
        show('portable', $portable->fetchAllAssociative("SELECT id, '' AS nothing, 'spaces  ' AS spaces FROM authors WHERE id = 1"));
    },
    'transactions' => function (Connection $db): void {
        fill($db);
        $count = fn() => $db->fetchOne('SELECT COUNT(*) FROM authors');
        $db->beginTransaction();
        $db->insert('authors', ['name' => 'gone']);
        show('within', [$count(), $db->getTransactionNestingLevel(), $db->isTransactionActive()]);
        $db->rollBack();
        show('rolled back', [$count(), $db->isTransactionActive()]);
        show('transactional', $db->transactional(fn($db) => $db->insert('authors', ['name' => 'kept'])));
        attempt('thrown', fn() => $db->transactional(function ($db) {
            $db->insert('authors', ['name' => 'lost']);
            throw new DomainException('no');
        }));
        show('afterwards', $count());
        $db->setNestTransactionsWithSavepoints(true);
        $db->beginTransaction();
        $db->insert('authors', ['name' => 'outer']);
        $db->beginTransaction();
        $db->insert('authors', ['name' => 'inner']);
        $db->rollBack();
        show('nested', [$count(), $db->getTransactionNestingLevel()]);
        $db->commit();
        show('committed', $count());
        $db->setTransactionIsolation(TransactionIsolationLevel::SERIALIZABLE);
        show('isolation', $db->fetchOne('SELECT @@tx_isolation'));
        $db->setAutoCommit(false);
        $db->insert('authors', ['name' => 'by itself']);
        $db->setAutoCommit(true);
        show('autocommit', $count());
        attempt('too much', fn() => $db->commit());
        $db->beginTransaction();
        $db->executeStatement('CREATE TABLE implicit (id INT)');
        attempt('committed already', fn() => $db->commit());
        $db->executeStatement('DROP TABLE implicit');
    },
    'errors' => function (Connection $db) use ($parameters): void {
        fill($db);
        attempt('syntax', fn() => $db->fetchAllNumeric('SELECT FROM WHERE'));
        attempt('no such table', fn() => $db->fetchOne('SELECT 1 FROM nowhere'));
        attempt('no such column', fn() => $db->fetchOne('SELECT nothing FROM authors'));
        attempt('ambiguous', fn() => $db->fetchOne('SELECT id FROM authors, books'));
        attempt('table exists', fn() => $db->executeStatement('CREATE TABLE authors (id INT)'));
        attempt('unique', fn() => $db->insert('authors', ['name' => 'Böll']));
        attempt('not null', fn() => $db->insert('authors', ['name' => null]));
        attempt('foreign key', fn() => $db->insert('books', ['author' => 99, 'title' => 'x']));
        attempt('too long', fn() => $db->insert('authors', ['name' => str_repeat('🐬', 60)]));
        attempt('too few parameters', fn() => $db->fetchAllNumeric('SELECT ?, ?', [1]));
        attempt('too many parameters', fn() => $db->fetchAllNumeric('SELECT ?', [1, 2]));
        attempt('an unknown parameter', fn() => $db->fetchAllNumeric('SELECT :a', ['b' => 1]));
        attempt('no such type', fn() => $db->fetchAllNumeric('SELECT ?', [1], ['nonsense']));
        attempt('still there', fn() => $db->fetchOne('SELECT 1'));
        $other = DriverManager::getConnection($parameters);
        $db->beginTransaction();
        $db->executeStatement('UPDATE authors SET name = name WHERE id = 1');
        $other->executeStatement('SET innodb_lock_wait_timeout = 1');
        attempt('lock', fn() => $other->executeStatement('UPDATE authors SET name = name WHERE id = 1'));
        $db->rollBack();
        attempt('killed', fn() => $db->executeStatement('KILL ' . $other->fetchOne('SELECT CONNECTION_ID()')));
        attempt('gone', fn() => $other->fetchOne('SELECT 1'));
        $other->close();
        attempt('connected anew', fn() => $other->fetchOne('SELECT 1'));
    },
];

header('Content-Type: text/plain; charset=utf-8');
$pages[$page](DriverManager::getConnection($parameters));
