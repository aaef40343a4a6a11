//! A row of the text protocol.

use crate::malformed::Malformed;
use crate::panic_point::panic_point;
use crate::reader::{NULL_VALUE, Reader};
use crate::writer::put_lenenc_bytes;

/// One row: for each column a length-encoded string or NULL.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_row.html>
#[derive(Clone, Copy, Debug)]
pub struct TextRow<'a> {
    payload: &'a [u8],
    columns: usize,
}

impl TextRow<'_> {
    /// How errors call it.
    pub const NAME: &'static str = "Text Resultset Row";
}

impl<'a> TextRow<'a> {
    /// The row of `columns` values in this payload; nothing is checked yet.
    #[inline]
    pub const fn new(payload: &'a [u8], columns: usize) -> Self {
        TextRow { payload, columns }
    }

    /// How many values the row should have.
    pub const fn columns(&self) -> usize {
        self.columns
    }

    /// How long the payload is.
    pub const fn payload_bytes(&self) -> usize {
        self.payload.len()
    }

    /// The values, `None` for NULL. What [`TextRow::check`] would find cut is NULL, too.
    #[inline]
    pub const fn values(&self) -> TextValues<'a> {
        TextValues { rest: self.payload, left: self.columns }
    }

    /// Whether the payload holds exactly the values it should.
    #[inline]
    pub fn is_whole(&self) -> bool {
        panic_point("protocol/text_row");
        let mut end = 0;
        for _ in 0..self.columns {
            let Some(&length) = self.payload.get(end) else { return false };
            end += 1 + usize::from(length);
            if length >= NULL_VALUE {
                if length > NULL_VALUE {
                    return self.is_whole_with_long_values();
                }
                end -= usize::from(NULL_VALUE);
            }
        }
        end == self.payload.len()
    }

    #[inline(never)]
    fn is_whole_with_long_values(&self) -> bool {
        let mut rest = self.payload;
        for _ in 0..self.columns {
            let Some((_, behind)) = value(rest) else { return false };
            rest = behind;
        }
        rest.is_empty()
    }

    /// Checks that the payload holds exactly the values it should.
    ///
    /// # Errors
    /// It ends early, a value is longer than the payload, or bytes are left.
    pub fn check(&self) -> Result<(), Malformed> {
        let mut reader = Reader::new(TextRow::NAME, self.payload);
        for _ in 0..self.columns {
            reader.nullable_lenenc_bytes("value")?;
        }
        reader.end("end")
    }
}

/// The value at the beginning, and what follows it; `None`: it is cut.
#[inline]
fn value(payload: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let (&length, rest) = payload.split_first()?;
    match length {
        ..NULL_VALUE => {
            let (value, rest) = rest.split_at_checked(length.into())?;
            Some((Some(value), rest))
        }
        NULL_VALUE => Some((None, rest)),
        _ => long_value(payload),
    }
}

#[inline(never)]
fn long_value(payload: &[u8]) -> Option<(Option<&[u8]>, &[u8])> {
    let mut reader = Reader::new("", payload);
    let value = reader.lenenc_bytes("").ok()?;
    Some((Some(value), reader.rest()))
}

/// A value by how its length is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextValue<'a> {
    /// NULL, or what is cut.
    Null,
    /// At most 250 bytes.
    Short(&'a [u8]),
    /// Any number of bytes.
    Long(&'a [u8]),
}

/// Writes a row of these values, `None` for NULL.
pub fn put_text_row(values: &[Option<&[u8]>], out: &mut Vec<u8>) {
    for value in values {
        match value {
            Some(bytes) => put_lenenc_bytes(out, bytes),
            None => out.push(NULL_VALUE),
        }
    }
}

/// The values of a [`TextRow`].
#[derive(Clone, Debug)]
pub struct TextValues<'a> {
    rest: &'a [u8],
    left: usize,
}

impl<'a> TextValues<'a> {
    /// The next value by how its length is told; NULL for one too many.
    #[inline]
    pub fn next_by_length(&mut self) -> TextValue<'a> {
        if let Some((&length @ ..NULL_VALUE, rest)) = self.rest.split_first()
            && let Some((value, rest)) = rest.split_at_checked(length.into())
        {
            self.rest = rest;
            return TextValue::Short(value);
        }
        self.next_value().map_or(TextValue::Null, TextValue::Long)
    }

    /// The next value, `None` for NULL and for one too many.
    #[inline]
    pub fn next_value(&mut self) -> Option<&'a [u8]> {
        let (value, rest) = value(self.rest).unwrap_or_default();
        self.rest = rest;
        value
    }
}

impl<'a> Iterator for TextValues<'a> {
    type Item = Option<&'a [u8]>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(self.next_value())
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
        assert_eq!(row.is_whole(), row.check().is_ok());
        row.check()?;
        Ok(row.values().collect())
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
            let row = TextRow::new(payload, columns);
            let field = row.check().err().map(|malformed| malformed.field);
            assert_eq!(row.is_whole(), field.is_none(), "{payload:02x?} as {columns}");
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

    #[test]
    fn what_is_written_is_read() {
        let long = [b'x'; 300];
        let row: [Option<&[u8]>; 4] = [Some(b"a"), None, Some(b""), Some(&long)];
        let mut payload = Vec::new();
        put_text_row(&row, &mut payload);
        assert_eq!(values(&payload, 4).unwrap(), row);
        let read = TextRow::new(&payload, 4);
        assert_eq!((read.columns(), read.payload_bytes()), (4, payload.len()));
        let mut by_length = read.values();
        for expected in row {
            match (by_length.next_by_length(), expected) {
                (TextValue::Null, None) => {}
                (TextValue::Short(found), Some(value)) => {
                    assert_eq!(found, value);
                    assert!(value.len() < 251);
                }
                (TextValue::Long(found), Some(value)) => {
                    assert_eq!(found, value);
                    assert!(value.len() >= 251);
                }
                (found, expected) => panic!("{found:?} is not {expected:?}"),
            }
        }
    }
}
