/* Has PHP's own allocator tell of its work. Calls of emalloc inside of PHP go by no table that a library could change, so the allocator itself is asked: it has a place for functions
 * that are called instead of it. Those that are put there count, and have it do its work.
 *
 * While they are there PHP frees at the end of a request all that it has made, one by one, as it does with USE_ZEND_ALLOC=0; otherwise it lets go of whole chunks. What it forgets then stays, so
 * a process that serves many requests grows. The limit on its memory holds, but it does not collect its half-empty chunks before it says that there is none left.
 */

#include "counts.h"
#include <stdlib.h>

typedef void *heap;
/* PHP's: there if the program has them, in a PHP that is no library itself. */
extern heap zend_mm_get_heap(void) __attribute__((weak));
extern void zend_mm_get_custom_handlers(heap, void *(**)(size_t), void (**)(void *), void *(**)(void *, size_t)) __attribute__((weak));
extern void zend_mm_set_custom_handlers(heap, void *(*)(size_t), void (*)(void *), void *(*)(void *, size_t)) __attribute__((weak));
extern void *_zend_mm_alloc(heap, size_t) __attribute__((weak));
extern void *_zend_mm_realloc(heap, void *, size_t) __attribute__((weak));
extern void _zend_mm_free(heap, void *) __attribute__((weak));
/* Only a PHP with threads has the first, and only one for debugging the second. */
extern void *tsrm_get_ls_cache(void) __attribute__((weak));
extern void zend_mm_set_custom_debug_handlers(void) __attribute__((weak));

static int is_wanted;

/* PHP calls these in its function's place, so whoever called that is the caller. */
static void *counted_malloc(size_t bytes) {
    count(EMALLOC, bytes, __builtin_return_address(0));
    return _zend_mm_alloc(zend_mm_get_heap(), bytes);
}

static void *counted_realloc(void *old, size_t bytes) {
    count(EREALLOC, bytes, __builtin_return_address(0));
    return _zend_mm_realloc(zend_mm_get_heap(), old, bytes);
}

static void counted_free(void *memory) {
    /* When the process ends PHP gives back the heap itself, which stands in its own first chunk. */
    if (!memory || memory == zend_mm_get_heap())
        return;
    count(EFREE, 0, __builtin_return_address(0));
    _zend_mm_free(zend_mm_get_heap(), memory);
}

void watch_zend(void) {
    if (!zend_mm_get_heap || !zend_mm_get_custom_handlers || !zend_mm_set_custom_handlers || !_zend_mm_alloc || !_zend_mm_realloc || !_zend_mm_free)
        return;
    if (tsrm_get_ls_cache)
        note_zend(ZEND_THREADS);
    else if (zend_mm_set_custom_debug_handlers)
        note_zend(ZEND_DEBUG);
    else
        is_wanted = 1;
}

void look_for_zend(void) {
    heap heap = is_wanted ? zend_mm_get_heap() : NULL;
    if (!heap)
        return;
    is_wanted = 0;
    void *(*others_malloc)(size_t) = NULL;
    void (*others_free)(void *) = NULL;
    void *(*others_realloc)(void *, size_t) = NULL;
    zend_mm_get_custom_handlers(heap, &others_malloc, &others_free, &others_realloc);
    if (others_malloc || others_free || others_realloc) {
        note_zend(ZEND_REPLACED); /* USE_ZEND_ALLOC=0 */
        return;
    }
    zend_mm_set_custom_handlers(heap, counted_malloc, counted_free, counted_realloc);
    note_zend(ZEND_SEEN);
}
