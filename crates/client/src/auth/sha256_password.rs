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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::CleartextPassword;
    use crate::transport::Privacy;

    #[test]
    fn a_server_gets_the_password_as_it_sees_the_connection() {
        let check = |privacy, password, expected: &[u8]| {
            let cleartext_password = CleartextPassword::Off;
            let secret = Secret { password, pinned_key: None, cleartext_password, privacy };
            let answer = answer(&secret, &[7; 21]).unwrap();
            assert_eq!(answer.response.as_deref(), Some(expected), "{privacy:?}");
        };
        for privacy in [Privacy::Open, Privacy::Local] {
            check(privacy, b"hunter2", &[REQUEST_PUBLIC_KEY]);
        }
        for privacy in [Privacy::Encrypted, Privacy::Verified] {
            check(privacy, b"hunter2", b"hunter2\0");
        }
        for privacy in [Privacy::Open, Privacy::Encrypted, Privacy::Local, Privacy::Verified] {
            check(privacy, b"", &[0]);
        }
    }
}
