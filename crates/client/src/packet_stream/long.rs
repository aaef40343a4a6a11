//! Rows with long values, each of which is received into a block of its own: nobody has to copy it again.

use vaquita_protocol::Malformed;
use vaquita_protocol::packet_header::{MAX_PACKET_PAYLOAD_BYTES, PACKET_HEADER_BYTES};
use vaquita_protocol::reader::span;
use vaquita_protocol::value_head::MAX_HEAD_BYTES;
use vaquita_sys::Block;

use super::storing::lend;
use super::{MAX_PAYLOAD_BYTES, PacketStream, READ_BUFFER_BYTES, Span};
use crate::error::Error;
use crate::memory::LONG_VALUE_BYTES;
use crate::row::Layout;

/// How much is read ahead of a row behind one with long values: what is read with it would have to be copied.
const SHORT_READ_BYTES: usize = 4 << 10;

/// How much memory is lent for a value because it claims to be so long. More is as it arrives.
const CLAIMED_BYTES: usize = 256 << 10;

/// A row with long values, as it was received.
pub(crate) struct ReceivedLongRow {
    /// Where the rest of it stands.
    pub(crate) span: Span,
    /// How long the whole is.
    pub(crate) payload_bytes: usize,
    /// What is wrong with it; nothing was kept of what follows that.
    pub(crate) malformed: Option<Malformed>,
}

/// The payload of such a row, while it is received. `stream.start` stays at its packet's header.
struct Payload<'s> {
    stream: &'s mut PacketStream,
    /// How far from there on it was gone through; what was received elsewhere is gone from the buffer.
    at: usize,
    /// How many bytes are still to come of the packet at hand.
    left: usize,
    /// Whether another packet continues it.
    goes_on: bool,
    payload_bytes: usize,
}

impl PacketStream {
    /// Receives the row whose packet's header has just been received and claims `length` bytes.
    ///
    /// # Errors
    /// The transport's, or there is no memory for a value.
    pub(crate) fn receive_long_row(
        &mut self,
        length: usize,
        layout: &Layout,
    ) -> Result<ReceivedLongRow, Error> {
        self.long.clear();
        let mut payload = Payload {
            at: PACKET_HEADER_BYTES,
            left: length,
            goes_on: length == MAX_PACKET_PAYLOAD_BYTES,
            payload_bytes: length,
            stream: self,
        };
        let malformed = match payload.receive(layout) {
            Ok(()) => None,
            Err(Error::Malformed(malformed)) => {
                payload.skip_rest()?;
                Some(malformed)
            }
            Err(error) => return Err(error),
        };
        let Payload { at, payload_bytes, .. } = payload;
        let start = self.start + PACKET_HEADER_BYTES;
        self.start += at;
        self.read_ahead = SHORT_READ_BYTES;
        Ok(ReceivedLongRow { span: Span { start, end: self.start }, payload_bytes, malformed })
    }

    /// Skips the payload whose packet's header has just been received and claims `length` bytes: how many there were.
    ///
    /// # Errors
    /// The transport's.
    pub(crate) fn skip_payload(&mut self, length: usize) -> Result<usize, Error> {
        self.start += PACKET_HEADER_BYTES;
        let (mut left, mut total, mut last) = (length, length, length);
        loop {
            while left > 0 {
                self.fill(1)?;
                let here = left.min(self.end - self.start);
                self.start += here;
                left -= here;
            }
            if last < MAX_PACKET_PAYLOAD_BYTES {
                return Ok(total);
            }
            last = self.header_at(0)?;
            self.start += PACKET_HEADER_BYTES;
            (left, total) = (last, total + last);
        }
    }

    /// Reads as much at once as there is room for.
    #[inline]
    pub(crate) fn read_far_ahead(&mut self) {
        self.read_ahead = READ_BUFFER_BYTES;
    }
}

