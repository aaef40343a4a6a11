//! RSASSA-PSS by keys of less than 2048 bits: aws-lc-rs does not verify it, and TLS 1.3 knows no other way for an RSA key to sign.
//!
//! <https://www.rfc-editor.org/rfc/rfc8017#section-8.1.2>. Nothing of it is secret, so it may take as long as it takes.

use std::ops::Range;

use aws_lc_rs::digest::{Algorithm, digest};
use x509_parser::asn1_rs::FromDer;
use x509_parser::num_bigint::BigUint;
use x509_parser::public_key::RSAPublicKey;

/// The lengths of keys, in bits: aws-lc-rs verifies longer ones, and nothing by shorter ones.
const KEY_BITS: Range<u64> = 1024..2048;

/// The longest public exponent, in bits, which bounds what a signature costs: aws-lc's.
const MAX_EXPONENT_BITS: u64 = 33;

/// The last byte of what is signed.
const TRAILER: u8 = 0xBC;

/// Whether a signature over the message is right, by one hash for all and a salt as long as its digest.
pub(super) fn verify(key: &[u8], hash: &'static Algorithm, message: &[u8], signed: &[u8]) -> bool {
    let Some((encoded, unused)) = recover(key, signed) else { return false };
    encodes(hash, &encoded, unused, message).unwrap_or(false)
}

/// What was signed: the number in bytes, and the bits of its first byte that are none of its.
fn recover(key: &[u8], signed: &[u8]) -> Option<(Vec<u8>, u8)> {
    let (_, key) = RSAPublicKey::from_der(key).ok()?;
    let modulus = BigUint::from_bytes_be(key.modulus);
    let exponent = BigUint::from_bytes_be(key.exponent);
    let number = BigUint::from_bytes_be(signed);
    let bits = modulus.bits();
    let is_usual = KEY_BITS.contains(&bits)
        && modulus.bit(0)
        && exponent.bit(0)
        && (2..=MAX_EXPONENT_BITS).contains(&exponent.bits());
    let length = usize::try_from(bits.div_ceil(8)).ok()?;
    if !is_usual || signed.len() != length || number >= modulus {
        return None;
    }
    let found = number.modpow(&exponent, &modulus).to_bytes_be();
    // One bit less than the key has.
    let used = bits - 1;
    let zeros = usize::try_from(used.div_ceil(8)).ok()?.checked_sub(found.len())?;
    let unused = u32::try_from(used.next_multiple_of(8) - used).ok()?;
    let encoded = [vec![0; zeros], found].concat();
    Some((encoded, !u8::MAX.checked_shr(unused)?))
}

/// Whether it is an encoding of the message: RFC 8017, 9.1.2. `None`: it is too short for any.
fn encodes(hash: &'static Algorithm, encoded: &[u8], unused: u8, message: &[u8]) -> Option<bool> {
    let (trailer, rest) = encoded.split_last()?;
    let (masked, seed) = rest.split_at_checked(rest.len().checked_sub(hash.output_len())?)?;
    let mut block: Vec<u8> =
        masked.iter().zip(mask(hash, seed)).map(|(byte, mask)| byte ^ mask).collect();
    *block.first_mut()? &= !unused;
    let (front, salt) = block.split_at_checked(block.len().checked_sub(hash.output_len())?)?;
    let (one, zeros) = front.split_last()?;
    let digested = [&[0; 8], digest(hash, message).as_ref(), salt].concat();
    Some(
        *trailer == TRAILER
            && masked.first()? & unused == 0
            && zeros.iter().all(|byte| *byte == 0)
            && *one == 1
            && digest(hash, &digested).as_ref() == seed,
    )
}

/// MGF1, without an end.
fn mask(hash: &'static Algorithm, seed: &[u8]) -> impl Iterator<Item = u8> {
    (0..=u32::MAX).flat_map(move |counter: u32| {
        let part = digest(hash, &[seed, &counter.to_be_bytes()].concat());
        part.as_ref().to_vec()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::digest::{SHA256, SHA384};

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
            let (hash, other) =
                if hash == "sha256" { (&SHA256, &SHA384) } else { (&SHA384, &SHA256) };
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

    /// Each condition of RFC 8017, 9.1.2, at an encoding of 32 bytes more than the shortest.
    #[test]
    fn every_part_of_an_encoding_counts() {
        let (salt, unused) = ([7; 32], 0x80);
        let digested = [&[0; 8], digest(&SHA256, b"message").as_ref(), &salt].concat();
        let seed = digest(&SHA256, &digested);
        let encoding = |change: fn(&mut Vec<u8>)| {
            let mut block = [&[0; 32][..], &[1], &salt].concat();
            change(&mut block);
            let mut encoded: Vec<u8> =
                block.iter().zip(mask(&SHA256, seed.as_ref())).map(|(a, b)| a ^ b).collect();
            encoded[0] &= 0x7F;
            [&encoded, seed.as_ref(), &[TRAILER]].concat()
        };
        let holds = |encoded: &[u8]| encodes(&SHA256, encoded, unused, b"message");
        let good = encoding(|_| {});
        assert_eq!(holds(&good), Some(true));
        assert_eq!(holds(&encoding(|block| block[5] = 1)), Some(false));
        assert_eq!(holds(&encoding(|block| block[32] = 2)), Some(false));
        assert_eq!(holds(&encoding(|block| block[40] = 2)), Some(false));
        let changed = |at: usize, by: u8| {
            let mut changed = good.clone();
            changed[at] ^= by;
            changed
        };
        assert_eq!(holds(&changed(0, 0x80)), Some(false));
        assert_eq!(holds(&changed(good.len() - 1, 1)), Some(false));
        assert_eq!(holds(&good[good.len() - 65..]), None);
    }
}
