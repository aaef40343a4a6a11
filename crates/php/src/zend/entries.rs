//! The elements of a script's array, one by one, with their keys.

use super::ffi;
use super::slot::{Kind, Value};
use super::string::Str;
use core::marker::PhantomData;
use core::ptr;

/// The elements of an array in order: keys that are strings, and values. The array must stay as it is meanwhile: no user code may run.
#[derive(Clone, Copy)]
pub(crate) struct Entries<'a> {
    /// Null: there is no array.
    array: *mut ffi::zend_array,
    position: u32,
    marker: PhantomData<&'a ffi::zval>,
}

/// The key of an element; a name belongs to whoever has the array, or the value.
#[derive(Clone, Copy)]
pub(crate) enum Key {
    /// An integer, by its bits.
    Number(u64),
    /// A string that is none.
    Name(Str),
}

impl<'a> Value<'a> {
    /// The key that an array makes of an integer or a string; `None`: it is neither.
    pub(crate) fn as_key(self) -> Option<Key> {
        // SAFETY: the type says which member of the union is set.
        unsafe {
            match self.kind() {
                Kind::Long => Some(Key::Number((*self.as_ptr()).value.lval.cast_unsigned())),
                Kind::String => {
                    let name = Str((*self.as_ptr()).value.str_);
                    Some(name.as_number().map_or(Key::Name(name), Key::Number))
                }
                _ => None,
            }
        }
    }

    /// The elements of an array; none of anything else.
    pub(crate) fn entries(self) -> Entries<'a> {
        let array = match self.kind() {
            // SAFETY: the type says that there is an array.
            Kind::Array => unsafe { (*self.as_ptr()).value.arr },
            _ => ptr::null_mut(),
        };
        Entries { array, position: 0, marker: PhantomData }
    }

    /// The element of an array with this key, which does not look like a number.
    pub(crate) fn named(self, name: &[u8]) -> Option<Value<'a>> {
        if self.kind() != Kind::Array {
            return None;
        }
        // SAFETY: the type says that there is an array; the function only reads, and what it finds lives as long as that.
        unsafe {
            let array = (*self.as_ptr()).value.arr;
            let found = ffi::zend_hash_str_find(array, name.as_ptr().cast(), name.len());
            (!found.is_null()).then(|| Value::new(found))
        }
    }

    /// Whether it is a scalar or NULL.
    pub(crate) fn is_plain(self) -> bool {
        matches!(
            self.raw_type(),
            ffi::IS_NULL
                | ffi::IS_FALSE
                | ffi::IS_TRUE
                | ffi::IS_LONG
                | ffi::IS_DOUBLE
                | ffi::IS_STRING
        )
    }

    /// Whether it is an object with a text.
    pub(crate) fn is_stringable(self) -> bool {
        // SAFETY: the type says that there is an object; each has a class.
        self.raw_type() == ffi::IS_OBJECT
            && unsafe { !(*(*(*self.as_ptr()).value.obj).ce).__tostring.is_null() }
    }
}

impl<'a> Entries<'a> {
    /// The next element with its key, whatever that is.
    pub(crate) fn next_keyed(&mut self) -> Option<(Key, Value<'a>)> {
        if self.array.is_null() {
            return None;
        }
        // SAFETY: the array lives for 'a; the functions only read, and the key is the array's.
        unsafe {
            let element = ffi::zend_hash_get_current_data_ex(self.array, &raw mut self.position);
            if element.is_null() {
                return None;
            }
            let (mut key, mut index) = (ptr::null_mut(), 0);
            let kind = ffi::zend_hash_get_current_key_ex(
                self.array,
                &raw mut key,
                &raw mut index,
                &raw mut self.position,
            );
            let is_name = u32::try_from(kind).is_ok_and(|kind| kind == ffi::HASH_KEY_IS_STRING);
            ffi::zend_hash_move_forward_ex(self.array, &raw mut self.position);
            let key = if is_name { Key::Name(Str(key)) } else { Key::Number(index) };
            Some((key, Value::new(element)))
        }
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Option<&'a [u8]>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.next_keyed()?;
        let name = match key {
            Key::Name(name) => Some(name.bytes()),
            Key::Number(_) => None,
        };
        Some((name, value))
    }
}
