//! A little of the system's memory, for where it is not certain that the script may have more of its own.

use super::super::memory::SEGMENT_BYTES;
use core::cell::Cell;
use core::ptr::NonNull;
use std::alloc::{Layout, alloc_zeroed, dealloc, realloc};
use vaquita_client::{Block, Lender};

/// How much of it is lent at the most: as much as stays unused where memory is taken only if that is certain. So the driver needs no less
/// of `memory_limit` than it has, and a script that is near its limit can still ask for a few rows.
const MOST_BYTES: usize = SEGMENT_BYTES;

thread_local! {
    static LENT_BYTES: Cell<usize> = const { Cell::new(0) };
}

/// A block of it, if so much is left.
pub(super) fn lend(bytes: usize) -> Option<Block> {
    let layout = Layout::array::<u8>(bytes).ok().filter(|_| bytes > 0)?;
    if !take(bytes) {
        return None;
    }
    // SAFETY: the layout is of at least one byte.
    let Some(start) = NonNull::new(unsafe { alloc_zeroed(layout) }) else {
        give(bytes);
        return None;
    };
    // SAFETY: it has so many bytes, nobody else's, all of them zero.
    Some(unsafe { Block::lent(start, bytes, &Spare) })
}

/// Counts so many bytes as lent; `false`: that is too many.
fn take(bytes: usize) -> bool {
    let lent = LENT_BYTES.get().saturating_add(bytes);
    let has_room = lent <= MOST_BYTES;
    if has_room {
        LENT_BYTES.set(lent);
    }
    has_room
}

fn give(bytes: usize) {
    LENT_BYTES.set(LENT_BYTES.get().saturating_sub(bytes));
}

/// Who takes it back.
struct Spare;

// SAFETY: the system's allocator is everybody's, and does what is asked for.
unsafe impl Lender for Spare {
    unsafe fn resize(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        new_bytes: usize,
    ) -> Option<NonNull<u8>> {
        let layout = Layout::array::<u8>(bytes).ok()?;
        let more = new_bytes.saturating_sub(bytes);
        if !take(more) {
            return None;
        }
        // SAFETY: `lend` allocated it by this layout; the new size is not 0, and no larger than MOST_BYTES.
        let Some(resized) = NonNull::new(unsafe { realloc(start.as_ptr(), layout, new_bytes) })
        else {
            give(more);
            return None;
        };
        give(bytes.saturating_sub(new_bytes));
        // SAFETY: so many bytes were added.
        unsafe { resized.as_ptr().add(new_bytes - more).write_bytes(0, more) };
        Some(resized)
    }

    unsafe fn release(&self, start: NonNull<u8>, bytes: usize) {
        if let Ok(layout) = Layout::array::<u8>(bytes) {
            // SAFETY: `lend` allocated it by this layout.
            unsafe { dealloc(start.as_ptr(), layout) };
            give(bytes);
        }
    }
}
