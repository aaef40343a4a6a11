<?php
// Loops over rows, with all that scripts do with a row before they fetch the next one.

/** A row that is changed through a parameter. */
function change_row(array &$row): void
{
    $row['name'] = 'changed';
    $row[] = count($row);
}

/** @return Generator<int, array> */
function rows_of(mysqli_result $result): Generator
{
    while ($row = $result->fetch_assoc()) {
        yield $row;
    }
}

/** Rows that an object has. */
final class RowHolder
{
    public ?array $row = null;
    public static array $last = [];

    public function next(mysqli_result $result): ?array
    {
        return $this->row = $result->fetch_assoc();
    }
}

/** What a loop does with one row. What it keeps goes into $kept, the row itself may be changed. */
function use_row(string $use, array &$row, array &$kept): void
{
    $first = array_key_first($row);
    switch ($use) {
        case 'keep': $kept[] = $row; break;
        case 'keep changed': $row['more'] = count($kept); $kept[] = $row; break;
        case 'keep a value': $kept[] = $row[$first]; break;
        case 'keep a key': $kept[$row[$first]] = 1; break;
        case 'change': $row[$first] = 'other'; break;
        case 'append': $row[$first] .= str_repeat('+', count($kept) % 30); $kept[] = $row[$first]; break;
        case 'append to a copy': $copy = $row[$first]; $copy .= '!'; $kept[] = $copy; break;
        case 'a letter': $copy = (string) $row[$first]; if ($copy !== '') { $copy[0] = 'X'; } $kept[] = $copy; break;
        case 'unset': unset($row[$first]); break;
        case 'reference': $value = &$row[$first]; $value = 'by reference'; $kept[] = &$value; break;
        case 'reference to all': $all = &$row; $all['x'] = 1; $kept[] = $all; break;
        case 'walk': foreach ($row as &$value) { $value = strlen((string) $value); } unset($value); $kept[] = $row; break;
        case 'by parameter': change_row($row); break;
        case 'sort': asort($row); $kept[] = array_keys($row); break;
        case 'pop': $kept[] = array_pop($row); break;
        case 'pointer': next($row); $kept[] = [key($row), end($row)]; break;
        case 'iterator': $kept[] = new ArrayIterator($row); break;
        case 'walked iterator': $walked = new ArrayIterator($row); $walked->next(); $kept[] = $walked; break;
        case 'closure': $kept[] = fn() => $row; break;
        case 'object': $kept[] = (object) $row; break;
        case 'static': RowHolder::$last[] = $row; break;
        case 'extract': extract($row, EXTR_PREFIX_ALL, 'row'); $kept[] = array_filter(get_defined_vars(), fn($name) => str_starts_with($name, 'row_'), ARRAY_FILTER_USE_KEY); break;
        case 'destructure': [$first => $value] = $row; $kept[] = $value; break;
        case 'number': $kept[] = array_sum(array_map(intval(...), $row)); break;
        case 'split': $kept[] = preg_split('//u', (string) $row[$first]); break;
        case 'collect': gc_collect_cycles(); break;
        case 'cycle': $row['self'] = &$row; break;
        case 'replace': $row = ['nothing']; break;
        case 'null': $row = [null]; break;
        default: break;
    }
}

const USES = ['read', 'keep', 'keep changed', 'keep a value', 'keep a key', 'change', 'append', 'append to a copy', 'a letter', 'unset', 'reference', 'reference to all', 'walk', 'by parameter', 'sort', 'pop', 'pointer', 'iterator', 'walked iterator', 'closure', 'object', 'static', 'extract', 'destructure', 'number', 'split', 'collect', 'cycle', 'replace', 'null'];

/** Fetches the next row: a method, a function, or by way of an object. */
function next_row(mysqli_result $result, string $way): ?array
{
    return match ($way) {
        'assoc' => $result->fetch_assoc(),
        'row' => $result->fetch_row(),
        'array' => $result->fetch_array(MYSQLI_ASSOC),
        'both' => $result->fetch_array(),
        'function' => mysqli_fetch_assoc($result),
        'holder' => (new RowHolder)->next($result),
    };
}

const WAYS = ['assoc', 'assoc', 'assoc', 'row', 'array', 'both', 'function', 'holder'];

/** A value as text, for closures what they return, for references what they refer to. */
function told(mixed $value): string
{
    return match (true) {
        $value instanceof Closure => 'closure ' . json_encode($value()),
        $value instanceof ArrayIterator => 'iterator ' . json_encode([$value->key(), $value->getArrayCopy()]),
        default => (string) json_encode($value, JSON_PARTIAL_OUTPUT_ON_ERROR),
    };
}

/** Walks through the rows of a query as the seed says; what was kept of them, and each row as it came. */
function loop_rows(mysqli $db, string $sql, int $seed): string
{
    mt_srand($seed);
    $any = fn(array $all): string => $all[mt_rand(0, count($all) - 1)];
    $is_buffered = mt_rand(0, 2) > 0;
    $uses = [];
    for ($i = mt_rand(1, 4); $i > 0; $i--) {
        $uses[] = $any(USES);
    }
    $ways = mt_rand(0, 3) > 0 ? [$any(WAYS)] : [$any(WAYS), $any(WAYS)];
    // What is done with most rows, and now and then something else.
    $rare = mt_rand(2, 40);
    $result = $db->query($sql, $is_buffered ? MYSQLI_STORE_RESULT : MYSQLI_USE_RESULT);
    $kept = $seen = [];
    RowHolder::$last = [];
    switch (mt_rand(0, 5)) {
        case 0:
            foreach ($result as $row) {
                $seen[] = told($row);
                use_row(mt_rand(0, $rare) > 0 ? $uses[0] : $any($uses), $row, $kept);
            }
            break;
        case 1:
            foreach (rows_of($result) as $row) {
                $seen[] = told($row);
                use_row(mt_rand(0, $rare) > 0 ? $uses[0] : $any($uses), $row, $kept);
            }
            break;
        case 2:
            // Two rows at a time.
            while (($row = next_row($result, $any($ways))) && ($second = next_row($result, $any($ways)))) {
                $seen[] = told([$row, $second]);
                use_row($any($uses), $row, $kept);
                use_row($any($uses), $second, $kept);
                if (mt_rand(0, $rare) === 0) {
                    [$row, $second] = [$second, $row];
                }
            }
            break;
        default:
            while ($row = next_row($result, mt_rand(0, $rare) > 0 ? $ways[0] : $any($ways))) {
                $seen[] = told($row);
                use_row(mt_rand(0, $rare) > 0 ? $uses[0] : $any($uses), $row, $kept);
                if ($is_buffered && mt_rand(0, 30) === 0) {
                    $result->data_seek(mt_rand(0, $result->num_rows - 1));
                    if (mt_rand(0, 2) === 0) {
                        break;
                    }
                }
                if (mt_rand(0, 60) === 0) {
                    unset($row);
                }
                if (count($seen) > 400) {
                    break;
                }
            }
    }
    if (mt_rand(0, 1)) {
        unset($result);
    }
    if (mt_rand(0, 1)) {
        unset($row);
    }
    return md5(implode("\n", $seen)) . md5(implode("\n", array_map(told(...), $kept))) . md5(told(RowHolder::$last));
}
