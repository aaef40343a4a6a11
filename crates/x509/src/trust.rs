//! The CAs that are believed: those of a file, of directories, or the system's.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::name::hash as name_hash;
use super::{Certificate, read_pem};

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
pub struct Trust {
    /// Directories whose files are called after the hashes of names; only what is asked for is read.
    directories: Vec<PathBuf>,
    /// The system's file, which is read when no directory knows.
    bundle: Option<PathBuf>,
    certificates: OnceLock<Vec<Arc<Certificate>>>,
}

impl Trust {
    /// These certificates, and those in directories, in files that are called after the hashes of their names; empty paths stand
    /// for none.
    pub fn new(certificates: Vec<Certificate>, directories: &[PathBuf]) -> Trust {
        let certificates: Vec<_> = certificates.into_iter().map(Arc::new).collect();
        Trust {
            directories: named(directories.iter().cloned()),
            bundle: None,
            certificates: OnceLock::from(certificates),
        }
    }

    /// What OpenSSL's programs would believe; its two variables are heeded as there, the first with colons between directories.
    pub fn of_system() -> Trust {
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
                let path = directory.join(format!("{hash}.{number}"));
                let Some(listed) = certificates(&path) else { break };
                found.extend(listed.filter(|ca| ca.subject == subject));
            }
        }
        if found.is_empty() || self.bundle.is_none() {
            let listed = self.certificates.get_or_init(|| {
                self.bundle.as_deref().and_then(certificates).into_iter().flatten().collect()
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

/// The certificates of a file; one that can't be read has none.
fn certificates(path: &Path) -> Option<impl Iterator<Item = Arc<Certificate>>> {
    let pem = read_pem(path).ok()?;
    Some(Certificate::parse_pem(&pem).into_iter().map(Arc::new))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEM: &[u8] = include_bytes!("constraints.pem");

    /// A directory may know a namesake of the CA that the file has.
    #[test]
    fn a_chosen_file_is_searched_beside_a_directory() {
        let first = || Certificate::parse_pem(PEM).into_iter().take(1).collect::<Vec<_>>();
        let subject = first().remove(0).subject;
        let directory = env::temp_dir().join(format!("vaquita-trust-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        fs::write(directory.join(format!("{}.0", name_hash(&subject))), PEM).unwrap();
        let in_directory =
            Certificate::parse_pem(PEM).iter().filter(|ca| ca.subject == subject).count();
        let found = |known: Vec<Certificate>, directories: &[PathBuf]| {
            Trust::new(known, directories).of_name(&subject).len()
        };
        let counts = [
            found(first(), &[]),
            found(Vec::new(), &["/nonexistent".into(), "".into(), directory.clone()]),
            found(first(), std::slice::from_ref(&directory)),
        ];
        fs::remove_dir_all(&directory).unwrap();
        assert_eq!(counts, [1, in_directory, 1 + in_directory]);
    }
}
