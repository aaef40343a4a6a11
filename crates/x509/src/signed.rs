//! What is around the signed part of a certificate or a revocation list: not signed itself, so there is one way to write it only.
//!
//! <https://www.rfc-editor.org/rfc/rfc5280#section-4.1.1>

use x509_parser::asn1_rs::{Any, FromDer};

const BIT_STRING: u8 = 3;
const SEQUENCE: u8 = 0x30;

/// The two parts of a signed thing, and whether it names one algorithm only, inside and outside of what is signed.
pub(super) struct Signed<'a> {
    pub(super) tbs: &'a [u8],
    pub(super) signature: &'a [u8],
    pub(super) has_one_algorithm: bool,
}

/// A value of DER.
struct Element<'a> {
    whole: &'a [u8],
    content: &'a [u8],
    behind: &'a [u8],
}

impl<'a> Signed<'a> {
    /// Takes DER apart; `None`: it is nothing signed, or there is something behind it.
    pub(super) fn read(der: &'a [u8]) -> Option<Signed<'a>> {
        let outer = Element::read(der, SEQUENCE)?;
        let tbs = Element::read(outer.content, SEQUENCE)?;
        let algorithm = Element::read(tbs.behind, SEQUENCE)?;
        let signature = Element::read(algorithm.behind, BIT_STRING)?;
        let (unused_bits, bytes) = signature.content.split_first()?;
        let is_whole = outer.behind.is_empty() && signature.behind.is_empty() && *unused_bits == 0;
        is_whole.then_some(Signed {
            tbs: tbs.whole,
            signature: bytes,
            has_one_algorithm: first_sequence(tbs.content)? == algorithm.whole,
        })
    }
}

/// The first sequence in what is signed: the algorithm. Numbers stand before it.
fn first_sequence(mut content: &[u8]) -> Option<&[u8]> {
    loop {
        if let Some(element) = Element::read(content, SEQUENCE) {
            return Some(element.whole);
        }
        content = Element::read(content, *content.first()?)?.behind;
    }
}

impl<'a> Element<'a> {
    fn read(bytes: &'a [u8], tag: u8) -> Option<Element<'a>> {
        if bytes.first() != Some(&tag) {
            return None;
        }
        let (behind, any) = Any::from_der(bytes).ok()?;
        let whole = bytes.get(..bytes.len() - behind.len())?;
        Some(Element { whole, content: any.data, behind })
    }
}
