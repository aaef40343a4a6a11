//! How the bytes of a column become a value of PHP's.

use crate::zend::slot::Slot;
use crate::zend::string::{Str, ascii};
use vaquita_client::binary_value::{self, DateTime, Time};
use vaquita_client::{ColumnDefinition41, ColumnFlags, ColumnType};

/// How the bytes of a column become a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// A string, as they are.
    Bytes,
    /// The number that the bits make, in decimal digits.
    Bit,
    /// As `Bit`, an integer where it fits.
    NativeBit,
    /// An integer; digits where it does not fit.
    Integer,
    /// A float.
    Float,
    /// An integer of the binary protocol.
    Signed,
    /// One without a sign, or its digits where it does not fit.
    Unsigned,
    /// Its digits, with zeros in front up to this length.
    Zerofill(u32),
    /// A FLOAT of the binary protocol, as exact as this many digits after the point are, or as a FLOAT is.
    BinaryFloat(Option<u8>),
    /// A DOUBLE of the binary protocol.
    BinaryDouble,
    /// A date of the binary protocol, as text.
    Date,
    /// A date and time, with this many digits after the point.
    DateTime(u8),
    /// A time, with this many digits after the point.
    Time(u8),
}

/// What `decimals` says of a FLOAT without a fixed number of digits after the point.
const NOT_FIXED_DECIMALS: u8 = 31;

impl Reader {
    pub(super) fn of_binary(column: &ColumnDefinition41) -> Reader {
        let has = |flag| column.flags.contains(flag);
        match column.column_type {
            ColumnType::BIT => Reader::NativeBit,
            ColumnType::TINY
            | ColumnType::SHORT
            | ColumnType::INT24
            | ColumnType::LONG
            | ColumnType::LONGLONG
            | ColumnType::YEAR => match () {
                () if has(ColumnFlags::UNSIGNED) && has(ColumnFlags::ZEROFILL) => {
                    Reader::Zerofill(column.length)
                }
                () if has(ColumnFlags::UNSIGNED) => Reader::Unsigned,
                () => Reader::Signed,
            },
            ColumnType::FLOAT => {
                Reader::BinaryFloat(Some(column.decimals).filter(|it| *it < NOT_FIXED_DECIMALS))
            }
            ColumnType::DOUBLE => Reader::BinaryDouble,
            ColumnType::DATE => Reader::Date,
            ColumnType::DATETIME | ColumnType::TIMESTAMP => Reader::DateTime(column.decimals),
            ColumnType::TIME => Reader::Time(column.decimals),
            _ => Reader::Bytes,
        }
    }

    pub(super) fn of(column: &ColumnDefinition41, native: bool) -> Reader {
        match column.column_type {
            ColumnType::BIT if native => Reader::NativeBit,
            ColumnType::BIT => Reader::Bit,
            ColumnType::TINY
            | ColumnType::SHORT
            | ColumnType::INT24
            | ColumnType::LONG
            | ColumnType::LONGLONG
            | ColumnType::YEAR
                if native && !column.flags.contains(ColumnFlags::ZEROFILL) =>
            {
                Reader::Integer
            }
            ColumnType::FLOAT | ColumnType::DOUBLE if native => Reader::Float,
            _ => Reader::Bytes,
        }
    }

    #[inline(always)]
    pub(super) fn write(self, bytes: &[u8], slot: Slot<'_>) {
        // What most values are needs none of the registers that the others save.
        match self {
            Reader::Bytes => slot.bytes(bytes),
            Reader::Integer => match integer(bytes) {
                Some(number) => slot.long(number),
                None => self.convert(bytes, slot),
            },
            Reader::Float => match float(bytes).or_else(|| parse(bytes)) {
                Some(number) => slot.double(number),
                None => slot.bytes(bytes),
            },
            _ => self.convert(bytes, slot),
        }
    }

    #[inline(never)]
    fn convert(self, bytes: &[u8], slot: Slot<'_>) {
        match self {
            Reader::Bytes => slot.bytes(bytes),
            Reader::Bit => slot.str(Str::decimal(bits(bytes))),
            Reader::NativeBit => match i64::try_from(bits(bytes)) {
                Ok(number) => slot.long(number),
                Err(_) => slot.str(Str::decimal(bits(bytes))),
            },
            Reader::Integer => match parse::<i64>(bytes) {
                Some(number) => slot.long(number),
                None => slot.bytes(bytes),
            },
            Reader::Float => self.write(bytes, slot),
            Reader::Signed => slot.long(binary_value::signed(bytes)),
            Reader::Unsigned => {
                let number = binary_value::unsigned(bytes);
                match i64::try_from(number) {
                    Ok(number) => slot.long(number),
                    Err(_) => slot.str(Str::decimal(number)),
                }
            }
            Reader::Zerofill(length) => {
                slot.str(zero_filled(binary_value::unsigned(bytes), length));
            }
            Reader::BinaryFloat(decimals) => match binary_value::float(bytes) {
                Ok(number) => slot.double(widened(number, decimals)),
                Err(_) => slot.null(),
            },
            Reader::BinaryDouble => match binary_value::double(bytes) {
                Ok(number) => slot.double(number),
                Err(_) => slot.null(),
            },
            Reader::Date => match DateTime::parse(bytes) {
                Ok(value) => slot.bytes(value.date_text().as_bytes()),
                Err(_) => slot.null(),
            },
            Reader::DateTime(decimals) => match DateTime::parse(bytes) {
                Ok(value) => slot.bytes(value.text(decimals).as_bytes()),
                Err(_) => slot.null(),
            },
            Reader::Time(decimals) => match Time::parse(bytes) {
                Ok(value) => slot.bytes(value.text(decimals).as_bytes()),
                Err(_) => slot.null(),
            },
        }
    }

