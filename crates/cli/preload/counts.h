/* What a process has asked for, and how it stands in the file that `vaquita alloc` reads (crates/cli/src/alloc/counts.rs): numbers are the machine's.
 *
 * The file is mapped by the process and by those that it forks, who all count in it. So what was counted outlives whoever is killed.
 */

#ifndef COUNTS_H
#define COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Another layout has another number at the end. */
#define LAYOUT "VAQALLO1"

enum {
    COMMAND_BYTES = 1024,
    PATH_BYTES = 232,
    OBJECTS = 1024,  /* shared objects; a PHP with all that Debian has for it has 200 */
    FRAMES = 8,      /* the callers that an entry tells apart, at most */
    SIZES = 48,      /* none, then a power of two each; the last has all above */
    STRETCHES = 8,   /* between the marks; 0 is what is outside of them */
    ENTRIES = 65536, /* a PHP has some 2,000 with one caller each, 20,000 with eight */
    SLOTS = 131072   /* of the hash table; never full, since there are fewer entries */
};

enum function { MALLOC, CALLOC, REALLOC, MEMALIGN, FREE, MMAP, MUNMAP, MREMAP, EMALLOC, EREALLOC, EFREE, FUNCTIONS };

/* What became of the wish to see PHP's own allocator. */
enum zend { ZEND_ABSENT, ZEND_SEEN, ZEND_NOT_ASKED, ZEND_REPLACED, ZEND_THREADS, ZEND_DEBUG };

struct object {
    uint64_t begin, end; /* where it is in memory */
    uint64_t bias;       /* how far from the addresses in its file */
    char path[PATH_BYTES];
};

struct entry {
    uint64_t what;           /* the function, its stretch and its size, a byte each from the lowest on */
    uint64_t frames[FRAMES]; /* return addresses, the nearest first; 0: no more */
    uint64_t calls, bytes;
};

struct counts {
    char layout[8];
    uint64_t pid;       /* of the process that was counted first */
    uint64_t processes; /* it and those that were forked, by itself or by those */
    uint64_t has_ended; /* whether it came to its end by exit() or from main() */
    uint64_t zend;
    uint64_t objects_used, entries_used; /* may be more than there are; of the entries only those that were added */
    char command[COMMAND_BYTES]; /* its arguments, each with a NUL behind it */
    struct object objects[OBJECTS];
    uint64_t slots[SLOTS]; /* the number of an entry, from 1; 0: none */
    struct entry unnamed[STRETCHES * FUNCTIONS * SIZES]; /* without frames: callers for whom there was no entry left */
    struct entry entries[ENTRIES];
};

#pragma GCC visibility push(hidden) /* these are nobody else's */

/* Counts a call from this place. Never allocates, never waits, and may be called from signal handlers. */
void count(enum function function, size_t bytes, void *caller);
/* Which stretch is counted from now on. */
void begin_stretch(unsigned stretch);
/* Whether marks are heeded. */
int has_marks(void);
/* Says that there is one process more, which maps the file. */
void count_process(void);
/* Says that this process ends by itself. */
void note_end(void);
/* Has PHP's allocator tell of its work, as soon as it is there: whoever counts a call looks for it. */
void watch_zend(void);
void look_for_zend(void);
void note_zend(enum zend state);

#pragma GCC visibility pop

#endif
