//! Certificates of servers: what must hold of any, and the sets of them that changes begin with.
//!
//! An input is a sequence of parts: a byte that says what it is, its length in two bytes, and the part.

use std::path::Path;
use std::{fs, io};

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, CertificateRevocationListDer};
use vaquita_x509::{Certificate, Crls, Policy, Trust};

/// When the servers are met, in seconds of Unix time: in 2030.
const NOW: i64 = 1_900_000_000;
/// The strength that is asked for, in bits: that of RSA with 2048.
const STRENGTH: u32 = 112;
/// More are no certificates of a server's; in real life a session of TLS sets the limit.
const MAX_PARTS: usize = 16;

/// What a part of an input is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whom the certificate must be for.
    Host,
    /// The server's certificate; the first one counts.
    Leaf,
    /// What the server sends along.
    Presented,
    /// A certificate that is known.
    Known,
    /// A revocation list.
    Crl,
}

const KINDS: [Kind; 5] = [Kind::Host, Kind::Leaf, Kind::Presented, Kind::Known, Kind::Crl];

/// A part of an input.
pub type Part<'a> = (Kind, &'a [u8]);

/// Parts of its own.
pub type Set = Vec<(Kind, Vec<u8>)>;

/// The parts of an input; the last one may be shorter than it claims.
pub fn parts(mut data: &[u8]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    while let Some(([kind, low, high], rest)) = data.split_first_chunk() {
        let Some(kind) = KINDS.get(usize::from(*kind)) else { break };
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let (part, behind) = rest.split_at_checked(length).unwrap_or((rest, &[]));
        parts.push((*kind, part));
        data = behind;
        if parts.len() == MAX_PARTS {
            break;
        }
    }
    parts
}

/// The input of some parts.
pub fn input(parts: &[(Kind, Vec<u8>)]) -> Vec<u8> {
    let mut data = Vec::new();
    for (kind, part) in parts {
        let position = KINDS.iter().position(|other| other == kind).unwrap_or_default();
        data.push(u8::try_from(position).unwrap_or_default());
        data.extend(u16::try_from(part.len()).unwrap_or(u16::MAX).to_le_bytes());
        data.extend_from_slice(part);
    }
    data
}

/// Whether the server is believed by these kinds of parts.
fn is_believed(parts: &[Part<'_>], kinds: &[Kind], strength: u32, now: i64) -> bool {
    let of = |kind| {
        let those = parts.iter().filter(move |(other, _)| *other == kind && kinds.contains(&kind));
        those.map(|(_, bytes)| *bytes)
    };
    let Some(leaf) = of(Kind::Leaf).next() else { return false };
    let crls = Crls::parse(of(Kind::Crl));
    if crls.is_none() && of(Kind::Crl).next().is_some() {
        return false;
    }
    let policy = Policy {
        trust: Trust::new(of(Kind::Known).filter_map(Certificate::parse).collect(), &[]),
        crls,
        strength,
        host: of(Kind::Host).next().map(|host| String::from_utf8_lossy(host).into_owned()),
    };
    policy.verify(leaf, of(Kind::Presented), now).is_ok()
}

/// A server and what is known: who is believed with more conditions is believed with less, and nobody without a known certificate, or
/// at all times.
pub fn certificate(data: &[u8]) -> bool {
    let parts = parts(data);
    if !is_believed(&parts, &KINDS, STRENGTH, NOW) {
        return false;
    }
    let [host, leaf, presented, known, crl] = KINDS;
    assert!(is_believed(&parts, &[leaf, presented, known, crl], STRENGTH, NOW));
    assert!(is_believed(&parts, &[host, leaf, presented, known], 0, NOW));
    assert!(!is_believed(&parts, &[host, leaf, presented, crl], 0, NOW));
    assert!(!is_believed(&parts, &KINDS, STRENGTH, i64::MIN));
    assert!(!is_believed(&parts, &KINDS, STRENGTH, i64::MAX));
    true
}

/// The sets that changes begin with, from the files in `certificates/`: a server's certificate, what it sends along, and at the end the
/// CA that is known; then revocation lists. Only one that stands alone is known itself.
///
/// # Errors
/// A file can't be read, or is wrong.
pub fn sets() -> io::Result<Vec<Set>> {
    texts()?.iter().map(|text| set(text)).collect()
}

/// Those files, as they are.
///
/// # Errors
/// A file can't be read.
pub fn texts() -> io::Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("certificates");
    let mut paths: Vec<_> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.sort();
    paths.iter().map(fs::read_to_string).collect()
}

fn set(text: &str) -> io::Result<Set> {
    let wrong = |_| io::Error::other("not PEM");
    let host = text.lines().find_map(|line| line.strip_prefix("host "));
    let host = host.ok_or_else(|| io::Error::other("no host"))?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(text.as_bytes()).collect();
    let certificates = certificates.map_err(wrong)?;
    let lists: Result<Vec<_>, _> =
        CertificateRevocationListDer::pem_slice_iter(text.as_bytes()).collect();
    let mut parts = vec![(Kind::Host, host.as_bytes().to_vec())];
    for (index, der) in certificates.iter().enumerate() {
        let kind = if index == 0 { Kind::Leaf } else { Kind::Presented };
        let kind = if index > 0 && index + 1 == certificates.len() { Kind::Known } else { kind };
        parts.push((kind, der.to_vec()));
    }
    if let [alone] = &certificates[..] {
        parts.push((Kind::Known, alone.to_vec()));
    }
    parts.extend(lists.map_err(wrong)?.iter().map(|der| (Kind::Crl, der.to_vec())));
    Ok(parts)
}
