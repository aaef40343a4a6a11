//! THE copy: a row of the wire becomes PHP values, and nothing else stands between the two.
//!
//! How a column is read is decided once a result. A row has been checked when it arrived; a value that can't be read after all
//! becomes NULL rather than a crash.

mod column;
mod reader;

use crate::statistics::{ColumnTally, Key as Counter, RowTally};
use crate::zend::array::List;
use crate::zend::memory::is_memory_exhausted;
pub(crate) use crate::zend::row::Shape;
use crate::zend::row::{NewRow, Recycler, Template, UsedRow, write_one};
use crate::zend::slot::Slot;
use column::{Column, are_plain, write_long};
use core::cell::Cell;
use reader::Reader;
use vaquita_client::panic_point;
use vaquita_client::{
    BinaryRow, ColumnDefinition41, LongRow, LongRowValue, Row, TextRow, TextValue,
};

/// After how many bytes of rows, as PHP has them, it is looked whether the script may have more memory.
const LOOK_BYTES: usize = 256 << 10;

/// What a row takes beside the bytes of its values: its array, and for each value its place and the header of its string.
const ROW_BYTES: usize = 128;
const VALUE_BYTES: usize = 64;

/// Rows with more bytes are not kept for others.
const MOST_RECYCLED_BYTES: usize = 4 << 10;

/// Whether the array of a row is worth keeping for another one.
#[inline]
fn is_recyclable(row: Row<'_>) -> bool {
    !matches!(row, Row::Long(_)) && row.payload_bytes() <= MOST_RECYCLED_BYTES
}

/// In which form values come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// As text: the answer to a query.
    Text,
    /// In the form of their type: the answer to a prepared statement.
    Binary,
}

/// How the rows of one result become values.
pub(crate) struct Layout {
    columns: Vec<Column>,
    format: Format,
    is_native: Cell<bool>,
    /// Whether each value is a string as it comes.
    is_plain: Cell<bool>,
    /// Whether a row was written as an array.
    has_written: Cell<bool>,
    tally: RowTally,
    /// What rows are made from: by number, by name, by both.
    templates: [Template; 3],
}

impl Layout {
    /// `native`: integers and floats instead of the digits of the text.
    pub(crate) fn new(columns: &[ColumnDefinition41], format: Format, native: bool) -> Layout {
        let reader = |column: &ColumnDefinition41| match format {
            Format::Text => Reader::of(column, native),
            Format::Binary => Reader::of_binary(column),
        };
        let is_binary = format == Format::Binary;
        let column = |column: &ColumnDefinition41| Column {
            reader: Cell::new(reader(column)),
            tally: ColumnTally::of(column.column_type, is_binary),
        };
        let columns: Vec<Column> = columns.iter().map(column).collect();
        Layout {
            is_plain: Cell::new(are_plain(&columns)),
            columns,
            format,
            is_native: Cell::new(native),
            has_written: Cell::new(false),
            tally: RowTally::default(),
            templates: [const { Template::new() }; 3],
        }
    }

    fn template(&self, shape: Shape) -> &Template {
        let [list, map, both] = &self.templates;
        match shape {
            Shape::List => list,
            Shape::Map => map,
            Shape::Both => both,
        }
    }

    /// Makes what rows of this shape are made from, if it is not there yet.
    #[inline]
    fn prepare(&self, columns: &[ColumnDefinition41], shape: Shape) {
        self.template(shape).make(shape, columns.iter().map(ColumnDefinition41::name));
    }

    /// Whether rows are native now.
    #[inline]
    pub(crate) fn is_native(&self) -> bool {
        self.is_native.get()
    }

    /// Has the next rows be native or not.
    pub(crate) fn set_native(&self, columns: &[ColumnDefinition41], native: bool) {
        self.is_native.set(native);
        if self.format == Format::Text {
            for (column, definition) in self.columns.iter().zip(columns) {
                column.reader.set(Reader::of(definition, native));
            }
            self.is_plain.set(are_plain(&self.columns));
        }
    }

