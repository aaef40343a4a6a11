//! TLS as a script asks for it, and as the settings do.

use super::Session;
use super::options::{Options, path_of};
use crate::zend::error::startup_warning;
use crate::zend::files;
use crate::zend::ini;
use crate::zend::module::text;
use crate::zend::string::Str;
use vaquita_client::{TlsOptions, Verify, codes};

/// `MYSQLI_CLIENT_SSL`, a flag of a connection.
const CLIENT_SSL: i64 = 2048;
/// `MYSQLI_CLIENT_SSL_VERIFY_SERVER_CERT`; neither this nor the next turns TLS on.
pub(crate) const CLIENT_SSL_VERIFY_SERVER_CERT: i64 = 1 << 30;
/// `MYSQLI_CLIENT_SSL_DONT_VERIFY_SERVER_CERT`; the one before is stronger.
pub(crate) const CLIENT_SSL_DONT_VERIFY_SERVER_CERT: i64 = 64;

/// What a script names for TLS: files, directories with colons between, ciphers as OpenSSL names them.
#[derive(Default)]
pub(crate) struct TlsFiles<'a> {
    pub(crate) key: Option<&'a [u8]>,
    pub(crate) certificate: Option<&'a [u8]>,
    pub(crate) ca_file: Option<&'a [u8]>,
    pub(crate) ca_directories: Option<&'a [u8]>,
    pub(crate) ciphers: Option<&'a [u8]>,
}

/// What was asked for. Where there is anything, be it empty, that is TLS.
#[derive(Default)]
pub(crate) struct Asked {
    key: Option<Vec<u8>>,
    certificate: Option<Vec<u8>>,
    ca_file: Option<Vec<u8>>,
    /// Several with colons between.
    ca_directories: Option<Vec<u8>>,
    ciphers: Option<Vec<u8>>,
}

impl Asked {
    pub(crate) fn of(files: &TlsFiles<'_>) -> Asked {
        // A text ends at its first NUL, as it does for stock.
        let own = |value: Option<&[u8]>| {
            value.map(|it| it.iter().take_while(|byte| **byte != 0).copied().collect())
        };
        Asked {
            key: own(files.key),
            certificate: own(files.certificate),
            ca_file: own(files.ca_file),
            ca_directories: own(files.ca_directories),
            ciphers: own(files.ciphers),
        }
    }

    fn is_anything(&self) -> bool {
        let Asked { key, certificate, ca_file, ca_directories, ciphers } = self;
        [key, certificate, ca_file, ca_directories, ciphers].into_iter().any(Option::is_some)
    }

    /// All that may be read, a path each.
    fn paths(&self) -> impl Iterator<Item = &[u8]> {
        let files = [&self.key, &self.certificate, &self.ca_file];
        let files = files.into_iter().filter_map(Option::as_deref);
        let paths = files.chain(self.ca_directories.as_deref().into_iter().flat_map(directories));
        paths.filter(|path| !path.is_empty())
    }
}

/// A list of directories, as OpenSSL reads it; one of colons alone is a list, too, of no directory.
fn directories(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == b':')
}

/// The settings that TLS heeds; one without a value is empty. They must not outlive the next user code, which may change them.
pub(crate) struct Settings<'a> {
    ca_file: &'a [u8],
    ca_directories: &'a [u8],
    crl_file: &'a [u8],
    /// How much is verified at the least, by TLS at the least; `None`: as the script asks.
    least: Option<Verify>,
}

impl Settings<'_> {
    /// How much is verified at the least, by TLS at the least.
    pub(crate) fn least(&self) -> Option<Verify> {
        self.least
    }

    pub(crate) fn read() -> Self {
        let value = |name| ini::string(name).unwrap_or_default();
        Settings {
            ca_file: value(c"openssl.cafile"),
            ca_directories: value(c"openssl.capath"),
            crl_file: value(c"vaquita.tls_crl"),
            // Whoever mistypes it wants some of it: what it can't be read as is the strictest.
            least: least(value(c"vaquita.tls")).unwrap_or(Some(Verify::Identity)),
        }
    }
}

/// What `vaquita.tls` asks for; `Err`: it is no word of its.
fn least(setting: &[u8]) -> Result<Option<Verify>, ()> {
    match setting {
        b"" => Ok(None),
        b"required" => Ok(Some(Verify::None)),
        b"verify-ca" => Ok(Some(Verify::Ca)),
        b"verify-identity" => Ok(Some(Verify::Identity)),
        _ => Err(()),
    }
}

/// Warns at PHP's start of a `vaquita.tls` that is no word of its.
pub(crate) fn warn_of_least() {
    let setting = ini::string(c"vaquita.tls").unwrap_or_default();
    if least(setting).is_err() {
        startup_warning(&text(&[
            b"Vaquita: vaquita.tls must be required, verify-ca or verify-identity, or empty; it is ",
            setting,
            b", which is taken as verify-identity",
        ]));
    }
}

/// What a connection is to do about TLS, by the rules of stock: a file, a directory or a cipher turns it on, and verification with
/// it; the flag alone only encrypts. The setting `vaquita.tls` makes that stricter.
pub(crate) fn options(asked: &Options, settings: &Settings<'_>, flags: i64) -> Option<TlsOptions> {
    let asked = &asked.tls;
    if flags & CLIENT_SSL == 0 && !asked.is_anything() && settings.least.is_none() {
        return None;
    }
    let is_verified = flags & CLIENT_SSL_VERIFY_SERVER_CERT != 0
        || (asked.is_anything() && flags & CLIENT_SSL_DONT_VERIFY_SERVER_CERT == 0);
    let path = |asked: &Option<Vec<u8>>| asked.as_deref().map(path_of);
    let ca_directories = asked.ca_directories.as_deref().or_else(|| given(settings.ca_directories));
    Some(TlsOptions {
        // Nothing is stricter than the first.
        verify: if is_verified { Verify::Identity } else { settings.least.unwrap_or(Verify::None) },
        ca_file: path(&asked.ca_file).or_else(|| given(settings.ca_file).map(path_of)),
        ca_directories: ca_directories.into_iter().flat_map(directories).map(path_of).collect(),
        certificate: path(&asked.certificate),
        key: path(&asked.key),
        ciphers: asked.ciphers.as_deref().map(|it| String::from_utf8_lossy(it).into_owned()),
        crl_file: given(settings.crl_file).map(path_of),
    })
}

/// Whether a connection made with this TLS is at least as strict as is asked for.
pub(crate) fn is_at_least(made_with: Option<&TlsOptions>, asked: Option<Verify>) -> bool {
    made_with.map(|tls| tls.verify) >= asked
}

/// A setting's value; `None`: it has none.
fn given(value: &[u8]) -> Option<&[u8]> {
    Some(value).filter(|value| !value.is_empty())
}

/// Whether the script may have the files that it named for TLS read; if not, the session says why.
pub(crate) fn may_read_files(session: &Session) -> bool {
    for index in 0.. {
        let path = session.options.peek(|options| options.tls.paths().nth(index).map(Str::new));
        let Ok(Some(path)) = path else { return path.is_ok() };
        let is_allowed = files::is_allowed(path);
        if !is_allowed {
            let message = format!(
                "Cannot connect to MySQL using SSL: {} can't be used: open_basedir restriction in effect",
                path_of(path.bytes()).display()
            );
            session.error.set(codes::CONNECTION_ERROR, *b"HY000", message.into_bytes());
        }
        path.release();
        if !is_allowed {
            return false;
        }
    }
    true
}
