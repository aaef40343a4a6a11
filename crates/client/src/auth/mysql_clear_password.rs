//! The plugin `mysql_clear_password`: the password as it is, for servers that ask somebody else about it (PAM, LDAP).
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods_clear_text_password.html>

use super::{Answer, Secret};
use crate::error::{Error, codes};
use crate::options::CleartextPassword;

/// The password with a NUL at its end, for a server that is known to be the right one.
pub(super) fn answer(secret: &Secret<'_>) -> Result<Answer, Error> {
    let reason = match secret.cleartext_password {
        CleartextPassword::Secure if secret.privacy.is_with_known_peer() => {
            return Ok(Answer::last([secret.password, &[0]].concat()));
        }
        CleartextPassword::Secure => {
            "it goes over TLS with a verified certificate and name or over a unix socket only, and this connection is neither"
        }
        CleartextPassword::Off => "cleartext_password is off",
    };
    let reason = format!(
        "The server asks for the password in clear text (mysql_clear_password), but does not get it: {reason}"
    );
    Err(Error::log_in_impossible(codes::AUTH_PLUGIN_ERR, &reason))
}

/// What a question of the server's is answered with, once it has the password.
pub(super) fn question() -> Error {
    let reason = "The server asks for more than a password (mysql_clear_password), as PAM does if it is empty";
    Error::log_in_impossible(codes::AUTH_PLUGIN_ERR, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Privacy;

    #[test]
    fn a_known_server_gets_the_password_and_nobody_else() {
        let check = |privacy, cleartext_password, is_given: bool| {
            let secret =
                Secret { password: b"hunter2", pinned_key: None, cleartext_password, privacy };
            match answer(&secret) {
                Ok(answer) => {
                    assert!(is_given, "{privacy:?}");
                    assert_eq!(answer.response, Some(b"hunter2\0".into()));
                }
                Err(error) => {
                    assert!(!is_given, "{privacy:?}");
                    assert_eq!(error.code(), codes::AUTH_PLUGIN_ERR);
                    assert!(!error.to_string().contains("hunter2"));
                }
            }
        };
        for privacy in [Privacy::Open, Privacy::Encrypted] {
            check(privacy, CleartextPassword::Secure, false);
            check(privacy, CleartextPassword::Off, false);
        }
        for privacy in [Privacy::Local, Privacy::Verified] {
            check(privacy, CleartextPassword::Secure, true);
            check(privacy, CleartextPassword::Off, false);
        }
    }
}
