//! Rows that stay where they are received: in memory that is lent for them, piece by piece, while the read buffer waits.

use vaquita_protocol::reader::span;
use vaquita_sys::Block;

use super::PacketStream;
use crate::error::Error;
use crate::memory::CHUNK_BYTES;

/// Memory in pieces: payloads with the headers of their packets, as they were received, or where they begin.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    full: Vec<Block>,
    last: Option<Block>,
}

impl Chunks {
    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<&Block> {
        self.full.get(number).or(self.last.as_ref().filter(|_| number == self.full.len()))
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut Block> {
        self.last.as_mut()
    }

    pub(crate) fn push(&mut self, piece: Block) {
        self.full.extend(self.last.replace(piece));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Block> {
        self.full.iter().chain(&self.last)
    }
}

/// What was received of a result that is being stored.
#[derive(Debug)]
pub(super) struct Storing {
    /// The pieces that are full.
    full: Vec<Block>,
    /// The connection's read buffer, where something else has its place.
    parked: Option<Block>,
    /// How many bytes of rows are in the full pieces and in blocks of their own.
    bytes: usize,
    /// How many there may be in all.
    limit: usize,
}

impl Storing {
    /// Counts bytes; with those that are not counted yet they may not be too many.
    pub(super) fn count(&mut self, bytes: usize, uncounted: usize) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes.saturating_add(uncounted) > self.limit {
            return Err(Error::ResultTooLarge { limit: self.limit });
        }
        Ok(())
    }
}

impl PacketStream {
    /// From now on payloads stay where they are received.
    pub(crate) fn begin_storing(&mut self) {
        self.compact();
        let limit = self.memory.result_limit().unwrap_or(usize::MAX);
        self.storing = Some(Storing { full: Vec::new(), parked: None, bytes: 0, limit });
    }

    /// The number of the chunk in which the next payload will be found.
    #[inline]
    pub(crate) fn chunk_number(&self) -> usize {
        self.storing.as_ref().map_or(0, |storing| storing.full.len())
    }

    /// Counts a value that stands in a block of its own, if it is being stored.
    pub(super) fn count_long(&mut self, bytes: usize) -> Result<(), Error> {
        self.storing.as_mut().map_or(Ok(()), |storing| storing.count(bytes, 0))
    }

    /// Whether there may be so many more than were counted.
    pub(super) fn check_result_bytes(&mut self, more: usize) -> Result<(), Error> {
        self.storing.as_mut().map_or(Ok(()), |storing| storing.count(0, more))
    }

    /// Whether there is anything to gain by another piece: of the one at hand something was given out, or it is the read buffer, which
    /// nobody has lent.
    pub(super) fn has_next_chunk(&self) -> bool {
        self.start > 0 || self.storing.as_ref().is_some_and(|storing| storing.parked.is_none())
    }

    /// Goes on in another piece, into which what is not yet given out moves; out of the read buffer, everything.
    pub(super) fn next_chunk(&mut self) -> Result<(), Error> {
        let Some(storing) = &mut self.storing else { return Ok(()) };
        storing.count(0, self.start)?;
        let is_first = storing.parked.is_none();
        let moved_from = if is_first { 0 } else { self.start };
        let moved = span(&self.buffer, moved_from, self.end);
        let number = usize::from(!is_first) + storing.full.len();
        let usual = CHUNK_BYTES.get(number).or(CHUNK_BYTES.last()).copied().unwrap_or_default();
        let bytes = usual.max(moved.len() * 2);
        let mut next = lend(self.memory.rows(bytes), bytes)?;
        let has_room = next.append(moved);
        debug_assert!(has_room, "it is larger than what moves");
        let mut left = std::mem::replace(&mut self.buffer, next);
        if is_first {
            storing.parked = Some(left);
        } else {
            left.truncate(self.start);
            storing.count(self.start, 0)?;
            storing.full.push(left);
            self.end -= self.start;
            self.start = 0;
        }
        Ok(())
    }

    /// Ends that, and gives the pieces away; `rows_end`: where the last payload ends that is kept of the piece at hand.
    ///
    /// # Errors
    /// There is no memory for a copy of the few rows that have never left the read buffer, or there are more bytes than there may be.
    pub(crate) fn end_storing(&mut self, rows_end: usize) -> Result<Chunks, Error> {
        let Some(mut storing) = self.storing.take() else {
            return Ok(Chunks::default());
        };
        let is_allowed = storing.count(rows_end, 0);
        let Storing { full, parked, .. } = storing;
        let Some(own) = parked else {
            if rows_end == 0 {
                return Ok(Chunks::default());
            }
            is_allowed?;
            let mut last = lend(self.memory.rows(rows_end), rows_end)?;
            let has_room = last.append(span(&self.buffer, 0, rows_end));
            debug_assert!(has_room, "it was asked for so large");
            return Ok(Chunks { full, last: Some(last) });
        };
        let mut last = std::mem::replace(&mut self.buffer, own);
        let unread = span(&last, self.start, self.end);
        self.buffer.truncate(0);
        if !self.buffer.append(unread) {
            let has_room = self.buffer.resize(unread.len()) && self.buffer.append(unread);
            debug_assert!(has_room, "the read buffer is the system's");
        }
        (self.start, self.end) = (0, unread.len());
        last.truncate(rows_end);
        // What it can't give back stays unused.
        let _ = rows_end == 0 || last.resize(rows_end);
        is_allowed?;
        Ok(Chunks { full, last: Some(last).filter(|_| rows_end > 0) })
    }
}

/// What was lent, or the error that says that it was not.
pub(super) fn lend(block: Option<Block>, bytes: usize) -> Result<Block, Error> {
    block.ok_or(Error::OutOfMemory { bytes })
}
