//! One row, borrowed from where it was received.

use std::iter::FusedIterator;
use std::sync::Arc;

use vaquita_protocol::binary_row::BinaryValues;
use vaquita_protocol::text_row::TextValues;
use vaquita_protocol::{BinaryRow, ColumnDefinition41, Malformed, TextRow, ValueHead, ValueLength};
use vaquita_sys::Block;

use crate::long_row::{LongRow, LongRowValue, LongRowValues};

/// How the rows of a result are laid out.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    /// Each value is text; this many of them.
    Text(usize),
    /// Each value has the form of its column's type.
    Binary(Arc<[ValueLength]>),
}

impl Default for Layout {
    fn default() -> Self {
        Layout::Text(0)
    }
}

impl Layout {
    pub(crate) fn of(columns: &[ColumnDefinition41], is_binary: bool) -> Self {
        if is_binary {
            Layout::Binary(columns.iter().map(|it| ValueLength::of(it.column_type)).collect())
        } else {
            Layout::Text(columns.len())
        }
    }

    /// Whether a payload is a row.
    #[inline]
    pub(crate) fn is_row(&self, payload: &[u8]) -> bool {
        match self {
            Layout::Text(columns) => TextRow::new(payload, *columns).is_whole(),
            Layout::Binary(lengths) => is_binary_row(payload, lengths),
        }
    }

    /// Checks that a payload is a row.
    pub(crate) fn check(&self, payload: &[u8]) -> Result<(), Malformed> {
        match self {
            Layout::Text(columns) => TextRow::new(payload, *columns).check(),
            Layout::Binary(lengths) => BinaryRow::new(payload, lengths).check(),
        }
    }

    /// What is wrong with a row.
    pub(crate) fn malformed(&self, field: &'static str) -> Malformed {
        let packet = match self {
            Layout::Text(_) => TextRow::NAME,
            Layout::Binary(_) => BinaryRow::NAME,
        };
        Malformed::new(packet, field)
    }

    /// How many values a row has.
    pub(crate) fn columns(&self) -> usize {
        match self {
            Layout::Text(columns) => *columns,
            Layout::Binary(lengths) => lengths.len(),
        }
    }

    /// How many bytes stand before the first value.
    pub(crate) fn prefix_bytes(&self) -> usize {
        match self {
            Layout::Text(_) => 0,
            Layout::Binary(lengths) => BinaryRow::prefix_bytes(lengths.len()),
        }
    }

    /// How the value of a column begins, by the bytes before the first value and those from its own on.
    pub(crate) fn value_head(
        &self,
        prefix: &[u8],
        column: usize,
        rest: &[u8],
    ) -> Result<ValueHead, Malformed> {
        match self {
            Layout::Text(_) => TextRow::value_head(rest),
            Layout::Binary(lengths) => {
                let length = lengths.get(column).copied().unwrap_or(ValueLength::Fixed(0));
                BinaryRow::value_head(prefix, column, length, rest)
            }
        }
    }

    /// The row in a payload whose long values stand elsewhere, if it has any.
    #[inline]
    pub(crate) fn row_with<'a>(&'a self, payload: &'a [u8], long: &'a [Block]) -> Row<'a> {
        if long.is_empty() {
            self.row(payload)
        } else {
            Row::Long(LongRow::new(self, payload, long))
        }
    }

    /// The row in a payload.
    #[inline]
    pub(crate) fn row<'a>(&'a self, payload: &'a [u8]) -> Row<'a> {
        match self {
            Layout::Text(columns) => Row::Text(TextRow::new(payload, *columns)),
            Layout::Binary(lengths) => Row::Binary(BinaryRow::new(payload, lengths)),
        }
    }
}

/// Stands apart: the other kind of row needs few registers.
#[inline(never)]
fn is_binary_row(payload: &[u8], lengths: &[ValueLength]) -> bool {
    BinaryRow::new(payload, lengths).check().is_ok()
}

/// One row of a result, checked to hold exactly as many values as the result has columns; in one that does not and was kept all the
/// same ([`crate::Connection::keep_spoilt_rows`]) a value that can't be read is NULL.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// Of a query.
    Text(TextRow<'a>),
    /// Of a prepared statement.
    Binary(BinaryRow<'a>),
    /// Of either, with values of [`crate::LONG_VALUE_BYTES`] or more.
    Long(LongRow<'a>),
}

impl<'a> Row<'a> {
    /// How many values the row has.
    pub fn columns(&self) -> usize {
        match self {
            Row::Text(row) => row.columns(),
            Row::Binary(row) => row.columns(),
            Row::Long(row) => row.columns(),
        }
    }

    /// How long the row is, as it came: with the lengths of its values, without the header of its packet.
    #[inline]
    pub fn payload_bytes(&self) -> usize {
        match self {
            Row::Text(row) => row.payload_bytes(),
            Row::Binary(row) => row.payload_bytes(),
            Row::Long(row) => row.payload_bytes(),
        }
    }

    /// The values in the order of the columns, `None` for NULL: exactly [`Row::columns`] of them. A query's are text, those of a
    /// prepared statement are to be read by [`vaquita_protocol::binary_value`].
    #[inline]
    pub fn values(&self) -> Values<'a> {
        match self {
            Row::Text(row) => Values::Text(row.values()),
            Row::Binary(row) => Values::Binary(row.values()),
            Row::Long(row) => Values::Long(row.values()),
        }
    }

    /// The same, and which of them are long ones in blocks of their own.
    #[inline]
    pub fn values_and_blocks(&self) -> impl ExactSizeIterator<Item = Option<LongRowValue<'a>>> {
        ValuesAndBlocks(self.values())
    }
}

/// The values of a [`Row`].
#[derive(Clone, Debug)]
pub enum Values<'a> {
    /// Of a query.
    Text(TextValues<'a>),
    /// Of a prepared statement.
    Binary(BinaryValues<'a>),
    /// Of either, with long ones.
    Long(LongRowValues<'a>),
}

impl<'a> Iterator for Values<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // The row was checked: none of its values is an error, unless it is a spoilt one.
        match self {
            Values::Text(values) => values.next(),
            Values::Binary(values) => values.next().map(Result::unwrap_or_default),
            Values::Long(values) => values.next().map(|value| value.map(LongRowValue::bytes)),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Values::Text(values) => values.size_hint(),
            Values::Binary(values) => values.size_hint(),
            Values::Long(values) => values.size_hint(),
        }
    }
}

/// The values of a [`Row`], with the blocks of long ones.
struct ValuesAndBlocks<'a>(Values<'a>);

impl<'a> Iterator for ValuesAndBlocks<'a> {
    type Item = Option<LongRowValue<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Values::Long(values) => values.next(),
            others => others.next().map(|value| value.map(LongRowValue::Bytes)),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for ValuesAndBlocks<'_> {}
impl ExactSizeIterator for Values<'_> {}
impl FusedIterator for Values<'_> {}
