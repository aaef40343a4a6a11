//! Writing: what a call says is what was done, and no other row is touched.

use std::sync::Barrier;
use std::thread;

use vaquita_client::{Capabilities, ConnectOptions, Connection, Parameter};
use vaquita_kv::{KeyValue, KeyedTable, TableError};

use crate::servers::{Server, Value, connect, rows, run};
use crate::{get, in_database, keyed, text, values, written};

fn code(error: &TableError) -> u16 {
    match error {
        TableError::Sql(error) => error.code(),
        other => panic!("{other}"),
    }
}

/// All rows of the table `t`, a line each.
fn all(connection: &mut Connection) -> Vec<String> {
    let shown = |value: &Value| {
        value.as_ref().map_or("NULL".to_owned(), |it| it.escape_ascii().to_string())
    };
    let found = rows(connection, "SELECT * FROM t ORDER BY 1");
    found.iter().map(|row| row.iter().map(shown).collect::<Vec<_>>().join(" ")).collect()
}

fn v(value: &str) -> [(&'static [u8], Parameter<'_>); 1] {
    [(b"v", written(value.as_bytes()))]
}

#[test]
fn rows_are_set_added_replaced_and_deleted() {
    for server in Server::all() {
        in_database(&server, "kv_by_sql_writes");
        for found_rows in [Capabilities::NONE, Capabilities::FOUND_ROWS] {
            let mut connection = connect(&ConnectOptions {
                capabilities: found_rows,
                database: Some(b"kv_by_sql_writes".to_vec()),
                ..server.options(server.unix())
            });
            let c = &mut connection;
            run(c, "SET sql_mode = 'STRICT_ALL_TABLES'");
            run(c, "DROP TABLE IF EXISTS t");
            run(
                c,
                "CREATE TABLE t (k VARCHAR(20) PRIMARY KEY, v TEXT, b BLOB, n INT NOT NULL DEFAULT 7)",
            );
            let mut t = keyed(c, "t");
            assert!(t.add(c, &[text("a")], &v("1")).unwrap());
            assert!(!t.add(c, &[text("A")], &v("2")).unwrap());
            assert!(t.replace(c, &[text("A")], &v("1")).unwrap());
            assert!(t.replace(c, &[text("a")], &v("2")).unwrap());
            assert!(!t.replace(c, &[text("none")], &v("2")).unwrap());
            // Nothing to write is no change, but there is a row or none.
            assert!(t.replace(c, &[text("a")], &[]).unwrap());
            assert!(!t.replace(c, &[text("none")], &[]).unwrap());
            t.set(c, &[text("A")], &v("3")).unwrap();
            t.set(c, &[text("A")], &v("3")).unwrap();
            assert_eq!(all(c), ["a 3 NULL 7"], "{}", server.name);
            let bytes: Vec<u8> = (0..=255).collect();
            t.set(
                c,
                &[text("b")],
                &[(b"B", written(&bytes)), (b"n", written(b"-5")), (b"v", Parameter::Null)],
            )
            .unwrap();
            let row = values(&t.get(c, &[text("b")]).unwrap()).pop().unwrap().unwrap();
            assert_eq!(row[..2], [None, Some(bytes)]);
            t.set(c, &[text("empty")], &[]).unwrap();
            assert!(t.delete(c, &[text("B")]).unwrap());
            assert!(!t.delete(c, &[text("b")]).unwrap());
            assert_eq!(all(c), ["a 3 NULL 7", "empty NULL NULL 7"]);
            // The server's no is the server's, and nothing is changed by it.
            let refused = t.set(c, &[text("a")], &[(b"n", written(b"x"))]);
            assert_eq!(code(&refused.unwrap_err()), 1366);
            let refused = t.add(c, &[text("c")], &[(b"n", Parameter::Null)]);
            assert_eq!(code(&refused.unwrap_err()), 1048);
            for column in [&b"k"[..], b"K", b"none", b"v`"] {
                let refused = t.set(c, &[text("a")], &[(column, written(b"x"))]).unwrap_err();
                assert!(matches!(refused, TableError::Column(_)), "{refused}");
            }
            assert_eq!(all(c), ["a 3 NULL 7", "empty NULL NULL 7"]);
        }
    }
}

