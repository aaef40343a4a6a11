//! The plugin `client_ed25519`: the server's nonce, signed with the password as secret key.
//!
//! <https://mariadb.com/docs/server/reference/clientserver-protocol/1-connecting/connection#client_ed25519-plugin>

use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use ed25519_dalek::{Digest, SIGNATURE_LENGTH, Sha512, VerifyingKey};
use zeroize::Zeroizing;

use super::{Answer, Secret, unexpected_nonce};
use crate::error::Error;

/// The length of the server's random bytes.
const NONCE_BYTES: usize = 32;

/// A server compares the signature's key whatever the password, so an empty one signs too.
pub(super) fn answer(secret: &Secret<'_>, nonce: &[u8]) -> Result<Answer, Error> {
    let nonce = nonce.try_into().map_err(|_| unexpected_nonce())?;
    Ok(Answer::last(sign(secret.password, nonce)))
}

/// An Ed25519 signature whose secret key is not hashed from 32 random bytes, as RFC 8032 has it, but from the password, of any
/// length. The public key that goes into it is made of the same secret key: with another one the signature would give it away.
fn sign(password: &[u8], nonce: &[u8; NONCE_BYTES]) -> [u8; SIGNATURE_LENGTH] {
    let hash = Zeroizing::new(Sha512::digest(password).into());
    let key = ExpandedSecretKey::from_bytes(&hash);
    raw_sign::<Sha512>(&key, nonce, &VerifyingKey::from(&key)).to_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_one_that_mariadb_10_11_19_took() {
        let nonce = [
            0x37, 0x14, 0x5d, 0xce, 0x3c, 0xd3, 0xa7, 0x46, 0xf5, 0x48, 0x91, 0xfb, 0x86, 0x7b,
            0x26, 0x11, 0x99, 0xcb, 0x00, 0x4f, 0x16, 0xee, 0x51, 0x23, 0xcf, 0xac, 0x30, 0x72,
            0x92, 0x28, 0x28, 0x55,
        ];
        let expected = [
            0x7e, 0x66, 0x54, 0x48, 0xd4, 0xbc, 0xed, 0xff, 0x30, 0x21, 0x27, 0xc3, 0x2c, 0x1c,
            0x2e, 0x57, 0x2a, 0x13, 0xb2, 0xb3, 0xfb, 0xb3, 0x3b, 0x36, 0xc9, 0x3d, 0xe8, 0xaa,
            0xe5, 0xcc, 0xaf, 0x2e, 0xbc, 0xd1, 0x67, 0x31, 0x4e, 0x67, 0x2c, 0x5e, 0xd6, 0xed,
            0xde, 0x12, 0x13, 0x2c, 0x0a, 0x07, 0x6a, 0x5d, 0xc7, 0xde, 0x9e, 0x5e, 0x1a, 0xeb,
            0x19, 0x7f, 0xb4, 0x81, 0xaa, 0x99, 0xc5, 0x02,
        ];
        assert_eq!(sign(b"abc123", &nonce), expected);
    }
}
