/* What examples/persistent.php does without persistent connections, in C with libmariadb: what is left of it is the server's and the network's.
 *
 *     gcc -O2 $(mariadb_config --include) -o persistent examples/persistent.c $(mariadb_config --libs)
 *     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=test ./persistent select new 0.5s
 *
 * The connection is described as connect.h says.
 */

#include "connect.h"
#include <stdint.h>
#include <string.h>
#include <time.h>

/* As in persistent.php. */
static const char *const PAGE[] = {
    "SET NAMES utf8mb4",
    "SELECT value FROM persistent_demo WHERE name = 'title 7'",
    "SELECT id, name FROM persistent_demo ORDER BY id DESC LIMIT 10",
    "SELECT name, value FROM persistent_demo WHERE id = 42",
    "SELECT COUNT(*) FROM persistent_demo WHERE id > 50",
};
static const int64_t BATCH_NANOSECONDS = 1000000;
static const int64_t WARM_UP_NANOSECONDS = 10000000;
static const int64_t WARM_UP_TIMES = 3;

static void ask(MYSQL *db, const char *sql) {
    if (mysql_real_query(db, sql, strlen(sql)))
        fail(mysql_error(db));
    MYSQL_RES *result = mysql_store_result(db);
    if (!result && mysql_field_count(db))
        fail(mysql_error(db));
    if (result) {
        while (mysql_fetch_row(result)) {}
        mysql_free_result(result);
    }
}

static void connect_new(void) {
    MYSQL db;
    open_connection(&db);
    mysql_close(&db);
}

static void select_new(void) {
    MYSQL db;
    open_connection(&db);
    ask(&db, "SELECT 1");
    mysql_close(&db);
}

static void page_new(void) {
    MYSQL db;
    open_connection(&db);
    for (size_t i = 0; i < sizeof PAGE / sizeof *PAGE; i++)
        ask(&db, PAGE[i]);
    mysql_close(&db);
}

static MYSQL opened;

static void select_open(void) { ask(&opened, "SELECT 1"); }

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* How often, in at least so many nanoseconds and at least so many times. */
static int64_t run(void (*once)(void), int64_t for_nanoseconds, int64_t times) {
    int64_t done = 0, batch = 1, now = nanoseconds(CLOCK_MONOTONIC), end = now + for_nanoseconds;
    while (now < end || done < times) {
        int64_t begun = now;
        if (now >= end && batch > times - done)
            batch = times - done;
        for (int64_t i = 0; i < batch; i++)
            once();
        done += batch;
        now = nanoseconds(CLOCK_MONOTONIC);
        if (now - begun < BATCH_NANOSECONDS)
            batch *= 2;
    }
    return done;
}

int main(int count, char **arguments) {
    static const struct {
        const char *what, *kind;
        void (*once)(void);
    } loops[] = {
        {"connect", "new", connect_new},
        {"select", "new", select_new},
        {"page", "new", page_new},
        {"select", "open", select_open},
    };
    void (*once)(void) = NULL;
    for (size_t i = 0; count == 4 && i < sizeof loops / sizeof *loops; i++)
        if (!strcmp(arguments[1], loops[i].what) && !strcmp(arguments[2], loops[i].kind))
            once = loops[i].once;
    char *unit = NULL;
    double how_long = once ? strtod(arguments[3], &unit) : 0;
    if (how_long <= 0 || (strcmp(unit, "") && strcmp(unit, "s"))) {
        fprintf(stderr, "usage: persistent connect|select|page new SECONDSs|TIMES\n       persistent select open SECONDSs|TIMES\n");
        return 2;
    }
    if (once == select_open)
        open_connection(&opened);
    int64_t for_nanoseconds = 0, times = (int64_t)how_long;
    if (*unit) {
        for_nanoseconds = (int64_t)(how_long * 1e9);
        times = 1;
        run(once, WARM_UP_NANOSECONDS, WARM_UP_TIMES);
    }
    int64_t cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), start = nanoseconds(CLOCK_MONOTONIC);
    int64_t done = run(once, for_nanoseconds, times);
    int64_t wall = nanoseconds(CLOCK_MONOTONIC) - start;
    cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("{\"times\":%lld,\"wall_ms\":%f,\"cpu_ms\":%f}\n", (long long)done, (double)wall / 1e6, (double)cpu / 1e6);
    return 0;
}
