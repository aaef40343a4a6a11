//! The class `Vaquita\RowIterator`: a place among the rows that are kept, for whoever wants to seek.

use super::row::Row;
use super::table::Table;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, throw_error, throw_out_of_bounds};
use crate::zend::object::{Class, ClassSlot, make};
use crate::zend::property::Property;
use crate::zend::string::Str;
use core::cell::{Cell, OnceCell};
use std::rc::Rc;

/// An object of class `Vaquita\RowIterator`.
pub(crate) struct RowIterator {
    /// Empty until the call that makes the object puts it in.
    table: OnceCell<Rc<Table>>,
    /// The number of the row that it stands at.
    position: Cell<u64>,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for RowIterator {
    fn new() -> RowIterator {
        RowIterator { table: OnceCell::new(), position: Cell::new(0) }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    const PROPERTIES: &'static [Property<RowIterator>] = &[];
}

impl RowIterator {
    /// Makes a new one stand at the first of these rows.
    pub(super) fn walk(&self, table: &Rc<Table>) {
        let _ = self.table.set(Rc::clone(table));
    }

    /// The rows, and the number of the one that it stands at, unless that is behind the last.
    fn place(&self) -> Option<(&Rc<Table>, u64)> {
        let place = (self.table.get()?, self.position.get());
        (place.1 < place.0.count()).then_some(place)
    }
}

/// `Vaquita\RowIterator::__construct`, which is private.
pub(crate) fn construct(_call: &mut Call<'_>) -> Outcome {
    Err(throw_error(&[b"a Vaquita\\RowIterator is made by Vaquita\\Rows::getIterator()"]))
}

/// `current`: NULL behind the last row.
pub(crate) fn current(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<RowIterator>(0, 0)?;
    if let Some((table, number)) = object.state().place() {
        make::<Row>(call.returns()).state().show(table, number);
    }
    Ok(())
}

/// `key`: NULL behind the last row.
pub(crate) fn key(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<RowIterator>(0, 0)?;
    if let Some((_, number)) = object.state().place() {
        call.returns().unsigned(number);
    }
    Ok(())
}

pub(crate) fn next(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<RowIterator>(0, 0)?;
    if let Some((_, number)) = object.state().place() {
        object.state().position.set(number + 1);
    }
    Ok(())
}

pub(crate) fn rewind(call: &mut Call<'_>) -> Outcome {
    call.receiver::<RowIterator>(0, 0)?.state().position.set(0);
    Ok(())
}

pub(crate) fn valid(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<RowIterator>(0, 0)?;
    let is_valid = object.state().place().is_some();
    call.returns().bool(is_valid);
    Ok(())
}

pub(crate) fn seek(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<RowIterator>(1, 1)?;
    let offset = call.long()?;
    let count = object.state().table.get().map_or(0, |table| table.count());
    match u64::try_from(offset) {
        Ok(number) if number < count => {
            object.state().position.set(number);
            Ok(())
        }
        _ => {
            let digits = Str::decimal(offset.unsigned_abs());
            let sign: &[u8] = if offset < 0 { b"-" } else { b"" };
            let thrown = throw_out_of_bounds(&[
                b"Seek position ",
                sign,
                digits.bytes(),
                b" is out of range",
            ]);
            digits.release();
            Err(thrown)
        }
    }
}
