//! The border: how a call of PHP's becomes a call of a Rust function, and how its arguments are read.
//!
//! Each function and method of the stubs has one Rust body, `fn(&mut Call) -> Outcome`; a function and the method that does
//! the same share it. Arguments are read in order; [`Call::receiver`] takes `$this`, or the first argument.

use super::border;
use super::class::ClassSlot;
use super::error::{Outcome, Thrown, throw_value_error};
use super::ffi;
use super::object::{Class, Object};
use super::slot::{Slot, Value};
use super::string::Str;
use super::version;
use core::ffi::CStr;
use core::marker::PhantomData;
use core::ptr;

/// One call from PHP: its arguments and the place for its value.
pub(crate) struct Call<'a> {
    frame: *mut ffi::zend_execute_data,
    returned: *mut ffi::zval,
    /// How many arguments have been read.
    read: u32,
    lifetime: PhantomData<&'a ffi::zval>,
}

/// Runs `body` for a call of PHP's; the handlers of the generated tables end here.
///
/// # Safety
/// For Zend only: `frame` is the running call of an internal function, `returned` the place of its value, set to NULL.
#[inline(always)]
pub(super) unsafe fn enter(
    frame: *mut ffi::zend_execute_data,
    returned: *mut ffi::zval,
    body: fn(&mut Call<'_>) -> Outcome,
) {
    border::enter((), || {
        let mut call = Call { frame, returned, read: 0, lifetime: PhantomData };
        // An error is a PHP exception that is already pending: Zend looks for it itself.
        let _ = body(&mut call);
    });
}

impl<'a> Call<'a> {
    /// As many arguments as are given, whether or not one of them is the object.
    pub(crate) const ANY: u32 = u32::MAX - 1;

    /// Whether it is a method that was called: `$this` is there.
    pub(crate) fn is_method(&self) -> bool {
        // SAFETY: Zend promised a live frame; `This` holds the object or another type.
        unsafe { super::slot::type_of(&raw const (*self.frame).This) == ffi::IS_OBJECT }
    }

    /// How many arguments were given.
    pub(crate) fn given(&self) -> u32 {
        // SAFETY: Zend promised a live frame; it keeps the count there.
        unsafe { (*self.frame).This.u2.num_args }
    }

    /// Whether all arguments that were given have been read.
    pub(crate) fn is_read(&self) -> bool {
        self.read == self.given()
    }

    /// Checks that `min` to `max` arguments were given.
    pub(crate) fn arity(&mut self, min: u32, max: u32) -> Outcome {
        if (min..=max).contains(&self.given()) {
            return Ok(());
        }
        // SAFETY: reads the running frame only.
        unsafe { ffi::zend_wrong_parameters_count_error(min, max) };
        Err(Thrown)
    }

    /// The object that the call is about, and a check that `min` to `max` arguments follow it.
    #[inline]
    pub(crate) fn receiver<T: Class>(&mut self, min: u32, max: u32) -> Outcome<Object<'a, T>> {
        if self.is_method() && (min..=max).contains(&self.given()) {
            // SAFETY: a method of T's class runs: `This` is an object of it, alive while the frame is.
            return Ok(unsafe { Object::new((*self.frame).This.value.obj) });
        }
        self.other_receiver(min, max)
    }

    /// That of a function, or of a method with fewer or more arguments.
    #[inline(never)]
    fn other_receiver<T: Class>(&mut self, min: u32, max: u32) -> Outcome<Object<'a, T>> {
        if self.is_method() {
            self.arity(min, max)?;
        }
        self.arity(min + 1, max + 1)?;
        self.object::<T>()
    }

    /// The next argument, an object of T's class.
    pub(crate) fn object<T: Class>(&mut self) -> Outcome<Object<'a, T>> {
        self.object_or(ffi::ZPP_ERROR_WRONG_CLASS)
    }

    fn object_or<T: Class>(&mut self, error: u32) -> Outcome<Object<'a, T>> {
        let (value, position) = self.next_given();
        // SAFETY: the argument stays for as long as the call.
        unsafe {
            if let Some(object) = Object::of_value(value) {
                return Ok(object);
            }
            let name = (*T::class().entry()).name;
            self.wrong(error, position, Str(name).as_ptr().cast_mut(), 0, value)
        }
    }

    /// Takes the next argument, an object of T's class; false if it is absent.
    pub(crate) fn optional_object<T: Class>(&mut self) -> Outcome<bool> {
        match self.optional() {
            None => Ok(self.read > 0),
            Some(_) => {
                self.read -= 1;
                self.object_or::<T>(ffi::ZPP_ERROR_WRONG_CLASS_OR_NULL).map(|_| true)
            }
        }
    }

    /// Reads `$this->name`, a property that is stored in the object, as a string (for `mysqli_sql_exception`).
    pub(crate) fn stored_property(&self, class: &ClassSlot, name: &CStr) -> Str {
        // SAFETY: `$this` is an object of `class`, `name` a C string; the value may be converted whatever it is.
        unsafe {
            let mut place: ffi::zval = core::mem::zeroed();
            let (entry, length) = (class.entry(), name.count_bytes());
            let value = ffi::zend_read_property(
                entry,
                self.this(),
                name.as_ptr(),
                length,
                true,
                &raw mut place,
            );
            Value::new(value).to_str().unwrap_or_else(|| Str::new(b""))
        }
    }

    /// The `$this` of a method whose class needs no state of ours.
    pub(super) fn this(&self) -> *mut ffi::zend_object {
        debug_assert!(self.is_method());
        // SAFETY: as for `receiver`.
        unsafe { (*self.frame).This.value.obj }
    }

    /// The number by which messages call the argument that follows `n` others when the object counts as one.
    pub(crate) fn position(&self, n: u32) -> u32 {
        if self.is_method() { n } else { n + 1 }
    }

    /// Throws a `ValueError` about the `n`th argument, not counting the object.
    #[cold]
    pub(crate) fn value_error(&self, n: u32, what: &CStr) -> Thrown {
        throw_value_error(self.position(n), what)
    }

    /// Throws the `ValueError` that the `n`th argument is empty.
    #[cold]
    pub(crate) fn empty_error(&self, n: u32) -> Thrown {
        let what =
            if version::is_at_least(804) { c"must not be empty" } else { c"cannot be empty" };
        self.value_error(n, what)
    }

    /// The next argument where it stands, a reference if it is passed by reference; `None`: none is left.
    pub(super) fn raw_argument(&mut self) -> Option<*mut ffi::zval> {
        (self.read < self.given()).then(|| {
            let argument = self.place_of_next();
            self.read += 1;
            argument
        })
    }

    /// How many arguments have not been read.
    pub(crate) fn left(&self) -> usize {
        (self.given() - self.read) as usize
    }

    /// The next argument as it is, if it was given.
    pub(crate) fn value(&mut self) -> Option<Value<'a>> {
        (self.read < self.given()).then(|| self.next_given().0)
    }

    /// The next argument, which `arity` has shown to be there, and its number.
    pub(super) fn next_given(&mut self) -> (Value<'a>, u32) {
        debug_assert!(self.read < self.given());
        // SAFETY: the argument was given.
        let value = unsafe { Value::new(self.place_of_next()) };
        self.read += 1;
        (value, self.read)
    }

    fn place_of_next(&self) -> *mut ffi::zval {
        // SAFETY: the arguments follow the frame's own slots (ZEND_CALL_FRAME_SLOT of zend_compile.h), `given` of them.
        unsafe {
            let slots = size_of::<ffi::zend_execute_data>().div_ceil(size_of::<ffi::zval>());
            self.frame.cast::<ffi::zval>().add(slots + self.read as usize)
        }
    }

    /// The next argument, a string.
    pub(crate) fn bytes(&mut self) -> Outcome<&'a [u8]> {
        let (value, position) = self.next_given();
        self.string(value, position, ffi::_zend_expected_type_Z_EXPECTED_STRING)
    }

    /// The next argument, a string; `None` if it is absent or NULL.
    pub(crate) fn optional_bytes(&mut self) -> Outcome<Option<&'a [u8]>> {
        match self.optional() {
            None => Ok(None),
            Some((value, position)) => self
                .string(value, position, ffi::_zend_expected_type_Z_EXPECTED_STRING_OR_NULL)
                .map(Some),
        }
    }

    fn string(
        &self,
        value: Value<'a>,
        position: u32,
        expected: ffi::zend_expected_type,
    ) -> Outcome<&'a [u8]> {
        let mut string = ptr::null_mut();
        // SAFETY: the type says which member of the union is set. The slow way may convert the argument in its place, so
        // the string belongs to the frame either way.
        unsafe {
            if value.raw_type() == ffi::IS_STRING {
                string = (*value.as_ptr()).value.str_;
            } else if !ffi::zend_parse_arg_str_slow(value.as_ptr(), &raw mut string, position) {
                return self.wrong(
                    ffi::ZPP_ERROR_WRONG_ARG,
                    position,
                    ptr::null_mut(),
                    expected,
                    value,
                );
            }
        }
        Ok(Str(string).bytes())
    }

    /// The next argument, an integer.
    pub(crate) fn long(&mut self) -> Outcome<i64> {
        let (value, position) = self.next_given();
        self.integer(value, position, ffi::_zend_expected_type_Z_EXPECTED_LONG)
    }

    /// The next argument, an integer, or `default` if it is absent.
    pub(crate) fn long_or(&mut self, default: i64) -> Outcome<i64> {
        if self.is_read() { Ok(default) } else { self.long() }
    }

    /// The next argument, an integer; `None` if it is absent or NULL.
    pub(crate) fn optional_long(&mut self) -> Outcome<Option<i64>> {
        match self.optional() {
            None => Ok(None),
            Some((value, position)) => self
                .integer(value, position, ffi::_zend_expected_type_Z_EXPECTED_LONG_OR_NULL)
                .map(Some),
        }
    }

    fn integer(
        &self,
        value: Value<'a>,
        position: u32,
        expected: ffi::zend_expected_type,
    ) -> Outcome<i64> {
        let mut long = 0;
        // SAFETY: the type says which member of the union is set; the slow way reads the argument and writes `long`.
        unsafe {
            if value.raw_type() == ffi::IS_LONG {
                long = (*value.as_ptr()).value.lval;
            } else if !ffi::zend_parse_arg_long_slow(value.as_ptr(), &raw mut long, position) {
                return self.wrong(
                    ffi::ZPP_ERROR_WRONG_ARG,
                    position,
                    ptr::null_mut(),
                    expected,
                    value,
                );
            }
        }
        Ok(long)
    }

    /// The next argument, true or false.
    pub(crate) fn bool(&mut self) -> Outcome<bool> {
        let (value, position) = self.next_given();
        let mut flag = value.raw_type() == ffi::IS_TRUE;
        if flag || value.raw_type() == ffi::IS_FALSE {
            return Ok(flag);
        }
        // SAFETY: reads the argument and writes `flag`.
        if unsafe { ffi::zend_parse_arg_bool_slow(value.as_ptr(), &raw mut flag, position) } {
            return Ok(flag);
        }
        self.wrong(
            ffi::ZPP_ERROR_WRONG_ARG,
            position,
            ptr::null_mut(),
            ffi::_zend_expected_type_Z_EXPECTED_BOOL,
            value,
        )
    }

    /// The next argument, the name of a class; `None` if it is absent.
    pub(super) fn optional_class(&mut self) -> Outcome<Option<*mut ffi::zend_class_entry>> {
        if self.is_read() {
            return Ok(None);
        }
        let (value, position) = self.next_given();
        let mut class = ptr::null_mut();
        // SAFETY: reads the argument, may load the class (user code), writes `class`; on failure it has thrown.
        if unsafe { ffi::zend_parse_arg_class(value.as_ptr(), &raw mut class, position, false) } {
            Ok(Some(class))
        } else {
            Err(Thrown)
        }
    }

    /// The next argument, an array.
    pub(crate) fn array(&mut self) -> Outcome<Value<'a>> {
        let (value, position) = self.next_given();
        if value.raw_type() == ffi::IS_ARRAY {
            return Ok(value);
        }
        let expected = ffi::_zend_expected_type_Z_EXPECTED_ARRAY;
        self.wrong(ffi::ZPP_ERROR_WRONG_ARG, position, ptr::null_mut(), expected, value)
    }

    /// The next argument, an array; `None` if it is absent or NULL.
    pub(crate) fn optional_array_or_null(&mut self) -> Outcome<Option<Value<'a>>> {
        let Some((value, position)) = self.optional() else {
            return Ok(None);
        };
        if value.raw_type() == ffi::IS_ARRAY {
            return Ok(Some(value));
        }
        let expected = ffi::_zend_expected_type_Z_EXPECTED_ARRAY_OR_NULL;
        self.wrong(ffi::ZPP_ERROR_WRONG_ARG, position, ptr::null_mut(), expected, value)
    }

    /// The next argument, an array; `None` if it is absent.
    pub(crate) fn optional_array(&mut self) -> Outcome<Option<Value<'a>>> {
        if self.is_read() {
            return Ok(None);
        }
        let (value, position) = self.next_given();
        if value.raw_type() == ffi::IS_ARRAY {
            return Ok(Some(value));
        }
        let expected = ffi::_zend_expected_type_Z_EXPECTED_ARRAY;
        self.wrong(ffi::ZPP_ERROR_WRONG_ARG, position, ptr::null_mut(), expected, value)
    }

    /// The next argument and its number, unless it is absent or NULL.
    fn optional(&mut self) -> Option<(Value<'a>, u32)> {
        if self.is_read() {
            return None;
        }
        Some(self.next_given()).filter(|(value, _)| !value.is_null())
    }

    /// Throws the `TypeError` for an argument.
    #[cold]
    fn wrong<T>(
        &self,
        error: u32,
        position: u32,
        name: *mut core::ffi::c_char,
        expected: ffi::zend_expected_type,
        value: Value<'_>,
    ) -> Outcome<T> {
        // SAFETY: `name` is null or a C string; a pending exception is left as it is.
        unsafe {
            ffi::zend_wrong_parameter_error(
                error.cast_signed(),
                position,
                name,
                expected,
                value.as_ptr(),
            )
        };
        Err(Thrown)
    }

    /// Throws away the value that was written, so that another can be.
    pub(crate) fn drop_returned(&mut self) {
        // SAFETY: Zend promised the place; the value is released once, and the place holds NULL again.
        unsafe {
            let mut value = ptr::read(self.returned);
            (*self.returned).u1.type_info = ffi::IS_NULL;
            ffi::zval_ptr_dtor(&raw mut value);
        }
    }

    /// The place of the call's value; it holds NULL until it is written.
    pub(crate) fn returns(&mut self) -> Slot<'_> {
        // SAFETY: Zend promised the place; whatever a body wrote there before, it replaces nothing that needs freeing.
        unsafe { Slot::new(self.returned) }
    }
}
