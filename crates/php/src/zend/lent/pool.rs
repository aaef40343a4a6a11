//! Pieces of a result that went, for the next one.

use super::super::memory;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use vaquita_client::CHUNK_BYTES;

/// The most bytes that are kept for the next result.
const MOST_KEPT_BYTES: usize = 8 << 20;

/// The part of memory_limit that this is at the most.
const KEPT_PART: usize = 16;

/// From how many bytes on a result is a large one. Zend keeps what one or two of its pieces have stood in, so their pages go back to the
/// system before they go back to Zend.
const LARGE_BYTES: usize = 4 << 20;

/// How many results in a row have to have needed what is kept.
const REMEMBERED: usize = 4;

/// Pieces of a result that went, for the next one: as many as each of the last few results needed. So a loop of queries takes its
/// memory from the system once, and what one large result took goes back to it.
pub(super) struct Pool {
    /// The first free piece of each size; its first word says where the next one is.
    free: [Cell<*mut c_void>; CHUNK_BYTES.len()],
    free_bytes: Cell<usize>,
    lent_bytes: Cell<usize>,
    /// The most that was lent at once since nothing was.
    peak_bytes: Cell<usize>,
    /// The last peaks.
    peaks: Cell<[usize; REMEMBERED]>,
    /// The bytes of the long values that are lent, and the most of them since there were none.
    value_bytes: Cell<usize>,
    value_peak_bytes: Cell<usize>,
}

thread_local! {
    pub(super) static POOL: Pool = const {
        Pool {
            free: [const { Cell::new(ptr::null_mut()) }; CHUNK_BYTES.len()],
            free_bytes: Cell::new(0),
            lent_bytes: Cell::new(0),
            peak_bytes: Cell::new(0),
            peaks: Cell::new([0; REMEMBERED]),
            value_bytes: Cell::new(0),
            value_peak_bytes: Cell::new(0),
        }
    };
}

impl Pool {
    fn list_of(&self, bytes: usize) -> Option<&Cell<*mut c_void>> {
        let number = CHUNK_BYTES.iter().position(|size| *size == bytes)?;
        self.free.get(number)
    }

    /// A free piece of this size.
    pub(super) fn take(&self, bytes: usize) -> Option<NonNull<c_void>> {
        let list = self.list_of(bytes)?;
        let piece = NonNull::new(list.get())?;
        // SAFETY: it is a free piece, whose first word says where the next one is.
        list.set(unsafe { piece.cast::<*mut c_void>().read() });
        self.free_bytes.set(self.free_bytes.get() - bytes);
        Some(piece)
    }

    /// Notes that a piece is lent.
    pub(super) fn lend(&self, bytes: usize) {
        if self.list_of(bytes).is_some() {
            self.lent_bytes.set(self.lent_bytes.get() + bytes);
            self.peak_bytes.set(self.peak_bytes.get().max(self.lent_bytes.get()));
        }
    }

    /// Notes that one of this size is none any more.
    pub(super) fn unlend(&self, bytes: usize) {
        if self.list_of(bytes).is_some() {
            self.lent_bytes.set(self.lent_bytes.get().saturating_sub(bytes));
        }
    }

    /// Notes that a long value is lent.
    pub(super) fn lend_value(&self, bytes: usize) {
        self.value_bytes.set(self.value_bytes.get() + bytes);
        self.value_peak_bytes.set(self.value_peak_bytes.get().max(self.value_bytes.get()));
    }

    /// Notes that it is not any more: whether it was one of the first or the last of a large result, where Zend keeps what they stood in.
    pub(super) fn unlend_value(&self, bytes: usize) -> bool {
        let left = self.value_bytes.get().saturating_sub(bytes);
        self.value_bytes.set(left);
        let peak = self.value_peak_bytes.get();
        if left == 0 {
            self.value_peak_bytes.set(0);
        }
        peak >= LARGE_BYTES && (left < LARGE_BYTES || peak - left <= LARGE_BYTES)
    }

    /// Takes a piece back, into the pool or out of it.
    ///
    /// # Safety
    /// It must be Zend's, of that size, and nobody else's.
    pub(super) unsafe fn give(&self, piece: *mut c_void, bytes: usize) {
        let is_of_large = self.peak_bytes.get() >= LARGE_BYTES;
        self.unlend(bytes);
        let most = self.most_kept();
        match self.list_of(bytes) {
            Some(list) if self.free_bytes.get() + bytes <= most => {
                // SAFETY: the caller's promise; every size has room for a word.
                unsafe { piece.cast::<*mut c_void>().write(list.get()) };
                list.set(piece);
                self.free_bytes.set(self.free_bytes.get() + bytes);
            }
            // SAFETY: the caller's promise.
            _ => unsafe {
                if is_of_large && most == 0 && bytes < memory::SEGMENT_BYTES {
                    memory::wipe(piece, bytes);
                }
                memory::release(piece);
            },
        }
        if self.lent_bytes.get() == 0 && self.peak_bytes.get() > 0 {
            self.end_round();
        }
    }

    /// All results that took pieces are gone.
    fn end_round(&self) {
        let mut peaks = self.peaks.get();
        peaks.rotate_right(1);
        if let Some(last) = peaks.first_mut() {
            *last = self.peak_bytes.replace(0);
        }
        self.peaks.set(peaks);
        let most = self.most_kept();
        self.free_down_to(most);
    }

    fn most_kept(&self) -> usize {
        let needed = self.peaks.get().into_iter().min().unwrap_or(0);
        needed.min(MOST_KEPT_BYTES).min(memory::limit() / KEPT_PART)
    }

    fn free_down_to(&self, most: usize) {
        for bytes in CHUNK_BYTES.into_iter().rev() {
            while self.free_bytes.get() > most
                && let Some(piece) = self.take(bytes)
            {
                // SAFETY: it was free, and is nobody's now.
                unsafe { memory::release(piece.as_ptr()) };
            }
        }
    }

    /// What `take` takes; what nobody uses now may be what is missing.
    pub(super) fn or_empty<T>(&self, take: impl Fn() -> Option<T>) -> Option<T> {
        take().or_else(|| {
            let had_some = self.free_bytes.get() > 0;
            self.free_down_to(0);
            if had_some { take() } else { None }
        })
    }

    /// The request ends, and its memory with it.
    pub(super) fn end_request(&self) {
        self.free_down_to(0);
        self.lent_bytes.set(0);
        self.peak_bytes.set(0);
        self.peaks.set([0; REMEMBERED]);
        self.value_bytes.set(0);
        self.value_peak_bytes.set(0);
    }
}
