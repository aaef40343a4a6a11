//! PHP objects that carry state of ours: how they are made, found, borrowed and freed.
//!
//! The state stands before the `zend_object` in one block of PHP's memory, is made when the object is, and is dropped by the
//! object's free handler, also after a fatal error. Bodies get it as a shared borrow; what changes is in cells.

pub(crate) use super::class::ClassSlot;
use super::error::end_request;
use super::ffi;
use super::guarded;
use super::held::{self, Held};
use super::memory::allocate;
use super::property::{self, Property};
use super::slot::{Slot, Value};
use super::string::Str;
use core::ffi::c_int;
use core::marker::PhantomData;
use core::mem::offset_of;
use core::ops::Deref;
use core::ptr;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A class of PHP's whose objects carry a `Self`.
pub(crate) trait Class: Sized + 'static {
    /// The state of a new object, before its constructor ran.
    fn new() -> Self;
    /// Where the class is kept once it is registered.
    fn class() -> &'static ClassSlot;
    /// The PHP values that the state holds; they are released when the object is freed, after the state.
    fn held(&self) -> [Option<&Held>; 3] {
        [None; 3]
    }
    /// The properties that are computed when they are read.
    const PROPERTIES: &'static [Property<Self>];
}

/// An object in PHP's memory: our state, then Zend's part, whose property table grows behind it.
#[repr(C)]
struct Holder<T> {
    state: T,
    object: ffi::zend_object,
}

/// Makes `entry` the class of objects that carry a `T`.
pub(super) fn install<T: Class>(entry: *mut ffi::zend_class_entry) {
    install_with::<T>(entry, |_| {});
}

/// The same, with handlers beside the usual ones.
pub(super) fn install_with<T: Class>(
    entry: *mut ffi::zend_class_entry,
    more: impl FnOnce(&mut ffi::zend_object_handlers),
) {
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
        more(&mut handlers);
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
        let holder = allocate(size.max(size_of::<Holder<T>>())).cast::<Holder<T>>();
        // An object without its state would be none.
        let Ok(state) = catch_unwind(T::new) else { end_request() };
        (&raw mut (*holder).state).write(state);
        let object = &raw mut (*holder).object;
        let handlers = T::class().handlers.get().map_or(ptr::null(), ptr::from_ref);
        // Before Zend knows the object, for it may be freed from then on; and after, for later versions set their own.
        (*object).handlers = handlers;
        ffi::zend_object_std_init(object, entry);
        (*object).handlers = handlers;
        ffi::object_properties_init(object, entry);
        object
    }
}

/// Tells PHP's collector of cycles what the state of an object holds (its first list). Of a class that has no properties: those it is not told of.
pub(super) unsafe extern "C" fn tell_held<T: Class>(
    object: *mut ffi::zend_object,
    table: *mut *mut ffi::zval,
    count: *mut c_int,
) -> *mut ffi::HashTable {
    // SAFETY: Zend calls it for an object that `create` made, with two places to write to. It takes the list for a table of properties, which an
    // object owns in the same way.
    unsafe {
        *table = ptr::null_mut();
        *count = 0;
        let [first, ..] = (*holder::<T>(object)).state.held();
        first.map_or(ptr::null_mut(), Held::list)
    }
}

/// Drops an object's state; the block itself is Zend's to free.
unsafe extern "C" fn free<T: Class>(object: *mut ffi::zend_object) {
    guarded::cross();
    // SAFETY: Zend calls it once, for an object that `create` made; nobody uses the state afterwards. A panic in a
    // destructor is a bug of ours that must not become the end of PHP; no Zend call happens under `catch_unwind`. What the state
    // held goes last, for its destructors may run user code, or jump away.
    unsafe {
        let holder = holder::<T>(object);
        let held = (*holder).state.held().map(|held| held.map_or(ptr::null_mut(), Held::take));
        let dropped =
            catch_unwind(AssertUnwindSafe(|| ptr::drop_in_place(&raw mut (*holder).state)));
        debug_assert!(dropped.is_ok());
        for list in held {
            held::release(list);
        }
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

    /// The object in a value, if it is one of T's class.
    ///
    /// # Safety
    /// The value must stay for `'a`.
    pub(super) unsafe fn of_value(value: Value<'a>) -> Option<Object<'a, T>> {
        // SAFETY: the type is looked at before the object is.
        unsafe {
            if value.raw_type() != ffi::IS_OBJECT {
                return None;
            }
            let object = (*value.as_ptr()).value.obj;
            let class = T::class().entry();
            let is_one =
                (*object).ce == class || ffi::instanceof_function_slow((*object).ce, class);
            is_one.then(|| Object::new(object))
        }
    }

    /// The object that a script gave, if it is one of T's class.
    pub(crate) fn given(value: Value<'a>) -> Option<Object<'a, T>> {
        // SAFETY: whoever made the value promised that it stays.
        unsafe { Object::of_value(value) }
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

/// An object that only one call of PHP's needs. A plain word: over a long jump it stays until the request's end.
pub(crate) struct Temporary<T>(*mut ffi::zend_object, PhantomData<T>);

impl<T: Class> Temporary<T> {
    /// Makes one, its constructor not called.
    pub(crate) fn make() -> Temporary<T> {
        let mut place = Slot::undefined();
        // SAFETY: the place is this frame's own; the object's only reference goes on.
        unsafe {
            make::<T>(Slot::new(&raw mut place));
            Temporary(place.value.obj, PhantomData)
        }
    }

    pub(crate) fn object(&self) -> Object<'_, T> {
        // SAFETY: it is of T's class and alive until `release`.
        unsafe { Object::new(self.0) }
    }

    /// Lets go of it; user code may run.
    pub(crate) fn release(self) {
        // SAFETY: the reference that `make` took over is given back once.
        unsafe {
            let mut value = Slot::undefined();
            value.value.obj = self.0;
            value.u1.type_info = ffi::IS_OBJECT_EX;
            ffi::zval_ptr_dtor(&raw mut value);
        }
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
