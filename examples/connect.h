/* What the programs in C begin with: a connection that is described by MYSQL_HOST, MYSQL_PORT, MYSQL_SOCKET, MYSQL_USER, MYSQL_PASSWORD and MYSQL_DATABASE. */

#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void open_connection(MYSQL *db) {
    mysql_init(db);
    mysql_options(db, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (!mysql_real_connect(db, setting("MYSQL_HOST", "localhost"), setting("MYSQL_USER", ""), setting("MYSQL_PASSWORD", ""),
                            setting("MYSQL_DATABASE", ""), (unsigned)atoi(setting("MYSQL_PORT", "3306")),
                            setting("MYSQL_SOCKET", NULL), 0))
        fail(mysql_error(db));
}
