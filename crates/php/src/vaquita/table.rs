//! What the objects that show kept rows share: the rows, and how they are shown.

use crate::convert::{Layout, Shape};
use crate::session::rows::Kept;
use crate::statistics;
use crate::zend::array::List;
use crate::zend::elements::Offset;
use crate::zend::memory::is_memory_exhausted;
use crate::zend::pdo::Treatment;
use crate::zend::row::Template;
use crate::zend::slot::Slot;
use std::rc::Rc;

/// Rows that nobody changes, each read as the array that a fetch of this shape would give.
pub(super) struct Table {
    rows: Kept,
    shape: Shape,
    layout: Layout,
    /// The columns' names, as a fetch would have them.
    names: Vec<Vec<u8>>,
    template: Template,
    treatment: Treatment,
}

impl Table {
    /// Makes no Zend call, unlike [`Table::prepare`], which is to be called when the table has its place.
    pub(super) fn new(
        rows: Kept,
        shape: Shape,
        names: Option<Vec<Vec<u8>>>,
        treatment: Treatment,
    ) -> Rc<Table> {
        let layout = rows.layout();
        let own = || rows.columns.iter().map(|column| column.name().to_vec()).collect();
        let names = names.unwrap_or_else(own);
        Rc::new(Table { rows, shape, layout, names, template: Template::new(), treatment })
    }

    /// Makes the keys, those of an array that is made by the same shape: the last of columns with the same name has it, and a number that is
    /// another column's name is that name.
    pub(super) fn prepare(&self) {
        self.template.make(self.shape, self.names.iter().map(Vec::as_slice));
    }

    /// How many rows there are.
    pub(super) fn count(&self) -> u64 {
        self.rows.count()
    }

    /// How many elements each row has.
    pub(super) fn width(&self) -> u64 {
        self.template.len() as u64
    }

    pub(super) fn wire_bytes(&self) -> u64 {
        self.rows.wire_bytes()
    }

    pub(super) fn names(&self) -> &[Vec<u8>] {
        &self.names
    }

    /// The number of the last column by this name.
    pub(super) fn column_named(&self, name: &[u8]) -> Option<usize> {
        self.names.iter().rposition(|it| it == name)
    }

    /// The column that an offset of a row stands for.
    pub(super) fn column(&self, offset: Offset) -> Option<usize> {
        self.template.column(offset)
    }

    /// Writes a column's value of a row.
    pub(super) fn write_value(&self, row: u64, column: usize, slot: Slot<'_>) {
        let Some(row) = self.rows.row(row) else { return slot.null() };
        self.treatment.write(slot, |slot| self.layout.write_column(row, column, slot));
    }

    /// Writes a row as an array.
    pub(super) fn write_row(&self, row: u64, slot: Slot<'_>) {
        let Some(row) = self.rows.row(row) else { return slot.null() };
        self.template.count_key_ahead();
        let Some(new) = self.template.copy(slot) else { return };
        self.layout.write_each(row, |column| new.slot_of(column));
        for column in 0..self.names.len() {
            if let Some(slot) = new.slot_of(column) {
                self.treatment.treat(slot);
            }
        }
        new.finish();
    }

    /// Writes a list with an element for each row, until the script has used more memory than it may.
    pub(super) fn write_list(&self, slot: Slot<'_>, write: impl Fn(u64, Slot<'_>)) {
        let mut list = List::new(slot, u32::try_from(self.count()).unwrap_or(0));
        for row in 0..self.count() {
            write(row, list.push());
            if is_memory_exhausted() {
                return;
            }
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        if statistics::is_collecting() {
            statistics::with_ended(|ended| self.layout.tell(|key, number| ended.add(key, number)));
        }
    }
}
