//! PHP values that belong to an object's state: variables bound by reference, and values made ready for the driver.

use super::array::List;
use super::call::Call;
use super::conversion::{Turn, Wanted, convert, runs_user_code};
use super::error::{Outcome, Thrown, is_pending};
use super::ffi;
use super::given::Elements;
use super::slot::{Slot, Value, type_of};
use super::string::Str;
use core::cell::Cell;
use core::ptr;

/// A list of values, or nothing. A plain word: an object whose state has one names it in [`super::object::Class::held`], so that it
/// is released with the object, where user code (a destructor) may run.
pub(crate) struct Held(Cell<*mut ffi::zend_array>);

/// What the driver needs to know of a value.
#[derive(Clone, Copy)]
pub(crate) enum Scalar<'a> {
    /// NULL.
    Null,
    /// An integer.
    Long(i64),
    /// A float.
    Double(f64),
    /// A string.
    Bytes(&'a [u8]),
    /// True or false.
    Bool(bool),
    /// Anything else.
    Other,
}

impl Held {
    pub(crate) const fn nothing() -> Held {
        Held(Cell::new(ptr::null_mut()))
    }

    /// Whether there is a list.
    pub(crate) fn is_there(&self) -> bool {
        !self.0.get().is_null()
    }

    /// How many values there are.
    pub(crate) fn len(&self) -> usize {
        let list = self.0.get();
        // SAFETY: a list of ours is alive while it is held.
        if list.is_null() { 0 } else { unsafe { (*list).nNumUsed as usize } }
    }

    /// Puts another list in the place of the one that is there; user code may run when that one goes.
    fn replace(&self, list: *mut ffi::zend_array) {
        // SAFETY: the list was held here, and nobody finds it any more.
        unsafe { release(self.0.replace(list)) };
    }

    /// Lets go of the list; user code may run.
    pub(crate) fn clear(&self) {
        self.replace(ptr::null_mut());
    }

    /// The list, or nothing.
    pub(super) fn list(&self) -> *mut ffi::zend_array {
        self.0.get()
    }

    /// Takes the list out, for [`release`].
    pub(super) fn take(&self) -> *mut ffi::zend_array {
        self.0.replace(ptr::null_mut())
    }

    /// Holds the arguments that a call has left, references as references.
    pub(crate) fn hold_arguments(&self, call: &mut Call<'_>) {
        let mut place = Slot::undefined();
        // SAFETY: the place is this frame's own, and the list in it is handed on; each argument is a zval of the call's frame.
        unsafe {
            let mut list = List::new(Slot::new(&raw mut place), 0);
            while let Some(argument) = call.raw_argument() {
                copy(list.push(), argument);
            }
            self.replace(place.value.arr);
        }
    }

