//! X.509: certificates as OpenSSL understands them, and which chains of them it would believe.
//!
//! rustls's own verifier (webpki) takes no certificate of version 1, no CA as a server, no name without a SAN, no RSA key of 1024
//! bits; stock takes all of these, and its rules are not a superset either (a known CA must be self-signed, say). So the
//! rules stand here once, as `x509_verify_cert` of OpenSSL 3.0 applies them to a server of TLS, instead of webpki's with
//! a second opinion. Parsing is x509-parser's, arithmetic aws-lc-rs's.

mod certificate;
mod chain;
mod constraints;
mod crl;
mod host;
mod name;
mod signature;

pub(super) use certificate::Certificate;
pub(super) use chain::{Policy, verify};
pub(super) use crl::Crls;
pub(super) use host::matches_host;
pub(super) use name::hash as name_hash;
pub(super) use signature::verify_tls;

use std::fmt;

/// Why a certificate is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) &'static str);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Refusal {}
