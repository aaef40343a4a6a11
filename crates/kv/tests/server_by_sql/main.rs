//! Rows by their keys over ordinary connections, on real servers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

#[path = "../../../client/tests/servers/mod.rs"]
mod servers;

mod equal;
mod sessions;
mod writing;

use servers::{Server, Value, run};
use vaquita_client::{Buffered, Connection, Data, Parameter};
use vaquita_kv::{Found, KeyValue, KeyedTable, Table};

/// A connection in a database of its own.
pub(crate) fn in_database(server: &Server, name: &str) -> Connection {
    let mut connection = server.connect();
    run(&mut connection, &format!("DROP DATABASE IF EXISTS {name}"));
    run(&mut connection, &format!("CREATE DATABASE {name} CHARACTER SET utf8mb4"));
    run(&mut connection, &format!("USE {name}"));
    connection
}

/// A table of the current database, by its primary key.
pub(crate) fn keyed(connection: &mut Connection, name: &str) -> KeyedTable {
    KeyedTable::new(&table(connection, name), b"PRIMARY", None).unwrap()
}

pub(crate) fn table(connection: &mut Connection, name: &str) -> Table {
    let database = servers::text(connection, "SELECT DATABASE()");
    Table::read(connection, database.as_bytes(), name.as_bytes()).unwrap().unwrap()
}

pub(crate) fn written(value: &[u8]) -> Parameter<'_> {
    Parameter::Text(Data::Bytes(value))
}

pub(crate) fn text(key: &str) -> KeyValue<'_> {
    KeyValue::Bytes(key.as_bytes())
}

/// The values of each key that was found.
pub(crate) fn values(found: &Found) -> Vec<Option<Vec<Value>>> {
    let row = |key| {
        let row = found.row(key)?;
        assert_eq!(found.columns(key).unwrap().len(), found.values());
        let values = row.values().take(found.values());
        Some(values.map(|value| value.map(<[u8]>::to_vec)).collect())
    };
    (0..found.keys()).map(row).collect()
}

/// The first value of each key that was found, as a text.
pub(crate) fn first_values(found: &Found) -> Vec<Option<String>> {
    let first = |row: Vec<Value>| String::from_utf8(row[0].clone().unwrap()).unwrap();
    values(found).into_iter().map(|row| row.map(first)).collect()
}

/// How many results it took.
pub(crate) fn results(found: &Found) -> usize {
    found.results().iter().filter(|it: &&Buffered| it.rows() > 0).count()
}

/// Finds a key's first value, alone.
pub(crate) fn get(
    table: &mut KeyedTable,
    connection: &mut Connection,
    key: KeyValue<'_>,
) -> Option<String> {
    let found = table.get(connection, &[key]).unwrap();
    first_values(&found).pop().unwrap()
}
