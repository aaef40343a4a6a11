//! What key-value ports give where a plan says that it is what SQL gives: never anything else.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

#[path = "../../client/tests/servers/mod.rs"]
mod servers;

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use servers::{Feature, Server, Value, run, text};
use vaquita_client::{Charset, Columns, Connection, Dialect, QueryResponse};
use vaquita_kv::{
    HandlerSocket, HandlerSocketPlan, KeySelect, Literal, Mapping, Memcached, MemcachedPlan,
    Origin, Reason, Table, Timeouts,
};

const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_secs(10), request: Duration::from_secs(10) };

/// The tables: their key, and each other column with values for the four rows. All that a plan may say is among them, and some that it may not.
const KEYS: &[(&str, [&str; 4])] = &[
    ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", ["'a'", "'ä😀'", "'b '", "'A'"]),
    (
        "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
        ["'a'", "'ß'", "'b '", "'x.y'"],
    ),
    ("CHAR(20) CHARACTER SET latin1", ["'a'", "'ä'", "'b '", "'@>a'"]),
    ("VARCHAR(3) CHARACTER SET ascii", ["'a'", "'abc'", "'b '", "'%7'"]),
    ("INT", ["0", "-2147483648", "2147483647", "5"]),
    ("INT UNSIGNED", ["0", "1", "4294967295", "5"]),
    ("TINYINT", ["0", "-128", "127", "5"]),
    ("BIGINT", ["0", "-9223372036854775808", "9223372036854775807", "5"]),
    ("BIGINT UNSIGNED", ["0", "1", "18446744073709551615", "5"]),
    ("VARBINARY(20)", ["'a'", "'b '", "0x00", "'c'"]),
    ("DECIMAL(5, 2)", ["0", "1.5", "2", "3"]),
];

const VALUES: &[(&str, [&str; 4])] = &[
    ("VARCHAR(100) CHARACTER SET utf8mb4 NOT NULL", ["''", "'a|b'", "'ä😀 '", "'\\r\\nEND\\r\\n'"]),
    ("TEXT CHARACTER SET latin1 NOT NULL", ["''", "'plain'", "'ä'", "'a\\tb'"]),
    ("VARCHAR(20) CHARACTER SET ascii", ["NULL", "'x'", "''", "'y'"]),
    ("BLOB NOT NULL", ["''", "0x00FF0D0A", "'|'", "REPEAT('x', 60000)"]),
    ("BINARY(3) NOT NULL", ["'a'", "''", "'abc'", "'b'"]),
    ("CHAR(5) NOT NULL", ["'a'", "''", "'abc'", "'b'"]),
    ("INT NOT NULL", ["0", "-1", "2147483647", "42"]),
    ("INT ZEROFILL NOT NULL", ["0", "1", "2147483647", "42"]),
    ("SMALLINT UNSIGNED NOT NULL", ["0", "1", "65535", "42"]),
    ("BIGINT UNSIGNED NOT NULL", ["0", "1", "18446744073709551615", "42"]),
    ("MEDIUMINT NOT NULL", ["0", "-1", "1", "42"]),
    ("DECIMAL(10, 2) NOT NULL", ["0", "-1.5", "1", "42"]),
    ("DATE NOT NULL", ["'2020-01-01'", "'2021-01-01'", "'2022-01-01'", "'2023-01-01'"]),
    ("ENUM('x', 'y') NOT NULL", ["'x'", "'y'", "'x'", "'y'"]),
];

/// What a key is asked for by besides the rows' own.
const OTHERS: &[&str] = &[
    "'A'",
    "'b'",
    "'none'",
    "'abcd'",
    "'a '",
    "''",
    "' a'",
    "'ss'",
    "'Ä'",
    "'@>'",
    "'x|y'",
    "'it''s'",
    "'\\\\'",
    "1",
    "-1",
    "6",
    "128",
    "256",
    "261",
    "4294967296",
    "4294967301",
    "18446744073709551616",
    "'5'",
    "'5x'",
    "5.0",
    "05",
    "NULL",
    "0x61",
];

