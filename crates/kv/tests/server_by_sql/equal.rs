//! A key finds the row that SQL finds for a literal of its column's kind, alone and among others.

use vaquita_client::Connection;
use vaquita_kv::KeyValue;

use crate::servers::{Server, Value, run};
use crate::{first_values, get, in_database, keyed, results, text, values};

/// Columns of keys, each with literals of rows. Not every server has each collation.
const COLUMNS: &[(&str, &[&str])] = &[
    ("VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", TEXTS),
    ("VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", DISTINCT_TEXTS),
    ("VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci", DISTINCT_TEXTS),
    ("VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_danish_ci", DISTINCT_TEXTS),
    ("VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci", DISTINCT_TEXTS),
    ("VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin", TEXTS),
    ("VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin", TEXTS),
    ("VARCHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci", DISTINCT_TEXTS),
    ("CHAR(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci", DISTINCT_TEXTS),
    ("VARCHAR(5) CHARACTER SET utf8 COLLATE utf8_general_ci", &["'a'", "'ö'", "'?'", "'b '"]),
    ("VARCHAR(5) CHARACTER SET latin1", &["'a'", "'ß'", "'?'", "'b '", "'€'", "'ö'"]),
    ("CHAR(5) CHARACTER SET latin1 COLLATE latin1_bin", &["'a'", "'A'", "'?'", "'ö'"]),
    ("VARCHAR(5) CHARACTER SET ascii", &["'a'", "'?'", "'b '", "''"]),
    ("VARCHAR(5) CHARACTER SET ucs2", &["'a'", "'ö'", "'b '", "''"]),
    ("VARBINARY(5)", TEXTS),
    ("BINARY(3)", &["'abc'", "'ABC'", "0x00FF0A", "'a'"]),
    ("TINYINT", &["0", "-128", "127", "5"]),
    ("SMALLINT UNSIGNED", &["0", "65535", "5"]),
    ("MEDIUMINT", &["0", "-8388608", "5"]),
    ("INT ZEROFILL", &["0", "5", "4294967295"]),
    ("BIGINT", &["0", "-9223372036854775808", "9223372036854775807", "9007199254740993", "5"]),
    ("BIGINT UNSIGNED", &["0", "18446744073709551615", "9223372036854775808", "5"]),
];

const TEXTS: &[&str] = &["'a'", "'A'", "'b'", "'ö'", "'?'", "''", "'it''s'", "'a\\0'", "'abcde'"];
const DISTINCT_TEXTS: &[&str] = &["'a'", "'b '", "'ö'", "'?'", "''", "'c\\0'", "'abcde'", "'ß'"];

/// What is asked for: as text, as bytes and, where these are digits, as numbers.
const ASKED: &[&[u8]] = &[
    b"a",
    b"A",
    b"a ",
    b" a",
    b"b",
    b"b ",
    b"B  ",
    b"c",
    b"c\0",
    b"a\0",
    b"",
    b" ",
    b"?",
    "ä".as_bytes(),
    "Ä".as_bytes(),
    "ö".as_bytes(),
    "ß".as_bytes(),
    b"ss",
    b"SS",
    "€".as_bytes(),
    "😀".as_bytes(),
    "ж".as_bytes(),
    "aa".as_bytes(),
    "å".as_bytes(),
    b"abcde",
    b"ABCDE",
    b"abcde ",
    b"abcdef",
    b"abcdefghij",
    b"it's",
    b"it\\'s",
    b"\"",
    b"\\",
    b"\n\r\t\x1A\x7F",
    b"\x00\xFF\x0A",
    b"abc",
    b"ABC",
    b"a\0\0",
    b"%",
    b"_",
    b"null",
    b"[",
    b"0",
    b"-0",
    b"5",
    b"05",
    b"5.0",
    b"5x",
    b"-128",
    b"127",
    b"128",
    b"-129",
    b"65535",
    b"65536",
    b"-8388608",
    b"4294967295",
    b"-9223372036854775808",
    b"9223372036854775807",
    b"9223372036854775808",
    b"9007199254740993",
    b"9007199254740992",
    b"18446744073709551615",
    b"18446744073709551616",
];

