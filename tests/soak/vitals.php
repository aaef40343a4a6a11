<?php
/*
 * How a process is: its memory, open descriptors and threads, as the system tells.
 */

declare(strict_types=1);

final class Vitals
{
    /** @return array{rss: int, descriptors: int, threads: int} memory in KiB */
    public static function of(int|string $process): array
    {
        preg_match('/^VmRSS:\s+(\d+) kB$/m', $status = file_get_contents("/proc/$process/status"), $rss);
        preg_match('/^Threads:\s+(\d+)$/m', $status, $threads);
        return ['rss' => (int) $rss[1], 'descriptors' => count(scandir("/proc/$process/fd")) - 2, 'threads' => (int) $threads[1]];
    }

    /** What is in use of the C library's heap, in KiB: there the driver's own memory is. RSS has what was given back to the heap, too, which stays for whoever needs it next. */
    public static function heap(): ?int
    {
        if (!extension_loaded('ffi')) {
            return null;
        }
        static $library = null;
        $library ??= FFI::cdef('struct mallinfo2 { size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; }; struct mallinfo2 mallinfo2(void);');
        $info = $library->mallinfo2();
        return ($info->uordblks + $info->hblkhd) >> 10;
    }

    /** When a worker sleeps again, as the one that has answered a request does a moment later. */
    public static function of_sleeping(int $process): array
    {
        for ($until = microtime(true) + 0.2; microtime(true) < $until && !str_contains(file_get_contents("/proc/$process/stat"), ') S '); usleep(500)) {
        }
        return self::of($process);
    }
}
