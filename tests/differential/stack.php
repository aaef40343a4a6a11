<?php
/*
 * One PHP, which plays sequences in a database of its own.
 */

declare(strict_types=1);

/** What became of a sequence: what each step printed, and how the process ended if it did so in the middle ("killed by signal 11"). */
final class Played
{
    /** @param list<string> $steps each with its outcome; the last is the sequence's end; $before is what came before the first */
    public function __construct(public readonly array $steps, public readonly string $before, public readonly ?string $end)
    {
    }

    /** Whether it did what no script may bring about: the end by a signal, not by a fatal error; or none; or it notices that its memory is spoilt. */
    public function crashed(): bool
    {
        return $this->end !== null && (str_contains($this->end, 'by signal') || str_contains($this->end, 'killed after') || str_contains(implode('', array_slice($this->steps, -1)), 'zend_mm_heap corrupted'));
    }
}

final class Stack
{
    private const SECONDS = 60;
    private const INI = ['display_errors' => '1', 'log_errors' => '0', 'error_reporting' => '-1', 'html_errors' => '0', 'zend.exception_ignore_args' => '1', 'memory_limit' => '256M', 'date.timezone' => 'UTC',
        'mysqlnd.net_read_timeout' => '2', 'default_socket_timeout' => '2', 'mysqli.allow_local_infile' => '1'];

    private static int $count = 0;

    public function __construct(private readonly string $php, private readonly Place $place)
    {
    }

    /**
     * @param array<int, list<string>> $sequences
     * @return Generator<int, Command, Finished, array<int, Played>>
     */
    public function play(array $sequences): Generator
    {
        $database = 'vq_differential_' . getmypid() . '_' . ++self::$count;
        $this->prepare($database);
        $file = sys_get_temp_dir() . "/$database";
        $played = [];
        while ($sequences !== []) {
            file_put_contents($file, json_encode($sequences, JSON_THROW_ON_ERROR));
            $finished = yield $this->command($database, $file);
            $output = $finished->output . ($finished->errors === '' ? '' : "\n(standard error) $finished->errors");
            // For a user that it does not know MySQL asks by this or that plugin, and stock answers some even where there is no password.
            $output = preg_replace('/(using password: )(?:YES|NO)/', '$1N', str_replace(strtoupper($database), 'DATABASE', $this->place->mask($output, $database)));
            // Without a column's number PDO may take a part of an address for one.
            $output = preg_replace('/ValueError\(0\): \K(Invalid column index|Column index must be greater than or equal to 0)$/m', 'no such column', $output);
            $output = preg_replace(['/(Resource id #)\d+/i', '/(Sent SQL: \[)\d+(?=\] .*Resource id #)/', '/(thread id: |statement handler \()[1-9]\d*/', '/string\(\d+\)( "Unknown prepared statement handler)/'], ['$1N', '$1N', '$1N', 'string(N)$1'], $output);
            $pieces = preg_split('/^=== (\d+)\n/m', $output, -1, PREG_SPLIT_DELIM_CAPTURE);
            $pieces[0] === '' || throw new Exception("$this->php: $output");
            for ($i = 1; $i < count($pieces); $i += 2) {
                $number = (int) $pieces[$i];
                [$text, $after] = [...explode("=== end of $number\n", $pieces[$i + 1], 2), null];
                $steps = preg_split('/^(?=> )/m', $text . $after);
                $played[$number] = new Played(array_slice($steps, 1), $steps[0], $after === null ? $finished->end : ($after === '' ? null : 'printed after its end'));
                unset($sequences[$number]);
            }
            count($pieces) > 1 || throw new Exception("$this->php did not begin: $finished->end\n$output");
        }
        unlink($file);
        $this->link()->query("DROP DATABASE $database");
        return $played;
    }

    private function link(): mysqli
    {
        $place = $this->place->environment('');
        return new mysqli('localhost', $place['VAQUITA_SERVER_USER'], $place['VAQUITA_SERVER_PASSWORD'], '', 0, $place['VAQUITA_SERVER_SOCKET']);
    }

    private function prepare(string $database): void
    {
        $this->place->clean($database);
        $link = $this->link();
        $link->select_db($database);
        $link->multi_query(file_get_contents(__DIR__ . '/tables.sql'));
        while ($link->more_results()) {
            $link->next_result();
        }
    }

    private function command(string $database, string $file): Command
    {
        $environment = $this->place->environment($database) + ['VAQUITA_TESTS' => realpath(TESTS)];
        $ini = self::INI + ['include_path' => realpath(TESTS), 'mysqli.default_socket' => $environment['VAQUITA_SERVER_SOCKET'], 'pdo_mysql.default_socket' => $environment['VAQUITA_SERVER_SOCKET'], 'mysqli.default_port' => $environment['VAQUITA_SERVER_PORT'],
            'mysqli.default_user' => $environment['VAQUITA_SERVER_USER'], 'mysqli.default_pw' => $environment['VAQUITA_SERVER_PASSWORD']];
        $words = explode(' ', $this->php);
        foreach ($ini as $name => $value) {
            array_push($words, '-d', "$name=$value");
        }
        return new Command([...$words, __DIR__ . '/play.php', $file], $environment, self::SECONDS * (float) (getenv('VAQUITA_SLOWNESS') ?: 1));
    }
}
