<?php
/*
 * phpMyAdmin: logged in to, SQL run, right and wrong, tables browsed, changed and exported.
 */

declare(strict_types=1);

return [
    'packages' => ['phpmyadmin', 'php8.2-mbstring', 'libonig5', 'php8.2-xml', 'php-phpmyadmin-motranslator', 'php-phpmyadmin-shapefile', 'php-phpmyadmin-sql-parser', 'php-twig-i18n-extension',
        'php-psr-http-factory', 'php-psr-http-message', 'php-slim-psr7', 'php-symfony-config', 'php-symfony-dependency-injection', 'php-symfony-expression-language', 'php-twig', 'php-webmozart-assert',
        'php-mariadb-mysql-kbs', 'php-google-recaptcha', 'php-nikic-fast-route', 'php-composer-ca-bundle', 'php-symfony-polyfill-php80', 'php-symfony-polyfill-mbstring', 'php-symfony-polyfill-ctype',
        'php-symfony-cache', 'php-symfony-cache-contracts', 'php-symfony-contracts', 'php-symfony-service-contracts', 'php-symfony-deprecation-contracts', 'php-symfony-filesystem',
        'php-symfony-var-exporter', 'php-psr-container', 'php-psr-cache', 'php-psr-log', 'php-fig-http-message-util', 'php-symfony-polyfill-php81', 'php-symfony-polyfill-php82', 'php-symfony-polyfill-php73', 'php-getallheaders', 'php-psr-event-dispatcher',
        'libjs-codemirror', 'libjs-jquery', 'libjs-jquery-mousewheel', 'libjs-jquery-tablesorter', 'libjs-jquery-timepicker', 'libjs-jquery-ui'],
    'folder' => '/usr/share/phpmyadmin',
    'masks' => [
        '/(token(?:"|%22|&quot;|\\\\")?(?:" value=|=|:| value=)["\']?(?:&quot;|\\\\")?)[0-9a-f]{32}/' => '$1TOKEN', // of the session
        '/(set_session" value=")[^"]*/' => '$1SESSION',
        '/(sql_signature=)[0-9a-f]{64}/' => '$1SIGNATURE', // made with a secret of the session
        '/\b\d+\.\d{4} seconds/' => 'N seconds', // what a query took
        '/((?:showAll|resultsForm|partialFulltextRadio[PF]|display_binary|display_blob|hide_transformation|geoOptionRadio[A-Za-z]+|relationalDisplayRadio[A-Za-z]+)_?|data-(?:for|uniqueId)=\\\\")\d+/' => '$1ID', // of each result, by chance
    ],
    'settings' => fn(string $packages) => ['include_path' => ".:$packages/usr/share/php", 'extension' => ["$packages/usr/lib/php/20220829/mbstring.so", "$packages/usr/lib/php/20220829/dom.so", "$packages/usr/lib/php/20220829/xml.so",
        "$packages/usr/lib/php/20220829/xmlwriter.so", "$packages/usr/lib/php/20220829/simplexml.so", "$packages/usr/lib/php/20220829/xmlreader.so"]],
    'prepare' => function (string $folder, string $packages, string $database): void {
        mkdir("$folder/tmp");
        $vendor = "$folder/libraries/vendor_config.php";
        file_put_contents($vendor, str_replace(["'/var/lib/phpmyadmin/tmp/'", "'/etc/phpmyadmin/config.inc.php'"], ["'$folder/tmp/'", "'$folder/config.inc.php'"], file_get_contents($vendor)));
        file_put_contents("$folder/config.inc.php", <<<'PHP'
            <?php
            $cfg['blowfish_secret'] = 'a secret of exactly 32 characters';
            $cfg['Servers'][1] = ['auth_type' => 'cookie', 'host' => 'localhost', 'compress' => false, 'AllowNoPassword' => false];
            $cfg['SendErrorReports'] = 'never';
            $cfg['VersionCheck'] = false;
            PHP);
    },
    'visit' => function (Site $site): void {
        $start = $site->visit('log-in form', fn($b) => $b->get('/index.php?route=/'));
        $fields = ['pma_username' => getenv('VAQUITA_MARIADB_USER'), 'server' => '1', 'lang' => 'en', 'route' => '/'];
        $site->visit('wrong password', fn($b) => $b->post('/index.php?route=/', $fields + ['pma_password' => 'wrong', 'token' => $start->hidden()['token'], 'set_session' => $start->hidden()['set_session']]));
        $start = $site->visit('log-in form again', fn($b) => $b->get('/index.php?route=/'));
        $in = $site->visit('log in', fn($b) => $b->post('/index.php?route=/', $fields + ['pma_password' => getenv('VAQUITA_MARIADB_PASSWORD'), 'token' => $start->hidden()['token'], 'set_session' => $start->hidden()['set_session']]));
        $in->status === 302 || throw new Exception("the log-in failed:\n$in->body");
        $home = $site->visit('home', fn($b) => $b->get('/index.php?route=/&lang=en'));
        str_contains($home->body, 'logged_in:true') || str_contains($home->body, 'logged_in: true') || throw new Exception("not logged in:\n$home->body");
        $token = preg_match('/token:"([0-9a-f]+)"/', $home->body, $found) ? $found[1] : $home->hidden()['token'];
        $db = ['server' => '1', 'db' => $site->database, 'token' => $token, 'ajax_request' => '1'];
        $sql = fn(string $name, string $query, array $more = []) => $site->visit($name, fn($b) => $b->post('/index.php?route=/import', ['sql_query' => $query, 'sql_delimiter' => ';', 'show_query' => '1', 'is_js_confirmed' => '1', 'SQL' => 'Go', 'fk_checks' => '1'] + $more + $db));
        $sql('make tables', <<<'SQL'
            CREATE TABLE authors (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL, born DATE, photo BLOB, UNIQUE (name));
            CREATE TABLE books (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, author INT, title TEXT, price DECIMAL(8,2), bits BIT(10), kind ENUM('novel', 'poems'), FOREIGN KEY (author) REFERENCES authors (id));
            INSERT INTO authors VALUES (1, 'Anna O''Neill 🐬', '1970-01-02', UNHEX('00FF1A27')), (2, 'Böll', NULL, NULL);
            INSERT INTO books (author, title, price, bits, kind) SELECT 1 + seq % 2, CONCAT('Title ', seq), seq / 3, seq, IF(seq % 2, 'novel', 'poems') FROM seq_1_to_60;
            ANALYZE TABLE authors, books;
            SQL);
        $sql('an error', 'SELECT nonsense FROM books');
        $sql('a result', 'SELECT * FROM books ORDER BY id');
        $sql('several results', "SELECT 1 AS a; SELECT NULL, '', 0x00FF, b'101', CAST('2001-02-03 04:05:06.789' AS DATETIME(3)); UPDATE books SET price = 1 WHERE id = 1");
        foreach (['/database/structure' => [], '/table/structure' => ['table' => 'books'], '/sql' => ['table' => 'books', 'pos' => '25'], '/table/search' => ['table' => 'authors'], '/table/change' => ['table' => 'authors', 'where_clause' => '`authors`.`id` = 1'],
            '/database/search' => [], '/server/databases' => [], '/server/variables' => ['filter' => 'sql_mode'], '/server/status' => [], '/server/privileges' => [], '/table/operations' => ['table' => 'books'], '/table/relation' => ['table' => 'books'],
            '/navigation' => ['aPath' => '', 'vPath' => ''], '/table/export' => ['table' => 'books'], '/server/collations' => []] as $route => $more) {
            if ($route !== '/server/status') { // what it shows changes all the time
                $site->visit($route, fn($b) => $b->get("/index.php?route=$route&" . http_build_query($more + $db)));
            }
        }
        foreach (['sql', 'csv', 'json', 'xml'] as $format) {
            $export = $site->visit("export as $format", fn($b) => $b->post('/index.php?route=/export', ['what' => $format, 'export_type' => 'table', 'table' => 'books', 'export_method' => 'quick', 'quick_or_custom' => 'quick', 'output_format' => 'astext', 'single_table' => '1',
                "{$format}_structure_or_data" => $format === 'sql' ? 'structure_and_data' : 'data', 'xml_export_contents' => '1', 'csv_separator' => ',', 'csv_enclosed' => '"', 'csv_escaped' => '"', 'csv_terminated' => 'AUTO', 'csv_null' => 'NULL', 'allrows' => '1', 'charset' => 'utf-8', 'compression' => 'none', 'filename_template' => '@TABLE@',
                'sql_type' => 'INSERT', 'sql_insert_syntax' => 'both', 'sql_max_query_size' => '50000', 'sql_include_comments' => '1', 'sql_create_table' => '1'] + array_diff_key($db, ['ajax_request' => 1])));
            str_contains($export->body, 'Title 60') || throw new Exception("not exported as $format:\n$export->body");
        }
        $site->visit('log out', fn($b) => $b->post('/index.php?route=/logout', ['server' => '1', 'token' => $token]));
    },
    'look' => function (Site $site): void {
        $page = fn(string $route, array $more = []) => "http://$site->address/index.php?" . http_build_query(['route' => $route, 'server' => '1', 'db' => $site->database] + $more);
        $site->look('log in', function (Chromium $b) use ($site) {
            $b->open("http://$site->address/");
            $b->write('#input_username', getenv('VAQUITA_MARIADB_USER'));
            $b->write('#input_password', getenv('VAQUITA_MARIADB_PASSWORD'));
            $b->click('#input_go');
            $b->until('document.querySelector("#pma_navigation_tree_content li.database")');
        });
        $site->look('tables', function (Chromium $b) use ($page) {
            $b->open($page('/database/structure'));
            $b->until('document.querySelector("#tablesForm")');
        });
        $site->look('browse', function (Chromium $b) {
            $b->click('#tablesForm a[href*="table=books"]');
            $b->until('document.querySelector(".table_results")');
        });
        $site->look('sort', function (Chromium $b) {
            $b->click('.table_results th[data-column=price] a.sortlink');
            $b->until('document.querySelector(".result_query")?.innerText.includes("ORDER BY")');
        });
        $site->look('next rows', function (Chromium $b) {
            $b->click('input[name=navig][title=Next]');
        });
        $run = fn(string $name, string $sql, string $until) => $site->look($name, function (Chromium $b) use ($page, $sql, $until) {
            $b->open($page('/database/sql'));
            $b->write('#sqlquery + .CodeMirror', $sql);
            $b->requested('POST', 'route=/lint'); // it looks for errors a while later
            $b->click('#button_submit_query');
            $b->until("document.querySelector('$until')");
        });
        $run('run SQL', "SELECT id, name, HEX(photo), '🐬' AS emoji FROM authors", '.table_results');
        $run('change by SQL', "UPDATE authors SET name = CONCAT(name, ' 🎉') WHERE id = 2", '.alert-success');
        $run('wrong SQL', 'SELECT nonsense FROM books', '.alert-danger');
        $site->look('edit a value', function (Chromium $b) use ($page) {
            $b->open($page('/sql', ['table' => 'authors', 'pos' => '0']));
            $b->settle();
            $b->script('const cell = document.querySelector("td[data-type=date]"); cell.scrollIntoView(); cell.dispatchEvent(new MouseEvent("dblclick", {bubbles: true}))');
            $b->click('.ui-datepicker-calendar td:not(.ui-datepicker-other-month) a[data-date="15"], .ui-datepicker-calendar tr:nth-child(3) td:nth-child(5) a');
            $b->press(Chromium::ENTER);
            $b->until('document.querySelector("td[data-type=date]").innerText.includes("1970-01-15")');
        });
        $site->look('export', function (Chromium $b) use ($page) {
            $b->open($page('/table/export', ['table' => 'books']));
            $b->click('#buttonGo');
            return $b->downloaded('books.sql');
        });
    },
];
