//! The plugin `caching_sha2_password`: a hash if the server has the user in its cache, else the password itself, protected.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_caching_sha2_authentication_exchanges.html>

use aws_lc_rs::digest::{Context, SHA256, SHA256_OUTPUT_LEN, digest};

use super::{Answer, Awaits, NONCE_BYTES, Secret, mysql_nonce, rsa, unexpected_data};
use crate::error::Error;

/// The client needs the server's RSA key.
const REQUEST_PUBLIC_KEY: u8 = 2;
/// The server knows the hash.
const FAST_AUTH_SUCCESS: u8 = 3;
/// The server needs the password itself.
const PERFORM_FULL_AUTHENTICATION: u8 = 4;

/// No password has no hash, so there is nothing more to say about it.
pub(super) fn answer(secret: &Secret<'_>, nonce: &[u8]) -> Result<Answer, Error> {
    let password = match secret.password {
        [] => return Ok(Answer::last([])),
        password => password,
    };
    let response = scramble(password, mysql_nonce(nonce)?);
    Ok(Answer { response: Some(response.into()), awaits: Awaits::FastAuthResult })
}

/// Goes on as the server says: it waits for nothing more, or for the password itself.
pub(super) fn go_on(secret: &Secret<'_>, nonce: &[u8], data: &[u8]) -> Result<Answer, Error> {
    match data {
        [FAST_AUTH_SUCCESS] => Ok(Answer { response: None, awaits: Awaits::Verdict }),
        [PERFORM_FULL_AUTHENTICATION] if secret.privacy.is_private() => {
            Ok(Answer::last([secret.password, &[0]].concat()))
        }
        [PERFORM_FULL_AUTHENTICATION] => rsa::answer(secret, nonce, REQUEST_PUBLIC_KEY),
        _ => Err(unexpected_data()),
    }
}

/// `SHA256(password) XOR SHA256(SHA256(SHA256(password)) + nonce)`.
fn scramble(password: &[u8], nonce: &[u8; NONCE_BYTES]) -> [u8; SHA256_OUTPUT_LEN] {
    let once = digest(&SHA256, password);
    let twice = digest(&SHA256, once.as_ref());
    let mut salted = Context::new(&SHA256);
    salted.update(twice.as_ref());
    salted.update(nonce);
    let mask = salted.finish();
    let mut scramble = [0; SHA256_OUTPUT_LEN];
    for ((byte, a), b) in scramble.iter_mut().zip(once.as_ref()).zip(mask.as_ref()) {
        *byte = a ^ b;
    }
    scramble
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::CleartextPassword;
    use crate::transport::Privacy;

    #[test]
    fn the_password_itself_is_for_private_connections() {
        for (privacy, expected) in [
            (Privacy::Open, &[REQUEST_PUBLIC_KEY][..]),
            (Privacy::Encrypted, b"hunter2\0"),
            (Privacy::Local, b"hunter2\0"),
            (Privacy::Verified, b"hunter2\0"),
        ] {
            let cleartext_password = CleartextPassword::Off;
            let secret =
                Secret { password: b"hunter2", pinned_key: None, cleartext_password, privacy };
            let answer = go_on(&secret, &[7; 21], &[PERFORM_FULL_AUTHENTICATION]).unwrap();
            assert_eq!(answer.response.as_deref(), Some(expected), "{privacy:?}");
        }
    }

    #[test]
    fn the_scramble_is_the_one_that_mysql_8_0_33_took() {
        let nonce = b"P\x0C}*\x06^T9*/Z%gn\x162\x10oK\x02";
        let expected = [
            0x7e, 0x93, 0x45, 0x38, 0xfa, 0xe5, 0xba, 0x7a, 0xa5, 0x76, 0xb1, 0x9d, 0xff, 0xef,
            0x2d, 0x8b, 0x48, 0xff, 0x7c, 0x9c, 0x70, 0x8b, 0xb3, 0x25, 0xdb, 0xdb, 0xb6, 0x0b,
            0xa5, 0x51, 0xfc, 0x8f,
        ];
        assert_eq!(scramble(b"abc123", nonce), expected);
    }
}
