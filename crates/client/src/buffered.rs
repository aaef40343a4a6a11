//! A result in memory: the payloads as they were received, in a few large chunks.

use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::reader::{chunk_at, span};
use vaquita_protocol::{Malformed, PacketHeader};
use vaquita_sys::Block;

use crate::error::Error;
use crate::memory::{CHUNK_BYTES, LONG_VALUE_BYTES, Memory};
use crate::packet_stream::Chunks;
use crate::result_set::Columns;
use crate::row::{Layout, Row};

/// Where a row's payload begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowOffset {
    chunk: u32,
    start: u32,
}

/// How many offsets there are in a piece of memory.
const OFFSETS_A_PIECE: usize = CHUNK_BYTES[0] / size_of::<[u8; 8]>();

/// How many are collected before they go there.
const COLLECTED_OFFSETS: usize = OFFSETS_A_PIECE / 8;

/// A stored result: any row can be had at any time.
///
/// The rows stand in memory as they came over the wire, copied once, by the kernel. Eight bytes more for each row say where it begins.
#[derive(Debug)]
pub struct Buffered {
    columns: Columns,
    layout: Layout,
    /// The packets of the rows. A payload has the length that its header says, or if it has long values, or had several packets, ends where
    /// the header of the next one begins.
    chunks: Chunks,
    /// The offsets of the rows, eight bytes each.
    offsets: Chunks,
    rows: u64,
    /// Few results have any.
    long: Option<Box<LongValues>>,
    position: u64,
    /// What is wrong with the last row.
    spoilt: Option<Box<Malformed>>,
}

/// A result that is being stored.
#[derive(Debug, Default)]
pub(crate) struct Storage {
    /// The last offsets.
    collected: Vec<[u8; 8]>,
    /// Those before.
    offsets: Chunks,
    rows: u64,
    long: Option<Box<LongValues>>,
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
        let blocks: usize = self.blocks.iter().map(Block::capacity).sum();
        blocks + self.rows.capacity() * size_of::<u64>()
    }
}

impl RowOffset {
    fn encode(self) -> [u8; 8] {
        (u64::from(self.chunk) << 32 | u64::from(self.start)).to_ne_bytes()
    }

    fn decode(bytes: [u8; 8]) -> Self {
        let both = u64::from_ne_bytes(bytes);
        let [chunk, start] = [both >> 32, both & u64::from(u32::MAX)];
        RowOffset {
            chunk: u32::try_from(chunk).unwrap_or(u32::MAX),
            start: u32::try_from(start).unwrap_or(u32::MAX),
        }
    }
}

impl Storage {
    /// Adds a row that begins at `start` of a chunk.
    #[inline]
    pub(crate) fn push(
        &mut self,
        chunk: usize,
        start: usize,
        memory: &'static dyn Memory,
    ) -> Result<(), Error> {
        let chunk = u32::try_from(chunk).map_err(|_| Error::TooLarge)?;
        let start = u32::try_from(start).map_err(|_| Error::TooLarge)?;
        if self.collected.len() == COLLECTED_OFFSETS {
            self.put_away(memory, false)?;
        }
        self.collected.push(RowOffset { chunk, start }.encode());
        self.rows += 1;
        Ok(())
    }

    /// Adds long values to the row that was added last.
    pub(crate) fn push_long(&mut self, values: impl Iterator<Item = Block>) {
        let row = self.rows.saturating_sub(1);
        let mut values = values.peekable();
        if values.peek().is_some() {
            let long = self.long.get_or_insert_default();
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
        let (rows, long) = (std::mem::take(&mut self.rows), self.long.take());
        let spoilt = spoilt.map(Box::new);
        Ok(Buffered { columns, layout, chunks, offsets, rows, long, position: 0, spoilt })
    }
}

impl Buffered {
    #[inline]
    fn chunk(&self, offset: RowOffset) -> Option<&Block> {
        self.chunks.get(usize::try_from(offset.chunk).ok()?)
    }

    #[inline]
    fn offset(&self, index: usize) -> Option<RowOffset> {
        let piece = self.offsets.get(index / OFFSETS_A_PIECE)?;
        let offset = chunk_at(piece, index % OFFSETS_A_PIECE * size_of::<[u8; 8]>())?;
        Some(RowOffset::decode(offset))
    }

    /// The offsets from this one on, up to the end of their piece.
    #[cold]
    fn offsets_from(&self, index: usize) -> &[[u8; 8]] {
        let piece = self.offsets.get(index / OFFSETS_A_PIECE);
        let offsets = piece.map_or(&[][..], |piece| piece.as_chunks().0);
        offsets.get(index % OFFSETS_A_PIECE..).unwrap_or_default()
    }

