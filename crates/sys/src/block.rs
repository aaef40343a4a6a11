//! Bytes in memory that may be somebody else's: as a `Vec`, but that whoever lends the memory also takes it back.

use std::alloc::{Layout, alloc_zeroed, dealloc, realloc};
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::slice;

/// Whose memory it is.
///
/// # Safety
/// Memory that was [lent](Block::lent) by a lender is nobody else's until it is released, stays where it is until it is resized, and can be
/// resized and released wherever the block is. All of it is initialised, with whatever: as memory is that the kernel gave, and that nobody
/// but the lender has told the compiler about.
pub unsafe trait Lender: Any + Sync {
    /// Changes how many bytes there are, and tells where they are now; those in front are kept, further ones initialised. `None`: there are
    /// no more, and all is as it was.
    ///
    /// # Safety
    /// `start` must be memory of this lender's with `bytes` bytes; `new_bytes` must not be 0.
    unsafe fn resize(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        new_bytes: usize,
    ) -> Option<NonNull<u8>>;

    /// Takes it back.
    ///
    /// # Safety
    /// As of `resize`; nobody may use it any more.
    unsafe fn release(&self, start: NonNull<u8>, bytes: usize);
}

/// Bytes in memory that its lender takes back in the end. Of [`Block::capacity`] bytes the first ones count.
pub struct Block {
    start: NonNull<u8>,
    capacity: usize,
    length: usize,
    lender: &'static dyn Lender,
}

impl Block {
    /// A block of the system's memory; all of it is zero and counts.
    pub fn zeroed(bytes: usize) -> Block {
        let start = match System::layout(bytes) {
            Some(layout) => {
                System::allocate(bytes).unwrap_or_else(|| std::alloc::handle_alloc_error(layout))
            }
            None => NonNull::dangling(),
        };
        Block { start, capacity: bytes, length: bytes, lender: &System }
    }

    /// A block of memory that `lender` has lent; none of it counts yet.
    ///
    /// # Safety
    /// There must be `bytes` bytes at `start`, initialised and nobody else's, which `lender` takes back, from whatever thread the block
    /// gets to.
    pub unsafe fn lent(start: NonNull<u8>, bytes: usize, lender: &'static dyn Lender) -> Block {
        Block { start, capacity: bytes, length: 0, lender }
    }

    /// How many bytes have room in it.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether a lender of this kind has lent it.
    pub fn is_of<L: Lender>(&self) -> bool {
        // Asked of its type: lenders without fields may all have one address.
        let lender: &dyn Any = self.lender;
        lender.is::<L>()
    }

    /// Where its memory begins.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Has only the first bytes count.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Room for writing, from a place on: at most `most` bytes. What was written there counts once [`Block::grow_to`] says so.
    pub fn room(&mut self, from: usize, most: usize) -> &mut [u8] {
        let from = from.min(self.capacity);
        // SAFETY: these bytes are within the capacity, initialised, and nobody else has them.
        unsafe {
            let start = self.start.as_ptr().add(from);
            slice::from_raw_parts_mut(start, most.min(self.capacity - from))
        }
    }

    /// Has the first bytes count, all of them at the most.
    pub fn grow_to(&mut self, length: usize) {
        self.length = length.min(self.capacity);
    }

    /// Writes bytes behind those that count; `false`: there is no room for them.
    #[must_use]
    pub fn append(&mut self, bytes: &[u8]) -> bool {
        let has_room = bytes.len() <= self.capacity - self.length;
        if has_room {
            // SAFETY: there is room, and a borrow from elsewhere does not overlap with it.
            unsafe {
                let to = self.start.as_ptr().add(self.length);
                ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
            }
            self.length += bytes.len();
        }
        has_room
    }

