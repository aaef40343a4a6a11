//! The request's memory: taken and given back, and its limit, as far as a long loop has to mind it.

use super::{ffi, globals};
use core::ffi::c_void;

/// Whether the script has used more memory than it may.
///
/// Since PHP 8.2.35 an allocation beyond the limit succeeds, and the fatal error comes when the script gets control again; far
/// beyond it (memory_hard_limit_percent) the process is killed. So a loop that allocates without giving control back has to stop.
#[inline]
pub(crate) fn is_memory_exhausted() -> bool {
    // SAFETY: reads counters of the running request.
    unsafe {
        let limit = (*globals::core()).memory_limit;
        usize::try_from(limit).is_ok_and(|limit| ffi::zend_memory_usage(true) > limit)
    }
}

/// A block of at least `bytes` bytes, aligned to 8. Zend long-jumps if the script may not have them.
#[inline]
pub(super) fn allocate(bytes: usize) -> *mut c_void {
    // SAFETY: any size may be asked for.
    #[cfg(not(php_debug))]
    unsafe {
        ffi::_emalloc(bytes)
    }
    // SAFETY: as above; a debugging PHP also notes who asks, as a C string and a line, twice.
    #[cfg(php_debug)]
    unsafe {
        ffi::_emalloc(bytes, FILE, line!(), core::ptr::null(), 0)
    }
}

/// Gives a block back.
///
/// # Safety
/// `block` must be one of `allocate` or of Zend's that nobody uses any more.
#[inline]
pub(super) unsafe fn release(block: *mut c_void) {
    // SAFETY: the caller's promise.
    #[cfg(not(php_debug))]
    unsafe {
        ffi::_efree(block);
    }
    // SAFETY: the caller's promise; who gives it back, as in `allocate`.
    #[cfg(php_debug)]
    unsafe {
        ffi::_efree(block, FILE, line!(), core::ptr::null(), 0);
    }
}

/// This file, as C wants to have it told.
#[cfg(php_debug)]
const FILE: *const core::ffi::c_char = c"zend/memory.rs".as_ptr();
