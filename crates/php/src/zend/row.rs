//! The arrays of rows: each is a copy of one that was made for its result, keys and hash chains and all, into which the values go. That one
//! also says which column a key stands for.

mod recycler;

use super::array::List;
use super::elements::Offset;
use super::ffi;
use super::memory::{allocate, allocate_words};
use super::name;
use super::slot::Slot;
use super::string::Str;
use core::cell::{Cell, OnceCell};
use core::ptr;
pub(crate) use recycler::{Recycler, UsedRow};

/// By what the values of a row are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// By number.
    List,
    /// By column name.
    Map,
    /// By both.
    Both,
}

/// The array that the rows of a result are copies of, with the number of its column for each value; made when the first row is asked for.
///
/// It belongs to the result's object, whose handler runs while PHP's memory is there.
pub(crate) struct Template {
    /// Null before it is made. A long jump out of its making leaves what there is of it to be freed.
    array: Cell<*mut ffi::zend_array>,
    table: OnceCell<Table>,
    /// For how many rows to come its keys have been counted.
    counted_ahead: Cell<u32>,
}

/// What is to be copied, and where values go.
struct Table {
    /// How many times 8 bytes a table takes: the hashes, then the elements.
    words: usize,
    hash_bytes: usize,
    /// How many of them are in use.
    used_bytes: usize,
    /// The keys that are counted. The template holds them.
    counted_keys: Box<[*mut ffi::zend_string]>,
    /// Where the value of each column goes, in bytes behind the first element; [`NOWHERE`] if another column takes its place.
    places: Box<[u32]>,
    /// Where it goes besides; empty if no value goes to two places.
    second_places: Box<[u32]>,
    /// The distance from each place to the next, if it is the same for all, and there are no second ones.
    stride: Option<usize>,
}

const NOWHERE: u32 = u32::MAX;
/// For so many rows keys are counted at once where rows come one by one.
const ROWS_AHEAD: u32 = 64;

impl Template {
    pub(crate) const fn new() -> Template {
        Template {
            array: Cell::new(ptr::null_mut()),
            table: OnceCell::new(),
            counted_ahead: Cell::new(0),
        }
    }

    /// Makes it for columns of these names, unless that was done.
    ///
    /// As stock fills its rows: by both, a column named like another's number loses to that one's number, and in each array the last
    /// of those that have the same name is the one that counts.
    #[inline]
    pub(crate) fn make<'n>(&self, shape: Shape, names: impl ExactSizeIterator<Item = &'n [u8]>) {
        if !self.is_made() {
            self.make_now(shape, names);
        }
    }

    #[cold]
    fn make_now<'n>(&self, shape: Shape, names: impl ExactSizeIterator<Item = &'n [u8]>) {
        let columns = names.len();
        let elements = if shape == Shape::Both { columns * 2 } else { columns };
        // SAFETY: a new array of ours, which belongs to the template from the start.
        unsafe {
            let array = ffi::_zend_new_array(u32::try_from(elements).unwrap_or(0));
            self.release_array(array);
            if shape == Shape::List {
                ffi::zend_hash_real_init_packed(array);
            } else {
                ffi::zend_hash_real_init_mixed(array);
            }
            for (number, name) in (0..).zip(names) {
                let mut value = Slot::undefined();
                Slot::new(&raw mut value).long(number);
                if shape != Shape::Map {
                    ffi::zend_hash_index_add(array, number.cast_unsigned(), &raw mut value);
                }
                if shape != Shape::List {
                    update_by_name(array, name::of_many(name), &raw mut value);
                }
            }
            // Nothing of Zend's from here on.
            let _ = self.table.set(Table::of(array, columns));
        }
    }

    /// Puts another array in the place of the one that is there.
    fn release_array(&self, other: *mut ffi::zend_array) {
        let array = self.array.replace(other);
        if !array.is_null() {
            // SAFETY: it was ours alone, and no value in it needs freeing.
            unsafe { ffi::zend_array_destroy(array) };
        }
    }

    /// Whether it was made.
    #[inline]
    pub(crate) fn is_made(&self) -> bool {
        self.table.get().is_some()
    }

    /// How many elements a row has.
    pub(crate) fn len(&self) -> usize {
        let array = self.array.get();
        // SAFETY: the array is ours.
        if array.is_null() { 0 } else { unsafe { (*array).nNumOfElements as usize } }
    }

    /// The column whose value is found by a key.
    #[inline]
    pub(crate) fn column(&self, key: Offset) -> Option<usize> {
        let array = self.array.get();
        if array.is_null() {
            return None;
        }
        // SAFETY: the array is ours, its values are integers; the name is held by whoever asks.
        unsafe {
            let found = match key {
                Offset::Number(number) => ffi::zend_hash_index_find(array, number.cast_unsigned()),
                Offset::Name(name) => ffi::zend_hash_find(array, name.0),
            };
            if found.is_null() { None } else { usize::try_from((*found).value.lval).ok() }
        }
    }

    /// Puts a new row into `slot`, whose values are to be written: until then each is a number. `None`, and nothing is put there, before the
    /// template is made. Its keys must have been counted, by [`Template::count_keys`] or [`Template::count_key_ahead`].
    #[inline]
    pub(crate) fn copy(&self, slot: Slot<'_>) -> Option<NewRow<'_>> {
        let table = self.table.get()?;
        // SAFETY: both blocks are as large as those that they are copied from, which are whole; the copy is ours alone until the slot has
        // it. A long jump out of the second allocation leaves the first to the request's memory.
        unsafe {
            let array = allocate(size_of::<ffi::zend_array>()).cast::<ffi::zend_array>();
            let copy = allocate_words(table.words).cast::<u8>();
            let from = self.array.get();
            ptr::copy_nonoverlapping(from, array, 1);
            let elements = (*from).__bindgen_anon_1.arData.cast::<u8>();
            ptr::copy_nonoverlapping(elements.sub(table.hash_bytes), copy, table.used_bytes);
            let elements = copy.add(table.hash_bytes);
            (*array).__bindgen_anon_1.arData = elements.cast();
            slot.array_ptr(array);
            Some(NewRow { array, elements, table })
        }
    }

    /// The row that a copy of the template is; `None`: it is none any more, or has values in other than the order of the columns.
    ///
    /// # Safety
    /// `array` must be alive, and not be written by anybody else.
    #[inline]
    unsafe fn row_of(&self, array: *mut ffi::zend_array) -> Option<NewRow<'_>> {
        let table = self.table.get().filter(|table| table.stride.is_some())?;
        let from = self.array.get();
        // SAFETY: the caller's promise; the template's own array is alive with it.
        unsafe {
            let is_copy = (*array).u.flags == (*from).u.flags
                && (*array).nTableMask == (*from).nTableMask
                && (*array).nNumUsed == (*from).nNumUsed
                && (*array).nNumOfElements == (*from).nNumOfElements;
            let elements = (*array).__bindgen_anon_1.arData.cast();
            is_copy.then_some(NewRow { array, elements, table })
        }
    }

    /// Counts the keys of a row that is made next, and of further ones, which are made later or never.
    #[inline]
    pub(crate) fn count_key_ahead(&self) {
        let ahead = self.counted_ahead.get();
        self.counted_ahead.set(ahead.wrapping_sub(1));
        if ahead == 0 {
            self.count_keys(ROWS_AHEAD);
            self.counted_ahead.set(ROWS_AHEAD - 1);
        }
    }

    /// Counts the keys of so many rows, which are to be made.
    pub(crate) fn count_keys(&self, rows: u32) {
        if let Some(table) = self.table.get() {
            table.each_key(|count| *count += rows);
        }
    }

    /// Takes that back for rows that were not made.
    pub(crate) fn uncount_keys(&self, rows: u32) {
        if let Some(table) = self.table.get() {
            table.each_key(|count| *count -= rows);
        }
    }
}

