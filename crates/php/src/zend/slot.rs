//! `zval`: a place in PHP's memory that is written once, and a value that is read.

use super::ffi;
use super::held::is_list;
use super::lent;
use super::string::Str;
use core::marker::PhantomData;
use vaquita_client::Block;

/// A `zval` that holds nothing worth freeing yet; each of its methods writes it, once.
pub(crate) struct Slot<'a>(*mut ffi::zval, PhantomData<&'a mut ffi::zval>);

impl<'a> Slot<'a> {
    /// # Safety
    /// `zval` must be writable for `'a`, not otherwise used meanwhile, and hold nothing that needs freeing.
    pub(super) unsafe fn new(zval: *mut ffi::zval) -> Slot<'a> {
        Slot(zval, PhantomData)
    }

    pub(super) fn as_ptr(&self) -> *mut ffi::zval {
        self.0
    }

    /// A zval of a frame's own, before anything is written.
    pub(super) fn undefined() -> ffi::zval {
        // SAFETY: a zval of zeros is one of the type IS_UNDEF, which has no value.
        unsafe { core::mem::zeroed() }
    }

    /// Whether an array was written.
    pub(crate) fn is_array(&self) -> bool {
        // SAFETY: `new` promised a zval; it has had a type since.
        unsafe { type_of(self.0) == ffi::IS_ARRAY }
    }

    #[inline]
    fn set(self, value: ffi::zend_value, type_info: u32) {
        // SAFETY: `new` promised a writable zval.
        unsafe {
            (*self.0).value = value;
            (*self.0).u1.type_info = type_info;
        }
    }

    /// Writes NULL.
    #[inline]
    pub(crate) fn null(self) {
        // SAFETY: `new` promised a writable zval; NULL has no value beside its type.
        unsafe { (*self.0).u1.type_info = ffi::IS_NULL };
    }

    /// Writes true or false.
    pub(crate) fn bool(self, value: bool) {
        // SAFETY: as for `null`.
        unsafe { (*self.0).u1.type_info = if value { ffi::IS_TRUE } else { ffi::IS_FALSE } };
    }

    /// Writes an integer.
    pub(crate) fn long(self, value: i64) {
        self.set(ffi::zend_value { lval: value }, ffi::IS_LONG);
    }

    /// Writes an unsigned number: an integer, or its decimal digits as a string from PHP_INT_MAX on, as stock does.
    pub(crate) fn unsigned(self, value: u64) {
        match i64::try_from(value) {
            Ok(value) if value < i64::MAX => self.long(value),
            _ => self.str(Str::decimal(value)),
        }
    }

    /// Writes a float.
    pub(crate) fn double(self, value: f64) {
        self.set(ffi::zend_value { dval: value }, ffi::IS_DOUBLE);
    }

    /// Writes a string of `bytes`: the copy.
    #[inline]
    pub(crate) fn bytes(self, bytes: &[u8]) {
        // Only PHP's shared strings are not counted.
        if bytes.len() < 2 {
            self.set(ffi::zend_value { str_: Str::shared(bytes).0 }, ffi::IS_STRING);
        } else {
            self.set(ffi::zend_value { str_: Str::of_own(bytes).0 }, ffi::IS_STRING_EX);
        }
    }

    /// Writes a string of a long value: where that was received into a string, it is that one.
    pub(crate) fn block(self, block: &Block) {
        match lent::string_of(block) {
            Some(string) => self.str(string),
            None => self.bytes(block),
        }
    }

    /// Writes a string, taking its reference over.
    #[inline]
    pub(crate) fn str(self, string: Str) {
        let type_info = if string.is_interned() { ffi::IS_STRING } else { ffi::IS_STRING_EX };
        self.set(ffi::zend_value { str_: string.0 }, type_info);
    }

    /// Writes an array, taking its reference over.
    pub(super) fn array_ptr(self, array: *mut ffi::zend_array) {
        self.set(ffi::zend_value { arr: array }, ffi::IS_ARRAY_EX);
    }
}

/// A `zval` whose value is overwritten: a string, or what needs no freeing.
pub(crate) struct UsedSlot<'a>(Slot<'a>);

