//! Which servers are believed by their certificates: X.509 as OpenSSL understands it.
//!
//! rustls's own verifier (webpki) takes no certificate of version 1, no CA as a server, no name without a SAN, no RSA key of 1024
//! bits; stock takes all of these, and its rules are not a superset either (a known CA must be self-signed, say). So the
//! rules stand here once, as `x509_verify_cert` of OpenSSL 3.0 applies them to a server of TLS, instead of webpki's with
//! a second opinion. Parsing is x509-parser's, arithmetic aws-lc-rs's.
//!
//! [`Policy::verify`] is the question, [`Certificate::verify_handshake`] the one that follows.
#![forbid(unsafe_code)]

mod certificate;
mod chain;
mod constraints;
mod crl;
mod host;
mod name;
mod pem;
mod pss;
mod signature;
mod signed;
mod trust;

pub use certificate::Certificate;
pub use chain::Policy;
pub use crl::Crls;
pub use pem::{read_file, read_pem};
pub use trust::Trust;

use std::fmt;

/// Why a certificate is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(&'static str);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Refusal {}
