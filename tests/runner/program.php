<?php
/*
 * Tests that are programs of their own: tests/NAME prints what failed, and "N passed, N failed[, N skipped]" as its last line;
 * "skipped: REASON" may stand before it.
 */

declare(strict_types=1);

final class Program extends Test
{
    public function run(): Generator
    {
        $finished = yield new Command([TESTS . "/$this->name"], [], 180);
        $output = $finished->output . $finished->errors;
        if (!preg_match('/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/m', $output, $match)) {
            return Verdict::fail("$finished->end, without a result\n$output", $output);
        }
        [$passed, $failed, $skipped] = [(int) $match[1], (int) $match[2], (int) ($match[3] ?? 0)];
        if ($failed === 0 && $finished->end !== 'exit code 0') {
            return Verdict::fail("$finished->end\n$output", $output);
        }
        $reason = $failed === 0 && preg_match('/^skipped: (.*)$/m', $output, $match) ? $match[1] : $output;
        return Verdict::of_program($passed, $failed, $skipped, $reason, $output);
    }
}
