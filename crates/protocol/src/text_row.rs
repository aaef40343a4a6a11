//! A row of the text protocol.

use crate::malformed::Malformed;
use crate::reader::Reader;

/// One row: for each column a length-encoded string or NULL.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_row.html>
#[derive(Clone, Copy, Debug)]
pub struct TextRow<'a> {
    reader: Reader<'a>,
    columns: usize,
}

impl<'a> TextRow<'a> {
    /// The row of `columns` values in this payload; nothing is checked yet.
    #[inline]
    pub const fn new(payload: &'a [u8], columns: usize) -> Self {
        TextRow { reader: Reader::new("Text Resultset Row", payload), columns }
    }

    /// How many values the row should have.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// The values, `None` for NULL; each is checked when it is reached.
    #[inline]
    pub const fn values(&self) -> TextValues<'a> {
        TextValues { reader: self.reader, left: self.columns }
    }

    /// Checks that the payload holds exactly the values it should.
    ///
    /// # Errors
    /// It ends early, a value is longer than the payload, or bytes are left.
    #[inline]
    pub fn check(&self) -> Result<(), Malformed> {
        let mut reader = self.reader;
        for _ in 0..self.columns {
            reader.nullable_lenenc_bytes("value")?;
        }
        reader.end("end")
    }
}

/// The values of a [`TextRow`].
#[derive(Clone, Debug)]
pub struct TextValues<'a> {
    reader: Reader<'a>,
    left: usize,
}

impl<'a> Iterator for TextValues<'a> {
    type Item = Result<Option<&'a [u8]>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.reader.nullable_lenenc_bytes("value"))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for TextValues<'_> {}
