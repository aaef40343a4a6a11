//! Names in the form that two of them are compared in: letters' case, blanks and kinds of strings don't count.
//!
//! It is OpenSSL's canonical form, byte for byte, because the files of a CA directory are called after its hash.

use aws_lc_rs::digest;
use x509_parser::asn1_rs::{Any, Tag};
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

const OBJECT_IDENTIFIER: u8 = 6;
const UTF8_STRING: u8 = 12;
const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;

/// A name in canonical form; empty for a name without parts.
pub(super) fn canonical(name: &X509Name<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    for rdn in name.iter_rdn() {
        let mut parts: Vec<_> = rdn.iter().map(attribute).collect();
        // A SET OF is sorted.
        parts.sort();
        put(&mut out, SET, &parts.concat());
    }
    out
}

fn attribute(attribute: &AttributeTypeAndValue<'_>) -> Vec<u8> {
    let mut body = Vec::new();
    put(&mut body, OBJECT_IDENTIFIER, attribute.attr_type().as_bytes());
    let value = attribute.attr_value();
    match text(value) {
        Some(text) => put(&mut body, UTF8_STRING, fold(&text).as_bytes()),
        None => put(&mut body, u8::try_from(value.tag().0).unwrap_or(0xFF), value.data),
    }
    let mut out = Vec::new();
    put(&mut out, SEQUENCE, &body);
    out
}

/// A string of whatever kind; `None`: none, or one that is not compared as text.
fn text(value: &Any<'_>) -> Option<String> {
    let units = |size: usize| {
        let number =
            |unit: &[u8]| unit.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        let is_whole = value.data.len().is_multiple_of(size);
        let found = value.data.chunks(size).map(move |unit| char::from_u32(number(unit)));
        found.collect::<Option<String>>().filter(|_| is_whole)
    };
    match value.tag() {
        Tag::PrintableString | Tag::Ia5String | Tag::VisibleString | Tag::Utf8String => {
            String::from_utf8(value.data.to_vec()).ok()
        }
        Tag::T61String => units(1),
        Tag::BmpString => units(2),
        Tag::UniversalString => units(4),
        _ => None,
    }
}

/// A string as OpenSSL makes UTF-8 of it; `None`: it can't be.
fn characters(value: &Any<'_>) -> Option<String> {
    match value.tag() {
        Tag::Utf8String | Tag::BmpString | Tag::UniversalString => text(value),
        Tag::NumericString
        | Tag::PrintableString
        | Tag::T61String
        | Tag::Ia5String
        | Tag::VisibleString => Some(value.data.iter().copied().map(char::from).collect()),
        _ => None,
    }
}

/// The common names that count as names of hosts where a CA may sign only for some; `None`: one can't be read, or has a zero inside.
pub(super) fn host_names(name: &X509Name<'_>) -> Option<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for attribute in name.iter_common_name() {
        let text = characters(attribute.attr_value())?;
        let text = text.trim_end_matches('\0');
        if text.contains('\0') {
            return None;
        }
        names.extend(is_host_name(text).then(|| text.as_bytes().to_vec()));
    }
    Some(names)
}

/// Whether it has two labels or more, of letters, digits, `_` and, inside, `-`: OpenSSL's rule. A `*` counts as a letter here: a
/// common name with one is taken for the host's, so it is not exempt.
fn is_host_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'*');
    let is_label = |label: &str| {
        let ends = [label.bytes().next(), label.bytes().next_back()];
        ends.into_iter().all(|end| end.is_some_and(is_letter))
            && label.bytes().all(|byte| is_letter(byte) || byte == b'-')
    };
    name.contains('.') && name.split('.').all(is_label)
}

/// Blanks around it go, those inside become one, and ASCII letters small.
fn fold(text: &str) -> String {
    let is_blank = |c: char| matches!(c, ' ' | '\t'..='\r');
    let words = text.split(is_blank).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_ascii_lowercase()
}