    /// Holds these values, NULL in the place of none.
    pub(crate) fn hold_values(&self, values: &[Option<Value<'_>>]) {
        let mut place = Slot::undefined();
        // SAFETY: as above; the values are readable.
        unsafe {
            let mut list = List::new(Slot::new(&raw mut place), 0);
            for value in values {
                let slot = list.push();
                if let Some(value) = value {
                    copy(slot, value.as_ptr());
                }
            }
            self.replace(place.value.arr);
        }
    }

    /// Whether there is a value with this number, and not NULL.
    pub(crate) fn has(&self, number: usize) -> bool {
        // SAFETY: the element is the list's.
        self.element(number).is_some_and(|element| unsafe { type_of(element) != ffi::IS_NULL })
    }

    /// Writes the value with this number once more; NULL if there is none.
    pub(crate) fn share(&self, number: usize, slot: Slot<'_>) {
        match self.element(number) {
            // SAFETY: the element is the list's.
            Some(element) => unsafe { copy(slot, element) },
            None => slot.null(),
        }
    }

    /// Holds the elements of an array, references as references.
    pub(crate) fn hold_elements(&self, array: Value<'_>) {
        let mut place = Slot::undefined();
        // SAFETY: as above; the value is an array, whose elements stay while they are copied, for no user code runs.
        unsafe {
            let elements = (*array.as_ptr()).value.arr;
            let mut list = List::new(Slot::new(&raw mut place), (*elements).nNumOfElements);
            each(elements, |element| copy(list.push(), element));
            self.replace(place.value.arr);
        }
    }

    /// Holds the elements of each array in an array, all in one list, references as references.
    pub(crate) fn hold_elements_of_each(&self, arrays: Value<'_>) {
        let mut place = Slot::undefined();
        // SAFETY: as above; the type is looked at before the array is.
        unsafe {
            let mut list = List::new(Slot::new(&raw mut place), 0);
            for array in Elements::of(arrays).filter(|array| array.is_array()) {
                each((*array.as_ptr()).value.arr, |element| copy(list.push(), element));
            }
            self.replace(place.value.arr);
        }
    }

    /// Holds this many NULLs, to be written by [`Held::slot`].
    pub(crate) fn hold_nulls(&self, length: usize) {
        let mut place = Slot::undefined();
        // SAFETY: as above.
        unsafe {
            let capacity = u32::try_from(length).unwrap_or_default();
            let mut list = List::new(Slot::new(&raw mut place), capacity);
            for _ in 0..length {
                list.push();
            }
            self.replace(place.value.arr);
        }
    }

    /// Holds what becomes of another list's values when each is converted as `wanted` says of its number. User code may run: an object
    /// that becomes a string, the handler of a warning.
    ///
    /// # Errors
    /// An exception is pending.
    pub(crate) fn hold_converted(&self, from: &Held, wanted: impl Fn(usize) -> Wanted) -> Outcome {
        let source = from.0.get();
        if source.is_null() {
            self.clear();
            return Ok(());
        }
        let mut place = Slot::undefined();
        // SAFETY: the list that is read gets one more reference for as long as user code may replace it; the new one is in nobody's
        // sight before its end. A long jump leaves both to the request's memory.
        unsafe {
            (*source).gc.refcount += 1;
            let length = (*source).nNumUsed;
            let mut list = List::new(Slot::new(&raw mut place), length);
            if (0..length as usize).any(|number| runs_user_code(value_of(source, number))) {
                for _ in 0..length {
                    list.push();
                }
                for turn in Turn::ALL {
                    for number in 0..length as usize {
                        let zval = (*place.value.arr).__bindgen_anon_1.arPacked.add(number);
                        if !is_pending() {
                            turn.convert(zval, value_of(source, number), wanted(number));
                        }
                    }
                }
            } else {
                for number in 0..length as usize {
                    let zval = list.push().as_ptr();
                    copy(Slot::new(zval), value_of(source, number));
                    convert(zval, wanted(number));
                }
            }
            release(source);
            if is_pending() {
                release(place.value.arr);
                return Err(Thrown);
            }
            self.replace(place.value.arr);
        }
        Ok(())
    }

    /// The value with this number, as the driver takes it; no user code may run while it is borrowed.
    pub(crate) fn scalar(&self, number: usize) -> Scalar<'_> {
        self.value(number).map_or(Scalar::Null, Value::scalar)
    }

    /// The value with this number, as long as the list is held.
    pub(crate) fn value(&self, number: usize) -> Option<Value<'_>> {
        // SAFETY: the element is the list's.
        self.element(number).map(|element| unsafe { Value::new(element) })
    }

    fn element(&self, number: usize) -> Option<*mut ffi::zval> {
        let list = self.0.get();
        // SAFETY: a list of ours is packed and has so many elements.
        (number < self.len()).then(|| unsafe { (*list).__bindgen_anon_1.arPacked.add(number) })
    }

    /// The place of the value with this number, to be written. What was there, none whose end runs user code, goes: a row that was fetched
    /// while another one was given away finds what is left of that.
    pub(crate) fn slot(&self, number: usize) -> Option<Slot<'_>> {
        self.put_null(number);
        // SAFETY: the element is the list's.
        self.element(number).map(|element| unsafe { Slot::new(element) })
    }

    /// Puts a value in the place of the one with this number, which must be none whose end runs user code.
    pub(crate) fn put(&self, number: usize, value: Value<'_>) {
        // SAFETY: the value is readable.
        self.overwrite(number, |slot| unsafe { copy(slot, value.as_ptr()) });
    }

    /// Makes the value with this number NULL.
    pub(crate) fn put_null(&self, number: usize) {
        self.overwrite(number, |slot| slot.null());
    }

    fn overwrite(&self, number: usize, write: impl FnOnce(Slot<'_>)) {
        if let Some(element) = self.element(number) {
            // SAFETY: the element is the list's; what was there is released once.
            unsafe {
                let mut old = ptr::read(element);
                write(Slot::new(element));
                if old.u1.v.type_flags != 0 {
                    ffi::zval_ptr_dtor(&raw mut old);
                }
            }
        }
    }

    /// Moves the value with this number to the variable with the same number of another list; NULL stays. User code may run: the
    /// destructor of what the variable held, the conversion to the type of a property.
    pub(crate) fn give(&self, number: usize, to: &Held) {
        let (Some(from), Some(to)) = (self.element(number), to.element(number)) else {
            return;
        };
        // SAFETY: both are zvals of lists that are held; the value is moved, so that it is released once whatever happens.
        unsafe {
            let mut value = ptr::read(from);
            (*from).u1.type_info = ffi::IS_NULL;
            let mut variable = to;
            if type_of(to) == ffi::IS_REFERENCE {
                let reference = (*to).value.ref_;
                if !(*reference).sources.ptr.is_null() {
                    // The destructor of what it held may let go of all other references, and Zend writes the value after that.
                    let mut kept = Slot::undefined();
                    copy(Slot::new(&raw mut kept), to);
                    ffi::zend_try_assign_typed_ref_ex(reference, &raw mut value, false);
                    ffi::zval_ptr_dtor(&raw mut kept);
                    return;
                }
                variable = &raw mut (*reference).val;
            }
            let mut old = ptr::read(variable);
            variable.write(value);
            ffi::zval_ptr_dtor(&raw mut old);
        }
    }
}

