//! PEM files, as OpenSSL reads them, and what its "trusted certificates" say behind themselves.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use x509_parser::asn1_rs::{Any, Class, FromDer, Oid, Tag, oid};

use super::Certificate;

/// The most that is read of a file, in bytes; the bundles of all CAs of the world have less than 1 MiB.
const MAX_FILE_BYTES: u64 = 16 << 20;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What else is written around certificates.
const OTHER_NAMES: [(&[u8], &[u8]); 4] = [
    (b"-----BEGIN X509 CERTIFICATE-----", b"-----BEGIN CERTIFICATE-----"),
    (b"-----END X509 CERTIFICATE-----", b"-----END CERTIFICATE-----"),
    (b"-----BEGIN TRUSTED CERTIFICATE-----", b"-----BEGIN CERTIFICATE-----"),
    (b"-----END TRUSTED CERTIFICATE-----", b"-----END CERTIFICATE-----"),
];

/// A whole PEM file, up to 16 MiB, which none with certificates, keys or lists of them has; written as everybody reads it.
///
/// # Errors
/// As [`read_file`].
pub fn read_pem(path: &Path) -> io::Result<Vec<u8>> {
    Ok(plain(&read_file(path, MAX_FILE_BYTES)?))
}

/// A file, up to so many bytes. Nothing but a plain one: a pipe would keep the script until somebody writes to it, which no time-out of
/// connecting ends, and to open a device may do something.
///
/// # Errors
/// It can't be read, or is no plain file.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    // Of a folder the system says so when it is read.
    if !kind.is_file() && !kind.is_dir() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file"));
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text without a byte order mark and blanks at the ends of lines, and with one name for certificates.
fn plain(pem: &[u8]) -> Vec<u8> {
    let text = pem.strip_prefix(BYTE_ORDER_MARK).unwrap_or(pem);
    let mut plain = Vec::with_capacity(text.len() + 1);
    for line in text.split(|byte| *byte == b'\n') {
        let blanks = line.iter().rev().take_while(|byte| **byte <= b' ').count();
        let (line, _) = line.split_at_checked(line.len() - blanks).unwrap_or_default();
        let named = OTHER_NAMES.iter().find(|(other, _)| *other == line);
        plain.extend_from_slice(named.map_or(line, |(_, name)| name));
        plain.push(b'\n');
    }
    plain
}

impl Certificate {
    /// Reads the certificates of a PEM file, as [`read_pem`] gives it; what is none is passed over, and so is what its file says not to
    /// believe.
    pub fn parse_pem(pem: &[u8]) -> Vec<Certificate> {
        let found = CertificateDer::pem_slice_iter(pem).filter_map(Result::ok);
        found.filter_map(|der| Certificate::parse_known(&der)).collect()
    }

    /// Reads a certificate with or without settings behind it.
    fn parse_known(der: &[u8]) -> Option<Certificate> {
        let (settings, _) = Any::from_der(der).ok()?;
        let own = der.get(..der.len() - settings.len())?;
        let mut certificate = Certificate::parse(own)?;
        if !settings.is_empty() {
            certificate.is_anchor = is_trusted(settings)??;
        }
        Some(certificate)
    }
}

/// Whether it is said that a certificate is trusted for servers: `None` inside, that it is not; `None`: this can't be read.
///
/// The settings are OpenSSL's `X509_CERT_AUX`: a sequence of uses that it is trusted for, if there is one; under tag 0 one of those
/// that it is not; and what does not matter here.
fn is_trusted(settings: &[u8]) -> Option<Option<bool>> {
    let (behind, all) = Any::from_der(settings).ok()?;
    if !behind.is_empty() || all.tag() != Tag::Sequence {
        return None;
    }
    let mut is_trusted = Some(false);
    let mut is_rejected = false;
    let mut rest = all.data;
    while !rest.is_empty() {
        let (behind, part) = Any::from_der(rest).ok()?;
        rest = behind;
        if part.class() == Class::Universal && part.tag() == Tag::Sequence {
            is_trusted = is_for_servers(part.data)?.then_some(true);
        } else if part.class() == Class::ContextSpecific && part.tag() == Tag(0) {
            is_rejected = is_for_servers(part.data)?;
        }
    }
    Some(is_trusted.filter(|_| !is_rejected))
}

/// Whether servers, or all, are among some uses; `None`: they can't be read.
fn is_for_servers(mut uses: &[u8]) -> Option<bool> {
    const ALL: Oid<'static> = oid!(2.5.29.37.0);
    const SERVERS: Oid<'static> = oid!(1.3.6.1.5.5.7.3.1);
    let mut is_there = false;
    while !uses.is_empty() {
        let (behind, oid) = Oid::from_der(uses).ok()?;
        uses = behind;
        is_there |= oid == ALL || oid == SERVERS;
    }
    Some(is_there)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::{env, fs, process};

    #[test]
    fn a_pipe_is_not_waited_for() {
        let path = env::temp_dir().join(format!("vaquita-pipe-{}", process::id()));
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let read = read_pem(&path);
        fs::remove_file(&path).unwrap();
        assert_eq!(read.unwrap_err().to_string(), "it is no plain file");
    }

    #[test]
    fn only_plain_files_are_read() {
        let reason = |path: &str| read_file(Path::new(path), 10).unwrap_err().to_string();
        assert_eq!(reason("/dev/zero"), "it is no plain file");
        assert_eq!(reason("/dev/null"), "it is no plain file");
        assert!(reason("/").starts_with("Is a directory"));
        let this = concat!(env!("CARGO_MANIFEST_DIR"), "/src/pem.rs");
        assert_eq!(read_file(Path::new(this), 5).unwrap(), b"//! P");
    }
}
