//! The password on its way to a server without TLS: encrypted with the server's RSA key.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods_authsha256.html>

use aws_lc_rs::rsa::{OAEP_SHA1_MGF1SHA1, OaepPublicEncryptingKey, PublicEncryptingKey};
use rustls_pki_types::SubjectPublicKeyInfoDer;
use rustls_pki_types::pem::PemObject;
use zeroize::Zeroizing;

use super::{Answer, Awaits, Secret, mysql_nonce};
use crate::error::{Error, codes};

/// The encrypted password if the key is known, else the request for the server's key. A pinned key that is none gives nothing away: the server
/// gets an empty answer, and refuses it.
pub(super) fn answer(secret: &Secret<'_>, nonce: &[u8], request: u8) -> Result<Answer, Error> {
    Ok(match secret.pinned_key {
        Some(key) => {
            Answer::last(encrypt_password(secret.password, nonce, key).unwrap_or_default())
        }
        None => Answer { response: Some([request].into()), awaits: Awaits::PublicKey },
    })
}

/// The password with a NUL at its end, hidden by the nonce and encrypted for the server alone (RSA, OAEP with SHA-1).
pub(super) fn encrypt_password(
    password: &[u8],
    nonce: &[u8],
    pem: &[u8],
) -> Result<Vec<u8>, Error> {
    let nonce = mysql_nonce(nonce)?;
    let refused = |reason: &str| Error::log_in_impossible(codes::UNKNOWN_ERROR, reason);
    let key = SubjectPublicKeyInfoDer::from_pem_slice(pem)
        .ok()
        .and_then(|der| PublicEncryptingKey::from_der(&der).ok())
        .and_then(|key| OaepPublicEncryptingKey::new(key).ok())
        .ok_or_else(|| refused("The server sent an RSA key that can't be used"))?;
    // With the nonce, which was sent in plain text, this is the password.
    let mut hidden = Zeroizing::new([password, &[0]].concat());
    for (byte, mask) in hidden.iter_mut().zip(nonce.iter().cycle()) {
        *byte ^= mask;
    }
    if hidden.len() > key.max_plaintext_size(&OAEP_SHA1_MGF1SHA1) {
        return Err(refused("The password is too long for the server's RSA key"));
    }
    let mut encrypted = vec![0; key.ciphertext_size()];
    key.encrypt(&OAEP_SHA1_MGF1SHA1, &hidden, &mut encrypted, None)
        .map_err(|_| refused("The password can't be encrypted with the server's RSA key"))?;
    Ok(encrypted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_key_is_used_as_a_key() {
        for pem in [
            &b""[..],
            b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
            b"-----BEGIN PUBLIC KEY-----",
            &[0xFF; 3000],
        ] {
            let error = encrypt_password(b"secret", &[1; 20], pem).unwrap_err();
            assert_eq!(error.code(), 2000);
        }
    }
}
