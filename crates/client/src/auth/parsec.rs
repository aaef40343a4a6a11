//! The plugin `parsec` of MariaDB 11.6 and later: nonces of both sides, signed with a key that is slow to make of the password.
//!
//! <https://mariadb.com/docs/server/reference/plugins/authentication-plugins/authentication-plugin-parsec>

use std::num::NonZeroU32;

use aws_lc_rs::pbkdf2::{self, PBKDF2_HMAC_SHA512};
use aws_lc_rs::rand;
use aws_lc_rs::signature::Ed25519KeyPair;
use vaquita_protocol::Malformed;
use zeroize::Zeroizing;

use super::{Answer, Awaits, unexpected_data, unexpected_nonce};
use crate::error::{Error, codes};
use crate::password::Password;

/// The length of each side's random bytes.
const NONCE_BYTES: usize = 32;
/// The length of an account's salt.
const SALT_BYTES: usize = 18;
/// The length of a secret key of Ed25519 (RFC 8032).
const SEED_BYTES: usize = 32;
/// The one key derivation function so far, PBKDF2 with HMAC-SHA512.
const PBKDF2: u8 = b'P';
/// The least number of iterations, which a server tells as the binary logarithm of its multiple.
const LEAST_ITERATIONS: u32 = 1024;
/// The greatest number of iterations that is made for a server.
///
/// Servers before 13.1 take 8192 at most, later ones what `parsec_iterations` says, up to 2^30, which is minutes for whoever logs
/// in. This is the number that MariaDB's documentation has as an example, and the first power of two above the 210,000 that OWASP
/// recommends (<https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html>): a fraction of a second.
const MAX_ITERATIONS: u32 = 1 << 18;

/// The answer to the server's nonce: an empty packet, which asks for the account's salt.
pub(super) fn answer(nonce: &[u8]) -> Result<Answer, Error> {
    server_nonce(nonce)?;
    Ok(Answer { response: Some(Password::empty()), awaits: Awaits::ExtSalt })
}

/// The client's nonce, and the signature of both nonces.
pub(super) fn sign(password: &[u8], nonce: &[u8], ext_salt: &[u8]) -> Result<Vec<u8>, Error> {
    let mut client_nonce = [0; NONCE_BYTES];
    rand::fill(&mut client_nonce).map_err(|_| failed("The system has no random bytes"))?;
    sign_with(password, nonce, ext_salt, client_nonce)
}

fn sign_with(
    password: &[u8],
    nonce: &[u8],
    ext_salt: &[u8],
    client_nonce: [u8; NONCE_BYTES],
) -> Result<Vec<u8>, Error> {
    let nonce = server_nonce(nonce)?;
    let &[PBKDF2, exponent, ref salt @ ..] = ext_salt else { return Err(unexpected_data()) };
    let salt: &[u8; SALT_BYTES] = salt.try_into().map_err(|_| unexpected_data())?;
    let mut seed = Zeroizing::new([0; SEED_BYTES]);
    pbkdf2::derive(PBKDF2_HMAC_SHA512, iterations(exponent)?, salt, password, &mut *seed);
    let key = Ed25519KeyPair::from_seed_unchecked(&*seed)
        .map_err(|_| failed("The password makes no key for parsec"))?;
    let signature = key.sign(&[*nonce, client_nonce].concat());
    Ok([&client_nonce, signature.as_ref()].concat())
}

fn server_nonce(nonce: &[u8]) -> Result<&[u8; NONCE_BYTES], Malformed> {
    nonce.try_into().map_err(|_| unexpected_nonce())
}

/// How often the password is hashed.
fn iterations(exponent: u8) -> Result<NonZeroU32, Error> {
    LEAST_ITERATIONS
        .checked_mul(1_u32.checked_shl(exponent.into()).unwrap_or(0))
        .and_then(NonZeroU32::new)
        .filter(|iterations| iterations.get() <= MAX_ITERATIONS)
        .ok_or_else(|| {
            failed(&format!(
                "The server asks for 2^{} iterations of parsec, and {MAX_ITERATIONS} is the most that is made here",
                u32::from(exponent) + LEAST_ITERATIONS.ilog2()
            ))
        })
}

