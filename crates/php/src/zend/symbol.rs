//! Functions that not every PHP has, or has only with another extension: they are looked up.

use core::ffi::{CStr, c_char, c_void};
use core::ptr;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Where the process has what goes by this name; `None`: nowhere.
pub(super) fn address_of(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: null asks for what the whole process has by this name (RTLD_DEFAULT): PHP loads extensions so that others find theirs.
    let address = unsafe { dlsym(ptr::null_mut(), name.as_ptr()) };
    (!address.is_null()).then_some(address)
}
