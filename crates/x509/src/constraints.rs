//! Name constraints: for which names a CA may sign.
//!
//! <https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.10>

use x509_parser::asn1_rs::{Any, Class, FromDer, Tag};
use x509_parser::extensions::GeneralName;

use super::name::canonical;
use super::{Certificate, Refusal};

/// How many pairs of a name and a constraint are compared for one certificate under one CA; OpenSSL has a limit of this kind, too.
const MAX_COMPARISONS: usize = 1 << 18;

/// A subtree's `minimum` of zero, which is the default and so needs not be written.
const MINIMUM_OF_0: [u8; 3] = [0x80, 1, 0];

const NOT_PERMITTED: Refusal = Refusal("a CA signed for a name that it may not sign for");
const NOT_SUPPORTED: Refusal = Refusal("a CA has a name constraint that is not supported here");
const NOT_READ: Refusal = Refusal("a CA signed for a name that can't be read");
const TOO_MANY: Refusal = Refusal("a CA has too many name constraints");

/// A name that a certificate is for, or the constraint of such names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AltName {
    Dns(Vec<u8>),
    /// An address of 4 or 16 bytes; as a constraint, with as many of a mask behind it.
    Ip(Vec<u8>),
    /// In canonical form.
    Directory(Vec<u8>),
    /// Constraints of these are not understood, so where there are any, such names are refused.
    Email,
    Uri,
    Other,
}

impl AltName {
    pub(super) fn read(name: &GeneralName<'_>) -> AltName {
        match name {
            GeneralName::DNSName(name) => AltName::Dns(name.as_bytes().to_vec()),
            GeneralName::IPAddress(bytes) => AltName::Ip(bytes.to_vec()),
            GeneralName::DirectoryName(name) => AltName::Directory(canonical(name)),
            GeneralName::RFC822Name(_) => AltName::Email,
            GeneralName::URI(_) => AltName::Uri,
            _ => AltName::Other,
        }
    }

    fn is_like(&self, other: &AltName) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Whether this name is among those that `base` stands for.
    fn is_within(&self, base: &AltName) -> Result<bool, Refusal> {
        match (self, base) {
            (AltName::Dns(name), AltName::Dns(base)) => Ok(is_subdomain(name, base)),
            (AltName::Ip(address), AltName::Ip(base)) => {
                if base.len() != 8 && base.len() != 32 {
                    return Err(NOT_SUPPORTED);
                }
                let (net, mask) = base.split_at_checked(base.len() / 2).unwrap_or_default();
                let is_in = |((byte, net), mask): ((&u8, &u8), &u8)| byte & mask == net & mask;
                Ok(address.len() == net.len() && address.iter().zip(net).zip(mask).all(is_in))
            }
            (AltName::Directory(name), AltName::Directory(base)) => Ok(name.starts_with(base)),
            _ => Err(NOT_SUPPORTED),
        }
    }
}

fn is_subdomain(name: &[u8], base: &[u8]) -> bool {
    let Some(more) = name.len().checked_sub(base.len()) else { return false };
    let (front, back) = name.split_at_checked(more).unwrap_or_default();
    back.eq_ignore_ascii_case(base)
        && (front.is_empty() || base.is_empty() || base.starts_with(b".") || front.ends_with(b"."))
}

/// What a CA may and may not sign for.
#[derive(Clone, Debug)]
pub(super) struct Constraints {
    permitted: Vec<AltName>,
    excluded: Vec<AltName>,
}

impl Constraints {
    /// Reads an extension; `None`: there is something in it that can't be read, which may be what the CA must not sign for.
    pub(super) fn read(der: &[u8]) -> Option<Constraints> {
        let mut subtrees = [None, None];
        let mut rest = sequence(der)?;
        while !rest.is_empty() {
            let (behind, part) = Any::from_der(rest).ok()?;
            rest = behind;
            let kind = usize::try_from(part.tag().0).ok()?;
            let slot = subtrees.get_mut(kind).filter(|slot| slot.is_none())?;
            if part.class() != Class::ContextSpecific || !part.header.is_constructed() {
                return None;
            }
            *slot = Some(read_subtrees(part.data)?);
        }
        let [permitted, excluded] = subtrees;
        Some(Constraints {
            permitted: permitted.unwrap_or_default(),
            excluded: excluded.unwrap_or_default(),
        })
    }

