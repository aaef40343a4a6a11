//! Objects that are read as arrays are: `[]`, `isset`, `empty`, `count`, casts and var_dump, over one trait. None of them can be changed.

use super::border::enter;
use super::call::Call;
use super::error::{Outcome, Thrown, plain_warning, throw_error};
use super::ffi;
use super::globals;
use super::object::{self, Class, Object};
use super::slot::{Slot, Value};
use super::string::Str;
use core::ffi::c_int;
use core::ptr;

/// What stands between the brackets, as an array's key. A name is held by whoever asks.
#[derive(Clone, Copy)]
pub(crate) enum Offset {
    Number(i64),
    Name(Str),
}

/// Who wants to see an object as an array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// `(array)`, var_export.
    Cast,
    /// var_dump, print_r, debuggers.
    Dump,
}

/// A class whose objects have elements.
pub(crate) trait Elements: Class {
    /// Writes the element at an offset; false, and nothing is written: there is none. No user code runs.
    fn element(object: Object<'_, Self>, offset: Offset, slot: Slot<'_>) -> bool;
    /// Whether there is an element, whatever its value.
    fn has(object: Object<'_, Self>, offset: Offset) -> bool;
    fn count(object: Object<'_, Self>) -> u64;
    /// Writes an array.
    fn show(object: Object<'_, Self>, view: View, slot: Slot<'_>);
}

/// Makes `entry` the class of objects that carry a `T`, with elements.
pub(super) fn install<T: Elements>(entry: *mut ffi::zend_class_entry) {
    object::install_with::<T>(entry, |handlers| {
        handlers.read_dimension = Some(read::<T>);
        handlers.write_dimension = Some(write);
        handlers.has_dimension = Some(has::<T>);
        handlers.unset_dimension = Some(unset);
        handlers.count_elements = Some(count::<T>);
        handlers.get_properties_for = Some(properties_for::<T>);
        // Without properties all would be equal.
        handlers.compare = Some(ffi::zend_objects_not_comparable);
    });
}

impl Offset {
    /// What an array takes a value for. No user code runs, which could throw away the object that is read: so a float that is no integer, of
    /// which an array warns, is refused.
    ///
    /// # Errors
    /// A `TypeError` was thrown.
    fn of(value: Value<'_>, class: &[u8]) -> Outcome<Offset> {
        let zval = value.as_ptr();
        // SAFETY: the type says which member of the union is set.
        unsafe {
            Ok(match value.raw_type() {
                ffi::IS_LONG => Offset::Number((*zval).value.lval),
                ffi::IS_STRING => {
                    let name = Str((*zval).value.str_);
                    match name.as_number() {
                        Some(number) => Offset::Number(number.cast_signed()),
                        None => Offset::Name(name),
                    }
                }
                ffi::IS_NULL => Offset::Name(Str::new(b"")),
                ffi::IS_FALSE | ffi::IS_TRUE => Offset::Number(value.to_long()),
                ffi::IS_DOUBLE if value.to_long() as f64 == (*zval).value.dval => {
                    Offset::Number(value.to_long())
                }
                _ => {
                    let given = ffi::zend_zval_type_name(zval);
                    let class = Str::concat(&[class]);
                    let text = c"Cannot access offset of type %s on %s";
                    ffi::zend_type_error(text.as_ptr(), given, class.as_ptr());
                    class.release();
                    return Err(Thrown);
                }
            })
        }
    }

    /// The next argument as an offset.
    fn argument<T: Class>(call: &mut Call<'_>, object: Object<'_, T>) -> Outcome<Offset> {
        match call.value() {
            Some(value) => Offset::of(value, object.class_name()),
            None => Err(Thrown),
        }
    }

    /// Warns of an element that is not there, as of an array's; the handler may throw.
    #[cold]
    fn warn(self) {
        match self {
            Offset::Number(number) => {
                let digits = Str::decimal(number.unsigned_abs());
                let sign: &[u8] = if number < 0 { b"-" } else { b"" };
                plain_warning(&[b"Undefined array key ", sign, digits.bytes()]);
                digits.release();
            }
            Offset::Name(name) => plain_warning(&[b"Undefined array key \"", name.bytes(), b"\""]),
        }
    }
}

/// Says that an object can't be changed, and what to do.
#[cold]
fn throw_unchangeable(class: &[u8]) -> Thrown {
    throw_error(&[class, b" can't be changed; toArray() gives an array that can"])
}

/// `offsetGet`.
pub(crate) fn offset_get<T: Elements>(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<T>(1, 1)?;
    let offset = Offset::argument(call, object)?;
    if !T::element(object, offset, call.returns()) {
        offset.warn();
    }
    Ok(())
}

/// `offsetExists`: whether there is such an element, also where its value is NULL.
pub(crate) fn offset_exists<T: Elements>(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<T>(1, 1)?;
    let offset = Offset::argument(call, object)?;
    call.returns().bool(T::has(object, offset));
    Ok(())
}

/// `offsetSet` and `offsetUnset`, which take this many arguments.
pub(crate) fn offset_change<T: Elements>(call: &mut Call<'_>, arguments: u32) -> Outcome {
    let object = call.receiver::<T>(arguments, arguments)?;
    Err(throw_unchangeable(object.class_name()))
}

/// `count`.
pub(crate) fn count_method<T: Elements>(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<T>(0, 0)?;
    call.returns().unsigned(T::count(object));
    Ok(())
}

// SAFETY of all below: Zend calls them with a live object of the class that they were installed for, and with a place for what they give.

unsafe extern "C" fn read<T: Elements>(
    object: *mut ffi::zend_object,
    offset: *mut ffi::zval,
    kind: c_int,
    place: *mut ffi::zval,
) -> *mut ffi::zval {
    enter(ptr::null_mut(), || {
        let kind = kind.cast_unsigned();
        // SAFETY: see above; null stands for an exception that is pending. An offset is left out where one is to be added.
        unsafe {
            let object = Object::<T>::new(object);
            if offset.is_null() || (kind != ffi::BP_VAR_R && kind != ffi::BP_VAR_IS) {
                throw_unchangeable(object.class_name());
                return ptr::null_mut();
            }
            let Ok(offset) = Offset::of(Value::new(offset), object.class_name()) else {
                return ptr::null_mut();
            };
            (*place).u1.type_info = ffi::IS_NULL;
            if !T::element(object, offset, Slot::new(place)) {
                if kind == ffi::BP_VAR_IS {
                    return &raw mut (*globals::executor()).uninitialized_zval;
                }
                offset.warn();
            }
            place
        }
    })
}

unsafe extern "C" fn has<T: Elements>(
    object: *mut ffi::zend_object,
    offset: *mut ffi::zval,
    not_empty: c_int,
) -> c_int {
    enter(0, || {
        // SAFETY: see above; what was written is released.
        unsafe {
            let object = Object::<T>::new(object);
            let Ok(offset) = Offset::of(Value::new(offset), object.class_name()) else {
                return 0;
            };
            let mut value = Slot::undefined();
            if !T::element(object, offset, Slot::new(&raw mut value)) {
                return 0;
            }
            let yes = if not_empty != 0 {
                ffi::zend_is_true(&raw mut value) != Default::default() // an int before PHP 8.4, a bool since
            } else {
                !Value::new(&raw mut value).is_null()
            };
            ffi::zval_ptr_dtor(&raw mut value);
            yes.into()
        }
    })
}

unsafe extern "C" fn write(
    object: *mut ffi::zend_object,
    _offset: *mut ffi::zval,
    _value: *mut ffi::zval,
) {
    enter((), || {
        // SAFETY: see above.
        throw_unchangeable(Str(unsafe { (*(*object).ce).name }).bytes());
    })
}

unsafe extern "C" fn unset(object: *mut ffi::zend_object, _offset: *mut ffi::zval) {
    enter((), || {
        // SAFETY: see above.
        throw_unchangeable(Str(unsafe { (*(*object).ce).name }).bytes());
    })
}

unsafe extern "C" fn count<T: Elements>(
    object: *mut ffi::zend_object,
    place: *mut ffi::zend_long,
) -> ffi::zend_result {
    enter(ffi::ZEND_RESULT_CODE_FAILURE, || {
        // SAFETY: see above.
        unsafe { *place = i64::try_from(T::count(Object::new(object))).unwrap_or(i64::MAX) };
        ffi::ZEND_RESULT_CODE_SUCCESS
    })
}

unsafe extern "C" fn properties_for<T: Elements>(
    object: *mut ffi::zend_object,
    purpose: ffi::zend_prop_purpose,
) -> *mut ffi::zend_array {
    enter(ptr::null_mut(), || {
        let view = match purpose {
            ffi::_zend_prop_purpose_ZEND_PROP_PURPOSE_ARRAY_CAST
            | ffi::_zend_prop_purpose_ZEND_PROP_PURPOSE_VAR_EXPORT => View::Cast,
            ffi::_zend_prop_purpose_ZEND_PROP_PURPOSE_DEBUG => View::Dump,
            // SAFETY: see above.
            _ => return unsafe { ffi::zend_std_get_properties_for(object, purpose) },
        };
        let mut place = Slot::undefined();
        // SAFETY: see above; the array's only reference goes to Zend.
        unsafe {
            T::show(Object::new(object), view, Slot::new(&raw mut place));
            place.value.arr
        }
    })
}
