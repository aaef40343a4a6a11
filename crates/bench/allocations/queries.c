/* What queries.php does, in C with libmariadb, for count.c to count: its marks, and the same numbers of queries. */

#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { WARM_UP = 50, QUERIES = 1000 };

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void fail(MYSQL *db) {
    fprintf(stderr, "%s\n", mysql_error(db));
    exit(1);
}

static void ask(MYSQL *db, int times) {
    for (int i = 0; i < times; i++) {
        if (mysql_query(db, "SELECT id, name, price FROM bench_mixed WHERE id <= 3"))
            fail(db);
        MYSQL_RES *result = mysql_store_result(db);
        int rows = 0;
        while (result && mysql_fetch_row(result))
            rows++;
        if (rows != 3)
            fail(db);
        mysql_free_result(result);
    }
}

int main(void) {
    MYSQL db;
    mysql_init(&db);
    if (!mysql_real_connect(&db, setting("MYSQL_HOST", "localhost"), setting("MYSQL_USER", ""), setting("MYSQL_PASSWORD", ""),
                            setting("MYSQL_DATABASE", ""), (unsigned)atoi(setting("MYSQL_PORT", "3306")),
                            setting("MYSQL_SOCKET", NULL), 0))
        fail(&db);
    umask(0701);
    ask(&db, 1);
    umask(0700);
    ask(&db, WARM_UP);
    umask(0702);
    ask(&db, QUERIES);
    umask(0700);
    mysql_close(&db);
    return 0;
}
