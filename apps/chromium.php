<?php
/*
 * A real browser: Debian's Chromium without a window, driven over WebDriver (https://www.w3.org/TR/webdriver2/) by its chromedriver.
 */

declare(strict_types=1);

final class Chromium
{
    /** Keys that have no character (https://www.w3.org/TR/webdriver2/#keyboard-actions). */
    public const ENTER = "\u{E007}";
    public const TAB = "\u{E004}";
    private const WAIT_SECONDS = 60;
    /** As other drivers' "network idle": a page whose requests have ended may begin another one as an answer to them. */
    private const QUIET_SECONDS = 0.5;
    /** The key of a reference to an element (https://www.w3.org/TR/webdriver2/#elements). */
    private const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

    /** @var resource */
    private $driver;
    private readonly string $session;
    /** @var array<string, array{string, string, ?int}> by their ids in the browser: method, address, status of requests on their way */
    private array $open = [];
    private float $last_event = 0;
    /** @var list<string> */
    private array $requests = [];
    /** @var list<string> */
    private array $messages = [];

    /**
     * @param string $folder where its downloads and the log of its driver are kept
     * @param string $profile a folder that it makes for what a browser writes otherwise; its home
     */
    public function __construct(private readonly string $folder, string $profile)
    {
        mkdir("$folder/downloads", recursive: true);
        mkdir($profile);
        $driver = trim((string) shell_exec('command -v chromedriver'));
        $chromium = trim((string) shell_exec('command -v chromium'));
        if ($driver === '' || $chromium === '') {
            throw new Exception('Chromium is missing: apt-get install chromium chromium-driver');
        }
        $this->driver = proc_open([$driver, '--port=0'], [1 => ['file', "$folder/driver.log", 'w'], 2 => ['redirect', 1]], $pipes, null, ['HOME' => $profile, 'TMPDIR' => $profile] + getenv());
        try {
            do {
                $said = file_get_contents("$folder/driver.log");
                usleep(10_000);
            } while (!preg_match('/started successfully on port (\d+)/', $said, $port) && proc_get_status($this->driver)['running']);
            isset($port[1]) || throw new Exception("chromedriver did not start:\n$said");
            $base = "http://127.0.0.1:$port[1]/session";
            $started = $this->call('POST', $base, ['capabilities' => ['alwaysMatch' => [
                'browserName' => 'chrome',
                'pageLoadStrategy' => 'none',
                'unhandledPromptBehavior' => 'accept',
                'goog:loggingPrefs' => ['browser' => 'ALL', 'performance' => 'ALL'],
                'goog:chromeOptions' => [
                    'binary' => $chromium,
                    'args' => [
                        '--headless=new', '--screen-info={1280x1000}', '--window-size=1280,1000', '--lang=en', "--user-data-dir=$profile/profile", '--disable-gpu', '--force-device-scale-factor=1',
                        '--no-sandbox', // it can't be had as root
                        '--disable-dev-shm-usage', // small in a container
                        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--no-proxy-server', // so that nothing but the site is there, on any machine
                        '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-extensions',
                    ],
                    'prefs' => ['download.default_directory' => "$folder/downloads", 'credentials_enable_service' => false, 'profile.password_manager_leak_detection' => false],
                ],
            ]]]);
            $this->session = "$base/$started[sessionId]";
        } catch (Throwable $error) {
            $this->close();
            throw $error;
        }
    }

    /** Goes to an address. */
    public function open(string $url): void
    {
        $this->call('POST', "$this->session/url", ['url' => $url]);
    }

    /** Clicks what a CSS selector finds, as soon as it is there and can be clicked. */
    public function click(string $selector): void
    {
        $this->element("click $selector", 'click', $selector);
        $this->leave();
    }

    /** Writes into what is found, behind what is there, as a keyboard with all of Unicode (WebDriver's own has no emoji). */
    public function write(string $selector, string $text): void
    {
        $this->click($selector);
        $this->insert($text);
    }

    /** Writes where the cursor is. */
    public function insert(string $text): void
    {
        $this->devtools('Input.insertText', ['text' => $text]);
    }

