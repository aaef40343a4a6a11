//! MariaDB's HandlerSocket.

use std::collections::BTreeMap;

use crate::ports::handler_socket;
use crate::servers::{Feature, Server, Value, run};
use crate::{KEYS, OTHERS, Outcome, columns_of, origins, rows_of};
use vaquita_client::{Charset, Columns, Connection, Dialect};
use vaquita_kv::{HandlerSocket, HandlerSocketPlan, KeySelect, Origin, Reason, Table};

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
        Ok((plan.key(select.values().all(), dialect)?, plan))
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
        let row: Vec<_> = row.iter().map(Option::as_deref).collect();
        checked = checked.and(plan.check(&row));
        rows.push(row.iter().map(|value| value.map(<[u8]>::to_vec)).collect());
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
                let mut port = handler_socket(&server, &mut server.connect());
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
