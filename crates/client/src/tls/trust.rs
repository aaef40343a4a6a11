//! The CAs that are believed: those of a file, of directories, or the system's.

use std::env;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use super::x509::{Certificate, name_hash};
use super::{TlsOptions, unusable};
use crate::error::{Error, system_text};

/// The most that is read of a file, in bytes; the bundles of all CAs of the world have less than 1 MiB.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// How many files of one name a CA directory may have: `HASH.0` to `HASH.9`.
const MAX_SAME_HASH: usize = 10;

/// Where systems keep the CAs of all: Debian and its like, Red Hat and its like, SUSE, Alpine and the BSDs.
const SYSTEM_FILES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];
const SYSTEM_DIRECTORY: &str = "/etc/ssl/certs";

/// Known CAs, and other certificates that are believed for themselves.
#[derive(Debug)]
pub(super) struct Trust {
    /// Directories whose files are called after the hashes of names; only what is asked for is read.
    directories: Vec<PathBuf>,
    /// The system's file, which is read when no directory knows; one that was asked for is read in any case.
    bundle: Option<PathBuf>,
    certificates: OnceLock<Vec<Arc<Certificate>>>,
}

impl Trust {
    /// The CAs of the options, or the system's where the options name none.
    ///
    /// # Errors
    /// [`Error::Tls`]: the file can't be read, or there is no certificate in it.
    pub(super) fn new(options: &TlsOptions) -> Result<Trust, Error> {
        let TlsOptions { ca_file, ca_directories, .. } = options;
        if ca_file.is_none() && ca_directories.is_empty() {
            return Ok(Trust::of_system());
        }
        let certificates = match ca_file {
            Some(path) => {
                let pem =
                    read(path).map_err(|error| unusable("CA file", path, &system_text(&error)))?;
                let certificates = certificates(&pem);
                if certificates.is_empty() {
                    return Err(unusable("CA file", path, "there is no certificate in it"));
                }
                certificates
            }
            None => Vec::new(),
        };
        Ok(Trust {
            directories: named(ca_directories.iter().cloned()),
            bundle: None,
            certificates: OnceLock::from(certificates),
        })
    }

    /// What OpenSSL's programs would believe; its two variables are heeded as there, the first with colons between directories.
    fn of_system() -> Trust {
        let directories = env::var_os("SSL_CERT_DIR").unwrap_or_else(|| SYSTEM_DIRECTORY.into());
        let directories = named(env::split_paths(&directories));
        let bundle = env::var_os("SSL_CERT_FILE").map(PathBuf::from).or_else(|| {
            SYSTEM_FILES.iter().map(PathBuf::from).find(|path| fs::metadata(path).is_ok())
        });
        Trust { directories, bundle, certificates: OnceLock::new() }
    }

    /// The known certificates of this name.
    pub(super) fn of_name(&self, subject: &[u8]) -> Vec<Arc<Certificate>> {
        let mut found = Vec::new();
        let hash = name_hash(subject);
        for directory in &self.directories {
            for number in 0..MAX_SAME_HASH {
                let Ok(pem) = read(&directory.join(format!("{hash}.{number}"))) else { break };
                found.extend(certificates(&pem).into_iter().filter(|ca| ca.subject == subject));
            }
        }
        if found.is_empty() || self.bundle.is_none() {
            let listed = self.certificates.get_or_init(|| {
                let pem = self.bundle.as_deref().and_then(|path| read(path).ok());
                pem.map(|pem| certificates(&pem)).unwrap_or_default()
            });
            found.extend(listed.iter().filter(|ca| ca.subject == subject).cloned());
        }
        found
    }

    /// Whether a certificate is known itself.
    pub(super) fn knows(&self, certificate: &Certificate) -> bool {
        self.of_name(&certificate.subject).iter().any(|known| known.is_same(certificate))
    }
}

/// Those paths that are any: an empty one would be the folder that the process is in.
fn named(paths: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    paths.filter(|path| !path.as_os_str().is_empty()).collect()
}

/// The certificates of a PEM file; what is none is passed over.
fn certificates(pem: &[u8]) -> Vec<Arc<Certificate>> {
    let found = CertificateDer::pem_slice_iter(pem).filter_map(Result::ok);
    found.filter_map(|der| Certificate::parse(&der)).map(Arc::new).collect()
}

/// A whole file, up to a length that none has.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls_peer/cert.pem");

    /// A directory may know a namesake of the CA that the file has.
    #[test]
    fn a_chosen_file_is_searched_beside_a_directory() {
        let pem = read(Path::new(CERTIFICATE)).unwrap();
        let subject = certificates(&pem).remove(0).subject.clone();
        let directory = env::temp_dir().join(format!("vaquita-trust-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join(format!("{}.0", name_hash(&subject))), &pem).unwrap();
        let found = |ca_file: Option<PathBuf>, ca_directories: Vec<PathBuf>| {
            let options = TlsOptions { ca_file, ca_directories, ..TlsOptions::default() };
            Trust::new(&options).unwrap().of_name(&subject).len()
        };
        let file = Some(PathBuf::from(CERTIFICATE));
        let counts = [
            found(file.clone(), Vec::new()),
            found(None, vec!["/nonexistent".into(), directory.clone()]),
            found(file, vec![directory.clone()]),
        ];
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(counts, [1, 1, 2]);
    }
}
