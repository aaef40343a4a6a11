//! Modules of others that need one of ours: PHP starts them after it, and tells nobody.

use super::ffi;
use super::held::each;
use core::ffi::CStr;
use std::sync::{Mutex, PoisonError};

/// What is to be done once all modules have started.
struct Start {
    then: fn(),
    /// Who wanted to know before us.
    before_us: Option<unsafe extern "C" fn() -> ffi::zend_result>,
}

/// The start of PHP that is under way. A process may start it again: with this object still loaded, and others elsewhere or no more.
static START: Mutex<Option<Start>> = Mutex::new(None);

/// Has a function called when all modules have started: once, before any request, in the process that forks the others. It is for
/// a module's start.
pub(crate) fn when_all_have_started(then: fn()) {
    // SAFETY: PHP is starting, on one thread; the hook is called after that, and by whoever comes after us.
    unsafe {
        let before_us = ffi::zend_post_startup_cb;
        *START.lock().unwrap_or_else(PoisonError::into_inner) = Some(Start { then, before_us });
        ffi::zend_post_startup_cb = Some(all_have_started);
    }
}

unsafe extern "C" fn all_have_started() -> ffi::zend_result {
    let start = START.lock().unwrap_or_else(PoisonError::into_inner).take();
    let before_us = start.and_then(|start| {
        (start.then)();
        start.before_us
    });
    match before_us {
        // SAFETY: it stood in the hook itself.
        Some(before) => unsafe { before() },
        None => ffi::ZEND_RESULT_CODE_SUCCESS,
    }
}

/// The names of the modules that say that they can't do without this one, but for those in `own`.
pub(crate) fn dependents(of: &CStr, own: &[&CStr]) -> Vec<&'static CStr> {
    let mut found = Vec::new();
    // SAFETY: the registry lives as long as PHP, its values are pointers to modules, and no user code runs meanwhile.
    unsafe {
        each(&raw mut ffi::module_registry, |value| {
            let module = (*value).value.ptr.cast::<ffi::zend_module_entry>();
            let name = CStr::from_ptr((*module).name);
            if needs(module, of) && !own.contains(&name) {
                found.push(name);
            }
        });
    }
    found
}

/// Whether a module says that it can't do without another.
///
/// # Safety
/// The module must be one of the registry's.
unsafe fn needs(module: *const ffi::zend_module_entry, other: &CStr) -> bool {
    // SAFETY: the caller's promise; a list ends with an entry without a name.
    unsafe {
        let mut dependency = (*module).deps;
        while !dependency.is_null() && !(*dependency).name.is_null() {
            let name = CStr::from_ptr((*dependency).name).to_bytes();
            if u32::from((*dependency).type_) == ffi::MODULE_DEP_REQUIRED
                && name.eq_ignore_ascii_case(other.to_bytes())
            {
                return true;
            }
            dependency = dependency.add(1);
        }
    }
    false
}
