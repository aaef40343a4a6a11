//! What PDO itself makes of a driver's values, for whoever gives them to a script without PDO: two attributes of its connections.

use super::super::ffi;
use super::super::slot::{Slot, type_of};

/// What is done to each value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Treatment {
    /// `PDO::ATTR_STRINGIFY_FETCHES`: numbers become strings.
    stringifies: bool,
    /// `PDO::ATTR_ORACLE_NULLS`.
    nulls: u32,
}

impl Treatment {
    /// Values stay as they are.
    pub(crate) const NONE: Treatment =
        Treatment { stringifies: false, nulls: ffi::pdo_null_handling_PDO_NULL_NATURAL };

    /// # Safety
    /// `dbh` must be alive.
    pub(super) unsafe fn of(dbh: *const ffi::pdo_dbh_t) -> Treatment {
        // SAFETY: the caller's promise.
        unsafe { Treatment { stringifies: (*dbh).stringify() != 0, nulls: (*dbh).oracle_nulls() } }
    }

    /// Writes a value, and does to it what is to be done.
    #[inline]
    pub(crate) fn write(self, slot: Slot<'_>, write: impl FnOnce(Slot<'_>)) {
        let zval = slot.as_ptr();
        write(slot);
        // SAFETY: a value was written there.
        unsafe { self.apply(zval) };
    }

    /// Does to a value that was written what is to be done.
    #[inline]
    pub(crate) fn treat(self, slot: Slot<'_>) {
        // SAFETY: a slot is a place with a value.
        unsafe { self.apply(slot.as_ptr()) };
    }

    /// # Safety
    /// `zval` must be writable, and hold a value of a column: nothing that runs user code. Empty strings are PHP's shared one.
    #[inline]
    unsafe fn apply(self, zval: *mut ffi::zval) {
        if self == Treatment::NONE {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            match type_of(zval) {
                ffi::IS_STRING
                    if self.nulls == ffi::pdo_null_handling_PDO_NULL_EMPTY_STRING
                        && (*(*zval).value.str_).len == 0 =>
                {
                    (*zval).u1.type_info = ffi::IS_NULL;
                }
                ffi::IS_LONG | ffi::IS_DOUBLE if self.stringifies => ffi::_convert_to_string(zval),
                ffi::IS_NULL if self.nulls == ffi::pdo_null_handling_PDO_NULL_TO_STRING => {
                    Slot::new(zval).bytes(b"");
                }
                _ => {}
            }
        }
    }
}
