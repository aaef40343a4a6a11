//! The columns and rows of a result set, as they arrive.

use vaquita_protocol::panic_point;
use vaquita_protocol::{Capabilities, EofPacket, ErrPacket, Malformed, OkPacket};

use crate::buffered::{Buffered, Storage};
use crate::columns::{Columns, long_bytes_with};
use crate::connection::{Answer, Connection};
use crate::error::Error;
use crate::memory::LONG_VALUE_BYTES;
use crate::packet_stream::{MAX_ANSWER_BYTES, ReceivedLongRow, Span};
use crate::row::Row;
use crate::session::Session;
use crate::state::{Call, State};
use crate::statistics::PacketKind;

/// Rows that stand one behind the other in the read buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    first: Span,
    /// Where the last one ends.
    end: usize,
}

/// The longest column definition.
///
/// Six names of at most 256 characters each (<https://dev.mysql.com/doc/refman/8.0/en/identifier-length.html>), with much to spare.
const MAX_COLUMN_DEFINITION_BYTES: usize = 1 << 16;

/// What all definitions of a result may have together: a table's 4096 columns
/// (<https://dev.mysql.com/doc/refman/8.0/en/column-count-limit.html>) with names of 3 KiB each in the longest of character sets take less than half of
/// it, and so do the 70,000 short ones that MariaDB gives of a select list.
const MAX_COLUMN_DEFINITIONS_BYTES: usize = 32 << 20;

/// With [`Capabilities::DEPRECATE_EOF`], an end of rows is an OK packet shorter than this; anything longer is a row.
const MAX_END_BYTES: usize = 0xFF_FFFF;

impl Connection {
    /// Reads the definitions of a result's `count` columns, and the EOF packet after them where the connection has those.
    pub(crate) fn read_columns(&mut self, count: u32) -> Result<Columns, Error> {
        let (columns, eof) = self.read_definitions(count)?;
        self.session.columns(columns.len(), eof);
        Ok(columns)
    }

    /// Reads `count` definitions, and the EOF packet after them where the connection has those and there are any.
    pub(crate) fn read_definitions(
        &mut self,
        count: u32,
    ) -> Result<(Columns, Option<EofPacket>), Error> {
        if count == 0 {
            return Ok((Columns::default(), None));
        }
        let is_next = |packets: &[u8]| self.stream.is_next(packets);
        let columns = match self.known_columns.find(count as usize, is_next) {
            Some((columns, bytes)) => {
                self.stream.take_definitions(count, bytes);
                columns
            }
            None => self.read_new_columns(count)?,
        };
        if self.capabilities.contains(Capabilities::DEPRECATE_EOF) {
            return Ok((columns, None));
        }
        // Also in the place of the EOF packet: MariaDB opens a cursor only after it has told the columns.
        let eof = self.receive_definition(PacketKind::Eof, MAX_ANSWER_BYTES)?;
        Ok((columns, Some(EofPacket::parse(self.stream.payload(eof))?)))
    }

    fn read_new_columns(&mut self, count: u32) -> Result<Columns, Error> {
        let received = self.receive_definitions(count);
        if received.is_err() {
            // No connection is to keep 32 MiB of what is no result's.
            self.known_columns.arriving.clear();
        }
        received.map(|()| self.known_columns.take_arrived())
    }

    fn receive_definitions(&mut self, count: u32) -> Result<(), Error> {
        let mut left = MAX_COLUMN_DEFINITIONS_BYTES;
        for _ in 0..count {
            let (kind, most) = (PacketKind::ColumnDefinition, MAX_COLUMN_DEFINITION_BYTES);
            let definition = self.receive_definition(kind, most.min(left))?;
            left = left.saturating_sub(definition.end - definition.start);
            self.known_columns.arriving.push(self.stream.packet(definition))?;
        }
        let packet_bytes = self.known_columns.arriving.packets().len();
        let bytes = long_bytes_with(count as usize, packet_bytes);
        let too_many = bytes.filter(|bytes| !self.stream.memory().has_room(*bytes));
        too_many.map_or(Ok(()), |bytes| Err(Error::OutOfMemory { bytes }))
    }

