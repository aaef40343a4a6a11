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

    /// How long the payload is.
    pub const fn payload_bytes(&self) -> usize {
        self.reader.len()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    fn values(payload: &[u8], columns: usize) -> Result<Vec<Option<&[u8]>>, Malformed> {
        let row = TextRow::new(payload, columns);
        row.check()?;
        row.values().collect()
    }

    #[test]
    fn the_values_are_found() {
        // MariaDB 10.11.19 and MySQL 8.0.33: an INT, a DECIMAL, a VARCHAR.
        let first = hex("013105312e3530300162");
        let second = hex("0132fb0162");
        assert_eq!(values(&first, 3), Ok(vec![Some(&b"1"[..]), Some(b"1.500"), Some(b"b")]));
        assert_eq!(values(&second, 3), Ok(vec![Some(&b"2"[..]), None, Some(b"b")]));
        check_prefixes(&first, |payload| values(payload, 3).map(drop), |_| false);
        check_prefixes(&second, |payload| values(payload, 3).map(drop), |_| false);
        let long = [&hex("fc2c01")[..], &[b'x'; 300]].concat();
        check_prefixes(&long, |payload| values(payload, 1).map(drop), |_| false);
    }

    #[test]
    fn a_row_has_as_many_values_as_columns() {
        let check = |payload: &[u8], columns: usize, expected: Option<&'static str>| {
            let field =
                TextRow::new(payload, columns).check().err().map(|malformed| malformed.field);
            assert_eq!(field, expected, "{payload:02x?} as {columns}");
        };
        check(b"\x01a\x01b", 2, None);
        check(b"\x01a\x01b", 1, Some("end"));
        check(b"\x01a\x01b", 3, Some("value"));
        check(b"", 1, Some("value"));
        check(b"\x05a", 1, Some("value"));
        check(b"\xFFa", 1, Some("value"));
        check(b"\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFFa", 1, Some("value"));
        check(b"\xFB\xFB", 2, None);
    }
}
