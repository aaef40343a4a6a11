/* Asks for memory in known ways, for tests/alloc.rs to find: its argument says which. What is between the marks is all that is counted. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, EACH = 20000, PROCESSES = 4 };
#define KEEP __attribute__((noinline, noclone))

/* The compiler knows malloc() and leaves out what nobody looks at: hence volatile. */

KEEP static void leaf(size_t bytes) {
    void *volatile made = malloc(bytes);
    free(made);
}

KEEP static void every_function(void) {
    void *volatile last;
    last = malloc(100);
    last = realloc(last, 1000);
    free(last);
    free(NULL);
    last = calloc(3, 50);
    free(last);
    last = reallocarray(NULL, 4, 5);
    free(last);
    last = malloc(0);
    free(last);
    last = memalign(64, 200);
    free(last);
    last = aligned_alloc(64, 256);
    free(last);
    last = valloc(300);
    free(last);
    last = pvalloc(301);
    free(last);
    void *made = NULL;
    if (posix_memalign(&made, 4096, 5000) || (size_t)made % 4096 || posix_memalign(&made, 3, 1) == 0)
        abort();
    free(made);
    volatile size_t huge = (size_t)-1;
    if (calloc(huge, 2) || reallocarray(NULL, huge, 2) || malloc(huge))
        abort();
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pages = mremap(pages, 8192, 1 << 20, MREMAP_MAYMOVE);
    pages[(1 << 20) - 1] = 1;
    munmap(pages, 1 << 20);
}

KEEP static void *ask_often(void *unused) {
    (void)unused;
    for (int i = 0; i < EACH; i++)
        leaf(1 + i % 4);
    return NULL;
}

static void threads(void) {
    pthread_t threads[THREADS];
    for (int at = 0; at < THREADS; at++)
        pthread_create(&threads[at], NULL, ask_often, NULL);
    for (int at = 0; at < THREADS; at++)
        pthread_join(threads[at], NULL);
}

static void forks(void) {
    for (int at = 0; at < PROCESSES; at++)
        if (!fork()) {
            ask_often(NULL);
            if (at == 0)
                raise(SIGKILL);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

/* 5 functions that call each other: 5 to the power of 7 ways to get to a call. */
static void (*const TURNS[])(int, int);
#define WAY(name)                                        \
    KEEP static void name(int depth, int turns) {        \
        if (depth)                                       \
            TURNS[turns % 5](depth - 1, turns / 5);      \
        else                                             \
            leaf(10);                                    \
        __asm__ volatile(""); /* or it were a jump */    \
    }
WAY(one)
WAY(two)
WAY(three)
WAY(four)
WAY(five)
static void (*const TURNS[])(int, int) = {one, two, three, four, five};

static void ways(void) {
    for (int turns = 0; turns < 5 * 5 * 5 * 5 * 5 * 5 * 5; turns++)
        TURNS[turns % 5](6, turns / 5);
}

/* A shared object that is gone when the process ends. */
static void library(const char *path) {
    void *opened = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    void (*ask)(void) = (void (*)(void))dlsym(opened, "ask");
    umask(0701);
    ask();
    umask(0700);
    dlclose(opened);
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    if (!strcmp(what, "library")) {
        library(arguments[2]);
        return 0;
    }
    leaf(7);
    umask(0701);
    if (!strcmp(what, "every"))
        every_function();
    else if (!strcmp(what, "threads"))
        threads();
    else if (!strcmp(what, "forks"))
        forks();
    else if (!strcmp(what, "ways"))
        ways();
    else if (!strcmp(what, "killed")) {
        ask_often(NULL);
        raise(SIGKILL);
    } else if (!strcmp(what, "stretches")) {
        leaf(10);
        umask(0700);
        leaf(10);
        umask(0703);
        leaf(1000);
    } else if (!strcmp(what, "waits")) {
        leaf(10);
        printf("%d\n", getpid());
        fflush(stdout);
        pause();
    }
    umask(0700);
    return 3;
}
