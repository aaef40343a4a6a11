<?php
/*
 * A client of FastCGI: asks PHP-FPM without a web server between.
 *
 * https://fastcgi-archives.github.io/FastCGI_Specification.html
 */

declare(strict_types=1);

/** Requests that run at the same time, each on a connection of its own. */
final class FastCgi
{
    private const BEGIN_REQUEST = 1;
    private const END_REQUEST = 3;
    private const PARAMS = 4;
    private const STDIN = 5;
    private const STDOUT = 6;

    /**
     * @param list<string> $queries
     *
     * @return list<?string> what each has printed, without the headers; null: the connection ended before
     */
    public static function ask(string $socket, string $script, array $queries): array
    {
        return array_map(self::answer(...), array_map(fn (string $query) => self::send($socket, $script, $query), $queries));
    }

    /** @return resource where answer() reads what comes of it */
    public static function send(string $socket, string $script, string $query)
    {
        $stream = stream_socket_client("unix://$socket");
        // PHP looks for a folder's .user.ini between the document root and the script.
        $parameters = ['SCRIPT_FILENAME' => $script, 'DOCUMENT_ROOT' => dirname($script), 'REQUEST_METHOD' => 'GET', 'QUERY_STRING' => $query];
        $pairs = implode('', array_map(fn (string $name, string $value) => pack('NN', strlen($name) | 1 << 31, strlen($value) | 1 << 31) . $name . $value, array_keys($parameters), $parameters));
        fwrite($stream, self::record(self::BEGIN_REQUEST, pack('nCx5', 1, 0)) . self::record(self::PARAMS, $pairs) . self::record(self::PARAMS, '') . self::record(self::STDIN, ''));
        return $stream;
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCx', 1, $type, 1, strlen($content), 0) . $content;
    }

    /**
     * @param resource $stream
     *
     * @return ?string what the request has printed, without the headers; null: the connection ended before
     */
    public static function answer($stream): ?string
    {
        $printed = '';
        $has_ended = false;
        while (strlen($header = (string) stream_get_contents($stream, 8)) === 8) {
            ['type' => $type, 'length' => $length, 'padding' => $padding] = unpack('Cversion/Ctype/nid/nlength/Cpadding', $header);
            $content = $length === 0 ? '' : stream_get_contents($stream, $length);
            $padding === 0 || stream_get_contents($stream, $padding);
            $printed .= $type === self::STDOUT ? $content : '';
            $has_ended = $has_ended || $type === self::END_REQUEST;
        }
        fclose($stream);
        return $has_ended ? explode("\r\n\r\n", $printed, 2)[1] ?? null : null;
    }
}
