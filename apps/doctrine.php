<?php
/*
 * Doctrine DBAL by both of its drivers for MySQL, PDO and mysqli: pages of ours (doctrine/pages.php) use its API.
 */

declare(strict_types=1);

return [
    'packages' => ['php-doctrine-dbal', 'php-doctrine-cache', 'php-doctrine-deprecations', 'php-doctrine-event-manager', 'php-psr-cache', 'php-psr-log'],
    'folder' => '/usr/share/php/Doctrine/DBAL',
    'masks' => [],
    'settings' => fn(string $packages) => ['include_path' => ".:$packages/usr/share/php"],
    'prepare' => function (string $folder, string $packages, string $database): void {
        copy(__DIR__ . '/doctrine/pages.php', "$folder/pages.php");
    },
    'visit' => function (Site $site): void {
        foreach (['pdo_mysql', 'mysqli'] as $driver) {
            foreach (['connect', 'schema', 'types', 'queries', 'transactions', 'errors'] as $name) {
                $page = $site->visit("$driver: $name", fn($b) => $b->get('/pages.php?' . http_build_query(['driver' => $driver, 'page' => $name, 'database' => $site->database,
                    'socket' => getenv('VAQUITA_MARIADB_SOCKET'), 'user' => getenv('VAQUITA_MARIADB_USER'), 'password' => getenv('VAQUITA_MARIADB_PASSWORD')])));
                $page->status === 200 || throw new Exception("$name fails:\n$page->body");
            }
        }
    },
    'look' => function (Site $site): void {
    },
];
