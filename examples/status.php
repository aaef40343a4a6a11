<?php
/*
 * A page on what Vaquita does in the PHP process that serves it: Vaquita\statistics() and memory, drawn anew every two seconds. One file, for copying into an
 * application's folder; alone:
 *
 *     build/php -S 127.0.0.1:8000 examples/status.php
 *
 * It needs no database and sends nothing to one. Access: this file asks nobody who he is. Whoever can see it sees how much traffic there is with the database, and how fast
 * that answers, and the slowest statements without their literals; no data, no host, user or password. Where that is not for everybody, let the web server ask for a password, or leave the file out.
 */

declare(strict_types=1);

PHP_SAPI !== 'cli' || exit("It is a page, to be seen in a browser: php -S 127.0.0.1:8000 status.php\n");

const KEY_VALUE = ['statements' => 'SELECTs looked at', 'eligible' => 'that a port could have answered', 'asked' => 'times that a port was asked, for some twice', 'answered' => 'answered by the port',
    'learnt' => 'eligible, but the server had to tell the columns first', 'misses' => 'the port had no such row', 'errors' => 'the port failed'];
const POOL = ['active' => 'in use', 'idle' => 'kept for the next request', 'hits' => 'taken from the pool', 'misses' => 'opened because none was there',
    'resets' => 'cleaned of the last session', 'replaced' => 'found dead, taken or given back', 'evicted_for_room' => 'closed for room', 'evicted_as_idle' => 'closed, idle for too long',
    'evicted_as_old' => 'closed for their age', 'evicted_as_spoilt' => 'closed, could not be cleaned'];
const CONNECTIONS = ['opened' => 'since the process began', 'failed' => 'not opened', 'reused' => 'persistent, used again', 'reconnected' => 'persistent, found dead', 'open' => 'at this moment'];

