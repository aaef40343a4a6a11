//! TLS: what is asked for, and what it takes to begin a session.
//!
//! What PHP's stock driver accepts by OpenSSL is accepted here by a verifier of ours on top of rustls (the crate `vaquita-x509`).

mod ciphers;
mod identity;
mod outgoing;
mod session;
mod verifier;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::version::{TLS12, TLS13};
use rustls_pki_types::{IpAddr, Ipv4Addr, ServerName};
use vaquita_x509::{Certificate, Crls, Policy, Trust, read_pem};

use crate::error::{Error, system_text};
use crate::options::{Address, ConnectOptions};
use ciphers::Ciphers;
use identity::Identity;
pub(crate) use session::Session;
use verifier::{Anybody, Verifier};

/// How much of the server's certificate is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verify {
    /// Nothing: whoever answers is believed.
    None,
    /// That a known CA signed it, not for whom. Whoever has another certificate of that CA's passes as well, so this is not enough for
    /// passwords in clear text.
    Ca,
    /// That a known CA signed it for the host that was meant; `localhost` on a unix socket.
    #[default]
    Identity,
}

/// What TLS is made with. Files are PEM, and read when a connection is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// How much of the server's certificate is verified.
    pub verify: Verify,
    /// The CAs that are believed. Without this and [`TlsOptions::ca_directories`] those of the system are.
    pub ca_file: Option<PathBuf>,
    /// Directories with CAs in files that are called after the hashes of their names, as `openssl rehash` does. Empty paths
    /// stand for none, but the system's CAs are not believed then.
    pub ca_directories: Vec<PathBuf>,
    /// The client's certificate, and behind it those of the CAs that lead to one that the server knows.
    pub certificate: Option<PathBuf>,
    /// The key of the client's certificate; `None`: it stands in the same file. Without a certificate it is not read.
    pub key: Option<PathBuf>,
    /// The ciphers, in OpenSSL's words.
    pub ciphers: Option<String>,
    /// The revocation lists, of which each CA must have one. Without verification it is not read.
    pub crl_file: Option<PathBuf>,
}

/// All that a session begins with.
pub(crate) struct Setup {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
    is_verified: bool,
}

impl Setup {
    /// What the options ask for; `None`: plain text.
    ///
    /// # Errors
    /// As [`Setup::new`].
    pub(crate) fn of(options: &ConnectOptions) -> Result<Option<Setup>, Error> {
        options.tls.as_ref().map(|tls| Setup::new(tls, &options.address)).transpose()
    }

    /// Reads the files that the options name.
    ///
    /// # Errors
    /// [`Error::Tls`] and [`Error::CaFile`] name what can't be used.
    fn new(options: &TlsOptions, address: &Address) -> Result<Setup, Error> {
        let host = match address {
            Address::Tcp { host, .. } => host.as_str(),
            Address::Unix(_) => "localhost",
        };
        let ciphers = match &options.ciphers {
            Some(string) => Ciphers::parse(string).map_err(Error::Tls)?,
            None => Ciphers::all(),
        };
        let verifier: Arc<dyn ServerCertVerifier> = match options.verify {
            Verify::None => Arc::new(Anybody),
            Verify::Ca | Verify::Identity => Arc::new(Verifier {
                policy: Policy {
                    trust: read_trust(options)?,
                    crls: options.crl_file.as_deref().map(read_crls).transpose()?,
                    strength: ciphers.strength(),
                    host: (options.verify == Verify::Identity).then(|| host.to_owned()),
                },
            }),
        };
        let provider = Arc::new(CryptoProvider {
            cipher_suites: ciphers.suites,
            ..aws_lc_rs::default_provider()
        });
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(&[&TLS13, &TLS12])
            .map_err(|error| Error::Tls(error.to_string()))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match &options.certificate {
            Some(certificate) => {
                let key = options.key.as_ref().unwrap_or(certificate);
                let identity = Identity::new(certificate, key, &provider)?;
                builder.with_client_cert_resolver(Arc::new(identity))
            }
            None => builder.with_no_client_auth(),
        };
        // Each connection has a configuration of its own, so there is nothing to come back to.
        config.resumption = Resumption::disabled();
        Ok(Setup {
            config: Arc::new(config),
            name: server_name(host),
            // A CA, be it a chosen one, has signed for others too.
            is_verified: options.verify == Verify::Identity,
        })
    }
}

/// The CAs of the options, or the system's where the options name none.
fn read_trust(options: &TlsOptions) -> Result<Trust, Error> {
    let TlsOptions { ca_file, ca_directories, .. } = options;
    if ca_file.is_none() && ca_directories.is_empty() {
        return Ok(Trust::of_system());
    }
    let Some(path) = ca_file else { return Ok(Trust::new(Vec::new(), ca_directories)) };
    let bad_file = |error| Error::CaFile { path: path.clone(), error };
    let pem = read_pem(path).map_err(bad_file)?;
    let certificates = Certificate::parse_pem(&pem);
    if certificates.is_empty() {
        let reason = "there is no certificate in it";
        return Err(bad_file(io::Error::new(io::ErrorKind::InvalidData, reason)));
    }
    Ok(Trust::new(certificates, ca_directories))
}

fn read_crls(path: &Path) -> Result<Crls, Error> {
    let pem = read_pem(path).map_err(|error| unusable("CRL file", path, &system_text(&error)))?;
    let unreadable = || unusable("CRL file", path, "there is no CRL in it, or a broken one");
    Crls::parse_pem(&pem).ok_or_else(unreadable)
}

/// What the server is told that it is called; one whose name can't be a name on the wire is told nothing.
fn server_name(host: &str) -> ServerName<'static> {
    let nameless = ServerName::IpAddress(IpAddr::V4(Ipv4Addr::from([0; 4])));
    ServerName::try_from(host.to_owned()).unwrap_or(nameless)
}

/// A file that can't be used.
fn unusable(what: &str, path: &Path, reason: &str) -> Error {
    Error::Tls(format!("the {what} {} can't be used: {reason}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everybody may have a certificate of a CA's, be it a chosen one.
    #[test]
    fn only_who_was_verified_by_name_is_known() {
        let check = |verify, ca_file: Option<&str>, expected| {
            let ca_file = ca_file.map(PathBuf::from);
            let options = TlsOptions { verify, ca_file, ..TlsOptions::default() };
            let address = Address::Unix("socket".into());
            assert_eq!(Setup::new(&options, &address).unwrap().is_verified, expected, "{verify:?}");
        };
        let chosen = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/tls_peer/cert.pem");
        check(Verify::None, Some(chosen), false);
        check(Verify::Ca, None, false);
        check(Verify::Ca, Some(chosen), false);
        check(Verify::Identity, Some(chosen), true);
    }
}