    /// The length of the value if it is a string, else 0, as stock counts.
    pub(super) fn length(self, bytes: Option<&[u8]>) -> i64 {
        let bytes = bytes.unwrap_or_default();
        let length = match self {
            Reader::Bytes => bytes.len(),
            Reader::Bit if bytes.is_empty() => 0,
            Reader::Bit => bits(bytes).checked_ilog10().map_or(1, |log| log as usize + 1),
            Reader::NativeBit
            | Reader::Integer
            | Reader::Float
            | Reader::Signed
            | Reader::Unsigned
            | Reader::Zerofill(_)
            | Reader::BinaryFloat(_)
            | Reader::BinaryDouble
            | Reader::Date
            | Reader::DateTime(_)
            | Reader::Time(_) => 0,
        };
        i64::try_from(length).unwrap_or(i64::MAX)
    }
}

/// The number that up to eight bytes make, the highest first.
fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The integer of decimal digits, perhaps with a sign, if they are so few that nothing overflows.
#[inline(always)]
fn integer(bytes: &[u8]) -> Option<i64> {
    let (&first, rest) = bytes.split_first()?;
    let is_negative = first == b'-';
    let digits = if is_negative { rest } else { bytes };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let (mut number, mut digits) = (0, digits);
    while let Some((eight, rest)) = digits.split_first_chunk() {
        number = number * 100_000_000 + eight_digits(*eight)?;
        digits = rest;
    }
    for digit in digits {
        number = with_digit(number, *digit)?;
    }
    let number = number.cast_signed();
    Some(if is_negative { -number } else { number })
}

/// The number of eight decimal digits: all are looked at and put together at once, pairs first, then fours.
#[inline(always)]
fn eight_digits(digits: [u8; 8]) -> Option<u64> {
    const ZEROS: u64 = u64::from_le_bytes(*b"00000000");
    const HIGH_HALVES: u64 = 0xF0F0_F0F0_F0F0_F0F0;
    let digits = u64::from_le_bytes(digits);
    // Six above each: the high half of a byte stays that of a zero up to a nine.
    let above = digits.wrapping_add(0x0606_0606_0606_0606);
    if (digits & HIGH_HALVES) != ZEROS || (above & HIGH_HALVES) != ZEROS {
        return None;
    }
    let pairs = ((digits - ZEROS).wrapping_mul((10 << 8) + 1) >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul((100 << 16) + 1) >> 16) & 0x0000_FFFF_0000_FFFF;
    Some(fours.wrapping_mul((10_000 << 32) + 1) >> 32)
}

/// A number with one more decimal digit behind it.
#[inline(always)]
fn with_digit(number: u64, digit: u8) -> Option<u64> {
    let value = u64::from(digit).wrapping_sub(u64::from(b'0'));
    (value <= 9).then(|| number.wrapping_mul(10).wrapping_add(value))
}

/// The float of decimal digits, perhaps with a sign and a point, if they are so few that both their number without the point and the
/// power of ten that the point stands for are floats themselves: then there is but one rounding, that of their quotient.
#[inline(never)]
fn float(bytes: &[u8]) -> Option<f64> {
    const MOST_DIGITS: usize = 15;
    const POWERS: [f64; MOST_DIGITS] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14];
    let (&first, rest) = bytes.split_first()?;
    let is_negative = first == b'-';
    let unsigned = if is_negative { rest } else { bytes };
    if unsigned.is_empty() || unsigned.len() > MOST_DIGITS {
        return None;
    }
    let (mut number, mut decimals) = (0, 0);
    for (place, digit) in (1..).zip(unsigned) {
        match with_digit(number, *digit) {
            Some(longer) => number = longer,
            // With a digit before it, or behind.
            None if *digit == b'.' && bytes.len() > 2 => {
                let behind = unsigned.get(place..)?;
                decimals = behind.len();
                for digit in behind {
                    number = with_digit(number, *digit)?;
                }
                break;
            }
            None => return None,
        }
    }
    let power = POWERS.get(decimals)?;
    #[expect(clippy::cast_precision_loss, reason = "so few digits fit")]
    let quotient = number.cast_signed() as f64 / power;
    Some(if is_negative { -quotient } else { quotient })
}

#[inline(never)]
fn parse<T: core::str::FromStr>(bytes: &[u8]) -> Option<T> {
    ascii(bytes)?.parse().ok()
}

/// A number's digits, with zeros in front up to `length`.
fn zero_filled(number: u64, length: u32) -> Str {
    const ZEROS: [u8; 255] = [b'0'; 255];
    let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
    let missing = (length as usize).saturating_sub(digits).min(ZEROS.len());
    let number = Str::decimal(number);
    let filled = Str::concat(&[ZEROS.get(..missing).unwrap_or_default(), number.bytes()]);
    number.release();
    filled
}

/// A FLOAT as the double that its digits stand for: as many of them after the point as the column has, or the six that a FLOAT is sure of.
fn widened(number: f32, decimals: Option<u8>) -> f64 {
    let digits = match decimals {
        Some(decimals) => format!("{:.*}", decimals.into(), f64::from(number)),
        None => format!("{:.5e}", f64::from(number)),
    };
    digits.parse().unwrap_or(f64::from(number))
}
