//! A result in memory: the payloads as they were received, in a few large chunks.

use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::reader::{chunk_at, span};
use vaquita_protocol::{Malformed, PacketHeader};
use vaquita_sys::Block;

use crate::columns::Columns;
use crate::error::Error;
use crate::memory::{CHUNK_BYTES, LONG_VALUE_BYTES, Memory};
use crate::packet_stream::Chunks;
use crate::row::{Layout, Row};

/// Where a row's payload begins in its chunk.
type Offset = [u8; 4];

/// How many offsets there are in a piece of memory.
const OFFSETS_A_PIECE: usize = CHUNK_BYTES[0] / size_of::<Offset>();

/// How many are collected before they go there.
const COLLECTED_OFFSETS: usize = OFFSETS_A_PIECE / 16;

/// A stored result: any row can be had at any time.
///
/// The rows stand in memory as they came over the wire, copied once, by the kernel. Four bytes more for each row say where it begins.
#[derive(Debug)]
pub struct Buffered {
    columns: Columns,
    layout: Layout,
    /// The packets of the rows. A payload has the length that its header says, or if it has long values, or had several packets, ends where
    /// the header of the next one begins.
    chunks: Chunks,
    /// The offsets of the rows.
    offsets: Chunks,
    rows: u64,
    rare: Option<Box<Rare>>,
    position: u64,
}

/// A result that is being stored.
#[derive(Debug, Default)]
pub(crate) struct Storage {
    /// The last offsets.
    collected: Vec<Offset>,
    /// Those before.
    offsets: Chunks,
    rows: u64,
    rare: Option<Box<Rare>>,
}

/// What few results have.
#[derive(Debug, Default)]
struct Rare {
    /// The number of the first row of each chunk but the first one; of a chunk without rows, that of the next one.
    chunk_begins: Vec<u64>,
    long: LongValues,
    /// What is wrong with the last row.
    spoilt: Option<Malformed>,
}

/// The long values of all rows, in their order.
#[derive(Debug, Default)]
struct LongValues {
    blocks: Vec<Block>,
    /// For each the number of its row.
    rows: Vec<u64>,
}

impl LongValues {
    /// Those of a row.
    #[cold]
    fn of(&self, row: u64) -> &[Block] {
        let from = self.rows.partition_point(|of| *of < row);
        let count = self.rows.iter().skip(from).take_while(|of| **of == row).count();
        self.blocks.get(from..from + count).unwrap_or_default()
    }

    fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.len()).sum()
    }

    fn memory_bytes(&self) -> usize {
        self.blocks.iter().map(Block::capacity).sum()
    }
}

impl Rare {
    fn memory_bytes(&self) -> usize {
        let numbers = self.chunk_begins.capacity() + self.long.rows.capacity();
        self.long.memory_bytes() + numbers * size_of::<u64>()
    }
}

impl Storage {
    /// The rows that are added from now on begin in this chunk: the one of those before, or one behind it.
    #[inline]
    pub(crate) fn set_chunk(&mut self, chunk: usize) {
        if chunk > 0 {
            let begins = &mut self.rare.get_or_insert_default().chunk_begins;
            if begins.len() < chunk {
                begins.resize(chunk, self.rows);
            }
        }
    }

    /// Adds a row that begins at `start` of its chunk.
    #[inline]
    pub(crate) fn push(&mut self, start: usize, memory: &'static dyn Memory) -> Result<(), Error> {
        let start = u32::try_from(start).map_err(|_| Error::TooLarge)?;
        if self.collected.len() == COLLECTED_OFFSETS {
            self.put_away(memory, false)?;
        }
        self.collected.push(start.to_ne_bytes());
        self.rows += 1;
        Ok(())
    }

    /// Adds long values to the row that was added last.
    pub(crate) fn push_long(&mut self, values: impl Iterator<Item = Block>) {
        let row = self.rows.saturating_sub(1);
        let mut values = values.peekable();
        if values.peek().is_some() {
            let long = &mut self.rare.get_or_insert_default().long;
            long.blocks.extend(values);
            long.rows.resize(long.blocks.len(), row);
        }
    }

    /// Moves the offsets that were collected to those before; of a result that has few, they are all there are.
    fn put_away(&mut self, memory: &'static dyn Memory, are_all: bool) -> Result<(), Error> {
        let new = self.collected.as_flattened();
        let has_room = self.offsets.last_mut().is_some_and(|piece| piece.append(new));
        if !has_room {
            let bytes = if are_all { new.len() } else { CHUNK_BYTES[0] };
            let mut piece = memory.rows(bytes).ok_or(Error::OutOfMemory { bytes })?;
            let has_room = piece.append(new);
            debug_assert!(has_room, "it was asked for so large");
            self.offsets.push(piece);
        }
        self.collected.clear();
        Ok(())
    }

