//! The class `Vaquita\Row`: one of the rows that are kept, read field by field.

use super::table::Table;
use crate::zend::array::List;
use crate::zend::call::Call;
use crate::zend::elements::{self, Elements, Offset, View};
use crate::zend::error::{Outcome, throw_error};
use crate::zend::iterator::array_iterator;
use crate::zend::object::{Class, ClassSlot, Object};
use crate::zend::property::Property;
use crate::zend::slot::Slot;
use core::cell::OnceCell;
use std::rc::Rc;

/// An object of class `Vaquita\Row`.
pub(crate) struct Row {
    /// The rows that it is one of, and its number; empty until the call that makes the object puts them in.
    place: OnceCell<(Rc<Table>, u64)>,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Row {
    fn new() -> Row {
        Row { place: OnceCell::new() }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    const PROPERTIES: &'static [Property<Row>] = &[];
}

impl Row {
    /// Makes a new one that of this number.
    pub(super) fn show(&self, table: &Rc<Table>, number: u64) {
        let _ = self.place.set((Rc::clone(table), number));
    }

    fn write(&self, slot: Slot<'_>) {
        match self.place.get() {
            Some((table, number)) => table.write_row(*number, slot),
            None => drop(List::new(slot, 0)),
        }
    }
}

impl Elements for Row {
    fn element(object: Object<'_, Row>, offset: Offset, slot: Slot<'_>) -> bool {
        let Some((table, number)) = object.state().place.get() else { return false };
        let Some(column) = table.column(offset) else { return false };
        table.write_value(*number, column, slot);
        true
    }

    fn has(object: Object<'_, Row>, offset: Offset) -> bool {
        object.state().place.get().is_some_and(|(table, _)| table.column(offset).is_some())
    }

    fn count(object: Object<'_, Row>) -> u64 {
        object.state().place.get().map_or(0, |(table, _)| table.width())
    }

    fn show(object: Object<'_, Row>, _view: View, slot: Slot<'_>) {
        object.state().write(slot);
    }
}

/// `Vaquita\Row::__construct`, which is private: rows come from results.
pub(crate) fn construct(_call: &mut Call<'_>) -> Outcome {
    Err(throw_error(&[b"a Vaquita\\Row is one of Vaquita\\Rows"]))
}

pub(crate) fn count(call: &mut Call<'_>) -> Outcome {
    elements::count_method::<Row>(call)
}

pub(crate) fn offset_exists(call: &mut Call<'_>) -> Outcome {
    elements::offset_exists::<Row>(call)
}

pub(crate) fn offset_get(call: &mut Call<'_>) -> Outcome {
    elements::offset_get::<Row>(call)
}

pub(crate) fn offset_set(call: &mut Call<'_>) -> Outcome {
    elements::offset_change::<Row>(call, 2)
}

pub(crate) fn offset_unset(call: &mut Call<'_>) -> Outcome {
    elements::offset_change::<Row>(call, 1)
}

/// `Vaquita\Row::toArray` and `jsonSerialize`.
pub(crate) fn to_array(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Row>(0, 0)?;
    object.state().write(call.returns());
    Ok(())
}

/// `Vaquita\Row::getIterator`: who goes through all fields has them decoded at once.
pub(crate) fn get_iterator(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Row>(0, 0)?;
    array_iterator(call.returns(), |slot| object.state().write(slot));
    Ok(())
}