#[test]
fn any_text_is_a_key_and_a_value_in_any_mode() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_modes");
        let c = &mut connection;
        let texts = [
            "'",
            "\\",
            "\\'",
            "\"",
            "`",
            "''",
            "a'b\"c`d\\",
            "\0",
            "\n",
            "\u{1A}",
            "ä😀",
            "?",
            "%",
            "' OR 1 = 1 -- ",
        ];
        for mode in [
            "",
            "NO_BACKSLASH_ESCAPES",
            "ANSI_QUOTES",
            "ANSI",
            "STRICT_ALL_TABLES",
            "PAD_CHAR_TO_FULL_LENGTH",
        ] {
            for charset in ["utf8mb4", "latin1", "gbk"] {
                run(c, &format!("SET NAMES {charset}"));
                run(c, &format!("SET sql_mode = '{mode}'"));
                run(c, "DROP TABLE IF EXISTS t");
                run(
                    c,
                    "CREATE TABLE t (k VARBINARY(20) PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8mb4, b BLOB)",
                );
                let mut t = keyed(c, "t");
                for (turn, key) in texts.iter().enumerate() {
                    let key = key.as_bytes();
                    let value = if charset == "utf8mb4" || key.is_ascii() { key } else { b"x" };
                    let both: [(&[u8], _); 2] = [(b"v", written(value)), (b"b", written(key))];
                    if turn % 2 == 0 {
                        t.set(c, &[KeyValue::Bytes(key)], &both).unwrap();
                    } else {
                        assert!(t.add(c, &[KeyValue::Bytes(key)], &both).unwrap());
                    }
                    let expected = Some(vec![Some(value.to_vec()), Some(key.to_vec())]);
                    let found = t.get(c, &[KeyValue::Bytes(key)]).unwrap();
                    assert_eq!(values(&found), [expected], "{mode} {charset} {key:?}");
                }
                let keys: Vec<KeyValue<'_>> = texts.iter().map(|it| text(it)).collect();
                let found = t.get_many(c, &keys).unwrap();
                assert!((0..keys.len()).all(|key| found.row(key).is_some()));
                for key in keys {
                    assert!(t.delete(c, &[key]).unwrap());
                }
                assert!(all(c).is_empty());
            }
        }
    }
}

#[test]
fn a_key_that_would_be_changed_is_not_written() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_changed");
        let c = &mut connection;
        run(c, "SET sql_mode = ''"); // it cuts and warns
        let mut check = |column: &str, keys: &[KeyValue<'_>], is_written: bool| {
            run(c, "DROP TABLE IF EXISTS t");
            run(c, &format!("CREATE TABLE t (k {column} PRIMARY KEY, v INT)"));
            let mut t = keyed(c, "t");
            for key in keys {
                let added = t.add(c, &[*key], &v("1"));
                let set = t.set(c, &[*key], &v("1"));
                let is_refused = |it| matches!(it, Some(TableError::KeyValue(_)));
                assert_eq!(!is_refused(added.err()), is_written, "{column} {key:?}");
                assert_eq!(!is_refused(set.err()), is_written, "{column} {key:?}");
                // There is none to be changed or deleted either.
                assert_eq!(t.replace(c, &[*key], &v("2")).unwrap(), is_written, "{column} {key:?}");
                assert_eq!(t.delete(c, &[*key]).unwrap(), is_written, "{column} {key:?}");
            }
            assert!(all(c).is_empty(), "{column}");
        };
        let bytes = |bytes: &'static [u8]| KeyValue::Bytes(bytes);
        check("TINYINT", &[KeyValue::Integer(128), text("x"), text("1.5"), text("")], false);
        check("INT UNSIGNED", &[KeyValue::Integer(-1), KeyValue::Integer(1 << 32)], false);
        check("INT AUTO_INCREMENT", &[KeyValue::Integer(0), text("0")], false);
        check("INT AUTO_INCREMENT", &[KeyValue::Integer(-5), text("12")], true);
        check("INT", &[KeyValue::Integer(0), text("-1")], true);
        check(
            "VARCHAR(3) CHARACTER SET utf8mb4",
            &[text("abcd"), text("abc "), bytes(b"a\xFF")],
            false,
        );
        check("VARCHAR(3) CHARACTER SET utf8mb4", &[text("äöü"), text("😀😀😀"), text("")], true);
        check("VARCHAR(3) CHARACTER SET latin1", &[text("ж"), text("😀")], false);
        check("VARCHAR(3) CHARACTER SET latin1", &[text("äöü")], true);
        check("VARCHAR(3) CHARACTER SET utf8", &[text("😀")], false);
        check("CHAR(3) CHARACTER SET utf8mb4", &[text("a ")], false);
        check("VARBINARY(3)", &[text("abcd")], false);
        check("BINARY(3)", &[text("ab"), text("abcd")], false);
        check("BINARY(3)", &[text("abc"), bytes(b"\0\0\0")], true);
        run(c, "SET NAMES gbk");
        let mut t = keyed(c, "t");
        assert!(t.add(c, &[bytes(b"\xBF\\'")], &v("1")).unwrap());
    }
}

