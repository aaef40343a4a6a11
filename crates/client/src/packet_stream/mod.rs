//! Packets over a transport: headers, sequence ids, split payloads, and the one read buffer.

mod counted;
mod definitions;
mod goodbye;
mod long;
mod outward;
mod pipelined;
mod put;
mod storing;
mod timed;

use std::collections::VecDeque;
use std::fmt;

pub(crate) use long::ReceivedLongRow;
pub(crate) use pipelined::ReplyIds;
use socket2::Socket;
pub(crate) use storing::Chunks;
use storing::Storing;
use vaquita_protocol::packet_header::{MAX_PACKET_PAYLOAD_BYTES, PACKET_HEADER_BYTES};
use vaquita_protocol::panic_point;
use vaquita_protocol::reader::{chunk_at, span};
use vaquita_protocol::{Malformed, PacketHeader};
use vaquita_sys::Block;

use crate::clock::Clock;
use crate::compression::{Compression, CompressionAlgorithm};
use crate::error::Error;
use crate::memory::{LONG_VALUE_BYTES, Memory, SystemMemory};
use crate::own::Own;
use crate::statistics::{PacketKind, Statistics};
use crate::tls;
use crate::transport::Transport;

/// The read buffer of a connection. Measured: smaller ones double the system calls, larger ones gain nothing.
pub(crate) const READ_BUFFER_BYTES: usize = 128 << 10;

/// The longest payload that is put together or taken apart.
///
/// Source: `max_allowed_packet` cannot be set above 1 GiB, neither on MySQL nor on MariaDB
/// (<https://dev.mysql.com/doc/refman/8.0/en/server-system-variables.html#sysvar_max_allowed_packet>).
pub(crate) const MAX_PAYLOAD_BYTES: usize = 1 << 30;

/// Where a received payload stands in the read buffer, until the next packet is received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The longest packet of a server that does not know who we are yet: greetings, keys, nonces, refusals.
pub(crate) const MAX_CONNECTION_PHASE_BYTES: usize = 1 << 16;

/// The longest answer that is no row and no column: OK, ERR, EOF, a count, a file's name. One packet holds it.
pub(crate) const MAX_ANSWER_BYTES: usize = MAX_PACKET_PAYLOAD_BYTES - 1;

/// Packets over a transport.
pub(crate) struct PacketStream {
    transport: Transport,
    /// What stands between packets and transport from the end of authentication on, if both sides agreed upon it.
    compression: Option<Box<Compression>>,
    /// Where packets are received; `start..end` was received and not yet given out.
    buffer: Block,
    start: usize,
    end: usize,
    /// How much is read at once where more has room.
    read_ahead: usize,
    /// While rows stay where they are received.
    storing: Option<Storing>,
    /// The long values of the row that was received last.
    long: Vec<Block>,
    /// Where what is stored and long values get their memory from.
    memory: &'static dyn Memory,
    /// The id of the next packet in either direction.
    sequence_id: u8,
    /// A small command with its header, kept for its allocation.
    out: Vec<u8>,
    /// What was counted, but for the bytes, which the transport counts.
    counted: Statistics,
    /// Under which name the driver's own commands are counted; `None`: they are its user's.
    counts_as: Option<Own>,
    /// The command that was sent last, and how many bytes had been sent before it; `None`: its reply has begun, or it was not sent.
    latest: Option<(u8, u64)>,
    /// Those before it that nothing of a reply has come to either, and their bytes; not those in a queue, which a pipeline knows.
    earlier: VecDeque<(u8, u64)>,
    /// How long it took.
    clock: Clock,
}

impl PacketStream {
    pub(crate) fn new(transport: Transport) -> Self {
        PacketStream {
            transport,
            compression: None,
            buffer: Block::zeroed(READ_BUFFER_BYTES),
            start: 0,
            end: 0,
            read_ahead: READ_BUFFER_BYTES,
            storing: None,
            long: Vec::new(),
            memory: &SystemMemory,
            sequence_id: 0,
            out: Vec::new(),
            counted: Statistics::default(),
            counts_as: None,
            latest: None,
            earlier: VecDeque::new(),
            clock: Clock::new(),
        }
    }

    pub(crate) fn transport(&mut self) -> &mut Transport {
        &mut self.transport
    }

