//! What becomes of statements: what they have in common is seen, and nothing of a literal is.

use super::*;
use vaquita_protocol::Charset;

const UTF8: Dialect = Dialect { encoding: Encoding::Utf8mb4, no_backslash_escapes: false };

fn normalised(sql: &[u8], dialect: Dialect) -> (String, Normalised) {
    let mut out = b">".to_vec();
    let how = put_normalised(sql, Some(dialect), &mut out);
    (String::from_utf8_lossy(out.strip_prefix(b">").unwrap()).into_owned(), how)
}

fn check(sql: &str, expected: &str) {
    assert_eq!(normalised(sql.as_bytes(), UTF8).0, expected, "{sql}");
}

#[test]
fn values_are_question_marks() {
    check("SELECT a FROM t WHERE k=1", "SELECT a FROM t WHERE k = ?");
    check("SELECT -1, + 2.5, .5, 1.e5, 2.5E-3, 0x1F, 0b1", "SELECT ?, ?, ?, ?, ?, ?, ?");
    check("SELECT a -1, 1 -2, b*-3, (-4), f(a) - 5", "SELECT a - ?, ? - ?, b * ?, (?), f(a) - ?");
    check("SELECT 1.e5 + 1e+5 - 1e5", "SELECT ? + ? - ?");
    check("SELECT 1. e FROM t", "SELECT ? e FROM t");
    check("WHERE a BETWEEN -1 AND -2 LIMIT 1,2", "WHERE a BETWEEN ? AND ? LIMIT ?, ?");
    check("SELECT x'41', X'41', b'01', N'a', n'a', 'a' 'b'", "SELECT ?, ?, ?, ?, ?, ?");
    check(
        "SELECT _utf8'a', _utf8mb4 'a' COLLATE utf8mb4_bin, _binary x'41', _latin1 0x41, _latin1 b'1'",
        "SELECT ?, ? COLLATE utf8mb4_bin, ?, ?, ?",
    );
    check("SELECT _a, _a x, x, n 'n'", "SELECT _a, _a x, x, n ?");
    check("SELECT DATE '2020-01-01', {ts'2020-01-01 00:00:00'}", "SELECT DATE ?, { ts ? }");
    check(
        "SELECT INTERVAL 5 DAY + INTERVAL '1:1' HOUR_MINUTE",
        "SELECT INTERVAL ? DAY + INTERVAL ? HOUR_MINUTE",
    );
    check("SELECT \"a\", \"b\"\"c\" FROM \"t\"", "SELECT ?, ? FROM ?");
    check("SELECT a->>'$.b', @v:=1, @'v', @@sql_mode", "SELECT a ->> ?, @v := ?, @?, @@sql_mode");
}

#[test]
fn comments_are_gone_and_blanks_single() {
    check("  SELECT /* it's */ a -- 'b\n ,\tb # \"c\n FROM  t  ", "SELECT a, b FROM t");
    check("SELECT /*+ MAX_EXECUTION_TIME(1000) */ a FROM t", "SELECT a FROM t");
    check("SELECT a--1", "SELECT a - ?");
    check("SELECT 1;", "SELECT ?");
    check("SELECT 1; INSERT INTO t VALUES (1) ;", "SELECT ?; INSERT INTO t VALUES (?)");
    check("SELECT `a b`.`c``d` FROM `t` AS`x`", "SELECT `a b`.`c``d` FROM `t` AS `x`");
}

#[test]
fn lists_and_rows_of_any_length_are_one() {
    for list in ["1", "-1, 'b', ?", "_latin1'x',0x1"] {
        check(&format!("DELETE FROM t WHERE a IN({list})"), "DELETE FROM t WHERE a IN (?, ...)");
    }
    check("SELECT a IN (1, b, 2), c IN (d)", "SELECT a IN (?, ..., b, ?), c IN (d)");
    check(
        "SELECT 1 WHERE (a, b) IN ((1, 'x'), (2, 'y')) AND c IN (3)",
        "SELECT ? WHERE (a, b) IN ((?, ?), ...) AND c IN (?, ...)",
    );
    check("SELECT a IN (SELECT 1), 2", "SELECT a IN (SELECT ?), ?");
    check("INSERT INTO t (a, b) VALUES (1, NOW())", "INSERT INTO t(a, b) VALUES (?, NOW())");
    check(
        "INSERT INTO t VALUES(1,(2)),(3,')'),(f(4),DEFAULT) ON DUPLICATE KEY UPDATE a=VALUES(a),b=1",
        "INSERT INTO t VALUES (?, (?)), ... ON DUPLICATE KEY UPDATE a = VALUES (a), b = ?",
    );
    let rows = vec!["(1, 'one')"; 200].join(", ");
    check(&format!("REPLACE INTO t VALUES {rows}"), "REPLACE INTO t VALUES (?, ?), ...");
}

