//! What a server says to a client that sets a limit for its queries.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};

use vaquita_fake_server::packets::{
    AUTOCOMMIT, OFFERED, column, column_count, eof, greeting, ok, row,
};
use vaquita_protocol::ColumnType;

/// What names the server.
pub(crate) const UUID: &[u8] = b"a-uuid";

/// What a server answers that is asked for its own limit, the connection's id (all scripts greet with 7) and itself.
pub(crate) fn identity<'a>(
    limit: Option<&'a [u8]>,
    id: &'a [u8],
    uuid: &'a [u8],
) -> [Option<&'a [u8]>; 7] {
    let [started, host, port, folder] = [&b"1700000000"[..], b"host", b"3306", b"/data"].map(Some);
    [limit, Some(id), started, Some(uuid), host, port, folder]
}

/// The packets of one answer; the first has this sequence id.
pub(crate) fn answer(first: u8, payloads: &[Vec<u8>]) -> Option<Vec<u8>> {
    let packet = |(number, payload): (u8, &Vec<u8>)| {
        let length = u8::try_from(payload.len()).unwrap();
        [&[length, 0, 0, first + number], &payload[..]].concat()
    };
    Some((0..).zip(payloads).flat_map(packet).collect())
}

pub(crate) fn tells_identity() -> Option<Vec<u8>> {
    let values = identity(None, b"7", UUID);
    let mut tells = vec![Vec::from(column_count(values.len() as u64))];
    tells.extend(values.iter().map(|_| Vec::from(column("a", ColumnType::VAR_STRING))));
    tells.extend([eof(AUTOCOMMIT), row(&values), eof(AUTOCOMMIT)].map(Vec::from));
    answer(1, &tells)
}

/// Lets the client in, and tells it all that it asks; then it may send a query.
pub(crate) fn lets_in() -> [Option<Vec<u8>>; 3] {
    [
        answer(0, &[greeting(OFFERED, "mysql_native_password").into()]),
        answer(2, &[ok(AUTOCOMMIT).into()]),
        tells_identity(),
    ]
}

/// A stream that says one thing after the other, `None` being that it says nothing within the time, and keeps what it hears.
#[derive(Debug)]
pub(crate) struct Spoken {
    pub(crate) says: VecDeque<Option<Vec<u8>>>,
    pub(crate) heard: Arc<Mutex<Vec<u8>>>,
}

impl Read for Spoken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(said) = self.says.pop_front() else { return Ok(0) };
        let said = said.ok_or(io::ErrorKind::TimedOut)?;
        buffer[..said.len()].copy_from_slice(&said);
        Ok(said.len())
    }
}

impl Write for Spoken {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.heard.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
