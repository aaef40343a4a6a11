//! `fetch_object`: a row becomes an object of a script's class, whose constructor runs.

use super::call::Call;
use super::error::{Outcome, Thrown, is_pending, throw_argument_exception, throw_error};
use super::ffi;
use super::slot::{Slot, Value};
use super::string::Str;
use super::version;
use core::ptr;

/// The class and the constructor's arguments that `fetch_object` was given.
#[derive(Clone, Copy)]
pub(crate) struct Blueprint<'a> {
    class: *mut ffi::zend_class_entry,
    arguments: Option<Value<'a>>,
}

impl<'a> Blueprint<'a> {
    /// Reads the next two arguments of `call`: the class's name (default `stdClass`) and the constructor's arguments.
    pub(crate) fn from_call(call: &mut Call<'a>) -> Outcome<Blueprint<'a>> {
        // SAFETY: the global is set at PHP's start.
        let class = call.optional_class()?.unwrap_or(unsafe { ffi::zend_standard_class_def });
        let arguments = call.optional_array()?;
        let abstract_kinds = ffi::ZEND_ACC_INTERFACE
            | ffi::ZEND_ACC_TRAIT
            | ffi::ZEND_ACC_IMPLICIT_ABSTRACT_CLASS
            | ffi::ZEND_ACC_EXPLICIT_ABSTRACT_CLASS;
        // SAFETY: a class that Zend found.
        let (flags, name) = unsafe { ((*class).ce_flags, Str((*class).name).bytes()) };
        if flags & abstract_kinds != 0 {
            return Err(throw_error(&[b"Class ", name, b" cannot be instantiated"]));
        }
        Ok(Blueprint { class, arguments })
    }

    /// Turns the array in `slot` into an object with these properties, then runs its constructor (user code).
    /// `position` is the number of the argument that holds the constructor's arguments.
    pub(crate) fn build(self, slot: &Slot<'_>, position: u32) -> Outcome {
        let zval = slot.as_ptr();
        // SAFETY: the slot holds an array of ours; its reference is given back once its elements are properties, and that of
        // the property table goes to the object or is given back after the merge. Then the slot holds a live object.
        let object = unsafe {
            let mut row = ptr::read(zval);
            if ffi::object_init_ex(zval, self.class) != ffi::ZEND_RESULT_CODE_SUCCESS {
                ffi::zval_ptr_dtor(&raw mut row);
                (*zval).u1.type_info = ffi::IS_NULL;
                return Err(Thrown);
            }
            let properties = ffi::zend_symtable_to_proptable(row.value.arr);
            ffi::zval_ptr_dtor(&raw mut row);
            let object = (*zval).value.obj;
            if (*self.class).default_properties_count == 0 && (*self.class).__set.is_null() {
                (*object).properties = properties;
            } else {
                ffi::zend_merge_properties(zval, properties);
                row.value.arr = properties;
                ffi::zval_ptr_dtor(&raw mut row);
            }
            object
        };
        // SAFETY: a class that Zend found.
        let (constructor, name) =
            unsafe { ((*self.class).constructor, Str((*self.class).name).bytes()) };
        if constructor.is_null() {
            // SAFETY: the argument is an array, as `optional_array` checked.
            let given = self
                .arguments
                .is_some_and(|it| unsafe { (*(*it.as_ptr()).value.arr).nNumOfElements > 0 });
            if given {
                let parts: &[&[u8]] = &[
                    b"must be empty when the specified class (",
                    name,
                    b") does not have a constructor",
                ];
                return Err(throw_argument_exception(position, parts));
            }
            return Ok(());
        }
        self.construct(constructor, object)
    }

    /// Calls the constructor.
    fn construct(
        self,
        constructor: *mut ffi::zend_function,
        object: *mut ffi::zend_object,
    ) -> Outcome {
        // SAFETY: all-zero is a call without arguments and a value of type undefined. The argument array outlives the call (the
        // frame of fetch_object holds it), and the copies of its values are released after it. Zend only reads the array.
        unsafe {
            let mut returned: ffi::zval = core::mem::zeroed();
            let mut call: ffi::zend_fcall_info = core::mem::zeroed();
            call.size = size_of::<ffi::zend_fcall_info>();
            call.retval = &raw mut returned;
            call.object = object;
            if let Some(arguments) = self.arguments {
                // Since PHP 8.4 string keys are names of arguments, as in stock.
                if version::is_at_least(804) {
                    call.named_params = (*arguments.as_ptr()).value.arr;
                } else {
                    ffi::zend_fcall_info_args(&raw mut call, arguments.as_ptr());
                }
            }
            let mut cache: ffi::zend_fcall_info_cache = core::mem::zeroed();
            cache.function_handler = constructor;
            cache.called_scope = (*object).ce;
            cache.object = object;
            ffi::zend_call_function(&raw mut call, &raw mut cache);
            ffi::zval_ptr_dtor(&raw mut returned);
            ffi::zend_fcall_info_args_clear(&raw mut call, true);
        }
        if is_pending() { Err(Thrown) } else { Ok(()) }
    }
}
