//! A row of the binary protocol, which prepared statements have.

use crate::binary_value::{DateTime, Time};
use crate::column_definition41::ColumnType;
use crate::malformed::Malformed;
use crate::panic_point::panic_point;
use crate::reader::Reader;
use crate::writer::put_lenenc_bytes;

/// What is wrong with a row that ends where a value should begin.
pub const NO_VALUE: &str = "value that is not there";

/// How long the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueLength {
    /// Always this many bytes.
    Fixed(u8),
    /// As a length in front of each says.
    LengthEncoded,
    /// The same, with one of the lengths of a [`DateTime`].
    DateTime,
    /// The same, with one of the lengths of a [`Time`].
    Time,
}

impl ValueLength {
    /// The length that values of this type have; of a type that is not known here they are length-encoded, as those of all newer types are.
    ///
    /// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html>
    pub const fn of(column_type: ColumnType) -> Self {
        match column_type {
            ColumnType::NULL => Self::Fixed(0),
            ColumnType::TINY => Self::Fixed(1),
            ColumnType::SHORT | ColumnType::YEAR => Self::Fixed(2),
            ColumnType::LONG | ColumnType::INT24 | ColumnType::FLOAT => Self::Fixed(4),
            ColumnType::LONGLONG | ColumnType::DOUBLE => Self::Fixed(8),
            ColumnType::DATE | ColumnType::DATETIME | ColumnType::TIMESTAMP => Self::DateTime,
            ColumnType::TIME => Self::Time,
            _ => Self::LengthEncoded,
        }
    }
}

/// One row: which of its values are NULL, and the others in the form of their column's type.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html>
#[derive(Clone, Copy, Debug)]
pub struct BinaryRow<'a> {
    payload: &'a [u8],
    lengths: &'a [ValueLength],
}

impl BinaryRow<'_> {
    /// How errors call it.
    pub const NAME: &'static str = "Binary Protocol Resultset Row";

    /// The bits of the NULL bitmap that stand for nothing.
    pub(crate) const RESERVED_BITS: usize = 2;
}

impl<'a> BinaryRow<'a> {
    /// The row in this payload whose values have these lengths; nothing is checked yet.
    #[inline]
    pub const fn new(payload: &'a [u8], lengths: &'a [ValueLength]) -> Self {
        BinaryRow { payload, lengths }
    }

    /// How many values the row should have.
    pub const fn columns(&self) -> usize {
        self.lengths.len()
    }

    /// How long the payload is.
    pub const fn payload_bytes(&self) -> usize {
        self.payload.len()
    }

    /// The values, `None` for NULL, others as they came; each is checked when it is reached.
    #[inline]
    pub fn values(&self) -> BinaryValues<'a> {
        let mut reader = Reader::new(BinaryRow::NAME, self.payload);
        let bitmap_bytes = (self.lengths.len() + Self::RESERVED_BITS).div_ceil(8);
        let bitmap =
            reader.u8("packet_header").and_then(|_| reader.bytes(bitmap_bytes, "null_bitmap"));
        BinaryValues {
            reader,
            bitmap: bitmap.unwrap_or_default(),
            lengths: self.lengths.iter(),
            bit: Self::RESERVED_BITS,
        }
    }

    /// Checks that the payload holds exactly the values it should.
    ///
    /// # Errors
    /// It is no row, it ends early, a value is longer than the payload, or bytes are left.
    #[inline]
    pub fn check(&self) -> Result<(), Malformed> {
        panic_point("protocol/binary_row");
        let mut reader = Reader::new(BinaryRow::NAME, self.payload);
        if reader.u8("packet_header")? != 0 {
            return Err(reader.malformed("packet_header"));
        }
        let mut values = self.values();
        for value in values.by_ref() {
            value?;
        }
        values.reader.end("end")
    }
}

/// Writes a row of these values, each the text that a query would give of a column of this type, `None` for NULL.
///
/// False if a text is none of its type's, or the type's values are made of no text here: floating point numbers, dates, times.
#[must_use]
pub fn put_binary_row<'a>(
    values: impl ExactSizeIterator<Item = (ColumnType, &'a Option<&'a [u8]>)>,
    out: &mut Vec<u8>,
) -> bool {
    let bitmap = out.len() + 1;
    out.resize(bitmap + (values.len() + BinaryRow::RESERVED_BITS).div_ceil(8), 0);
    for ((column_type, value), bit) in values.zip(BinaryRow::RESERVED_BITS..) {
        let Some(text) = value else {
            if let Some(byte) = out.get_mut(bitmap + bit / 8) {
                *byte |= 1 << (bit % 8);
            }
            continue;
        };
        match ValueLength::of(column_type) {
            ValueLength::LengthEncoded => put_lenenc_bytes(out, text),
            ValueLength::Fixed(length) if column_type.is_integer() => {
                let number = std::str::from_utf8(text).ok().and_then(|it| it.parse::<i128>().ok());
                let Some(number) = number else { return false };
                out.extend(number.to_le_bytes().iter().take(length.into()));
            }
            _ => return false,
        }
    }
    true
}

/// The values of a [`BinaryRow`].
#[derive(Clone, Debug)]
pub struct BinaryValues<'a> {
    reader: Reader<'a>,
    bitmap: &'a [u8],
    lengths: std::slice::Iter<'a, ValueLength>,
    bit: usize,
}