/// A table of one key and some values, which the port knows as `t` with a number.
fn make_tables(sql: &mut Connection) -> Vec<Vec<usize>> {
    for statement in [
        "DROP DATABASE IF EXISTS kv_plans",
        "CREATE DATABASE kv_plans",
        "USE kv_plans",
        "DELETE FROM innodb_memcache.containers",
    ] {
        run(sql, statement);
    }
    // Of each value alone, by a text, then several together, and each key.
    let alone = (0..VALUES.len()).map(|value| (0, vec![value]));
    let several = [vec![0, 6], vec![1, 0], vec![6, 3, 0], vec![2, 0]].map(|values| (0, values));
    let keys = (1..KEYS.len()).flat_map(|key| [(key, vec![0]), (key, vec![6, 0])]);
    let mut made = Vec::new();
    for (number, (key, values)) in alone.chain(several).chain(keys).enumerate() {
        let columns: Vec<String> =
            values.iter().map(|value| format!("v{value} {}", VALUES[*value].0)).collect();
        let columns = columns.join(", ");
        run(
            sql,
            &format!(
                "CREATE TABLE t{number} (k {} PRIMARY KEY, {columns}) ENGINE = InnoDB CHARACTER SET utf8mb4",
                KEYS[key].0
            ),
        );
        for row in 0..4 {
            let all: Vec<&str> = values.iter().map(|value| VALUES[*value].1[row]).collect();
            let key = KEYS[key].1[row];
            run(sql, &format!("INSERT INTO t{number} VALUES ({key}, {})", all.join(", ")));
        }
        let names: Vec<String> = values.iter().map(|value| format!("v{value}")).collect();
        run(
            sql,
            &format!(
                "INSERT INTO innodb_memcache.containers VALUES ('t{number}', 'kv_plans', 't{number}', 'k', '{}', '0', '0', '0', 'PRIMARY')",
                names.join(",")
            ),
        );
        made.push(values);
    }
    made
}

