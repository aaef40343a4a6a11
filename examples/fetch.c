/* What examples/fetch.php does, in C with libmariadb: what is left of it is the server's and the C library's. And less: `discard` reads what
 * the server sends into one buffer and looks at packets' headers only, which is the floor for any client.
 *
 *     gcc -O2 $(mariadb_config --include) -o fetch examples/fetch.c $(mariadb_config --libs)
 *     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=test ./fetch store_result customers
 *
 * It prints one line of JSON. The connection is described as connect.h says.
 */

#include "connect.h"
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static double milliseconds(struct timeval time) { return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3; }

/* The most memory that this process ever had, as the kernel counts it. */
static long peak_rss_kib(void) {
    char line[256];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld kB", &kib) == 1)
            break;
    if (status)
        fclose(status);
    return kib;
}

/* Looks at every value of every row, and keeps none. */
static int64_t look_at_rows(MYSQL *db, MYSQL_RES *result) {
    static volatile uint64_t bytes;
    int64_t rows = 0;
    if (!result)
        fail(mysql_error(db));
    unsigned columns = mysql_num_fields(result);
    while (mysql_fetch_row(result)) {
        unsigned long *lengths = mysql_fetch_lengths(result);
        for (unsigned i = 0; i < columns; i++)
            bytes += lengths[i];
        rows++;
    }
    mysql_free_result(result);
    return rows;
}

static int64_t store_result(MYSQL *db, const char *sql) {
    if (mysql_query(db, sql))
        fail(mysql_error(db));
    return look_at_rows(db, mysql_store_result(db));
}

static int64_t use_result(MYSQL *db, const char *sql) {
    if (mysql_query(db, sql))
        fail(mysql_error(db));
    return look_at_rows(db, mysql_use_result(db));
}

/* What has come of a packet's header, and of the first byte of what follows it. */
struct packet {
    unsigned char start[5];
    size_t have, left;
};

/* Reads the answer as bytes: a packet with the number of columns, one for each, an end (not where both sides agreed to have none), the rows, an end. */
static int64_t discard(MYSQL *db, const char *sql) {
    static unsigned char buffer[128 << 10];
    int socket = mysql_get_socket(db);
    size_t length = strlen(sql), used = 0, received = 0;
    unsigned char command[256] = {(unsigned char)(length + 1), (unsigned char)((length + 1) >> 8), 0, 0, 3};
    if (length + 5 > sizeof command)
        fail("the query is too long");
    memcpy(command + 5, sql, length);
    if (send(socket, command, length + 5, 0) != (ssize_t)length + 5)
        fail("the query could not be sent");
    int64_t rows = 0, definitions = -1;
    struct packet packet = {{0}, 0, 0};
    for (;;) {
        if (used == received) {
            ssize_t got = recv(socket, buffer, sizeof buffer, 0);
            if (got <= 0)
                fail("the server has closed");
            used = 0;
            received = (size_t)got;
        }
        if (packet.have < sizeof packet.start) {
            packet.start[packet.have++] = buffer[used++];
            if (packet.have == sizeof packet.start) {
                packet.left = packet.start[0] + ((size_t)packet.start[1] << 8) + ((size_t)packet.start[2] << 16) - 1;
                unsigned char first = packet.start[4];
                if (first == 0xFF)
                    fail("the server refused the query");
                if (definitions < 0)
                    definitions = first;
                else if (definitions > 0)
                    definitions--;
                else if (first != 0xFE)
                    rows++;
            }
        }
        size_t skipped = received - used < packet.left ? received - used : packet.left;
        if (packet.have == sizeof packet.start) {
            used += skipped;
            packet.left -= skipped;
            if (packet.left == 0) {
                packet.have = 0;
                if (definitions == 0 && rows > 0 && packet.start[4] == 0xFE)
                    return rows;
            }
        }
    }
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        int64_t (*fetch)(MYSQL *, const char *);
    } ways[] = {{"store_result", store_result}, {"use_result", use_result}, {"discard", discard}};
    int64_t (*fetch)(MYSQL *, const char *) = NULL;
    for (size_t i = 0; count == 3 && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(arguments[1], ways[i].name))
            fetch = ways[i].fetch;
    char sql[128];
    if (!fetch || (size_t)snprintf(sql, sizeof sql, "SELECT * FROM `%s`", arguments[2]) >= sizeof sql) {
        fprintf(stderr, "usage: fetch store_result|use_result|discard TABLE\n");
        return 2;
    }
    MYSQL db;
    open_connection(&db);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    int64_t start = nanoseconds();
    int64_t rows = fetch(&db, sql);
    int64_t wall = nanoseconds() - start;
    getrusage(RUSAGE_SELF, &after);
    double system = milliseconds(after.ru_stime) - milliseconds(before.ru_stime);
    double user = milliseconds(after.ru_utime) - milliseconds(before.ru_utime);
    printf("{\"way\":\"%s\",\"rows\":%lld,\"wall_ms\":%.6f,\"cpu_ms\":%.3f,\"system_ms\":%.3f,\"peak_rss_kib\":%ld}\n", arguments[1],
           (long long)rows, (double)wall / 1e6, user + system, system, peak_rss_kib());
    mysql_close(&db);
    return 0;
}
