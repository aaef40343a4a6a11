//! Servers whose column definitions are wrong.

use vaquita_protocol::ColumnType;

use super::Outcome::{Gone, Malformed, Refused};
use super::{Expected, NamedScript, Outcome, Stage};
use crate::packets::{AUTOCOMMIT, column, column_count, eof, err, lenenc, row};
use crate::payload::Payload;
use crate::script::Script;

const fn fails(
    outcome: Outcome,
    name: &'static str,
    description: &'static str,
    build: fn() -> Script,
) -> NamedScript {
    NamedScript::new(name, Expected::Fails(Stage::Response, outcome), description, build)
}

/// The types that the documentation names; a server of tomorrow may send any other.
const NAMED_TYPES: [ColumnType; 28] = [
    ColumnType::DECIMAL,
    ColumnType::TINY,
    ColumnType::SHORT,
    ColumnType::LONG,
    ColumnType::FLOAT,
    ColumnType::DOUBLE,
    ColumnType::NULL,
    ColumnType::TIMESTAMP,
    ColumnType::LONGLONG,
    ColumnType::INT24,
    ColumnType::DATE,
    ColumnType::TIME,
    ColumnType::DATETIME,
    ColumnType::YEAR,
    ColumnType::NEWDATE,
    ColumnType::VARCHAR,
    ColumnType::BIT,
    ColumnType::JSON,
    ColumnType::NEWDECIMAL,
    ColumnType::ENUM,
    ColumnType::SET,
    ColumnType::TINY_BLOB,
    ColumnType::MEDIUM_BLOB,
    ColumnType::LONG_BLOB,
    ColumnType::BLOB,
    ColumnType::VAR_STRING,
    ColumnType::STRING,
    ColumnType::GEOMETRY,
];

/// The types of the columns of `column-types-unknown`: those without a name, and VECTOR, which is new.
pub fn unknown_types() -> Vec<ColumnType> {
    (0..=u8::MAX).map(ColumnType).filter(|it| !NAMED_TYPES.contains(it)).collect()
}

/// The value in the column of a type.
pub fn unknown_value(column_type: ColumnType) -> [u8; 4] {
    [column_type.0, 0, 0xFF, b'\'']
}

pub(super) const SCRIPTS: &[NamedScript] = &[
    NamedScript::new(
        "column-types-unknown",
        Expected::Fine,
        "a row of every type that the documentation does not name, and VECTOR",
        || {
            let types = unknown_types();
            let values: Vec<_> = types.iter().map(|it| unknown_value(*it)).collect();
            let values: Vec<_> = values.iter().map(|it| Some(&it[..])).collect();
            let count = u64::try_from(types.len()).unwrap_or(u64::MAX);
            Script::queried()
                .send(column_count(count))
                .send_all(types.iter().map(|it| column(&it.0.to_string(), *it)))
                .send(eof(AUTOCOMMIT))
                .send(row(&values))
                .send(eof(AUTOCOMMIT))
                .ping()
        },
    ),
    fails(Malformed, "column-empty", "a zero-length packet as column definition", || {
        defined(Payload::new())
    }),
    fails(
        Malformed,
        "column-cut-catalog",
        "a column definition that ends in its first name",
        || defined(id().cut_in("catalog")),
    ),
    fails(
        Malformed,
        "column-cut-name",
        "a column definition that ends in the column's name",
        || defined(id().cut_in("name")),
    ),
    fails(Malformed, "column-cut-type", "a column definition that ends before the type", || {
        defined(id().cut_in("type"))
    }),
    fails(Malformed, "column-cut-end", "a column definition that lacks its last byte", || {
        defined(id().cut_in("reserved"))
    }),
    fails(Malformed, "column-name-2^64-1", "a column's name of 2^64-1 bytes", || {
        defined(id().with("name", lenenc(u64::MAX)))
    }),
    fails(Malformed, "column-name-null", "a column's name that is NULL", || {
        defined(id().with("name", [0xFB]))
    }),
    fails(Malformed, "column-fixed-length", "fixed fields that are said to have 255 bytes", || {
        defined(id().with("length of fixed length fields", lenenc(255)))
    }),
    fails(Malformed, "column-trailing", "a column definition with more behind it", || {
        defined(id().field("more", [7; 40]))
    }),
    fails(Malformed, "column-name-1MiB", "a column's name of 1 MiB", || {
        let name = "x".repeat(1 << 20);
        defined(column(&name, ColumnType::LONG))
    }),
    fails(Malformed, "column-wrong-sequence-id", "a column definition with sequence id 9", || {
        Script::queried().send(column_count(1)).send_as(9, id())
    }),
    fails(Refused(1317), "column-err", "an ERR packet in place of a column definition", || {
        defined(err(1317, b"70100", "Query execution was interrupted")).ping()
    }),
    fails(Malformed, "column-missing", "one column definition too few", || {
        Script::queried().send(column_count(2)).send(id()).send(eof(AUTOCOMMIT))
    }),
    fails(Malformed, "missing-eof", "no EOF packet between column definitions and rows", || {
        defined(id()).send(row(&[Some(b"1")])).send(eof(AUTOCOMMIT))
    }),
    fails(Malformed, "eof-cut", "an EOF packet that ends in its status", || {
        defined(id()).send(eof(AUTOCOMMIT).cut_in("status_flags"))
    }),
    fails(Malformed, "eof-long", "an EOF packet with more behind it", || {
        defined(id()).send(eof(AUTOCOMMIT).field("more", [0]))
    }),
    fails(Gone, "column-close", "closes between two column definitions", || {
        Script::queried().send(column_count(2)).send(id()).close()
    }),
];

fn id() -> Payload {
    column("id", ColumnType::LONG)
}

/// A result set of one column, which is defined so.
fn defined(definition: Payload) -> Script {
    Script::queried().send(column_count(1)).send(definition)
}
