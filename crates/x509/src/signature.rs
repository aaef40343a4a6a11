//! Signatures: by which algorithm, how strong, and whether they are right.

use std::f64::consts::LN_2;

use aws_lc_rs::signature::{self as alg, UnparsedPublicKey, VerificationAlgorithm};
use rustls::SignatureScheme;
use x509_parser::asn1_rs::{FromDer, Oid, oid};
use x509_parser::oid_registry as oids;
use x509_parser::public_key::RSAPublicKey;
use x509_parser::signature_algorithm::RsaSsaPssParams;
use x509_parser::x509::{AlgorithmIdentifier, SubjectPublicKeyInfo};

use super::{Certificate, Refusal, pss};

const BAD: Refusal = Refusal("a certificate's signature is wrong");
const UNSUPPORTED: Refusal =
    Refusal("a certificate is signed by an algorithm that is not supported here");

/// The least RSA key that is not of former days, in bits.
const RSA_BITS: usize = 2048;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hash {
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

/// How a signature is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    RsaPkcs1(Hash),
    RsaPss(Hash),
    Ecdsa(Hash),
    Ed25519,
    Unknown,
}

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyKind {
    Rsa,
    /// For RSASSA-PSS only.
    RsaPss,
    P256,
    P384,
    P521,
    Secp256k1,
    Ed25519,
    Unknown,
}

/// A public key.
#[derive(Clone, Debug)]
pub(super) struct PublicKey {
    pub(super) kind: KeyKind,
    /// The length that its strength is measured by.
    bits: usize,
    bytes: Vec<u8>,
}

impl PublicKey {
    pub(super) fn read(key: &SubjectPublicKeyInfo<'_>) -> PublicKey {
        let algorithm = &key.algorithm;
        let curve = || algorithm.parameters.as_ref().and_then(|any| Oid::try_from(any).ok());
        let is = |oid: &Oid<'_>| algorithm.algorithm == *oid;
        let (kind, bits) = if is(&oids::OID_PKCS1_RSAENCRYPTION) {
            (KeyKind::Rsa, rsa_bits(key))
        } else if is(&oids::OID_PKCS1_RSASSAPSS) {
            (KeyKind::RsaPss, rsa_bits(key))
        } else if is(&oids::OID_KEY_TYPE_EC_PUBLIC_KEY) {
            match curve() {
                Some(curve) if curve == oids::OID_EC_P256 => (KeyKind::P256, 256),
                Some(curve) if curve == oids::OID_NIST_EC_P384 => (KeyKind::P384, 384),
                Some(curve) if curve == oids::OID_NIST_EC_P521 => (KeyKind::P521, 521),
                Some(curve) if curve == oid!(1.3.132.0.10) => (KeyKind::Secp256k1, 256),
                _ => (KeyKind::Unknown, 0),
            }
        } else if is(&oids::OID_SIG_ED25519) {
            (KeyKind::Ed25519, 256)
        } else {
            (KeyKind::Unknown, 0)
        };
        PublicKey { kind, bits, bytes: key.subject_public_key.data.to_vec() }
    }

    /// Its strength in the bits of a symmetric key, as NIST SP 800-57 equates them.
    pub(super) fn strength(&self) -> u32 {
        match (self.kind, self.bits) {
            (KeyKind::P521, _) => 256,
            (KeyKind::P384, _) => 192,
            (KeyKind::P256 | KeyKind::Secp256k1 | KeyKind::Ed25519, _) => 128,
            (KeyKind::Unknown, _) => 0,
            (KeyKind::Rsa | KeyKind::RsaPss, bits) => rsa_strength(bits),
        }
    }

    /// Whether a signature over the message is right.
    pub(super) fn verify(
        &self,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), Refusal> {
        if let (KeyKind::Rsa | KeyKind::RsaPss, Algorithm::RsaPss(hash)) = (self.kind, algorithm)
            && self.bits < RSA_BITS
        {
            let is_right = pss::verify(&self.bytes, hash, message, signature);
            return if is_right { Ok(()) } else { Err(BAD) };
        }
        let verification = self.verification(algorithm).ok_or(UNSUPPORTED)?;
        UnparsedPublicKey::new(verification, &self.bytes)
            .verify(message, signature)
            .map_err(|_| BAD)
    }