    /// Whether a certificate may be under this CA; the common names of a server count as DNS names where there are no others, be they
    /// addresses: as such they are not constrained in stock.
    pub(super) fn allow(&self, certificate: &Certificate, is_leaf: bool) -> Result<(), Refusal> {
        let mut names = certificate.alt_names.clone();
        if !certificate.subject.is_empty() {
            names.push(AltName::Directory(certificate.subject.clone()));
        }
        if certificate.emails {
            names.push(AltName::Email);
        }
        if is_leaf && !names.iter().any(|name| matches!(name, AltName::Dns(_))) {
            let hosts = certificate.host_names.clone().ok_or(NOT_READ)?;
            names.extend(hosts.into_iter().map(AltName::Dns));
        }
        let bases = self.permitted.len() + self.excluded.len();
        if names.len().saturating_mul(bases) > MAX_COMPARISONS {
            return Err(TOO_MANY);
        }
        names.iter().try_for_each(|name| self.allow_name(name))
    }

    fn allow_name(&self, name: &AltName) -> Result<(), Refusal> {
        let mut is_constrained = false;
        let mut is_permitted = false;
        for base in self.permitted.iter().filter(|base| base.is_like(name)) {
            is_constrained = true;
            is_permitted |= name.is_within(base)?;
        }
        for base in self.excluded.iter().filter(|base| base.is_like(name)) {
            if name.is_within(base)? {
                return Err(NOT_PERMITTED);
            }
        }
        if is_constrained && !is_permitted { Err(NOT_PERMITTED) } else { Ok(()) }
    }
}

/// The content of a sequence behind which there is nothing.
fn sequence(der: &[u8]) -> Option<&[u8]> {
    let (rest, any) = Any::from_der(der).ok()?;
    (rest.is_empty() && any.class() == Class::Universal && any.tag() == Tag::Sequence)
        .then_some(any.data)
}