    /// The socket, if it is one.
    pub(crate) fn socket(&self) -> Option<&Socket> {
        self.transport.socket()
    }

    /// Whether something was received that nobody has read.
    pub(crate) fn has_received(&self) -> bool {
        self.start != self.end
            || self.compression.as_deref().is_some_and(|it| !it.is_empty())
            || self.transport.has_received()
    }

    /// Goes on in TLS.
    ///
    /// # Errors
    /// As [`Transport::start_tls`]; and if the server has already said more: whoever said it in plain text may be anybody.
    pub(crate) fn start_tls(&mut self, setup: tls::Setup) -> Result<(), Error> {
        panic_point("client/tls");
        if self.start != self.end {
            return Err(Error::Tls("the server sent data before TLS began".to_owned()));
        }
        self.transport.start_tls(setup)
    }

    /// From now on all is compressed, in both directions.
    ///
    /// # Errors
    /// The server went on without compression, or there is no memory.
    pub(crate) fn begin_compression(
        &mut self,
        algorithm: CompressionAlgorithm,
    ) -> Result<(), Error> {
        self.refuse_leftovers()?;
        self.compression = Some(Box::new(Compression::new(algorithm)?));
        Ok(())
    }

    /// Receives a packet of at most `limit` bytes and lends its payload.
    ///
    /// A server that says that there is more is not listened to: what comes before rows is never large.
    pub(crate) fn read_packet(&mut self, kind: PacketKind, limit: usize) -> Result<&[u8], Error> {
        let payload = self.receive(limit)?;
        self.counted.packet(kind, payload.end - payload.start);
        Ok(self.payload(payload))
    }

    /// The bytes of the payload received last.
    #[inline]
    pub(crate) fn payload(&self, payload: Span) -> &[u8] {
        span(&self.buffer, payload.start, payload.end)
    }

    /// Receives a packet of at most `limit` bytes, put together if it was split. While rows are stored, the payloads before it stay where they
    /// are.
    #[inline]
    pub(crate) fn receive(&mut self, limit: usize) -> Result<Span, Error> {
        let length = self.receive_header()?;
        self.receive_payload(length, limit)
    }

    /// Receives the next packet's header, and gives the length that it claims.
    #[inline]
    pub(crate) fn receive_header(&mut self) -> Result<usize, Error> {
        self.header_at(0)
    }

    /// The first byte of the payload whose header has just been received; it stays unread.
    pub(crate) fn first_of_payload(&mut self) -> Result<Option<u8>, Error> {
        self.fill(PACKET_HEADER_BYTES + 1)?;
        Ok(self.buffer.get(self.start + PACKET_HEADER_BYTES).copied())
    }

    /// Receives the payload, of at most `limit` bytes, whose header has just been received and claims `length`.
    #[inline]
    pub(crate) fn receive_payload(&mut self, length: usize, limit: usize) -> Result<Span, Error> {
        if length > limit {
            return Err(Malformed::new("Packet", "payload_length").into());
        }
        if length == MAX_PACKET_PAYLOAD_BYTES {
            return self.receive_split(limit);
        }
        self.fill(PACKET_HEADER_BYTES + length)?;
        let start = self.start + PACKET_HEADER_BYTES;
        self.start = start + length;
        Ok(Span { start, end: self.start })
    }

    /// The long values of the row that was received last.
    #[inline]
    pub(crate) fn long(&self) -> &[Block] {
        &self.long
    }

    /// Gives them away.
    #[inline]
    pub(crate) fn take_long(&mut self) -> impl Iterator<Item = Block> {
        self.long.drain(..)
    }

    /// Forgets them.
    #[inline]
    pub(crate) fn forget_long(&mut self) {
        if !self.long.is_empty() {
            self.long.clear();
        }
    }