    fn verification(&self, algorithm: Algorithm) -> Option<&'static dyn VerificationAlgorithm> {
        use {Algorithm as A, Hash as H, KeyKind as K};
        let is_short = self.bits < RSA_BITS;
        Some(match (self.kind, algorithm) {
            (K::Rsa, A::RsaPkcs1(hash)) => match hash {
                H::Sha1 if is_short => &alg::RSA_PKCS1_1024_8192_SHA1_FOR_LEGACY_USE_ONLY,
                H::Sha256 if is_short => &alg::RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY,
                H::Sha512 if is_short => &alg::RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY,
                H::Sha384 if is_short => return None,
                H::Sha1 => &alg::RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
                H::Sha256 => &alg::RSA_PKCS1_2048_8192_SHA256,
                H::Sha384 => &alg::RSA_PKCS1_2048_8192_SHA384,
                H::Sha512 => &alg::RSA_PKCS1_2048_8192_SHA512,
            },
            (K::Rsa | K::RsaPss, A::RsaPss(H::Sha256)) => &alg::RSA_PSS_2048_8192_SHA256,
            (K::Rsa | K::RsaPss, A::RsaPss(H::Sha384)) => &alg::RSA_PSS_2048_8192_SHA384,
            (K::Rsa | K::RsaPss, A::RsaPss(H::Sha512)) => &alg::RSA_PSS_2048_8192_SHA512,
            (K::P256, A::Ecdsa(H::Sha1)) => &alg::ECDSA_P256_SHA1_ASN1,
            (K::P256, A::Ecdsa(H::Sha256)) => &alg::ECDSA_P256_SHA256_ASN1,
            (K::P256, A::Ecdsa(H::Sha384)) => &alg::ECDSA_P256_SHA384_ASN1,
            (K::P256, A::Ecdsa(H::Sha512)) => &alg::ECDSA_P256_SHA512_ASN1,
            (K::P384, A::Ecdsa(H::Sha256)) => &alg::ECDSA_P384_SHA256_ASN1,
            (K::P384, A::Ecdsa(H::Sha384)) => &alg::ECDSA_P384_SHA384_ASN1,
            (K::P384, A::Ecdsa(H::Sha512)) => &alg::ECDSA_P384_SHA512_ASN1,
            (K::P521, A::Ecdsa(H::Sha1)) => &alg::ECDSA_P521_SHA1_ASN1,
            (K::P521, A::Ecdsa(H::Sha256)) => &alg::ECDSA_P521_SHA256_ASN1,
            (K::P521, A::Ecdsa(H::Sha384)) => &alg::ECDSA_P521_SHA384_ASN1,
            (K::P521, A::Ecdsa(H::Sha512)) => &alg::ECDSA_P521_SHA512_ASN1,
            (K::Secp256k1, A::Ecdsa(H::Sha256)) => &alg::ECDSA_P256K1_SHA256_ASN1,
            (K::Ed25519, A::Ed25519) => &alg::ED25519,
            _ => return None,
        })
    }
}

/// The strength of an RSA key of so many bits: the estimate of NIST SP 800-56B, appendix D, to the nearest multiple of 8; which is
/// 112 from 1963 bits on. Where it rises above what NIST SP 800-57 says of well-known lengths, that counts.
fn rsa_strength(bits: usize) -> u32 {
    /// OpenSSL, which has no fractions, comes out as much too low.
    const INEXACT: f64 = 0.005;
    let natural = f64::from(u32::try_from(bits).unwrap_or(u32::MAX)) * LN_2;
    let work = 1.923 * (natural * natural.ln().powi(2)).cbrt() - 4.69;
    let most: u32 = if bits <= 7680 { 192 } else { 256 };
    let steps = (8..=most).step_by(8);
    steps
        .take_while(|strength| f64::from(*strength) - 4.0 <= work / LN_2 - INEXACT)
        .last()
        .unwrap_or(0)
}

fn rsa_bits(key: &SubjectPublicKeyInfo<'_>) -> usize {
    let Ok((_, key)) = RSAPublicKey::from_der(&key.subject_public_key.data) else { return 0 };
    let modulus: Vec<u8> = key.modulus.iter().skip_while(|byte| **byte == 0).copied().collect();
    let unused = modulus.first().map_or(0, |byte| byte.leading_zeros());
    modulus.len() * 8 - usize::try_from(unused).unwrap_or_default()
}

