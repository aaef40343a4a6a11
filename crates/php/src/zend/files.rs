//! Which files a script may have read.

use super::ffi;
use super::string::Str;
use std::io::{self, Write};

/// Room for the system's words about an error.
const MAX_REASON_BYTES: usize = 128;

/// Whether `open_basedir` allows a path, without a warning, unless the path is longer than any may be: then **user code may run**.
pub(crate) fn is_allowed(path: Str) -> bool {
    // SAFETY: reads a C string; the caller holds nothing that user code must not find.
    unsafe { ffi::php_check_open_basedir_ex(path.as_ptr(), 0) == 0 }
}

/// The same, with PHP's warning if not: **user code may run**.
pub(crate) fn warn_unless_allowed(path: Str) -> bool {
    // SAFETY: reads a C string; the caller holds nothing that user code must not find.
    unsafe { ffi::php_check_open_basedir_ex(path.as_ptr(), 1) == 0 }
}

/// PHP's warning about a file that can't be opened, for the system's reason, or because it is no plain file: **user code may run**.
pub(crate) fn warn_unopened(path: Str, errno: Option<i32>) {
    let mut reason = [0; MAX_REASON_BYTES];
    // What finds no room is cut; a NUL stays at the end. Nothing is owned when PHP is called.
    let mut room = reason.split_at_mut(MAX_REASON_BYTES - 1).0;
    let _ = match errno {
        Some(errno) => write!(room, "{}", io::Error::from_raw_os_error(errno)),
        None => room.write_all(b"It is no plain file"),
    };
    let end = reason.windows(OS_ERROR.len()).position(|window| window == OS_ERROR);
    if let Some(end) = end.and_then(|end| reason.get_mut(end)) {
        *end = 0;
    }
    // SAFETY: all are C strings: the path is PHP's, and the reason ends with a NUL; the format has a place for it.
    unsafe {
        ffi::php_error_docref1(
            core::ptr::null(),
            path.as_ptr(),
            ffi::E_WARNING.cast_signed(),
            c"Failed to open stream: %s".as_ptr(),
            reason.as_ptr(),
        );
    }
}

/// What Rust puts behind the system's words.
const OS_ERROR: &[u8] = b" (os error";