impl<'a> UsedSlot<'a> {
    /// # Safety
    /// It must hold such a value.
    pub(super) unsafe fn new(slot: Slot<'a>) -> UsedSlot<'a> {
        UsedSlot(slot)
    }

    /// The string that is there, if it is counted.
    #[inline]
    fn string(&self) -> Option<Str> {
        let zval = self.0.as_ptr();
        // SAFETY: `new` promised a value; its type says which member of the union is set.
        unsafe { ((*zval).u1.type_info == ffi::IS_STRING_EX).then(|| Str((*zval).value.str_)) }
    }

    /// Writes a string: where the one stands that is there, if nobody else has that and it fits.
    #[inline]
    pub(crate) fn bytes(self, bytes: &[u8]) {
        if !self.string().is_some_and(|string| string.overwrite(bytes)) {
            self.cleared().bytes(bytes);
        }
    }

    /// Lets go of the value.
    #[inline]
    pub(crate) fn cleared(self) -> Slot<'a> {
        if let Some(string) = self.string() {
            // Before the slot holds another one, Zend may long-jump.
            // SAFETY: as for `Slot::null`.
            unsafe { (*self.0.as_ptr()).u1.type_info = ffi::IS_NULL };
            string.release();
        }
        self.0
    }
}

/// A value that a script gave, any type; references are already followed.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a>(*mut ffi::zval, PhantomData<&'a ffi::zval>);

/// What kind of value a script gave, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer.
    Long,
    /// A string.
    String,
    /// An array.
    Array,
    /// Anything else.
    Other,
}

impl<'a> Value<'a> {
    /// # Safety
    /// `zval` must be readable for `'a`.
    pub(super) unsafe fn new(zval: *mut ffi::zval) -> Value<'a> {
        // SAFETY: readable by the caller's promise; a reference's target is a zval of its own.
        unsafe {
            let zval = if type_of(zval) == ffi::IS_REFERENCE {
                &raw mut (*(*zval).value.ref_).val
            } else {
                zval
            };
            Value(zval, PhantomData)
        }
    }

    pub(super) fn as_ptr(self) -> *mut ffi::zval {
        self.0
    }

    /// The value's kind.
    pub(crate) fn kind(self) -> Kind {
        match self.raw_type() {
            ffi::IS_LONG => Kind::Long,
            ffi::IS_STRING => Kind::String,
            ffi::IS_ARRAY => Kind::Array,
            _ => Kind::Other,
        }
    }

    pub(super) fn raw_type(self) -> u32 {
        // SAFETY: `new` promised a readable zval.
        unsafe { type_of(self.0) }
    }

    /// Whether it is an array with the keys 0, 1, 2 and so on, in this order.
    pub(crate) fn is_list(self) -> bool {
        // SAFETY: the type says that there is an array.
        self.kind() == Kind::Array && unsafe { is_list((*self.0).value.arr) }
    }

    /// How many elements an array has; 0 of anything else.
    pub(crate) fn count(self) -> usize {
        match self.kind() {
            // SAFETY: the type says that there is an array.
            Kind::Array => unsafe { (*(*self.0).value.arr).nNumOfElements as usize },
            _ => 0,
        }
    }

    /// Whether it is an array.
    pub(crate) fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    /// The bytes of a string; `None`: it is none.
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        // SAFETY: the type says which member of the union is set; the string lives as long as the value.
        (self.kind() == Kind::String).then(|| unsafe { Str((*self.0).value.str_) }.bytes())
    }

    /// Whether it is NULL.
    pub(crate) fn is_null(self) -> bool {
        self.raw_type() == ffi::IS_NULL
    }

    /// The integer that PHP's conversion makes of it. An object may run user code or raise a warning.
    pub(crate) fn to_long(self) -> i64 {
        if self.kind() == Kind::Long {
            // SAFETY: the type says which member of the union is set.
            return unsafe { (*self.0).value.lval };
        }
        // SAFETY: any readable zval may be converted; `false`: an octal or hexadecimal look of a string means nothing.
        unsafe { ffi::zval_get_long_func(self.0, false) }
    }

    /// The string that PHP's conversion makes of it, a new reference; `None`: it can't be one, an exception is pending.
    pub(crate) fn to_str(self) -> Option<Str> {
        // SAFETY: any readable zval may be converted; a string of ours comes back, or null with an exception.
        let string = Str(unsafe {
            if self.kind() == Kind::String {
                (*self.0).value.str_
            } else {
                ffi::zval_try_get_string_func(self.0)
            }
        });
        if self.kind() == Kind::String {
            string.add_ref();
        }
        (!string.0.is_null()).then_some(string)
    }
}

/// # Safety
/// `zval` must be readable.
pub(super) unsafe fn type_of(zval: *const ffi::zval) -> u32 {
    // SAFETY: every member of the union u1 covers the type byte.
    unsafe { u32::from((*zval).u1.v.type_) }
}
