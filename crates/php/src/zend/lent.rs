//! What the driver borrows of the request's memory: pieces for the rows of results, and strings for their long values, which PHP
//! takes as they are.
//!
//! All of it counts against memory_limit. Here Zend's allocator is called while the driver works, against the rule of `zend`: it is asked
//! for nothing that it would long-jump for.

use super::memory::{self, may_take};
use super::string::Str;
use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::{self, NonNull};
use vaquita_client::{Block, CHUNK_BYTES, Lender, Memory};

/// The request's memory, as the driver sees it.
pub(crate) static LENT: Lent = Lent;

/// See [`LENT`].
pub(crate) struct Lent;

impl Memory for Lent {
    fn rows(&self, bytes: usize) -> Option<Block> {
        POOL.with(|pool| {
            let start = pool.take(bytes).or_else(|| match may_take(bytes) {
                true => NonNull::new(memory::allocate(bytes)),
                // What nobody uses now may be what is missing.
                false => pool
                    .empty()
                    .then(|| may_take(bytes))
                    .filter(|may| *may)
                    .and_then(|_| NonNull::new(memory::allocate(bytes))),
            })?;
            pool.lend(bytes);
            // SAFETY: it has so many bytes, nobody else's, of memory that the kernel gave Zend. Objects of PHP never leave their thread, nor
            // do blocks.
            Some(unsafe { Block::lent(start.cast(), bytes, &Rows) })
        })
    }

    fn value(&self, bytes: usize) -> Option<Block> {
        if !may_take(bytes) && !(POOL.with(Pool::empty) && may_take(bytes)) {
            return None;
        }
        let start = NonNull::new(Str::with_length(bytes).as_mut_ptr())?;
        // SAFETY: as above.
        Some(unsafe { Block::lent(start, bytes, &Values) })
    }
}

/// The string that a long value was received into, to which the caller holds a reference then; `None`: it was not received into one.
pub(super) fn string_of(block: &Block) -> Option<Str> {
    if !block.is_of(&Values) || block.len() != block.capacity() {
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
        let is_copied = bytes >= memory::SEGMENT_BYTES && new_bytes < memory::SEGMENT_BYTES;
        if (new_bytes > bytes && !may_take(new_bytes)) || (is_copied && new_bytes > bytes / 2) {
            return None;
        }
        POOL.with(|pool| pool.unlend(bytes));
        // SAFETY: the caller's promise.
        NonNull::new(unsafe { memory::resize(start.as_ptr().cast(), new_bytes) }.cast())
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
        _bytes: usize,
        new_bytes: usize,
    ) -> Option<NonNull<u8>> {
        if !may_take(new_bytes) {
            return None;
        }
        // SAFETY: a string's bytes begin there, and nobody else has it.
        NonNull::new(unsafe { Str::of_bytes(start.as_ptr()).resized(new_bytes) }.as_mut_ptr())
    }

    unsafe fn release(&self, start: NonNull<u8>, _bytes: usize) {
        // SAFETY: a string's bytes begin there, and a reference to it is the block's.
        unsafe { Str::of_bytes(start.as_ptr()) }.release();
    }
}

/// The most bytes that are kept for the next result.
const MOST_KEPT_BYTES: usize = 8 << 20;

/// The part of memory_limit that this is at the most.
const KEPT_PART: usize = 16;

/// How many results in a row have to have needed what is kept.
const REMEMBERED: usize = 4;

/// Pieces of a result that went, for the next one: as many as each of the last few results needed. So a loop of queries takes its
/// memory from the system once, and what one large result took goes back to it.
struct Pool {
    /// The first free piece of each size; its first word says where the next one is.
    free: [Cell<*mut c_void>; CHUNK_BYTES.len()],
    free_bytes: Cell<usize>,
    lent_bytes: Cell<usize>,
    /// The most that was lent at once since nothing was.
    peak_bytes: Cell<usize>,
    /// The last peaks.
    peaks: Cell<[usize; REMEMBERED]>,
}

thread_local! {
    static POOL: Pool = const {
        Pool {
            free: [const { Cell::new(ptr::null_mut()) }; CHUNK_BYTES.len()],
            free_bytes: Cell::new(0),
            lent_bytes: Cell::new(0),
            peak_bytes: Cell::new(0),
            peaks: Cell::new([0; REMEMBERED]),
        }
    };
}

impl Pool {
    fn list_of(&self, bytes: usize) -> Option<&Cell<*mut c_void>> {
        let number = CHUNK_BYTES.iter().position(|size| *size == bytes)?;
        self.free.get(number)
    }

    /// A free piece of this size.
    fn take(&self, bytes: usize) -> Option<NonNull<c_void>> {
        let list = self.list_of(bytes)?;
        let piece = NonNull::new(list.get())?;
        // SAFETY: it is a free piece, whose first word says where the next one is.
        list.set(unsafe { piece.cast::<*mut c_void>().read() });
        self.free_bytes.set(self.free_bytes.get() - bytes);
        Some(piece)
    }

    /// Notes that a piece is lent.
    fn lend(&self, bytes: usize) {
        if self.list_of(bytes).is_some() {
            self.lent_bytes.set(self.lent_bytes.get() + bytes);
            self.peak_bytes.set(self.peak_bytes.get().max(self.lent_bytes.get()));
        }
    }

    /// Notes that one of this size is none any more.
    fn unlend(&self, bytes: usize) {
        if self.list_of(bytes).is_some() {
            self.lent_bytes.set(self.lent_bytes.get().saturating_sub(bytes));
        }
    }

    /// Takes a piece back, into the pool or out of it.
    ///
    /// # Safety
    /// It must be Zend's, of that size, and nobody else's.
    unsafe fn give(&self, piece: *mut c_void, bytes: usize) {
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
            _ => unsafe { memory::release(piece) },
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

    /// Gives all that is free back to Zend: whether there was any.
    fn empty(&self) -> bool {
        let had_some = self.free_bytes.get() > 0;
        self.free_down_to(0);
        had_some
    }

    /// The request ends, and its memory with it.
    fn end_request(&self) {
        self.empty();
        self.lent_bytes.set(0);
        self.peak_bytes.set(0);
        self.peaks.set([0; REMEMBERED]);
    }
}

/// Gives back what is kept for results to come: the request ends.
pub(crate) fn end_request() {
    POOL.with(Pool::end_request);
}
