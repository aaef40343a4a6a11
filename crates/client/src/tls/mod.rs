//! TLS: what is asked for, and what it takes to begin a session.
//!
//! What PHP's stock driver accepts by OpenSSL is accepted here by a verifier of ours on top of rustls; see `verifier`.

mod session;
mod verifier;

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls_pki_types::{IpAddr, Ipv4Addr, ServerName};

use crate::error::Error;
use crate::options::{Address, ConnectOptions};
pub(crate) use session::Session;
use verifier::Verifier;

/// How much of the server's certificate is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Nothing: whoever answers is believed.
    None,
    /// That a known CA signed it, not for whom.
    Ca,
    /// That a known CA signed it for the host that was meant.
    #[default]
    Identity,
}

/// What TLS is made with.
#[derive(Clone, Debug, Default)]
pub struct TlsOptions {
    /// How much of the server's certificate is verified.
    pub verify: Verify,
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
    /// [`Error::Tls`] names what can't be used.
    fn new(options: &TlsOptions, address: &Address) -> Result<Setup, Error> {
        if options.verify != Verify::None {
            return Err(Error::Tls("certificates can't be verified yet".to_owned()));
        }
        let host = match address {
            Address::Tcp { host, .. } => host.as_str(),
            Address::Unix(_) => "localhost",
        };
        let provider = Arc::new(CryptoProvider { ..aws_lc_rs::default_provider() });
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::Tls(error.to_string()))?;
        let mut config = config
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier::new(options, host)))
            .with_no_client_auth();
        // Each connection has a configuration of its own, so there is nothing to come back to.
        config.resumption = Resumption::disabled();
        Ok(Setup {
            config: Arc::new(config),
            name: server_name(host),
            is_verified: options.verify != Verify::None,
        })
    }
}

/// What the server is told that it is called; one whose name can't be a name on the wire is told nothing.
fn server_name(host: &str) -> ServerName<'static> {
    let nameless = ServerName::IpAddress(IpAddr::V4(Ipv4Addr::from([0; 4])));
    ServerName::try_from(host.to_owned()).unwrap_or(nameless)
}