/// The bases of some subtrees; one with a limit of depth can't be read.
fn read_subtrees(mut rest: &[u8]) -> Option<Vec<AltName>> {
    let mut bases = Vec::new();
    while !rest.is_empty() {
        let (behind, _) = Any::from_der(rest).ok()?;
        let subtree = sequence(rest.get(..rest.len() - behind.len())?)?;
        rest = behind;
        let (limits, base) = GeneralName::from_der(subtree).ok()?;
        let is_unlimited = limits.is_empty() || limits == MINIMUM_OF_0;
        if !is_unlimited || matches!(base, GeneralName::Invalid(..)) {
            return None;
        }
        bases.push(AltName::read(&base));
    }
    Some(bases)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls_pki_types::CertificateDer;
    use rustls_pki_types::pem::PemObject;

    /// Four CAs made for this test: one for names in `good.test`, then ones with a name that is not ASCII, with a second subtree
    /// that breaks off, and with an unknown field.
    const CAS: &[u8] = include_bytes!("constraints.pem");

    fn cas() -> Vec<Certificate> {
        let ders = CertificateDer::pem_slice_iter(CAS).map(Result::unwrap);
        ders.map(|der| Certificate::parse(&der).unwrap()).collect()
    }

    #[test]
    fn constraints_that_cannot_be_read_spoil_a_ca() {
        let flaws: Vec<_> = cas().into_iter().map(|ca| ca.flaw.is_some()).collect();
        assert_eq!(flaws, [false, true, true, true]);
    }

    #[test]
    fn every_byte_of_constraints_counts() {
        let dns = |tag: u8, more: &[u8]| {
            let base = [&[0x82, 2, b'a', b'b'][..], more].concat();
            let subtree = [&[0x30, u8::try_from(base.len()).unwrap()][..], &base].concat();
            [&[tag, u8::try_from(subtree.len()).unwrap()][..], &subtree].concat()
        };
        let read = |parts: &[Vec<u8>]| {
            let parts = parts.concat();
            let der = [&[0x30, u8::try_from(parts.len()).unwrap()][..], &parts].concat();
            assert!(Constraints::read(&[&der[..], &[0]].concat()).is_none());
            let read = Constraints::read(&der);
            read.map(|read| (read.permitted.len(), read.excluded.len()))
        };
        let (permitted, excluded) = (dns(0xA0, b""), dns(0xA1, b""));
        assert_eq!(read(std::slice::from_ref(&permitted)), Some((1, 0)));
        assert_eq!(read(&[permitted.clone(), excluded.clone()]), Some((1, 1)));
        assert_eq!(read(&[dns(0xA1, &MINIMUM_OF_0)]), Some((0, 1)));
        assert_eq!(read(&[dns(0xA1, &[0x80, 1, 1])]), None);
        assert_eq!(read(&[dns(0xA1, &[0x81, 1, 0])]), None);
        assert_eq!(read(&[permitted.clone(), permitted.clone()]), None);
        assert_eq!(read(&[permitted.clone(), dns(0xA2, b"")]), None);
        assert_eq!(read(&[permitted.clone(), dns(0x30, b"")]), None);
        assert_eq!(read(&[permitted, vec![0xA1, 0]]), Some((1, 0)));
        assert_eq!(read(&[vec![0xA1, 3, 0x30, 1, 0x82]]), None);
        assert_eq!(read(&[]), Some((0, 0)));
    }

    #[test]
    fn a_common_name_is_constrained_as_the_host_it_stands_for() {
        let dns = |name: &str| AltName::Dns(name.as_bytes().to_vec());
        let constraints = Constraints {
            permitted: vec![dns("good.test")],
            excluded: vec![AltName::Ip(vec![10, 0, 0, 0, 255, 0, 0, 0]), dns("not.good.test")],
        };
        let mut leaf = cas().remove(0);
        let mut check = |hosts: &[&str], alt_names: &[AltName], expected: bool| {
            leaf.host_names = Some(hosts.iter().map(|name| name.as_bytes().to_vec()).collect());
            leaf.alt_names = alt_names.to_vec();
            assert_eq!(constraints.allow(&leaf, true).is_ok(), expected, "{hosts:?} {alt_names:?}");
            assert!(constraints.allow(&leaf, false).is_ok(), "{hosts:?} as a CA's");
        };
        check(&["db.good.test"], &[], true);
        check(&["*.good.test"], &[], true);
        check(&[], &[], true);
        check(&["*.not.good.test"], &[], false);
        check(&["db.evil.test"], &[], false);
        check(&["db.good.test", "db.evil.test"], &[], false);
        check(&["*.evil.test"], &[], false);
        check(&["10.1.2.3"], &[], false);
        check(&["db.evil.test"], &[AltName::Ip(vec![1, 2, 3, 4])], false);
        check(&["db.evil.test"], &[AltName::Uri], false);
        check(&["db.evil.test"], &[dns("db.good.test")], true);
        leaf.host_names = None;
        assert!(constraints.allow(&leaf, true).is_ok());
        leaf.alt_names.clear();
        assert!(constraints.allow(&leaf, true).is_err());
    }

    /// As in stock.
    #[test]
    fn an_address_as_a_common_name_is_no_address() {
        let mut leaf = cas().remove(0);
        leaf.host_names = Some(vec![b"127.0.0.1".to_vec()]);
        let net = || vec![AltName::Ip(vec![127, 0, 0, 1, 255, 255, 255, 255])];
        let other = vec![AltName::Ip(vec![10, 0, 0, 0, 255, 0, 0, 0])];
        let excluded = Constraints { permitted: Vec::new(), excluded: net() };
        let permitted = Constraints { permitted: other, excluded: Vec::new() };
        assert!(excluded.allow(&leaf, true).is_ok() && permitted.allow(&leaf, true).is_ok());
    }
}
