//! The values of a statement's current row: made all at once when it is fetched, and given to PDO one by one.

use super::super::ffi;
use super::super::held::copy;
use super::super::memory::{allocate, release};
use super::super::slot::Slot;
use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr;

/// NULLs, strings, integers and floats: nothing whose end runs user code.
///
/// PDO mostly asks for each once, in their order, and gets the reference that is held here. What was given away is NULL then, and must
/// be had from elsewhere if PDO asks again.
pub(crate) struct Values {
    /// A block of the request's memory; null: none.
    slots: Cell<*mut ffi::zval>,
    /// How many fit into it.
    capacity: Cell<u32>,
    count: Cell<u32>,
    /// The one that is given away next, behind all that were; [`NONE`]: each is only shared, none was given away.
    next: Cell<u32>,
}

/// The number of no value.
const NONE: u32 = u32::MAX;

impl Values {
    pub(crate) const fn none() -> Values {
        Values {
            slots: Cell::new(ptr::null_mut()),
            capacity: Cell::new(0),
            count: Cell::new(0),
            next: Cell::new(0),
        }
    }

    /// Lets go of what is left.
    pub(crate) fn clear(&self) {
        self.drop_left();
        self.count.set(0);
        self.next.set(0);
    }

    /// Has as many instead, NULLs that were given away; none if they are too many.
    pub(crate) fn reset(&self, count: usize) {
        self.clear();
        let count = u32::try_from(count).unwrap_or(0);
        if count > self.capacity.get() {
            self.free_slots();
            // A long jump out of this finds nothing here.
            let slots = allocate(count as usize * size_of::<ffi::zval>());
            self.slots.set(slots.cast());
            self.capacity.set(count);
        }
        for number in 0..count {
            // SAFETY: the block has room for as many.
            unsafe { Slot::new(self.slots.get().add(number as usize)).null() };
        }
        self.next.set(count);
        self.count.set(count);
    }

    /// Puts the values that are written in the place of those that are there; what is not written is NULL.
    #[inline]
    pub(crate) fn renew(&self, write: impl FnOnce(Slots<'_>)) {
        self.drop_left();
        self.restore(write);
    }

    /// Has back what was given away: the values that are written.
    #[inline]
    pub(crate) fn restore(&self, write: impl FnOnce(Slots<'_>)) {
        let next = self.slots.get();
        // SAFETY: the block has as many.
        let end = unsafe { next.add(self.given() as usize) };
        // Until all are written they are given away: a long jump out of this leaves them to the request's memory.
        write(Slots { next, end, values: PhantomData });
        self.next.set(0);
    }

    /// Gives none of them away from now on, if none was.
    pub(crate) fn keep(&self) {
        if self.given() == 0 {
            self.next.set(NONE);
        }
    }

    /// How many were given away.
    #[inline]
    fn given(&self) -> u32 {
        let next = self.next.get();
        if next == NONE { 0 } else { next }
    }

    /// Gives a value away; false: it is not the next one.
    #[inline]
    pub(crate) fn give(&self, number: u32, slot: Slot<'_>) -> bool {
        if number != self.next.get() || number >= self.count.get() {
            return false;
        }
        self.next.set(number + 1);
        // SAFETY: the block has such a value, which is moved.
        unsafe {
            let (from, to) = (self.slots.get().add(number as usize), slot.as_ptr());
            (*to).value = (*from).value;
            (*to).u1.type_info = (*from).u1.type_info;
            Slot::new(from).null();
        }
        true
    }

    /// Writes one more reference of a value; false: it was given away, or there is none.
    pub(crate) fn share(&self, number: u32, slot: Slot<'_>) -> bool {
        let is_held = number >= self.given() && number < self.count.get();
        if is_held {
            // SAFETY: the block has such a value.
            unsafe { copy(slot, self.slots.get().add(number as usize)) };
        }
        is_held
    }

    /// Whether a value was given away.
    pub(crate) fn has_given(&self, number: u32) -> bool {
        number < self.given()
    }

    /// Releases the values that were not given away.
    #[inline]
    fn drop_left(&self) {
        let (given, count) = (self.given(), self.count.get());
        self.next.set(count);
        if given < count {
            self.release_from(given);
        }
    }

    #[inline(never)]
    fn release_from(&self, first: u32) {
        for number in first..self.count.get() {
            // SAFETY: the block has such a value, which is moved, and released once.
            unsafe {
                let place = self.slots.get().add(number as usize);
                let mut value = ptr::read(place);
                Slot::new(place).null();
                if value.u1.v.type_flags != 0 {
                    ffi::zval_ptr_dtor(&raw mut value);
                }
            }
        }
    }

    fn free_slots(&self) {
        let slots = self.slots.replace(ptr::null_mut());
        self.capacity.set(0);
        if !slots.is_null() {
            // SAFETY: the block was allocated here, and holds nothing any more.
            unsafe { release(slots.cast()) };
        }
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        self.clear();
        self.free_slots();
    }
}

/// The places of the values that are to be written, in their order; each is NULL until then.
pub(crate) struct Slots<'a> {
    next: *mut ffi::zval,
    end: *mut ffi::zval,
    values: PhantomData<&'a Values>,
}

impl<'a> Iterator for Slots<'a> {
    type Item = Slot<'a>;

    #[inline]
    fn next(&mut self) -> Option<Slot<'a>> {
        if self.next == self.end {
            return None;
        }
        // SAFETY: the block goes on up to the end, and no value that is counted is held there.
        unsafe {
            let slot = Slot::new(self.next);
            self.next = self.next.add(1);
            Some(slot)
        }
    }
}
