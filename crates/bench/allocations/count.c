/* Counts what a process asks the C library and the kernel for: calls and bytes, by powers of two. It is loaded before all other libraries:
 *
 *     gcc -O2 -shared -fPIC -o count.so count.c dlopen.c
 *     LD_PRELOAD=./count.so VAQUITA_ALLOCATIONS=counts php queries.php mysqli
 *
 * Only what happens between two marks is counted. A mark is a call that every program can make and none needs: umask(0701) begins the first
 * stretch, umask(0702) the second, and so on; umask(0700) ends one. At the end of the process the file has a line for each stretch, function and
 * size: `stretch function least-bytes calls bytes`. A process that makes no marks writes none.
 *
 * What the C library does for itself inside malloc (mmap, brk) is not seen; the calls that made it do so are.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST_MARK = 0700, STRETCHES = 8, SIZES = 65 };
enum function { MALLOC, CALLOC, REALLOC, MEMALIGN, FREE, MMAP, MUNMAP, MREMAP, FUNCTIONS };
static const char *const NAMES[FUNCTIONS] = {"malloc", "calloc", "realloc", "memalign", "free", "mmap", "munmap", "mremap"};

/* The C library's own, by the names under which it also has them. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static int stretch, was_marked;
static struct { unsigned long calls, bytes; } counts[STRETCHES][FUNCTIONS][SIZES];

static void count(enum function function, size_t bytes) {
    int now = __atomic_load_n(&stretch, __ATOMIC_RELAXED);
    if (!now)
        return;
    int size = bytes ? 64 - __builtin_clzl(bytes) : 0;
    __atomic_fetch_add(&counts[now][function][size].calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counts[now][function][size].bytes, bytes, __ATOMIC_RELAXED);
}

mode_t umask(mode_t mask) {
    if (mask >= FIRST_MARK && mask < FIRST_MARK + STRETCHES) {
        was_marked = 1;
        __atomic_store_n(&stretch, (int)(mask - FIRST_MARK), __ATOMIC_RELAXED);
        return 022;
    }
    return (mode_t)syscall(SYS_umask, mask);
}

void *malloc(size_t bytes) {
    count(MALLOC, bytes);
    return __libc_malloc(bytes);
}

void *calloc(size_t members, size_t bytes) {
    count(CALLOC, members * bytes);
    return __libc_calloc(members, bytes);
}

void *realloc(void *old, size_t bytes) {
    count(REALLOC, bytes);
    return __libc_realloc(old, bytes);
}

void *reallocarray(void *old, size_t members, size_t bytes) {
    size_t all;
    if (__builtin_mul_overflow(members, bytes, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, all);
}

void *memalign(size_t alignment, size_t bytes) {
    count(MEMALIGN, bytes);
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **made, size_t alignment, size_t bytes) {
    void *memory = memalign(alignment, bytes);
    if (memory)
        *made = memory;
    return memory ? 0 : ENOMEM;
}

void free(void *memory) {
    if (memory)
        count(FREE, 0);
    __libc_free(memory);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    count(MMAP, bytes);
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    return mmap(address, bytes, protection, flags, file, offset);
}

int munmap(void *address, size_t bytes) {
    count(MUNMAP, bytes);
    return (int)syscall(SYS_munmap, address, bytes);
}

void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *fixed = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    count(MREMAP, bytes);
    return (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, fixed);
}

/* PHP has thrown its environment away before the destructor runs. */
static char path[4096];

__attribute__((constructor)) static void note_path(void) {
    const char *given = getenv("VAQUITA_ALLOCATIONS");
    if (given && strlen(given) < sizeof path)
        strcpy(path, given);
}

__attribute__((destructor)) static void write_down(void) {
    stretch = 0;
    if (!was_marked || !*path)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return;
    for (int at = 1; at < STRETCHES; at++)
        for (int function = 0; function < FUNCTIONS; function++)
            for (int size = 0; size < SIZES; size++)
                if (counts[at][function][size].calls)
                    dprintf(file, "%d %s %lu %lu %lu\n", at, NAMES[function], size ? 1UL << (size - 1) : 0UL, counts[at][function][size].calls,
                            counts[at][function][size].bytes);
    close(file);
}
