//! A little of the system's memory, for where it is not certain that the script may have more of its own.

use super::super::memory::SEGMENT_BYTES;
use core::cell::Cell;
use core::ptr::NonNull;
use vaquita_client::{Block, Lender, System};

/// How much of it is lent at the most: as much as stays unused where memory is taken only if that is certain. So the driver needs no less
/// of `memory_limit` than it has, and a script that is near its limit can still ask for a few rows.
const MOST_BYTES: usize = SEGMENT_BYTES;

thread_local! {
    static LENT_BYTES: Cell<usize> = const { Cell::new(0) };
}

/// A block of it, if so much is left.
pub(super) fn lend(bytes: usize) -> Option<Block> {
    if !take(bytes) {
        return None;
    }
    let Some(start) = System::allocate(bytes) else {
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

// SAFETY: it is the system's memory, of which only so much is lent.
unsafe impl Lender for Spare {
    unsafe fn resize(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        new_bytes: usize,
    ) -> Option<NonNull<u8>> {
        let more = new_bytes.saturating_sub(bytes);
        if !take(more) {
            return None;
        }
        // SAFETY: the caller's promise; `lend` has it from there.
        let resized = unsafe { System.resize(start, bytes, new_bytes) };
        give(if resized.is_some() { bytes.saturating_sub(new_bytes) } else { more });
        resized
    }

    unsafe fn release(&self, start: NonNull<u8>, bytes: usize) {
        // SAFETY: as above.
        unsafe { System.release(start, bytes) };
        give(bytes);
    }
}