function h(string|int $text): string
{
    return htmlspecialchars((string) $text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
}
function amount(int|float $number): string
{
    return number_format($number, 0, '.', ' ');
}
function size(int $bytes): string
{
    foreach (['bytes', 'KiB', 'MiB', 'GiB'] as $power => $unit) {
        if (abs($bytes) < 1024 ** ($power + 1)) {
            break;
        }
    }
    return number_format($bytes / 1024 ** $power, $power === 0 ? 0 : 1, '.', ' ') . " $unit";
}
function duration(float $us): string
{
    return match (true) {
        $us < 1_000 => number_format($us, $us < 10 ? 1 : 0) . ' µs',
        $us < 1_000_000 => number_format($us / 1_000, $us < 100_000 ? 2 : 0) . ' ms',
        default => number_format($us / 1_000_000, 2, '.', ' ') . ' s',
    };
}

/** What a table's cell shows, and the number that it is sorted by; one that the page's script fills has the name of its counter. */
function cell(string $text, int|float|null $by = null, string $rate = ''): string
{
    $attributes = ($by === null ? '' : ' data-sort="' . h((string) $by) . '"') . ($rate === '' ? '' : ' class="rate" data-rate="' . h($rate) . '"');
    return "<td$attributes>" . h($text) . '</td>';
}
function row(string $name, string ...$cells): string
{
    return '<tr><th scope="row">' . h($name) . '</th>' . implode('', $cells) . '</tr>';
}
/** Rows of counters under their explanations. */
function counters(array $counts, array $names): string
{
    return implode('', array_map(fn (string $name) => row(str_replace('_', ' ', $name), cell(amount($counts[$name]), $counts[$name]), '<td class="note">' . h($names[$name] ?? '') . '</td>'), array_keys($counts)));
}

/** The bars: from the median to the longest, by a logarithmic scale of whole decades. */
function bars(array $latency): string
{
    $all = array_merge(...array_map('array_values', array_values($latency))) ?: [['p50_us' => 100, 'max_us' => 10_000]];
    $all = array_filter($all, fn (array $it) => $it['max_us'] > 0) ?: [['p50_us' => 100, 'max_us' => 10_000]];
    $low = (int) floor(log10(max(0.1, min(array_column($all, 'p50_us')))));
    $high = max($low + 1, (int) ceil(log10(max(array_column($all, 'max_us')))));
    $at = fn (float $us) => round(100 * (log10(max($us, 10 ** $low)) - $low) / ($high - $low), 2);
    $height = 46 * count($latency) + 24;
    $svg = '';
    for ($decade = $low; $decade <= $high; $decade++) {
        [$x, $anchor] = [$at(10 ** $decade), match ($decade) { $low => 'start', $high => 'end', default => 'middle' }];
        $label = match (true) { $decade < 3 => 10 ** $decade . ' µs', $decade < 6 => 10 ** ($decade - 3) . ' ms', default => 10 ** ($decade - 6) . ' s' };
        $svg .= "<line class=\"grid\" x1=\"$x%\" x2=\"$x%\" y1=\"0\" y2=\"" . ($height - 20) . "\"/><text class=\"axis\" x=\"$x%\" y=\"" . ($height - 5) . "\" text-anchor=\"$anchor\">$label</text>";
    }
    $y = 0;
    foreach ($latency as $kind => $both) {
        $svg .= '<text x="0" y="' . $y + 15 . '">' . h($kind) . '</text>';
        foreach (['first_byte' => $y + 21, 'last_byte' => $y + 32] as $which => $top) {
            $it = $both[$which];
            if ($it['count'] === 0) {
                continue;
            }
            [$p50, $p95, $p99, $max] = array_map($at, [$it['p50_us'], $it['p95_us'], $it['p99_us'], $it['max_us']]);
            // Each part lies on the one behind it; the least width shows those that are all but nothing.
            foreach ([[$max, 3, 'tail'], [$p99, 1, 'upper'], [$p95, 0, 'body']] as [$end, $inset, $part]) {
                $svg .= "<rect class=\"$which $part\" x=\"$p50%\" y=\"" . $top + $inset . '" height="' . 8 - 2 * $inset . '" width="' . max(0.6, round($end - $p50, 2)) . '%"/>';
            }
        }
        $y += 46;
    }
    return "<svg class=\"bars\" role=\"img\" aria-label=\"Latency on a logarithmic scale; the figures are in the table\" width=\"100%\" height=\"$height\">$svg</svg>";
}

/** The parts of the page that change, by their ids, and the counters that rates are made from. */
function figures(): array
{
    $now = Vaquita\statistics();
    $latency = $commands = $traffic = '';
    foreach ($now['latency'] as $kind => $both) {
        foreach (['first_byte' => 'first byte', 'last_byte' => 'last byte'] as $which => $name) {
            $it = $both[$which];
            $times = array_map(fn (float $us) => cell(duration($us), $us), [$it['p50_us'], $it['p95_us'], $it['p99_us'], $it['max_us'], $it['count'] === 0 ? 0.0 : $it['total_us'] / $it['count']]);
            $latency .= row($kind, cell($name), cell(amount($it['count']), $it['count']), ...$times);
        }
    }
    $most = max([1, ...array_values($now['commands'])]);
    foreach ($now['commands'] as $name => $count) {
        $share = '<td class="share"><svg aria-hidden="true" width="100%" height="8"><rect class="last_byte body" width="' . round(100 * $count / $most, 2) . '%" height="8"/></svg></td>';
        $commands .= row(str_replace('_', ' ', $name), cell(amount($count), $count), cell('–', 0, "commands.$name"), $share);
    }
    foreach ($now['traffic'] as $name => $count) {
        $traffic .= row(str_replace('_', ' ', $name), cell(str_starts_with($name, 'bytes') ? size($count) : amount($count), $count), cell('–', 0, "traffic.$name"));
    }
    $slowest = '';
    foreach ($now['slowest'] as ['digest' => $digest, 'sql' => $sql, 'count' => $count, 'total_us' => $total, 'max_us' => $max]) {
        $slowest .= '<tr><th scope="row" title="digest ' . h($digest) . '"><code>' . h($sql) . '</code></th>' . cell(amount($count), $count) . cell(duration($max), $max) . cell(duration($total / $count), $total / $count) . cell(duration($total), $total) . '</tr>';
    }
    $reasons = $now['key_value']['reasons'];
    unset($now['key_value']['reasons']);
    $why = '';
    foreach ($reasons as $reason => $count) {
        $why .= row($reason, cell(amount($count), $count));
    }
    // The driver's buffers are not of PHP's memory, but of the process's; only Linux tells, where open_basedir lets it.
    $resident = preg_match('/^VmRSS:\s+(\d+) kB$/m', (string) @file_get_contents('/proc/self/status'), $match) ? 1024 * (int) $match[1] : null;
    $memory = ['used by this request' => memory_get_usage(), 'taken from the system' => memory_get_usage(true), 'the most of this request' => memory_get_peak_usage(true)];
    $memory += $resident === null ? [] : ['the whole process' => $resident];
    $none = fn (string $rows, int $columns, string $text) => $rows !== '' ? $rows : "<tr class=\"none\"><td colspan=\"$columns\">" . h($text) . '</td></tr>';
    return [
        'process' => getmypid(),
        'seconds' => hrtime(true) / 1e9,
        'counters' => ['commands' => (object) $now['commands'], 'traffic' => $now['traffic'], 'all' => ['commands' => array_sum($now['commands'])]],
        'parts' => [
            'who' => 'PHP process ' . getmypid() . ', ' . h(date('H:i:s')) . (ini_get('mysqlnd.collect_statistics') ? '' : '. <b>mysqlnd.collect_statistics is off: nothing is counted</b>'),
            'connections' => counters($now['connections'], CONNECTIONS),
            'pool' => counters(Vaquita\pool_stats(), POOL),
            'traffic' => $traffic,
            'bars' => bars($now['latency']),
            'latency' => $none($latency, 8, 'Nothing has been waited for yet.'),
            'slowest' => $none($slowest, 5, 'No statement has taken a millisecond.'),
            'commands' => $none($commands, 4, 'No command has been sent yet.'),
            'key_value' => counters($now['key_value'], KEY_VALUE),
            'reasons' => $none($why, 2, 'None.'),
            'memory' => implode('', array_map(fn (string $name, int $bytes) => row($name, cell(size($bytes), $bytes)), array_keys($memory), $memory)),
        ],
    ];
}

/** A table that is sorted by the buttons in its head; `$columns` by their names: is it a number? */
function table(string $id, string $caption, array $columns, string $rows): string
{
    $heads = '';
    foreach ($columns as $name => $kind) {
        $heads .= "<th scope=\"col\" class=\"$kind\"><button type=\"button\" disabled>" . h($name) . '</button></th>';
    }
    return '<div class="scroll" tabindex="0" role="group" aria-label="' . h($caption) . '"><table><caption>' . h($caption) . "</caption><thead><tr>$heads</tr></thead><tbody id=\"$id\">$rows</tbody></table></div>";
}

$loaded = function_exists('Vaquita\statistics');
$is_json = isset($_GET['json']);
$nonce = base64_encode(random_bytes(12));
http_response_code($loaded ? 200 : 503);
header('Cache-Control: no-store');
header('X-Content-Type-Options: nosniff');
header('Content-Type: ' . ($is_json ? 'application/json' : 'text/html; charset=utf-8'));
header("Content-Security-Policy: default-src 'none'; style-src 'nonce-$nonce'; script-src 'nonce-$nonce'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
$figures = $loaded ? figures() : null;
if ($is_json) {
    exit(json_encode($figures ?? ['error' => 'Vaquita is not loaded'], JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE));
}
$parts = $figures['parts'] ?? [];
?>
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Vaquita: status</title>
<?php if ($loaded) { ?>
<noscript><meta http-equiv="refresh" content="5"></noscript>
<?php } ?>
<style nonce="<?= $nonce ?>">
:root { --paper: #fbfbfa; --card: #fff; --ink: #1b1f24; --faint: #59636e; --line: #dfe3e8; --first: #b5702a; --last: #1f6feb; --bad: #b42318; }
@media (prefers-color-scheme: dark) { :root { --paper: #101418; --card: #171c22; --ink: #e4e9ee; --faint: #9aa5b1; --line: #2f3741; --first: #d9944b; --last: #5a9bff; --bad: #ff8a7f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.25rem; max-width: 76rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; }
h1 { margin: 0; font-size: 1.5rem; }
h2 { margin: 0 0 .5rem; font-size: 1.05rem; }
p { margin: .25rem 0 1rem; max-width: 80ch; color: var(--faint); }
section p { font-size: .87rem; }
b { color: var(--bad); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
:focus-visible { outline: 3px solid var(--last); outline-offset: 2px; }
button { font: inherit; color: inherit; cursor: pointer; }
#pause { margin-left: auto; padding: .3rem .9rem; border: 1px solid var(--faint); border-radius: .4rem; background: var(--card); }
#who { font-variant-numeric: tabular-nums; color: var(--faint); }
#trouble:empty { display: none; }
#trouble { color: var(--bad); }
main, .tiles { display: grid; gap: 1rem; grid-template-columns: repeat(12, minmax(0, 1fr)); }
.tiles { grid-template-columns: repeat(4, minmax(0, 1fr)); margin-bottom: 1rem; }
section, .tiles div { grid-column: span 12; padding: 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); }
.tiles div { grid-column: auto; }
.tiles h2 { margin: 0; font-size: .87rem; font-weight: 500; color: var(--faint); }
.tiles output { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.tiles svg { display: block; width: 100%; height: 2.25rem; margin-top: .25rem; }
polyline { fill: none; stroke: var(--last); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
@media (min-width: 60rem) { .half { grid-column: span 6; } .third { grid-column: span 4; } }
@media (max-width: 40rem) { body { padding: .75rem; } .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .6rem; } section, .tiles div { padding: .75rem; } .tiles output { font-size: 1.2rem; } .note { display: none; } th.text:nth-child(3) { display: none; } #latency-section th.text:nth-child(3) { display: revert; } }
.scroll { overflow-x: auto; border-radius: .3rem; }
.scroll + .scroll { margin-top: 1rem; }
table { width: 100%; border-collapse: collapse; font-size: .87rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
caption { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
th, td { padding: .2rem .5rem; border-top: 1px solid var(--line); text-align: left; font-weight: 400; }
thead th { border: 0; padding: 0 .5rem .2rem; color: var(--faint); }
thead button { padding: 0; border: 0; background: none; }
thead button:disabled { cursor: auto; color: inherit; }
thead button:enabled:hover { color: var(--ink); text-decoration: underline; }
[aria-sort] button::after { content: ' ↑'; }
[aria-sort=descending] button::after { content: ' ↓'; }
#slowest th { max-width: 44rem; white-space: normal; }
.number, td[data-sort] { text-align: right; }
.note, .none td { color: var(--faint); }
.share { width: 40%; }
svg { display: block; }
.bars { margin-bottom: 1rem; font-size: 12px; }
text { fill: var(--ink); }
text.axis { fill: var(--faint); }
.grid { stroke: var(--line); }
.first_byte { fill: var(--first); }
.last_byte { fill: var(--last); }
rect { rx: 2px; }
.upper { opacity: .6; }
.tail { opacity: .8; }
.key { display: inline-block; vertical-align: baseline; }
</style>
</head>
<body>
<?php if (!$loaded) { ?>
<h1>Vaquita is not loaded</h1>
<p>The PHP that serves this page (<?= h(PHP_VERSION) ?>, <?= h(PHP_SAPI) ?>) runs without it. Its settings are read from <code><?= h(php_ini_loaded_file() ?: 'no php.ini') ?></code> and the files that <code>php --ini</code> names.</p>
<ol>
<li>Take out the lines <code>extension=mysqlnd</code>, <code>extension=mysqli</code> and <code>extension=pdo_mysql</code>; Vaquita takes their place.</li>
<li>Add <code>extension=/path/to/vaquita.so</code>, the one that was built for PHP <?= h(PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION) ?>; <code>make install</code> does both on Debian.</li>
<li>Start the web server or PHP-FPM again. If it still isn't loaded, PHP's error log says why.</li>
</ol>
<p>To look at it without changing anything: <code>build/php -S 127.0.0.1:8000 examples/status.php</code></p>
</body>
</html>
<?php exit;
} ?>
<header><h1>Vaquita <?= h(phpversion('vaquita') ?: '') ?></h1><span id="who"><?= $parts['who'] ?></span><button type="button" id="pause" aria-pressed="false" hidden>Pause</button></header>
<p>All figures are of the one PHP process that answered, since it began. Where there are several workers each has its own<span id="several"></span>.</p>
<p id="trouble" role="status"></p>
<div class="tiles" id="tiles" hidden>
<?php foreach (['all.commands' => 'commands', 'traffic.round_trips' => 'round trips', 'traffic.bytes_received' => 'received', 'traffic.bytes_sent' => 'sent'] as $counter => $name) { ?>
<div><h2><?= h($name) ?></h2><output data-rate="<?= h($counter) ?>" aria-live="off">–</output><svg aria-hidden="true" viewBox="0 0 59 20" preserveAspectRatio="none"><polyline/></svg></div>
<?php } ?>
</div>
<main>
<section id="latency-section"><h2>Latency</h2>
<p>From a command until the <svg class="key" aria-hidden="true" width="18" height="9"><rect class="first_byte" width="18" height="9"/></svg> first and the <svg class="key" aria-hidden="true" width="18" height="9"><rect class="last_byte" width="18" height="9"/></svg> last bytes of its reply, the script's own time between rows included. Bars: from the median to p95, paler to p99, thin to the longest.</p>
<div id="bars"><?= $parts['bars'] ?></div>
<?= table('latency', 'Latency by kind of command', ['kind' => 'text', 'until' => 'text', 'count' => 'number', 'p50' => 'number', 'p95' => 'number', 'p99' => 'number', 'max' => 'number', 'mean' => 'number'], $parts['latency']) ?>
</section>
<section id="slowest-section"><h2>Slowest statements</h2>
<p>Those that took a millisecond or more, without their literals: at most 32, of which the longest took longest. A pipeline's are not among them.</p>
<?= table('slowest', 'Slowest statements', ['statement' => 'text', 'slow' => 'number', 'longest' => 'number', 'mean' => 'number', 'together' => 'number'], $parts['slowest']) ?>
</section>
<section class="half"><h2>Commands</h2><?= table('commands', 'Commands by name', ['command' => 'text', 'count' => 'number', 'a second' => 'number'], $parts['commands']) ?></section>
<section class="half"><h2>Traffic</h2><?= table('traffic', 'Traffic', ['what' => 'text', 'all' => 'number', 'a second' => 'number'], $parts['traffic']) ?></section>
<section class="half"><h2>Persistent connections</h2><?= table('pool', 'The pool of persistent connections', ['pool' => 'text', 'count' => 'number', 'what it is' => 'text'], $parts['pool']) ?></section>
<section class="half"><h2>Connections and memory</h2>
<?= table('connections', 'Connections', ['connections' => 'text', 'count' => 'number', 'what it is' => 'text'], $parts['connections']) ?>
<?= table('memory', 'Memory', ['memory' => 'text', 'size' => 'number'], $parts['memory']) ?></section>
<section class="half"><h2>Key-value access</h2><?= table('key_value', 'Key-value access', ['statements' => 'text', 'count' => 'number', 'what it is' => 'text'], $parts['key_value']) ?></section>
<section class="half"><h2>Why not by key-value</h2><?= table('reasons', 'Reasons why statements were not answered by a port', ['reason (docs/kv.md)' => 'text', 'statements' => 'number'], $parts['reasons']) ?></section>
</main>
<script nonce="<?= $nonce ?>">
'use strict';
const EVERY_MS = 2000, POINTS = 60;
const by = (id) => document.getElementById(id), all = (selector, from = document) => [...from.querySelectorAll(selector)];
const before = new Map(); // each process has counters of its own
const histories = new Map();
let paused = false, timer = 0;

const show = (rate, name) => {
    let [value, unit] = [rate, ''];
    if (name.includes('bytes')) {
        for (unit of ['B', 'KiB', 'MiB', 'GiB']) {
            if (value < 1024 || unit === 'GiB') break;
            value /= 1024;
        }
        unit = ' ' + unit;
    }
    return value.toFixed(value > 0 && value < 100 ? 1 : 0) + unit + '/s';
};

// Sorts as the button that was pressed last says; rows that are alike stay in their order.
const sort = (table) => {
    const head = table.querySelector('th[aria-sort]');
    if (!head || table.querySelector('.none')) return;
    const sign = head.getAttribute('aria-sort') === 'ascending' ? 1 : -1;
    const key = (row) => row.cells[head.cellIndex].dataset.sort ?? row.cells[head.cellIndex].textContent;
    const is_number = head.className === 'number';
    table.tBodies[0].append(...[...table.rows].slice(1).sort((a, b) => sign * (is_number ? key(a) - key(b) : key(a).localeCompare(key(b)))));
};

const update = ({process, seconds, counters, parts}) => {
    const last = before.get(process);
    before.set(process, {seconds, counters});
    by('several').textContent = before.size > 1 ? `; ${before.size} have answered so far, and a rate is of what one did since it answered before` : '';
    for (const [id, html] of Object.entries(parts)) by(id).innerHTML = html; // what PHP has escaped
    for (const it of all('[data-rate]')) {
        const [group, name] = it.dataset.rate.split('.');
        if (!last || seconds <= last.seconds) continue;
        const rate = (counters[group][name] - (last.counters[group][name] ?? 0)) / (seconds - last.seconds);
        it.textContent = show(rate, name);
        if (it.tagName === 'TD') {
            it.dataset.sort = rate;
            continue;
        }
        const history = [...(histories.get(name) ?? []), rate].slice(-POINTS);
        histories.set(name, history);
        const most = Math.max(...history) || 1;
        it.nextElementSibling.firstElementChild.setAttribute('points', history.map((rate, at) => `${POINTS - history.length + at},${(19 - 18 * rate / most).toFixed(2)}`).join(' '));
    }
    all('table').forEach(sort);
};

const refresh = async () => {
    clearTimeout(timer);
    try {
        const answer = await fetch('?json', {cache: 'no-store', signal: AbortSignal.timeout(10000)});
        if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
        const figures = await answer.json();
        if (!paused) update(figures);
        by('trouble').textContent = '';
    } catch (error) {
        by('trouble').textContent = `These figures are old: ${error.message}. It is tried again.`;
    }
    clearTimeout(timer);
    if (!paused && !document.hidden) timer = setTimeout(refresh, EVERY_MS);
};

by('pause').hidden = by('tiles').hidden = false;
by('pause').addEventListener('click', () => {
    paused = !paused;
    by('pause').setAttribute('aria-pressed', paused);
    if (paused) clearTimeout(timer);
    else refresh();
});
document.addEventListener('visibilitychange', () => document.hidden || paused || refresh());
for (const button of all('thead button')) {
    button.disabled = false;
    button.addEventListener('click', () => {
        const head = button.closest('th'), was = head.getAttribute('aria-sort');
        all('th[aria-sort]', head.parentNode).forEach((it) => it.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', was ? (was === 'ascending' ? 'descending' : 'ascending') : head.className === 'number' ? 'descending' : 'ascending');
        sort(head.closest('table'));
    });
}
refresh();
</script>
</body>
</html>