/// What SQL says of a key: the number of its row.
fn by_literal(connection: &mut Connection, column: &str, key: &[u8]) -> Option<String> {
    let is_of = |words: &str| column.contains(words);
    let literal = if is_of("INT") {
        let number: i128 = std::str::from_utf8(key).ok()?.parse().ok()?;
        // What is not written as a number is none.
        if number.to_string().as_bytes() != key {
            return None;
        }
        number.to_string()
    } else if is_of("BINARY") {
        let digits: String = key.iter().map(|byte| format!("{byte:02X}")).collect();
        if digits.is_empty() { "''".to_owned() } else { format!("0x{digits}") }
    } else {
        std::str::from_utf8(key).ok()?;
        let mut text = connection.escape(key);
        text.insert(0, b'\'');
        text.push(b'\'');
        String::from_utf8(text).unwrap()
    };
    connection.send_query(format!("SELECT v FROM t WHERE k = {literal}").as_bytes()).unwrap();
    if let Err(error) = connection.read_query_response() {
        // A character that the column does not have.
        assert!(matches!(error.code(), 1267 | 3854), "{error}");
        return None;
    }
    let found = connection.store_result().unwrap();
    assert!(found.rows() <= 1);
    let value = found.row(0)?.values().next()??;
    Some(String::from_utf8(value.to_vec()).unwrap())
}

/// Whether SQL has one answer: of what is no text of the client's it says many things, and it refuses a character that UCS-2 does not have.
fn is_asked(column: &str, key: &[u8]) -> bool {
    column.contains("BINARY")
        || std::str::from_utf8(key).is_ok_and(|key| !column.contains("ucs2") || !key.contains('😀'))
}

/// Creates a table, if the server has such columns.
fn create(connection: &mut Connection, column: &str) -> bool {
    run(connection, "DROP TABLE IF EXISTS t");
    let sql =
        format!("CREATE TABLE t (k {column} NOT NULL PRIMARY KEY, v VARCHAR(20)) ENGINE = InnoDB");
    connection.send_query(sql.as_bytes()).unwrap();
    match connection.read_query_response() {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.code(), 1273, "{error}"); // unknown collation
            false
        }
    }
}

#[test]
fn keys_find_what_literals_find() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql");
        let (mut compared, mut found) = (0, 0);
        for (column, literals) in COLUMNS {
            if !create(&mut connection, column) {
                continue;
            }
            for (number, literal) in literals.iter().enumerate() {
                run(&mut connection, &format!("INSERT INTO t VALUES ({literal}, 'row {number}')"));
            }
            let mut table = keyed(&mut connection, "t");
            for charset in ["utf8mb4", "latin1"] {
                run(&mut connection, &format!("SET NAMES {charset}"));
                let asked: Vec<&[u8]> =
                    ASKED.iter().copied().filter(|it| is_asked(column, it)).collect();
                let expected: Vec<Option<String>> =
                    asked.iter().map(|key| by_literal(&mut connection, column, key)).collect();
                let keys: Vec<KeyValue<'_>> = asked.iter().map(|it| KeyValue::Bytes(it)).collect();
                let alone: Vec<Option<String>> =
                    keys.iter().map(|key| get(&mut table, &mut connection, *key)).collect();
                let show = |got: &[Option<String>]| {
                    for ((key, got), expected) in asked.iter().zip(got).zip(&expected) {
                        if got != expected {
                            let key = key.escape_ascii();
                            eprintln!("{column} in {charset}: {key}: {got:?}, not {expected:?}");
                        }
                    }
                };
                show(&alone);
                let together = first_values(&table.get_many(&mut connection, &keys).unwrap());
                show(&together);
                assert_eq!((&alone, &together), (&expected, &expected), "{}", server.name);
                let few = first_values(&table.get_many(&mut connection, &keys[..3]).unwrap());
                assert_eq!(few, expected[..3]);
                compared += expected.len();
                found += expected.iter().flatten().count();
            }
            run(&mut connection, "SET NAMES utf8mb4");
        }
        eprintln!("{}: {found} of {compared}", server.name);
        assert!(found > 200);
    }
}

