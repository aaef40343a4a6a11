//! PDO's side of a bound parameter or column, and the stream that may be its value.

use super::super::ffi;
use super::super::held;
use super::super::slot::{Slot, Value};
use super::super::string::Str;
use super::handle::Running;
#[cfg(php_debug)]
use core::ffi::c_char;
use core::marker::PhantomData;
use core::ptr;

/// A parameter that a script bound, or a column.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a>(pub(super) *mut ffi::pdo_bound_param_data, PhantomData<&'a ffi::zval>);

impl<'a> Bound<'a> {
    /// # Safety
    /// `bound` must be alive for `'a`.
    pub(super) unsafe fn new(bound: *mut ffi::pdo_bound_param_data) -> Bound<'a> {
        Bound(bound, PhantomData)
    }

    /// Whether it is a parameter.
    pub(crate) fn is_parameter(self) -> bool {
        // SAFETY: `new` promised a live one.
        unsafe { (*self.0).is_param != 0 }
    }

    /// Its number, from 0 on; negative if only its name is known.
    pub(crate) fn number(self) -> i64 {
        // SAFETY: as above.
        unsafe { (*self.0).paramno }
    }

    /// Its `PDO::PARAM_` type, without flags.
    pub(crate) fn kind(self) -> u32 {
        // SAFETY: as above; the C enum is 32 bits wide and holds flags, too.
        unsafe { (&raw const (*self.0).param_type).cast::<u32>().read() & !ffi::PDO_PARAM_FLAGS }
    }

    /// The variable, or value.
    pub(crate) fn value(self) -> Value<'a> {
        // SAFETY: as above.
        unsafe { Value::new(&raw mut (*self.0).parameter) }
    }

    /// Puts what a stream holds in its place, if it is one. **User code may run**: the stream may be a script's.
    ///
    /// # Errors
    /// It is a resource, but no stream: a TypeError was thrown. Or the parameter was bound anew meanwhile.
    pub(crate) fn read_stream(self, running: Running<'_>) -> Result<(), ()> {
        let value = self.value();
        if value.raw_type() != ffi::IS_RESOURCE {
            return Ok(());
        }
        // SAFETY: the value is a resource; what is found for it is a stream, alive as long as one more reference is held. A script's stream
        // may bind the parameter anew while it is read: then this one is gone, or the new one, in the same place, takes the string as well.
        unsafe {
            let mut resource = Slot::undefined();
            held::copy(Slot::new(&raw mut resource), value.as_ptr());
            let stream = ffi::zend_fetch_resource2(
                resource.value.res,
                c"stream".as_ptr(),
                ffi::php_file_le_stream(),
                ffi::php_file_le_pstream(),
            );
            let read = if stream.is_null() { ptr::null_mut() } else { read_all(stream.cast()) };
            let string = if read.is_null() { Str::new(b"") } else { Str(read) };
            ffi::zval_ptr_dtor(&raw mut resource);
            if stream.is_null() || !running.has_bound(self) {
                string.release();
                return Err(());
            }
            let place = self.value().as_ptr();
            let mut old = ptr::read(place);
            Slot::new(place).str(string);
            ffi::zval_ptr_dtor(&raw mut old);
        }
        Ok(())
    }
}

/// # Safety
/// `stream` must be a live stream.
unsafe fn read_all(stream: *mut ffi::php_stream) -> *mut ffi::zend_string {
    // SAFETY: the caller's promise; all of it, as a string of the request's memory.
    #[cfg(not(php_debug))]
    unsafe {
        ffi::_php_stream_copy_to_mem(stream, usize::MAX, 0)
    }
    // SAFETY: as above; a debugging PHP also notes who asks.
    #[cfg(php_debug)]
    unsafe {
        ffi::_php_stream_copy_to_mem(stream, usize::MAX, 0, 0, FILE, line!(), ptr::null(), 0)
    }
}

#[cfg(php_debug)]
const FILE: *const c_char = c"zend/pdo/bound.rs".as_ptr();