    /** Looks as on a screen of this width, on which light or dark pages are wanted. */
    public function pretend(int $width, string $scheme): void
    {
        $this->devtools('Emulation.setDeviceMetricsOverride', ['width' => $width, 'height' => 1000, 'deviceScaleFactor' => 1, 'mobile' => false]);
        $this->devtools('Emulation.setEmulatedMedia', ['features' => [['name' => 'prefers-color-scheme', 'value' => $scheme]]]);
    }

    /** Presses a key: a character, or one of those above. */
    public function press(string $key): void
    {
        $this->call('POST', "$this->session/actions", ['actions' => [['type' => 'key', 'id' => 'keyboard', 'actions' => [['type' => 'keyDown', 'value' => $key], ['type' => 'keyUp', 'value' => $key]]]]]);
    }

    /** Gives a file to an upload's field, which may be hidden. */
    public function choose(string $selector, string $path): void
    {
        $this->element("choose a file in $selector", 'value', $selector, ['text' => $path]);
    }

    /** Waits until a file has been downloaded, and reads it. */
    public function downloaded(string $name): string
    {
        $this->wait("until $name is downloaded", fn() => is_file("$this->folder/downloads/$name"));
        return file_get_contents("$this->folder/downloads/$name");
    }

    /** What a script returns. */
    public function script(string $script, mixed ...$arguments): mixed
    {
        return $this->call('POST', "$this->session/execute/sync", ['script' => $script, 'args' => $arguments]);
    }

    /** Waits until an expression of JavaScript is true. */
    public function until(string $expression): void
    {
        $this->wait("until $expression", fn() => $this->script("return Boolean($expression)"));
    }

    /** Waits until a request of this method, with this in its address, has ended (since what happened was last asked for). */
    public function requested(string $method, string $part): void
    {
        $this->wait("until a $method of $part", function () use ($method, $part) {
            $this->listen();
            return preg_grep("/^$method .*" . preg_quote($part, '/') . '/', $this->requests) !== [];
        });
    }

    /** Waits until the page is loaded, and none of its requests is under way. */
    public function settle(): void
    {
        $this->last_event = microtime(true);
        $this->wait('until no request is under way', function () {
            $this->listen();
            return $this->open === [] && microtime(true) - $this->last_event > self::QUIET_SECONDS && $this->script('return document.readyState') === 'complete';
        });
    }

    /** What can be read on the page and in its frames: address, title, text without empty lines, and the pictures with the text that stands for them. */
    public function text(): string
    {
        return $this->script(<<<'JS'
            const read = (page) => [
                page.location.href, page.title, ...(page.body?.innerText ?? '').split('\n').map((line) => line.trim()).filter(Boolean),
                ...[...page.images].filter((image) => image.naturalWidth > 1).map((image) => `--- picture ${image.src} ${image.naturalWidth} x ${image.naturalHeight} ${image.alt}`),
                ...[...page.querySelectorAll('iframe')].map((frame) => '--- frame\n' + (frame.contentDocument ? read(frame.contentDocument) : frame.src)),
            ].join('\n');
            return read(document);
            JS);
    }

    public function screenshot(string $file): void
    {
        file_put_contents($file, base64_decode($this->call('GET', "$this->session/screenshot")));
    }

    /**
     * The requests that ended since the last time, in order of their addresses, and what was said in the console, failures of requests included.
     *
     * @return array{list<string>, list<string>}
     */
    public function happened(): array
    {
        $this->listen();
        $happened = [$this->requests, $this->messages];
        $this->requests = $this->messages = [];
        sort($happened[0]);
        sort($happened[1]);
        return $happened;
    }

    public function close(): void
    {
        try {
            isset($this->session) && $this->call('DELETE', $this->session);
        } finally {
            proc_terminate($this->driver);
            proc_close($this->driver);
        }
    }

    private function devtools(string $command, array $arguments): void
    {
        $this->call('POST', "$this->session/goog/cdp/execute", ['cmd' => $command, 'params' => $arguments]);
    }

    /** Moves the mouse to the right edge, where nothing opens under it when the page changes. */
    private function leave(): void
    {
        $this->call('POST', "$this->session/actions", ['actions' => [['type' => 'pointer', 'id' => 'mouse', 'actions' => [['type' => 'pointerMove', 'x' => 1279, 'y' => 430]]]]]);
    }

