//! How the glue speaks of trouble: PHP's exceptions and warnings.
//!
//! Warnings and exceptions may run user code or end the request: nothing may be borrowed from a `Guarded` here.

use super::border;
use super::class::ClassSlot;
use super::ffi;
use super::globals;
use super::slot::{Slot, Value};
use super::string::Str;
use super::version;
use core::ffi::{CStr, c_char, c_int};
use core::ptr;

/// An exception is pending in PHP: there is nothing more to do but return.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thrown;

/// What a step of the glue comes to.
pub(crate) type Outcome<T = ()> = Result<T, Thrown>;

/// Throws PHP's `Error` with the message of all `parts`.
#[cold]
pub(crate) fn throw_error(parts: &[&[u8]]) -> Thrown {
    let message = Str::concat(parts);
    // SAFETY: null stands for the class Error; the format takes one C string, which lives until it is released.
    unsafe { ffi::zend_throw_error(ptr::null_mut(), c"%s".as_ptr(), message.as_ptr()) };
    message.release();
    Thrown
}

/// Throws an `Error`: one of ours, which has panicked. Nothing is thrown where no code runs that could catch it, as at a request's end.
#[cold]
pub(crate) fn throw_bug() {
    log_bug();
    // SAFETY: the executor's globals live as long as PHP runs.
    if unsafe { !(*globals::executor()).current_execute_data.is_null() } {
        throw_error(&[BUG]);
    }
}

/// Writes to PHP's log where one of ours has panicked, if it has and that was not written before.
pub(crate) fn log_bug() {
    if let Some(place) = border::take_unlogged() {
        let message = Str::concat(&[b"Vaquita: internal error at ", place.as_bytes()]);
        drop(place);
        // SAFETY: a C string, which lives until it is released.
        unsafe { ffi::php_log_err_with_severity(message.as_ptr(), LOG_ERR) };
        message.release();
    }
}

/// Of syslog.h.
const LOG_ERR: c_int = 3;

/// Ends the request with a fatal error: one of ours has panicked where there is no going on.
#[cold]
pub(super) fn end_request() -> ! {
    log_bug();
    let message = Str::concat(&[BUG]);
    // SAFETY: the format takes one C string, which goes with the request's memory.
    unsafe {
        let level = ffi::E_ERROR.cast_signed();
        ffi::zend_error_noreturn(level, c"%s".as_ptr(), message.as_ptr())
    }
}

/// What a script is told of a panic, whose own words, which may quote data, go to the standard error stream only.
pub(crate) const BUG: &[u8] =
    b"Vaquita: internal error; please report it, with what the log has of it";

/// Throws a `TypeError` about an argument: what it must be, and the name of the type of the value in it that isn't.
#[cold]
pub(crate) fn throw_element_type_error(position: u32, what: &CStr, value: Value<'_>) -> Thrown {
    // SAFETY: both are C strings, and what the words have places for; the value is readable.
    unsafe {
        let given = ffi::zend_zval_type_name(value.as_ptr());
        let words = c"%s, %s found".as_ptr();
        ffi::zend_argument_type_error(position, words, what.as_ptr(), given);
    };
    Thrown
}

/// Throws a `ValueError` about the argument at `position` (counted from 1).
#[cold]
pub(crate) fn throw_value_error(position: u32, what: &CStr) -> Thrown {
    // SAFETY: the format takes one C string.
    unsafe { ffi::zend_argument_value_error(position, c"%s".as_ptr(), what.as_ptr()) };
    Thrown
}

/// Throws a `ValueError` that is about no argument in particular.
#[cold]
pub(crate) fn throw_plain_value_error(what: &CStr) -> Thrown {
    // SAFETY: both are C strings; the second is what the first has a place for.
    unsafe { ffi::zend_value_error(c"%s".as_ptr(), what.as_ptr()) };
    Thrown
}

/// Throws a `TypeError` about an argument: what it must be, and the name of the type that it is.
#[cold]
pub(crate) fn throw_type_error(position: u32, what: &CStr, value: Value<'_>) -> Thrown {
    // SAFETY: both are C strings, and what the words have places for; the value is readable.
    unsafe {
        let given = ffi::zend_zval_type_name(value.as_ptr());
        ffi::zend_argument_type_error(
            position,
            c"must be %s, %s given".as_ptr(),
            what.as_ptr(),
            given,
        );
    };
    Thrown
}

/// Throws a `TypeError` about the argument at `position` (counted from 1), in words of all `parts`.
#[cold]
pub(crate) fn throw_argument_type_error(position: u32, parts: &[&[u8]]) -> Thrown {
    let message = Str::concat(parts);
    // SAFETY: the format takes one C string, which lives until it is released.
    unsafe { ffi::zend_argument_type_error(position, c"%s".as_ptr(), message.as_ptr()) };
    message.release();
    Thrown
}

