//! What a server keeps of the parameters that a statement ran with: MySQL from 8.0.22 on prepares it again for some of them, and leaves it so.
//!
//! Measured on 8.0.33, by what second runs answer and warn of after first runs with other values. That depends on types, on NULL, and on values:
//! after the text `-7`, `SELECT ? + 1` answers `7` with `8.000000000000000000000000000000`. After a plain value, which is most of them, any other of
//! its type is answered as by a statement that never ran. The others leave something: texts that are numbers but no plain integers, and
//! what can be read as a date with a time.

use vaquita_protocol::{Data, Parameter};

/// The types of the parameters that a statement runs with, and what each leaves.
pub(super) type Types = Box<[([u8; 2], Left)]>;

/// What a value leaves in a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Nothing.
    Nothing,
    /// The same as each other zero.
    Zero,
    /// The same as each other date with a time.
    DateTime,
    /// Nobody knows.
    Anything,
}

/// Integers from here on may be dates with a time, YYMMDDhhmmss.
const FIRST_DATE_TIME: u64 = 100_000_000_000;
/// Those from here on are none, being longer than YYYYMMDDhhmmss.
const PAST_DATE_TIME: u64 = 1_000_000_000_000_000;

pub(super) fn types_of(parameters: &[Parameter<'_>]) -> Types {
    parameters.iter().map(|it| (it.type_and_null(), Left::by(it))).collect()
}

/// Whether a statement that ran with the first may run with the second as if it never had.
pub(super) fn fit(ran: &Types, runs: &Types) -> bool {
    ran.len() == runs.len()
        && ran.iter().zip(runs).all(|((ran, left), (runs, leaves))| {
            ran == runs && (*left == Left::Nothing || (left == leaves && *left != Left::Anything))
        })
}

/// Whether nobody knows what a run leaves.
pub(super) fn leave_anything(types: &Types) -> bool {
    types.iter().any(|(_, left)| *left == Left::Anything)
}

impl Left {
    fn by(parameter: &Parameter<'_>) -> Left {
        match *parameter {
            Parameter::Null => Left::Nothing,
            Parameter::Tiny(number) => Left::by_integer(number < 0, number.unsigned_abs().into()),
            Parameter::Integer(number) => {
                number.map_or(Left::Nothing, |it| Left::by_integer(it < 0, it.unsigned_abs()))
            }
            Parameter::Unsigned(number) => {
                number.map_or(Left::Nothing, |it| Left::by_integer(false, it))
            }
            Parameter::Double(number) => number.map_or(Left::Nothing, Left::by_double),
            Parameter::Text(Data::Bytes(text)) | Parameter::Blob(Data::Bytes(text)) => {
                Left::by_text(text)
            }
            Parameter::Text(Data::Null) | Parameter::Blob(Data::Null) => Left::Nothing,
            Parameter::Text(Data::Sent) | Parameter::Blob(Data::Sent) => Left::Anything,
        }
    }

    fn by_integer(is_negative: bool, number: u64) -> Left {
        match number {
            0 => Left::Zero,
            FIRST_DATE_TIME..PAST_DATE_TIME if !is_negative => Left::Anything,
            _ => Left::Nothing,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "both are exact")]
    fn by_double(number: f64) -> Left {
        let is_plain = (1.0..FIRST_DATE_TIME as f64).contains(&number.abs());
        if is_plain { Left::Nothing } else { Left::Anything }
    }

    fn by_text(text: &[u8]) -> Left {
        let is_integer = text.len() <= 11 && text.iter().all(u8::is_ascii_digit);
        let is_word = text.first().is_some_and(|it| it.is_ascii_alphabetic() || *it >= 0x80);
        if is_integer || is_word || is_date(text) {
            return Left::Nothing;
        }
        match text.split_at_checked(10) {
            Some((date, [b' ', time @ ..])) if is_date(date) && is_time(time) => Left::DateTime,
            _ => Left::Anything,
        }
    }
}

/// A number of two digits from these on, up to and with these.
fn is_within(text: &[u8], least: &[u8; 2], most: &[u8; 2]) -> bool {
    text.len() == 2 && text.iter().all(u8::is_ascii_digit) && text >= least && text <= most
}

/// A date that each month and each year has.
fn is_date(text: &[u8]) -> bool {
    let mut parts = text.split(|it| *it == b'-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    year.is_some_and(|it| it.len() == 4 && it.iter().all(u8::is_ascii_digit) && it > b"0000")
        && month.is_some_and(|it| is_within(it, b"01", b"12"))
        && day.is_some_and(|it| is_within(it, b"01", b"28"))
        && parts.next().is_none()
}

/// Hours, minutes and seconds, perhaps with a fraction.
fn is_time(text: &[u8]) -> bool {
    let (seconds, fraction) = text.split_at_checked(8).unwrap_or((text, b"."));
    let mut parts = seconds.split(|it| *it == b':');
    let mut next = |most| parts.next().is_some_and(|it| is_within(it, b"00", most));
    let is_fraction = match fraction {
        [] => true,
        [b'.', digits @ ..] => {
            (1..=6).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    };
    next(b"23") && next(b"59") && next(b"59") && parts.next().is_none() && is_fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_values_leave_nothing() {
        use Left::{Anything, DateTime, Nothing, Zero};
        for (text, expected) in [
            ("abc", Nothing),
            ("", Nothing),
            ("7", Nothing),
            ("99999999999", Nothing),
            ("é1", Nothing),
            ("x-7", Nothing),
            ("2026-11-22", Nothing),
            ("2026-11-22 14:00:59", DateTime),
            ("2026-11-22 14:00:59.25", DateTime),
            ("2026-02-30 14:00:59", Anything),
            ("2026-11-22 14:00:61", Anything),
            ("2026-11-22 14:00:59.", Anything),
            ("2026-11-22 14:00", Anything),
            ("0000-00-00 00:00:00", Anything),
            ("2026-11-22T14:00:59", Anything),
            ("20261122140059", Anything),
            ("-7", Anything),
            ("1.5", Anything),
            (" 7", Anything),
            ("550e8400-e29b", Anything),
        ] {
            let parameter = Parameter::Text(Data::Bytes(text.as_bytes()));
            assert_eq!(Left::by(&parameter), expected, "{text}");
        }
        for (number, expected) in [
            (5, Nothing),
            (-5, Nothing),
            (0, Zero),
            (20_261_122, Nothing),
            (20_261_122_140_059, Anything),
            (i64::MAX, Nothing),
            (i64::MIN, Nothing),
        ] {
            assert_eq!(Left::by(&Parameter::Integer(Some(number))), expected, "{number}");
        }
        for (number, expected) in
            [(1.5, Nothing), (-2.0, Nothing), (1e-5, Anything), (1e12, Anything)]
        {
            assert_eq!(Left::by(&Parameter::Double(Some(number))), expected, "{number}");
        }
    }

    #[test]
    fn a_statement_goes_on_where_nothing_is_left_or_the_same() {
        let types = |parameter: Parameter<'_>| types_of(&[parameter]);
        let integer = |it| types(Parameter::Integer(Some(it)));
        let text = |it: &'static str| types(Parameter::Text(Data::Bytes(it.as_bytes())));
        for (ran, runs, expected) in [
            (integer(5), integer(7), true),
            (integer(5), integer(0), true),
            (integer(0), integer(0), true),
            (integer(0), integer(5), false),
            (integer(5), text("5"), false),
            (integer(5), types(Parameter::Integer(None)), false),
            (text("abc"), text("-7"), true),
            (text("-7"), text("-7"), false),
            (text("2026-11-22 14:00:59"), text("2026-11-21 00:00:00"), true),
            (text("2026-11-22 14:00:59"), text("2026-11-21"), false),
            (integer(5), types_of(&[]), false),
        ] {
            assert_eq!(fit(&ran, &runs), expected, "{ran:?} {runs:?}");
        }
    }
}
