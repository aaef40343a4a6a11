//! How PHP values become what a prepared statement's parameters are to be.

use super::ffi;
use super::held::copy;
use super::slot::{Slot, type_of};

/// What a value is to become; NULL stays NULL.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// An integer, or the digits of one that does not fit.
    Long,
    /// A float.
    Double,
    /// A string.
    Bytes,
    /// Whatever it is.
    Anything,
}

/// When a value is taken from a list that is converted: stock's order, for the user code that some conversions run may set what is taken
/// after them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// What is to become an integer, and is none.
    Integers,
    /// What is to become a string, and is none; of what is to become a float a copy.
    Strings,
    /// All that is left, and those copies.
    Others,
}

impl Turn {
    pub(super) const ALL: [Turn; 3] = [Turn::Integers, Turn::Strings, Turn::Others];

    /// Converts a value into its place, NULL until then, if it is its turn.
    ///
    /// # Safety
    /// `value` must be readable, `zval` writable and nobody else's.
    pub(super) unsafe fn convert(
        self,
        zval: *mut ffi::zval,
        value: *mut ffi::zval,
        wanted: Wanted,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let is_left = type_of(zval) == ffi::IS_NULL;
            let is_due = match self {
                Turn::Integers => wanted == Wanted::Long && !fits(value, wanted),
                Turn::Strings => {
                    matches!(wanted, Wanted::Bytes | Wanted::Double) && !fits(value, wanted)
                }
                Turn::Others => is_left || wanted == Wanted::Double,
            };
            if is_due && is_left {
                copy(Slot::new(zval), value);
            }
            if is_due && (self == Turn::Others || wanted != Wanted::Double) {
                convert(zval, wanted);
            }
        }
    }
}

/// The least float that is an integer of PHP's: -2^63.
const MIN_LONG: f64 = -9_223_372_036_854_775_808.0;
/// The least float beyond the integers of PHP's: 2^63.
const MAX_LONG: f64 = 9_223_372_036_854_775_808.0;

/// Whether converting a value may run user code: a method, or the handler of a warning.
///
/// # Safety
/// `zval` must be readable.
pub(super) unsafe fn runs_user_code(zval: *const ffi::zval) -> bool {
    // SAFETY: the caller's promise.
    matches!(unsafe { type_of(zval) }, ffi::IS_OBJECT | ffi::IS_ARRAY)
}

/// Whether a value needs no conversion.
///
/// # Safety
/// `zval` must be readable.
unsafe fn fits(zval: *const ffi::zval, wanted: Wanted) -> bool {
    // SAFETY: the caller's promise.
    let given = unsafe { type_of(zval) };
    given == ffi::IS_NULL
        || match wanted {
            Wanted::Anything => true,
            Wanted::Long => given == ffi::IS_LONG,
            Wanted::Double => given == ffi::IS_DOUBLE,
            Wanted::Bytes => given == ffi::IS_STRING,
        }
}

/// Converts a value that is nobody else's.
///
/// # Safety
/// `zval` must be writable.
pub(super) unsafe fn convert(zval: *mut ffi::zval, wanted: Wanted) {
    // SAFETY: the caller's promise; the functions convert a zval in its place, and release what was there.
    unsafe {
        match (wanted, type_of(zval)) {
            _ if fits(zval, wanted) => {}
            (Wanted::Long, given) => {
                let number = ffi::zval_get_double_func(zval);
                if (MIN_LONG..MAX_LONG).contains(&number) || number.is_nan() {
                    ffi::convert_to_long(zval);
                } else if given != ffi::IS_STRING {
                    ffi::_try_convert_to_string(zval);
                }
            }
            (Wanted::Double, _) => ffi::convert_to_double(zval),
            (Wanted::Anything, _) => {}
            (Wanted::Bytes, _) => {
                ffi::_try_convert_to_string(zval);
            }
        }
    }
}
