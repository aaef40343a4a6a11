//! `zend_string`: making, reading and releasing PHP's strings.

use super::ffi;
use super::memory::{self, allocate};
use core::ffi::{CStr, c_char};
use core::mem::offset_of;
use core::ptr;

/// A `zend_string` that the holder must hand on or [release](Str::release).
///
/// It has no destructor on purpose: it may stand in a frame over which Zend long-jumps; then the request's memory
/// goes back as a whole.
#[derive(Clone, Copy)]
pub(crate) struct Str(pub(super) *mut ffi::zend_string);

/// Where the bytes begin inside a `zend_string`.
const HEADER_BYTES: usize = offset_of!(ffi::zend_string, val);

impl Str {
    /// A string of `bytes`; empty and one-character strings are PHP's shared ones.
    #[inline]
    pub(crate) fn new(bytes: &[u8]) -> Str {
        match *bytes {
            // SAFETY: both globals are set before any extension starts, and never change.
            [] => Str(unsafe { ffi::zend_empty_string }),
            // SAFETY: as above; the table has 256 entries.
            [byte] => Str(unsafe {
                *(&raw const ffi::zend_one_char_string)
                    .cast::<*mut ffi::zend_string>()
                    .add(byte.into())
            }),
            _ => Str::concat(&[bytes]),
        }
    }

    /// One string of all `parts`, newly allocated in the request's memory.
    pub(crate) fn concat(parts: &[&[u8]]) -> Str {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        // SAFETY: `allocate` returns memory of at least the size asked for, aligned to 8, or does not return; every field
        // of the header is written, and the bytes and their NUL fill exactly `len + 1` more.
        unsafe {
            let string =
                allocate((HEADER_BYTES + len + 1).next_multiple_of(8)).cast::<ffi::zend_string>();
            (*string).gc.refcount = 1;
            (*string).gc.u.type_info = ffi::GC_STRING;
            (*string).h = 0;
            (*string).len = len;
            let mut to = (&raw mut (*string).val).cast::<u8>();
            for part in parts {
                ptr::copy_nonoverlapping(part.as_ptr(), to, part.len());
                to = to.add(part.len());
            }
            to.write(0);
            Str(string)
        }
    }

    /// A number in decimal digits.
    pub(crate) fn decimal(number: u64) -> Str {
        // SAFETY: the function returns a string that is ours.
        Str(unsafe { ffi::zend_ulong_to_str(number) })
    }

    /// The bytes, without the closing NUL.
    pub(crate) fn bytes<'a>(self) -> &'a [u8] {
        // SAFETY: a `zend_string` has `len` bytes behind its header. The caller borrows it no longer than it holds it, the
        // one promise that the type can't carry (see the type's comment).
        unsafe { core::slice::from_raw_parts((&raw const (*self.0).val).cast(), (*self.0).len) }
    }

    /// The bytes up to the first NUL, as C reads them.
    pub(crate) fn as_c_str<'a>(self) -> &'a CStr {
        // SAFETY: a `zend_string` ends with a NUL; for how long it may be borrowed see `bytes`.
        unsafe { CStr::from_ptr(self.as_ptr()) }
    }

    /// The bytes as C reads them: with a closing NUL.
    pub(super) fn as_ptr(self) -> *const c_char {
        // SAFETY: the pointer is of a live `zend_string`.
        unsafe { (&raw const (*self.0).val).cast() }
    }

    /// Whether it lives for ever and is not counted.
    pub(super) fn is_interned(self) -> bool {
        // SAFETY: as above.
        unsafe { (*self.0).gc.u.type_info & IS_STR_INTERNED != 0 }
    }

    /// Takes one more reference.
    pub(super) fn add_ref(self) {
        if !self.is_interned() {
            // SAFETY: as above; not interned, so it is counted.
            unsafe { (*self.0).gc.refcount += 1 };
        }
    }

    /// Gives the reference back.
    pub(crate) fn release(self) {
        if !self.is_interned() {
            // SAFETY: not interned, so the count is ours to lower; at zero nobody else holds it.
            unsafe {
                (*self.0).gc.refcount -= 1;
                if (*self.0).gc.refcount == 0 {
                    memory::release(self.0.cast());
                }
            }
        }
    }
}

/// `IS_STR_INTERNED` of zend_types.h (there an alias that bindgen can't evaluate).
const IS_STR_INTERNED: u32 = ffi::GC_IMMUTABLE;
