//! PHP's memory limit, as far as a long loop has to mind it.

use super::ffi;

/// Whether the script has used more memory than it may.
///
/// Since PHP 8.2.35 an allocation beyond the limit succeeds, and the fatal error comes when the script gets control again; far
/// beyond it (memory_hard_limit_percent) the process is killed. So a loop that allocates without giving control back has to stop.
#[inline]
pub(crate) fn is_memory_exhausted() -> bool {
    // SAFETY: reads counters of the running request.
    unsafe {
        let limit = ffi::core_globals.memory_limit;
        usize::try_from(limit).is_ok_and(|limit| ffi::zend_memory_usage(true) > limit)
    }
}
