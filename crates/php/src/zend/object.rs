//! PHP objects that carry state of ours: how they are made, found, borrowed and freed.
//!
//! The state stands before the `zend_object` in one block of PHP's memory, is made when the object is, and is dropped by the
//! object's free handler, also after a fatal error. Bodies get it as a shared borrow; what changes is in cells.

use super::call::Call;
use super::error::{Outcome, Thrown, throw_argument_exception, throw_error};
use super::ffi;
use super::guarded;
use super::property::{self, Property};
use super::slot::Slot;
use super::string::Str;
use core::marker::PhantomData;
use core::mem::offset_of;
use core::ops::Deref;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// A class of PHP's whose objects carry a `Self`.
pub(crate) trait Class: Sized + 'static {
    /// The state of a new object, before its constructor ran.
    fn new() -> Self;
    /// Where the class is kept once it is registered.
    fn class() -> &'static ClassSlot;
    /// The properties that are computed when they are read.
    const PROPERTIES: &'static [Property<Self>];
}

/// A registered class: written once at PHP's start, read by every thread.
pub(crate) struct ClassSlot {
    entry: AtomicPtr<ffi::zend_class_entry>,
    handlers: OnceLock<ffi::zend_object_handlers>,
}

impl ClassSlot {
    pub(crate) const fn new() -> ClassSlot {
        ClassSlot { entry: AtomicPtr::new(ptr::null_mut()), handlers: OnceLock::new() }
    }

    pub(super) fn entry(&self) -> *mut ffi::zend_class_entry {
        self.entry.load(Ordering::Relaxed)
    }

    /// Keeps a class without state of ours.
    pub(super) fn set(&self, entry: *mut ffi::zend_class_entry) {
        self.entry.store(entry, Ordering::Relaxed);
    }
}

/// An object in PHP's memory: our state, then Zend's part, whose property table grows behind it.
#[repr(C)]
struct Holder<T> {
    state: T,
    object: ffi::zend_object,
}

/// Makes `entry` the class of objects that carry a `T`.
pub(super) fn install<T: Class>(entry: *mut ffi::zend_class_entry) {
    T::class().set(entry);
    T::class().handlers.get_or_init(|| {
        // SAFETY: Zend's own table is set before any extension starts, and never changes; it is plain data.
        let mut handlers = unsafe { ptr::read(&raw const ffi::std_object_handlers) };
        handlers.offset = i32::try_from(offset_of!(Holder<T>, object)).unwrap_or_default();
        handlers.free_obj = Some(free::<T>);
        handlers.clone_obj = None;
        handlers.read_property = Some(property::read::<T>);
        handlers.write_property = Some(property::write::<T>);
        handlers.has_property = Some(property::has::<T>);
        handlers.get_debug_info = Some(property::debug_info::<T>);
        handlers
    });
    // SAFETY: at PHP's start, before any object exists.
    unsafe { (*entry).__bindgen_anon_2.create_object = Some(create::<T>) };
}

/// Makes an object, also of a class that a script derived.
unsafe extern "C" fn create<T: Class>(entry: *mut ffi::zend_class_entry) -> *mut ffi::zend_object {
    // SAFETY: Zend gives a class that inherited this function. The block has room for the state, Zend's part and the
    // properties (`zend_object_properties_size`: one fewer than counted, for the struct has the first; one more where the class
    // uses guards); the state is written before anything that may fail can see it.
    unsafe {
        let guards = (*entry).ce_flags & ffi::ZEND_ACC_USE_GUARDS != 0;
        let properties = usize::try_from((*entry).default_properties_count).unwrap_or_default()
            + usize::from(guards);
        let size =
            size_of::<Holder<T>>() - size_of::<ffi::zval>() + properties * size_of::<ffi::zval>();
        let holder = ffi::_emalloc(size.max(size_of::<Holder<T>>())).cast::<Holder<T>>();
        (&raw mut (*holder).state).write(T::new());
        let object = &raw mut (*holder).object;
        ffi::zend_object_std_init(object, entry);
        ffi::object_properties_init(object, entry);
        (*object).handlers = T::class().handlers.get().map_or(ptr::null(), ptr::from_ref);
        object
    }
}

