//! A result in memory: the payloads as they were received, in a few large chunks.

use vaquita_protocol::Malformed;
use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::reader::span;
use vaquita_sys::Block;

use crate::error::Error;
use crate::memory::Memory;
use crate::packet_stream::Chunks;
use crate::result_set::Columns;
use crate::row::{Layout, Row};

/// Where a row's payload begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowOffset {
    chunk: u32,
    start: u32,
}

/// How many offsets are collected before they go where the rows are.
const COLLECTED_OFFSETS: usize = 4096;

/// A stored result: any row can be had at any time.
///
/// The rows stand in memory as they came over the wire, copied once, by the kernel. Eight bytes more for each row say where it begins.
#[derive(Debug)]
pub struct Buffered {
    columns: Columns,
    layout: Layout,
    /// The packets of the rows. A payload ends where the header of the next one begins, or where the chunk ends.
    chunks: Chunks,
    /// The offsets of the rows, eight bytes each.
    offsets: Option<Block>,
    rows: u64,
    long: LongValues,
    position: u64,
    /// What is wrong with the last row.
    spoilt: Option<Malformed>,
}

/// A result that is being stored.
#[derive(Debug, Default)]
pub(crate) struct Storage {
    /// The last offsets.
    collected: Vec<[u8; 8]>,
    /// Those before.
    offsets: Option<Block>,
    rows: u64,
    long: LongValues,
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
    #[inline]
    fn of(&self, row: u64) -> &[Block] {
        if self.rows.is_empty() { &[] } else { self.find(row) }
    }

    #[cold]
    fn find(&self, row: u64) -> &[Block] {
        let from = self.rows.partition_point(|of| *of < row);
        let count = self.rows.iter().skip(from).take_while(|of| **of == row).count();
        self.blocks.get(from..from + count).unwrap_or_default()
    }

    fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.len()).sum()
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
            self.put_away(memory)?;
        }
        self.collected.push(RowOffset { chunk, start }.encode());
        self.rows += 1;
        Ok(())
    }

    /// Adds long values to the row that was added last.
    pub(crate) fn push_long(&mut self, values: impl Iterator<Item = Block>) {
        let row = self.rows.saturating_sub(1);
        self.long.blocks.extend(values);
        self.long.rows.resize(self.long.blocks.len(), row);
    }

    /// Moves the offsets that were collected to those before.
    fn put_away(&mut self, memory: &'static dyn Memory) -> Result<(), Error> {
        let new = self.collected.as_flattened();
        let Some(offsets) = &mut self.offsets else {
            let mut block =
                memory.rows(new.len()).ok_or(Error::OutOfMemory { bytes: new.len() })?;
            let has_room = block.append(new);
            debug_assert!(has_room, "a block is at least as large as was asked for");
            self.offsets = Some(block);
            self.collected.clear();
            return Ok(());
        };
        if offsets.capacity() - offsets.len() < new.len() {
            let bytes = (offsets.len() + new.len()).max(offsets.capacity() * 2);
            if !offsets.resize(bytes) {
                return Err(Error::OutOfMemory { bytes });
            }
        }
        let has_room = offsets.append(new);
        debug_assert!(has_room, "it was made large enough");
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
            self.put_away(memory)?;
        }
        if let Some(offsets) = &mut self.offsets {
            // What it can't give back stays unused.
            let _ = offsets.resize(offsets.len());
        }
        let Storage { offsets, rows, long, .. } = self;
        let (offsets, rows) = (offsets.take(), std::mem::take(rows));
        let long = std::mem::take(long);
        Ok(Buffered { columns, layout, chunks, offsets, rows, long, position: 0, spoilt })
    }
}

impl Buffered {
    fn chunk(&self, offset: RowOffset) -> Option<&Block> {
        self.chunks.get(usize::try_from(offset.chunk).ok()?)
    }

    #[inline]
    fn offsets(&self) -> &[[u8; 8]] {
        self.offsets.as_deref().map_or(&[], |bytes| bytes.as_chunks().0)
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
    #[inline]
    pub fn row(&self, number: u64) -> Option<Row<'_>> {
        let index = usize::try_from(number).ok()?;
        let offsets = self.offsets();
        let offset = RowOffset::decode(*offsets.get(index)?);
        let chunk = self.chunk(offset)?;
        let end = end_of(offset, offsets.get(index + 1), chunk);
        let payload = span(chunk, usize::try_from(offset.start).ok()?, end);
        Some(self.layout.row_with(payload, self.long.of(number)))
    }

    /// The rows from this one on.
    pub fn rows_from(&self, number: u64) -> impl Iterator<Item = Row<'_>> {
        let begin = usize::try_from(number).unwrap_or(usize::MAX);
        let mut offsets = self.offsets().get(begin..).unwrap_or_default();
        let mut chunk: (u32, &[u8]) = (u32::MAX, &[]);
        let mut number = number;
        std::iter::from_fn(move || {
            let (offset, rest) = offsets.split_first()?;
            let offset = RowOffset::decode(*offset);
            offsets = rest;
            if offset.chunk != chunk.0 {
                chunk = (offset.chunk, self.chunk(offset)?);
            }
            let start = usize::try_from(offset.start).ok()?;
            let payload = span(chunk.1, start, end_of(offset, rest.first(), chunk.1));
            let long = self.long.of(number);
            number += 1;
            Some(self.layout.row_with(payload, long))
        })
    }

    /// What is wrong with the last row, where such rows are kept ([`crate::Connection::keep_spoilt_rows`]).
    pub fn spoilt_row(&self) -> Option<Malformed> {
        self.spoilt
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
        (chunks + self.long.bytes()) as u64
    }

    /// The memory that the rows take, with what stays unused in it.
    pub fn memory_bytes(&self) -> usize {
        let rows = self.chunks.iter().chain(&self.offsets).chain(&self.long.blocks);
        rows.map(Block::capacity).sum::<usize>() + self.long.rows.capacity() * size_of::<u64>()
    }
}

/// Where the payload ends that begins at an offset, before the one that begins at the next.
#[inline]
fn end_of(offset: RowOffset, next: Option<&[u8; 8]>, chunk: &[u8]) -> usize {
    match next.map(|next| RowOffset::decode(*next)) {
        Some(next) if next.chunk == offset.chunk => next.start as usize - PACKET_HEADER_BYTES,
        _ => chunk.len(),
    }
}

#[cfg(test)]
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
        for rows in [0, 1, COLLECTED_OFFSETS, COLLECTED_OFFSETS + 1, 5 * COLLECTED_OFFSETS] {
            for row in 0..rows {
                storage.push(row / 1000, row * 3, &SystemMemory).unwrap();
            }
            let (columns, layout) = (Columns::default(), Layout::default());
            let stored =
                storage.finish(columns, layout, Chunks::default(), None, &SystemMemory).unwrap();
            let offsets = stored.offsets();
            assert_eq!((offsets.len(), stored.rows()), (rows, rows as u64));
            for (row, offset) in offsets.iter().enumerate() {
                let RowOffset { chunk, start } = RowOffset::decode(*offset);
                assert_eq!((chunk as usize, start as usize), (row / 1000, row * 3));
            }
            assert_eq!(stored.memory_bytes(), rows * size_of::<[u8; 8]>());
        }
    }
}