impl<'a> BinaryValues<'a> {
    #[inline]
    fn one_of(&mut self, is_length: fn(usize) -> bool) -> Result<&'a [u8], Malformed> {
        let value = self.reader.lenenc_bytes("value")?;
        if is_length(value.len()) { Ok(value) } else { Err(self.reader.malformed("value")) }
    }
}

impl<'a> Iterator for BinaryValues<'a> {
    type Item = Result<Option<&'a [u8]>, Malformed>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let length = self.lengths.next()?;
        let Some(byte) = self.bitmap.get(self.bit / 8) else {
            return Some(Err(self.reader.malformed("null_bitmap")));
        };
        let is_null = byte >> (self.bit % 8) & 1 != 0;
        self.bit += 1;
        if is_null {
            return Some(Ok(None));
        }
        if self.reader.is_empty() && *length != ValueLength::Fixed(0) {
            return Some(Err(self.reader.malformed(NO_VALUE)));
        }
        let value = match length {
            ValueLength::Fixed(length) => self.reader.bytes((*length).into(), "value"),
            ValueLength::LengthEncoded => self.reader.lenenc_bytes("value"),
            ValueLength::DateTime => self.one_of(DateTime::is_length),
            ValueLength::Time => self.one_of(Time::is_length),
        };
        Some(value.map(Some))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lengths.size_hint()
    }
}

impl ExactSizeIterator for BinaryValues<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    fn values<'a>(
        payload: &'a [u8],
        lengths: &'a [ValueLength],
    ) -> Result<Vec<Option<&'a [u8]>>, Malformed> {
        let row = BinaryRow::new(payload, lengths);
        row.check()?;
        row.values().collect()
    }

    #[test]
    fn the_values_are_found() {
        let types =
            [ColumnType::LONG, ColumnType::NEWDECIMAL, ColumnType::VAR_STRING, ColumnType::NULL];
        let lengths = types.map(ValueLength::of);
        let row = hex("00 20 01000000 05312e353030 0162");
        assert_eq!(
            values(&row, &lengths),
            Ok(vec![Some(&[1, 0, 0, 0][..]), Some(b"1.500"), Some(b"b"), None])
        );
        check_prefixes(&row, |payload| values(payload, &lengths).map(drop), |_| false);
        let nulls = hex("00 3c");
        assert_eq!(values(&nulls, &lengths), Ok(vec![None; 4]));
        check_prefixes(&nulls, |payload| values(payload, &lengths).map(drop), |_| false);
    }

    #[test]
    fn a_row_has_what_its_columns_say() {
        let check = |packet: &str, expected: Option<&'static str>| {
            let lengths = [ValueLength::Fixed(2), ValueLength::LengthEncoded];
            let field = values(&hex(packet), &lengths).err().map(|malformed| malformed.field);
            assert_eq!(field, expected, "{packet}");
        };
        check("00 00 0102 00", None);
        check("00 00 0102 00 00", Some("end"));
        check("00 00 0102", Some(NO_VALUE));
        check("00 00 01", Some("value"));
        check("00 00 0102 05 61", Some("value"));
        check("00 00 0102 fb", Some("value"));
        check("00 00 0102 fe ffffffffffffffff 61", Some("value"));
        check("00", Some("null_bitmap"));
        check("", Some("packet_header"));
        check("01 00 0102 00", Some("packet_header"));
        check("00 0c", None);
    }

    #[test]
    fn dates_have_their_lengths() {
        let lengths = [ColumnType::TIMESTAMP, ColumnType::TIME].map(ValueLength::of);
        for (packet, is_good) in [
            ("00 00 00 00", true),
            ("00 00 04 ea070b15 08 0000000000010203", true),
            ("00 00 05 ea070b1500 08 0000000000010203", false),
            ("00 00 04 ea070b15 07 00000000000102", false),
        ] {
            assert_eq!(values(&hex(packet), &lengths).is_ok(), is_good, "{packet}");
        }
    }

    /// Six columns fill the first byte of the bitmap, the seventh begins the second.
    #[test]
    fn the_bitmap_begins_at_its_third_bit() {
        let lengths = [ValueLength::Fixed(1); 7];
        let row = hex("00 80 01 0102030405");
        let some = |n: &'static [u8]| Some(n);
        assert_eq!(
            values(&row, &lengths),
            Ok(vec![some(&[1]), some(&[2]), some(&[3]), some(&[4]), some(&[5]), None, None])
        );
    }

    #[test]
    fn what_is_written_is_read() {
        let row: [(ColumnType, Option<&[u8]>); 4] = [
            (ColumnType::LONG, Some(b"-5")),
            (ColumnType::VAR_STRING, Some(b"text")),
            (ColumnType::LONGLONG, None),
            (ColumnType::TINY, Some(b"255")),
        ];
        let mut payload = Vec::new();
        assert!(put_binary_row(row.iter().map(|(kind, value)| (*kind, value)), &mut payload));
        let lengths = row.map(|(kind, _)| ValueLength::of(kind));
        let expected: [Option<&[u8]>; 4] =
            [Some(&[0xFB, 0xFF, 0xFF, 0xFF]), Some(b"text"), None, Some(&[0xFF])];
        assert_eq!(values(&payload, &lengths).unwrap(), expected);
        let read = BinaryRow::new(&payload, &lengths);
        assert_eq!((read.columns(), read.payload_bytes()), (4, payload.len()));
        for (kind, text) in [(ColumnType::LONG, &b"x"[..]), (ColumnType::DOUBLE, b"1.5")] {
            assert!(!put_binary_row([(kind, &Some(text))].into_iter(), &mut payload));
        }
    }
}