    /// The payload of a row that begins at this offset of its chunk.
    #[inline]
    fn payload<'a>(&self, index: usize, offset: RowOffset, chunk: &'a [u8]) -> Option<&'a [u8]> {
        let start = usize::try_from(offset.start).ok()?;
        let header = PacketHeader::parse(chunk_at(chunk, start.wrapping_sub(PACKET_HEADER_BYTES))?);
        let length = usize::try_from(header.payload_length).ok()?;
        let end = if length < LONG_VALUE_BYTES {
            start + length
        } else {
            self.end_of_long(index, offset, chunk)
        };
        Some(span(chunk, start, end))
    }

    /// Where the payload ends of which the header says more than stands there.
    #[cold]
    fn end_of_long(&self, index: usize, offset: RowOffset, chunk: &[u8]) -> usize {
        match self.offset(index + 1) {
            Some(next) if next.chunk == offset.chunk => next.start as usize - PACKET_HEADER_BYTES,
            _ => chunk.len(),
        }
    }

    /// The long values of a row.
    #[inline]
    fn long_of(&self, row: u64) -> &[Block] {
        self.long.as_ref().map_or(&[], |long| long.of(row))
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
        let payload = self.payload(index, offset, self.chunk(offset)?)?;
        Some(self.layout.row_with(payload, self.long_of(number)))
    }

    /// The rows from this one on.
    pub fn rows_from(&self, number: u64) -> BufferedRows<'_> {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        BufferedRows { stored: self, index, offsets: &[], chunk: None }
    }

    /// What is wrong with the last row, where such rows are kept ([`crate::Connection::keep_spoilt_rows`]).
    pub fn spoilt_row(&self) -> Option<Malformed> {
        self.spoilt.as_deref().copied()
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
        (chunks + self.long.as_ref().map_or(0, |long| long.bytes())) as u64
    }

    /// The memory that the rows take, with what stays unused in it.
    pub fn memory_bytes(&self) -> usize {
        let pieces = self.chunks.iter().chain(self.offsets.iter());
        let pieces: usize = pieces.map(Block::capacity).sum();
        pieces + self.long.as_ref().map_or(0, |long| long.memory_bytes())
    }
}

/// Rows of a [`Buffered`], one after the other.
#[derive(Clone, Debug)]
pub struct BufferedRows<'a> {
    stored: &'a Buffered,
    /// The row that comes next.
    index: usize,
    /// Its offset and those behind it, as far as they are in one piece.
    offsets: &'a [[u8; 8]],
    /// The chunk of the row before, and its number.
    chunk: Option<(u32, &'a [u8])>,
}

impl<'a> Iterator for BufferedRows<'a> {
    type Item = Row<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Row<'a>> {
        let stored = self.stored;
        if self.offsets.is_empty() {
            self.offsets = stored.offsets_from(self.index);
        }
        let (offset, rest) = self.offsets.split_first()?;
        let offset = RowOffset::decode(*offset);
        let chunk = match self.chunk {
            Some((number, chunk)) if number == offset.chunk => chunk,
            _ => stored.chunk(offset)?,
        };
        let payload = stored.payload(self.index, offset, chunk)?;
        let long = stored.long_of(self.index as u64);
        (self.offsets, self.chunk) = (rest, Some((offset.chunk, chunk)));
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
        let mut push = |start| storage.push(0, start, &SystemMemory);
        push(u32::MAX as usize - 1).unwrap();
        push(u32::MAX as usize).unwrap();
        assert!(matches!(push(u32::MAX as usize + 1), Err(Error::TooLarge)));
        assert_eq!(storage.rows, 2);
    }

    #[test]
    fn offsets_come_back_however_many_there_are() {
        let mut storage = Storage::default();
        let pieces = 3 * OFFSETS_A_PIECE;
        for rows in [0, 1, COLLECTED_OFFSETS, COLLECTED_OFFSETS + 1, pieces - 1, pieces, pieces + 1]
        {
            for row in 0..rows {
                storage.push(row / 1000, row * 3, &SystemMemory).unwrap();
            }
            let (columns, layout) = (Columns::default(), Layout::default());
            let stored =
                storage.finish(columns, layout, Chunks::default(), None, &SystemMemory).unwrap();
            assert_eq!((stored.rows(), stored.offsets_from(rows).len()), (rows as u64, 0));
            for row in 0..rows {
                let RowOffset { chunk, start } = RowOffset::decode(stored.offsets_from(row)[0]);
                assert_eq!((chunk as usize, start as usize), (row / 1000, row * 3));
            }
            assert_eq!(stored.memory_bytes(), rows * size_of::<[u8; 8]>());
        }
    }
}
