//! Rows that a script fetches one by one: the array of the row before last, which it has let go of, becomes the next row, and the strings in
//! it become the next values.
//!
//! Zend counts who has an array. The last two rows are counted once more for being kept here, so nobody writes into them: a script that
//! changes a row changes a copy, which is what that costs. So it is only gone on with as long as a script just reads its rows, and lets go of each
//! when it has the next.

use super::super::ffi;
use super::super::slot::{Slot, UsedSlot};
use super::{NewRow, Template};
use core::cell::Cell;
use core::ptr;

/// The last two rows of a result.
pub(crate) struct Recycler {
    /// The row that was fetched last; null: none.
    last: Cell<*mut ffi::zend_array>,
    /// The one before.
    earlier: Cell<*mut ffi::zend_array>,
    /// What both are copies of.
    template: Cell<*const Template>,
    /// So many rows are not kept.
    wait: Cell<u32>,
    /// So many after the next row that could not be used again.
    next_wait: Cell<u32>,
}

/// The first rows are not kept: most results have no more.
const FIRST_WAIT: u32 = 3;

/// How much longer is waited each time: a script that changes all its rows pays for a copy of a few of them.
const WAIT_FACTOR: u32 = 4;

impl Recycler {
    pub(crate) const fn new() -> Recycler {
        Recycler {
            last: Cell::new(ptr::null_mut()),
            earlier: Cell::new(ptr::null_mut()),
            template: Cell::new(ptr::null()),
            wait: Cell::new(FIRST_WAIT),
            next_wait: Cell::new(FIRST_WAIT * WAIT_FACTOR),
        }
    }

    /// Puts the row before last into `slot`, whose values are to be overwritten. The slot comes back if it may not be used, as
    /// somebody else has it, or the script seems to have changed the last one.
    #[inline]
    pub(crate) fn take<'s, 't>(
        &self,
        template: &'t Template,
        slot: Slot<'s>,
    ) -> Result<UsedRow<'t>, Slot<'s>> {
        let (last, earlier) = (self.last.get(), self.earlier.get());
        if earlier.is_null() || !ptr::eq(self.template.get(), template) {
            return Err(slot);
        }
        // SAFETY: both are counted for being here; the one that nobody else has is written by nobody else.
        unsafe {
            let is_free = (*earlier).gc.refcount == 1 && (*last).gc.refcount > 1;
            let Some(row) = template.row_of(earlier).filter(|_| is_free) else { return Err(slot) };
            (*earlier).gc.refcount = 2;
            self.last.set(earlier);
            self.earlier.set(last);
            slot.array_ptr(earlier);
            Ok(UsedRow(row))
        }
    }

    /// Keeps a row that was made because none could be taken.
    #[inline]
    pub(crate) fn keep(&self, template: &Template, row: &NewRow<'_>) {
        match self.wait.get() {
            0 if row.table.stride.is_some() => self.keep_now(template, row),
            0 => {}
            wait => self.wait.set(wait - 1),
        }
    }

    #[inline(never)]
    fn keep_now(&self, template: &Template, row: &NewRow<'_>) {
        let (last, earlier) = (self.last.get(), self.earlier.get());
        let is_first = last.is_null();
        // SAFETY: what is here is counted for that; the new row is alive.
        unsafe {
            let is_second = !is_first
                && earlier.is_null()
                && ptr::eq(self.template.get(), template)
                && (*last).gc.refcount > 1;
            if !is_first && !is_second {
                self.clear();
                let wait = self.next_wait.get();
                self.wait.set(wait);
                self.next_wait.set(wait.saturating_mul(WAIT_FACTOR));
                return;
            }
            (*row.array).gc.refcount += 1;
        }
        self.template.set(template);
        self.earlier.set(last);
        self.last.set(row.array);
    }

    /// Lets go of both.
    #[inline]
    pub(crate) fn clear(&self) {
        if !self.last.get().is_null() {
            release(self.last.replace(ptr::null_mut()));
            release(self.earlier.replace(ptr::null_mut()));
        }
    }
}

impl Drop for Recycler {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Lets go of a row; null: none. Its values are strings and numbers, so no user code runs.
fn release(row: *mut ffi::zend_array) {
    // SAFETY: it was counted for being kept; at zero nobody else has it.
    unsafe {
        if !row.is_null() {
            (*row).gc.refcount -= 1;
            if (*row).gc.refcount == 0 {
                ffi::zend_array_destroy(row);
            }
        }
    }
}

/// A row whose values are overwritten by those of another one.
pub(crate) struct UsedRow<'t>(NewRow<'t>);

impl<'t> UsedRow<'t> {
    /// The slots of the columns, in their order.
    #[inline]
    pub(crate) fn slots(&mut self) -> impl Iterator<Item = UsedSlot<'_>> + use<'_, 't> {
        // SAFETY: the slots hold what was written there when the row was made, and the row has each once.
        self.0.slots().into_iter().flatten().map(|slot| unsafe { UsedSlot::new(slot) })
    }

    /// The row without values.
    #[inline(never)]
    pub(crate) fn cleared(mut self) -> NewRow<'t> {
        self.slots().for_each(|slot| slot.cleared().null());
        self.0
    }
}
