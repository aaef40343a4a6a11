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
    layout: &'s Layout,
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
            layout,
            stream: self,
        };
        let malformed = match payload.receive() {
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
        self.read_ahead = if self.long.is_empty() { READ_BUFFER_BYTES } else { SHORT_READ_BYTES };
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
    fn receive(&mut self) -> Result<(), Error> {
        let layout = self.layout;
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
        if self.bring(1)? > 0 { Err(layout.malformed("end").into()) } else { Ok(()) }
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
            return Err(self.cut());
        }
        self.at += bytes;
        self.left -= bytes;
        Ok(())
    }

    /// A value is longer than what is left.
    fn cut(&self) -> Error {
        self.layout.malformed("value").into()
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
            return Err(self.cut());
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
                    return Err(self.cut());
                }
                self.next_packet()?;
                continue;
            }
            if block.len() == block.capacity() {
                self.stream.check_result_bytes(block.len())?;
                let capacity = bytes.min(block.capacity() * 2);
                if !block.resize(capacity) {
                    return Err(Error::OutOfMemory { bytes: capacity });
                }
            }
            let wanted = self.left.min(bytes - block.len());
            let wanted = wanted.min(block.capacity() - block.len());
            self.left -= self.take(wanted, &mut block)?;
        }
        self.stream.count_long(block.len())?;
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

#[cfg(test)]
mod tests {
    use std::io::{self, Read, Write};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use vaquita_protocol::{ColumnType, PacketHeader, ValueLength};

    use super::*;
    use crate::options::Address;
    use crate::transport::Transport;