impl Payload<'_> {
    fn receive(&mut self, layout: &Layout) -> Result<(), Error> {
        let prefix_bytes = layout.prefix_bytes();
        self.keep(prefix_bytes)?;
        for column in 0..layout.columns() {
            let rest = self.bring(MAX_HEAD_BYTES)?;
            let (prefix, rest) = (self.at_start(prefix_bytes), self.next(rest));
            let head = layout.value_head(prefix, column, rest)?;
            self.keep(head.head_bytes)?;
            match head.value_bytes {
                Some(bytes @ LONG_VALUE_BYTES..) => self.receive_aside(bytes)?,
                Some(bytes) => self.keep(bytes)?,
                None => {}
            }
        }
        // The last packet of several may be empty.
        if self.bring(1)? > 0 { Err(malformed("end").into()) } else { Ok(()) }
    }

    /// The first bytes of what is kept.
    fn at_start(&self, bytes: usize) -> &[u8] {
        let start = self.stream.start + PACKET_HEADER_BYTES;
        span(&self.stream.buffer, start, start + bytes)
    }

    /// The next bytes, which are here.
    fn next(&self, bytes: usize) -> &[u8] {
        let start = self.stream.start + self.at;
        span(&self.stream.buffer, start, start + bytes)
    }

    /// Has so many bytes stand one behind the other, or all there are: how many.
    fn bring(&mut self, bytes: usize) -> Result<usize, Error> {
        while self.left < bytes && self.goes_on {
            self.next_packet()?;
        }
        let here = bytes.min(self.left);
        self.stream.fill(self.at + here)?;
        Ok(here)
    }

    /// Keeps the next bytes where they are.
    fn keep(&mut self, bytes: usize) -> Result<(), Error> {
        if self.bring(bytes)? < bytes {
            return Err(self.cut(bytes));
        }
        self.at += bytes;
        self.left -= bytes;
        Ok(())
    }

    fn cut(&self, bytes: usize) -> Error {
        let excess = (bytes - self.left) as u64;
        Malformed { excess, ..malformed("value") }.into()
    }

    /// Receives what is left, and forgets it.
    fn skip_rest(&mut self) -> Result<(), Error> {
        loop {
            while self.left > 0 {
                let here = self.bring(1)?.max(self.here());
                self.remove(self.at, here);
                self.left -= here;
            }
            if !self.goes_on {
                return Ok(());
            }
            self.next_packet()?;
        }
    }

    /// How many of the next bytes of the packet at hand are in the buffer.
    fn here(&self) -> usize {
        self.left.min(self.stream.end - self.stream.start - self.at)
    }

    /// Closes the gap that the next packet's header leaves.
    fn next_packet(&mut self) -> Result<(), Error> {
        let at = self.at + self.left;
        let length = self.stream.header_at(at)?;
        if self.payload_bytes + length > MAX_PAYLOAD_BYTES {
            return Err(Error::TooLarge);
        }
        self.remove(at, PACKET_HEADER_BYTES);
        self.left += length;
        self.payload_bytes += length;
        self.goes_on = length == MAX_PACKET_PAYLOAD_BYTES;
        Ok(())
    }

    /// Takes bytes out of the buffer.
    fn remove(&mut self, at: usize, bytes: usize) {
        let stream = &mut *self.stream;
        stream.buffer.take_out(stream.start + at, bytes, stream.end);
        stream.end -= bytes;
    }

    /// Receives the next bytes into a block of their own. It grows as they arrive.
    fn receive_aside(&mut self, bytes: usize) -> Result<(), Error> {
        if !self.goes_on && self.left < bytes {
            return Err(self.cut(bytes));
        }
        if bytes > MAX_PAYLOAD_BYTES {
            return Err(Error::TooLarge);
        }
        let memory = self.stream.memory;
        let claimed = bytes.min(CLAIMED_BYTES);
        let mut block = lend(memory.value(claimed), claimed)?;
        while block.len() < bytes {
            if self.left == 0 {
                if !self.goes_on {
                    return Err(self.cut(bytes - block.len()));
                }
                self.next_packet()?;
                continue;
            }
            if block.len() == block.capacity() {
                let capacity = bytes.min(block.capacity() * 2);
                if !block.resize(capacity) {
                    return Err(Error::OutOfMemory { bytes: capacity });
                }
            }
            let wanted = self.left.min(bytes - block.len());
            let wanted = wanted.min(block.capacity() - block.len());
            self.left -= self.take(wanted, &mut block)?;
        }
        self.stream.long.push(block);
        Ok(())
    }

    /// Takes at least one of the next bytes, at most so many: those that are in the buffer, or straight from the transport.
    fn take(&mut self, bytes: usize, block: &mut Block) -> Result<usize, Error> {
        let here = bytes.min(self.here());
        let stream = &mut *self.stream;
        if here > 0 {
            let from = stream.start + self.at;
            let has_room = block.append(span(&stream.buffer, from, from + here));
            debug_assert!(has_room, "there is room for what is wanted");
            self.remove(self.at, here);
            return Ok(here);
        }
        let length = block.len();
        let read = stream.read_into(block.room(length, bytes))?;
        block.grow_to(length + read);
        Ok(read)
    }
}

fn malformed(field: &'static str) -> Malformed {
    Malformed::new("Resultset Row", field)
}
