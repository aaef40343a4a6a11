<?php
/*
 * Looks at examples/status.php in Debian's Chromium, on PHP's own web server, beside a page that asks a database (VAQUITA_MARIADB_*). Pictures are kept in the folder.
 *
 *     scripts/with-servers mariadb -- build/php tests/status.php FOLDER
 *
 * The last line is "N passed, N failed", or says that there is no browser.
 */

declare(strict_types=1);

require __DIR__ . '/../apps/chromium.php';

isset($argv[1]) || exit("usage: php tests/status.php FOLDER\n");
if (trim((string) shell_exec('command -v chromium')) === '' || trim((string) shell_exec('command -v chromedriver')) === '') {
    echo "not looked at: there is no Chromium (scripts/setup apps installs it)\n0 passed, 0 failed, 1 skipped\n";
    exit;
}
$folder = $argv[1];
is_dir($folder) || mkdir($folder, recursive: true);

[$passed, $failed] = [0, 0];
$check = function (string $what, mixed $found, mixed $expected) use (&$passed, &$failed): void {
    if ($found === $expected) {
        $passed++;
        return;
    }
    $failed++;
    echo "FAIL: $what: ", json_encode($found, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), ', not ', json_encode($expected), "\n";
};

/** @return array{resource, string} PHP's own web server in a folder, and where it is */
function serve(array $command, string $folder): array
{
    for (;;) {
        // A port that was free a moment ago; if somebody took it meanwhile, the server ends at once and we try another.
        $probe = stream_socket_server('tcp://127.0.0.1:0');
        $address = stream_socket_get_name($probe, false);
        fclose($probe);
        $server = proc_open([...$command, '-S', $address, '-t', $folder], [1 => ['file', '/dev/null', 'w'], 2 => ['file', "$folder/requests", 'w']], $pipes);
        while (proc_get_status($server)['running']) {
            if (str_contains((string) file_get_contents("$folder/requests"), ' started')) {
                return [$server, "http://$address"];
            }
            usleep(10_000);
        }
    }
}

$work = sys_get_temp_dir() . '/vaquita-status-' . getmypid();
mkdir("$work/site", recursive: true);
copy(__DIR__ . '/../examples/status.php', "$work/site/status.php");
file_put_contents("$work/site/work.php", <<<'PHP'
    <?php
    $setting = fn (string $name) => getenv("VAQUITA_MARIADB_$name");
    $db = new mysqli('p:' . $setting('HOST'), $setting('USER'), $setting('PASSWORD'), $setting('DATABASE'), (int) $setting('PORT'));
    for ($i = 0; $i < 50; $i++) {
        $db->ping(); // what the driver never sends by itself, so that it can be counted
        $db->query("SELECT $i, SLEEP(" . ($i % 10 === 0 ? 0.01 : 0) . ')')->fetch_all();
    }
    $db->execute_query('SELECT ?', [1])->fetch_all();
    echo 'done';
    PHP);
