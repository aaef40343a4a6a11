//! With which values a statement may run and be kept, on MySQL from 8.0.22 on.
//!
//! That server derives the type of each `?` from what it is compared with or stored in, and tells it. A value that it can't convert to that type
//! has it prepare the statement again, for the types of that run, and so it stays: `a = ?` finds a `'05'` for a 5 then, and looks for `'5'` as for a
//! number. It prepares it again, too, with the values of the next run, after another session's ALTER TABLE. Values that suit leave the types as
//! they were derived, whatever has it prepare the statement. So after such runs it answers any value as a fresh one does, unless it is
//! to be prepared again just then: a statement that was kept runs first with values that suit, or is prepared afresh. Measured on 8.0.33
//! and 9.7, with all types before all others, and again by `server_statement_cache/shapes.rs`.

use vaquita_protocol::{ColumnDefinition41, ColumnType, Data, Parameter};

/// A text of so many digits is an integer, with a sign and without one.
const MOST_DIGITS: usize = 18;

/// What a server has derived of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Derived {
    Integer,
    Double,
    Text,
    /// A date with a time.
    DateTime,
    Date,
    /// What is not used often enough to be known here.
    Other,
}

impl Derived {
    pub(super) fn of(parameter: &ColumnDefinition41) -> Derived {
        match parameter.column_type {
            ColumnType::LONGLONG => Derived::Integer,
            ColumnType::DOUBLE => Derived::Double,
            ColumnType::VAR_STRING | ColumnType::LONG_BLOB => Derived::Text,
            ColumnType::DATETIME => Derived::DateTime,
            ColumnType::DATE => Derived::Date,
            _ => Derived::Other,
        }
    }

    /// Whether a value is one of this type, or is converted to it by the server. That an integer has a sign is all the same.
    fn suits(self, value: &Parameter<'_>) -> bool {
        match (self, *value) {
            (Derived::Other, _) => false,
            (
                _,
                Parameter::Null
                | Parameter::Integer(None)
                | Parameter::Double(None)
                | Parameter::Text(Data::Null),
            )
            | (Derived::Integer, Parameter::Integer(_))
            | (Derived::Double, Parameter::Double(_))
            | (Derived::Text, Parameter::Text(Data::Bytes(_))) => true,
            (Derived::Integer, Parameter::Text(Data::Bytes(text))) => is_integer(text),
            (Derived::Date, Parameter::Text(Data::Bytes(text))) => is_date(text),
            (Derived::DateTime, Parameter::Text(Data::Bytes(text))) => {
                matches!(text.split_at_checked(10), Some((date, [b' ', time @ ..])) if is_date(date) && is_time(time))
            }
            _ => false,
        }
    }
}

/// Whether all values suit.
pub(super) fn suit(derived: &[Derived], values: &[Parameter<'_>]) -> bool {
    derived.len() == values.len() && derived.iter().zip(values).all(|(one, it)| one.suits(it))
}

fn is_integer(text: &[u8]) -> bool {
    text.len() <= MOST_DIGITS
        && text.iter().all(u8::is_ascii_digit)
        && (text == b"0" || text.first().is_some_and(|first| *first != b'0'))
}

/// A number of two digits from these on, up to and with these.
fn is_within(text: &[u8], least: &[u8; 2], most: &[u8; 2]) -> bool {
    text.len() == 2 && text.iter().all(u8::is_ascii_digit) && text >= least && text <= most
}

/// A date that each month and each year has.
fn is_date(text: &[u8]) -> bool {
    let mut parts = text.split(|it| *it == b'-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    year.is_some_and(|it| it.len() == 4 && it.iter().all(u8::is_ascii_digit) && it >= b"1000")
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
    fn values_suit_that_are_read_in_one_way_only() {
        use Derived::{Date, DateTime, Double, Integer, Other, Text};
        let check = |value: Parameter<'_>, expected: &[Derived]| {
            let all = [Integer, Double, Text, DateTime, Date, Other];
            let suited: Vec<Derived> = all.into_iter().filter(|it| it.suits(&value)).collect();
            assert_eq!(suited, expected, "{value:?}");
        };
        check(Parameter::Null, &[Integer, Double, Text, DateTime, Date]);
        check(Parameter::Text(Data::Null), &[Integer, Double, Text, DateTime, Date]);
        check(Parameter::Integer(Some(-5)), &[Integer]);
        check(Parameter::Double(Some(0.5)), &[Double]);
        check(Parameter::Tiny(1), &[]);
        check(Parameter::Blob(Data::Bytes(b"5")), &[]);
        check(Parameter::Text(Data::Sent), &[]);
        for (text, expected) in [
            ("abc", &[Text][..]),
            ("", &[Text]),
            ("7", &[Integer, Text]),
            ("0", &[Integer, Text]),
            ("05", &[Text]),
            ("-7", &[Text]),
            ("1.5", &[Text]),
            ("123456789012345678", &[Integer, Text]),
            ("1234567890123456789", &[Text]),
            ("2026-11-22", &[Text, Date]),
            ("2026-02-29", &[Text]),
            ("0000-00-00", &[Text]),
            ("2026-11-22 14:00:59", &[Text, DateTime]),
            ("2026-11-22 14:00:59.25", &[Text, DateTime]),
            ("2026-11-22 14:00:61", &[Text]),
            ("2026-11-22 14:00:59.", &[Text]),
            ("2026-11-22 14:00", &[Text]),
            ("2026-11-22T14:00:59", &[Text]),
        ] {
            check(Parameter::Text(Data::Bytes(text.as_bytes())), expected);
        }
    }

    #[test]
    fn each_value_has_to_suit() {
        let [five, null] = [Parameter::Integer(Some(5)), Parameter::Null];
        assert!(suit(&[], &[]));
        assert!(suit(&[Derived::Integer, Derived::Text], &[five, null]));
        assert!(!suit(&[Derived::Integer, Derived::Text], &[five, five]));
        assert!(!suit(&[Derived::Integer], &[five, null]));
    }
}
