/* The table of what was counted: who asked by which function, how often, and for how much.
 *
 * It begins in this library's own memory, for a process allocates before any constructor runs. The constructor puts it into the file and maps that to the same place. An entry is
 * found by a hash of who asks and never goes away; a new one is published by one atomic operation, so that nobody waits for a thread or a process that was killed on the way.
 */

#define _GNU_SOURCE
#include "counts.h"
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

enum { PAGE_BYTES = 4096 };

static struct counts counts __attribute__((aligned(PAGE_BYTES)));
static unsigned frames_asked = 1, stretch;
static int marks_asked;
/* Whether this process is known to be none that counts: another program that the counted one has started. */
static int is_off;
/* Whether this thread is in here already: the unwinder may allocate. */
static __thread int is_inside __attribute__((tls_model("initial-exec")));

static uint64_t add(uint64_t *to, uint64_t what) { return __atomic_fetch_add(to, what, __ATOMIC_RELAXED); }

/* The frames above this library's own, the first of which returns to `nearest`. */
struct walk {
    uint64_t *frames;
    unsigned found;
    uint64_t nearest;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *given) {
    struct walk *walk = given;
    uint64_t address = _Unwind_GetIP(context);
    if (walk->found || address == walk->nearest)
        walk->frames[walk->found++] = address;
    return walk->found < frames_asked ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Of those who give back only the nearest: nobody asks for more. */
static void find_frames(uint64_t frames[FRAMES], enum function function, void *caller) {
    if (frames_asked > 1 && function != FREE && function != MUNMAP && function != EFREE) {
        struct walk walk = {frames, 0, (uint64_t)caller};
        is_inside = 1;
        _Unwind_Backtrace(step, &walk);
        is_inside = 0;
    }
    frames[0] = (uint64_t)caller;
}

static int note_object(struct dl_phdr_info *object, size_t bytes, void *unused) {
    (void)bytes, (void)unused;
    struct object it = {.begin = UINT64_MAX, .bias = object->dlpi_addr};
    for (int at = 0; at < object->dlpi_phnum; at++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[at];
        if (segment->p_type != PT_LOAD)
            continue;
        uint64_t begin = it.bias + segment->p_vaddr, end = begin + segment->p_memsz;
        it.begin = begin < it.begin ? begin : it.begin;
        it.end = end > it.end ? end : it.end;
    }
    /* A path longer than there is room for loses its end, and can't be opened then. The program itself has none; if the loader was called by hand, that is the process's executable. */
    const char *path = *object->dlpi_name ? object->dlpi_name : program_invocation_name;
    if (path == object->dlpi_name || !getauxval(AT_BASE) || readlink("/proc/self/exe", it.path, PATH_BYTES - 1) < 0)
        strncpy(it.path, path, PATH_BYTES - 1);
    uint64_t used = __atomic_load_n(&counts.objects_used, __ATOMIC_RELAXED);
    for (uint64_t at = 0; at < used && at < OBJECTS; at++)
        if (!memcmp(&counts.objects[at], &it, sizeof it))
            return 0;
    uint64_t at = add(&counts.objects_used, 1);
    if (at < OBJECTS)
        counts.objects[at] = it;
    return 0;
}

/* Writes down which objects are loaded that were not there before. */
static void note_objects(void) {
    is_inside = 1;
    dl_iterate_phdr(note_object, NULL);
    is_inside = 0;
}

/* An object that is opened at run time is noted when a call first comes from it: then it is there, whoever opened it. The constructor notes those that are there before. */
static void note_unless_known(const uint64_t frames[FRAMES]) {
    for (int frame = 0; counts.pid && frame < FRAMES && frames[frame]; frame++) {
        uint64_t used = __atomic_load_n(&counts.objects_used, __ATOMIC_RELAXED);
        int is_known = 0;
        for (uint64_t at = 0; at < used && at < OBJECTS && !is_known; at++)
            is_known = counts.objects[at].begin <= frames[frame] && frames[frame] <= counts.objects[at].end;
        if (!is_known)
            note_objects();
    }
}

/* The entry of this function, stretch and size with these frames. */
static struct entry *find(unsigned function, unsigned size, const uint64_t frames[FRAMES]) {
    uint64_t what = function | stretch << 8 | size << 16, hash = what, made = 0;
    for (int at = 0; at < FRAMES; at++)
        hash = (hash ^ frames[at] ^ hash >> 32) * 0x9E3779B97F4A7C15;
    for (uint64_t at = hash >> 32;; at++) {
        uint64_t *slot = &counts.slots[at % SLOTS], found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        struct entry *entry;
        if (!found) {
            if (!made) {
                if (__atomic_load_n(&counts.entries_used, __ATOMIC_RELAXED) >= ENTRIES || (made = add(&counts.entries_used, 1) + 1) > ENTRIES) {
                    entry = &counts.unnamed[(stretch * FUNCTIONS + function) * SIZES + size];
                    entry->what = what;
                    return entry;
                }
                entry = &counts.entries[made - 1];
                entry->what = what;
                memcpy(entry->frames, frames, sizeof entry->frames);
                note_unless_known(frames);
            }
            if (__atomic_compare_exchange_n(slot, &found, made, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
                return &counts.entries[made - 1];
        }
        /* If another thread was first with the same, the one made here stays empty. */
        entry = &counts.entries[found - 1];
        if (entry->what == what && !memcmp(entry->frames, frames, sizeof entry->frames))
            return entry;
    }
}

void count(enum function function, size_t bytes, void *caller) {
    if (is_inside || is_off)
        return;
    look_for_zend();
    if (marks_asked && !stretch)
        return;
    uint64_t frames[FRAMES] = {0};
    find_frames(frames, function, caller);
    unsigned size = bytes ? 64 - __builtin_clzl(bytes) : 0;
    struct entry *entry = find(function, size < SIZES ? size : SIZES - 1, frames);
    add(&entry->calls, 1);
    add(&entry->bytes, bytes);
}

void begin_stretch(unsigned begun) { stretch = begun; }
int has_marks(void) { return marks_asked; }
void count_process(void) { add(&counts.processes, 1); }
void note_zend(enum zend state) { counts.zend = state; }

/* Opens the file of this process. Another program that the same process was has left one: it is put away, and not written anew, for a process that was forked may count in it. What
 * another process has made stays its own: -1. */
static int make_file(const char *path) {
    uint64_t before[2]; /* the layout and the process */
    int old = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (old >= 0) {
        int is_own = read(old, before, sizeof before) == sizeof before && !memcmp(before, LAYOUT, sizeof before[0]) && before[1] == counts.pid;
        close(old);
        if (!is_own || unlink(path))
            return -1;
    }
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

/* Has the table stand in the file from now on. Its blocks are asked for first: a full disk would end the process later, in the middle of its work. Whether that went well. */
static int map_file(int file) {
    size_t used = offsetof(struct counts, entries) + counts.entries_used * sizeof *counts.entries;
    struct rlimit limit; /* past it there is a signal */
    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur < sizeof counts)
        return 0;
    if (posix_fallocate(file, 0, sizeof counts) || pwrite(file, &counts, used, 0) != (ssize_t)used)
        return 0;
    return syscall(SYS_mmap, &counts, sizeof counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == (long)&counts;
}

/* VAQUITA_ALLOCATIONS is how many frames, `m` for marks or `-`, `z` for Zend's allocator or `-`, and the path of the file. */
__attribute__((constructor)) static void begin(void) {
    const char *given = getenv("VAQUITA_ALLOCATIONS");
    is_off = 1;
    if (!given || strlen(given) < 4 || given[0] < '1' || given[0] > '0' + FRAMES)
        return;
    memcpy(counts.layout, LAYOUT, sizeof counts.layout);
    counts.pid = getpid();
    counts.processes = 1;
    int file = make_file(given + 3);
    if (file < 0)
        return;
    int arguments = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (arguments >= 0) {
        if (read(arguments, counts.command, COMMAND_BYTES - 1) < 0)
            *counts.command = 0;
        close(arguments);
    }
    note_objects();
    is_off = !map_file(file);
    close(file);
    if (is_off)
        return;
    frames_asked = given[0] - '0';
    marks_asked = given[1] == 'm';
    if (given[2] == 'z')
        watch_zend();
    else
        note_zend(ZEND_NOT_ASKED);
}

__attribute__((destructor)) void note_end(void) {
    if (is_off || (uint64_t)getpid() != counts.pid)
        return;
    note_objects();
    counts.has_ended = 1;
}
