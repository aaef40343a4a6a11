//! What the caller does between two rows, which takes as long as it likes: only waiting for the server counts as a query's time.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod limited;

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use limited::{Spoken, answer, lets_in};
use vaquita_client::{Address, ColumnType, ConnectOptions, Connection, Error};
use vaquita_fake_server::packets::{AUTOCOMMIT, column, column_count, eof, ok, row};

const LIMIT: Duration = Duration::from_millis(200);

/// Nobody listens at the address of this server: a query that has to be stopped is a connection lost.
fn connect(rows: &[Option<Vec<u8>>]) -> Connection {
    let mut says = Vec::from(lets_in());
    says.extend_from_slice(rows);
    let spoken = Spoken { says: says.into(), heard: <_>::default() };
    let options = ConnectOptions {
        query_timeout: Some(LIMIT),
        ..ConnectOptions::new(Address::Unix(PathBuf::from("/nobody/listens")))
    };
    Connection::over(Box::new(spoken), &options).unwrap()
}

/// Reads a result of two rows, and spends some time after each packet.
fn read(connection: &mut Connection, spend: impl Fn()) -> Result<(), Error> {
    connection.send_query(b"SELECT a")?;
    connection.read_query_response()?;
    spend();
    while connection.next_row()?.is_some() {
        spend();
    }
    Ok(())
}

#[test]
fn time_between_rows_does_not_count() {
    let columns = [column_count(1), column("a", ColumnType::VAR_STRING), eof(AUTOCOMMIT)];
    let row = || row(&[Some(b"v")]).into();
    // Each is read by itself.
    let answers = [
        answer(1, &columns.map(Vec::from)),
        answer(4, &[row()]),
        answer(5, &[row()]),
        answer(6, &[eof(AUTOCOMMIT).into()]),
        answer(1, &[ok(AUTOCOMMIT).into()]),
    ];
    let mut connection = connect(&answers);
    read(&mut connection, || {
        let begun = Instant::now();
        while begun.elapsed() < LIMIT {
            thread::yield_now();
        }
    })
    .unwrap();
    connection.ping().unwrap();
}
