<?php
/*
 * Tests in PHP's phpt format, of its sections TEST, INI, SKIPIF, FILE, EXPECT and EXPECTF. Only Vaquita runs them. A process that
 * does not end with exit code 0 must say so: how it ended is the output's last part.
 */

declare(strict_types=1);

final class Phpt extends Script
{
    public function run(): Generator
    {
        $sections = $this->sections();
        $file = sys_get_temp_dir() . '/vaquita-' . getmypid() . preg_replace('/\W/', '_', $this->name) . '.php';
        try {
            if (isset($sections['SKIPIF'])) {
                file_put_contents($file, $sections['SKIPIF']);
                $answer = trim((yield $this->command($this->php(), $file))->output);
                if ($answer !== '') {
                    return Verdict::skip(preg_replace('/^skip\s*/', '', $answer));
                }
            }
            file_put_contents($file, $sections['FILE']);
            $ini = [];
            foreach (preg_split('/\n/', $sections['INI'] ?? '', -1, PREG_SPLIT_NO_EMPTY) as $line) {
                [$name, $value] = explode('=', $line, 2);
                $ini[trim($name)] = trim($value);
            }
            $output = str_replace($file, 'FILE', $this->outcome(yield $this->command($this->php(), $file, $ini)));
        } finally {
            unlink($file);
        }
        return $this->judge($sections, trim($output));
    }

    private function php(): string
    {
        return getenv('VAQUITA_PHP');
    }

    /** @param array<string, string> $sections */
    private function judge(array $sections, string $output): Verdict
    {
        $expected = trim($sections['EXPECT'] ?? $sections['EXPECTF']);
        if (isset($sections['EXPECT'])) {
            $passed = $output === $expected;
            $same = null;
        } else {
            $passed = (bool) preg_match(expectf($expected), $output);
            $same = fn(string $pattern, string $line): bool => (bool) preg_match(expectf($pattern), $line);
        }
        return $passed ? Verdict::pass("$output\n") : Verdict::fail(implode("\n", difference($expected, $output, $same)), "$output\n");
    }

    /** @return array<string, string> */
    private function sections(): array
    {
        $pieces = preg_split('/^--([A-Z]+)--\n/m', $this->source, -1, PREG_SPLIT_DELIM_CAPTURE);
        $sections = [];
        for ($i = 1; $i < count($pieces); $i += 2) {
            $name = $pieces[$i];
            in_array($name, ['TEST', 'INI', 'SKIPIF', 'FILE', 'EXPECT', 'EXPECTF'], true) || throw new Exception("$this->path: section $name is not known");
            $sections[$name] = $pieces[$i + 1];
        }
        isset($sections['TEST'], $sections['FILE']) && isset($sections['EXPECT']) !== isset($sections['EXPECTF'])
            || throw new Exception("$this->path lacks a section");
        return $sections;
    }
}
