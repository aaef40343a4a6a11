//! Where a request stands, for those whose work depends on whether anybody is to see it.

use super::{ffi, globals};

/// Whether a fatal error has ended the script, and what is left of it goes: what it has registered for its end may still run, but nobody
/// comes back to what goes here.
pub(crate) fn is_past_fatal_error() -> bool {
    // SAFETY: the globals live as long as PHP runs; an exception is an object.
    unsafe {
        let executor = globals::executor();
        let is_ending = (*globals::compiler()).unclean_shutdown
            && u32::from((*executor).flags) & ffi::EG_FLAGS_IN_SHUTDOWN != 0
            && (*executor).current_execute_data.is_null();
        // Where memory was exhausted PHP leaves functions one by one, as on exit(), since it has a second limit.
        let is_leaving = (*globals::core()).last_error_type == FATAL
            && !(*executor).exception.is_null()
            && ffi::zend_is_unwind_exit((*executor).exception);
        is_ending || is_leaving
    }
}

/// E_ERROR, as the last error's type has it.
const FATAL: i32 = ffi::E_ERROR.cast_signed();
