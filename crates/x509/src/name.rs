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
        value.data.chunks(size).map(move |unit| char::from_u32(number(unit))).collect()
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

    #[test]
    fn blanks_and_case_do_not_count() {
        assert_eq!(fold("  Test \t  CA "), "test ca");
        assert_eq!(fold("ÄB"), "Äb");
        assert_eq!(fold(" "), "");
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
