<?php
/*
 * MediaWiki: installed by its pages, logged in to, pages with emoji written, changed, compared, searched, moved and deleted, a picture uploaded.
 */

declare(strict_types=1);

return [
    'packages' => ['mediawiki', 'mediawiki-classes', 'php8.2-intl', 'php8.2-mbstring', 'libonig5', 'php8.2-xml'],
    'folder' => '/var/lib/mediawiki', // its links lead to the rest
    'masks' => [
        '/(\$wg(?:Secret|Upgrade)Key = ")[0-9a-f]+/' => '$1SECRET', // made while it is installed
        '/\b[0-9a-f]{40}(?=\+\\\\|%2B%5C)|(?<=wltoken=)[0-9a-f]{40}/' => 'TOKEN', // of the session, of the user
        '/("wgRequestId":"|\[)[0-9a-f]{24}(?=["\]])/' => '$1ID', // by chance
        '/("editingStatsId" type="hidden"|type="hidden" value=")[0-9a-f]{32}(?=" name="editingStatsId")/' => '$1ID', // the same
        '/("wgBackendResponseTime":|"(?:cpu|wall)time":"|time usage(?:: |<\/th><td>))[\d.]+/' => '$1N', // what a page took
        '/(value=\\\\?")\d+(?=\\\\?" name=\\\\?"wpServerTime)/' => '$1NOW', // in minutes
        '/\b\d+\.\d\d% +\d+\.\d{3}( +\d+ )/' => 'N% N$1', // and its templates
        '/(load\.php\?)\S+ \d+:\d+/' => '$1SCRIPTS', // in the console: those that came together, and the place in them
        '/(@|version=)[0-9a-z]{5}\b/' => '$1HASH', // of scripts that have the address, or a token, in them
    ],
    'uncounted' => 'serverIsReadOnly|updateActiveUsers', // asked again in a request that takes seconds; how often depends on the time
    'counts' => false, // its pages ask for scripts together that they happen to need at the same moment
    'settings' => fn(string $packages) => ['opcache.enable_cli' => '1', 'extension' => array_map(fn($name) => "$packages/usr/lib/php/20220829/$name.so", ['intl', 'mbstring', 'dom', 'xml', 'xmlwriter', 'xmlreader'])],
    'prepare' => function (string $folder, string $packages, string $database): void {
        touch("$folder/favicon.ico"); // which a browser asks for when it likes to; PHP's server would give it the index
    },
    'install' => function (Site $site): void {
        $site->visit('not installed yet', fn($b) => $b->get('/index.php'));
        $site->visit('installation', fn($b) => $b->get('/mw-config/index.php'));
        $fields = [
            'Language' => ['uselang' => 'en', 'ContLang' => 'en'],
            'ExistingWiki' => null, // not asked
            'Welcome' => [],
            'DBConnect' => ['DBType' => 'mysql', 'mysql_wgDBserver' => 'localhost', 'mysql_wgDBname' => $site->database, 'mysql_wgDBprefix' => '', 'mysql__InstallUser' => getenv('VAQUITA_MARIADB_USER'), 'mysql__InstallPassword' => getenv('VAQUITA_MARIADB_PASSWORD')],
            'Upgrade' => null,
            'DBSettings' => ['mysql__SameAccount' => '1'],
            'Name' => ['config_wgSitename' => "Bob's 🐬 wiki", 'config__NamespaceType' => 'site-name', 'config__AdminName' => 'Bob', 'config__AdminPassword' => 'a password of Bob', 'config__AdminPasswordConfirm' => 'a password of Bob', 'config__AdminEmail' => 'bob@example.org', 'config__SkipOptional' => 'continue'],
            'Options' => ['config__RightsProfile' => 'wiki', 'config__LicenseCode' => 'none', 'config_wgDefaultSkin' => 'vector', 'config_skin-Vector' => '1', 'config_ext-WikiEditor' => '1', 'config_ext-Cite' => '1', 'config_wgEnableUploads' => '1', 'config__MainCacheType' => 'none'],
            'Install' => [],
        ];
        foreach ($fields as $page => $filled) {
            $form = $site->visit("installation: $page", fn($b) => $b->get("/mw-config/index.php?page=$page"));
            $form->status === ($filled === null ? 302 : 200) || throw new Exception("the installation is not at $page:\n$form->body");
            $filled === null || $site->visit("installation: $page filled", fn($b) => $b->post("/mw-config/index.php?page=$page", $filled + ['submit-continue' => 'Continue'] + $form->hidden()));
        }
        $site->visit('installation: complete', fn($b) => $b->post('/mw-config/index.php?page=Install', ['submit-continue' => 'Continue']));
        $settings = $site->visit('installation: settings', fn($b) => $b->get('/mw-config/index.php?localsettings=1'));
        str_contains($settings->body, '$wgDBname') || throw new Exception("not installed:\n$settings->body");
        // What MediaWiki would do by chance in some requests, or depending on the time, it does in the same ones: no cache of messages, no cleaning of others, nothing kept of what is being written, all jobs at once.
        file_put_contents("$site->folder/LocalSettings.php", "$settings->body\nmt_srand(1);\n\$wgMessageCacheType = CACHE_NONE;\n\$wgObjectCaches[CACHE_DB]['purgePeriod'] = 0;\n\$wgAjaxEditStash = false;\n\$wgJobRunRate = 100;\n\$wgShowExceptionDetails = true;\n");
    },
    'visit' => function (Site $site): void {
        // What comes in the same second as a change, it takes for earlier or later by chance.
        $tick = function (): void {
            for ($last = time(); time() === $last; usleep(10_000));
        };
        $at = fn(string $title, array $more = []) => $more === [] ? '/index.php/' . str_replace(['%2F', '%3A'], ['/', ':'], rawurlencode(strtr($title, ' ', '_'))) : '/index.php?' . http_build_query(['title' => $title] + $more);
        $fields = fn(Page $form) => array_diff_key($form->hidden(), ['title' => 1]); // the search's
        $fill = function (string $name, string $title, array $filled, array $more = [], array $to = []) use ($site, $at, $fields, $tick): Page {
            $form = $site->visit("$name: form", fn($b) => $b->get($at($title, $more)));
            $tick();
            return $site->visit($name, fn($b) => $b->post($at($title, $to + $more), $filled + $fields($form)));
        };
        $edit = fn(string $name, string $title, string $text, string $button = 'wpSave') => $fill($name, $title, ['wpTextbox1' => $text, 'wpSummary' => "\"$name\" 🎉", $button => '1'], ['action' => 'edit'], ['action' => 'submit']);
        $tick();
        $site->visit('front page', fn($b) => $b->get('/index.php/Main_Page'));
        $fill('wrong password', 'Special:UserLogin', ['wpName' => 'Bob', 'wpPassword' => "' OR 1 -- "]);
        $in = $fill('log in', 'Special:UserLogin', ['wpName' => 'Bob', 'wpPassword' => 'a password of Bob']);
        $in->status === 302 || throw new Exception("the log-in failed:\n$in->body");
        $site->visit('logged in', fn($b) => $b->get($at('Main_Page')));
        $text = "'''Vaquitas''' 🐬 are porpoises: ñ, 漢字, 'single', \\back\\slash, 100 %.<ref>A \"source\"</ref>\n\n== Range ==\n[[Gulf of California|The gulf]] and [[Main Page]].\n{{Box|name=🐬}}\n[[Category:Whales & dolphins]]\n";
        $edit('preview', 'Vaquita 🐬', $text, 'wpPreview');
        $saved = $edit('write a page', 'Vaquita 🐬', $text);
        $saved->status === 302 || throw new Exception("the page was not written:\n$saved->body");
        $read = $site->visit('read it', fn($b) => $b->get($at('Vaquita 🐬')));
        str_contains($read->body, '</b> 🐬 are') || throw new Exception("the emoji is lost:\n$read->body");
        $edit('write a template', 'Template:Box', '<div>{{{name|no name}}} {{PAGENAME}} {{#if:}}</div><noinclude>[[Category:Boxes]]</noinclude>');
        $edit('what would change', 'Vaquita 🐬', "{$text}More.", 'wpDiff');
        $edit('change it', 'Vaquita 🐬', str_replace('porpoises', 'small porpoises 🎉', $text));
        $edit('write another', 'Gulf of California', "A ''sea''.\n\n#REDIRECT is no redirection here.");
        $edit('redirect', 'Phocoena sinus', '#REDIRECT [[Vaquita 🐬]]');
        $site->visit('section', fn($b) => $b->get($at('Vaquita 🐬', ['action' => 'edit', 'section' => '1'])));
        $history = $site->visit('history', fn($b) => $b->get($at('Vaquita 🐬', ['action' => 'history'])));
        preg_match_all('/data-mw-revid="(\d+)"/', $history->body, $revisions) === 2 || throw new Exception("no two revisions:\n$history->body");
        [$new, $old] = $revisions[1];
        $diff = $site->visit('diff', fn($b) => $b->get($at('Vaquita 🐬', ['diff' => $new, 'oldid' => $old])));
        str_contains($diff->body, '<ins') || throw new Exception("no difference:\n$diff->body");
        $site->visit('old revision', fn($b) => $b->get($at('Vaquita 🐬', ['oldid' => $old])));
        $site->visit('raw', fn($b) => $b->get($at('Vaquita 🐬', ['action' => 'raw'])));
        $fill('undo', 'Vaquita 🐬', ['wpTextbox1' => $text, 'wpSave' => '1', 'wpSummary' => 'Undone'], ['action' => 'edit', 'undo' => $new, 'undoafter' => $old], ['action' => 'submit']);
        $found = $site->visit('search', fn($b) => $b->get($at('Special:Search', ['search' => 'porpoises', 'fulltext' => '1'])));
        str_contains($found->body, 'searchmatch') || throw new Exception("nothing found:\n$found->body");
        $site->visit('search an emoji', fn($b) => $b->get($at('Special:Search', ['search' => 'Vaquita 🐬', 'fulltext' => '1'])));
        $site->visit('search in vain', fn($b) => $b->get($at('Special:Search', ['search' => "100% '\\_ nowhere", 'fulltext' => '1'])));
        $site->visit('go to it', fn($b) => $b->get($at('Special:Search', ['search' => 'phocoena sinus', 'go' => 'Go'])));
        $site->visit('proposals', fn($b) => $b->get('/api.php?action=opensearch&limit=10&search=' . rawurlencode('vaq')));
        $form = $site->visit('upload: form', fn($b) => $b->get($at('Special:Upload')));
        $parts = '';
        foreach (['wpDestFile' => 'Sea 🐬.png', 'wpUploadDescription' => 'The sea 🌊', 'wpUpload' => 'Upload file', 'wpSourceType' => 'file'] + $fields($form) as $name => $value) {
            $parts .= "--a part\r\nContent-Disposition: form-data; name=\"$name\"\r\n\r\n$value\r\n";
        }
        $picture = base64_decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==');
        $parts .= "--a part\r\nContent-Disposition: form-data; name=\"wpUploadFile\"; filename=\"sea.png\"\r\nContent-Type: image/png\r\n\r\n$picture\r\n--a part--\r\n";
        $tick();
        $uploaded = $site->visit('upload', fn($b) => $b->send('POST', $at('Special:Upload'), $parts, ['Content-Type: multipart/form-data; boundary="a part"']));
        $uploaded->status === 302 || throw new Exception("the upload failed:\n$uploaded->body");
        $site->visit('uploaded', fn($b) => $b->get($at('File:Sea 🐬.png')));
        foreach (['RecentChanges', 'AllPages', 'Categories', 'WantedPages', 'WhatLinksHere/Vaquita 🐬', 'Statistics', 'ListUsers', 'ListFiles', 'Contributions/Bob', 'Version', 'SpecialPages', 'Watchlist', 'Export/Vaquita 🐬', 'ListGroupRights', 'NewPages'] as $special) {
            $site->visit($special, fn($b) => $b->get($at("Special:$special")));
        }
        $site->visit('category', fn($b) => $b->get($at('Category:Whales & dolphins')));
        $site->visit('changes as a feed', fn($b) => $b->get('/api.php?action=feedrecentchanges'));
        $site->visit('asked for by a program', fn($b) => $b->get('/api.php?' . http_build_query(['action' => 'query', 'format' => 'json', 'titles' => 'Vaquita 🐬|Main Page', 'prop' => 'revisions|info|categories|links|templates', 'rvprop' => 'ids|user|comment|size|sha1', 'meta' => 'siteinfo|userinfo', 'list' => 'allpages|usercontribs', 'ucuser' => 'Bob'])));
        $fill('change preferences', 'Special:Preferences', ['wprealname' => "Bob O'Neill 🐬", 'wpgender' => 'unknown', 'wpdate' => 'default', 'wplanguage' => 'en', 'wpskin' => 'vector', 'wpusebetatoolbar' => '1']);
        $site->visit('preferences afterwards', fn($b) => $b->get($at('Special:Preferences')));
        $fill('move it', 'Special:MovePage/Vaquita 🐬', ['wpNewTitleMain' => 'Vaquita 🐬 moved', 'wpNewTitleNs' => '0', 'wpReason' => "A 'better' name", 'wpMove' => '1', 'wpLeaveRedirect' => '1'], to: ['action' => 'submit']);
        $site->visit('moved', fn($b) => $b->get($at('Vaquita 🐬')));
        $fill('protect it', 'Vaquita 🐬 moved', ['mwProtect-level-edit' => 'sysop', 'mwProtect-level-move' => 'sysop', 'mwProtectExpirySelection-edit' => 'infinite', 'mwProtectExpirySelection-move' => 'infinite', 'mwProtect-reason' => 'Rare'], ['action' => 'protect']);
        $fill('delete it', 'Gulf of California', ['wpReason' => 'Not a "gulf" 🎉', 'wpConfirmB' => '1'], ['action' => 'delete']);
        $site->visit('it is gone', fn($b) => $b->get($at('Gulf of California')));
        $fill('make a user', 'Special:CreateAccount', ['wpName' => 'Zoë 漢字', 'wpPassword' => 'a password of Zoë', 'retype' => 'a password of Zoë', 'reason' => 'Help', 'wpCreateaccount' => '1']);
        $fill('block a user', 'Special:Block/Zoë 漢字', ['wpTarget' => 'Zoë 漢字', 'wpExpiry' => 'infinite', 'wpReason-other' => 'A test', 'wpEditing' => '1', 'wpCreateAccount' => '1']);
        $site->visit('log', fn($b) => $b->get($at('Special:Log')));
        $fill('log out', 'Special:UserLogout', []);
        $site->visit('logged out', fn($b) => $b->get($at('Vaquita 🐬 moved')));
    },
    'fill' => function (Browser $b): array {
        $edit = function (string $title, string $text) use ($b): void {
            $at = '/index.php?' . http_build_query(['title' => $title, 'action' => 'edit']);
            $fields = array_diff_key($b->get($at)->hidden(), ['title' => 1]); // the search's
            $page = $b->post(str_replace('action=edit', 'action=submit', $at), ['wpTextbox1' => $text, 'wpSummary' => '', 'wpSave' => '1'] + $fields);
            $page->status === 302 || throw new Exception("the page was not written:\n$page->body");
        };
        foreach (range(1, 6) as $number) {
            $links = implode(' ', array_map(fn($other) => "[[Page $other]]", range(1, 40)));
            $parts = array_map(fn($part) => "== Part $part ==\n" . str_repeat('Vaquitas 🐬 are porpoises. ', 20), range(1, 5));
            $edit("Page $number", "This is '''page $number'''. $links\n" . implode("\n", $parts) . "\n[[Category:Porpoises]]");
        }
        return ['an article' => ['/index.php/Page_6', '<b>page 6</b>'], 'recent changes' => ['/index.php/Special:RecentChanges?days=30', 'Page 6']];
    },
    'look' => function (Site $site): void {
        $address = "http://$site->address/index.php";
        $site->look('log in', function (Chromium $b) use ($address) {
            $b->open("$address/Special:UserLogin");
            $b->settle();
            $b->write('#wpName1', 'Bob');
            $b->write('#wpPassword1', 'a password of Bob');
            $b->click('#wpLoginAttempt');
            $b->until('document.querySelector("#pt-logout")');
        });
        $site->look('editor', function (Chromium $b) use ($address) {
            $b->open("$address?" . http_build_query(['title' => 'Porpoise 🐬', 'action' => 'edit']));
            $b->until('document.querySelector(".wikiEditor-ui .tool[rel=bold]")');
            $b->write('#wpTextbox1', "A '''porpoise''' 🐬 is \"small\": ñ, 漢字, \\ and 100 %. See [[Vaquita 🐬 moved]].");
            $b->write('#wpSummary', 'Written in Chromium 🎉');
        });
        $saved = function (Chromium $b) {
            $b->click('#wpSave');
            $b->until('document.querySelector(".postedit-container, .mw-notification")');
            $b->until('!document.querySelector(".postedit-container, .mw-notification")');
        };
        $site->look('save', $saved);
        $site->look('change it', function (Chromium $b) use ($saved) {
            $b->click('#ca-edit a');
            $b->until('document.querySelector(".wikiEditor-ui .tool[rel=bold]")');
            $b->write('#wpTextbox1', 'More 🌊. ');
            $saved($b);
        });
        $site->look('history', fn(Chromium $b) => $b->click('#ca-history a'));
        $site->look('diff', function (Chromium $b) {
            $b->click('.mw-history-compareselectedversions-button');
            $b->until('document.querySelector(".diff-addedline")');
        });
        $site->look('proposals', function (Chromium $b) {
            $b->write('#searchInput', 'porp');
            $b->until('document.querySelector(".suggestions-results a")');
        });
        $site->look('search', function (Chromium $b) use ($address) {
            $b->open("$address?" . http_build_query(['title' => 'Special:Search', 'search' => 'porpoise 🐬', 'fulltext' => '1']));
            $b->until('document.querySelector(".searchmatch")');
        });
        $site->look('upload', function (Chromium $b) use ($address, $site) {
            file_put_contents("$site->folder/chromium.png", base64_decode('iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGNQmLBhwwQFAAmnAsE+tuLMAAAAAElFTkSuQmCC'));
            $b->open("$address/Special:Upload");
            $b->settle();
            $b->choose('#wpUploadFile', "$site->folder/chromium.png");
            $b->until('document.querySelector("#wpDestFile").value === "Chromium.png"');
            $b->settle();
            $b->click('input[name=wpUpload]');
            $b->until('document.querySelector("#filetoc")');
        });
    },
];
