/* A shared object that asks.c opens: what it asks for is counted as its own, though it is opened in a way that leads past libraries that were loaded before, and closed again. */

#include <stdlib.h>

void ask(void) {
    void *volatile made = malloc(123);
    free(made);
}
