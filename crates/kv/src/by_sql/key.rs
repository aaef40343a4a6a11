//! A value of a key as its column has it: what is bound for it, and what a server makes of it.
//!
//! A number is never compared with a text: SQL would compare both as floating point numbers, and find several rows, or all that begin with no digit.

use std::borrow::Cow;

use vaquita_client::{Data, Parameter};

use crate::plan::has_ascii;
use crate::table::{Column, Kind};

/// A value of a key, as the caller has it. It is made one of its column's kind: PHP's arrays have the number 5 for the text "5".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyValue<'a> {
    /// A whole number.
    Integer(i64),
    /// A text in the connection's character set, bytes, or the digits of a number as SQL gives them.
    Bytes(&'a [u8]),
}

/// What becomes of a value of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The column holds it as it is.
    Whole,
    /// The server alone can say what it is equal to; it would cut it, or take it for something else, before it stores it.
    AskServer,
    /// No row has it: no value of the column is that.
    None,
}

/// A value of a column's kind.
#[derive(Clone, Debug)]
pub(super) enum Part<'a> {
    Signed(i64),
    Unsigned(u64),
    Text(Cow<'a, [u8]>),
    Bytes(Cow<'a, [u8]>),
}

impl<'a> Part<'a> {
    /// A value of a column, and what becomes of it in a connection of this character set.
    pub(super) fn of(value: KeyValue<'a>, column: &Column, client: &[u8]) -> (Part<'a>, Fit) {
        match &column.kind {
            Kind::Integer { bytes, is_unsigned, .. } => integer(value, *bytes, *is_unsigned),
            Kind::Bytes { is_fixed, most } => {
                let bytes = value.text();
                // One that is filled up is another value than what it was filled up from.
                let has_room = if *is_fixed {
                    bytes.len() as u64 == *most
                } else {
                    bytes.len() as u64 <= *most
                };
                (Part::Bytes(bytes), if has_room { Fit::Whole } else { Fit::None })
            }
            Kind::Text { is_fixed, most, charset, .. } => {
                let text = value.text();
                // CHAR loses blanks at its end; there is an sql_mode in which an empty text is NULL.
                let is_changed =
                    *is_fixed && text.ends_with(b" ") || column.is_nullable && text.is_empty();
                let fit = match text_fit(&text, client, charset, *most) {
                    Fit::Whole if is_changed => Fit::AskServer,
                    fit => fit,
                };
                (Part::Text(text), fit)
            }
            // There are no such keys.
            Kind::Other { .. } | Kind::OfSession => (Part::Bytes(value.text()), Fit::None),
        }
    }

    /// What is bound for it.
    pub(super) fn parameter(&self) -> Parameter<'_> {
        match self {
            Part::Signed(number) => Parameter::Integer(Some(*number)),
            Part::Unsigned(number) => Parameter::Unsigned(Some(*number)),
            Part::Text(text) => Parameter::Text(Data::Bytes(text)),
            Part::Bytes(bytes) => Parameter::Blob(Data::Bytes(bytes)),
        }
    }

    /// Whether it is the number that has AUTO_INCREMENT make another one.
    pub(super) fn is_zero(&self) -> bool {
        matches!(self, Part::Signed(0) | Part::Unsigned(0))
    }

    /// Appends it as a value of JSON: bytes in hexadecimal.
    pub(super) fn put_json(&self, json: &mut Vec<u8>) {
        match self {
            Part::Signed(number) => json.extend_from_slice(number.to_string().as_bytes()),
            Part::Unsigned(number) => json.extend_from_slice(number.to_string().as_bytes()),
            Part::Text(text) => {
                json.push(b'"');
                for byte in &**text {
                    match byte {
                        b'"' | b'\\' => json.extend([b'\\', *byte]),
                        0..0x20 => {
                            json.extend_from_slice(b"\\u00");
                            json.extend(hexadecimal(*byte));
                        }
                        _ => json.push(*byte),
                    }
                }
                json.push(b'"');
            }
            Part::Bytes(bytes) => {
                json.push(b'"');
                json.extend(bytes.iter().flat_map(|byte| hexadecimal(*byte)));
                json.push(b'"');
            }
        }
    }
}

impl<'a> KeyValue<'a> {
    fn text(self) -> Cow<'a, [u8]> {
        match self {
            KeyValue::Integer(number) => Cow::Owned(number.to_string().into_bytes()),
            KeyValue::Bytes(bytes) => Cow::Borrowed(bytes),
        }
    }
}