fn install(server: &Server, sql: &mut Connection) -> Memcached {
    let is_installed =
        "SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'daemon_memcached'";
    if text(sql, is_installed) == "1" {
        run(sql, "UNINSTALL PLUGIN daemon_memcached");
    }
    run(sql, "INSTALL PLUGIN daemon_memcached SONAME 'libmemcached.so'");
    let until = Instant::now() + TIMEOUTS.connect;
    loop {
        match Memcached::connect(&server.key_value(), TIMEOUTS) {
            Ok(port) => return port,
            Err(error) => assert!(Instant::now() < until, "{error}"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    ByPort,
    Missed,
    BySql(Reason),
    NotByKey,
}

/// The columns of a statement's result, which are those of all of its shape.
fn columns_of(sql: &mut Connection, statement: &str) -> Columns {
    sql.send_query(statement.as_bytes()).unwrap();
    sql.read_query_response().unwrap_or_else(|error| panic!("{statement}: {error}"));
    sql.store_result().unwrap().columns().clone()
}

fn origins(columns: &Columns) -> Vec<Origin<'_>> {
    columns.iter().map(|it| Origin { table: it.org_table(), column: it.org_name() }).collect()
}

/// The rows of a statement, if the server takes it: only then the port may answer, and only where SQL warns of nothing.
fn rows_of(sql: &mut Connection, statement: &str) -> Option<Vec<Vec<Value>>> {
    sql.send_query(statement.as_bytes()).unwrap();
    assert!(matches!(sql.read_query_response().ok()?, QueryResponse::ResultSet(_)));
    let mut stored = sql.store_result().unwrap();
    let mut rows = Vec::new();
    while let Some(row) = stored.next_row() {
        rows.push(row.values().map(|value| value.map(<[u8]>::to_vec)).collect());
    }
    Some(rows)
}

fn ask(
    sql: &mut Connection,
    port: &mut Memcached,
    mapping: &Mapping,
    charset: &'static str,
    (statement, columns): (&str, &Columns),
) -> Outcome {
    let encoding = Charset::by_name(charset.as_bytes()).unwrap().encoding;
    let dialect = Dialect { encoding, no_backslash_escapes: false };
    let Some(select) = KeySelect::parse(statement.as_bytes(), dialect) else {
        return Outcome::NotByKey;
    };
    let expected = rows_of(sql, statement);
    let origins = origins(columns);
    let plan = match MemcachedPlan::new(mapping, &select, b"kv_plans", &origins, charset.as_bytes())
    {
        Ok(plan) => plan,
        Err(reason) => return Outcome::BySql(reason),
    };
    let mut sent = Vec::new();
    let value: Literal<'_> = select.conditions().next().unwrap().value;
    let key = match plan.put_key(value, dialect, &mut sent) {
        Ok(key) => key,
        Err(reason) => return Outcome::BySql(reason),
    };
    let Some(given) = port.get(key, |_, value| value.to_vec()).unwrap() else {
        return Outcome::Missed;
    };
    let mut row = Vec::new();
    if let Err(reason) = plan.row(&given, &mut row) {
        return Outcome::BySql(reason);
    }
    let row: Vec<Value> = row.into_iter().map(|value| Some(value.to_vec())).collect();
    assert_eq!(expected, Some(vec![row]), "{statement} in {charset}");
    assert_eq!(sql.session().warnings, 0, "{statement} in {charset}");
    Outcome::ByPort
}

#[test]
fn what_a_plan_says_is_what_sql_says() {
    for server in Server::with(Feature::Memcached) {
        let mut sql = server.connect();
        let made = make_tables(&mut sql);
        let mut port = install(&server, &mut sql);
        let mapping = Mapping::read(&mut sql).unwrap().unwrap();
        let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
        for charset in ["utf8mb4", "latin1"] {
            run(&mut sql, &format!("SET NAMES {charset}"));
            for (number, values) in made.iter().enumerate() {
                let names: Vec<String> = values.iter().map(|value| format!("v{value}")).collect();
                let mut lists = names.clone();
                lists.extend([
                    names.join(", "),
                    "*".to_owned(),
                    format!("x.{} AS other", names[0]),
                ]);
                let statement = |list: &str, literal: &str| {
                    format!("SELECT {list} FROM t{number} AS x WHERE x.k = {literal}")
                };
                let columns: Vec<Columns> =
                    lists.iter().map(|list| columns_of(&mut sql, &statement(list, "1"))).collect();
                let own = KEYS.iter().flat_map(|(_, keys)| keys).copied();
                for literal in own.chain(OTHERS.iter().copied()) {
                    for (list, columns) in lists.iter().zip(&columns) {
                        let asked = (&*statement(list, literal), columns);
                        let outcome = ask(&mut sql, &mut port, &mapping, charset, asked);
                        *outcomes.entry(outcome).or_default() += 1;
                    }
                }
            }
        }
        eprintln!("{}: {outcomes:?}", server.name);
        assert!(outcomes[&Outcome::ByPort] > 500 && port.is_alive());
        for reason in [
            Reason::KeyKind,
            Reason::KeyValue,
            Reason::KeyBytes,
            Reason::Column,
            Reason::ColumnKind,
            Reason::Null,
            Reason::Separator,
            Reason::Charset,
        ] {
            assert!(outcomes.contains_key(&Outcome::BySql(reason)), "{reason:?}");
        }
    }
}

/// The columns of one table that HandlerSocket is asked for: all types, each with values for the four rows.
const ALL_TYPES: &[(&str, [&str; 4])] = &[
    ("VARCHAR(20) CHARACTER SET utf8mb4", ["'ä😀'", "''", "NULL", "'b '"]),
    ("TEXT CHARACTER SET latin1", ["'ä'", "'plain'", "NULL", "'\\t\\n\\0'"]),
    ("VARCHAR(20) CHARACTER SET ucs2", ["'a'", "'ä'", "NULL", "''"]),
    ("CHAR(10)", ["'a'", "''", "NULL", "'b '"]),
    ("BLOB", ["0x000102090A0D0F10FF", "''", "NULL", "REPEAT('x', 60000)"]),
    ("BINARY(3)", ["'a'", "''", "NULL", "'abc'"]),
    ("TINYINT", ["-128", "0", "NULL", "127"]),
    ("MEDIUMINT", ["-8388608", "0", "NULL", "8388607"]),
    ("INT ZEROFILL", ["0", "42", "NULL", "4294967295"]),
    ("BIGINT UNSIGNED", ["0", "42", "NULL", "18446744073709551615"]),
    ("DECIMAL(10, 2)", ["-1.5", "0", "NULL", "42"]),
    ("FLOAT", ["1.1", "0", "NULL", "1e20"]),
    ("DOUBLE", ["0.1", "-0.0", "NULL", "1e300"]),
    ("DATE", ["'2020-01-02'", "'1000-01-01'", "NULL", "'9999-12-31'"]),
    ("DATETIME(3)", ["'2020-01-02 03:04:05.678'", "'1000-01-01'", "NULL", "'9999-12-31'"]),
    ("TIME", ["'-01:02:03'", "'838:59:59'", "NULL", "'0:0:0'"]),
    ("TIMESTAMP NULL", ["'2020-01-02 03:04:05'", "'1980-01-01'", "NULL", "'2030-12-31'"]),
    ("YEAR", ["2020", "1901", "NULL", "2155"]),
    ("ENUM('x', 'ä')", ["'x'", "'ä'", "NULL", "'x'"]),
    ("SET('x', 'y')", ["'x'", "'x,y'", "NULL", "''"]),
    ("BIT(9)", ["0", "257", "NULL", "511"]),
    ("JSON", ["'{}'", "'[1]'", "NULL", "'\"ä\"'"]),
    ("POINT", ["POINT(1, 2)", "POINT(0, 0)", "NULL", "POINT(3, 4)"]),
    ("INT AS (v7 + 1) VIRTUAL", ["DEFAULT"; 4]),
    ("INT AS (v7 + 1) STORED", ["DEFAULT"; 4]),
];

fn ask_handler_socket(
    (sql, port): (&mut Connection, &mut HandlerSocket),
    table: &Table,
    charset: &'static str,
    (statement, columns): (&str, &Columns),
) -> Outcome {
    let encoding = Charset::by_name(charset.as_bytes()).unwrap().encoding;
    let dialect = Dialect { encoding, no_backslash_escapes: false };
    let Some(select) = KeySelect::parse(statement.as_bytes(), dialect) else {
        return Outcome::NotByKey;
    };
    let expected = rows_of(sql, statement);
    let answer = || {
        let plan = HandlerSocketPlan::new(table, &select, &origins(columns), charset.as_bytes())?;
        Ok((plan.key(&select, dialect)?, plan))
    };
    let (key, plan) = match answer() {
        Ok(answer) => answer,
        Err(reason) => return Outcome::BySql(reason),
    };
    let key: Vec<Option<&[u8]>> = key.iter().map(|value| Some(&value[..])).collect();
    let index = plan.open(|open| port.open_index(open)).unwrap();
    port.send_find(index, &[&key], 2).unwrap();
    let (mut rows, mut checked): (Vec<Vec<Value>>, _) = (Vec::new(), Ok(()));
    port.read_rows(index, |row| {
        checked = checked.and(plan.check(row));
        rows.push(row.iter().map(|value| value.as_deref().map(<[u8]>::to_vec)).collect());
    })
    .unwrap();
    if let Err(reason) = checked {
        return Outcome::BySql(reason);
    }
    if rows.is_empty() {
        return Outcome::Missed;
    }
    assert_eq!(expected, Some(rows), "{statement} in {charset}");
    assert_eq!(sql.session().warnings, 0, "{statement} in {charset}");
    Outcome::ByPort
}

#[test]
fn what_a_plan_for_handler_socket_says_is_what_sql_says() {
    for server in Server::with(Feature::HandlerSocket) {
        let mut sql = server.connect();
        for statement in [
            "DROP DATABASE IF EXISTS kv_plans_too",
            "CREATE DATABASE kv_plans_too",
            "USE kv_plans_too",
            "SET time_zone = '+05:00'",
        ] {
            run(&mut sql, statement);
        }
        let secret = text(&mut sql, "SELECT @@handlersocket_plain_secret");
        let connect = || {
            let connected =
                HandlerSocket::connect(&server.key_value(), TIMEOUTS, Some(secret.as_bytes()));
            connected.unwrap()
        };
        let mut outcomes: BTreeMap<Outcome, usize> = BTreeMap::new();
        for (number, (key, keys)) in KEYS.iter().enumerate() {
            let names: Vec<String> =
                (0..ALL_TYPES.len()).map(|value| format!("v{value}")).collect();
            let columns: Vec<String> = ALL_TYPES
                .iter()
                .zip(&names)
                .map(|((kind, _), name)| format!("{name} {kind}"))
                .collect();
            run(
                &mut sql,
                &format!(
                    "CREATE TABLE t{number} (k {key}, part INT, {}, PRIMARY KEY (k), UNIQUE both_of (part, k), KEY several (part), UNIQUE begins (v0(2)))                  CHARACTER SET utf8mb4",
                    columns.join(", ")
                ),
            );
            for row in 0..4 {
                let values: Vec<&str> = ALL_TYPES.iter().map(|(_, values)| values[row]).collect();
                run(
                    &mut sql,
                    &format!(
                        "INSERT INTO t{number} VALUES ({}, {row}, {})",
                        keys[row],
                        values.join(", ")
                    ),
                );
            }
            let table = Table::read(&mut sql, b"kv_plans_too", format!("t{number}").as_bytes())
                .unwrap()
                .unwrap();
            let mut lists = names.clone();
            lists.extend([
                "v0, v4 AS x, v6, part".to_owned(),
                "k, part".to_owned(),
                "*".to_owned(),
                "v6 AS k, k AS v6".to_owned(),
            ]);
            for charset in ["utf8mb4", "latin1"] {
                run(&mut sql, &format!("SET NAMES {charset}"));
                let mut port = connect();
                let literals =
                    KEYS.iter().flat_map(|(_, keys)| keys).copied().chain(OTHERS.iter().copied());
                for (turn, literal) in literals.enumerate() {
                    for (which, list) in lists.iter().enumerate() {
                        let conditions = match (turn + which) % 4 {
                            0 => format!("part = {} AND k = {literal}", which % 4),
                            1 => format!("k = {literal} AND x.part = {}", which % 4),
                            _ => format!("k = {literal}"),
                        };
                        let statement = |conditions: &str| {
                            format!("SELECT {list} FROM t{number} x WHERE {conditions} LIMIT 1")
                        };
                        let columns = columns_of(&mut sql, &statement("k = 1"));
                        let asked = (&*statement(&conditions), &columns);
                        let outcome =
                            ask_handler_socket((&mut sql, &mut port), &table, charset, asked);
                        *outcomes.entry(outcome).or_default() += 1;
                    }
                }
            }
            for conditions in ["part = 1", "v0 = 'b '", "k = 1 AND v6 = 1", "none = 1"] {
                let dialect = Dialect {
                    encoding: Charset::by_name(b"utf8mb4").unwrap().encoding,
                    no_backslash_escapes: false,
                };
                let statement = format!("SELECT part FROM t{number} WHERE {conditions}");
                let select = KeySelect::parse(statement.as_bytes(), dialect).unwrap();
                let origin = Origin { table: select.table, column: b"part" };
                let plan = HandlerSocketPlan::new(&table, &select, &[origin], b"utf8mb4");
                assert_eq!(plan.unwrap_err(), Reason::KeyColumn, "{conditions}");
            }
        }
        eprintln!("{}: {outcomes:?}", server.name);
        assert!(outcomes[&Outcome::ByPort] > 1000);
        for reason in [Reason::KeyKind, Reason::KeyValue, Reason::ColumnKind, Reason::Charset] {
            assert!(outcomes.contains_key(&Outcome::BySql(reason)), "{reason:?}");
        }
    }
}