    pub(crate) fn memory(&self) -> &'static dyn Memory {
        self.memory
    }

    /// Has what is stored, and long values, stand in this memory.
    pub(crate) fn set_memory(&mut self, memory: &'static dyn Memory) {
        self.memory = memory;
    }

    /// The payload that comes next, if it is here as a whole and too short for long values. It is not received before
    /// [`PacketStream::take_short`].
    #[inline]
    pub(crate) fn peek_short(&self) -> Option<Span> {
        let received = self.buffer.get(self.start..self.end)?;
        let header = PacketHeader::parse(*received.first_chunk()?);
        let length = usize::try_from(header.payload_length).ok()?;
        if length > received.len() - PACKET_HEADER_BYTES
            || length >= LONG_VALUE_BYTES
            || header.sequence_id != self.sequence_id
            || self.compression.is_some()
        {
            return None;
        }
        let start = self.start + PACKET_HEADER_BYTES;
        Some(Span { start, end: start + length })
    }

    /// The payload of the packet that follows another one, if it is here.
    #[inline]
    pub(crate) fn payload_after(&self, other: Span) -> Option<Span> {
        let header = PacketHeader::parse(chunk_at(&self.buffer, other.end)?);
        let start = other.end + PACKET_HEADER_BYTES;
        Some(Span { start, end: start + usize::try_from(header.payload_length).ok()? })
    }

    /// Receives a payload that was looked at.
    #[inline]
    pub(crate) fn take_short(&mut self, payload: Span) {
        self.sequence_id = self.sequence_id.wrapping_add(1);
        self.counted.packets_received += 1;
        self.start = payload.end;
    }

    /// Receives a payload of several packets and closes the gaps that their headers leave.
    #[cold]
    fn receive_split(&mut self, limit: usize) -> Result<Span, Error> {
        let mut total = MAX_PACKET_PAYLOAD_BYTES;
        loop {
            let whole = PACKET_HEADER_BYTES + total;
            let length = self.header_at(whole)?;
            if total + length > limit {
                return Err(Error::TooLarge);
            }
            let gap = self.start + whole;
            self.buffer.take_out(gap, PACKET_HEADER_BYTES, self.end);
            self.end -= PACKET_HEADER_BYTES;
            total += length;
            self.fill(PACKET_HEADER_BYTES + total)?;
            if length < MAX_PACKET_PAYLOAD_BYTES {
                let start = self.start + PACKET_HEADER_BYTES;
                self.start = start + total;
                return Ok(Span { start, end: self.start });
            }
        }
    }

    /// Receives the header that stands `at` bytes after the start, checks its sequence id, and gives its payload's length.
    #[inline]
    fn header_at(&mut self, at: usize) -> Result<usize, Error> {
        self.fill(at + PACKET_HEADER_BYTES)?;
        let malformed = |field| Malformed::new("Packet", field);
        let header = chunk_at(&self.buffer, self.start + at).ok_or(malformed("header"))?;
        let header = PacketHeader::parse(header);
        // With compression the ids of compressed packets are checked. A server takes over the next of those for its own packets
        // whenever it has sent what it had, and checks none of ours.
        if header.sequence_id != self.sequence_id && self.compression.is_none() {
            return Err(self.goodbye(header).unwrap_or(malformed("sequence_id").into()));
        }
        self.sequence_id = header.sequence_id.wrapping_add(1);
        self.counted.packets_received += 1;
        usize::try_from(header.payload_length).map_err(|_| malformed("payload_length").into())
    }

    /// Receives until `need` bytes stand at the start.
    #[inline]
    fn fill(&mut self, need: usize) -> Result<(), Error> {
        if self.end - self.start >= need { Ok(()) } else { self.fill_by_reading(need) }
    }

    fn fill_by_reading(&mut self, need: usize) -> Result<(), Error> {
        panic_point("client/packet_stream read");
        while self.end - self.start < need {
            self.make_room(need)?;
            let most = self.read_ahead.max(need - (self.end - self.start));
            let room = self.buffer.room(self.end, most);
            let before = self.clock.before_read();
            let read = read(&mut self.transport, &mut self.compression, room);
            self.note_read(before, &read);
            self.end += read.or_else(|error| self.hear_goodbye(error))?;
            self.buffer.grow_to(self.end);
        }
        Ok(())
    }

    /// Reads at least one byte into `room`, past the buffer, which is empty.
    fn read_into(&mut self, room: &mut [u8]) -> Result<usize, Error> {
        let before = self.clock.before_read();
        let read = read(&mut self.transport, &mut self.compression, room);
        self.note_read(before, &read);
        read.or_else(|error| self.hear_goodbye(error))
    }

    fn make_room(&mut self, need: usize) -> Result<(), Error> {
        if self.storing.is_some() {
            while self.start + need > self.buffer.capacity() && self.has_next_chunk() {
                self.next_chunk()?;
            }
        } else if self.start == self.end || self.start + need > self.buffer.capacity() {
            self.compact();
        }
        if self.end < self.buffer.capacity() { Ok(()) } else { self.grow(need) }
    }

    /// Has the buffer have room for more of `need` bytes at the start.
    #[cold]
    fn grow(&mut self, need: usize) -> Result<(), Error> {
        self.check_result_bytes(self.end)?;
        // It grows as bytes arrive: what a header claims alone takes no memory; and by not too little, for it may move each time.
        let capacity = self.buffer.capacity();
        let bytes = (self.start + need).clamp(capacity + capacity / 8, capacity * 2);
        // What is stored stands in memory that is lent; the read buffer is the system's, which nobody else counts.
        let has_room = self.storing.is_some() || self.memory.has_room(bytes);
        if has_room && self.buffer.resize(bytes) {
            Ok(())
        } else {
            Err(Error::OutOfMemory { bytes })
        }
    }

    /// Moves what is not yet given out to the front.
    pub(crate) fn compact(&mut self) {
        self.buffer.take_out(0, self.start, self.end);
        self.end -= self.start;
        self.start = 0;
    }

    /// A server has nothing to say now: what it said all the same, other than a goodbye, would be taken for the next answer.
    #[inline]
    pub(crate) fn refuse_leftovers(&mut self) -> Result<(), Error> {
        if self.start == self.end && self.compression.as_deref().is_none_or(Compression::is_empty) {
            return Ok(());
        }
        self.begin_exchange();
        let malformed = Malformed::new("Packet", "sequence_id");
        Err(self.unasked_goodbye().unwrap_or(malformed.into()))
    }

    /// The next packet, in either direction, begins an exchange.
    #[inline]
    fn begin_exchange(&mut self) {
        self.sequence_id = 0;
        if let Some(compression) = &mut self.compression {
            compression.begin_exchange();
        }
    }
}