fn put(out: &mut Vec<u8>, tag: u8, body: &[u8]) {
    out.push(tag);
    let length = body.len().to_be_bytes();
    let mut significant = length.iter().skip_while(|byte| **byte == 0).copied().peekable();
    if body.len() < 0x80 {
        out.push(significant.next().unwrap_or(0));
    } else {
        let count = significant.clone().count();
        out.push(0x80 | u8::try_from(count).unwrap_or_default());
        out.extend(significant);
    }
    out.extend_from_slice(body);
}

/// What a file in a CA directory is called after a CA's name, without the number at its end.
pub(super) fn hash(canonical: &[u8]) -> String {
    let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, canonical);
    let first = digest.as_ref().first_chunk().copied().unwrap_or_default();
    format!("{:08x}", u32::from_le_bytes(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use x509_parser::asn1_rs::FromDer;

    #[test]
    fn blanks_and_case_do_not_count() {
        assert_eq!(fold("  Test \t  CA "), "test ca");
        assert_eq!(fold("ÄB"), "Äb");
        assert_eq!(fold(" "), "");
    }

    #[test]
    fn common_names_of_two_labels_are_names_of_hosts() {
        const COMMON_NAME: &[u8] = &[6, 3, 0x55, 4, 3];
        let element = |tag: u8, body: &[u8]| {
            let mut out = Vec::new();
            put(&mut out, tag, body);
            out
        };
        let check = |names: &[(u8, &[u8])], expected: Option<&[&str]>| {
            let part = |(tag, text): &(u8, &[u8])| {
                let attribute = [COMMON_NAME, &element(*tag, text)].concat();
                element(SET, &element(SEQUENCE, &attribute))
            };
            let der = element(SEQUENCE, &names.iter().flat_map(part).collect::<Vec<_>>());
            let found = host_names(&X509Name::from_der(&der).unwrap().1);
            let expected = expected.map(|names| names.iter().map(|it| it.as_bytes().to_vec()));
            assert_eq!(found, expected.map(Iterator::collect), "{names:?}");
        };
        const BMP: u8 = 30;
        const PRINTABLE: u8 = 19;
        check(&[(UTF8_STRING, b"db.evil.test")], Some(&["db.evil.test"]));
        check(&[(UTF8_STRING, b"db"), (PRINTABLE, b"evil.test")], Some(&["evil.test"]));
        check(&[(BMP, b"\0a\0.\0b")], Some(&["a.b"]));
        check(&[(BMP, b"\0a\0.\0b\0")], None);
        check(&[(UTF8_STRING, b"a.b\0\0")], Some(&["a.b"]));
        check(&[(UTF8_STRING, b"a.b\0.c")], None);
        check(&[(UTF8_STRING, b"\xFF.b")], None);
        check(&[(PRINTABLE, b"\xFF.b")], Some(&[]));
        check(&[(4, b"a.b")], None);
        check(&[(UTF8_STRING, b"*.b"), (UTF8_STRING, b"a_-1.B")], Some(&["*.b", "a_-1.B"]));
        for other in [
            "localhost",
            "*",
            "",
            "Some Person",
            "a.b ",
            "a.b.",
            ".b",
            "a..b",
            "-a.b",
            "a-.b",
            "a.-b",
            "a.b-",
            "\u{e4}.b",
        ] {
            check(&[(UTF8_STRING, other.as_bytes())], Some(&[]));
        }
    }

    #[test]
    fn lengths_are_encoded_as_der_does() {
        for (length, head) in [
            (0, &[12, 0][..]),
            (127, &[12, 127]),
            (128, &[12, 0x81, 128]),
            (300, &[12, 0x82, 1, 44]),
        ] {
            let mut out = Vec::new();
            put(&mut out, UTF8_STRING, &vec![b'x'; length]);
            assert!(out.starts_with(head) && out.len() == head.len() + length, "{length}");
        }
    }
}