    private function element(string $what, string $action, string $selector, array $more = []): void
    {
        $this->wait($what, function () use ($action, $selector, $more) {
            try {
                $element = $this->call('POST', "$this->session/element", ['using' => 'css selector', 'value' => $selector])[self::ELEMENT];
                $this->script('arguments[0].scrollIntoView({block: "center"})', [self::ELEMENT => $element]); // from under what is fixed at an edge
                $this->call('POST', "$this->session/element/$element/$action", $more);
                return true;
            } catch (NotYet) {
                return false;
            }
        });
    }

    private function wait(string $what, Closure $ready): void
    {
        for ($end = microtime(true) + self::WAIT_SECONDS; !$ready(); usleep(20_000)) {
            if (microtime(true) > $end) {
                $this->screenshot("$this->folder/waiting.png");
                throw new Exception("waited in vain: $what (see $this->folder/waiting.png); on the page:\n" . $this->text() . "\n" . implode("\n", [...$this->messages, ...array_map(fn($request) => "under way: $request[0] $request[1]", $this->open)]));
            }
        }
    }

    /** Reads what the browser noted: the DevTools protocol's Network events, and the console. */
    private function listen(): void
    {
        foreach ($this->call('POST', "$this->session/se/log", ['type' => 'performance']) as $entry) {
            ['method' => $event, 'params' => $about] = json_decode($entry['message'], true)['message'];
            $id = $about['requestId'] ?? null;
            if ($id === null || !str_starts_with($event, 'Network.')) {
                continue;
            }
            $this->last_event = microtime(true);
            if ($event === 'Network.requestWillBeSent') {
                isset($this->open[$id]) && $this->ended($id, "status {$about['redirectResponse']['status']}");
                if (($about['type'] ?? '') === 'Ping') { // nobody waits for its answer: it is told only if it comes before the page is left
                    $this->requests[] = "{$about['request']['method']} {$about['request']['url']}: sent";
                } elseif (preg_match('/^https?:/', $about['request']['url'])) { // not what the browser has of its own
                    $this->open[$id] = [$about['request']['method'], $about['request']['url'], $about['type'] ?? ''];
                }
            } elseif ($event === 'Network.responseReceived' && isset($this->open[$id])) {
                $this->open[$id][3] = $about['response']['status'];
            } elseif ($event === 'Network.loadingFinished' && isset($this->open[$id])) {
                $this->ended($id, 'status ' . ($this->open[$id][3] ?? 'unknown'));
            } elseif ($event === 'Network.loadingFailed' && isset($this->open[$id])) {
                $this->ended($id, $about['errorText']);
            }
        }
        foreach ($this->call('POST', "$this->session/se/log", ['type' => 'browser']) as $entry) {
            $this->messages[] = "$entry[level]: $entry[message]";
        }
    }

    /** Notes how a request ended: all but pictures, styles and the like that came as they should. */
    private function ended(string $id, string $how): void
    {
        [$method, $url, $type] = $this->open[$id];
        unset($this->open[$id]);
        if ($how !== 'status 200' || in_array($type, ['Document', 'XHR', 'Fetch'], true)) {
            $this->requests[] = "$method $url: $how";
        }
    }

    private function call(string $method, string $url, ?array $body = null): mixed
    {
        $context = stream_context_create(['http' => ['method' => $method, 'header' => 'Content-Type: application/json', 'ignore_errors' => true, 'timeout' => self::WAIT_SECONDS,
            'content' => $body === null ? '' : json_encode($body ?: new stdClass(), JSON_THROW_ON_ERROR)]]);
        // It says "Connection: close" and doesn't, so that file_get_contents() would wait for ever.
        $answer = fopen($url, 'r', false, $context);
        $length = (int) implode(preg_filter('/^content-length:/i', '', stream_get_meta_data($answer)['wrapper_data']));
        $value = json_decode(stream_get_contents($answer, $length), true, flags: JSON_THROW_ON_ERROR)['value'];
        if (isset($value['error'])) {
            $not_yet = ['no such element', 'stale element reference', 'element not interactable', 'element click intercepted', 'no such frame', 'no such window'];
            $kind = in_array($value['error'], $not_yet, true) ? NotYet::class : Exception::class;
            throw new $kind("Chromium: $value[error]: $value[message]");
        }
        return $value;
    }
}

/** What a page that is still loading answers. */
final class NotYet extends Exception
{
}
