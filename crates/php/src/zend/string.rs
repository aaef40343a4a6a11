//! `zend_string`: making, reading and releasing PHP's strings.

use super::ffi;
use super::memory::{self, allocate_words};
use core::ffi::{CStr, c_char, c_void};
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
        if bytes.len() < 2 { Str::shared(bytes) } else { Str::of_own(bytes) }
    }

    /// PHP's shared string of at most one byte.
    #[inline]
    pub(super) fn shared(bytes: &[u8]) -> Str {
        match *bytes {
            // SAFETY: the global is set before any extension starts, and never changes; the table has 256 entries.
            [byte, ..] => Str(unsafe {
                *(&raw const ffi::zend_one_char_string)
                    .cast::<*mut ffi::zend_string>()
                    .add(byte.into())
            }),
            // SAFETY: as above.
            [] => Str(unsafe { ffi::zend_empty_string }),
        }
    }

    /// A new string of `bytes`.
    #[inline]
    pub(super) fn of_own(bytes: &[u8]) -> Str {
        let string = Str::with_length(bytes.len());
        // SAFETY: it has room for that many bytes.
        unsafe { copy(bytes, string.as_mut_ptr()) };
        string
    }

    /// A new string of so many bytes, which are to be written; the NUL behind them is.
    #[inline]
    pub(super) fn with_length(len: usize) -> Str {
        // SAFETY: `allocate_words` returns memory of at least the size asked for, aligned to 8, or does not return.
        unsafe { Str::begin(allocate_words(words_for(len)), len) }
    }

    /// The same without a long jump; `None`: the script may not have it.
    pub(super) fn try_with_length(len: usize) -> Option<Str> {
        let block = memory::try_allocate(words_for(len) * 8)?;
        // SAFETY: it is of that size and aligned to 8.
        Some(unsafe { Str::begin(block.as_ptr(), len) })
    }

    /// Writes what a string has around its bytes.
    ///
    /// # Safety
    /// `block` must have [`words_for`] so many bytes, and be nobody else's.
    #[inline]
    unsafe fn begin(block: *mut c_void, len: usize) -> Str {
        let string = block.cast::<ffi::zend_string>();
        // SAFETY: the caller's promise; every field of the header is written.
        unsafe {
            (*string).gc.refcount = 1;
            (*string).gc.u.type_info = ffi::GC_STRING;
            (*string).h = 0;
            Str(string).end(len)
        }
    }

    /// Writes its length, and the NUL behind its bytes.
    ///
    /// # Safety
    /// It must have room for them, and be nobody else's.
    #[inline]
    unsafe fn end(self, len: usize) -> Str {
        // SAFETY: the caller's promise.
        unsafe {
            (*self.0).len = len;
            self.as_mut_ptr().add(len).write(0);
        }
        self
    }

    /// Puts other bytes into the string; false, and it stays as it is, if somebody else has it, or they need a block of another size, or none.
    #[inline]
    pub(super) fn overwrite(self, bytes: &[u8]) -> bool {
        // SAFETY: the pointer is of a live `zend_string`, which is not interned; its block has as many words as its length needs.
        unsafe {
            let fits = (*self.0).gc.refcount == 1
                && words_for((*self.0).len) == words_for(bytes.len())
                && bytes.len() > 1;
            if fits {
                copy(bytes, Str::begin(self.0.cast(), bytes.len()).as_mut_ptr());
            }
            fits
        }
    }

    /// The string whose bytes begin there.
    ///
    /// # Safety
    /// They must be those of a string.
    pub(super) unsafe fn of_bytes(bytes: *mut u8) -> Str {
        // SAFETY: the caller's promise.
        Str(unsafe { bytes.sub(HEADER_BYTES) }.cast())
    }

    /// The same string with another length, without a long jump; what it has more is to be written. `None`: the script may not have it.
    ///
    /// # Safety
    /// Nobody else may have it.
    pub(super) unsafe fn try_resized(self, len: usize) -> Option<Str> {
        // SAFETY: the caller's promise; there is room for the header, the bytes and the NUL behind them then.
        unsafe {
            let block = memory::try_resize(
                self.0.cast(),
                words_for((*self.0).len) * 8,
                words_for(len) * 8,
            )?;
            Some(Str(block.as_ptr().cast()).end(len))
        }
    }

    /// Where the bytes begin.
    pub(super) fn as_mut_ptr(self) -> *mut u8 {
        // SAFETY: the pointer is of a live `zend_string`.
        unsafe { (&raw mut (*self.0).val).cast() }
    }

    /// One string of all `parts`, newly allocated in the request's memory.
    pub(crate) fn concat(parts: &[&[u8]]) -> Str {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let string = Str::with_length(len);
        let mut to = string.as_mut_ptr();
        for part in parts {
            // SAFETY: the string has room for all parts.
            unsafe {
                ptr::copy_nonoverlapping(part.as_ptr(), to, part.len());
                to = to.add(part.len());
            }
        }
        string
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

    /// The number that PHP's arrays take it for as a key, if they do.
    #[inline]
    pub(crate) fn as_number(self) -> Option<u64> {
        let bytes = self.bytes();
        let mut number = 0;
        // As the macro ZEND_HANDLE_NUMERIC_STR checks it: the function takes the first character, behind a minus sign, for a digit unseen.
        let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
        let looks_numeric = digits.first().is_some_and(u8::is_ascii_digit);
        // SAFETY: the function reads the bytes and the NUL behind them.
        let is_number = looks_numeric
            && unsafe {
                ffi::_zend_handle_numeric_str_ex(self.as_ptr(), bytes.len(), &raw mut number)
            };
        is_number.then_some(number)
    }

    /// Whether it lives for ever and is not counted.
    pub(super) fn is_interned(self) -> bool {
        // SAFETY: as above.
        unsafe { (*self.0).gc.u.type_info & IS_STR_INTERNED != 0 }
    }

    /// Whether nobody but the caller has it.
    pub(super) fn is_sole(self) -> bool {
        // SAFETY: as above.
        !self.is_interned() && unsafe { (*self.0).gc.refcount == 1 }
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

/// Bytes as text, if they are ASCII: that is seen several bytes at a time, which UTF-8 is not.
#[inline]
pub(crate) fn ascii(bytes: &[u8]) -> Option<&str> {
    // SAFETY: ASCII is UTF-8.
    bytes.is_ascii().then(|| unsafe { core::str::from_utf8_unchecked(bytes) })
}

/// How many times 8 bytes a string takes: its header, its bytes and a NUL.
#[inline]
const fn words_for(len: usize) -> usize {
    HEADER_BYTES / 8 + len / 8 + 1
}

/// `IS_STR_INTERNED` of zend_types.h (there an alias that bindgen can't evaluate).
const IS_STR_INTERNED: u32 = ffi::GC_IMMUTABLE;

/// Copies bytes, few of them without a call: what is left over by a piece is copied with some of the bytes before it.
///
/// # Safety
/// `to` must have room for them.
#[inline]
unsafe fn copy(bytes: &[u8], to: *mut u8) {
    /// # Safety
    /// There must be at least `N` bytes, and room for all of them.
    #[inline]
    unsafe fn by<const N: usize>(bytes: &[u8], to: *mut u8) {
        let last = bytes.len() - N;
        let from = bytes.as_ptr();
        // SAFETY: the caller's promise. Both pieces lie within the bytes.
        unsafe {
            ptr::copy_nonoverlapping(from, to, N);
            ptr::copy_nonoverlapping(from.add(last), to.add(last), N);
        }
    }
    // SAFETY: the caller's promise; each piece is no longer than the bytes.
    unsafe {
        // Most are short: those are found first.
        if bytes.len() < 16 {
            return match bytes.len() {
                8.. => by::<8>(bytes, to),
                4.. => by::<4>(bytes, to),
                2.. => by::<2>(bytes, to),
                1 => to.write(*bytes.as_ptr()),
                0 => {}
            };
        }
        if bytes.len() <= 32 {
            return by::<16>(bytes, to);
        }
        if bytes.len() <= 64 {
            return by::<32>(bytes, to);
        }
        ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
    }
}
