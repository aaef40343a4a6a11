//! The names of columns, as keys of arrays.

use super::ffi;
use super::string::Str;
use core::cell::Cell;

/// So many names that no script has in its own text are kept for one request. A query may make up others, and a process may run for long.
const MOST_KEPT: u32 = 1024;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(0) };
}

/// Begins a request, which keeps no names yet.
pub(crate) fn begin_request() {
    LEFT.set(MOST_KEPT);
}

/// The string of a name that many rows may have: the script's own, which is found without being compared and is not counted, or one that the
/// request keeps and that is not counted either.
pub(crate) fn of_many(name: &[u8]) -> Str {
    let string = of_few(name);
    let left = LEFT.get();
    // SAFETY: Zend sets the function before any extension starts.
    let Some(intern) = (unsafe { ffi::zend_string_init_interned }) else { return string };
    if string.is_interned() || left == 0 {
        return string;
    }
    string.release();
    LEFT.set(left - 1);
    // SAFETY: it copies the name. A long jump out of it leaves nothing.
    Str(unsafe { intern(name.as_ptr().cast(), name.len(), false) })
}

/// The string of a name: the script's own, if it has it, or a new one.
pub(super) fn of_few(name: &[u8]) -> Str {
    // SAFETY: as above.
    match unsafe { ffi::zend_string_init_existing_interned } {
        // SAFETY: as above.
        Some(existing) => Str(unsafe { existing(name.as_ptr().cast(), name.len(), false) }),
        None => Str::new(name),
    }
}
