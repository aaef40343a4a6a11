//! The values of the binary protocol: what the bytes of a column's value mean.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_binary_resultset.html>

use std::fmt;

use crate::malformed::Malformed;
use crate::reader::Reader;

/// The integer with a sign in up to eight bytes, the lowest first.
#[inline]
pub fn signed(bytes: &[u8]) -> i64 {
    let is_negative = bytes.last().is_some_and(|highest| *highest >= 0x80);
    let sign = if is_negative { u64::MAX } else { 0 };
    let shift = 8 * bytes.len().min(8);
    let above = u32::try_from(shift).ok().and_then(|shift| sign.checked_shl(shift)).unwrap_or(0);
    (unsigned(bytes) | above).cast_signed()
}

/// The integer without a sign in up to eight bytes, the lowest first.
#[inline]
pub fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The floating point number in four bytes.
///
/// # Errors
/// There are not four.
#[inline]
pub fn float(bytes: &[u8]) -> Result<f32, Malformed> {
    let mut reader = Reader::new("FLOAT", bytes);
    let value = f32::from_le_bytes(reader.array("value")?);
    reader.end("end").map(|()| value)
}

/// The floating point number in eight bytes.
///
/// # Errors
/// There are not eight.
#[inline]
pub fn double(bytes: &[u8]) -> Result<f64, Malformed> {
    let mut reader = Reader::new("DOUBLE", bytes);
    let value = f64::from_le_bytes(reader.array("value")?);
    reader.end("end").map(|()| value)
}

/// A DATE, DATETIME or TIMESTAMP; what the server left out because it is zero, is zero.
#[expect(missing_docs, reason = "the names say it all")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DateTime {
    pub year: u16,
    pub month: u8,
    pub day: u8,
    pub hour: u8,
    pub minute: u8,
    pub second: u8,
    pub microsecond: u32,
}

impl DateTime {
    /// Whether a value may be this long: nothing, a date, with a time, with microseconds.
    #[inline]
    pub const fn is_length(length: usize) -> bool {
        matches!(length, 0 | 4 | 7 | 11)
    }

    /// Reads a value.
    ///
    /// # Errors
    /// It has another length than such values have.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new("DATETIME", bytes);
        let mut it = DateTime::default();
        if !reader.is_empty() {
            it.year = reader.u16("year")?;
            it.month = reader.u8("month")?;
            it.day = reader.u8("day")?;
        }
        if !reader.is_empty() {
            it.hour = reader.u8("hour")?;
            it.minute = reader.u8("minute")?;
            it.second = reader.u8("second")?;
        }
        if !reader.is_empty() {
            it.microsecond = reader.u32("microsecond")?;
        }
        reader.end("end").map(|()| it)
    }

    /// As the text protocol shows a DATE.
    pub fn date_text(&self) -> Text {
        let mut text = Text::default();
        text.number(self.year.into(), 4);
        text.number_after(b'-', self.month.into(), 2);
        text.number_after(b'-', self.day.into(), 2);
        text
    }

    /// As the text protocol shows a DATETIME with this many digits after the point.
    pub fn text(&self, decimals: u8) -> Text {
        let mut text = self.date_text();
        text.number_after(b' ', self.hour.into(), 2);
        text.number_after(b':', self.minute.into(), 2);
        text.number_after(b':', self.second.into(), 2);
        text.fraction(self.microsecond, decimals);
        text
    }
}

/// A TIME, which may be longer than a day, and negative.
#[expect(missing_docs, reason = "the names say it all")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    pub is_negative: bool,
    pub days: u32,
    pub hours: u8,
    pub minutes: u8,
    pub seconds: u8,
    pub microseconds: u32,
}

impl Time {
    /// Whether a value may be this long: nothing, a time, with microseconds.
    #[inline]
    pub const fn is_length(length: usize) -> bool {
        matches!(length, 0 | 8 | 12)
    }

    /// Reads a value.
    ///
    /// # Errors
    /// It has another length than such values have.
    pub fn parse(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new("TIME", bytes);
        let mut it = Time::default();
        if !reader.is_empty() {
            it.is_negative = reader.u8("is_negative")? != 0;
            it.days = reader.u32("days")?;
            it.hours = reader.u8("hours")?;
            it.minutes = reader.u8("minutes")?;
            it.seconds = reader.u8("seconds")?;
        }
        if !reader.is_empty() {
            it.microseconds = reader.u32("microseconds")?;
        }
        reader.end("end").map(|()| it)
    }

    /// As the text protocol shows a TIME with this many digits after the point: days count as hours.
    pub fn text(&self, decimals: u8) -> Text {
        let mut text = Text::default();
        if self.is_negative {
            text.push(b'-');
        }
        text.number(u64::from(self.days) * 24 + u64::from(self.hours), 2);
        text.number_after(b':', self.minutes.into(), 2);
        text.number_after(b':', self.seconds.into(), 2);
        text.fraction(self.microseconds, decimals);
        text
    }
}