impl Algorithm {
    pub(super) fn read(identifier: &AlgorithmIdentifier<'_>) -> Algorithm {
        let oid = &identifier.algorithm;
        if *oid == oids::OID_PKCS1_RSASSAPSS {
            return pss_hash(identifier).map_or(Algorithm::Unknown, Algorithm::RsaPss);
        }
        [
            (oids::OID_PKCS1_SHA1WITHRSA, Algorithm::RsaPkcs1(Hash::Sha1)),
            (oids::OID_PKCS1_SHA256WITHRSA, Algorithm::RsaPkcs1(Hash::Sha256)),
            (oids::OID_PKCS1_SHA384WITHRSA, Algorithm::RsaPkcs1(Hash::Sha384)),
            (oids::OID_PKCS1_SHA512WITHRSA, Algorithm::RsaPkcs1(Hash::Sha512)),
            (oid!(1.2.840.10045.4.1), Algorithm::Ecdsa(Hash::Sha1)),
            (oids::OID_SIG_ECDSA_WITH_SHA256, Algorithm::Ecdsa(Hash::Sha256)),
            (oids::OID_SIG_ECDSA_WITH_SHA384, Algorithm::Ecdsa(Hash::Sha384)),
            (oids::OID_SIG_ECDSA_WITH_SHA512, Algorithm::Ecdsa(Hash::Sha512)),
            (oids::OID_SIG_ED25519, Algorithm::Ed25519),
        ]
        .into_iter()
        .find(|(other, _)| other == oid)
        .map_or(Algorithm::Unknown, |(_, algorithm)| algorithm)
    }

    /// The strength of its hash, in bits; OpenSSL 3.0's for SHA-1.
    pub(super) fn strength(self) -> u32 {
        match self {
            Algorithm::RsaPkcs1(hash) | Algorithm::RsaPss(hash) | Algorithm::Ecdsa(hash) => {
                match hash {
                    Hash::Sha1 => 63,
                    Hash::Sha256 => 128,
                    Hash::Sha384 => 192,
                    Hash::Sha512 => 256,
                }
            }
            Algorithm::Ed25519 => 128,
            Algorithm::Unknown => 0,
        }
    }

    /// Whether keys of this kind may sign so.
    pub(super) fn fits(self, kind: KeyKind) -> bool {
        match self {
            // That it can't be verified is told later.
            _ if kind == KeyKind::Unknown => true,
            Algorithm::RsaPkcs1(_) => kind == KeyKind::Rsa,
            Algorithm::RsaPss(_) => matches!(kind, KeyKind::Rsa | KeyKind::RsaPss),
            Algorithm::Ecdsa(_) => {
                matches!(kind, KeyKind::P256 | KeyKind::P384 | KeyKind::P521 | KeyKind::Secp256k1)
            }
            Algorithm::Ed25519 => kind == KeyKind::Ed25519,
            Algorithm::Unknown => true,
        }
    }
}

/// The hash of RSASSA-PSS if its parameters are those that everybody uses: one hash for all, and a salt as long as it.
fn pss_hash(identifier: &AlgorithmIdentifier<'_>) -> Option<Hash> {
    let parameters = RsaSsaPssParams::try_from(identifier.parameters.as_ref()?).ok()?;
    let mask = parameters.mask_gen_algorithm().ok()?;
    let hash = parameters.hash_algorithm_oid();
    let (hash, salt_length) = [
        (oids::OID_NIST_HASH_SHA256, Hash::Sha256, 32),
        (oids::OID_NIST_HASH_SHA384, Hash::Sha384, 48),
        (oids::OID_NIST_HASH_SHA512, Hash::Sha512, 64),
    ]
    .into_iter()
    .find(|(oid, _, _)| oid == hash && *oid == mask.hash)
    .map(|(_, hash, salt_length)| (hash, salt_length))?;
    (parameters.salt_length() == salt_length).then_some(hash)
}

