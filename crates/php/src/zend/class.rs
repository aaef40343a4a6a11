//! Where a registered class is kept: written once at PHP's start, read by every thread.

use super::ffi;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::sync::OnceLock;

/// A registered class: written once at PHP's start, read by every thread.
pub(crate) struct ClassSlot {
    entry: AtomicPtr<ffi::zend_class_entry>,
    pub(super) handlers: OnceLock<ffi::zend_object_handlers>,
}

impl ClassSlot {
    pub(crate) const fn new() -> ClassSlot {
        ClassSlot { entry: AtomicPtr::new(ptr::null_mut()), handlers: OnceLock::new() }
    }

    pub(super) fn entry(&self) -> *mut ffi::zend_class_entry {
        self.entry.load(Ordering::Relaxed)
    }

    /// Keeps a class without state of ours.
    pub(super) fn set(&self, entry: *mut ffi::zend_class_entry) {
        self.entry.store(entry, Ordering::Relaxed);
    }
}