    /// Writes a row as an array: a new one, or one of those that are recycled.
    #[inline(always)]
    pub(crate) fn write(
        &self,
        row: Row<'_>,
        columns: &[ColumnDefinition41],
        shape: Shape,
        slot: Slot<'_>,
        recycler: Option<&Recycler>,
    ) {
        panic_point("php/convert");
        let template = self.template(shape);
        if !template.is_made() {
            // Most results have one row, and many of the others thousands.
            if !self.has_written.replace(true) {
                return self.write_first(row, columns, shape, slot);
            }
            self.prepare(columns, shape);
        }
        let recycler = recycler.filter(|_| is_recyclable(row));
        let taken = match recycler {
            Some(recycler) => recycler.take(template, slot),
            None => Err(slot),
        };
        let slot = match taken {
            Ok(used) => return self.overwrite(used, row),
            Err(slot) => slot,
        };
        template.count_key_ahead();
        self.tally.row(row);
        let Some(new) = template.copy(slot) else { return };
        if let Some(recycler) = recycler {
            recycler.keep(template, &new);
        }
        self.write_into(new, row);
    }

    #[inline(never)]
    fn write_first(
        &self,
        row: Row<'_>,
        columns: &[ColumnDefinition41],
        shape: Shape,
        slot: Slot<'_>,
    ) {
        self.tally.row(row);
        let names = columns.iter().map(ColumnDefinition41::name);
        let mut columns = self.columns.iter();
        let mut values = row.values_and_blocks();
        write_one(slot, shape, names, |slot| match columns.next() {
            Some(column) => column.write_any(values.next().flatten(), slot),
            None => slot.null(),
        });
    }