impl Certificate {
    /// Whether a server's signature over a handshake of TLS is right: whether it has this certificate's key.
    ///
    /// # Errors
    /// What is wrong with the signature.
    pub fn verify_handshake(
        &self,
        scheme: SignatureScheme,
        message: &[u8],
        signature: &[u8],
        is_tls13: bool,
    ) -> Result<(), Refusal> {
        use {Algorithm as A, Hash as H, SignatureScheme as S};
        let (algorithm, curve) = match scheme {
            S::RSA_PKCS1_SHA256 => (A::RsaPkcs1(H::Sha256), None),
            S::RSA_PKCS1_SHA384 => (A::RsaPkcs1(H::Sha384), None),
            S::RSA_PKCS1_SHA512 => (A::RsaPkcs1(H::Sha512), None),
            S::RSA_PSS_SHA256 => (A::RsaPss(H::Sha256), None),
            S::RSA_PSS_SHA384 => (A::RsaPss(H::Sha384), None),
            S::RSA_PSS_SHA512 => (A::RsaPss(H::Sha512), None),
            S::ECDSA_NISTP256_SHA256 => (A::Ecdsa(H::Sha256), Some(KeyKind::P256)),
            S::ECDSA_NISTP384_SHA384 => (A::Ecdsa(H::Sha384), Some(KeyKind::P384)),
            S::ECDSA_NISTP521_SHA512 => (A::Ecdsa(H::Sha512), Some(KeyKind::P521)),
            S::ED25519 => (A::Ed25519, None),
            _ => return Err(UNSUPPORTED),
        };
        if is_tls13 && matches!(algorithm, A::RsaPkcs1(_)) {
            return Err(Refusal("the server signed in a way that TLS 1.3 does not have"));
        }
        // TLS 1.3 names the curve with the hash, TLS 1.2 only the hash.
        if is_tls13 && curve.is_some_and(|curve| curve != self.key.kind) {
            return Err(Refusal(
                "the server signed with another kind of key than its certificate's",
            ));
        }
        let verified = self.key.verify(algorithm, message, signature);
        verified.map_err(|_| Refusal("the server does not prove that it has its certificate's key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls_pki_types::CertificateDer;
    use rustls_pki_types::pem::PemObject;

    /// The refusal is to name the key, not to say that the CA is not known.
    #[test]
    fn unknown_keys_may_have_signed_but_verify_nothing() {
        let key = PublicKey { kind: KeyKind::Unknown, bits: 0, bytes: Vec::new() };
        let algorithm = Algorithm::Ecdsa(Hash::Sha256);
        assert!(algorithm.fits(key.kind) && !algorithm.fits(KeyKind::Ed25519));
        assert_eq!(key.verify(algorithm, b"", b""), Err(UNSUPPORTED));
    }

    /// OpenSSL 3.0 (`openssl verify -auth_level 2`) refuses 1962 bits and takes 1963.
    #[test]
    fn the_strength_of_rsa_keys_is_rounded() {
        for (bits, expected) in [
            (0, 0),
            (512, 56),
            (1024, 80),
            (1962, 104),
            (1963, 112),
            (1992, 112),
            (2048, 112),
            (3072, 128),
            (4096, 152),
            (6144, 176),
            (7680, 192),
            (8192, 200),
            (15_360, 256),
            (16_384, 256),
        ] {
            assert_eq!(rsa_strength(bits), expected, "{bits}");
        }
    }

    /// RFC 8446, 4.2.3: it is for certificates only there, even if it is right.
    #[test]
    fn tls_1_3_is_not_signed_by_pkcs_1() {
        let pem = include_bytes!("constraints.pem");
        let der = CertificateDer::from_pem_slice(pem).unwrap();
        let mut certificate = Certificate::parse(&der).unwrap();
        let pair = aws_lc_rs::rsa::KeyPair::generate(aws_lc_rs::rsa::KeySize::Rsa2048).unwrap();
        let mut signature = vec![0; pair.public_modulus_len()];
        let random = aws_lc_rs::rand::SystemRandom::new();
        pair.sign(&alg::RSA_PKCS1_SHA256, &random, b"message", &mut signature).unwrap();
        let bytes = aws_lc_rs::signature::KeyPair::public_key(&pair).as_ref().to_vec();
        certificate.key = PublicKey { kind: KeyKind::Rsa, bits: RSA_BITS, bytes };
        let scheme = SignatureScheme::RSA_PKCS1_SHA256;
        let verify =
            |is_tls13| certificate.verify_handshake(scheme, b"message", &signature, is_tls13);
        assert_eq!(verify(false), Ok(()));
        assert!(verify(true).is_err());
    }
}