#[test]
fn statements_with_secrets_have_them_as_literals() {
    for (sql, expected) in [
        ("SET PASSWORD = PASSWORD('S3cret')", "SET PASSWORD = PASSWORD(?)"),
        ("SET PASSWORD FOR 'u'@'h' = 'S3cret'", "SET PASSWORD FOR ?@? = ?"),
        (
            "CREATE USER `u`@localhost IDENTIFIED BY 'S3cret' REQUIRE SSL ACCOUNT LOCK",
            "CREATE USER `u`@localhost IDENTIFIED BY ? REQUIRE SSL ACCOUNT LOCK",
        ),
        (
            "ALTER USER u IDENTIFIED BY \"S3cret\" REPLACE 'S3cret' RETAIN CURRENT PASSWORD",
            "ALTER USER u IDENTIFIED BY ? REPLACE ? RETAIN CURRENT PASSWORD",
        ),
        (
            "ALTER USER u IDENTIFIED WITH mysql_native_password AS '*S3cret'",
            "ALTER USER u IDENTIFIED WITH mysql_native_password AS ?",
        ),
        (
            "CREATE USER u IDENTIFIED VIA ed25519 USING PASSWORD('S3cret') OR unix_socket",
            "CREATE USER u IDENTIFIED VIA ed25519 USING PASSWORD(?) OR unix_socket",
        ),
        (
            "GRANT ALL ON *.* TO u@h IDENTIFIED BY PASSWORD '*S3cret' WITH GRANT OPTION",
            "GRANT ALL ON *.* TO u @h IDENTIFIED BY PASSWORD ? WITH GRANT OPTION",
        ),
        (
            "CHANGE MASTER TO MASTER_USER='u', MASTER_PASSWORD='S3cret', MASTER_LOG_POS=4, MASTER_USE_GTID=slave_pos",
            "CHANGE MASTER TO MASTER_USER = ?, MASTER_PASSWORD = ?, MASTER_LOG_POS = ?, MASTER_USE_GTID = slave_pos",
        ),
        (
            "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u', PASSWORD 'S3cret')",
            "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS(USER ?, PASSWORD ?)",
        ),
        ("START SLAVE USER='u' PASSWORD='S3cret'", "START SLAVE USER = ? PASSWORD = ?"),
        ("SELECT AES_ENCRYPT(a, 'S3cret')", "SELECT AES_ENCRYPT(a, ?)"),
        (
            "ALTER USER u IDENTIFIED BY RANDOM PASSWORD",
            "ALTER USER u IDENTIFIED BY RANDOM PASSWORD",
        ),
        // No server takes these, and all get them.
        ("SET PASSWORD = S3cret", "SET"),
        ("SET PASSWORD FOR u@h = S3cret", "SET"),
        ("create user u identified by S3cret", "CREATE"),
        ("SELECT 1; SET PASSWORD = S3cret", "SELECT"),
        ("CHANGE REPLICATION SOURCE TO SOURCE_PASSWORD=S3cret", "CHANGE"),
        ("ALTER USER u IDENTIFIED WITH mysql_native_password BY S3cret", "ALTER"),
        ("ALTER USER u IDENTIFIED WITH mysql_native_password AS S3cret", "ALTER"),
        ("ALTER USER u IDENTIFIED BY 123-S3cret", "ALTER"),
        ("ALTER USER u IDENTIFIED BY 'a' REPLACE S3cret", "ALTER"),
        ("ALTER USER u IDENTIFIED BY 'a', v IDENTIFIED BY S3cret", "ALTER"),
        ("CREATE USER u IDENTIFIED BY PASSWORD *S3cret", "CREATE"),
        ("CREATE USER u IDENTIFIED BY `S3cret`", "CREATE"),
        ("CREATE USER u IDENTIFIED VIA ed25519 USING S3cret", "CREATE"),
        ("CREATE USER u IDENTIFIED VIA ed25519 USING PASSWORD(S3cret)", "CREATE"),
        ("CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (PASSWORD S3cret)", "CREATE"),
        ("SET PASSWORD = PASSWORD(S3cret)", "SET"),
        ("SET PASSWORD TO S3cret", "SET"),
        ("SET PASSWORD S3cret", "SET"),
        ("SET GLOBAL wsrep_sst_auth=root:S3cret", "SET"),
        ("START SLAVE PASSWORD S3cret", "START"),
        ("BEGIN NOT ATOMIC CREATE USER u IDENTIFIED BY S3cret; END", "BEGIN"),
        ("EXPLAIN CREATE USER u IDENTIFIED BY S3cret", "EXPLAIN"),
        ("CLONE INSTANCE FROM u@h:3306 IDENTIFIED BY S3cret", "CLONE"),
        // What is no password may be a word.
        (
            "ALTER USER u IDENTIFIED BY ? PASSWORD EXPIRE NEVER PASSWORD HISTORY 5",
            "ALTER USER u IDENTIFIED BY ? PASSWORD EXPIRE NEVER PASSWORD HISTORY ?",
        ),
        (
            "UPDATE server SET password = MD5(a) WHERE password = 'S3cret'",
            "UPDATE server SET password = MD5(a) WHERE password = ?",
        ),
        ("ALTER TABLE t ADD password INT", "ALTER TABLE t ADD password INT"),
        (
            "SELECT PASSWORD(a), identified FROM t AS u",
            "SELECT PASSWORD(a), identified FROM t AS u",
        ),
        (
            "SELECT a FROM t WHERE password = b.password",
            "SELECT a FROM t WHERE password = b.password",
        ),
        (
            "CREATE TABLE t (password INT) ENGINE=InnoDB",
            "CREATE TABLE t(password INT) ENGINE = InnoDB",
        ),
    ] {
        check(sql, expected);
        let is_of_them = sql.contains("S3cret");
        assert!(!is_of_them || names_secret(sql.as_bytes()), "{sql}");
    }
    assert!(!names_secret(b"SELECT pass, word FROM t"));
    for sql in [
        "... CONNECTION='MySQL://u:p@h/d/t'",
        "... CONNECTION='DSN=d;UID=u;PWD=p'",
        "SET GLOBAL wsrep_sst_auth = 'u:p'",
        "SELECT ENCODE(a, 'p')",
    ] {
        assert!(names_secret(sql.as_bytes()), "{sql}");
    }
}