fn integer(value: KeyValue<'_>, bytes: u8, is_unsigned: bool) -> (Part<'static>, Fit) {
    let number = match value {
        KeyValue::Integer(number) => Some(i128::from(number)),
        KeyValue::Bytes(digits) => canonical(digits),
    };
    let bits = u32::from(bytes) * 8;
    let (least, most) = if is_unsigned {
        (0, (1_i128 << bits) - 1)
    } else {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    };
    let number = number.filter(|number| (least..=most).contains(number));
    let part = if is_unsigned {
        number.and_then(|it| u64::try_from(it).ok()).map(Part::Unsigned)
    } else {
        number.and_then(|it| i64::try_from(it).ok()).map(Part::Signed)
    };
    part.map_or((Part::Signed(0), Fit::None), |part| (part, Fit::Whole))
}

/// The number whose digits these are, as it is written without need.
fn canonical(digits: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(digits).ok().filter(|text| text.len() <= 20)?;
    let number: i128 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// What becomes of a text of a client's character set in a column of so many characters at most.
fn text_fit(text: &[u8], client: &[u8], column: &[u8], most: u64) -> Fit {
    if !has_ascii(client) || !has_ascii(column) {
        return Fit::AskServer;
    }
    let is_utf8 = |charset: &[u8]| charset.starts_with(b"utf8");
    let characters = if text.is_ascii() {
        text.len()
    } else if column == b"ascii" {
        return Fit::None;
    } else if is_utf8(client) {
        let Ok(text) = std::str::from_utf8(text) else { return Fit::None };
        let of_all = text.chars().map(|it| character_fit(it, client, column));
        let worst = of_all.max_by_key(|fit| *fit as u8).unwrap_or(Fit::Whole);
        if worst != Fit::Whole {
            return worst;
        }
        text.chars().count()
    } else if client == b"latin1" && (column == client || is_utf8(column)) {
        text.len()
    } else {
        return Fit::AskServer;
    };
    if characters as u64 <= most { Fit::Whole } else { Fit::AskServer }
}

/// What becomes of a character of a client's UTF-8 in a column.
fn character_fit(character: char, client: &[u8], column: &[u8]) -> Fit {
    // What MySQL's latin1 has from 0x80 to 0x9F, besides control characters.
    const OF_WINDOWS: &str = "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ";
    let is_short = character <= '\u{FFFF}';
    let is_there = match (column, character) {
        (_, '\0'..='\x7F') => true,
        // Three bytes are the most that this client can send.
        _ if client != b"utf8mb4" && !is_short => return Fit::AskServer,
        (b"utf8mb4", _) => true,
        (b"utf8mb3" | b"utf8", _) => is_short,
        (b"latin1", '\u{80}'..='\u{9F}') => return Fit::AskServer,
        (b"latin1", _) => character <= '\u{FF}' || OF_WINDOWS.contains(character),
        _ => false,
    };
    if is_there { Fit::Whole } else { Fit::None }
}

fn hexadecimal(byte: u8) -> [u8; 2] {
    let digit = |nibble: u8| if nibble < 10 { b'0' + nibble } else { b'A' + nibble - 10 };
    [digit(byte >> 4), digit(byte & 15)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: Kind) -> Column {
        let name = b"k".as_slice().into();
        Column { name, kind, is_nullable: false, makes_numbers: false }
    }

    fn text(charset: &str, most: u64, is_fixed: bool) -> Column {
        let charset = charset.as_bytes().into();
        column(Kind::Text { is_fixed, most, charset, collation: Box::default() })
    }

    fn json(value: KeyValue<'_>, column: &Column, client: &str) -> (String, Fit) {
        let (part, fit) = Part::of(value, column, client.as_bytes());
        let mut json = Vec::new();
        part.put_json(&mut json);
        (String::from_utf8(json).unwrap(), fit)
    }

    #[test]
    fn numbers_are_numbers_of_their_column() {
        let check = |value: KeyValue<'_>, bytes, is_unsigned, expected: Option<&str>| {
            let column = column(Kind::Integer { bytes, is_unsigned, is_filled: false });
            let (json, fit) = json(value, &column, "gbk");
            let found = (fit == Fit::Whole).then_some(json);
            assert_eq!(found.as_deref(), expected, "{value:?} {bytes} {is_unsigned}");
        };
        let digits = |digits: &'static str| KeyValue::Bytes(digits.as_bytes());
        check(KeyValue::Integer(-128), 1, false, Some("-128"));
        check(KeyValue::Integer(128), 1, false, None);
        check(KeyValue::Integer(-1), 1, true, None);
        check(KeyValue::Integer(255), 1, true, Some("255"));
        check(digits("18446744073709551615"), 8, true, Some("18446744073709551615"));
        check(digits("18446744073709551616"), 8, true, None);
        check(digits("-9223372036854775808"), 8, false, Some("-9223372036854775808"));
        check(digits("9223372036854775808"), 8, false, None);
        for none in ["", "05", "+5", "-0", " 5", "5 ", "5.0", "5e0", "x", "0x5", "\u{663}"] {
            check(KeyValue::Bytes(none.as_bytes()), 8, false, None);
        }
    }

    #[test]
    fn texts_fit_where_a_column_holds_them() {
        use Fit::{AskServer, None, Whole};
        let check = |key: &str, client: &str, column: &Column, expected| {
            let (_, fit) = json(KeyValue::Bytes(key.as_bytes()), column, client);
            assert_eq!(fit, expected, "{key:?} {client} {column:?}");
        };
        check("abc", "utf8mb4", &text("utf8mb4", 3, false), Whole);
        check("abc ", "utf8mb4", &text("utf8mb4", 3, false), AskServer);
        check("abc", "utf8mb4", &text("ucs2", 3, false), AskServer);
        check("abc", "gbk", &text("utf8mb4", 3, false), AskServer);
        check("ä😀€", "utf8mb4", &text("utf8mb4", 3, false), Whole);
        check("ä😀€", "utf8mb4", &text("utf8mb3", 3, false), None);
        check("ä😀€", "utf8mb3", &text("utf8mb4", 3, false), AskServer);
        check("ä€", "utf8mb4", &text("utf8mb3", 3, false), Whole);
        check("äÿ", "utf8mb4", &text("latin1", 3, false), Whole);
        check("€Ÿ\u{A0}", "utf8mb4", &text("latin1", 3, false), Whole);
        check("ж", "utf8mb4", &text("latin1", 3, false), None);
        check("\u{81}", "utf8mb4", &text("latin1", 3, false), AskServer);
        check("ä", "utf8mb4", &text("ascii", 3, false), None);
        check("ä", "latin1", &text("latin1", 2, false), Whole);
        check("ä", "latin1", &text("ascii", 2, false), None);
        check("a ", "utf8mb4", &text("latin1", 3, true), AskServer);
        check("", "utf8mb4", &text("latin1", 3, true), Whole);
        let invalid = Part::of(KeyValue::Bytes(b"\xFF"), &text("utf8mb4", 3, false), b"utf8mb4");
        assert_eq!(invalid.1, None);
    }

    #[test]
    fn bytes_are_as_long_as_their_column() {
        let bytes = |is_fixed, most| column(Kind::Bytes { is_fixed, most });
        let check = |column: &Column, expected| {
            assert_eq!(json(KeyValue::Bytes(b"a\x00\xFF"), column, "utf8mb4").1, expected);
        };
        check(&bytes(false, 3), Fit::Whole);
        check(&bytes(false, 4), Fit::Whole);
        check(&bytes(false, 2), Fit::None);
        check(&bytes(true, 3), Fit::Whole);
        check(&bytes(true, 4), Fit::None);
    }

    #[test]
    fn json_says_what_the_key_is() {
        let utf8mb4 = text("utf8mb4", 100, false);
        let check = |value, column: &Column, expected: &str| {
            assert_eq!(json(value, column, "utf8mb4").0, expected);
        };
        let any = KeyValue::Bytes("a\"\\'/\n\0\u{7F}ä😀".as_bytes());
        check(any, &utf8mb4, "\"a\\\"\\\\'/\\u000A\\u0000\u{7F}ä😀\"");
        check(KeyValue::Integer(-5), &utf8mb4, "\"-5\"");
        let bytes = column(Kind::Bytes { is_fixed: false, most: 9 });
        check(KeyValue::Bytes(b"\x00\x9F\xFAa"), &bytes, "\"009FFA61\"");
    }
}
