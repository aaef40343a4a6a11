//! One row, borrowed from where it was received.

use std::iter::FusedIterator;

use vaquita_protocol::TextRow;
use vaquita_protocol::text_row::TextValues;

/// One row of a result, checked to hold exactly as many values as the result has columns.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    text: TextRow<'a>,
}

impl<'a> Row<'a> {
    /// The row in a payload that [`TextRow::check`] found good.
    #[inline]
    pub(crate) fn checked(text: TextRow<'a>) -> Self {
        debug_assert!(text.check().is_ok(), "a row is checked when it arrives");
        Row { text }
    }

    /// How many values the row has.
    pub fn columns(&self) -> usize {
        self.text.columns()
    }

    /// The values in the order of the columns, `None` for NULL: exactly [`Row::columns`] of them.
    #[inline]
    pub fn values(&self) -> Values<'a> {
        Values { text: self.text.values() }
    }
}

/// The values of a [`Row`].
#[derive(Clone, Debug)]
pub struct Values<'a> {
    text: TextValues<'a>,
}

impl<'a> Iterator for Values<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // The row was checked: none of its values is an error.
        self.text.next().map(Result::unwrap_or_default)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.text.size_hint()
    }
}

impl ExactSizeIterator for Values<'_> {}
impl FusedIterator for Values<'_> {}
