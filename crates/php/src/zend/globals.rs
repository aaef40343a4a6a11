//! Zend's globals: one of each in a process, or in a PHP with threads (ZTS) one for each thread.
//!
//! Pointers, never borrows: whatever Zend is called for may change them. Under ZTS they are those of the thread that asks, which is
//! the right one, since nothing of ours is handed from thread to thread.

use super::ffi;

/// The executor's (EG): what runs now.
pub(super) fn executor() -> *mut ffi::zend_executor_globals {
    #[cfg(not(php_zts))]
    return &raw mut ffi::executor_globals;
    #[cfg(php_zts)]
    // SAFETY: Zend writes the offset before it loads extensions.
    in_thread(unsafe { ffi::executor_globals_offset })
}

/// The compiler's (CG): the tables of functions and classes.
pub(super) fn compiler() -> *mut ffi::zend_compiler_globals {
    #[cfg(not(php_zts))]
    return &raw mut ffi::compiler_globals;
    #[cfg(php_zts)]
    // SAFETY: as in `executor`.
    in_thread(unsafe { ffi::compiler_globals_offset })
}

/// PHP's (PG): settings of its core.
pub(super) fn core() -> *mut ffi::php_core_globals {
    #[cfg(not(php_zts))]
    return &raw mut ffi::core_globals;
    #[cfg(php_zts)]
    // SAFETY: as in `executor`.
    in_thread(unsafe { ffi::core_globals_offset })
}

/// What lies `offset` bytes into this thread's globals (TSRMG_FAST_BULK of TSRM.h).
#[cfg(php_zts)]
fn in_thread<T>(offset: usize) -> *mut T {
    // SAFETY: a thread that calls in has its globals, all of them in one block, the offsets of which Zend gave out.
    unsafe { ffi::tsrm_get_ls_cache().byte_add(offset).cast() }
}
