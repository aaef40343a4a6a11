<?php
/*
 * How a process is: its memory, open descriptors and threads, as the system tells.
 */

declare(strict_types=1);

final class Vitals
{
    private static ?FFI $library = null;

    /**
     * Of this process, where a step has ended and nothing is held but what is kept. Memory in KiB: `heap` is what is in use of the C library's heap, where the driver's own memory
     * is, `rss` what the process has once the C library has given back what nobody uses, and `peak` the most that it ever had. Without FFI there is no `heap`, and `rss` has all of that.
     * `php` is PHP's own heap: pieces of 2 MiB, which it keeps as long as one byte in them is in use; `used` is what is; and `rest` is `rss` without those pieces, which come and go.
     *
     * @return array{rss: int, rest: int, php: int, used: int, peak: int, descriptors: int, threads: int, heap: ?int}
     */
    public static function own(): array
    {
        gc_collect_cycles();
        gc_mem_caches();
        $heap = null;
        if (extension_loaded('ffi')) {
            self::$library ??= FFI::cdef('struct mallinfo2 { size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; }; struct mallinfo2 mallinfo2(void); int malloc_trim(size_t);');
            self::$library->malloc_trim(0);
            $info = self::$library->mallinfo2();
            $heap = ($info->uordblks + $info->hblkhd) >> 10;
        }
        $status = file_get_contents('/proc/self/status');
        $found = fn(string $name) => preg_match("/^$name:\s+(\d+)/m", $status, $match) ? (int) $match[1] : throw new RuntimeException("no $name in $status");
        $php = memory_get_usage(true) >> 10;
        return ['rss' => $found('VmRSS'), 'rest' => $found('VmRSS') - $php, 'php' => $php, 'used' => memory_get_usage() >> 10, 'peak' => $found('VmHWM'), 'descriptors' => count(scandir('/proc/self/fd')) - 3, 'threads' => $found('Threads'), 'heap' => $heap];
    }
}
