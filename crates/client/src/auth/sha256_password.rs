//! The plugin `sha256_password`: the password itself, over TLS as it is, else encrypted with the server's RSA key.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods_authsha256.html>

use super::{Answer, Secret, rsa};
use crate::error::Error;

/// The client needs the server's RSA key.
const REQUEST_PUBLIC_KEY: u8 = 1;

/// An empty password is a single NUL. Servers want a password encrypted over a unix socket too.
pub(super) fn answer(secret: &Secret<'_>, nonce: &[u8]) -> Result<Answer, Error> {
    match secret.password {
        [] => Ok(Answer::last([0])),
        password if secret.privacy.is_encrypted() => Ok(Answer::last([password, &[0]].concat())),
        _ => rsa::answer(secret, nonce, REQUEST_PUBLIC_KEY),
    }
}
