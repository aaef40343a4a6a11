<?php
/*
 * What a key-value port would be good for in a whole application: sums the files that processes with vaquita.kv = advise have written to
 * (vaquita.kv_advice), a line for each shape of statement.
 *
 *     php examples/kv_advice.php FILE...
 */

declare(strict_types=1);

$files = array_slice($argv, 1) ?: exit("usage: php kv_advice.php FILE...\n");
$sums = [];
foreach ($files as $file) {
    foreach (new SplFileObject($file) as $line) {
        foreach (json_decode($line)->shapes ?? [] as $it) {
            $sum = &$sums[$it->shape];
            $sum ??= ['statements' => 0, 'seconds' => 0.0, 'eligible' => 0, 'reasons' => [], 'table' => null];
            $refused = array_sum((array) $it->reasons);
            $sum['statements'] += $it->statements;
            $sum['seconds'] += $it->seconds;
            $sum['eligible'] += $it->statements - $refused;
            foreach ($it->reasons as $reason => $count) {
                $sum['reasons'][$reason] = ($sum['reasons'][$reason] ?? 0) + $count;
            }
            $sum['table'] = isset($sum['table']->unique) ? $sum['table'] : $it->table ?? $sum['table'];
            unset($sum);
        }
    }
}
$all = array_sum(array_column($sums, 'seconds')) ?: 1;
$eligible = 0;
uasort($sums, fn(array $one, array $other) => $other['seconds'] <=> $one['seconds']);
echo "   share        time  statements  eligible\n";
// A name may have any character.
$shown = fn(string $text): string => preg_replace('/[\x00-\x1F\x7F]|\xC2[\x80-\x9F]/', '?', $text);
foreach ($sums as $shape => $sum) {
    printf("%6.1f %% %9.3f s %11d %7.0f %%  %s\n", 100 * $sum['seconds'] / $all, $sum['seconds'], $sum['statements'], 100 * $sum['eligible'] / $sum['statements'], $shown((string) $shape));
    $eligible += $sum['seconds'] * $sum['eligible'] / $sum['statements'];
    arsort($sum['reasons']);
    $reasons = array_map(fn(string $reason, int $count) => "$reason $count", array_keys($sum['reasons']), $sum['reasons']);
    // One that can never be answered says so by its shape.
    if ($reasons !== [] && array_keys($sum['reasons']) !== ['form']) {
        echo str_repeat(' ', 43), 'to SQL: ', implode(', ', $reasons), "\n";
    }
    if ($sum['table'] !== null) {
        $found = match ($sum['table']->unique) {
            true => 'unique',
            false => 'not unique: it needs an index that is',
            null => 'unique?',
        };
        $table = "table {$sum['table']->name}, key " . implode(', ', $sum['table']->key) . " ($found), values " . implode(', ', $sum['table']->values);
        echo str_repeat(' ', 43), $shown($table), "\n";
    }
}
printf("%6.1f %% of the time is that of statements which a port could have answered\n", 100 * $eligible / $all);
