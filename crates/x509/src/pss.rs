//! RSASSA-PSS by keys of less than 2048 bits: aws-lc-rs does not verify it, and TLS 1.3 knows no other way for an RSA key to sign.

use std::ops::Range;

use rsa::pkcs1::DecodeRsaPublicKey;
use rsa::sha2::{Digest, Sha256, Sha384, Sha512};
use rsa::traits::PublicKeyParts;
use rsa::{Pss, RsaPublicKey};

use super::signature::Hash;

/// The lengths of keys, in bits: aws-lc-rs verifies longer ones, and nothing by shorter ones.
const KEY_BITS: Range<usize> = 1024..2048;

/// Whether a signature over the message is right, by one hash for all and a salt as long as its digest.
pub(super) fn verify(key: &[u8], hash: Hash, message: &[u8], signed: &[u8]) -> bool {
    let Ok(key) = RsaPublicKey::from_pkcs1_der(key) else { return false };
    if !KEY_BITS.contains(&key.n().bits()) {
        return false;
    }
    let verified = match hash {
        Hash::Sha256 => key.verify(Pss::new::<Sha256>(), &Sha256::digest(message), signed),
        Hash::Sha384 => key.verify(Pss::new::<Sha384>(), &Sha384::digest(message), signed),
        Hash::Sha512 => key.verify(Pss::new::<Sha512>(), &Sha512::digest(message), signed),
        Hash::Sha1 => return false,
    };
    verified.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signatures over "message" that OpenSSL 3.0 made by keys of 1024, 1025, 1031, 2040 and 2047 bits: the hash, the key, the signature.
    const SIGNED: &str = include_str!("pss.txt");

    fn bytes(hex: &str) -> Vec<u8> {
        let digits = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(digits).collect()
    }

    #[test]
    fn signatures_of_openssl_are_right_and_changed_ones_are_not() {
        let mut count = 0;
        for line in SIGNED.lines() {
            let [hash, key, signed] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            let (key, signed) = (bytes(key), bytes(signed));
            let (hash, other) = if hash == "sha256" {
                (Hash::Sha256, Hash::Sha384)
            } else {
                (Hash::Sha384, Hash::Sha256)
            };
            assert!(verify(&key, hash, b"message", &signed), "{line}");
            assert!(!verify(&key, other, b"message", &signed), "{line}");
            assert!(!verify(&key, hash, b"massage", &signed), "{line}");
            assert!(!verify(&key, hash, b"message", &signed[1..]), "{line}");
            assert!(!verify(&key, hash, b"message", &[&[0], &signed[..]].concat()), "{line}");
            for at in (0..signed.len()).step_by(16) {
                let mut changed = signed.clone();
                changed[at] ^= 1;
                assert!(!verify(&key, hash, b"message", &changed), "{at} of {line}");
            }
            count += 1;
        }
        assert_eq!(count, 10);
    }
}
