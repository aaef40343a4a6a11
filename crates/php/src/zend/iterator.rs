//! `foreach` over an object: Zend's iterator functions over one trait.

use super::border::enter;
use super::error::{Outcome, throw_error};
use super::ffi;
use super::memory::{allocate, is_memory_exhausted};
use super::object::{Class, Object};
use super::slot::{Slot, type_of};
use core::ffi::c_int;
use core::ptr;

/// A class whose objects can be walked by `foreach`; its keys count from 0. Several walks may go on at once.
pub(crate) trait Iterate: Class {
    /// Goes back to the first element; `Ok(false)`: it can't, a warning has been given.
    fn rewind(object: Object<'_, Self>) -> Outcome<bool>;
    /// Writes the next element, which has this number; anything but an array or an object ends the walk.
    fn next(object: Object<'_, Self>, number: i64, slot: Slot<'_>) -> Outcome;
}

/// Zend's iterator with the element that it stands at.
#[repr(C)]
struct Walk {
    zend: ffi::zend_object_iterator,
    element: ffi::zval,
    number: i64,
}

/// Makes objects of T's class walkable.
pub(super) fn install<T: Iterate>() {
    // SAFETY: at PHP's start, before any object exists.
    unsafe { (*T::class().entry()).get_iterator = Some(make::<T>) };
}

/// Writes an `Iterator` object over `$this` (for `getIterator`).
pub(crate) fn iterator_object(call: &mut super::call::Call<'_>) {
    let object = call.this();
    let slot = call.returns();
    // SAFETY: the slot is writable; Zend takes a reference of its own to the object.
    unsafe {
        let mut this: ffi::zval = core::mem::zeroed();
        this.value.obj = object;
        this.u1.type_info = ffi::IS_OBJECT_EX;
        ffi::zend_create_internal_iterator_zval(slot.as_ptr(), &raw mut this);
    }
}

/// Writes SPL's iterator over an array that `write` writes.
pub(crate) fn array_iterator(slot: Slot<'_>, write: impl FnOnce(Slot<'_>)) {
    let zval = slot.as_ptr();
    // SAFETY: SPL's class is set at PHP's start and instantiable; its constructor takes the array, and a reference of its own. The array is
    // this frame's: a long jump leaves it to the request's memory.
    unsafe {
        ffi::object_init_ex(zval, ffi::spl_ce_ArrayIterator);
        let mut array = Slot::undefined();
        write(Slot::new(&raw mut array));
        ffi::zend_call_known_function(
            (*ffi::spl_ce_ArrayIterator).constructor,
            (*zval).value.obj,
            ffi::spl_ce_ArrayIterator,
            ptr::null_mut(),
            1,
            &raw mut array,
            ptr::null_mut(),
        );
        ffi::zval_ptr_dtor(&raw mut array);
    }
}

unsafe extern "C" fn make<T: Iterate>(
    _class: *mut ffi::zend_class_entry,
    object: *mut ffi::zval,
    by_reference: c_int,
) -> *mut ffi::zend_object_iterator {
    if by_reference != 0 {
        throw_error(&[b"An iterator cannot be used with foreach by reference"]);
        return ptr::null_mut();
    }
    // SAFETY: the block is as large as a Walk and zeroed (an element of type undefined) before Zend sets its part up; the
    // object is counted once more, and given back by `destroy`.
    unsafe {
        let walk = allocate(size_of::<Walk>()).cast::<Walk>();
        walk.write_bytes(0, 1);
        ffi::zend_iterator_init(&raw mut (*walk).zend);
        let object = (*object).value.obj;
        (*object).gc.refcount += 1;
        (*walk).zend.data.value.obj = object;
        (*walk).zend.data.u1.type_info = ffi::IS_OBJECT_EX;
        (*walk).zend.funcs = &raw const *const { &functions::<T>() };
        (*walk).number = -1;
        walk.cast()
    }
}

const fn functions<T: Iterate>() -> ffi::zend_object_iterator_funcs {
    ffi::zend_object_iterator_funcs {
        dtor: Some(destroy),
        valid: Some(valid),
        get_current_data: Some(element),
        get_current_key: Some(key),
        move_forward: Some(forward::<T>),
        rewind: Some(rewind::<T>),
        invalidate_current: None,
        get_gc: None,
    }
}

unsafe extern "C" fn destroy(walk: *mut ffi::zend_object_iterator) {
    let walk = walk.cast::<Walk>();
    // SAFETY: Zend gives an iterator that `make` made; both values are its own.
    unsafe {
        ffi::zval_ptr_dtor(&raw mut (*walk).zend.data);
        ffi::zval_ptr_dtor(&raw mut (*walk).element);
    }
}

unsafe extern "C" fn valid(walk: *mut ffi::zend_object_iterator) -> c_int {
    // SAFETY: as in `destroy`.
    let is_there = unsafe { is_element(&raw const (*walk.cast::<Walk>()).element) };
    if is_there { ffi::ZEND_RESULT_CODE_SUCCESS } else { ffi::ZEND_RESULT_CODE_FAILURE }
}

/// # Safety
/// `zval` must be readable.
unsafe fn is_element(zval: *const ffi::zval) -> bool {
    // SAFETY: the caller's promise.
    matches!(unsafe { type_of(zval) }, ffi::IS_ARRAY | ffi::IS_OBJECT)
}

unsafe extern "C" fn element(walk: *mut ffi::zend_object_iterator) -> *mut ffi::zval {
    // SAFETY: as in `destroy`. Zend takes null for "no value"; undefined is no value that may be handed out.
    unsafe {
        let element = &raw mut (*walk.cast::<Walk>()).element;
        if type_of(element) == ffi::IS_UNDEF { ptr::null_mut() } else { element }
    }
}

unsafe extern "C" fn key(walk: *mut ffi::zend_object_iterator, place: *mut ffi::zval) {
    // SAFETY: as in `destroy`; the place is writable.
    unsafe { Slot::new(place).long((*walk.cast::<Walk>()).number) };
}

unsafe extern "C" fn forward<T: Iterate>(walk: *mut ffi::zend_object_iterator) {
    enter((), || {
        let walk = walk.cast::<Walk>();
        // SAFETY: as in `destroy`; the old element is released before its place is written again; the object is alive, the
        // iterator holds it.
        unsafe {
            let place = &raw mut (*walk).element;
            let mut old = ptr::read(place);
            (*place).u1.type_info = ffi::IS_UNDEF;
            ffi::zval_ptr_dtor(&raw mut old);
            (*place).u1.type_info = ffi::IS_NULL;
            if is_memory_exhausted() {
                // Whoever walks may not give control back before the end: so this is the end.
                return;
            }
            // An error is an exception that is pending: Zend looks for it itself, and the walk ends.
            let (object, number) = (Object::new((*walk).zend.data.value.obj), (*walk).number + 1);
            let _ = T::next(object, number, Slot::new(place));
            if is_element(place) {
                (*walk).number = number;
            }
        }
    })
}

unsafe extern "C" fn rewind<T: Iterate>(iterator: *mut ffi::zend_object_iterator) {
    enter((), || {
        let walk = iterator.cast::<Walk>();
        // SAFETY: as in `forward`.
        unsafe {
            if let Ok(true) = T::rewind(Object::new((*walk).zend.data.value.obj)) {
                (*walk).number = -1;
                forward::<T>(iterator);
            }
        }
    })
}