/// Room for the longest text: a DATETIME of fields that no calendar has.
const MAX_TEXT_BYTES: usize = 48;

/// A short text that needs no allocation.
#[derive(Clone, Copy)]
pub struct Text {
    bytes: [u8; MAX_TEXT_BYTES],
    length: usize,
}

impl Text {
    /// The text.
    pub fn as_bytes(&self) -> &[u8] {
        crate::reader::span(&self.bytes, 0, self.length)
    }

    fn push(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    /// Adds a number, with zeros in front up to so many digits.
    fn number(&mut self, number: u64, least_digits: usize) {
        let digits = number.checked_ilog10().map_or(1, |log| log as usize + 1).max(least_digits);
        let room = self.bytes.get_mut(self.length..self.length + digits);
        debug_assert!(room.is_some(), "there is room for every value");
        let mut rest = number;
        for place in room.into_iter().flatten().rev() {
            *place = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
            self.length += 1;
        }
    }

    /// Adds a sign and a number behind it.
    fn number_after(&mut self, sign: u8, number: u64, least_digits: usize) {
        self.push(sign);
        self.number(number, least_digits);
    }

    /// Adds the digits after the point, and the point; nothing if the column has none, or no fixed number of them.
    fn fraction(&mut self, microsecond: u32, decimals: u8) {
        if let decimals @ 1..=6 = decimals {
            let digits = microsecond / 10_u32.pow(6 - u32::from(decimals));
            self.number_after(b'.', digits.into(), decimals.into());
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Text { bytes: [0; MAX_TEXT_BYTES], length: 0 }
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.as_bytes().escape_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    #[test]
    fn integers_keep_their_sign() {
        for (bytes, signed_value, unsigned_value) in [
            (&[][..], 0, 0),
            (&[0xFE], -2, 254),
            (&[0xFE, 0xFF], -2, 65534),
            (&[0xFF, 0x7F], 32767, 32767),
            (&[0xFE, 0xFF, 0xFF, 0xFF], -2, 0xFFFF_FFFE),
            (&[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], -2, u64::MAX - 1),
            (&[0, 0, 0, 0, 0, 0, 0, 0x80], i64::MIN, 1 << 63),
        ] {
            assert_eq!((signed(bytes), unsigned(bytes)), (signed_value, unsigned_value));
        }
    }

    #[test]
    fn floats_have_their_lengths() {
        assert_eq!(float(&1.5_f32.to_le_bytes()), Ok(1.5));
        assert_eq!(double(&(-0.1_f64).to_le_bytes()), Ok(-0.1));
        assert!(float(&[0; 8]).is_err() && double(&[0; 4]).is_err());
    }

    #[test]
    fn dates_are_read_and_shown() {
        let check = |packet: &str, decimals: u8, date: &str, text: &str| {
            let value = DateTime::parse(&hex(packet)).unwrap();
            assert_eq!(value.date_text().as_bytes(), date.as_bytes());
            assert_eq!(value.text(decimals).as_bytes(), text.as_bytes());
        };
        check("", 0, "0000-00-00", "0000-00-00 00:00:00");
        check("ea07 0b 15", 0, "2026-11-21", "2026-11-21 00:00:00");
        check("ea07 0b 15 09 05 3b", 3, "2026-11-21", "2026-11-21 09:05:59.000");
        check("ea07 0b 15 09 05 3b 40e20100", 6, "2026-11-21", "2026-11-21 09:05:59.123456");
        check("ea07 0b 15 09 05 3b 40e20100", 2, "2026-11-21", "2026-11-21 09:05:59.12");
        check("ea07 0b 15 09 05 3b 40e20100", 31, "2026-11-21", "2026-11-21 09:05:59");
        let largest = hex("ffff ff ff ff ff ff ffffffff");
        check_prefixes(&largest, DateTime::parse, DateTime::is_length);
        let text = DateTime::parse(&largest).unwrap().text(6);
        assert_eq!(text.as_bytes(), b"65535-255-255 255:255:255.4294967295");
    }

    #[test]
    fn times_are_read_and_shown() {
        let check = |packet: &str, decimals: u8, text: &str| {
            let value = Time::parse(&hex(packet)).unwrap();
            assert_eq!(value.text(decimals).as_bytes(), text.as_bytes());
        };
        check("", 0, "00:00:00");
        check("", 3, "00:00:00.000");
        check("00 00000000 01 02 03", 0, "01:02:03");
        check("01 22000000 16 3b 3b", 0, "-838:59:59");
        check("00 00000000 01 02 03 05000000", 6, "01:02:03.000005");
        let largest = hex("01 ffffffff ff ff ff ffffffff");
        check_prefixes(&largest, Time::parse, Time::is_length);
        let text = Time::parse(&largest).unwrap().text(6);
        assert_eq!(text.as_bytes(), b"-103079215335:255:255.4294967295");
    }
}
