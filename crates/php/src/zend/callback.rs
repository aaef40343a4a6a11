//! Functions of a script's that are called with what they want to know, and methods of its objects that are asked.

use super::error::{Outcome, Thrown, is_pending};
use super::ffi;
use super::held::Held;
use super::slot::{Slot, Value};
use super::string::Str;
use core::ptr;

impl Held {
    /// Calls the value with this number, which is callable, with true or false. **User code runs**; whatever it does, the value lives to the call's
    /// end.
    ///
    /// # Errors
    /// It has thrown.
    pub(crate) fn call(&self, number: usize, answer: bool) -> Outcome {
        let (mut function, mut returned) = (Slot::undefined(), Slot::undefined());
        let mut argument = Slot::undefined();
        // SAFETY: all three are this frame's own; the function has a reference more as long as it runs. A long jump leaves that to the request's end.
        unsafe {
            self.share(number, Slot::new(&raw mut function));
            Slot::new(&raw mut argument).bool(answer);
            ffi::_call_user_function_impl(
                ptr::null_mut(),
                &raw mut function,
                &raw mut returned,
                1,
                &raw mut argument,
                ptr::null_mut(),
            );
            ffi::zval_ptr_dtor(&raw mut returned);
            ffi::zval_ptr_dtor(&raw mut function);
        }
        if is_pending() { Err(Thrown) } else { Ok(()) }
    }
}

impl Value<'_> {
    /// Whether it is something that can be called. User code may run: a class may be loaded.
    pub(crate) fn is_callable(self) -> bool {
        // SAFETY: the value is readable; nobody wants the name.
        unsafe { ffi::zend_is_callable(self.as_ptr(), 0, ptr::null_mut()) }
    }

    /// Whether it is an object.
    pub(crate) fn is_object(self) -> bool {
        self.raw_type() == ffi::IS_OBJECT
    }

    /// Looks at what an object's method of this name returns, without arguments; NULL if it has none. **User code runs.**
    ///
    /// # Errors
    /// It has thrown.
    pub(crate) fn ask<R: Copy>(
        self,
        method: &[u8],
        look: impl FnOnce(Value<'_>) -> R,
    ) -> Outcome<R> {
        let mut returned = Slot::undefined();
        let name = Str::new(method);
        // SAFETY: the type says that there is an object, which its value keeps; the place is this frame's own, and is released once.
        unsafe {
            let place = &raw mut returned;
            if self.is_object() {
                let object = (*self.as_ptr()).value.obj;
                ffi::zend_call_method_if_exists(object, name.0, place, 0, ptr::null_mut());
            }
            name.release();
            if is_pending() {
                return Err(Thrown);
            }
            let seen = look(Value::new(place));
            ffi::zval_ptr_dtor(place);
            Ok(seen)
        }
    }
}
