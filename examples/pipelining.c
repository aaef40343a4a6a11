/* What examples/pipelining.php does, by a client that makes nothing of the answers but to see that each is a 1: what the server and the socket can do.
 *
 *     gcc -O2 $(mariadb_config --include) -o pipelining examples/pipelining.c $(mariadb_config --libs)
 *     MYSQL_USER=me MYSQL_PASSWORD=secret MYSQL_DATABASE=test ./pipelining pipelined 1000 0.5s
 *
 * libmariadb logs in; what follows goes over its socket as bytes. The connection is described as connect.h says.
 */

#include "connect.h"
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

/* COM_QUERY, and what is in a packet with the text 1: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query.html */
static const char COMMAND[] = "\x09\0\0\0\x03SELECT 1";
static const size_t COMMAND_BYTES = sizeof COMMAND - 1;
static const char ONE[] = "\x01" "1";
enum { HEADER_BYTES = 4, MOST = 1000 };

static int server;

static void send_all(const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(server, bytes, length, 0);
        if (sent <= 0)
            fail("the commands could not be sent");
        bytes += sent;
        length -= (size_t)sent;
    }
}

/* Reads the answers to so many commands, and gives back how many of them are a 1. Each is the number of columns, their definitions, an end (not where both sides agreed to have
 * none), a row, an end. */
static int64_t read_answers(int64_t count) {
    static unsigned char buffer[128 << 10];
    size_t used = 0, received = 0;
    int64_t ones = 0, rows = 0, definitions = -1;
    while (count > 0) {
        size_t length = 0;
        if (received - used >= HEADER_BYTES)
            length = HEADER_BYTES + buffer[used] + ((size_t)buffer[used + 1] << 8) + ((size_t)buffer[used + 2] << 16);
        if (length > sizeof buffer)
            fail("an answer is too long");
        if (length == 0 || received - used < length) {
            memmove(buffer, buffer + used, received - used);
            received -= used;
            used = 0;
            ssize_t got = recv(server, buffer + received, sizeof buffer - received, 0);
            if (got <= 0)
                fail("the server has closed");
            received += (size_t)got;
            continue;
        }
        const unsigned char *payload = buffer + used + HEADER_BYTES;
        used += length;
        if (length == HEADER_BYTES || payload[0] == 0xFF)
            fail("the server refused a command");
        if (definitions < 0) {
            definitions = payload[0];
        } else if (definitions > 0) {
            definitions--;
        } else if (payload[0] != 0xFE) {
            rows++;
            ones += length == HEADER_BYTES + sizeof ONE - 1 && !memcmp(payload, ONE, sizeof ONE - 1);
        } else if (rows > 0) {
            count--;
            rows = 0;
            definitions = -1;
        }
    }
    return ones;
}

static char commands[MOST * (sizeof COMMAND - 1)];

static int64_t pipelined(int64_t count) {
    send_all(commands, (size_t)count * COMMAND_BYTES);
    return read_answers(count);
}

static int64_t single(int64_t count) {
    int64_t ones = 0;
    for (int64_t i = 0; i < count; i++) {
        send_all(COMMAND, COMMAND_BYTES);
        ones += read_answers(1);
    }
    return ones;
}

static int64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int arguments, char **argument) {
    int64_t (*once)(int64_t) = NULL;
    if (arguments == 4)
        once = !strcmp(argument[1], "single") ? single : !strcmp(argument[1], "pipelined") ? pipelined : NULL;
    int64_t count = once ? atoll(argument[2]) : 0;
    char *unit = NULL;
    double how_long = once ? strtod(argument[3], &unit) : 0;
    if (count <= 0 || count > MOST || how_long <= 0 || (strcmp(unit, "") && strcmp(unit, "s"))) {
        fprintf(stderr, "usage: pipelining single|pipelined COUNT SECONDSs|TIMES\n");
        return 2;
    }
    MYSQL db;
    open_connection(&db);
    server = mysql_get_socket(&db);
    for (int64_t i = 0; i < count; i++)
        memcpy(commands + (size_t)i * COMMAND_BYTES, COMMAND, COMMAND_BYTES);
    int64_t answered = once(count), done = 0;
    int64_t cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), start = nanoseconds(CLOCK_MONOTONIC), now = start;
    while (*unit ? done == 0 || (double)(now - start) < how_long * 1e9 : done < (int64_t)how_long) {
        int64_t ones = once(count);
        answered = ones < answered ? ones : answered;
        done++;
        now = nanoseconds(CLOCK_MONOTONIC);
    }
    cpu = nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("{\"times\":%lld,\"answered\":%lld,\"wall_ms\":%f,\"cpu_ms\":%f}\n", (long long)done, (long long)answered, (double)(now - start) / 1e6, (double)cpu / 1e6);
    mysql_close(&db);
    return 0;
}
