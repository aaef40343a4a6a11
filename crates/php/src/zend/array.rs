//! PHP arrays being built: lists, maps, small objects.

use super::entries::Key;
use super::ffi;
use super::slot::Slot;
use super::string::Str;

/// A list (a packed array) that grows at its end.
pub(crate) struct List(*mut ffi::zend_array);

impl List {
    /// Puts a new list into `slot`, with room for `capacity` elements.
    pub(crate) fn new(slot: Slot<'_>, capacity: u32) -> List {
        // SAFETY: a new array of ours, made packed while it is empty; the slot takes its reference.
        unsafe {
            let array = ffi::_zend_new_array(capacity);
            ffi::zend_hash_real_init_packed(array);
            slot.array_ptr(array);
            List(array)
        }
    }

    /// The place of a new last element; it holds NULL until it is written.
    #[inline]
    pub(crate) fn push(&mut self) -> Slot<'_> {
        // SAFETY: the array is ours alone and packed; the element is written as NULL before it counts, so that whoever
        // frees the array, also after a long jump, finds whole elements only.
        unsafe {
            let array = self.0;
            if (*array).nNumUsed == (*array).nTableSize {
                ffi::zend_hash_packed_grow(array);
            }
            let used = (*array).nNumUsed;
            let element = (*array).__bindgen_anon_1.arPacked.add(used as usize);
            (*element).u1.type_info = ffi::IS_NULL;
            (*array).nNumUsed = used + 1;
            (*array).nNumOfElements = used + 1;
            (*array).nNextFreeElement = i64::from(used) + 1;
            Slot::new(element)
        }
    }
}

/// An array by name.
pub(crate) struct Map(*mut ffi::zend_array);

impl Map {
    /// Puts a new map into `slot`, with room for `capacity` elements.
    pub(crate) fn new(slot: Slot<'_>, capacity: u32) -> Map {
        // SAFETY: a new array of ours; the slot takes its reference.
        unsafe {
            let array = ffi::_zend_new_array(capacity);
            slot.array_ptr(array);
            Map(array)
        }
    }

    /// The place of the element with this name, which holds NULL until it is written; one that was there is replaced.
    pub(crate) fn insert_named(&mut self, name: &[u8]) -> Slot<'_> {
        let name = Str::concat(&[name]);
        // SAFETY: the array is ours alone; it copies the NULL, and holds the name afterwards.
        unsafe {
            let mut null: ffi::zval = core::mem::zeroed();
            null.u1.type_info = ffi::IS_NULL;
            let place = ffi::zend_hash_update(self.0, name.0, &raw mut null);
            name.release();
            Slot::new(place)
        }
    }

    /// The same by a key.
    pub(crate) fn insert_at(&mut self, key: Key) -> Slot<'_> {
        let mut null = Slot::undefined();
        null.u1.type_info = ffi::IS_NULL;
        // SAFETY: the array is ours alone; it copies the NULL, and takes its own reference of a name. What was there is freed.
        unsafe {
            Slot::new(match key {
                Key::Number(number) => ffi::zend_hash_index_update(self.0, number, &raw mut null),
                Key::Name(name) => ffi::zend_hash_update(self.0, name.0, &raw mut null),
            })
        }
    }
}

/// A plain object (`stdClass`) being filled.
pub(crate) struct Plain(*mut ffi::zval);

impl Plain {
    /// Puts a new object into `slot`.
    pub(crate) fn new(slot: Slot<'_>) -> Plain {
        let zval = slot.as_ptr();
        // SAFETY: the slot is writable; the class is Zend's own and instantiable.
        unsafe { ffi::object_init_ex(zval, ffi::zend_standard_class_def) };
        Plain(zval)
    }

    /// Adds a property with a string.
    pub(crate) fn bytes(&mut self, name: &str, value: &[u8]) {
        // SAFETY: the object is ours alone; Zend copies the name and takes the string over.
        unsafe {
            ffi::add_property_str_ex(self.0, name.as_ptr().cast(), name.len(), Str::new(value).0)
        };
    }

    /// Adds a property with an integer.
    pub(crate) fn long(&mut self, name: &str, value: i64) {
        // SAFETY: as above.
        unsafe { ffi::add_property_long_ex(self.0, name.as_ptr().cast(), name.len(), value) };
    }
}
