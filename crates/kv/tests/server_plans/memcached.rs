//! MySQL's memcached plugin.

use std::collections::BTreeMap;

use crate::ports::install;
use crate::servers::{Feature, Server, Value, run};
use crate::{KEYS, OTHERS, Outcome, columns_of, origins, rows_of};
use vaquita_client::{Charset, Columns, Connection, Dialect};
use vaquita_kv::{KeySelect, Literal, Mapping, Memcached, MemcachedPlan, Reason, Table};

/// Other columns, each with values for the four rows.
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

fn ask(
    sql: &mut Connection,
    port: &mut Memcached,
    (mapping, table): (&Mapping, &Table),
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
    let charset_name = charset.as_bytes();
    let plan = match MemcachedPlan::new(mapping, table, &select, &origins, charset_name, false) {
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
    let row = match plan.row(&given) {
        Ok(row) => row,
        Err(reason) => return Outcome::BySql(reason),
    };
    let row: Vec<Value> = row.into_iter().map(|value| value.map(<[u8]>::to_vec)).collect();
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
                let table = format!("t{number}");
                let table = Table::read(&mut sql, b"kv_plans", table.as_bytes()).unwrap().unwrap();
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
                        let outcome = ask(&mut sql, &mut port, (&mapping, &table), charset, asked);
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
