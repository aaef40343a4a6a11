//! Which files a script may have read.

use super::ffi;
use super::string::Str;

/// Whether `open_basedir` allows a path.
pub(crate) fn is_allowed(path: Str) -> bool {
    // SAFETY: reads a C string; 0: without a warning, so no user code runs.
    unsafe { ffi::php_check_open_basedir_ex(path.as_ptr(), 0) == 0 }
}

/// The same, with PHP's warning if not: **user code may run**.
pub(crate) fn warn_unless_allowed(path: Str) -> bool {
    // SAFETY: reads a C string; the caller holds nothing that user code must not find.
    unsafe { ffi::php_check_open_basedir_ex(path.as_ptr(), 1) == 0 }
}
