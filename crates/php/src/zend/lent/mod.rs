//! What the driver borrows of the request's memory: pieces for the rows of results, and strings for their long values, which PHP
//! takes as they are.
//!
//! All of it counts against memory_limit, but for what is [spare]. Here Zend's allocator is called while the driver works, against the rule
//! of `zend`: it is asked only where it does not long-jump.

mod pool;
mod spare;

use super::ini::{self, Kept};
use super::memory;
use super::string::Str;
use core::ptr::{self, NonNull};
use pool::{POOL, Pool};
use vaquita_client::{Block, Lender, Memory};

/// The request's memory, as the driver sees it.
pub(crate) static LENT: Lent = Lent;

thread_local! {
    /// What `vaquita.max_result_bytes` says.
    static LIMIT: Kept<Option<usize>> = const { Kept::new() };
}

/// See [`LENT`].
pub(crate) struct Lent;

impl Memory for Lent {
    fn rows(&self, bytes: usize) -> Option<Block> {
        POOL.with(|pool| {
            let piece = pool.take(bytes).or_else(|| pool.or_empty(|| memory::try_allocate(bytes)));
            let Some(piece) = piece else { return spare::lend(bytes) };
            pool.lend(bytes);
            // SAFETY: it has so many bytes, nobody else's, of memory that the kernel gave Zend. Objects of PHP never leave their thread, nor
            // do blocks.
            Some(unsafe { Block::lent(piece.cast(), bytes, &Rows) })
        })
    }

    fn value(&self, bytes: usize) -> Option<Block> {
        POOL.with(|pool| {
            let string = pool.or_empty(|| Str::try_with_length(bytes));
            let Some(string) = string else { return spare::lend(bytes) };
            pool.lend_value(bytes);
            let start = NonNull::new(string.as_mut_ptr())?;
            // SAFETY: as above.
            Some(unsafe { Block::lent(start, bytes, &Values) })
        })
    }

    fn has_room(&self, bytes: usize) -> bool {
        POOL.with(|pool| {
            bytes <= memory::SEGMENT_BYTES
                || pool.or_empty(|| memory::may_take(bytes).then_some(())).is_some()
        })
    }

    fn result_limit(&self) -> Option<usize> {
        // Reads a table of Zend's, where nothing can long-jump.
        LIMIT.with(|limit| {
            limit.get(|| {
                let limit = ini::long(c"vaquita.max_result_bytes");
                usize::try_from(limit).ok().filter(|limit| *limit > 0)
            })
        })
    }
}

/// The string that a long value was received into, to which the caller holds a reference then; `None`: it was not received into one.
pub(super) fn string_of(block: &Block) -> Option<Str> {
    if !block.is_of::<Values>() || block.len() != block.capacity() {
        return None;
    }
    // SAFETY: it begins where the bytes of a string of this length do, and all of them are written.
    let string = unsafe { Str::of_bytes(block.start().as_ptr()) };
    string.add_ref();
    Some(string)
}

/// Who takes pieces for rows back.
struct Rows;

// SAFETY: `rows` takes the pieces from Zend's allocator, which has them stay where they are, and gives them back to it or to the pool.
unsafe impl Lender for Rows {
    unsafe fn resize(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        new_bytes: usize,
    ) -> Option<NonNull<u8>> {
        // Zend makes a block smaller where it stands, but for those that it has from the system as they are.
        if bytes == memory::SEGMENT_BYTES && new_bytes < bytes {
            if new_bytes > bytes / 2 {
                return None;
            }
            let smaller: NonNull<u8> = memory::try_allocate(new_bytes)?.cast();
            // SAFETY: both have so many bytes; the caller's promise.
            unsafe {
                ptr::copy_nonoverlapping(start.as_ptr(), smaller.as_ptr(), new_bytes);
                self.release(start, bytes);
            }
            return Some(smaller);
        }
        // SAFETY: the caller's promise.
        let resized = unsafe { memory::try_resize(start.as_ptr().cast(), bytes, new_bytes) }?;
        POOL.with(|pool| {
            pool.unlend(bytes);
            pool.lend(new_bytes);
        });
        Some(resized.cast())
    }

    unsafe fn release(&self, start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's promise.
        POOL.with(|pool| unsafe { pool.give(start.as_ptr().cast(), bytes) });
    }
}

/// Who takes the strings of long values back.
struct Values;

// SAFETY: as of `Rows`; a string that PHP has, too, is not resized any more, and stays until PHP gives it back as well.
unsafe impl Lender for Values {
    unsafe fn resize(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        new_bytes: usize,
    ) -> Option<NonNull<u8>> {
        // SAFETY: a string's bytes begin there, and nobody else has it.
        let resized = unsafe { Str::of_bytes(start.as_ptr()).try_resized(new_bytes) }?;
        POOL.with(|pool| {
            pool.unlend_value(bytes);
            pool.lend_value(new_bytes);
        });
        NonNull::new(resized.as_mut_ptr())
    }

    unsafe fn release(&self, start: NonNull<u8>, bytes: usize) {
        // SAFETY: a string's bytes begin there, and a reference to it is the block's.
        let string = unsafe { Str::of_bytes(start.as_ptr()) };
        let is_at_end_of_large = POOL.with(|pool| pool.unlend_value(bytes));
        if is_at_end_of_large && string.is_sole() {
            // SAFETY: nobody else has it, and so many bytes are its own.
            unsafe { memory::wipe(start.as_ptr().cast(), bytes) };
        }
        string.release();
    }
}

/// Gives back what is kept for results to come: the request ends.
pub(crate) fn end_request() {
    POOL.with(Pool::end_request);
}
