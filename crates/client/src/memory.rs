//! Where the memory of results comes from: whoever uses a connection may want them to stand in memory of his own.

use std::fmt;

use vaquita_sys::Block;

/// From this length on, in bytes, a value is received into a block of its own.
pub const LONG_VALUE_BYTES: usize = 16 << 10;

/// The pieces in which memory is asked for, in bytes, while the rows of a result arrive: one that takes what the read buffer had, then
/// larger ones.
///
/// A common allocator divides 2 MiB less a page of 4 KiB: into eight of the first, or two of the next. The last, and all behind it, are whole
/// ones.
pub const CHUNK_BYTES: [usize; 4] = [63 << 12, 252 << 12, 252 << 12, 2 << 20];

/// Lends memory for results. `None`: there is no more of it; then the connection is given up ([`crate::Error::OutOfMemory`]).
pub trait Memory: Sync {
    /// Exactly so many bytes, for rows.
    fn rows(&self, bytes: usize) -> Option<Block>;

    /// Exactly so many bytes, for one value of [`LONG_VALUE_BYTES`] or more.
    fn value(&self, bytes: usize) -> Option<Block>;

    /// Whether so many bytes may be taken of the system's memory: by a packet that is not stored, for a row is about to take as many of the user's; or
    /// by all the long definitions of columns that there are.
    fn has_room(&self, _bytes: usize) -> bool {
        true
    }

    /// How many bytes a result may have that is being stored, its rows with the headers of their packets; asked when the storing begins.
    /// `None`: as many as there is memory for. More is [`crate::Error::ResultTooLarge`].
    fn result_limit(&self) -> Option<usize> {
        None
    }
}

/// The system's memory.
pub(crate) struct SystemMemory;

impl Memory for SystemMemory {
    fn rows(&self, bytes: usize) -> Option<Block> {
        let mut block = Block::zeroed(bytes);
        block.truncate(0);
        Some(block)
    }

    fn value(&self, bytes: usize) -> Option<Block> {
        self.rows(bytes)
    }
}

impl fmt::Debug for dyn Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}
