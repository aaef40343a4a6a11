//! The plugin `mysql_native_password`: the password's double SHA-1, hidden by the nonce.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_authentication_methods_native_password_authentication.html>

use aws_lc_rs::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA1_OUTPUT_LEN, digest};

use super::{Answer, NONCE_BYTES, Secret, mysql_nonce};
use crate::error::Error;

/// No password has no hash.
pub(super) fn answer(secret: &Secret<'_>, nonce: &[u8]) -> Result<Answer, Error> {
    Ok(match secret.password {
        [] => Answer::last([]),
        password => Answer::last(scramble(password, mysql_nonce(nonce)?)),
    })
}

/// `SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password)))`.
fn scramble(password: &[u8], nonce: &[u8; NONCE_BYTES]) -> [u8; SHA1_OUTPUT_LEN] {
    let once = digest(&SHA1_FOR_LEGACY_USE_ONLY, password);
    let twice = digest(&SHA1_FOR_LEGACY_USE_ONLY, once.as_ref());
    let mut salted = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    salted.update(nonce);
    salted.update(twice.as_ref());
    let mask = salted.finish();
    let mut scramble = [0; SHA1_OUTPUT_LEN];
    for ((byte, a), b) in scramble.iter_mut().zip(once.as_ref()).zip(mask.as_ref()) {
        *byte = a ^ b;
    }
    scramble
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scramble_is_the_one_that_mariadb_10_11_19_took() {
        let expected = [
            0x3d, 0xc9, 0xb6, 0xe5, 0x10, 0x6a, 0xac, 0x55, 0x36, 0x2c, 0x82, 0x06, 0xae, 0xd0,
            0x57, 0x99, 0x93, 0xf6, 0x49, 0x20,
        ];
        assert_eq!(scramble(b"abc123", b";zvcmz<Y-s{2%_2y,ng9"), expected);
    }
}
