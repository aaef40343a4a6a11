<?php
/*
 * Installs an application and fills it, for `make bench`, which asks for its pages by other means.
 *
 *   php install.php PACKAGES FOLDER NAME
 *
 * PACKAGES is as in run.php, FOLDER becomes the application's; the server is in the environment. It prints as one line of JSON: host, which its pages are to be asked for by,
 * settings of PHP's (of which some have several values), libraries, which its extensions need, and pages: of each its name, its path, and what is in it.
 */

declare(strict_types=1);

error_reporting(E_ALL);
date_default_timezone_set('UTC');
set_error_handler(fn(int $level, string $message, string $file, int $line) => throw new ErrorException($message, 0, $level, $file, $line));
require 'browser.php';
require 'site.php';

[, $packages, $folder, $name] = $argv;
$app = require __DIR__ . "/$name.php";
$site = Site::of($app, PHP_BINARY, $packages, $folder, "{$name}_pages");
try {
    $app['install']($site);
    // In a browser of its own, which nobody has logged in yet.
    $pages = $app['fill'](new Browser($site->address));
} finally {
    $site->close();
}
$pages = array_map(fn($name, $page) => ['name' => $name, 'path' => $page[0], 'mark' => $page[1]], array_keys($pages), $pages);
echo json_encode(['host' => $site->address, 'settings' => $site->settings, 'libraries' => $site->libraries, 'pages' => $pages], JSON_THROW_ON_ERROR), "\n";
