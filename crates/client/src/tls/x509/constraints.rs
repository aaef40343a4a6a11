//! Name constraints: for which names a CA may sign.
//!
//! <https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.10>

use x509_parser::extensions::{GeneralName, NameConstraints};

use super::name::canonical;
use super::{Certificate, Refusal};

/// How many pairs of a name and a constraint are compared for one certificate under one CA; OpenSSL has a limit of this kind, too.
const MAX_COMPARISONS: usize = 1 << 18;

const NOT_PERMITTED: Refusal = Refusal("a CA signed for a name that it may not sign for");
const NOT_SUPPORTED: Refusal = Refusal("a CA has a name constraint that is not supported here");
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
    pub(super) fn read(constraints: &NameConstraints<'_>) -> Constraints {
        let read = |subtrees: &Option<Vec<x509_parser::extensions::GeneralSubtree<'_>>>| {
            subtrees.iter().flatten().map(|subtree| AltName::read(&subtree.base)).collect()
        };
        Constraints {
            permitted: read(&constraints.permitted_subtrees),
            excluded: read(&constraints.excluded_subtrees),
        }
    }

    /// Whether a certificate may be under this CA; of a server's without a DNS name the common name counts as one.
    pub(super) fn allow(&self, certificate: &Certificate, is_leaf: bool) -> Result<(), Refusal> {
        let mut names = certificate.alt_names.clone();
        if !certificate.subject.is_empty() {
            names.push(AltName::Directory(certificate.subject.clone()));
        }
        if certificate.emails {
            names.push(AltName::Email);
        }
        let has_dns = names.iter().any(|name| matches!(name, AltName::Dns(_)));
        if let Some(name) = certificate.common_name.as_deref().filter(|_| is_leaf && !has_dns) {
            names.extend(looks_like_dns(name).then(|| AltName::Dns(name.to_vec())));
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

/// Whether a common name is meant as a host's: labels of letters, digits, `-` and `_`, with a dot between.
fn looks_like_dns(name: &[u8]) -> bool {
    let is_label = |label: &[u8]| {
        !label.is_empty()
            && !label.starts_with(b"-")
            && !label.ends_with(b"-")
            && label.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    name.contains(&b'.') && name.split(|byte| *byte == b'.').all(is_label)
}