impl<'a> Value<'a> {
    /// The value as the driver takes it; no user code may run while it is borrowed.
    pub(crate) fn scalar(self) -> Scalar<'a> {
        let zval = self.as_ptr();
        // SAFETY: the type says which member of the union is set; the string lives as long as the value.
        unsafe {
            match self.raw_type() {
                ffi::IS_LONG => Scalar::Long((*zval).value.lval),
                ffi::IS_DOUBLE => Scalar::Double((*zval).value.dval),
                ffi::IS_STRING => Scalar::Bytes(Str((*zval).value.str_).bytes()),
                ffi::IS_NULL => Scalar::Null,
                ffi::IS_TRUE => Scalar::Bool(true),
                ffi::IS_FALSE => Scalar::Bool(false),
                _ => Scalar::Other,
            }
        }
    }
}

/// Whether an array has the keys 0, 1, 2 and so on, in this order.
///
/// # Safety
/// `array` must be alive.
pub(super) unsafe fn is_list(array: *mut ffi::zend_array) -> bool {
    // SAFETY: the caller's promise; the functions only read.
    unsafe {
        let (mut position, mut expected) = (0, 0);
        loop {
            let (mut key, mut index) = (ptr::null_mut(), 0);
            let kind = ffi::zend_hash_get_current_key_ex(
                array,
                &raw mut key,
                &raw mut index,
                &raw mut position,
            );
            match u32::try_from(kind).unwrap_or_default() {
                ffi::HASH_KEY_NON_EXISTENT => return true,
                ffi::HASH_KEY_IS_LONG if index == expected => expected += 1,
                _ => return false,
            }
            ffi::zend_hash_move_forward_ex(array, &raw mut position);
        }
    }
}

/// Calls with each element.
///
/// # Safety
/// `array` must be alive and stay as it is meanwhile.
pub(super) unsafe fn each(array: *mut ffi::zend_array, mut with: impl FnMut(*mut ffi::zval)) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut position = 0;
        loop {
            let element = ffi::zend_hash_get_current_data_ex(array, &raw mut position);
            if element.is_null() {
                return;
            }
            with(element);
            ffi::zend_hash_move_forward_ex(array, &raw mut position);
        }
    }
}

/// Writes one more reference of a value.
///
/// # Safety
/// `value` must be readable.
pub(super) unsafe fn copy(slot: Slot<'_>, value: *mut ffi::zval) {
    // SAFETY: the caller's promise; what is counted gets one reference more.
    unsafe {
        let place = slot.as_ptr();
        (*place).value = (*value).value;
        (*place).u1.type_info = (*value).u1.type_info;
        if (*place).u1.v.type_flags != 0 {
            (*(*place).value.counted).gc.refcount += 1;
        }
    }
}

/// An element of a packed list, or what it refers to.
///
/// # Safety
/// `list` must have so many elements.
unsafe fn value_of(list: *mut ffi::zend_array, number: usize) -> *mut ffi::zval {
    // SAFETY: the caller's promise.
    unsafe { Value::new((*list).__bindgen_anon_1.arPacked.add(number)).as_ptr() }
}

/// Lets go of a list; user code may run.
///
/// # Safety
/// `list` must be null, or a reference that the caller gives away.
pub(super) unsafe fn release(list: *mut ffi::zend_array) {
    if list.is_null() {
        return;
    }
    // SAFETY: the caller's promise; a zval of the array releases it.
    unsafe {
        let mut value = Slot::undefined();
        value.value.arr = list;
        value.u1.type_info = ffi::IS_ARRAY_EX;
        ffi::zval_ptr_dtor(&raw mut value);
    }
}