#[test]
fn what_a_server_may_read_otherwise_is_its_first_word() {
    for sql in [
        "SELECT a /*!99999 don't */ WHERE k = 'secret'",
        "SELECT a /*M!999999 don't */ WHERE k = 'secret' /*! it's */",
        "SELECT /*+ SET_VAR(a='*/') */ 'secret'",
        "SELECT 'x\\' AND b = 'secret'",
        "SELECT 'never ends",
        "SELECT a /* never ends",
        "SELECT `never ends",
        // Quotes that somebody forgot to escape.
        "SELECT 'O'secret' AND b = 'O'secret'",
        "SELECT 'its' secret', 'its' secret'",
        "SELECT '5' 2 secret', '5' 2 secret'",
        // NO_BACKSLASH_ESCAPES, and nobody knows.
        "SELECT '\\', secret, 'a', '\\', 'b'",
        "SELECT \\secret",
        "SELECT 'x' `it's` 'secret'",
        "SELECT 1; SET sql_mode = ''; SELECT 'secret'",
        "SELECT $$secret$$",
        "SELECT $a$ 'b' $a$",
    ] {
        check(sql, "SELECT");
    }
    check("'secret'", "(other)");
    check("s3cret", "(other)");
    check("", "(other)");
    check("((select 1", "((select ?");
    let mut out = Vec::new();
    assert_eq!(put_normalised(b"((select 1", None, &mut out), Normalised::FirstWord);
    assert_eq!(out, b"SELECT");
}

