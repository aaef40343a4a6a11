//! Where the end of a result falls in the read buffer changes nothing: in front of its end, across it, or behind it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what fails here is a failed test"
)]

mod fake;

use std::sync::Arc;

use fake::Over;
use vaquita_client::{ColumnType, Connection, State};
use vaquita_fake_server::packets::{AUTOCOMMIT, column, column_count, eof, row};
use vaquita_fake_server::{Delivery, Script};

/// The read buffer of a connection.
const BUFFER_BYTES: usize = 128 << 10;
/// What a value of 251 to 65,535 bytes has in front of it: the header of its packet, and its length.
const FRAME_BYTES: usize = 4 + 3;

#[test]
fn a_result_may_end_anywhere_in_the_buffer() {
    let value = [b'v'; 1000];
    let full_rows = BUFFER_BYTES / (FRAME_BYTES + value.len()) - 1;
    let room = BUFFER_BYTES - full_rows * (FRAME_BYTES + value.len());
    for left in 0..24 {
        let last = vec![b'l'; room - FRAME_BYTES - left];
        let mut values = vec![&value[..]; full_rows];
        values.push(&last);
        let script = Script::queried()
            .send(column_count(1))
            .send(column("a", ColumnType::VAR_STRING))
            .send(eof(AUTOCOMMIT))
            .send_all(values.iter().map(|value| row(&[Some(value)])))
            .send(eof(AUTOCOMMIT));
        let server = fake::serve(&Arc::new(script), Over::Unix, Delivery::WHOLE);
        let mut connection = Connection::connect(&fake::options(&server)).unwrap();
        connection.send_query(b"SELECT a").unwrap();
        connection.read_query_response().unwrap();
        let stored = connection.store_result().unwrap();
        assert_eq!(connection.state(), State::Ready);
        assert_eq!(stored.rows(), values.len() as u64);
        assert_eq!(stored.wire_bytes(), (BUFFER_BYTES - left) as u64);
        for (number, value) in (0..).zip(&values) {
            let found = stored.row(number).and_then(|row| row.values().next()).flatten();
            assert_eq!(found, Some(*value), "row {number}, with {left} bytes left");
        }
    }
}
