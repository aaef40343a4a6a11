//! Properties that are computed when they are read: Zend's handlers for them, over the table of the class.

use super::border::enter;
use super::error::{Outcome, throw_error};
use super::ffi;
use super::globals;
use super::object::{Class, Object};
use super::slot::{Slot, Value};
use super::string::Str;
use core::ffi::{c_int, c_void};

/// One property of a class: its name, how it is read, and how it is written (`None`: read-only).
pub(crate) struct Property<T: 'static> {
    pub(crate) name: &'static str,
    pub(crate) read: fn(Object<'_, T>, Reading<'_>) -> Outcome,
    pub(crate) write: Option<fn(Value<'_>)>,
}

/// A property being read: where its value goes, and whether the script only asks if it is there.
pub(crate) struct Reading<'a> {
    pub(crate) slot: Slot<'a>,
    /// `isset`, `empty` or var_dump: nothing is thrown; an `Err` then means that there is no value.
    pub(crate) quiet: bool,
}

fn find<T: Class>(name: *mut ffi::zend_string) -> Option<&'static Property<T>> {
    let name = Str(name).bytes();
    T::PROPERTIES.iter().find(|property| property.name.as_bytes() == name)
}

/// Computes a property into `place`; `None` if it has no value now.
///
/// # Safety
/// `object` must be a live object of T's class, `place` writable.
unsafe fn compute<T: Class>(
    object: *mut ffi::zend_object,
    property: &Property<T>,
    quiet: bool,
    place: *mut ffi::zval,
) -> Option<*mut ffi::zval> {
    enter(None, || {
        // SAFETY: promised by the caller.
        unsafe {
            (*place).u1.type_info = ffi::IS_NULL;
            (property.read)(Object::new(object), Reading { slot: Slot::new(place), quiet })
                .ok()
                .map(|()| place)
        }
    })
}

pub(super) unsafe extern "C" fn read<T: Class>(
    object: *mut ffi::zend_object,
    name: *mut ffi::zend_string,
    kind: c_int,
    cache: *mut *mut c_void,
    place: *mut ffi::zval,
) -> *mut ffi::zval {
    // SAFETY: Zend gives a live object of the class that this handler was installed for, and a place for the value; the
    // global that stands for "no value" lives as long as PHP.
    unsafe {
        match find::<T>(name) {
            Some(property) => {
                compute(object, property, kind.cast_unsigned() == ffi::BP_VAR_IS, place)
                    .unwrap_or(&raw mut (*globals::executor()).uninitialized_zval)
            }
            None => ffi::zend_std_read_property(object, name, kind, cache, place),
        }
    }
}

pub(super) unsafe extern "C" fn write<T: Class>(
    object: *mut ffi::zend_object,
    name: *mut ffi::zend_string,
    value: *mut ffi::zval,
    cache: *mut *mut c_void,
) -> *mut ffi::zval {
    // SAFETY: as in `read`.
    unsafe {
        let Some(property) = find::<T>(name) else {
            return ffi::zend_std_write_property(object, name, value, cache);
        };
        let refused = &raw mut (*globals::executor()).error_zval;
        let Some(write) = property.write else {
            let class = Str((*(*object).ce).name).bytes();
            throw_error(&[b"Cannot write read-only property ", class, b"::$", Str(name).bytes()]);
            return refused;
        };
        // Zend coerces the value to the declared type and keeps it in the object: what it returns is of that type, on which
        // compiled code relies. It gets no cache to fill in, or the next write would go past this handler.
        let stored = ffi::zend_std_write_property(object, name, value, core::ptr::null_mut());
        if !super::error::is_pending() {
            enter((), || write(Value::new(stored)));
        }
        stored
    }
}

pub(super) unsafe extern "C" fn has<T: Class>(
    object: *mut ffi::zend_object,
    name: *mut ffi::zend_string,
    question: c_int,
    cache: *mut *mut c_void,
) -> c_int {
    // SAFETY: as in `read`; a computed value is released when it has been looked at.
    unsafe {
        let Some(property) = find::<T>(name) else {
            return ffi::zend_std_has_property(object, name, question, cache);
        };
        if question.cast_unsigned() == ffi::ZEND_PROPERTY_EXISTS {
            return 1;
        }
        let mut place: ffi::zval = core::mem::zeroed();
        let Some(value) = compute(object, property, true, &raw mut place) else {
            return 0;
        };
        let yes = if question.cast_unsigned() == ffi::ZEND_PROPERTY_ISSET {
            !Value::new(value).is_null()
        } else {
            ffi::zend_is_true(value) != Default::default() // an int before PHP 8.4, a bool since
        };
        ffi::zval_ptr_dtor(value);
        c_int::from(yes)
    }
}

pub(super) unsafe extern "C" fn debug_info<T: Class>(
    object: *mut ffi::zend_object,
    is_temporary: *mut c_int,
) -> *mut ffi::HashTable {
    // SAFETY: as in `read`; the array takes each value over, and each name is held by the array alone afterwards.
    unsafe {
        *is_temporary = 1;
        let array = ffi::_zend_new_array(u32::try_from(T::PROPERTIES.len()).unwrap_or_default());
        for property in T::PROPERTIES {
            let mut place: ffi::zval = core::mem::zeroed();
            if let Some(value) = compute(object, property, true, &raw mut place) {
                let name = Str::concat(&[property.name.as_bytes()]);
                ffi::zend_hash_add(array, name.0, value);
                name.release();
            }
        }
        array
    }
}
