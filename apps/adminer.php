<?php
/*
 * Adminer: logged in to, tables made, filled, browsed, searched, changed and exported, SQL run, right and wrong.
 */

declare(strict_types=1);

return [
    'packages' => ['adminer'],
    'folder' => '/usr/share/adminer',
    'masks' => [
        '/(["\'])\d{1,7}:\d{1,7}\1/' => 'TOKEN', // two numbers by chance, each time
        '/(<code class=\'jush-sqlset\'>(?:pseudo_thread_id|rand_seed\d)<\/code><td>)\d+/' => '$1NUMBER', // of the connection
        '/\(\d+\.\d{3} s\)/' => '(N s)', // what a query took
        '/ nonce="[A-Za-z0-9+\/=]+"/' => ' nonce="NONCE"',
    ],
    'prepare' => function (string $folder, string $packages, string $database): void {
    },
    'visit' => function (Site $site): void {
        $login = ['auth[driver]' => 'server', 'auth[server]' => 'localhost', 'auth[username]' => getenv('VAQUITA_MARIADB_USER'), 'auth[db]' => $site->database];
        $where = '/adminer.php?' . http_build_query(['server' => 'localhost', 'username' => getenv('VAQUITA_MARIADB_USER'), 'db' => $site->database]);
        $site->visit('log-in form', fn($b) => $b->get('/adminer.php'));
        $site->visit('wrong password', fn($b) => $b->post('/adminer.php', ['auth[password]' => 'wrong'] + $login));
        $site->visit('refused', fn($b) => $b->get($where));
        $in = $site->visit('log in', fn($b) => $b->post('/adminer.php', ['auth[password]' => getenv('VAQUITA_MARIADB_PASSWORD')] + $login));
        $in->status === 302 || throw new Exception("the log-in failed:\n$in->body");
        $tables = $site->visit('no tables', fn($b) => $b->get($where));
        str_contains($tables->body, 'Logout') || throw new Exception("not logged in:\n$tables->body");
        $run = function (string $name, string $sql) use ($site, $where): Page {
            $form = $site->visit("$name: form", fn($b) => $b->get("$where&sql="));
            return $site->visit($name, fn($b) => $b->post("$where&sql=", ['query' => $sql, 'limit' => '', 'error_stops' => '', 'only_errors' => '', 'token' => $form->hidden()['token']]));
        };
        $run('make tables', <<<'SQL'
            CREATE TABLE authors (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL COMMENT 'with 🐬', born DATE, photo BLOB, UNIQUE (name)) COMMENT='people';
            CREATE TABLE books (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, author INT, title TEXT, price DECIMAL(8,2), bits BIT(10), kind ENUM('novel', 'poems'), FOREIGN KEY (author) REFERENCES authors (id) ON DELETE CASCADE);
            CREATE VIEW prices AS SELECT kind, SUM(price) AS total FROM books GROUP BY kind;
            INSERT INTO authors VALUES (1, 'Anna O''Neill 🐬', '1970-01-02', UNHEX('00FF1A27')), (2, 'Böll', NULL, NULL);
            INSERT INTO books (author, title, price, bits, kind) SELECT 1 + seq % 2, CONCAT('Title ', seq), seq / 3, seq, IF(seq % 2, 'novel', 'poems') FROM seq_1_to_120;
            ANALYZE TABLE authors, books;
            SQL);
        $site->visit('tables', fn($b) => $b->get($where));
        foreach (['table=authors', 'table=books', 'indexes=books', 'create=books', 'foreign=books', 'view=prices', 'schema=', 'variables=', 'select=authors', 'select=prices', 'select=books', 'select=books&page=1', 'edit=authors&where[id]=1'] as $page) {
            $site->visit($page, fn($b) => $b->get("$where&$page"));
        }
        $site->visit('search', fn($b) => $b->get("$where&select=books&" . http_build_query(['where' => [['col' => 'title', 'op' => 'LIKE %%', 'val' => "1'1"], ['col' => 'price', 'op' => '>', 'val' => '3']], 'order' => ['price'], 'desc' => ['1'], 'limit' => '7'])));
        $edit = $site->visit('edit', fn($b) => $b->get("$where&edit=authors&where%5Bid%5D=2"));
        $site->visit('save', fn($b) => $b->post("$where&edit=authors&where%5Bid%5D=2", ['fields[id]' => '2', 'fields[name]' => "Heinrich \\ \"Böll\" '漢字", 'function[born]' => '', 'fields[born]' => '1917-12-21', 'token' => $edit->hidden()['token']]));
        $site->visit('saved', fn($b) => $b->get("$where&select=authors"));
        $run('several results', "SELECT 1 AS a; SELECT * FROM prices; SELECT nonsense; SELECT NULL, '', 0x00FF, b'101', 1.50, CAST('2001-02-03 04:05:06.789' AS DATETIME(3)); CALL nothing(); SHOW WARNINGS");
        $run('explain and many rows', 'SELECT * FROM books, authors ORDER BY books.id; EXPLAIN SELECT * FROM books WHERE author = 1');
        $dump = $site->visit('export: form', fn($b) => $b->get("$where&dump="));
        $site->visit('export', fn($b) => $b->post("$where&dump=", ['output' => 'text', 'format' => 'sql', 'db_style' => '', 'routines' => '1', 'events' => '1', 'table_style' => 'DROP+CREATE', 'triggers' => '1', 'data_style' => 'INSERT', 'tables' => ['authors', 'books', 'prices'], 'data' => ['authors', 'books'], 'token' => $dump->hidden()['token']]));
        $site->visit('export as CSV', fn($b) => $b->post("$where&dump=", ['output' => 'text', 'format' => 'csv', 'data_style' => 'INSERT', 'tables' => [], 'data' => ['books'], 'token' => $dump->hidden()['token']]));
        $site->visit('databases', fn($b) => $b->get('/adminer.php?' . http_build_query(['server' => 'localhost', 'username' => getenv('VAQUITA_MARIADB_USER')])));
        $site->visit('server', fn($b) => $b->get('/adminer.php?' . http_build_query(['server' => 'localhost', 'username' => getenv('VAQUITA_MARIADB_USER')]) . '&privileges='));
        $site->visit('log out', fn($b) => $b->post($where, ['logout' => 'Logout', 'token' => $edit->hidden()['token']]));
    },
    'look' => function (Site $site): void {
        $site->look('log in', function (Chromium $b) use ($site) {
            $b->open("http://$site->address/adminer.php?server=localhost");
            $b->write('#username', getenv('VAQUITA_MARIADB_USER'));
            $b->write('[name="auth[password]"]', getenv('VAQUITA_MARIADB_PASSWORD'));
            $b->write('[name="auth[db]"]', $site->database);
            $b->click('input[type=submit]');
            $b->until('document.querySelector("#tables")');
        });
        $site->look('select', function (Chromium $b) {
            $b->click('#tables a.select[href*="select=books"]');
            $b->until('document.querySelector("#table")');
        });
        $site->look('more rows', function (Chromium $b) {
            $b->click('.loadmore');
            $b->until('document.querySelectorAll("#table tbody tr").length >= 100');
        });
        $site->look('edit a value', function (Chromium $b) {
            $b->script('document.querySelector("#table tbody td[id*=title]").dispatchEvent(new MouseEvent("click", {bubbles: true, ctrlKey: true}))');
            $b->write('#table td input[type=text], #table td textarea', ' 🐬');
            $b->click('input[value=Save]');
            $b->until('document.querySelector(".message")?.innerText.includes("affected")');
        });
        $site->look('run SQL', function (Chromium $b) {
            $b->click('#menu a[href*="sql="]');
            $b->write('.sqlarea.jush', "SELECT name, '🐬' AS emoji FROM authors; SELECT nonsense FROM books");
            $b->press(';'); // its editor takes what is written when a key is let go
            $b->until('document.querySelector("textarea.sqlarea").value.endsWith(";")');
            $b->click('#form input[type=submit]');
            $b->until('document.querySelector(".error")');
        });
    },
];
