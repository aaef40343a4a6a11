/* Stands before the C library's functions that allocate, and counts who calls them. The library is loaded before all others (crates/cli/build.rs makes it, crates/cli/src/alloc says
 * what for).
 *
 * What the C library does for itself inside malloc (mmap, brk) is not seen; the calls that made it do so are. Nor are system calls that a program makes without the C library.
 *
 * Where only what happens between marks is to be counted, a mark is a call that every program can make and none needs: umask(0701) begins the first stretch, umask(0702) the second,
 * and so on; umask(0700) ends one.
 */

#define _GNU_SOURCE
#include "counts.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLER __builtin_return_address(0)

enum { FIRST_MARK = 0700 };
_Static_assert(sizeof(off_t) == 8, "for machines of 64 bits");

/* The C library's own, by the names under which it also has them. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void *__libc_valloc(size_t);
extern void *__libc_pvalloc(size_t);
extern void __libc_free(void *);
extern pid_t __fork(void);

mode_t umask(mode_t mask) {
    if (has_marks() && mask >= FIRST_MARK && mask < FIRST_MARK + STRETCHES) {
        begin_stretch(mask - FIRST_MARK);
        return 022;
    }
    return (mode_t)syscall(SYS_umask, mask);
}

pid_t fork(void) {
    pid_t made = __fork();
    if (!made)
        count_process();
    return made;
}

void _exit(int code) {
    note_end();
    for (;;)
        syscall(SYS_exit_group, code);
}

void _Exit(int code) { _exit(code); }

void *malloc(size_t bytes) {
    count(MALLOC, bytes, CALLER);
    return __libc_malloc(bytes);
}

/* What is asked for, also if that is more than there can be. */
static size_t product(size_t members, size_t bytes) {
    size_t all;
    return __builtin_mul_overflow(members, bytes, &all) ? SIZE_MAX : all;
}

void *calloc(size_t members, size_t bytes) {
    count(CALLOC, product(members, bytes), CALLER);
    return __libc_calloc(members, bytes);
}

void *realloc(void *old, size_t bytes) {
    count(REALLOC, bytes, CALLER);
    return __libc_realloc(old, bytes);
}

void *reallocarray(void *old, size_t members, size_t bytes) {
    size_t all = product(members, bytes);
    count(REALLOC, all, CALLER);
    return __libc_realloc(old, all); /* SIZE_MAX is more than it ever gives: ENOMEM */
}

void *memalign(size_t alignment, size_t bytes) {
    count(MEMALIGN, bytes, CALLER);
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    count(MEMALIGN, bytes, CALLER);
    return __libc_memalign(alignment, bytes);
}

void *valloc(size_t bytes) {
    count(MEMALIGN, bytes, CALLER);
    return __libc_valloc(bytes);
}

void *pvalloc(size_t bytes) {
    count(MEMALIGN, bytes, CALLER);
    return __libc_pvalloc(bytes);
}

int posix_memalign(void **made, size_t alignment, size_t bytes) {
    count(MEMALIGN, bytes, CALLER);
    if (alignment % sizeof(void *) || !alignment || alignment & (alignment - 1))
        return EINVAL;
    int before = errno; /* which this one leaves as it is */
    void *memory = __libc_memalign(alignment, bytes);
    errno = before;
    if (memory)
        *made = memory;
    return memory ? 0 : ENOMEM;
}

void free(void *memory) {
    if (memory)
        count(FREE, 0, CALLER);
    __libc_free(memory);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    count(MMAP, bytes, CALLER);
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    count(MMAP, bytes, CALLER);
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

int munmap(void *address, size_t bytes) {
    count(MUNMAP, bytes, CALLER);
    return (int)syscall(SYS_munmap, address, bytes);
}

void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...) {
    va_list more;
    va_start(more, flags);
    void *fixed = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
    va_end(more);
    count(MREMAP, bytes, CALLER);
    return (void *)syscall(SYS_mremap, old, old_bytes, bytes, flags, fixed);
}