/// Throws SPL's `OutOfBoundsException`.
#[cold]
pub(crate) fn throw_out_of_bounds(parts: &[&[u8]]) -> Thrown {
    let message = Str::concat(parts);
    // SAFETY: the class is set at PHP's start; the format takes one C string, which lives until it is released.
    unsafe {
        let class = ffi::spl_ce_OutOfBoundsException;
        ffi::zend_throw_exception_ex(class, 0, c"%s".as_ptr(), message.as_ptr());
    }
    message.release();
    Thrown
}

/// Throws an `ArgumentCountError`.
#[cold]
pub(crate) fn throw_argument_count_error(what: &CStr) -> Thrown {
    // SAFETY: both are C strings; the second is what the first has a place for.
    unsafe { ffi::zend_argument_count_error(c"%s".as_ptr(), what.as_ptr()) };
    Thrown
}

/// Throws what PHP's version throws about the argument at `position` (counted from 1): a `ValueError` since 8.3, an
/// `Exception` before.
#[cold]
pub(crate) fn throw_argument_exception(position: u32, parts: &[&[u8]]) -> Thrown {
    let message = Str::concat(parts);
    // SAFETY: both classes are set at PHP's start; the format takes one C string.
    unsafe {
        let class = if version::is_at_least(803) {
            ffi::zend_ce_value_error
        } else {
            ffi::zend_ce_exception
        };
        ffi::zend_argument_error(class, position, c"%s".as_ptr(), message.as_ptr());
    }
    message.release();
    Thrown
}

/// Throws an object of `class`, an exception, with these values in its properties.
pub(crate) fn throw_object(class: &ClassSlot, code: i64, strings: &[(&CStr, Str)]) -> Thrown {
    let mut exception = Slot::undefined();
    // SAFETY: the place is this frame's own; Zend takes over the exception's reference.
    unsafe {
        write_exception(Slot::new(&raw mut exception), class, code, strings);
        ffi::zend_throw_exception_object(&raw mut exception);
    }
    Thrown
}

/// Writes an object of `class`, an exception, with these values in its properties. Nothing is thrown.
pub(crate) fn write_exception(
    slot: Slot<'_>,
    class: &ClassSlot,
    code: i64,
    strings: &[(&CStr, Str)],
) {
    let class = class.entry();
    // SAFETY: the class is registered, so an object of it can be made; the names are C strings with their lengths; Zend
    // copies each string's reference.
    unsafe {
        let exception = slot.as_ptr();
        ffi::object_init_ex(exception, class);
        let object = (*exception).value.obj;
        for (name, value) in strings {
            let name_bytes = name.count_bytes();
            ffi::zend_update_property_str(class, object, name.as_ptr(), name_bytes, value.0);
            value.release();
        }
        ffi::zend_update_property_long(class, object, c"code".as_ptr(), 4, code);
    }
}

/// Whether an exception is pending, one that a warning's handler threw for example.
pub(crate) fn is_pending() -> bool {
    // SAFETY: the executor's globals live as long as PHP runs.
    unsafe { !(*globals::executor()).exception.is_null() }
}

/// Raises a warning that names the running function.
#[cold]
pub(crate) fn warning(parts: &[&[u8]]) {
    let message = Str::concat(parts);
    raise(ffi::E_WARNING, message);
    message.release();
}

/// Raises a warning that names no function, of all `parts`.
#[cold]
pub(crate) fn plain_warning(parts: &[&[u8]]) {
    let message = Str::concat(parts);
    // SAFETY: the format takes one C string, which lives until it is released.
    unsafe { ffi::zend_error(ffi::E_WARNING.cast_signed(), c"%s".as_ptr(), message.as_ptr()) };
    message.release();
}

/// Raises a deprecation that names the running function.
#[cold]
pub(crate) fn deprecated_call(what: &CStr) {
    let message = Str::concat(&[what.to_bytes()]);
    raise(ffi::E_DEPRECATED, message);
    message.release();
}

fn raise(level: u32, message: Str) {
    let docref: *const c_char = ptr::null();
    // SAFETY: null: no link to a manual page; the format takes one C string, which the caller holds.
    unsafe { ffi::php_error_docref(docref, level.cast_signed(), c"%s".as_ptr(), message.as_ptr()) };
}

/// Raises a deprecation.
#[cold]
pub(crate) fn deprecated(what: &CStr) {
    // SAFETY: the format takes one C string.
    unsafe { ffi::zend_error(ffi::E_DEPRECATED.cast_signed(), c"%s".as_ptr(), what.as_ptr()) };
}

/// Says something at PHP's start, where no script runs yet.
#[cold]
pub(crate) fn startup_warning(message: &CStr) {
    // SAFETY: the format takes one C string.
    unsafe { ffi::zend_error(ffi::E_CORE_WARNING.cast_signed(), c"%s".as_ptr(), message.as_ptr()) };
}
