<?php
/*
 * WordPress: installed, logged in to, a post with an emoji written, read and searched, a picture uploaded, options changed.
 */

declare(strict_types=1);

return [
    'packages' => ['wordpress', 'wordpress-theme-twentytwentythree', 'libjs-underscore', 'libjs-cropper', 'php-getid3', 'ca-certificates'],
    'folder' => '/usr/share/wordpress',
    'masks' => [
        '/\b[0-9a-f]{10}\b/' => 'NONCE', // and times in seconds
        '/\b\d(\.gravatar)/' => '$1',
        '/(data-pw=")[^"]*/' => '$1PASSWORD',
        '/\b20\d\d-\d\d-\d\d([ T]|%20)\d\d(:|%3A)\d\d(:|%3A)\d\d/' => 'TIME',
        '/\b(January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, 20\d\d/' => 'DATE',
        '/\b\d{1,2}:\d\d( [ap]m)?\b/i' => 'TIME',
        '/\b\d+ (second|minute|min)s? ago\b|\b20\d\d\/\d\d\/\d\d\b/' => 'DATE',
        '/(<div class="(?:hh|mn|ss)">|name="(?:hh|mn|ss|cur_hh|cur_mn|hidden_hh|hidden_mn)" value=")\d\d/' => '$1TIME',
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
            define('DISALLOW_FILE_MODS', true);
            $secrets
            \$table_prefix = 'wp_';
            defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
            require_once ABSPATH . 'wp-settings.php';
            PHP);
    },
    'visit' => function (Site $site): void {
        $site->visit('not installed yet', fn($b) => $b->get('/'));
        $site->visit('installation', fn($b) => $b->post('/wp-admin/install.php?step=2', [
            'weblog_title' => "Bob's 🐬 site", 'user_name' => 'bob', 'admin_password' => 'a password of Bob', 'admin_password2' => 'a password of Bob', 'pw_weak' => 'on',
            'admin_email' => 'bob@example.org', 'blog_public' => '0', 'language' => '',
        ]));
        $site->visit('front page', fn($b) => $b->get('/'));
        $site->visit('wrong password', fn($b) => $b->post('/wp-login.php', ['log' => 'bob', 'pwd' => "' OR 1 -- ", 'wp-submit' => 'Log In']));
        $login = $site->visit('log in', fn($b) => $b->post('/wp-login.php', ['log' => 'bob', 'pwd' => 'a password of Bob', 'wp-submit' => 'Log In', 'redirect_to' => '/wp-admin/', 'testcookie' => '1'], ['Cookie: wordpress_test_cookie=WP%20Cookie%20check']));
        $login->status === 302 || throw new Exception("the log-in failed:\n$login->body");
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
        $png = base64_decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==');
        $picture = $site->visit('upload', fn($b) => $b->send('POST', '/index.php?rest_route=/wp/v2/media', $png, ['Content-Type: image/png', 'Content-Disposition: attachment; filename="dot.png"', ...$nonce]));
        $picture->status === 201 || throw new Exception("the upload failed:\n$picture->body");
        $site->visit('media', fn($b) => $b->get('/wp-admin/upload.php?mode=list'));
        $options = $site->visit('options', fn($b) => $b->get('/wp-admin/options-general.php'));
        $site->visit('change options', fn($b) => $b->post('/wp-admin/options.php', ['blogname' => "Bob's other 🐬 site", 'blogdescription' => 'Just "another"', 'siteurl' => "http://$site->address", 'home' => "http://$site->address",
            'new_admin_email' => 'bob@example.org', 'timezone_string' => 'UTC', 'date_format' => 'F j, Y', 'time_format' => 'g:i a', 'start_of_week' => '1', 'default_role' => 'subscriber', 'submit' => 'Save Changes',
        ] + array_intersect_key($options->hidden(), array_flip(['option_page', 'action', '_wpnonce', '_wp_http_referer']))));
        $changed = $site->visit('options afterwards', fn($b) => $b->get('/wp-admin/options-general.php?settings-updated=true'));
        str_contains($changed->body, 'other 🐬 site') || throw new Exception("the options were not changed:\n$changed->body");
        $site->visit('users', fn($b) => $b->get('/wp-admin/users.php'));
        $site->visit('site health', fn($b) => $b->get('/index.php?rest_route=/wp/v2/users/me', $nonce));
        $site->visit('delete it', fn($b) => $b->send('DELETE', "/index.php?rest_route=/wp/v2/posts/$id&force=true", '', $nonce));
        $site->visit('it is gone', fn($b) => $b->get("/?p=$id"));
    },
];
