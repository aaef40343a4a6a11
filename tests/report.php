<?php
/*
 * Looks at a report of `make bench` in Debian's Chromium: is it readable as it says? Pictures are kept beside it.
 *
 *     php tests/report.php FOLDER
 *
 * The last line is "N passed, N failed", or says that there is no browser.
 */

declare(strict_types=1);

require __DIR__ . '/../apps/chromium.php';

/** The least contrasts that WCAG asks for: of text, and of what is drawn (https://www.w3.org/TR/WCAG22/#contrast-minimum, #non-text-contrast). */
const TEXT_CONTRAST = 4.5;
const DRAWN_CONTRAST = 3;

/** What a page is looked at with: colours as the browser has computed them, and how far two of them are apart. */
const SCRIPT = <<<'JS'
    const luminance = (color) => {
        const [r, g, b] = color.match(/[\d.]+/g).map(Number).map((it) => (it /= 255) <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const paper = luminance(getComputedStyle(document.body).backgroundColor);
    const contrast = (color) => {
        const ink = luminance(color);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    };
    const all = (selector) => [...document.querySelectorAll(selector)];
    JS;

$folder = realpath($argv[1] ?? '') ?: exit("usage: php tests/report.php FOLDER\n");
if (trim((string) shell_exec('command -v chromium')) === '' || trim((string) shell_exec('command -v chromedriver')) === '') {
    echo "not looked at: there is no Chromium (scripts/setup apps installs it)\n0 passed, 0 failed, 1 skipped\n";
    exit;
}

[$passed, $failed] = [0, 0];
$check = function (string $what, mixed $found, mixed $expected) use (&$passed, &$failed): void {
    if ($found === $expected) {
        $passed++;
        return;
    }
    $failed++;
    echo "FAIL: $what: ", json_encode($found, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), ', not ', json_encode($expected), "\n";
};

$work = sys_get_temp_dir() . '/vaquita-report-' . getmypid();
try {
    $browser = new Chromium($work, "$work/profile");
} catch (Exception) { // its driver has ended before it began, which happens where a machine has much to do
    $browser = new Chromium("$work-again", "$work-again/profile");
}
try {
    $browser->pretend(1280, 'light');
    $browser->open("file://$folder/index.html");
    $browser->settle();
    $look = fn (string $script) => $browser->script(SCRIPT . $script);

    $check('its heading', $look('return document.title'), 'Vaquita and stock, measured');
    $check('scripts', $look('return document.scripts.length'), 0);
    $check('what it asks the network for, and what the console says', $browser->happened(), [[], []]);
    $check('tables without figures', $look('return all("table").filter((it) => !/\d/.test(it.tBodies[0].innerText)).map((it) => it.caption.innerText)'), []);
    $check('whether there are tables and drawings', $look('return all("table").length > 0 && all("svg").length > 0'), true);

    // By keyboard: each link, each drawing that opens, each table that can be scrolled.
    $reached = [];
    $count = $look('return all("a[href], summary, [tabindex=\'0\']").length');
    for ($i = 0; $i < $count; $i++) {
        $browser->press(Chromium::TAB);
        $reached[] = $look('return all("a[href], summary, [tabindex=\'0\']").indexOf(document.activeElement)');
    }
    $check('what the keyboard reaches, in order', $reached, range(0, $count - 1));
    $browser->press(Chromium::ENTER); // nothing happens that is not asked for
    $check('whether it is still the same page', $look('return document.title'), 'Vaquita and stock, measured');

    $look('all("details").forEach((it) => it.open = true)');
    foreach ([1280, 700, 360] as $width) {
        $browser->pretend($width, 'light');
        $check("what is wider than a screen of $width", $look('return document.documentElement.scrollWidth - innerWidth > 0'), false);
        $check("drawings that can't be seen at $width", $look('return all("svg").filter((it) => it.getBoundingClientRect().width < 200 || it.getBoundingClientRect().height < 10).map((it) => it.getAttribute("aria-label"))'), []);
    }
    $browser->pretend(1280, 'light');
    $check('what is drawn outside of its drawing', $look(<<<'JS'
        return all('svg').flatMap((svg) => [...svg.querySelectorAll('text, rect, circle')].filter((it) => {
            const [box, all] = [it.getBBox(), svg.viewBox.baseVal];
            return box.x < -0.5 || box.y < -0.5 || box.x + box.width > all.width + 0.5 || box.y + box.height > all.height + 0.5;
        }).map((it) => svg.getAttribute('aria-label') + ': ' + it.textContent));
        JS), []);
    $check('figures written over each other', $look(<<<'JS'
        return all('svg').flatMap((svg) => {
            const texts = [...svg.querySelectorAll('text')].map((it) => [it, it.getBBox()]);
            return texts.flatMap(([one, a], at) => texts.slice(at + 1).filter(([, b]) => a.x < b.x + b.width - 1 && b.x < a.x + a.width - 1 && a.y < b.y + b.height - 4 && b.y < a.y + a.height - 4)
                .map(([other]) => `${svg.getAttribute('aria-label')}: ${one.textContent} and ${other.textContent}`));
        });
        JS), []);

    foreach (['light', 'dark'] as $scheme) {
        $browser->pretend(1280, $scheme);
        $check("whether it is $scheme", $look('return paper < 0.5 ? "dark" : "light"'), $scheme);
        $check("text that is hard to read, $scheme", $look('return all("p, dd, dt, th, td, b, a, caption, summary").filter((it) => contrast(getComputedStyle(it).color) < ' . TEXT_CONTRAST . ').map((it) => it.className + " " + it.innerText)'), []);
        $check("what is drawn and hard to see, $scheme", $look('return all("svg rect").filter((it) => contrast(getComputedStyle(it).fill) < ' . DRAWN_CONTRAST . ').map((it) => it.getAttribute("class"))'), []);
        foreach (['machine' => 'top', 'results' => null] as $name => $place) {
            $look($place === 'top' ? 'scrollTo(0, 0)' : 'all("table")[0].scrollIntoView()');
            $browser->screenshot("$folder/$scheme-$name.png");
        }
    }
} finally {
    $browser->close();
    exec('rm -rf ' . escapeshellarg($work) . ' ' . escapeshellarg("$work-again"));
}
echo "$passed passed, $failed failed\n";
exit($failed > 0 ? 1 : 0);