    /// Numbers that look random, the same each time.
    #[derive(Clone, Debug)]
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(self.0 >> 33).unwrap() % limit
        }

        fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
            all[self.below(all.len())]
        }
    }

    /// A server that has said all, of which a read gets as much as it asks for or, by `parts`, less.
    #[derive(Debug)]
    struct Said {
        bytes: Vec<u8>,
        at: usize,
        parts: Option<Random>,
        reads: Arc<AtomicUsize>,
    }

    impl Read for Said {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let left = &self.bytes[self.at..];
            let most = self.parts.as_mut().map_or(usize::MAX, |it| 1 + it.below(50_000));
            let read = room.len().min(left.len()).min(most);
            room[..read].copy_from_slice(&left[..read]);
            self.at += read;
            self.reads.fetch_add(1, Ordering::Relaxed);
            Ok(read)
        }
    }

    impl Write for Said {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("nothing is sent")
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn stream_of(payloads: &[Vec<u8>], parts: Option<Random>) -> PacketStream {
        stream_counting(payloads, parts).0
    }

    /// Also how often it reads.
    fn stream_counting(
        payloads: &[Vec<u8>],
        parts: Option<Random>,
    ) -> (PacketStream, Arc<AtomicUsize>) {
        let mut bytes = Vec::new();
        let mut sequence_id = 0u8;
        for payload in payloads {
            let is_full = payload.len().is_multiple_of(MAX_PACKET_PAYLOAD_BYTES);
            let end = is_full.then_some(&[][..]);
            for part in payload.chunks(MAX_PACKET_PAYLOAD_BYTES).chain(end) {
                let payload_length = u32::try_from(part.len()).unwrap();
                bytes.extend_from_slice(&PacketHeader { payload_length, sequence_id }.encode());
                bytes.extend_from_slice(part);
                sequence_id = sequence_id.wrapping_add(1);
            }
        }
        let reads = Arc::new(AtomicUsize::new(0));
        let said = Said { bytes, at: 0, parts, reads: reads.clone() };
        let transport = Transport::over(Box::new(said), &Address::Unix("x".into()));
        (PacketStream::new(transport), reads)
    }

    fn put_length(row: &mut Vec<u8>, length: usize) {
        match length {
            ..=250 => row.push(u8::try_from(length).unwrap()),
            251..=0xFFFF => {
                row.push(0xFC);
                row.extend_from_slice(&u16::try_from(length).unwrap().to_le_bytes());
            }
            0x1_0000..=0xFF_FFFF => {
                row.push(0xFD);
                row.extend_from_slice(&u32::try_from(length).unwrap().to_le_bytes()[..3]);
            }
            _ => {
                row.push(0xFE);
                row.extend_from_slice(&(length as u64).to_le_bytes());
            }
        }
    }

    const LENGTHS: [usize; 10] = [
        0,
        3,
        250,
        251,
        LONG_VALUE_BYTES - 1,
        LONG_VALUE_BYTES,
        LONG_VALUE_BYTES + 1,
        50_000,
        70_000,
        300_000,
    ];

    /// A row, and where the heads of its values stand.
    fn row(layout: &Layout, random: &mut Random, lengths: &[usize]) -> (Vec<u8>, Vec<usize>) {
        let mut row = vec![0; layout.prefix_bytes()];
        let mut heads = Vec::new();
        for column in 0..layout.columns() {
            heads.push(row.len());
            let fixed = match layout {
                Layout::Binary(lengths) => match lengths[column] {
                    ValueLength::Fixed(bytes) => Some(usize::from(bytes)),
                    ValueLength::DateTime => Some(8),
                    _ => None,
                },
                Layout::Text(_) => None,
            };
            match (layout, random.below(5), fixed) {
                (Layout::Text(_), 0, _) => row.push(0xFB),
                (Layout::Binary(_), 0, _) => row[1 + (column + 2) / 8] |= 1 << ((column + 2) % 8),
                (_, _, Some(bytes)) => {
                    row.extend((1..=bytes).map(|n| [7, 1, 2, 3, 4, 5, 6, 7][(n - 1) % 8]))
                }
                _ => {
                    let bytes = random.one_of(lengths);
                    put_length(&mut row, bytes);
                    row.extend((0..bytes).map(|_| b'a' + u8::try_from(random.below(26)).unwrap()));
                }
            }
        }
        (row, heads)
    }

    fn spoil(row: &mut Vec<u8>, heads: &[usize], random: &mut Random) {
        let head = if heads.is_empty() { 0 } else { random.one_of(heads) };
        match random.below(6) {
            0 => row.truncate(head),
            1 => row.truncate(head + random.below(20_000)),
            2 => row.push(0),
            3 => row.extend_from_slice(&[b'x'; 20_000]),
            4 => {
                let bytes = random.one_of(&[1 << 15, 1 << 24, 1 << 40, usize::MAX, 251]);
                let mut length = Vec::new();
                put_length(&mut length, bytes);
                row.splice(head..(head + 1).min(row.len()), length);
            }
            _ => {
                if let Some(byte) = row.get_mut(head) {
                    *byte = random.one_of(&[0, 1, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF]);
                }
            }
        }
    }

    fn layout(random: &mut Random) -> Layout {
        let columns = 1 + random.below(9);
        if random.below(2) == 0 {
            return Layout::Text(columns);
        }
        let types = [
            ColumnType::BLOB,
            ColumnType::BLOB,
            ColumnType::LONGLONG,
            ColumnType::DATETIME,
            ColumnType::NULL,
        ];
        Layout::Binary((0..columns).map(|_| ValueLength::of(random.one_of(&types))).collect())
    }

    type Values = Vec<Option<Vec<u8>>>;

    fn values(row: crate::row::Row<'_>) -> Values {
        row.values().map(|value| value.map(<[u8]>::to_vec)).collect()
    }

    #[test]
    fn only_behind_long_values_little_is_read_at_once() {
        let layout = Layout::Text(3);
        let check = |bytes: usize, expected: [usize; 2]| {
            let mut row = Vec::new();
            for _ in 0..3 {
                put_length(&mut row, bytes);
                row.resize(row.len() + bytes, b'a');
            }
            let rows = vec![row; 100];
            let (mut stream, reads) = stream_counting(&rows, None);
            for _ in 0..rows.len() {
                let length = stream.receive_header().unwrap();
                stream.receive_long_row(length, &layout).unwrap();
            }
            let found = reads.load(Ordering::Relaxed);
            let [least, most] = expected;
            assert!((least..=most).contains(&found), "{found} reads of 3 x {bytes}");
        };
        check(7_000, [17, 20]);
        check(16_000, [38, 50]);
        check(100_000, [590, 610]);
    }

    /// What comes of a row does not depend on how it is received, nor on the pieces that it comes in.
    #[test]
    fn a_row_received_so_is_the_row_that_was_sent() {
        let mut random = Random(7);
        let mut spoilt = 0;
        for _ in 0..400 {
            let layout = layout(&mut random);
            let rows: Vec<_> = (0..1 + random.below(4))
                .map(|_| {
                    let (mut row, heads) = row(&layout, &mut random, &LENGTHS);
                    if random.below(3) == 0 {
                        spoil(&mut row, &heads, &mut random);
                    }
                    row
                })
                .collect();
            let parts = (random.below(2) == 0).then(|| random.clone());
            let mut stream = stream_of(&rows, parts);
            let is_stored = random.below(2) == 0;
            if is_stored {
                stream.begin_storing();
            }
            for row in &rows {
                let length = stream.receive_header().unwrap();
                if length < LONG_VALUE_BYTES {
                    let received = stream.receive_payload(length, length).unwrap();
                    assert!(stream.payload(received) == row);
                    continue;
                }
                let received = stream.receive_long_row(length, &layout).unwrap();
                assert_eq!(received.payload_bytes, row.len());
                let expected = layout.check(row).err();
                let field = |it: Malformed| (it.packet, it.field);
                assert_eq!(
                    received.malformed.map(field),
                    expected.map(field),
                    "{layout:?} {:?}",
                    &row[..row.len().min(40)]
                );
                if expected.is_none() {
                    let payload = stream.payload(received.span);
                    let found = values(layout.row_with(payload, stream.long()));
                    assert!(found == values(layout.row(row)), "{layout:?}");
                }
                spoilt += usize::from(expected.is_some());
            }
            assert!(!stream.has_received());
        }
        assert!(spoilt > 100, "{spoilt}");
    }

    #[test]
    fn a_stream_that_ends_in_a_row_is_an_error() {
        let mut random = Random(3);
        for _ in 0..100 {
            let layout = layout(&mut random);
            let (row, _) = row(&layout, &mut random, &LENGTHS);
            let length = row.len();
            let mut cut = row.clone();
            cut.truncate(random.below(length));
            let mut stream = stream_of(&[cut], Some(random.clone()));
            stream.receive_header().unwrap();
            let received = stream.receive_long_row(length, &layout);
            assert!(matches!(received, Err(Error::Io { .. })));
            assert!(stream.receive_header().is_err());
        }
    }

    /// The head of the second value, its bytes, or those of the last one are in several packets.
    #[test]
    fn a_row_may_come_in_several_packets() {
        let layout = Layout::Text(3);
        for first in [ONE - 4, ONE - 5, ONE - 8, ONE - 20_009, ONE - 500, 2 * ONE - 9, 70_000] {
            let row = |lengths: [usize; 3]| {
                let mut row = Vec::new();
                for (length, byte) in lengths.into_iter().zip(*b"abc") {
                    put_length(&mut row, length);
                    row.resize(row.len() + length, byte);
                }
                row
            };
            let rows = [row([first, 20_000, 300]), row([1, 20_000, 3])];
            let mut stream = stream_of(&rows, None);
            for row in &rows {
                let length = stream.receive_header().unwrap();
                let received = stream.receive_long_row(length, &layout).unwrap();
                assert_eq!((received.payload_bytes, received.malformed), (row.len(), None));
                let payload = stream.payload(received.span);
                let found = values(layout.row_with(payload, stream.long()));
                assert!(found == values(layout.row(row)), "{first}");
            }
        }
    }

    const ONE: usize = MAX_PACKET_PAYLOAD_BYTES;
}