#[test]
fn what_is_long_is_cut() {
    let (text, how) = normalised(format!("SELECT {}", "abcd, ".repeat(300)).as_bytes(), UTF8);
    assert_eq!(how, Normalised::Beginning);
    assert!(text.len() <= MAX_BYTES + 4 && text.ends_with("abcd, ..."), "{text}");
    let (text, _) = normalised(format!("SELECT a, {}", "é".repeat(MAX_BYTES)).as_bytes(), UTF8);
    assert_eq!(text, "SELECT a, ...");
    for (sql, expected) in [
        ("INSERT INTO t VALUES (1, 'sec", "INSERT INTO t VALUES (?, ..."),
        ("INSERT INTO t VALUES (1, /* sec", "INSERT INTO t VALUES (?, ..."),
        ("SELECT a FROM t", "SELECT a FROM t ..."),
        ("SELECT 'O'secret', 'sec", "SELECT"),
        ("SELECT /*! a, 'sec", "SELECT"),
    ] {
        let mut out = Vec::new();
        let how = put_normalised_beginning(sql.as_bytes(), Some(UTF8), &mut out);
        assert_eq!(out, expected.as_bytes(), "{sql}");
        assert_eq!(how == Normalised::Beginning, expected.ends_with("..."), "{sql}");
    }
}

#[test]
fn character_sets_and_modes_decide_where_texts_end() {
    let gbk = Charset::by_name(b"gbk").unwrap().encoding;
    let dialect = |encoding, no_backslash_escapes| Dialect { encoding, no_backslash_escapes };
    let text = |sql: &[u8], dialect| normalised(sql, dialect).0;
    assert_eq!(text(b"SELECT '\xBF\\', a", dialect(gbk, false)), "SELECT ?, a");
    assert_eq!(text(b"SELECT '\\', a", dialect(Encoding::Utf8mb4, true)), "SELECT ?, a");
    assert_eq!(text(b"SELECT '\\', a", UTF8), "SELECT");
    assert_eq!(
        text("SELECT é FROM `ü` WHERE k = 'ä'".as_bytes(), UTF8),
        "SELECT é FROM `ü` WHERE k = ?"
    );
}

#[test]
fn no_literal_is_left_and_shapes_do_not_hang_on_literals() {
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    let any = [
        "sekret", " ", "''", "\\'", "\\\\", "\"", "`", ", ", "-- ", "/*", "*/", "/*!", "#", "\n",
        ";", "\\é",
    ];
    // Without the escapes that such words need.
    let of_people = [
        "sekret ",
        "it's ",
        "O'sekret",
        "boys' ",
        "5' ",
        "sekret-",
        "é, ",
        "sekret. ",
        "(sekret) ",
        "d'",
    ];
    let (mut forgotten, mut hidden) = (0, 0);
    for round in 0..20_000 {
        let is_escaped = round % 2 == 0;
        let words: &[&str] = if is_escaped { &any } else { &of_people };
        let (mut sql, mut shape) =
            (String::from("SELECT a WHERE b ="), String::from("SELECT a WHERE b ="));
        for number in 0..=next(6) {
            let joint = ["", " AND c =", ",", " OR d <>"][if number == 0 { 0 } else { next(4) }];
            let literal: String = (0..next(6)).map(|_| words[next(words.len())]).collect();
            // Texts beside each other are one.
            let is_apart = number == 0 || !joint.is_empty();
            sql += &format!("{joint} '{literal}'");
            shape += &format!("{joint}{}", if is_apart { " ?" } else { "" });
        }
        let (text, how) = normalised(sql.as_bytes(), UTF8);
        assert!(!text.contains("sekret"), "{sql}\n{text}");
        if is_escaped {
            assert_eq!(text, shape, "{sql}");
        } else if sql.contains("O'") {
            forgotten += 1;
            hidden += usize::from(how == Normalised::FirstWord);
        }
    }
    assert!(forgotten > 5_000 && hidden > forgotten / 2, "{hidden} of {forgotten}");
}
