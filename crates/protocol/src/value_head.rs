//! How a value of a row begins: for whoever has the bytes of long values elsewhere than those around them.

use crate::binary_row::{BinaryRow, NO_VALUE, ValueLength};
use crate::binary_value::{DateTime, Time};
use crate::malformed::Malformed;
use crate::reader::{NULL_VALUE, Reader};
use crate::text_row::TextRow;

/// What stands in front of a value's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueHead {
    /// How many bytes it has itself.
    pub head_bytes: usize,
    /// How many bytes the value has that follows, `None` for NULL.
    pub value_bytes: Option<usize>,
}

/// The longest head: `int<lenenc>` of eight bytes.
pub const MAX_HEAD_BYTES: usize = 9;

impl ValueHead {
    const NULL: ValueHead = ValueHead { head_bytes: 0, value_bytes: None };

    fn length_encoded(mut reader: Reader<'_>) -> Result<ValueHead, Malformed> {
        let before = reader.len();
        let length = reader.lenenc_int("value")?;
        let value_bytes = usize::try_from(length).map_err(|_| reader.malformed("value"))?;
        Ok(ValueHead { head_bytes: before - reader.len(), value_bytes: Some(value_bytes) })
    }
}

impl TextRow<'_> {
    /// The head of the value that begins at the first byte of `rest`, which has [`MAX_HEAD_BYTES`] or all there are.
    ///
    /// # Errors
    /// It is none.
    pub fn value_head(rest: &[u8]) -> Result<ValueHead, Malformed> {
        match rest.first() {
            Some(&NULL_VALUE) => Ok(ValueHead { head_bytes: 1, ..ValueHead::NULL }),
            _ => ValueHead::length_encoded(Reader::new(TextRow::NAME, rest)),
        }
    }
}

impl BinaryRow<'_> {
    /// How many bytes stand before the first value: a zero, and a bit for each column.
    pub const fn prefix_bytes(columns: usize) -> usize {
        1 + (columns + BinaryRow::RESERVED_BITS).div_ceil(8)
    }

    /// The head of the value of a column, by the bytes before the first value of its row and by `rest`, which begins with the value and has
    /// [`MAX_HEAD_BYTES`] or all there are.
    ///
    /// # Errors
    /// It is none, or the row is none.
    pub fn value_head(
        prefix: &[u8],
        column: usize,
        length: ValueLength,
        rest: &[u8],
    ) -> Result<ValueHead, Malformed> {
        let reader = Reader::new(BinaryRow::NAME, rest);
        let bit = column + BinaryRow::RESERVED_BITS;
        let (Some(0), Some(byte)) = (prefix.first(), prefix.get(1 + bit / 8)) else {
            return Err(reader.malformed("packet_header"));
        };
        if byte >> (bit % 8) & 1 != 0 {
            return Ok(ValueHead::NULL);
        }
        if rest.is_empty() && length != ValueLength::Fixed(0) {
            return Err(reader.malformed(NO_VALUE));
        }
        let is_length: fn(usize) -> bool = match length {
            ValueLength::Fixed(bytes) => {
                return Ok(ValueHead { value_bytes: Some(bytes.into()), ..ValueHead::NULL });
            }
            ValueLength::LengthEncoded => return ValueHead::length_encoded(reader),
            ValueLength::DateTime => DateTime::is_length,
            ValueLength::Time => Time::is_length,
        };
        let head = ValueHead::length_encoded(reader)?;
        match head.value_bytes.is_some_and(is_length) {
            true => Ok(head),
            false => Err(reader.malformed("value")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rest: &[u8]) -> Option<(usize, Option<usize>)> {
        TextRow::value_head(rest).ok().map(|it| (it.head_bytes, it.value_bytes))
    }

    #[test]
    fn a_head_of_text_is_a_length_or_null() {
        assert_eq!(text(b"\x05hello"), Some((1, Some(5))));
        assert_eq!(text(b"\xFB\x01"), Some((1, None)));
        assert_eq!(text(b"\xFC\x00\x40.."), Some((3, Some(0x4000))));
        assert_eq!(text(b"\xFD\x00\x00\x01"), Some((4, Some(0x1_0000))));
        assert_eq!(text(b"\xFE\x00\x00\x00\x01\x00\x00\x00\x00"), Some((9, Some(1 << 24))));
        for bad in [&b""[..], b"\xFF", b"\xFC\x00", b"\xFE\x00\x00\x00\x01\x00\x00\x00"] {
            assert_eq!(text(bad), None);
        }
    }

    #[test]
    fn a_head_of_a_binary_value_goes_by_its_column() {
        use ValueLength::{DateTime, Fixed, LengthEncoded, Time};
        let head = |prefix: &[u8], column, length, rest: &[u8]| {
            let head = BinaryRow::value_head(prefix, column, length, rest).ok();
            head.map(|it| (it.head_bytes, it.value_bytes))
        };
        assert_eq!(BinaryRow::prefix_bytes(6), 2);
        assert_eq!(BinaryRow::prefix_bytes(7), 3);
        // The first value of column 6 is the first of the bitmap's second byte.
        let prefix = b"\x00\x04\x01";
        assert_eq!(head(prefix, 0, Fixed(4), b""), Some((0, None)));
        assert_eq!(head(prefix, 1, Fixed(4), b"abcd"), Some((0, Some(4))));
        assert_eq!(head(prefix, 1, Fixed(4), b""), None);
        assert_eq!(head(prefix, 1, Fixed(0), b""), Some((0, Some(0))));
        assert_eq!(head(prefix, 6, LengthEncoded, b"\xFF"), Some((0, None)));
        assert_eq!(head(prefix, 5, LengthEncoded, b"\xFC\x00\x40"), Some((3, Some(0x4000))));
        assert_eq!(head(prefix, 5, DateTime, b"\x07"), Some((1, Some(7))));
        assert_eq!(head(prefix, 5, DateTime, b"\x08"), None);
        assert_eq!(head(prefix, 5, Time, b"\x0C"), Some((1, Some(12))));
        assert_eq!(head(b"\x01\x00", 0, Fixed(1), b"a"), None);
        assert_eq!(head(b"\x00", 0, Fixed(1), b"a"), None);
    }
}
