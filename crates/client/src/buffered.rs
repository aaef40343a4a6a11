//! A result in memory: the payloads as they were received, in a few large chunks.

use vaquita_protocol::Malformed;
use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::reader::span;

use crate::error::Error;
use crate::result_set::Columns;
use crate::row::{Layout, Row};

/// Where a row's payload begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RowOffset {
    chunk: u32,
    start: u32,
}

/// A stored result: any row can be had at any time.
///
/// The rows stand in memory as they came over the wire, copied once, by the kernel. Eight bytes more for each row say where it begins.
#[derive(Clone, Debug)]
pub struct Buffered {
    columns: Columns,
    layout: Layout,
    /// The packets of the rows. A payload ends where the header of the next one begins, or where the chunk ends.
    pub(crate) chunks: Vec<Vec<u8>>,
    offsets: Vec<RowOffset>,
    position: u64,
    /// What is wrong with the last row.
    pub(crate) spoilt: Option<Malformed>,
}

impl Buffered {
    pub(crate) fn new(columns: Columns, layout: Layout) -> Self {
        Buffered {
            columns,
            layout,
            chunks: Vec::new(),
            offsets: Vec::new(),
            position: 0,
            spoilt: None,
        }
    }

    /// Adds a row that begins at `start` of the chunk that comes next.
    #[inline]
    pub(crate) fn push(&mut self, start: usize) -> Result<(), Error> {
        let chunk = u32::try_from(self.chunks.len()).map_err(|_| Error::TooLarge)?;
        let start = u32::try_from(start).map_err(|_| Error::TooLarge)?;
        self.offsets.push(RowOffset { chunk, start });
        Ok(())
    }

    /// Whether no row is left that waits for its chunk.
    pub(crate) fn is_complete(&self) -> bool {
        self.offsets.last().is_none_or(|last| self.chunk(*last).is_some())
    }

    fn chunk(&self, offset: RowOffset) -> Option<&Vec<u8>> {
        self.chunks.get(usize::try_from(offset.chunk).ok()?)
    }

    /// The result's columns.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.offsets.len() as u64
    }

    /// The row with this number, counted from 0.
    #[inline]
    pub fn row(&self, number: u64) -> Option<Row<'_>> {
        let index = usize::try_from(number).ok()?;
        let offset = *self.offsets.get(index)?;
        let chunk = self.chunk(offset)?;
        let end = end_of(offset, self.offsets.get(index + 1), chunk);
        let payload = span(chunk, usize::try_from(offset.start).ok()?, end);
        Some(self.layout.row(payload))
    }

    /// The rows from this one on.
    pub fn rows_from(&self, number: u64) -> impl Iterator<Item = Row<'_>> {
        let begin = usize::try_from(number).unwrap_or(usize::MAX);
        let mut offsets = self.offsets.get(begin..).unwrap_or_default();
        let mut chunk: (u32, &[u8]) = (u32::MAX, &[]);
        std::iter::from_fn(move || {
            let (offset, rest) = offsets.split_first()?;
            offsets = rest;
            if offset.chunk != chunk.0 {
                chunk = (offset.chunk, self.chunk(*offset)?);
            }
            let start = usize::try_from(offset.start).ok()?;
            Some(self.layout.row(span(chunk.1, start, end_of(*offset, rest.first(), chunk.1))))
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

    /// The bytes of the rows as they came over the wire, with the headers of their packets.
    pub fn wire_bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.len() as u64).sum()
    }

    /// The memory that the rows take, with what stays unused in it.
    pub fn memory_bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(Vec::capacity).sum();
        chunks + self.offsets.capacity() * size_of::<RowOffset>()
    }
}

/// Where the payload ends that begins at an offset, before the one that begins at the next.
#[inline]
fn end_of(offset: RowOffset, next: Option<&RowOffset>, chunk: &[u8]) -> usize {
    match next {
        Some(next) if next.chunk == offset.chunk => next.start as usize - PACKET_HEADER_BYTES,
        _ => chunk.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_up_to_the_last_offset() {
        // A chunk never has that many bytes: a row ends at 1 GiB. What could not be told apart is refused all the same.
        let mut stored = Buffered::new(Columns::default(), Layout::default());
        stored.push(u32::MAX as usize - 1).unwrap();
        stored.push(u32::MAX as usize).unwrap();
        assert!(matches!(stored.push(u32::MAX as usize + 1), Err(Error::TooLarge)));
        assert_eq!(stored.rows(), 2);
    }
}