    /// The result; what was needed to store it stays here for the next one.
    pub(crate) fn finish(
        &mut self,
        columns: Columns,
        layout: Layout,
        chunks: Chunks,
        spoilt: Option<Malformed>,
        memory: &'static dyn Memory,
    ) -> Result<Buffered, Error> {
        if !self.collected.is_empty() {
            self.put_away(memory, true)?;
        }
        if let Some(piece) = self.offsets.last_mut() {
            // What it can't give back stays unused.
            let _ = piece.resize(piece.len());
        }
        let offsets = std::mem::take(&mut self.offsets);
        let (rows, mut rare) = (std::mem::take(&mut self.rows), self.rare.take());
        if spoilt.is_some() {
            rare.get_or_insert_default().spoilt = spoilt;
        }
        Ok(Buffered { columns, layout, chunks, offsets, rows, rare, position: 0 })
    }
}

impl Buffered {
    #[inline]
    fn offset(&self, index: usize) -> Option<Offset> {
        let piece = self.offsets.get(index / OFFSETS_A_PIECE)?;
        chunk_at(piece, index % OFFSETS_A_PIECE * size_of::<Offset>())
    }

    /// The chunk in which a row begins.
    #[inline]
    fn chunk_of(&self, row: u64) -> usize {
        self.rare
            .as_ref()
            .map_or(0, |rare| rare.chunk_begins.partition_point(|first| *first <= row))
    }

    /// The chunk in which this row begins, and the offsets of it and those behind it, as far as they stand together and are of this chunk.
    #[cold]
    fn run_from(&self, index: usize) -> Option<(&[u8], &[Offset])> {
        let offsets: &[Offset] = self.offsets.get(index / OFFSETS_A_PIECE)?.as_chunks().0;
        let offsets = offsets.get(index % OFFSETS_A_PIECE..)?;
        let number = self.chunk_of(index as u64);
        let end = self.rare.as_ref().and_then(|rare| rare.chunk_begins.get(number));
        let in_chunk = end.and_then(|end| usize::try_from(end - index as u64).ok());
        let offsets = in_chunk.and_then(|rows| offsets.get(..rows)).unwrap_or(offsets);
        Some((self.chunks.get(number)?, offsets))
    }

    /// The payload of a row that begins at this offset of its chunk.
    #[inline]
    fn payload<'a>(&self, index: usize, offset: Offset, chunk: &'a [u8]) -> Option<&'a [u8]> {
        let start = usize::try_from(u32::from_ne_bytes(offset)).ok()?;
        let header = PacketHeader::parse(chunk_at(chunk, start.wrapping_sub(PACKET_HEADER_BYTES))?);
        let length = usize::try_from(header.payload_length).ok()?;
        let end =
            if length < LONG_VALUE_BYTES { start + length } else { self.end_of_long(index, chunk) };
        Some(span(chunk, start, end))
    }

    /// Where the payload ends of which the header says more than stands there.
    #[cold]
    fn end_of_long(&self, index: usize, chunk: &[u8]) -> usize {
        let next = index + 1;
        let [of, of_next] = [index, next].map(|row| self.chunk_of(row as u64));
        match self.offset(next) {
            Some(offset) if of == of_next => {
                u32::from_ne_bytes(offset) as usize - PACKET_HEADER_BYTES
            }
            _ => chunk.len(),
        }
    }

    /// The long values of a row.
    #[inline]
    fn long_of(&self, row: u64) -> &[Block] {
        match &self.rare {
            Some(rare) if !rare.long.rows.is_empty() => rare.long.of(row),
            _ => &[],
        }
    }

    /// The result's columns.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The row with this number, counted from 0.
    #[inline(always)]
    pub fn row(&self, number: u64) -> Option<Row<'_>> {
        let index = usize::try_from(number).ok()?;
        let offset = self.offset(index)?;
        let chunk = self.chunks.get(self.chunk_of(number))?;
        let payload = self.payload(index, offset, chunk)?;
        Some(self.layout.row_with(payload, self.long_of(number)))
    }

    /// The rows from this one on.
    pub fn rows_from(&self, number: u64) -> BufferedRows<'_> {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        BufferedRows { stored: self, index, offsets: &[], chunk: &[] }
    }

    /// What is wrong with the last row, where such rows are kept ([`crate::Connection::keep_spoilt_rows`]).
    pub fn spoilt_row(&self) -> Option<Malformed> {
        self.rare.as_ref()?.spoilt
    }

    /// The number of the row that [`Buffered::next_row`] gives next.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Makes a row the next one; `false`, and nothing changes, if there is no such row.
    pub fn seek(&mut self, number: u64) -> bool {
        let exists = number < self.rows();
        if exists {
            self.position = number;
        }
        exists
    }

    /// The next row; `None` at the end.
    #[inline]
    pub fn next_row(&mut self) -> Option<Row<'_>> {
        let number = self.position;
        if number < self.rows() {
            self.position += 1;
        }
        self.row(number)
    }

    /// The bytes of the rows as they came over the wire, with the headers of their packets (of a row in several, of the first).
    pub fn wire_bytes(&self) -> u64 {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.len()).sum();
        (chunks + self.rare.as_ref().map_or(0, |rare| rare.long.bytes())) as u64
    }

    /// The memory that the rows take, with what stays unused in it.
    pub fn memory_bytes(&self) -> usize {
        let pieces = self.chunks.iter().chain(self.offsets.iter());
        let pieces: usize = pieces.map(Block::capacity).sum();
        pieces + self.rare.as_ref().map_or(0, |rare| rare.memory_bytes())
    }
}