    /// Takes bytes out of the middle: `from..from + count`; those behind them, up to `end`, move down.
    pub fn take_out(&mut self, from: usize, count: usize, end: usize) {
        if let Some(bytes) = self.bytes_mut().get_mut(from..end)
            && count <= bytes.len()
        {
            bytes.copy_within(count.., 0);
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: so many bytes are initialised, and nobody else has them.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    /// Makes it as large as that, or leaves it as it is: whether it has become so.
    #[must_use]
    pub fn resize(&mut self, capacity: usize) -> bool {
        if capacity == self.capacity {
            return true;
        }
        // SAFETY: it is the lender's, of that size; no size is 0.
        let resized = unsafe { self.lender.resize(self.start, self.capacity, capacity.max(1)) };
        if let Some(start) = resized {
            self.start = start;
            self.capacity = capacity;
            self.length = self.length.min(capacity);
        }
        resized.is_some()
    }
}

impl Deref for Block {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: so many bytes are initialised, and nobody writes to them while they are borrowed.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: it is the lender's, of that size, and goes now.
        unsafe { self.lender.release(self.start, self.capacity) };
    }
}

impl fmt::Debug for Block {
    /// Lengths only: what is in it may be anybody's data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Block { length, capacity, .. } = self;
        write!(f, "Block({length} of {capacity} bytes)")
    }
}

// SAFETY: what is in it are bytes, and whoever lent it takes it back from any thread that it gets to.
unsafe impl Send for Block {}
// SAFETY: a shared block is only read.
unsafe impl Sync for Block {}

/// The system's memory; for lenders, too, who have theirs from there.
pub struct System;

impl System {
    /// So many bytes, all of them zero; `None`: there are none, or none were asked for. [`System::release`](Lender::release) takes them back.
    pub fn allocate(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: the layout is of at least one byte.
        NonNull::new(unsafe { alloc_zeroed(Self::layout(bytes)?) })
    }

    /// `None`: of no bytes.
    fn layout(bytes: usize) -> Option<Layout> {
        Layout::array::<u8>(bytes).ok().filter(|layout| layout.size() > 0)
    }
}

// SAFETY: the system's allocator is everybody's, on any thread, and does what is asked for.
unsafe impl Lender for System {
    unsafe fn resize(
        &self,
        start: NonNull<u8>,
        bytes: usize,
        new_bytes: usize,
    ) -> Option<NonNull<u8>> {
        let Some(layout) = Self::layout(bytes) else { return Self::allocate(new_bytes) };
        Self::layout(new_bytes)?;
        // SAFETY: the caller's promise; the new size has a layout.
        let start = NonNull::new(unsafe { realloc(start.as_ptr(), layout, new_bytes) })?;
        if let Some(more) = new_bytes.checked_sub(bytes) {
            // SAFETY: so many bytes were added.
            unsafe { start.as_ptr().add(bytes).write_bytes(0, more) };
        }
        Some(start)
    }

    unsafe fn release(&self, start: NonNull<u8>, bytes: usize) {
        if let Some(layout) = Self::layout(bytes) {
            // SAFETY: the caller's promise.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_counts() {
        let mut block = Block::zeroed(0);
        assert_eq!((block.capacity(), &*block), (0, &b""[..]));
        assert!(!block.append(b"a") && block.append(b""));
        assert!(block.resize(4) && block.append(b"abcd") && !block.append(b"e"));
        block.truncate(3);
        block.room(3, 9).copy_from_slice(b"D");
        assert_eq!(&*block, b"abc");
        block.grow_to(9);
        assert_eq!(&*block, b"abcD");
        block.take_out(1, 2, 4);
        block.truncate(2);
        assert_eq!(&*block, b"aD");
        assert!(block.resize(1));
        assert_eq!((block.capacity(), &*block), (1, &b"a"[..]));
    }

    struct Other;

    // SAFETY: it lends nothing.
    unsafe impl Lender for Other {
        unsafe fn resize(&self, _: NonNull<u8>, _: usize, _: usize) -> Option<NonNull<u8>> {
            None
        }

        unsafe fn release(&self, _: NonNull<u8>, _: usize) {}
    }

    #[test]
    fn a_block_is_of_one_lender() {
        // SAFETY: nothing is read, and it is not taken back.
        let other = unsafe { Block::lent(NonNull::dangling(), 0, &Other) };
        assert!(other.is_of::<Other>() && !other.is_of::<System>());
        let block = Block::zeroed(1);
        assert!(block.is_of::<System>() && !block.is_of::<Other>());
    }

    #[test]
    fn room_ends_with_the_memory() {
        let mut block = Block::zeroed(100);
        assert!(block.resize(300));
        assert_eq!(block.room(1, usize::MAX), [0; 299]);
        assert_eq!((block.room(1, 10).len(), block.room(usize::MAX, 10).len()), (10, 0));
        assert_eq!(block.len(), 100);
        block.grow_to(usize::MAX);
        assert_eq!(block.len(), 300);
    }
}