    /// Receives a packet in whose place the server may refuse to go on.
    fn receive_definition(&mut self, kind: PacketKind, most: usize) -> Result<Span, Error> {
        let span = self.stream.receive(most)?;
        self.stream.counted().packet(kind, span.end - span.start);
        let payload = self.stream.payload(span);
        if ErrPacket::is_err(payload) {
            let error = Error::server(&ErrPacket::parse(payload)?);
            self.stream.note_refused();
            self.state = self.end_of_statement();
            return Err(error);
        }
        Ok(span)
    }

    /// Reads the next row; `None` at the end of the result, which leaves the connection ready or with a next result pending.
    ///
    /// # Errors
    /// The server ended the result with an error, or the connection failed, or no rows are due.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>, Error> {
        self.state.allow(Call::ReadRows)?;
        let row = self.receive_row();
        self.row = self.settle(row)?;
        Ok(self.current_row())
    }

    /// Goes on to the next row if it has come already and is a usual one: [`Connection::current_row`] shows it. False, and nothing
    /// changes: [`Connection::next_row`] has more to do.
    #[inline]
    pub fn next_received_row(&mut self) -> bool {
        panic_point("client/result_set received");
        if self.state != State::FetchingData {
            return false;
        }
        let Some(row) = self.receive_short_row() else { return false };
        self.forget_rows();
        self.row = Some(row);
        true
    }

    /// Reads the next row, as [`Connection::next_row`] does, and those behind it that have come with it: how many;
    /// [`Connection::current_rows`] shows them. 0 at the end.
    ///
    /// # Errors
    /// As [`Connection::next_row`].
    pub fn next_rows(&mut self) -> Result<u32, Error> {
        self.state.allow(Call::ReadRows)?;
        let row = self.receive_row();
        let Some(first) = self.settle(row)? else { return Ok(0) };
        let (mut last, mut count) = (first, 1);
        if self.spoilt.is_none() && self.stream.long().is_empty() {
            while let Some(span) = self.receive_short_row() {
                (last, count) = (span, count + 1);
            }
        }
        self.row = Some(last);
        self.rows = Some(Rows { first, end: last.end });
        Ok(count)
    }

    /// The rows that [`Connection::next_rows`] read last, until the next call that reads or sends.
    pub fn current_rows(&self) -> impl Iterator<Item = Row<'_>> {
        let rows = self.rows.filter(|_| self.row.is_some());
        let mut next = rows.map(|rows| rows.first);
        std::iter::from_fn(move || {
            let span = next?;
            let is_last = rows.is_none_or(|rows| span.end >= rows.end);
            next = if is_last { None } else { self.stream.payload_after(span) };
            // Where there are long values it is alone.
            Some(self.layout.row_with(self.stream.payload(span), self.stream.long()))
        })
    }

    /// Whether the answer's rows are those of a prepared statement, also where it has several results.
    pub fn has_binary_rows(&self) -> bool {
        self.answer != Answer::Text
    }

    /// The row that [`Connection::next_row`] read last, until the next call that reads or sends.
    #[inline]
    pub fn current_row(&self) -> Option<Row<'_>> {
        self.row.map(|span| self.layout.row_with(self.stream.payload(span), self.stream.long()))
    }

    /// What is wrong with that row, where such rows are kept ([`Connection::keep_spoilt_rows`]): then it is the last one.
    #[inline]
    pub fn spoilt_row(&self) -> Option<Malformed> {
        self.spoilt
    }

    /// Reads the rest of the result into memory.
    ///
    /// # Errors
    /// As [`Connection::next_row`].
    pub fn store_result(&mut self) -> Result<Buffered, Error> {
        self.state.allow(Call::ReadRows)?;
        let stored = self.store_rows();
        let stored = self.settle(stored)?;
        self.session.affected_rows = stored.rows();
        Ok(stored)
    }

    fn store_rows(&mut self) -> Result<Buffered, Error> {
        panic_point("client/result_set");
        let mut storage = std::mem::take(&mut self.storage);
        // What stands before the first row is none of the result's.
        self.stream.begin_storing();
        let received = self.receive_rows(&mut storage);
        let rows_end = received.as_ref().copied().unwrap_or_default();
        let chunks = self.stream.end_storing(rows_end);
        received?;
        let (columns, layout) = (self.columns.clone(), self.layout.clone());
        let memory = self.stream.memory();
        let stored = storage.finish(columns, layout, chunks?, self.spoilt, memory)?;
        self.storage = storage;
        Ok(stored)
    }

    /// Receives all rows: where the last one ends in the chunk at hand.
    fn receive_rows(&mut self, storage: &mut Storage) -> Result<usize, Error> {
        let memory = self.stream.memory();
        let (mut rows_end, mut end_chunk) = (0, 0);
        loop {
            let chunk = self.stream.chunk_number();
            storage.set_chunk(chunk);
            while let Some(span) = self.receive_short_row() {
                storage.push(span.start, memory)?;
                (rows_end, end_chunk) = (span.end, chunk);
            }
            let Some(span) = self.receive_row()? else { break };
            let chunk = self.stream.chunk_number();
            storage.set_chunk(chunk);
            storage.push(span.start, memory)?;
            storage.push_long(self.stream.take_long());
            (rows_end, end_chunk) = (span.end, chunk);
            if self.spoilt.is_some() {
                break;
            }
        }
        Ok(if end_chunk == self.stream.chunk_number() { rows_end } else { 0 })
    }

    /// Skips the rest of the result.
    ///
    /// # Errors
    /// As [`Connection::next_row`].
    pub fn discard_result(&mut self) -> Result<(), Error> {
        panic_point("client/result_set discard");
        self.state.allow(Call::ReadRows)?;
        let is_binary = self.has_binary_rows();
        self.stream.counted().results_discarded.add(is_binary, 1);
        loop {
            let row = self.skip_row();
            if !self.settle(row)? || self.spoilt.is_some() {
                return Ok(());
            }
            self.stream.counted().rows_discarded.add(is_binary, 1);
        }
    }

    /// Skips what has arrived of the result, and waits for nothing: whether that was all of it.
    ///
    /// # Errors
    /// As [`Connection::next_row`].
    pub fn discard_arrived(&mut self) -> Result<bool, Error> {
        self.state.allow(Call::ReadRows)?;
        let is_binary = self.has_binary_rows();
        self.stream.counted().results_discarded.add(is_binary, 1);
        while self.stream.peek_short().is_some() {
            let row = self.skip_row();
            if !self.settle(row)? {
                return Ok(true);
            }
            self.stream.counted().rows_discarded.add(is_binary, 1);
        }
        Ok(false)
    }

    /// Receives a row and checks it; at the end of the result, says so to the session and the state.
    #[inline]
    fn receive_row(&mut self) -> Result<Option<Span>, Error> {
        self.forget_rows();
        match self.receive_short_row() {
            Some(span) => Ok(Some(span)),
            None => self.receive_any_row(),
        }
    }

    /// Receives a row that nobody wants: whether there was one.
    fn skip_row(&mut self) -> Result<bool, Error> {
        self.forget_rows();
        if self.receive_short_row().is_some() {
            return Ok(true);
        }
        let length = self.stream.receive_header()?;
        if !self.is_long_row(length)? {
            return self.receive_usual_row(length).map(|row| row.is_some());
        }
        let payload_bytes = self.stream.skip_payload(length)?;
        self.stream.counted().row(self.answer != Answer::Text, payload_bytes);
        Ok(true)
    }

    /// Forgets the rows that were read last: nothing is left of the memory that was lent for them.
    #[inline]
    pub fn forget_rows(&mut self) {
        (self.row, self.rows) = (None, None);
        self.stream.forget_long();
    }

    /// The next row, where nothing has to be received and it is a usual one.
    #[inline(always)]
    fn receive_short_row(&mut self) -> Option<Span> {
        let span = self.stream.peek_short()?;
        let payload = self.stream.payload(span);
        // No row begins with one of these but one whose first value has 16 MiB or more.
        if matches!(payload, [0xFE | 0xFF, ..]) || !self.layout.is_row(payload) {
            return None;
        }
        self.stream.take_short(span);
        self.stream.counted().row(self.answer != Answer::Text, span.end - span.start);
        Some(span)
    }

    /// Does as [`Connection::receive_row`], whatever it takes.
    #[inline(never)]
    fn receive_any_row(&mut self) -> Result<Option<Span>, Error> {
        let length = self.stream.receive_header()?;
        if !self.is_long_row(length)? {
            return self.receive_usual_row(length);
        }
        let row = self.stream.receive_long_row(length, &self.layout)?;
        let ReceivedLongRow { span, payload_bytes, malformed } = row;
        if let Some(malformed) = malformed {
            self.spoil(malformed)?;
        }
        self.stream.counted().row(self.answer != Answer::Text, payload_bytes);
        Ok(Some(span))
    }

    /// Whether the payload whose header has just been received is a row that may have long values.
    fn is_long_row(&mut self, length: usize) -> Result<bool, Error> {
        Ok(length >= LONG_VALUE_BYTES
            && match self.stream.first_of_payload()? {
                Some(0xFF) => false,
                // Only with a value of 16 MiB or more does a row begin so.
                Some(0xFE) => length >= MAX_END_BYTES,
                _ => true,
            })
    }

    /// What a row can't be read for is an error, or kept, and the connection is given up either way.
    fn spoil(&mut self, malformed: Malformed) -> Result<(), Error> {
        if self.refuses_spoilt_rows {
            return Err(malformed.into());
        }
        self.spoilt = Some(malformed);
        self.state = State::Broken;
        Ok(())
    }

    /// Receives a row that stays in one piece, or the end of the result.
    fn receive_usual_row(&mut self, length: usize) -> Result<Option<Span>, Error> {
        self.stream.read_far_ahead();
        // A longer one may have long values, unless it is none.
        let span = self.stream.receive_payload(length, MAX_ANSWER_BYTES)?;
        let payload = self.stream.payload(span);
        if matches!(payload, [0xFE | 0xFF, ..]) {
            let ended = end_of_rows(payload, self.capabilities, &mut self.session);
            if !matches!(ended, Ok(false)) {
                self.stream.counted().row_end.add(span.end - span.start);
                match ended {
                    Ok(_) => self.state = self.state_after_result(),
                    Err(Error::Server { .. }) => {
                        self.stream.note_refused();
                        self.state = self.end_of_statement();
                    }
                    Err(_) => {}
                }
                return ended.map(|_| None);
            }
        }
        if let Err(malformed) = self.layout.check(payload) {
            self.spoil(malformed)?;
        }
        self.stream.counted().row(self.answer != Answer::Text, span.end - span.start);
        Ok(Some(span))
    }
}

/// Whether the payload of one packet ends a result; an ERR packet ends it with an error.
fn end_of_rows(
    payload: &[u8],
    capabilities: Capabilities,
    session: &mut Session,
) -> Result<bool, Error> {
    if ErrPacket::is_err(payload) {
        return Err(Error::server(&ErrPacket::parse(payload)?));
    }
    if capabilities.contains(Capabilities::DEPRECATE_EOF) {
        let OkPacket { warnings, status, session_state, .. } =
            OkPacket::parse(payload, capabilities)?;
        session.follow(session_state)?;
        session.end_of_rows(EofPacket { warnings, status });
        return Ok(true);
    }
    if !EofPacket::is_eof(payload) {
        return Ok(false);
    }
    session.end_of_rows(EofPacket::parse(payload)?);
    Ok(true)
}
