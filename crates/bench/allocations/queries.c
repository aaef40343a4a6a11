/* What queries.php does, in C with libmariadb, for `vaquita alloc` to count: its marks, and the same numbers of queries. */

#include "../../../examples/connect.h"
#include <sys/stat.h>

enum { WARM_UP = 50, QUERIES = 1000 };

static void ask(MYSQL *db, int times) {
    for (int i = 0; i < times; i++) {
        if (mysql_query(db, "SELECT id, name, price FROM bench_mixed WHERE id <= 3"))
            fail(mysql_error(db));
        MYSQL_RES *result = mysql_store_result(db);
        int rows = 0;
        while (result && mysql_fetch_row(result))
            rows++;
        if (rows != 3)
            fail("other rows came");
        mysql_free_result(result);
    }
}

int main(void) {
    MYSQL db;
    open_connection(&db);
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