/// Drops an object's state; the block itself is Zend's to free.
unsafe extern "C" fn free<T: Class>(object: *mut ffi::zend_object) {
    guarded::cross();
    // SAFETY: Zend calls it once, for an object that `create` made; nobody uses the state afterwards. A panic in a
    // destructor is a bug of ours that must not become the end of PHP; no Zend call happens under `catch_unwind`.
    unsafe {
        let holder = holder::<T>(object);
        let dropped =
            catch_unwind(AssertUnwindSafe(|| ptr::drop_in_place(&raw mut (*holder).state)));
        debug_assert!(dropped.is_ok());
        ffi::zend_object_std_dtor(object);
    }
}

/// # Safety
/// `object` must have been made by `create::<T>`.
unsafe fn holder<T>(object: *mut ffi::zend_object) -> *mut Holder<T> {
    // SAFETY: `create` put the state that far before the object.
    unsafe { object.byte_sub(offset_of!(Holder<T>, object)).cast() }
}

/// A live object of T's class, or of one derived from it.
pub(crate) struct Object<'a, T>(*mut ffi::zend_object, PhantomData<&'a T>);

impl<T> Clone for Object<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Object<'_, T> {}

impl<'a, T: Class> Object<'a, T> {
    /// # Safety
    /// `object` must be of T's class and stay alive for `'a`.
    pub(super) unsafe fn new(object: *mut ffi::zend_object) -> Object<'a, T> {
        Object(object, PhantomData)
    }

    /// Its state.
    pub(crate) fn state(self) -> &'a T {
        // SAFETY: `new` promised an object that `create::<T>` made and that is alive for `'a`; the state is only ever
        // borrowed shared.
        unsafe { &(*holder::<T>(self.0)).state }
    }

    /// The name of its class, which a script may have derived.
    pub(crate) fn class_name(self) -> &'a [u8] {
        // SAFETY: a live object has a class, and a class a name.
        Str(unsafe { (*(*self.0).ce).name }).bytes()
    }
}

impl<T: Class> Deref for Object<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.state()
    }
}

/// Makes a new object of T's class in `slot` and gives it back, its constructor not called.
pub(crate) fn make<'a, T: Class>(slot: Slot<'a>) -> Object<'a, T> {
    let zval = slot.as_ptr();
    // SAFETY: the slot is writable; the class is registered and instantiable, so the slot holds an object of it afterwards.
    unsafe {
        ffi::object_init_ex(zval, T::class().entry());
        Object::new((*zval).value.obj)
    }
}

/// The class and the constructor's arguments that `fetch_object` was given.
#[derive(Clone, Copy)]
pub(crate) struct Blueprint<'a> {
    class: *mut ffi::zend_class_entry,
    arguments: Option<super::slot::Value<'a>>,
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
        // frame of fetch_object holds it), and the copies of its values are released after it.
        unsafe {
            let mut returned: ffi::zval = core::mem::zeroed();
            let mut call: ffi::zend_fcall_info = core::mem::zeroed();
            call.size = size_of::<ffi::zend_fcall_info>();
            call.retval = &raw mut returned;
            call.object = object;
            if let Some(arguments) = self.arguments {
                ffi::zend_fcall_info_args(&raw mut call, arguments.as_ptr());
            }
            let mut cache: ffi::zend_fcall_info_cache = core::mem::zeroed();
            cache.function_handler = constructor;
            cache.called_scope = (*object).ce;
            cache.object = object;
            ffi::zend_call_function(&raw mut call, &raw mut cache);
            ffi::zval_ptr_dtor(&raw mut returned);
            ffi::zend_fcall_info_args_clear(&raw mut call, true);
        }
        if super::error::is_pending() { Err(Thrown) } else { Ok(()) }
    }
}

/// Reads `$this->name`, a property that is stored in the object, as a string (for `mysqli_sql_exception`).
pub(crate) fn stored_property(
    call: &mut Call<'_>,
    class: &ClassSlot,
    name: &core::ffi::CStr,
) -> Str {
    // SAFETY: `$this` is an object of `class`, `name` a C string; the value may be converted whatever it is.
    unsafe {
        let mut place: ffi::zval = core::mem::zeroed();
        let length = name.count_bytes();
        let value = ffi::zend_read_property(
            class.entry(),
            call.this(),
            name.as_ptr(),
            length,
            true,
            &raw mut place,
        );
        let value = super::slot::Value::new(value);
        value.to_str().unwrap_or_else(|| Str::new(b""))
    }
}
