//! Arrays that a script gives: their elements in order, and new arrays with the same keys.

use super::call::Call;
use super::error::{Outcome, throw_type_error};
use super::ffi;
use super::held::is_list;
use super::object::{Class, Object};
use super::slot::{Slot, Value};
use core::ffi::CStr;
use core::marker::PhantomData;
use core::ptr;

/// The elements of an array in their order; references are followed. No user code may change the array meanwhile: an argument's is safe.
#[derive(Clone)]
pub(crate) struct Elements<'a> {
    array: *mut ffi::zend_array,
    position: ffi::HashPosition,
    lifetime: PhantomData<&'a ffi::zval>,
}

impl<'a> Elements<'a> {
    /// Those of an array; anything else has none.
    pub(crate) fn of(value: Value<'a>) -> Elements<'a> {
        let is_array = value.raw_type() == ffi::IS_ARRAY;
        // SAFETY: the type says which member of the union is set.
        let array = if is_array { unsafe { (*value.as_ptr()).value.arr } } else { ptr::null_mut() };
        Elements { array, position: 0, lifetime: PhantomData }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        if self.array.is_null() {
            return None;
        }
        // SAFETY: the array is alive for `'a` and stays as it is; the position is one of it, or its end.
        unsafe {
            let element = ffi::zend_hash_get_current_data_ex(self.array, &raw mut self.position);
            if element.is_null() {
                return None;
            }
            ffi::zend_hash_move_forward_ex(self.array, &raw mut self.position);
            Some(Value::new(element))
        }
    }
}

/// A new array that gets the keys of a given one, in its order.
pub(crate) struct Alike<'a> {
    array: *mut ffi::zend_array,
    /// Where the keys come from.
    given: Elements<'a>,
}

impl<'a> Alike<'a> {
    /// Puts a new array into `slot`.
    pub(crate) fn new(slot: Slot<'_>, given: Value<'a>) -> Alike<'a> {
        let given = Elements::of(given);
        let capacity = u32::try_from(given.clone().count()).unwrap_or_default();
        // SAFETY: a new array of ours, made packed while it is empty if its keys will be 0, 1, 2 and so on; the slot takes its reference.
        unsafe {
            let array = ffi::_zend_new_array(capacity);
            if !given.array.is_null() && is_list(given.array) {
                ffi::zend_hash_real_init_packed(array);
            }
            slot.array_ptr(array);
            Alike { array, given }
        }
    }

    /// The place of a new last element, which holds NULL until it is written; `None`: there is no further key.
    pub(crate) fn push(&mut self) -> Option<Slot<'_>> {
        let Elements { array: given, mut position, .. } = self.given;
        self.given.next()?;
        // SAFETY: the given array has an element at this position; the new one is ours alone, copies the NULL, and takes its own reference of
        // a name. A long jump out of it leaves whole elements only.
        unsafe {
            let (mut name, mut index) = (ptr::null_mut(), 0);
            let kind = ffi::zend_hash_get_current_key_ex(
                given,
                &raw mut name,
                &raw mut index,
                &raw mut position,
            );
            let mut null = Slot::undefined();
            null.u1.type_info = ffi::IS_NULL;
            let is_name = kind.cast_unsigned() == ffi::HASH_KEY_IS_STRING;
            Some(Slot::new(if is_name {
                ffi::zend_hash_update(self.array, name, &raw mut null)
            } else {
                ffi::zend_hash_index_update(self.array, index, &raw mut null)
            }))
        }
    }
}

/// An object of one of two classes.
pub(crate) enum Either<'a, A, B> {
    First(Object<'a, A>),
    Second(Object<'a, B>),
}

impl<'a> Call<'a> {
    /// The next argument, which `arity` has shown to be there: an object of one of two classes, called `what` otherwise.
    pub(crate) fn either<A: Class, B: Class>(&mut self, what: &CStr) -> Outcome<Either<'a, A, B>> {
        let (value, position) = self.next_given();
        // SAFETY: the argument stays for as long as the call.
        let (first, second) = unsafe { (Object::of_value(value), Object::of_value(value)) };
        match (first, second) {
            (Some(object), _) => Ok(Either::First(object)),
            (None, Some(object)) => Ok(Either::Second(object)),
            (None, None) => Err(throw_type_error(position, what, value)),
        }
    }
}
