<?php
/*
 * A browser without a screen: it keeps cookies, and tells what came, redirections as such.
 */

declare(strict_types=1);

final class Page
{
    /** @param array<string, string> $headers by small names */
    public function __construct(public readonly int $status, public readonly array $headers, public readonly string $body)
    {
    }

    /** What is first between two texts; an error without either. */
    public function between(string $before, string $after): string
    {
        $start = strpos($this->body, $before);
        $start !== false || throw new Exception("no $before in the page:\n$this->body");
        $start += strlen($before);
        $end = strpos($this->body, $after, $start);
        $end !== false || throw new Exception("no $after behind $before in the page:\n$this->body");
        return html_entity_decode(substr($this->body, $start, $end - $start));
    }

    /** The hidden fields, by name. */
    public function hidden(): array
    {
        $fields = [];
        preg_match_all('/<input\b[^>]*\btype=["\']?hidden["\']?[^>]*>/i', $this->body, $inputs);
        foreach ($inputs[0] as $input) {
            if (preg_match('/\bname=["\']([^"\']*)["\']/', $input, $name)) {
                preg_match('/\bvalue=(?:"([^"]*)"|\'([^\']*)\')/', $input, $value);
                $fields[html_entity_decode($name[1])] = html_entity_decode($value[2] ?? $value[1] ?? '');
            }
        }
        return $fields;
    }

    public function json(): array
    {
        return json_decode($this->body, true, flags: JSON_THROW_ON_ERROR);
    }
}

final class Browser
{
    /** @var array<string, string> */
    private array $cookies = [];

    public function __construct(private readonly string $address)
    {
    }

    public function get(string $path, array $headers = []): Page
    {
        return $this->send('GET', $path, '', $headers);
    }

    /** Sends a form. */
    public function post(string $path, array $fields, array $headers = []): Page
    {
        return $this->send('POST', $path, http_build_query($fields), ['Content-Type: application/x-www-form-urlencoded', ...$headers]);
    }

    public function send(string $method, string $path, string $body, array $headers): Page
    {
        $cookies = implode('; ', array_map(fn($name, $value) => "$name=$value", array_keys($this->cookies), $this->cookies));
        $all = [...$headers, 'User-Agent: Mozilla/5.0 Vaquita', 'Accept-Language: en', ...($cookies === '' ? [] : ["Cookie: $cookies"])];
        $context = stream_context_create(['http' => [
            'method' => $method, 'header' => $all, 'content' => $body, 'ignore_errors' => true, 'follow_location' => 0, 'timeout' => 60,
        ]]);
        $text = file_get_contents("http://$this->address$path", false, $context);
        preg_match('/^HTTP\/\S+ (\d+)/', $http_response_header[0], $status);
        $found = [];
        foreach (array_slice($http_response_header, 1) as $header) {
            [$name, $value] = explode(':', $header, 2) + ['', ''];
            $found[strtolower($name)] = trim($value);
            if (strtolower($name) === 'set-cookie' && preg_match('/^\s*([^=]+)=([^;]*)/', $value, $cookie)) {
                $this->cookies[$cookie[1]] = $cookie[2];
            }
        }
        return new Page((int) $status[1], $found, $text);
    }
}
