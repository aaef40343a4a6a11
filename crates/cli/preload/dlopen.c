/* Has PHP's extensions call the functions of a library that was loaded before all others:
 *
 *     gcc -O2 -shared -fPIC -o dlopen.so dlopen.c
 *     LD_PRELOAD="./dlopen.so libjemalloc.so.2" php script.php
 *
 * PHP opens them by RTLD_DEEPBIND, so that they look for what they call in their own libraries first, and so past those that were preloaded. An allocator that is preloaded without
 * this gets the calls of PHP and of the C library only, and what one of those has allocated and an extension frees ends the process: Debian's mysqlnd, pdo and dom don't even start.
 */

#define _GNU_SOURCE
#include <dlfcn.h>

void *dlopen(const char *library, int flags) {
    static void *(*real)(const char *, int);
    if (!real)
        real = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return real(library, flags & ~RTLD_DEEPBIND);
}