#[test]
fn another_unique_index_has_its_own_rows() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_unique");
        let c = &mut connection;
        run(c, "CREATE TABLE t (k INT PRIMARY KEY, v VARCHAR(20), UNIQUE (v))");
        let mut t = keyed(c, "t");
        t.set(c, &[KeyValue::Integer(1)], &v("x")).unwrap();
        t.set(c, &[KeyValue::Integer(2)], &v("y")).unwrap();
        assert_eq!(code(&t.set(c, &[KeyValue::Integer(3)], &v("x")).unwrap_err()), 1062);
        assert_eq!(code(&t.add(c, &[KeyValue::Integer(3)], &v("x")).unwrap_err()), 1062);
        assert_eq!(code(&t.replace(c, &[KeyValue::Integer(2)], &v("x")).unwrap_err()), 1062);
        assert!(!t.add(c, &[KeyValue::Integer(2)], &v("z")).unwrap());
        assert_eq!(all(c), ["1 x", "2 y"]);
        // A transaction goes on behind an error, and ends as one.
        run(c, "BEGIN");
        assert!(t.add(c, &[KeyValue::Integer(4)], &v("4")).unwrap());
        assert!(t.add(c, &[KeyValue::Integer(5)], &v("4")).is_err());
        t.set(c, &[KeyValue::Integer(1)], &v("z")).unwrap();
        run(c, "ROLLBACK");
        assert_eq!(all(c), ["1 x", "2 y"]);
        let read = crate::table(c, "t");
        let mut by_v = KeyedTable::new(&read, b"v", None).unwrap();
        assert!(by_v.delete(c, &[text("X")]).unwrap());
        assert_eq!(all(c), ["2 y"]);
    }
}

#[test]
fn one_of_many_adds_a_row() {
    const MANY: usize = 8;
    const KEYS: i64 = 40;
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_at_once");
        run(&mut connection, "CREATE TABLE t (k BIGINT PRIMARY KEY, v VARCHAR(20))");
        let barrier = Barrier::new(MANY);
        let added: usize = thread::scope(|scope| {
            let one = |number: usize| {
                let (server, barrier) = (&server, &barrier);
                move || {
                    let mut connection = server.connect();
                    run(&mut connection, "USE kv_by_sql_at_once");
                    let mut t = keyed(&mut connection, "t");
                    let value = number.to_string();
                    let mut added = 0;
                    for key in 0..KEYS {
                        barrier.wait();
                        let [add, set] = [key, key + KEYS].map(|key| [KeyValue::Integer(key)]);
                        added += usize::from(t.add(&mut connection, &add, &v(&value)).unwrap());
                        // Made by whoever comes first, changed by the others.
                        t.set(&mut connection, &set, &v(&value)).unwrap();
                    }
                    added
                }
            };
            let all: Vec<_> = (0..MANY).map(|number| scope.spawn(one(number))).collect();
            all.into_iter().map(|it| it.join().unwrap()).sum()
        });
        assert_eq!(added, usize::try_from(KEYS).unwrap(), "{}", server.name);
        let count = rows(&mut connection, "SELECT COUNT(*) FROM t");
        assert_eq!(count, [[Some((2 * KEYS).to_string().into_bytes())]]);
        let mut t = keyed(&mut connection, "t");
        assert!(get(&mut t, &mut connection, KeyValue::Integer(KEYS)).is_some());
    }
}
