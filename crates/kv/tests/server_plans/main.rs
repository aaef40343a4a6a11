//! What key-value ports give where a plan says that it is what SQL gives: never anything else.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

#[path = "../../../client/tests/servers/mod.rs"]
mod servers;

#[path = "../ports/mod.rs"]
mod ports;

mod handler_socket;
mod memcached;

use servers::Value;
use vaquita_client::{Columns, Connection, QueryResponse};
use vaquita_kv::{Origin, Reason};

/// Keys of tables, each with those of four rows. All that plans may allow is among them, and some that they may not.
pub(crate) const KEYS: &[(&str, [&str; 4])] = &[
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

/// What a key is asked for by besides the rows' own.
pub(crate) const OTHERS: &[&str] = &[
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

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    ByPort,
    Missed,
    BySql(Reason),
    NotByKey,
}

/// The columns of a statement's result, which are those of all of its shape.
pub(crate) fn columns_of(sql: &mut Connection, statement: &str) -> Columns {
    sql.send_query(statement.as_bytes()).unwrap();
    sql.read_query_response().unwrap_or_else(|error| panic!("{statement}: {error}"));
    sql.store_result().unwrap().columns().clone()
}

pub(crate) fn origins(columns: &Columns) -> Vec<Origin<'_>> {
    columns.iter().map(|it| Origin { table: it.org_table(), column: it.org_name() }).collect()
}

/// The rows of a statement, if the server takes it: only then the port may answer, and only where SQL warns of nothing.
pub(crate) fn rows_of(sql: &mut Connection, statement: &str) -> Option<Vec<Vec<Value>>> {
    sql.send_query(statement.as_bytes()).unwrap();
    assert!(matches!(sql.read_query_response().ok()?, QueryResponse::ResultSet(_)));
    let mut stored = sql.store_result().unwrap();
    let mut rows = Vec::new();
    while let Some(row) = stored.next_row() {
        rows.push(row.values().map(|value| value.map(<[u8]>::to_vec)).collect());
    }
    Some(rows)
}