fn read(
    transport: &mut Transport,
    compression: &mut Option<Box<Compression>>,
    room: &mut [u8],
) -> Result<usize, Error> {
    match compression {
        None => transport.read(room).map_err(|error| Error::lost(error, false)),
        Some(compression) => compression.read(transport, room),
    }
}

impl fmt::Debug for PacketStream {
    /// Lengths only: what was sent may be a password, and what was received somebody's data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketStream")
            .field("transport", &self.transport)
            .field("unread_bytes", &(self.end - self.start))
            .field("sequence_id", &self.sequence_id)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Address;
    use std::io::Cursor;

    const ONE: usize = MAX_PACKET_PAYLOAD_BYTES;

    /// Receives a payload of so many bytes, sent in as many packets as it takes.
    fn receive(length: usize, limit: usize) -> Result<(), Error> {
        let payload = vec![b'x'; length];
        let mut bytes = Vec::new();
        let parts =
            (0..).zip(payload.chunks(ONE).chain(length.is_multiple_of(ONE).then_some(&[][..])));
        for (sequence_id, part) in parts {
            let payload_length = u32::try_from(part.len()).unwrap();
            bytes.extend_from_slice(&PacketHeader { payload_length, sequence_id }.encode());
            bytes.extend_from_slice(part);
        }
        let transport = Transport::over(Box::new(Cursor::new(bytes)), &Address::Unix("x".into()));
        let mut stream = PacketStream::new(transport);
        let received = stream.receive(limit)?;
        assert!(stream.payload(received) == payload, "{length}");
        Ok(())
    }

    #[test]
    fn the_limit_is_that_of_all_parts_together() {
        for length in [0, 1, ONE - 1, ONE, ONE + 5, 2 * ONE, 2 * ONE + 1] {
            receive(length, length).unwrap();
        }
        for length in [ONE + 1, 2 * ONE, 2 * ONE + 1] {
            assert!(matches!(receive(length, length - 1), Err(Error::TooLarge)), "{length}");
        }
        for length in [1, ONE - 1, ONE] {
            assert!(matches!(receive(length, length - 1), Err(Error::Malformed(_))), "{length}");
        }
    }
}