    /// Writes so many rows, each as an array, and tells how many: it ends where the script may have no more memory.
    pub(crate) fn write_all<'a>(
        &self,
        mut rows: impl Iterator<Item = Row<'a>>,
        count: u32,
        columns: &[ColumnDefinition41],
        shape: Shape,
        all: &mut List,
    ) -> u32 {
        if count < 2 {
            let Some(row) = rows.next().filter(|_| count > 0) else { return 0 };
            self.write(row, columns, shape, all.push(), None);
            return 1;
        }
        self.prepare(columns, shape);
        let template = self.template(shape);
        template.count_keys(count);
        let mut written = 0;
        let row_bytes = ROW_BYTES + columns.len() * VALUE_BYTES;
        let mut unlooked_bytes = 0;
        for (row, number) in rows.zip(1..=count) {
            self.write_row(row, template, all.push());
            written = number;
            unlooked_bytes += row_bytes + row.payload_bytes();
            if unlooked_bytes > LOOK_BYTES {
                if is_memory_exhausted() {
                    break;
                }
                unlooked_bytes = 0;
            }
        }
        template.uncount_keys(count - written);
        written
    }

    #[inline(always)]
    fn write_row(&self, row: Row<'_>, template: &Template, slot: Slot<'_>) {
        self.tally.row(row);
        if let Some(new) = template.copy(slot) {
            self.write_into(new, row);
        }
    }

    #[inline(always)]
    fn write_into(&self, new: NewRow<'_>, row: Row<'_>) {
        // Asked once a row rather than once a value.
        match row {
            Row::Text(row) => {
                if self.is_plain.get() {
                    self.write_strings(new, row);
                } else {
                    let mut values = row.values();
                    self.write_values(new, || values.next_value(), Column::write);
                }
            }
            Row::Binary(row) => {
                let mut values = row.values();
                let next = || values.next().and_then(Result::unwrap_or_default);
                self.write_values(new, next, Column::write);
            }
            Row::Long(row) => {
                let mut values = row.values();
                self.write_values(new, || values.next().flatten(), Column::write_any);
            }
        }
    }

    /// What most rows are: strings, one after the other.
    #[inline]
    fn write_strings(&self, mut new: NewRow<'_>, row: TextRow<'_>) {
        let mut values = row.values();
        let Some(slots) = new.slots() else {
            return self.write_values(new, || values.next_value(), Column::write);
        };
        for (slot, column) in slots.zip(&self.columns) {
            match values.next_by_length() {
                TextValue::Short(bytes) => slot.bytes(bytes),
                TextValue::Long(bytes) => write_long(bytes, slot),
                TextValue::Null => {
                    column.tally.null();
                    slot.null();
                }
            }
        }
    }

    /// Writes a row over another one.
    #[inline]
    fn overwrite(&self, mut used: UsedRow<'_>, row: Row<'_>) {
        self.tally.row(row);
        let Row::Text(text) = row else { return self.write_into(used.cleared(), row) };
        if !self.is_plain.get() {
            return self.write_into(used.cleared(), row);
        }
        let mut values = text.values();
        for (slot, column) in used.slots().zip(&self.columns) {
            match values.next_by_length() {
                TextValue::Short(bytes) => slot.bytes(bytes),
                TextValue::Long(bytes) => write_long(bytes, slot.cleared()),
                TextValue::Null => {
                    column.tally.null();
                    slot.cleared().null();
                }
            }
        }
    }

    #[inline(never)]
    fn write_values<V>(
        &self,
        row: NewRow<'_>,
        mut next: impl FnMut() -> Option<V>,
        write: impl Fn(&Column, Option<V>, Slot<'_>),
    ) {
        for (column, place) in self.columns.iter().zip(row.places()) {
            let value = next();
            match row.slot(place) {
                Some(slot) => write(column, value, slot),
                None if value.is_none() => column.tally.null(),
                None => {}
            }
        }
        row.finish();
    }

    /// Writes the values of a row, one after the other.
    #[inline(always)]
    pub(crate) fn write_in_order<'a>(&self, row: Row<'_>, slots: impl Iterator<Item = Slot<'a>>) {
        self.tally.row(row);
        // Asked once a row rather than once a value.
        match row {
            Row::Text(row) => self.write_text(row, slots),
            Row::Binary(row) => self.write_binary(row, slots),
            Row::Long(row) => self.write_with_long(row, slots),
        }
    }

    #[inline(never)]
    fn write_text<'a>(&self, row: TextRow<'_>, slots: impl Iterator<Item = Slot<'a>>) {
        let mut values = row.values();
        for (column, slot) in self.columns.iter().zip(slots) {
            column.write(values.next_value(), slot);
        }
    }

    #[inline(never)]
    fn write_binary<'a>(&self, row: BinaryRow<'_>, slots: impl Iterator<Item = Slot<'a>>) {
        for ((column, value), slot) in self.columns.iter().zip(row.values()).zip(slots) {
            column.write(value.unwrap_or_default(), slot);
        }
    }

    #[inline(never)]
    fn write_with_long<'a>(&self, row: LongRow<'_>, slots: impl Iterator<Item = Slot<'a>>) {
        for ((column, value), slot) in self.columns.iter().zip(row.values()).zip(slots) {
            column.write_any(value, slot);
        }
    }

    /// Writes once more the first values of a row.
    pub(crate) fn write_again<'a>(&self, row: Row<'_>, slots: impl Iterator<Item = Slot<'a>>) {
        for ((column, value), slot) in self.columns.iter().zip(row.values_and_blocks()).zip(slots) {
            column.write_uncounted(value, slot);
        }
    }

    /// Writes each value of a row where `place` says.
    pub(crate) fn write_each<'a>(&self, row: Row<'_>, place: impl Fn(usize) -> Option<Slot<'a>>) {
        self.tally.row(row);
        let values = self.columns.iter().zip(row.values_and_blocks());
        for (number, (column, value)) in values.enumerate() {
            if let Some(slot) = place(number) {
                column.write_any(value, slot);
            }
        }
    }

    /// Writes one column of a row.
    pub(crate) fn write_column(&self, row: Row<'_>, column: usize, slot: Slot<'_>) {
        match self.columns.iter().zip(row.values_and_blocks()).nth(column) {
            Some((column, value)) => {
                self.tally.lone_value(&column.tally, value.map(LongRowValue::bytes));
                column.write_uncounted(value, slot);
            }
            None => slot.null(),
        }
    }

    /// Writes the list of the values' lengths in bytes.
    pub(crate) fn write_lengths(&self, row: Row<'_>, slot: Slot<'_>) {
        let mut list = List::new(slot, self.capacity());
        for (column, value) in self.columns.iter().zip(row.values()) {
            list.push().long(column.reader.get().length(value));
        }
    }

    /// Writes a list of as many zeros as there are columns.
    pub(crate) fn write_zero_lengths(&self, slot: Slot<'_>) {
        let mut list = List::new(slot, self.capacity());
        for _ in &self.columns {
            list.push().long(0);
        }
    }

    /// Tells how many values were written.
    pub(crate) fn tell(&self, tell: impl FnMut(Counter, u64)) {
        let columns = self.columns.iter().map(|column| &column.tally);
        self.tally.tell(self.format == Format::Binary, columns, tell);
    }

    /// Begins to count anew.
    pub(crate) fn forget_tallies(&self) {
        self.tally.forget();
        self.columns.iter().for_each(|column| column.tally.forget());
    }

    fn capacity(&self) -> u32 {
        u32::try_from(self.columns.len()).unwrap_or(0)
    }
}