/// Rows of a [`Buffered`], one after the other.
#[derive(Clone, Debug)]
pub struct BufferedRows<'a> {
    stored: &'a Buffered,
    /// The row that comes next.
    index: usize,
    /// Its offset and those behind it, as far as they stand together and are of one chunk.
    offsets: &'a [Offset],
    chunk: &'a [u8],
}

impl<'a> Iterator for BufferedRows<'a> {
    type Item = Row<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Row<'a>> {
        let stored = self.stored;
        if self.offsets.is_empty() {
            (self.chunk, self.offsets) = stored.run_from(self.index)?;
        }
        let (offset, rest) = self.offsets.split_first()?;
        let payload = stored.payload(self.index, *offset, self.chunk)?;
        let long = stored.long_of(self.index as u64);
        self.offsets = rest;
        self.index += 1;
        Some(stored.layout.row_with(payload, long))
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "what fails here is a failed test")]
mod tests {
    use super::*;
    use crate::memory::SystemMemory;

    #[test]
    fn rows_are_found_up_to_the_last_offset() {
        // A chunk never has that many bytes: a row ends at 1 GiB. What could not be told apart is refused all the same.
        let mut storage = Storage::default();
        let mut push = |start| storage.push(start, &SystemMemory);
        push(u32::MAX as usize - 1).unwrap();
        push(u32::MAX as usize).unwrap();
        assert!(matches!(push(u32::MAX as usize + 1), Err(Error::TooLarge)));
        assert_eq!(storage.rows, 2);
    }

    /// So many chunks; what stands in each is its number.
    fn numbered(count: usize) -> Chunks {
        let mut chunks = Chunks::default();
        for number in 0..count {
            let mut chunk = SystemMemory.rows(8).unwrap();
            assert!(chunk.append(&number.to_ne_bytes()));
            chunks.push(chunk);
        }
        chunks
    }

    #[test]
    fn offsets_come_back_however_many_there_are() {
        // In every other chunk no row begins.
        let place = |row: usize| (row / 1000 * 2, row % 1000 * 3);
        let mut storage = Storage::default();
        let pieces = 3 * OFFSETS_A_PIECE;
        for rows in [0, 1, COLLECTED_OFFSETS, COLLECTED_OFFSETS + 1, pieces - 1, pieces, pieces + 1]
        {
            for (chunk, start) in (0..rows).map(place) {
                storage.set_chunk(chunk);
                storage.push(start, &SystemMemory).unwrap();
            }
            let chunks = numbered(rows.checked_sub(1).map_or(0, |last| place(last).0 + 1));
            let (columns, layout) = (Columns::default(), Layout::default());
            let stored = storage.finish(columns, layout, chunks, None, &SystemMemory).unwrap();
            assert_eq!(stored.rows(), rows as u64);
            let mut row = 0;
            while let Some((chunk, offsets @ [_, ..])) = stored.run_from(row) {
                for offset in offsets {
                    let (number, start) = place(row);
                    assert_eq!(
                        (chunk, stored.offset(row)),
                        (&number.to_ne_bytes()[..], Some(*offset))
                    );
                    assert_eq!(*offset, u32::try_from(start).unwrap().to_ne_bytes());
                    assert_eq!(stored.chunk_of(row as u64), number);
                    row += 1;
                }
            }
            assert_eq!((row, stored.offset(rows)), (rows, None));
            let rare = stored.rare.as_ref().map_or(0, |rare| rare.memory_bytes());
            let besides = stored.memory_bytes() as u64 - stored.wire_bytes();
            assert_eq!(besides, (rows * size_of::<Offset>() + rare) as u64);
        }
    }
}
