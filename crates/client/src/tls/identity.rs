//! Who the client is in TLS: its certificate and key, from PEM files.

use std::path::Path;
use std::sync::Arc;

use rustls::SignatureScheme;
use rustls::client::ResolvesClientCert;
use rustls::crypto::CryptoProvider;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use vaquita_x509::{Certificate, read_pem};

use super::unusable;
use crate::error::{Error, system_text};

/// The one certificate that the client has, whatever CAs the server says that it knows.
#[derive(Debug)]
pub(super) struct Identity(Arc<CertifiedKey>);

impl Identity {
    /// Reads the certificate, with those of its CAs that stand behind it, and the key in PKCS#8, PKCS#1 or SEC1.
    ///
    /// # Errors
    /// [`Error::Tls`] names the file that can't be used.
    pub(super) fn new(
        certificate: &Path,
        key: &Path,
        provider: &CryptoProvider,
    ) -> Result<Identity, Error> {
        let bad_certificate = |reason: &str| unusable("client certificate", certificate, reason);
        let bad_key = |reason: &str| unusable("key of the client certificate", key, reason);
        let pem = read_pem(certificate).map_err(|error| bad_certificate(&system_text(&error)))?;
        let chain = Certificate::parse_pem(&pem);
        let own = chain.first().ok_or_else(|| bad_certificate("there is no certificate in it"))?;

        let pem = read_pem(key).map_err(|error| bad_key(&system_text(&error)))?;
        if pem.windows(ENCRYPTED.len()).any(|bytes| bytes == ENCRYPTED) {
            return Err(bad_key("it is encrypted, and nobody can say the passphrase here"));
        }
        let der =
            PrivateKeyDer::from_pem_slice(&pem).map_err(|_| bad_key("there is no key in it"))?;
        let key = provider
            .key_provider
            .load_private_key(der)
            .map_err(|_| bad_key("it is of a kind that is not supported here"))?;
        // rustls would look itself, but takes no certificate of version 1.
        if key.public_key().is_none_or(|public| public.as_ref() != own.public_key()) {
            return Err(bad_key("it is not the key of the certificate"));
        }
        let chain = chain.iter().map(|it| CertificateDer::from(it.as_der()).into_owned());
        Ok(Identity(Arc::new(CertifiedKey::new(chain.collect(), key))))
    }
}

/// What PEM files with a key say if it is encrypted, in both of their ways.
const ENCRYPTED: &[u8] = b"ENCRYPTED";

impl ResolvesClientCert for Identity {
    fn resolve(&self, _: &[&[u8]], schemes: &[SignatureScheme]) -> Option<Arc<CertifiedKey>> {
        self.0.key.choose_scheme(schemes).map(|_| Arc::clone(&self.0))
    }

    fn has_certs(&self) -> bool {
        true
    }
}
