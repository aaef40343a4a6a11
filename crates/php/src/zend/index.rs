//! What the keys of a row's array mean: a PHP array from each key to the number of its column, which is also the pattern that rows' arrays
//! are made by.

use super::elements::Offset;
use super::ffi;
use super::held::copy;
use super::slot::Slot;
use super::string::Str;
use core::cell::{Cell, OnceCell};
use core::ptr;

/// The keys of a row, in their order. It belongs to an object's state, whose handler frees it while PHP's memory is there.
pub(crate) struct Index {
    array: Cell<*mut ffi::zend_array>,
    /// Where a column's value stands in the array: with name and number it has two, with another's name none.
    places: OnceCell<Vec<[Option<u32>; 2]>>,
}

impl Index {
    pub(crate) const fn new() -> Index {
        Index { array: Cell::new(ptr::null_mut()), places: OnceCell::new() }
    }

    /// Makes room for this many keys; before anything else. `is_list`: they are 0, 1, 2 and so on.
    pub(crate) fn begin(&self, keys: usize, is_list: bool) {
        debug_assert!(self.array.get().is_null());
        let capacity = u32::try_from(keys).unwrap_or_default();
        // SAFETY: a new array, of which this is the only reference. Which kind it is gets said while it is empty: of a single column by the
        // name 1 Zend would make a list without its first element, and what has such a gap is not copied place by place.
        unsafe {
            let array = ffi::_zend_new_array(capacity);
            self.array.set(array);
            if is_list {
                ffi::zend_hash_real_init_packed(array);
            } else {
                ffi::zend_hash_real_init_mixed(array);
            }
        }
    }

    /// Has a number stand for a column, unless it stands for another.
    pub(crate) fn add_number(&self, number: usize, column: usize) {
        let mut value = number_of(column);
        // SAFETY: the array is ours; it copies the value.
        unsafe { ffi::zend_hash_index_add(self.array.get(), number as u64, &raw mut value) };
    }

    /// Has a name stand for a column, whatever it stood for.
    pub(crate) fn set_name(&self, name: &[u8], column: usize) {
        let mut value = number_of(column);
        let string = Str::concat(&[name]);
        // SAFETY: as above; it takes its own reference of the name.
        unsafe {
            match string.as_number() {
                Some(number) => {
                    ffi::zend_hash_index_update(self.array.get(), number, &raw mut value)
                }
                None => ffi::zend_hash_update(self.array.get(), string.0, &raw mut value),
            };
        }
        string.release();
    }

    /// Ends what `begin` began; of `columns` columns all keys are there.
    pub(crate) fn end(&self, columns: usize) {
        let mut places = vec![[None; 2]; columns];
        let array = self.array.get();
        // SAFETY: the array is ours, all of its elements are integers, and it has no gaps.
        unsafe {
            debug_assert!((*array).nNumUsed == (*array).nNumOfElements);
            for place in 0..(*array).nNumUsed {
                let column = usize::try_from((*element(array, place)).value.lval);
                if let Some(places) = column.ok().and_then(|column| places.get_mut(column)) {
                    let [first, second] = places;
                    *(if first.is_none() { first } else { second }) = Some(place);
                }
            }
        }
        let _ = self.places.set(places);
    }

    /// How many keys there are.
    pub(crate) fn len(&self) -> usize {
        let array = self.array.get();
        // SAFETY: the array is ours.
        if array.is_null() { 0 } else { unsafe { (*array).nNumOfElements as usize } }
    }

    /// The column that an offset stands for.
    #[inline]
    pub(crate) fn column(&self, offset: Offset) -> Option<usize> {
        let array = self.array.get();
        if array.is_null() {
            return None;
        }
        // SAFETY: the array is ours, its values are integers; the name is held by whoever asks.
        unsafe {
            let found = match offset {
                Offset::Number(number) => ffi::zend_hash_index_find(array, number.cast_unsigned()),
                Offset::Name(name) => ffi::zend_hash_find(array, name.0),
            };
            if found.is_null() { None } else { usize::try_from((*found).value.lval).ok() }
        }
    }

    /// Writes an array with these keys; their values are written afterwards.
    pub(crate) fn array(&self, slot: Slot<'_>) -> Fields<'_> {
        let places = self.places.get().map_or(&[][..], Vec::as_slice);
        // SAFETY: the array is ours. Its copy goes to the slot at once; until values are written it has the columns' numbers.
        unsafe {
            let array = ffi::zend_array_dup(self.array.get());
            slot.array_ptr(array);
            Fields { array, places }
        }
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        let array = self.array.get();
        if !array.is_null() {
            // SAFETY: this was its only reference; its elements are integers, so nothing of a script's runs, and
            // freeing never jumps away.
            unsafe { ffi::zend_array_destroy(array) };
        }
    }
}

/// The array of a row that is being written.
pub(crate) struct Fields<'a> {
    array: *mut ffi::zend_array,
    places: &'a [[Option<u32>; 2]],
}

impl<'a> Fields<'a> {
    /// The place of a column's value, if the array has it; to be written once.
    #[inline]
    pub(crate) fn slot(&self, column: usize) -> Option<Slot<'a>> {
        let [first, _] = self.places.get(column)?;
        // SAFETY: the array has the pattern's elements, which are integers.
        first.map(|place| unsafe { Slot::new(element(self.array, place)) })
    }

    /// Calls with each value that was written.
    pub(crate) fn each(&self, mut with: impl FnMut(Slot<'_>)) {
        for column in 0..self.places.len() {
            if let Some(slot) = self.slot(column) {
                with(slot);
            }
        }
    }

    /// Puts the values that have two places into the second, too; the last step.
    pub(crate) fn repeat(&self) {
        for places in self.places {
            if let [Some(first), Some(second)] = *places {
                // SAFETY: as in `slot`; the value that is copied was written.
                unsafe { copy(Slot::new(element(self.array, second)), element(self.array, first)) };
            }
        }
    }
}

/// An integer.
fn number_of(column: usize) -> ffi::zval {
    let mut value = Slot::undefined();
    // SAFETY: the place is this frame's own.
    unsafe { Slot::new(&raw mut value) }.long(i64::try_from(column).unwrap_or_default());
    value
}

/// The value at a place, counted from 0.
///
/// # Safety
/// `array` must be alive and have so many elements.
#[inline]
unsafe fn element(array: *mut ffi::zend_array, place: u32) -> *mut ffi::zval {
    // SAFETY: the caller's promise; the flag says which kind of elements there is.
    unsafe {
        let data = (*array).__bindgen_anon_1;
        if (*array).u.flags & ffi::HASH_FLAG_PACKED != 0 {
            data.arPacked.add(place as usize)
        } else {
            &raw mut (*data.arData.add(place as usize)).val
        }
    }
}