impl Drop for Template {
    fn drop(&mut self) {
        self.uncount_keys(self.counted_ahead.take());
        self.release_array(ptr::null_mut());
    }
}

impl Table {
    /// Finds out what there is in an array whose values are the numbers of columns.
    ///
    /// # Safety
    /// `array` must be such an array, and initialised.
    unsafe fn of(array: *mut ffi::zend_array, columns: usize) -> Table {
        // SAFETY: the caller's promise; an array has as many elements as it says.
        unsafe {
            let is_packed = (*array).u.flags & ffi::HASH_FLAG_PACKED != 0;
            let element_bytes =
                if is_packed { size_of::<ffi::zval>() } else { size_of::<ffi::Bucket>() };
            let hash_bytes = (*array).nTableMask.wrapping_neg() as usize * size_of::<u32>();
            let mut places = vec![NOWHERE; columns];
            let mut second_places = vec![NOWHERE; columns];
            let mut counted_keys = Vec::new();
            for number in 0..(*array).nNumUsed {
                let place = number as usize * element_bytes;
                let element =
                    (*array).__bindgen_anon_1.arData.cast::<u8>().add(place).cast::<ffi::zval>();
                let column = usize::try_from((*element).value.lval).unwrap_or(columns);
                let known = match places.get_mut(column) {
                    Some(known) if *known == NOWHERE => Some(known),
                    _ => second_places.get_mut(column),
                };
                if let Some(known) = known {
                    *known = u32::try_from(place).unwrap_or(NOWHERE);
                }
                if !is_packed {
                    let key = (*element.cast::<ffi::Bucket>()).key;
                    counted_keys
                        .extend(Some(key).filter(|it| !it.is_null() && !Str(*it).is_interned()));
                }
            }
            let has_second = second_places.iter().any(|place| *place != NOWHERE);
            let is_regular = !has_second
                && places.iter().zip((0..).step_by(element_bytes)).all(|(a, b)| *a == b);
            Table {
                words: (hash_bytes + (*array).nTableSize as usize * element_bytes).div_ceil(8),
                hash_bytes,
                used_bytes: hash_bytes + (*array).nNumUsed as usize * element_bytes,
                counted_keys: counted_keys.into(),
                places: places.into(),
                second_places: if has_second { second_places.into() } else { Box::default() },
                stride: is_regular.then_some(element_bytes),
            }
        }
    }
}

