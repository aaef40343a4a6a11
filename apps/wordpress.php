<?php
/*
 * WordPress: installed, logged in to, a post with an emoji written, read and searched, a picture uploaded, options changed.
 */

declare(strict_types=1);

// A picture of 160 x 90 pixels (https://www.w3.org/TR/png-3/#5DataRep).
$chunk = fn(string $type, string $data) => pack('N', strlen($data)) . $type . $data . pack('N', crc32($type . $data));
$picture = "\x89PNG\r\n\x1a\n" . $chunk('IHDR', pack('NNC5', 160, 90, 8, 2, 0, 0, 0)) . $chunk('IDAT', gzcompress(str_repeat("\0" . str_repeat("\x20\x90\xb0", 160), 90))) . $chunk('IEND', '');

$log_in = function (Browser $b): Page {
    $page = $b->post('/wp-login.php', ['log' => 'bob', 'pwd' => 'a password of Bob', 'wp-submit' => 'Log In', 'redirect_to' => '/wp-admin/', 'testcookie' => '1'], ['Cookie: wordpress_test_cookie=WP%20Cookie%20check']);
    $page->status === 302 || throw new Exception("the log-in failed:\n$page->body");
    return $page;
};

return [
    'packages' => ['wordpress', 'wordpress-theme-twentytwentythree', 'libjs-underscore', 'libjs-cropper', 'php-getid3', 'ca-certificates'],
    'folder' => '/usr/share/wordpress',
    'masks' => [
        '/(^|["\'=])[0-9a-f]{10}(?=["\'& ]|$)/m' => '$1NONCE', // a value of its own: in quotes, of a parameter, on a line
        '/\b\d(\.gravatar)/' => '$1', // one of three servers, by chance
        '/(data-pw=")[^"]*/' => '$1PASSWORD', // a proposal
        '/\b\d+ (second|minute|min)s? ago\b/' => 'TODAY',
        '/(<div class="(?:hh|mn|ss)">|name="(?:hh|mn|ss|cur_hh|cur_mn|hidden_hh|hidden_mn)" value=")\d\d/' => '$1NOW', // hour, minute, second in fields of their own
    ],
    'prepare' => function (string $folder, string $packages, string $database): void {
        rename("$folder/wp-config.php", "$folder/wp-config-debian.php");
        $secrets = '';
        foreach (['AUTH_KEY', 'SECURE_AUTH_KEY', 'LOGGED_IN_KEY', 'NONCE_KEY', 'AUTH_SALT', 'SECURE_AUTH_SALT', 'LOGGED_IN_SALT', 'NONCE_SALT'] as $name) {
            $secrets .= "define('$name', 'a secret of nobody’s');\n";
        }
        [$user, $password] = [var_export(getenv('VAQUITA_MARIADB_USER'), true), var_export(getenv('VAQUITA_MARIADB_PASSWORD'), true)];
        file_put_contents("$folder/wp-config.php", <<<PHP
            <?php
            define('DB_NAME', '$database');
            define('DB_USER', $user);
            define('DB_PASSWORD', $password);
            define('DB_HOST', 'localhost');
            define('DB_CHARSET', 'utf8mb4');
            define('DISABLE_WP_CRON', true);
            define('WP_HTTP_BLOCK_EXTERNAL', true);
            define('WP_DEBUG', true);
            define('WP_DEBUG_DISPLAY', false);
            define('AUTOMATIC_UPDATER_DISABLED', true);
            define('AUTOSAVE_INTERVAL', 3600);
            define('DISALLOW_FILE_MODS', true);
            $secrets
            \$table_prefix = 'wp_';
            defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
            require_once ABSPATH . 'wp-settings.php';
            PHP);
        // A page asks for news once a minute, which would be in one of two visits by chance.
        mkdir("$folder/wp-content/mu-plugins");
        file_put_contents("$folder/wp-content/mu-plugins/quiet.php", "<?php add_filter('heartbeat_settings', fn(\$settings) => ['interval' => 3600] + \$settings);\n");
    },
    'install' => function (Site $site): void {
        $site->visit('not installed yet', fn($b) => $b->get('/'));
        $site->visit('installation', fn($b) => $b->post('/wp-admin/install.php?step=2', [
            'weblog_title' => "Bob's 🐬 site", 'user_name' => 'bob', 'admin_password' => 'a password of Bob', 'admin_password2' => 'a password of Bob', 'pw_weak' => 'on',
            'admin_email' => 'bob@example.org', 'blog_public' => '0', 'language' => '',
        ]));
    },
    'visit' => function (Site $site) use ($picture, $log_in): void {
        $site->visit('front page', fn($b) => $b->get('/'));
        $site->visit('wrong password', fn($b) => $b->post('/wp-login.php', ['log' => 'bob', 'pwd' => "' OR 1 -- ", 'wp-submit' => 'Log In']));
        $site->visit('log in', $log_in);
        $site->visit('dashboard', fn($b) => $b->get('/wp-admin/index.php'));
        $nonce = ['X-WP-Nonce: ' . $site->visit('nonce', fn($b) => $b->get('/wp-admin/admin-ajax.php?action=rest-nonce'))->body];
        $json = ['Content-Type: application/json', ...$nonce];
        $post = $site->visit('write a post', fn($b) => $b->send('POST', '/index.php?rest_route=/wp/v2/posts', json_encode(
            ['title' => "A 🐬's life; it's \"quoted\" \\ and %s", 'content' => "<p>Vaquitas 🐬 are porpoises: ñ, 漢字, 'single', \\back\\slash.</p>", 'status' => 'publish', 'slug' => 'vaquita']
        ), $json));
        $post->status === 201 || throw new Exception("the post was not written:\n$post->body");
        $id = $post->json()['id'];
        $read = $site->visit('read it', fn($b) => $b->get("/?p=$id"));
        str_contains($read->body, '🐬') || throw new Exception("the emoji is lost:\n$read->body");
        $site->visit('edit it', fn($b) => $b->get("/wp-admin/post.php?post=$id&action=edit"));
        $site->visit('change it', fn($b) => $b->send('POST', "/index.php?rest_route=/wp/v2/posts/$id", json_encode(['excerpt' => 'An excerpt', 'tags' => []]), $json));
        $site->visit('search it', fn($b) => $b->get('/?s=porpoises+%F0%9F%90%AC'));
        $site->visit('search in vain', fn($b) => $b->get('/?s=' . urlencode("100% '\\_")));
        $site->visit('list of posts', fn($b) => $b->get('/wp-admin/edit.php'));
        $site->visit('comment', fn($b) => $b->send('POST', '/index.php?rest_route=/wp/v2/comments', json_encode(['post' => $id, 'content' => "It's great 🎉", 'author_name' => 'Bob', 'author_email' => 'bob@example.org']), $json));
        $uploaded = $site->visit('upload', fn($b) => $b->send('POST', '/index.php?rest_route=/wp/v2/media', $picture, ['Content-Type: image/png', 'Content-Disposition: attachment; filename="sea.png"', ...$nonce]));
        $uploaded->status === 201 || throw new Exception("the upload failed:\n$uploaded->body");
        $site->visit('media', fn($b) => $b->get('/wp-admin/upload.php?mode=list'));
        $options = $site->visit('options', fn($b) => $b->get('/wp-admin/options-general.php'));
        $site->visit('change options', fn($b) => $b->post('/wp-admin/options.php', ['blogname' => "Bob's other 🐬 site", 'blogdescription' => 'Just "another"', 'siteurl' => "http://$site->address", 'home' => "http://$site->address",
            'new_admin_email' => 'bob@example.org', 'timezone_string' => 'UTC', 'date_format' => 'F j, Y', 'time_format' => 'g:i a', 'start_of_week' => '1', 'default_role' => 'subscriber', 'submit' => 'Save Changes',
        ] + array_intersect_key($options->hidden(), array_flip(['option_page', 'action', '_wpnonce', '_wp_http_referer']))));
        $changed = $site->visit('options afterwards', fn($b) => $b->get('/wp-admin/options-general.php?settings-updated=true'));
        str_contains($changed->body, 'other 🐬 site') || throw new Exception("the options were not changed:\n$changed->body");
        $site->visit('users', fn($b) => $b->get('/wp-admin/users.php'));
        // Whoever asks for it first makes a post for the theme's styles; of the block editor's requests that would be one or another.
        $site->visit('theme', fn($b) => $b->get('/index.php?rest_route=/wp/v2/themes&status=active', $nonce));
        $site->visit('site health', fn($b) => $b->get('/index.php?rest_route=/wp/v2/users/me', $nonce));
        $site->visit('delete it', fn($b) => $b->send('DELETE', "/index.php?rest_route=/wp/v2/posts/$id&force=true", '', $nonce));
        $site->visit('it is gone', fn($b) => $b->get("/?p=$id"));
    },
    'fill' => function (Browser $b) use ($log_in): array {
        $log_in($b);
        $headers = ['Content-Type: application/json', 'X-WP-Nonce: ' . $b->get('/wp-admin/admin-ajax.php?action=rest-nonce')->body];
        foreach (range(1, 10) as $number) {
            $text = implode("\n", array_map(fn($part) => "<p>Part $part of post $number: " . str_repeat('Vaquitas 🐬 are porpoises. ', 20) . '</p>', range(1, 5)));
            $post = $b->send('POST', '/index.php?rest_route=/wp/v2/posts', json_encode(['title' => "Post number $number", 'content' => $text, 'status' => 'publish']), $headers);
            $post->status === 201 || throw new Exception("the post was not written:\n$post->body");
        }
        $id = $post->json()['id'];
        foreach (range(1, 10) as $number) {
            $b->send('POST', '/index.php?rest_route=/wp/v2/comments', json_encode(['post' => $id, 'content' => "Comment number $number"]), $headers);
        }
        return ['front page' => ['/', 'Post number 10'], 'a post with ten comments' => ["/?p=$id", 'Comment number 10']];
    },
    'look' => function (Site $site) use ($picture): void {
        $address = "http://$site->address";
        $site->look('log in', function (Chromium $b) use ($address) {
            $b->open("$address/wp-login.php");
            $b->write('#user_login', 'bob');
            $b->write('#user_pass', 'a password of Bob');
            $b->click('#wp-submit');
            $b->until('document.querySelector("#wpadminbar")');
        });
        $site->look('block editor', function (Chromium $b) use ($address) {
            $b->open("$address/wp-admin/post-new.php");
            $b->until('document.querySelector(".components-modal__frame")');
            $b->requested('POST', 'users%2Fme'); // what was set by itself is kept
        });
        $site->look('close the guide', function (Chromium $b) {
            $b->click('.components-guide button[aria-label="Close"], .components-modal__header button');
            $b->until('!document.querySelector(".components-modal__frame")');
            $b->requested('POST', 'users%2Fme'); // a while later
        });
        $site->look('write a post', function (Chromium $b) {
            $b->write('.wp-block-post-title', "Bob's 🐬 from the editor");
            $b->press(Chromium::ENTER);
            $b->insert('Vaquitas 🐬 are "small" porpoises: ñ, 漢字, \\ and 100 %.');
            $b->press(Chromium::ENTER);
            $b->insert('A second block 🎉');
        });
        $site->look('publish it', function (Chromium $b) {
            $b->click('.editor-post-publish-panel__toggle');
            $b->click('.editor-post-publish-panel .editor-post-publish-button');
            $b->until('document.querySelector(".post-publish-panel__postpublish-buttons a")');
        });
        $site->look('read it', function (Chromium $b) {
            $b->click('.post-publish-panel__postpublish-buttons a');
            $b->until('document.querySelector(".wp-block-post-content")?.innerHTML.includes("🎉")');
        });
        $site->look('comment it', function (Chromium $b) {
            $b->write('#comment', "It's great 🎉");
            $b->click('#commentform [type=submit]');
            $b->until('document.querySelector(".wp-block-comment-content")');
        });
        $site->look('search it', function (Chromium $b) use ($address) {
            $b->open("$address/?s=" . rawurlencode('second 🎉'));
        });
        $site->look('upload', function (Chromium $b) use ($address, $site, $picture) {
            file_put_contents("$site->folder/vaquita.png", $picture);
            $b->open("$address/wp-admin/upload.php?mode=grid");
            $b->settle();
            $b->click('.page-title-action');
            $b->choose('.moxie-shim input[type=file]', "$site->folder/vaquita.png");
            $b->until('document.querySelector(".attachment:not(.uploading) img[src*=vaquita]")');
        });
        $site->look('options', function (Chromium $b) use ($address) {
            $b->open("$address/wp-admin/options-general.php");
            $b->write('#blogdescription', ' 🐬 and "more"');
            $b->click('#submit');
            $b->until('document.querySelector("#setting-error-settings_updated")');
        });
        $site->look('change it', function (Chromium $b) use ($address) {
            $b->open("$address/wp-admin/edit.php");
            $b->settle(); // it asks for more when it is there
            $b->click('a.row-title');
            $b->write('.wp-block-post-title', '!');
            $b->click('.editor-post-publish-button');
            $b->until('document.querySelector(".components-snackbar")?.innerText.includes("Post updated")');
        });
    },
];
