//! A row with long values, each of which was received into a block of its own.

use std::iter::FusedIterator;

use vaquita_protocol::ValueHead;
use vaquita_sys::Block;

use crate::memory::LONG_VALUE_BYTES;
use crate::row::Layout;

/// A row of which no value of [`LONG_VALUE_BYTES`] or more stands between the others.
#[derive(Clone, Copy, Debug)]
pub struct LongRow<'a> {
    layout: &'a Layout,
    /// The row as it came, without the bytes of its long values.
    payload: &'a [u8],
    long: &'a [Block],
}

/// A value of such a row.
#[derive(Clone, Copy, Debug)]
pub enum LongRowValue<'a> {
    /// One of those that stand together.
    Bytes(&'a [u8]),
    /// A long one: all bytes of its block.
    Block(&'a Block),
}

impl<'a> LongRowValue<'a> {
    /// The value.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            LongRowValue::Bytes(bytes) => bytes,
            LongRowValue::Block(block) => block,
        }
    }
}

impl<'a> LongRow<'a> {
    pub(crate) fn new(layout: &'a Layout, payload: &'a [u8], long: &'a [Block]) -> Self {
        LongRow { layout, payload, long }
    }

    /// How many values the row has.
    pub fn columns(&self) -> usize {
        self.layout.columns()
    }

    /// How long the row is, as it came.
    pub fn payload_bytes(&self) -> usize {
        self.payload.len() + self.long.iter().map(|block| block.len()).sum::<usize>()
    }

    /// The values in the order of the columns, `None` for NULL.
    pub fn values(&self) -> LongRowValues<'a> {
        LongRowValues { row: *self, column: 0, at: self.layout.prefix_bytes() }
    }
}

/// The values of a [`LongRow`].
#[derive(Clone, Debug)]
pub struct LongRowValues<'a> {
    row: LongRow<'a>,
    column: usize,
    /// Where in the payload the next one begins.
    at: usize,
}

impl<'a> LongRowValues<'a> {
    fn value(&mut self) -> Option<LongRowValue<'a>> {
        let LongRow { layout, payload, .. } = self.row;
        let prefix = payload.get(..layout.prefix_bytes())?;
        let head = layout.value_head(prefix, self.column, payload.get(self.at..)?).ok()?;
        let ValueHead { head_bytes, value_bytes } = head;
        self.at += head_bytes;
        let value_bytes = value_bytes?;
        if value_bytes >= LONG_VALUE_BYTES {
            let (block, rest) = self.row.long.split_first()?;
            self.row.long = rest;
            return Some(LongRowValue::Block(block));
        }
        let value = payload.get(self.at..)?.get(..value_bytes)?;
        self.at += value_bytes;
        Some(LongRowValue::Bytes(value))
    }
}

impl<'a> Iterator for LongRowValues<'a> {
    type Item = Option<LongRowValue<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.column == self.row.columns() {
            return None;
        }
        let value = self.value();
        self.column += 1;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.row.columns() - self.column;
        (left, Some(left))
    }
}

impl ExactSizeIterator for LongRowValues<'_> {}
impl FusedIterator for LongRowValues<'_> {}