impl Table {
    #[inline]
    fn each_key(&self, change: impl Fn(&mut u32)) {
        for key in &self.counted_keys {
            // SAFETY: the template holds the string.
            unsafe { change(&mut (**key).gc.refcount) };
        }
    }
}

/// Puts a row into `slot` that is none of many: without a template. `write` writes the values, in the order of the columns.
pub(crate) fn write_one<'n>(
    slot: Slot<'_>,
    shape: Shape,
    names: impl ExactSizeIterator<Item = &'n [u8]>,
    mut write: impl FnMut(Slot<'_>),
) {
    let columns = u32::try_from(names.len()).unwrap_or(0);
    if shape == Shape::List {
        let mut list = List::new(slot, columns);
        names.for_each(|_| write(list.push()));
        return;
    }
    // SAFETY: a new array, which the slot has from the start; a value is written where the array has a NULL for it, or before it gets it, and
    // counted once for each place that takes it.
    unsafe {
        let array = ffi::_zend_new_array(if shape == Shape::Both { columns * 2 } else { columns });
        slot.array_ptr(array);
        for (number, name) in (0..).zip(names) {
            let mut value = Slot::undefined();
            if shape == Shape::Map {
                Slot::new(&raw mut value).null();
                let place = update_by_name(array, name::of_few(name), &raw mut value);
                if !place.is_null() {
                    write(Slot::new(place));
                }
                continue;
            }
            write(Slot::new(&raw mut value));
            let is_new = !ffi::zend_hash_index_add(array, number, &raw mut value).is_null();
            if is_new && value.u1.v.type_flags != 0 {
                (*value.value.counted).gc.refcount += 1;
            }
            update_by_name(array, name::of_few(name), &raw mut value);
        }
    }
}

/// A row whose values are being written.
pub(crate) struct NewRow<'t> {
    array: *mut ffi::zend_array,
    elements: *mut u8,
    table: &'t Table,
}

impl<'t> NewRow<'t> {
    /// Where the values of the columns go, in their order.
    #[inline]
    pub(crate) fn places(&self) -> impl Iterator<Item = Place> + use<'t> {
        self.table.places.iter().map(|place| Place(*place))
    }

    /// The slots of the columns in their order, if that is the order of the places, too.
    #[inline]
    pub(crate) fn slots(&mut self) -> Option<impl Iterator<Item = Slot<'_>> + use<'_, 't>> {
        let stride = self.table.stride?;
        let mut next = self.elements;
        Some(self.table.places.iter().map(move |_| {
            // SAFETY: there are as many elements as places, at this distance from each other.
            unsafe {
                let slot = Slot::new(next.cast());
                next = next.add(stride);
                slot
            }
        }))
    }

    /// The slot of a column; `None`: another one takes the place of this one.
    #[inline]
    pub(crate) fn slot_of(&self, column: usize) -> Option<Slot<'_>> {
        self.slot(Place(*self.table.places.get(column)?))
    }

    /// The slot at a place; `None`: another column takes the place of this one.
    #[inline]
    pub(crate) fn slot(&self, place: Place) -> Option<Slot<'_>> {
        // SAFETY: the place is that of an element of this row, or none.
        (place.0 != NOWHERE).then(|| unsafe { Slot::new(self.at(place.0)) })
    }

    /// Puts the values that belong to two places to the second as well.
    #[inline]
    pub(crate) fn finish(self) {
        let Table { places, second_places, .. } = self.table;
        for (place, second) in places.iter().zip(second_places) {
            if *second != NOWHERE {
                // SAFETY: both are elements of this row, and the value is counted once for each; what follows it in an element belongs to
                // the chains of the hash.
                unsafe {
                    let (from, to) = (self.at(*place), self.at(*second));
                    (*to).value = (*from).value;
                    (*to).u1.type_info = (*from).u1.type_info;
                    if (*to).u1.v.type_flags != 0 {
                        (*(*to).value.counted).gc.refcount += 1;
                    }
                }
            }
        }
    }

    /// # Safety
    /// `place` must be one of this row's.
    unsafe fn at(&self, place: u32) -> *mut ffi::zval {
        // SAFETY: the caller's promise.
        unsafe { self.elements.add(place as usize).cast() }
    }
}

/// Where in a row the value of a column goes.
#[derive(Clone, Copy)]
pub(crate) struct Place(u32);

/// Puts a value under a column's name, which counts as a number if it looks like one; where it stands then.
///
/// # Safety
/// `array` must be initialised and ours alone, `value` readable. A reference of `name` is taken over.
unsafe fn update_by_name(
    array: *mut ffi::zend_array,
    name: Str,
    value: *mut ffi::zval,
) -> *mut ffi::zval {
    // SAFETY: the caller's promise.
    unsafe {
        let place = match name.as_number() {
            Some(number) => ffi::zend_hash_index_update(array, number, value),
            None => ffi::zend_hash_update(array, name.0, value),
        };
        name.release();
        place
    }
}
