<?php
/* What tests of the trace share: reading its lines. */

/** A line of a trace that is as it should be. */
const TRACE_LINE = '/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z pid=\d+ conn=\d+( id=\d+)? event=[a-z_]+ us=\d+( [a-z_]+=[^ ]+)*( sql=.+)?$/D';

/** The lines of a trace as maps of their fields; one that is not a line of a trace is printed. */
function trace_lines(string $text): array
{
    $lines = [];
    foreach ($text === '' ? [] : explode("\n", rtrim($text, "\n")) as $line) {
        if (!preg_match(TRACE_LINE, $line)) {
            show('not a line', $line);
            continue;
        }
        [$line, $sql] = explode(' sql=', $line, 2) + [1 => null];
        $fields = ['sql' => $sql];
        foreach (array_slice(explode(' ', $line), 1) as $field) {
            [$name, $value] = explode('=', $field, 2);
            $fields[$name] = $value;
        }
        $lines[] = $fields;
    }
    return $lines;
}

/** Prints a trace's lines: what is the same from run to run. */
function show_trace(string $text, string ...$events): void
{
    foreach (trace_lines($text) as $line) {
        if (!$events || in_array($line['event'], $events, true)) {
            echo '  ', implode(' ', array_filter([$line['event'], $line['command'] ?? null, isset($line['failed']) ? 'failed' : null, $line['sql']])), "\n";
        }
    }
}