#[test]
fn numbers_of_the_caller_are_texts_of_a_column_of_texts() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_numbers");
        run(&mut connection, "CREATE TABLE t (k VARCHAR(20) PRIMARY KEY, v VARCHAR(20))");
        run(&mut connection, "INSERT INTO t VALUES ('5', 'five'), ('05', 'other'), ('x', 'none')");
        let mut table = keyed(&mut connection, "t");
        assert_eq!(get(&mut table, &mut connection, KeyValue::Integer(5)).as_deref(), Some("five"));
        assert_eq!(get(&mut table, &mut connection, text("05")).as_deref(), Some("other"));
        // As a number SQL would find 'x'.
        assert_eq!(get(&mut table, &mut connection, KeyValue::Integer(0)), None);
        run(&mut connection, "CREATE TABLE n (k INT PRIMARY KEY, v VARCHAR(20))");
        run(&mut connection, "INSERT INTO n VALUES (0, 'zero'), (5, 'five')");
        let mut numbers = keyed(&mut connection, "n");
        for none in ["x", "", "5 ", "0.0", "5abc"] {
            assert_eq!(get(&mut numbers, &mut connection, text(none)), None, "{none}");
        }
        let many: Vec<KeyValue<'_>> = ["0", "x", "5", "", "5", "00", "0"].map(text).to_vec();
        let found = first_values(&numbers.get_many(&mut connection, &many).unwrap());
        let expected = [Some("zero"), None, Some("five"), None, Some("five"), None, Some("zero")];
        assert_eq!(found, expected.map(|it| it.map(str::to_owned)));
    }
}

#[test]
fn keys_of_several_columns_and_many_keys() {
    for server in Server::all() {
        let mut connection = in_database(&server, "kv_by_sql_several");
        run(
            &mut connection,
            "CREATE TABLE `it's ``so``` (a INT UNSIGNED, `b``` VARCHAR(10), c VARBINARY(4), `v'` VARCHAR(20), n INT, \
             UNIQUE `by` (c, a), PRIMARY KEY (a, `b```, c))",
        );
        for number in 0..50 {
            run(
                &mut connection,
                &format!(
                    "INSERT INTO `it's ``so``` VALUES ({number}, 'B{number}', 0x00{number:02}, 'v{number}', NULL)"
                ),
            );
        }
        let read = crate::table(&mut connection, "it's `so`");
        let mut table = vaquita_kv::KeyedTable::new(&read, b"PRIMARY", None).unwrap();
        assert_eq!(table.key_length(), 3);
        let names: Vec<(String, Vec<u8>)> = (0..2500)
            .map(|number| {
                (format!("b{}", number % 100), vec![0, 16 * (number % 100 / 10) + number % 10])
            })
            .map(|(name, bytes)| {
                (name, bytes.into_iter().map(|it: u16| u8::try_from(it).unwrap()).collect())
            })
            .collect();
        let keys: Vec<KeyValue<'_>> = (0..2500)
            .zip(&names)
            .flat_map(|(number, (name, bytes))| {
                [KeyValue::Integer(number % 100), text(name), KeyValue::Bytes(bytes)]
            })
            .collect();
        let found = table.get_many(&mut connection, &keys).unwrap();
        let expected: Vec<Option<Vec<Value>>> = (0..2500)
            .map(|number| number % 100)
            .map(|number| {
                (number < 50).then(|| vec![Some(format!("v{number}").into_bytes()), None])
            })
            .collect();
        assert_eq!(values(&found), expected, "{}", server.name);
        // Three statements where the server has JSON_TABLE.
        assert_eq!(results(&found), if server.name == "mysql56" { 1250 } else { 3 });
        let none = table.get_many(&mut connection, &[]).unwrap();
        assert_eq!((none.keys(), results(&none)), (0, 0));
        let wrong = table.get_many(&mut connection, &keys[..4]).unwrap_err();
        assert_eq!(wrong.to_string(), "it has 3 values, not 1");

        // By another index, and not all columns.
        let columns: [&[u8]; 2] = [b"V'", b"b`"];
        let mut other = vaquita_kv::KeyedTable::new(&read, b"by", Some(&columns)).unwrap();
        let key = [KeyValue::Bytes(&[0, 7]), KeyValue::Integer(7)];
        let row = Some(vec![Some(b"v7".to_vec()), Some(b"B7".to_vec())]);
        assert_eq!(values(&other.get(&mut connection, &key).unwrap()), std::slice::from_ref(&row));
        let many = other.get_many(&mut connection, &key.repeat(7)).unwrap();
        assert_eq!(values(&many), vec![row; 7]);
        other.close(&mut connection);
        table.close(&mut connection);
        // What was closed is prepared anew.
        assert_eq!(table.get_many(&mut connection, &keys).unwrap().keys(), 2500);
    }
}
