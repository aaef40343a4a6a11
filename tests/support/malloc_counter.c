/*
 * A second opinion on how often a program calls malloc, calloc and realloc, for tests of `vaquita alloc`, with which it shares nothing. It is loaded by LD_PRELOAD and writes the three
 * numbers into the file that MALLOC_COUNTER names. It sees what PHP's extensions call because PHP is kept from opening them with RTLD_DEEPBIND.
 *
 *     gcc -shared -fPIC -o counter.so malloc_counter.c
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_ulong mallocs, callocs, reallocs;

/* The function of this name that would have been called without us. dlsym() allocates nothing as long as it finds what it looks for. */
#define NEXT(result, name, ...)                              \
    static result (*next)(__VA_ARGS__);                      \
    if (!next)                                               \
        next = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

void *malloc(size_t size) {
    NEXT(void *, "malloc", size_t);
    mallocs++;
    return next(size);
}

void *calloc(size_t count, size_t size) {
    NEXT(void *, "calloc", size_t, size_t);
    callocs++;
    return next(count, size);
}

void *realloc(void *block, size_t size) {
    NEXT(void *, "realloc", void *, size_t);
    reallocs++;
    return next(block, size);
}

void *dlopen(const char *path, int flags) {
    NEXT(void *, "dlopen", const char *, int);
    return next(path, flags & ~RTLD_DEEPBIND);
}

static pid_t process;
static char path[1024]; /* PHP throws its environment away before the end */

static __attribute__((constructor)) void begin(void) {
    process = getpid();
    strncpy(path, getenv("MALLOC_COUNTER") ?: "", sizeof path - 1);
}

static __attribute__((destructor)) void end(void) {
    int file = getpid() == process ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file >= 0) {
        char text[100];
        int length = snprintf(text, sizeof text, "%lu %lu %lu\n", mallocs, callocs, reallocs);
        if (write(file, text, length) != length)
            abort();
        close(file);
    }
}