$servers = [];
try {
    $browser = new Chromium("$work/browser", "$work/browser/profile");
} catch (Exception) { // its driver has ended before it began, which happens where a machine has much to do
    $browser = new Chromium("$work/again", "$work/again/profile");
}
try {
    [$servers[], $site] = serve([PHP_BINARY, '-d', 'display_errors=1'], "$work/site");
    $ask = function (string $path) use (&$site): string {
        return file_get_contents("$site/$path", false, stream_context_create(['http' => ['ignore_errors' => true]]));
    };
    $look = fn (string $script, mixed ...$arguments) => $browser->script('const all = (selector) => [...document.querySelectorAll(selector)];' . $script, ...$arguments);
    $count = fn (string $command) => "all('#commands tr').map((it) => it.innerText.split(/\\s+/)).find((it) => it[0] === '$command')?.[1]";
    $pings = fn () => $look('return ' . $count('ping'));

    $check('the page without a query before', preg_match('/Warning|Notice|Deprecated|Fatal/', $ask('status.php')), 0);
    $browser->pretend(1280, 'light');
    $browser->open("$site/status.php");
    $browser->until('document.title === "Vaquita: status"');
    $check('what is said of no command', $look('return document.querySelector("#commands").innerText.trim()'), 'No command has been sent yet.');
    $check('what is said of no slow statement', $look('return document.querySelector("#slowest").innerText.trim()'), 'No statement has taken a millisecond.');

    // It is drawn anew by itself.
    $check('the other page', $ask('work.php'), 'done');
    $browser->until("[...document.querySelectorAll('#commands tr')].some((it) => /^ping\\s+50\\s/.test(it.innerText))");
    $check('the other page again', $ask('work.php'), 'done');
    $browser->until("[...document.querySelectorAll('#commands tr')].some((it) => /^ping\\s+100\\s/.test(it.innerText))");
    $check('a rate', $look('return all("#commands .rate").some((it) => parseFloat(it.innerText) > 0) && all(".tiles output").every((it) => /^[\d.]+( [KMG]?i?B)?\/s$/.test(it.innerText))'), true);
    $check('kinds of waiting', $look('return [...new Set(all("#latency th").map((it) => it.innerText))].sort()'), ['connect', 'execute', 'other', 'prepare', 'query']);
    $check('the pool', $look('return all("#pool tr").filter((it) => /^hits\s+1\b/.test(it.innerText)).length'), 1);

    $slowest = $look('return all("#slowest tr").map((it) => [it.cells[0].innerText, Number(it.cells[1].dataset.sort), it.cells[0].title]).find((it) => it[0] === "SELECT ?, SLEEP(?)")');
    $check('a slow statement', [$slowest[1] >= 10, preg_match('/^digest [0-9a-f]{16}$/', $slowest[2])], [true, 1]);
    $check('what is said of others', $look('return all("#slowest tr").filter((it) => /0\.01|\d, SLEEP/.test(it.cells[0].innerText)).length'), 0);

    // By keyboard: the button that pauses, then the heads of the first table.
    $active = fn () => $look('return document.activeElement.innerText.trim()');
    $press_until = function (string $name) use ($browser, $active): string {
        for ($i = 0; $i < 30 && $active() !== $name; $i++) {
            $browser->press(Chromium::TAB);
        }
        return $active();
    };
    $check('what the keyboard reaches', $press_until('Pause'), 'Pause');
    $check('whether the focus is seen', $look('return getComputedStyle(document.activeElement).outlineStyle'), 'solid');
    $browser->press(Chromium::ENTER);
    $check('whether it pauses', $look('return document.activeElement.getAttribute("aria-pressed")'), 'true');
    $browser->settle();
    $browser->happened();
    $ask('work.php');
    $asked_before = substr_count(file_get_contents("$work/site/requests"), 'GET /status.php?json');
    $look('return new Promise((done) => setTimeout(done, 2500))'); // longer than it is between two refreshes
    $check('requests and figures while it pauses', [substr_count(file_get_contents("$work/site/requests"), 'GET /status.php?json') - $asked_before, $pings()], [0, '100']);

    $column = fn () => $look('return all("#latency tr").map((it) => Number(it.cells[6].dataset.sort))');
    $sorted = fn () => $look('return document.activeElement.closest("th").getAttribute("aria-sort")');
    $press_until('max');
    $browser->press(Chromium::ENTER);
    $longest = $column();
    $expected = $longest;
    rsort($expected);
    $check('sorted by a key', [$sorted(), $longest === $expected, count($expected) > 3], ['descending', true, true]);
    $browser->press(' ');
    $check('and the other way', [$sorted(), $column() === array_reverse($expected)], ['ascending', true]);

    $look('document.getElementById("pause").click()');
    $browser->until("[...document.querySelectorAll('#commands tr')].some((it) => /^ping\\s+150\\s/.test(it.innerText))");
    $found = $column();
    $expected = $found;
    sort($expected);
    $check('what a refresh leaves of order and focus', [$active(), $sorted(), $found === $expected], ['max', 'ascending', true]);

    foreach (['light' => 'rgb(251, 251, 250)', 'dark' => 'rgb(16, 20, 24)'] as $scheme => $paper) {
        foreach ([1280, 700, 360] as $width) {
            $browser->pretend($width, $scheme);
            $check("what is wider than a screen of $width", $look('return document.documentElement.scrollWidth > innerWidth'), false);
            $look('document.activeElement.blur(); scrollTo(0, 0)');
            $browser->screenshot("$folder/status-$scheme-$width.png");
            $look('scrollTo(0, 1000)');
            $browser->screenshot("$folder/status-$scheme-$width-below.png");
        }
        $check("its paper, $scheme", $look('return getComputedStyle(document.body).backgroundColor'), $paper);
    }
    $browser->pretend(1280, 'light');

    $browser->settle();
    [$requests, $messages] = $browser->happened();
    $check('what the console says', $messages, []);
    $check('requests that go elsewhere, or fail', array_values(array_filter($requests, fn ($it) => !preg_match("~^GET $site/status\\.php(\\?json)?: status 200$~", $it))), []);

    // A server that has gone is told of, and nothing else is lost.
    proc_terminate($servers[0]);
    proc_close(array_shift($servers));
    $browser->until('document.getElementById("trouble").innerText.startsWith("These figures are old")');
    $check('figures of a server that has gone', $pings(), '150');

    // A PHP without it says what to do.
    [$servers[], $site] = serve([PHP_BINARY, '-n'], "$work/site");
    $answer = $ask('status.php');
    $check('without Vaquita', [str_contains($answer, 'Vaquita is not loaded'), str_contains($answer, 'extension=/path/to/vaquita.so'), str_contains($answer, 'Warning')], [true, true, false]);
    $check('its figures', $ask('status.php?json'), '{"error":"Vaquita is not loaded"}');
    $browser->open("$site/status.php");
    $browser->until('document.querySelector("ol")');
    $browser->screenshot("$folder/status-not-loaded.png");
} finally {
    $browser->close();
    foreach ($servers as $server) {
        proc_terminate($server);
        proc_close($server);
    }
    exec('rm -rf ' . escapeshellarg($work));
}
echo "$passed passed, $failed failed\n";
exit($failed > 0 ? 1 : 0);
