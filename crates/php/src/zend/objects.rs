//! Arrays of objects that a script passes by reference, to be gone through and to be reduced.

use super::array::List;
use super::error::Outcome;
use super::ffi;
use super::held::{copy, each};
use super::object::{Class, Object};
use super::slot::{Slot, Value};
use core::marker::PhantomData;

/// An array that should have objects of T's class only.
pub(crate) struct Objects<'a, T>(Value<'a>, PhantomData<T>);

/// One of its elements.
pub(crate) enum Element<'a, T> {
    /// As it should be.
    Object(Object<'a, T>),
    /// Something else.
    Other(Value<'a>),
}

impl<'a, T: Class> Objects<'a, T> {
    /// The elements of a value that is an array.
    pub(crate) fn of(array: Value<'a>) -> Objects<'a, T> {
        Objects(array, PhantomData)
    }

    fn array(&self) -> *mut ffi::zend_array {
        // SAFETY: the caller of `of` had it checked that there is an array; if user code has put something else there since, it is
        // told by the type.
        unsafe {
            if self.0.raw_type() == ffi::IS_ARRAY {
                (*self.0.as_ptr()).value.arr
            } else {
                core::ptr::null_mut()
            }
        }
    }

    /// Calls with each element and its number, counted from 1; no user code may run inside.
    ///
    /// # Errors
    /// That of the first call that fails.
    pub(crate) fn each(&self, mut with: impl FnMut(u32, Element<'a, T>) -> Outcome) -> Outcome {
        let (mut number, mut outcome) = (0, Ok(()));
        let array = self.array();
        if array.is_null() {
            return Ok(());
        }
        // SAFETY: the array is alive and stays as it is; an object's class is looked at before its state is.
        unsafe {
            each(array, |element| {
                number += 1;
                if outcome.is_ok() {
                    let value = Value::new(element);
                    let element = match Object::of_value(value) {
                        Some(object) => Element::Object(object),
                        None => Element::Other(value),
                    };
                    outcome = with(number, element);
                }
            });
        }
        outcome
    }

    /// Puts a list of those objects that are `wanted` into the place of another array, or of this one. User code may run: a
    /// destructor of what was there.
    pub(crate) fn put_into(&self, place: Value<'_>, wanted: impl Fn(&T) -> bool) {
        let mut kept = Slot::undefined();
        // SAFETY: the new list is this frame's own until it is handed on; the place is a zval of the script's, what was there
        // is released once.
        unsafe {
            let mut list = List::new(Slot::new(&raw mut kept), 0);
            let array = self.array();
            if !array.is_null() {
                each(array, |element| {
                    let object = Object::<T>::of_value(Value::new(element));
                    if object.is_some_and(|object| wanted(object.state())) {
                        copy(list.push(), Value::new(element).as_ptr());
                    }
                });
            }
            let zval = place.as_ptr();
            // An array that nobody counts is told by its zval.
            let mut old = core::ptr::read(zval);
            (*zval).value = kept.value;
            (*zval).u1.type_info = kept.u1.type_info;
            ffi::zval_ptr_dtor(&raw mut old);
        }
    }
}
