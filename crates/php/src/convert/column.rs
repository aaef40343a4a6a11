//! One column of a result: how its values are read, and how many were.

use super::reader::Reader;
use crate::statistics::ColumnTally;
use crate::zend::slot::Slot;
use core::cell::Cell;
use vaquita_client::LongRowValue;

/// How the values of one column are read, and how many were.
pub(super) struct Column {
    pub(super) reader: Cell<Reader>,
    pub(super) tally: ColumnTally,
}

impl Column {
    /// Writes its value of a row.
    #[inline(always)]
    pub(super) fn write(&self, bytes: Option<&[u8]>, slot: Slot<'_>) {
        match bytes {
            Some(bytes) => self.reader.get().write(bytes, slot),
            None => {
                self.tally.null();
                slot.null();
            }
        }
    }

    /// The same of a row that may have long values, which need no copy where they are strings.
    #[inline]
    pub(super) fn write_any(&self, value: Option<LongRowValue<'_>>, slot: Slot<'_>) {
        if value.is_none() {
            self.tally.null();
        }
        self.write_uncounted(value, slot);
    }

    /// The same, and whether it is NULL is not counted.
    #[inline]
    pub(super) fn write_uncounted(&self, value: Option<LongRowValue<'_>>, slot: Slot<'_>) {
        match value {
            Some(LongRowValue::Block(block)) if self.reader.get() == Reader::Bytes => {
                slot.block(block);
            }
            Some(value) => self.reader.get().write(value.bytes(), slot),
            None => slot.null(),
        }
    }
}

/// Whether the values of all columns are strings as they come.
pub(super) fn are_plain(columns: &[Column]) -> bool {
    columns.iter().all(|column| column.reader.get() == Reader::Bytes)
}

/// Writes a string out of the way of those that are short.
#[inline(never)]
pub(super) fn write_long(bytes: &[u8], slot: Slot<'_>) {
    slot.bytes(bytes);
}