fn failed(reason: &str) -> Error {
    Error::log_in_impossible(codes::AUTH_PLUGIN_ERR, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONCE: [u8; NONCE_BYTES] = *b"of MariaDB, 32 random bytes long";

    #[test]
    fn the_signature_is_the_one_that_mariadb_11_8_6_took() {
        let nonce = [
            0x3f, 0xc5, 0xde, 0xcf, 0x71, 0x63, 0x86, 0x64, 0xb4, 0x21, 0xab, 0x2c, 0x12, 0xd9,
            0x1d, 0x06, 0xfd, 0x89, 0x2b, 0x30, 0x01, 0xd9, 0xef, 0x18, 0x70, 0x0f, 0x22, 0x54,
            0x12, 0x6d, 0x72, 0xb4,
        ];
        let ext_salt = [
            0x50, 0x00, 0xcd, 0xcc, 0xbe, 0x5a, 0xd7, 0xf3, 0x08, 0x2d, 0xc6, 0xb2, 0xe5, 0x9b,
            0x93, 0xf9, 0x48, 0xcd, 0x23, 0xd5,
        ];
        let expected = [
            0xc0, 0xa0, 0x61, 0xea, 0x4c, 0x59, 0xbb, 0xca, 0x7c, 0xc3, 0x51, 0x20, 0x64, 0x9b,
            0xb0, 0x05, 0x00, 0x8f, 0x37, 0xcb, 0x47, 0x5a, 0x0d, 0x40, 0x01, 0xc0, 0x8f, 0x4f,
            0xd9, 0xe6, 0xc6, 0x5a, 0xd8, 0xf8, 0xe4, 0xba, 0xc0, 0x3d, 0x00, 0x7b, 0x1d, 0xeb,
            0xf0, 0x42, 0xb0, 0x3d, 0xcd, 0x01, 0xf6, 0xa4, 0x48, 0x91, 0x63, 0xfc, 0xbc, 0x44,
            0x0e, 0xde, 0x9b, 0xb4, 0xd6, 0x23, 0x1a, 0xdf, 0xe5, 0x27, 0x7e, 0x3b, 0xcc, 0xee,
            0xf1, 0x49, 0x22, 0xf3, 0xcd, 0xd6, 0x6f, 0x03, 0xee, 0x2d, 0x25, 0x9e, 0xcd, 0x10,
            0x06, 0x9d, 0xfa, 0x2e, 0x1c, 0x25, 0xf3, 0xe3, 0x5a, 0xec, 0x97, 0x00,
        ];
        let client_nonce = *expected.first_chunk().unwrap();
        assert_eq!(sign_with(b"abc123", &nonce, &ext_salt, client_nonce).unwrap(), expected);
    }

    #[test]
    fn each_signature_has_a_nonce_of_its_own() {
        let ext_salt = [&[PBKDF2, 0][..], &[7; SALT_BYTES]].concat();
        let [one, two] = [0, 1].map(|_| sign(b"abc123", &NONCE, &ext_salt).unwrap());
        assert_eq!((one.len(), two.len()), (96, 96));
        assert_ne!(one[..NONCE_BYTES], two[..NONCE_BYTES]);
    }

    #[test]
    fn the_servers_wishes_have_a_limit() {
        assert_eq!(iterations(0).unwrap().get(), 1024);
        assert_eq!(iterations(3).unwrap().get(), 8192);
        assert_eq!(iterations(8).unwrap().get(), MAX_ITERATIONS);
        for exponent in 9..=u8::MAX {
            let error = iterations(exponent).unwrap_err();
            assert_eq!(error.code(), codes::AUTH_PLUGIN_ERR, "{exponent}");
            assert!(error.to_string().contains(&format!("2^{} ", u32::from(exponent) + 10)));
        }
    }

    #[test]
    fn only_nonces_and_salts_are_taken_for_such() {
        let ext_salt = [&[PBKDF2, 0][..], &[7; SALT_BYTES]].concat();
        let check = |nonce: &[u8], ext_salt: &[u8]| {
            let error = sign(b"abc123", nonce, ext_salt).unwrap_err();
            assert!(matches!(error, Error::Malformed(_)), "{ext_salt:?}: {error:?}");
        };
        check(&[], &ext_salt);
        check(&NONCE[1..], &ext_salt);
        check(&[&NONCE[..], &[0]].concat(), &ext_salt);
        for length in 0..ext_salt.len() {
            check(&NONCE, &ext_salt[..length]);
        }
        check(&NONCE, &[&ext_salt[..], &[0]].concat());
        check(&NONCE, &[b"Q", &ext_salt[1..]].concat());
    }
}
