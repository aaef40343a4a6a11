//! Certificate revocation lists: which certificates their CA has taken back.
//!
//! Where there is a file of lists, each certificate of a chain but the CA's own at its end needs one from its issuer: signed by it,
//! and of now. So a missing or an expired list refuses all that its CA signed, as `--ssl-crl` of MySQL's own clients does.

use rustls_pki_types::CertificateRevocationListDer;
use rustls_pki_types::pem::PemObject;
use x509_parser::asn1_rs::FromDer;
use x509_parser::revocation_list::CertificateRevocationList;

use super::certificate::significant;
use super::name::canonical;
use super::signature::Algorithm;
use super::signed::Signed;
use super::{Certificate, Refusal};

const MISSING: Refusal = Refusal("there is no CRL of a certificate's issuer");
const EXPIRED: Refusal = Refusal("the CRL of a certificate's issuer has expired");
const NOT_YET: Refusal = Refusal("the CRL of a certificate's issuer is not valid yet");
const NOT_SIGNED: Refusal = Refusal("the CRL of a certificate's issuer is not signed by it");
const PARTIAL: Refusal =
    Refusal("the CRL of a certificate's issuer is of a kind that is not supported here");
const REVOKED: Refusal = Refusal("a certificate was revoked");

/// Revocation lists.
#[derive(Debug)]
pub struct Crls(Vec<Crl>);

#[derive(Debug)]
struct Crl {
    issuer: Vec<u8>,
    tbs: Vec<u8>,
    algorithm: Algorithm,
    signature: Vec<u8>,
    this_update: i64,
    next_update: Option<i64>,
    /// Serial numbers, sorted.
    revoked: Vec<Vec<u8>>,
    /// Whether it has a critical extension, which means that it is not about all certificates of its issuer, or about others'.
    is_partial: bool,
}

impl Crls {
    /// Reads the lists of a PEM file; `None`: there is none, or one that can't be read.
    pub fn parse_pem(pem: &[u8]) -> Option<Crls> {
        let lists: Result<Vec<_>, _> = CertificateRevocationListDer::pem_slice_iter(pem).collect();
        Crls::parse(lists.ok()?.iter().map(AsRef::as_ref))
    }

    /// Reads lists in DER; `None`: there is none, or one that can't be read.
    pub fn parse<'a>(lists: impl Iterator<Item = &'a [u8]>) -> Option<Crls> {
        let lists: Option<Vec<Crl>> = lists.map(Crl::parse).collect();
        lists.filter(|lists| !lists.is_empty()).map(Crls)
    }

    /// Whether the certificate still holds.
    pub(super) fn check(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        now: i64,
    ) -> Result<(), Refusal> {
        let mut outcome = Err(MISSING);
        for crl in self.0.iter().filter(|crl| crl.issuer == certificate.issuer) {
            match crl.check(certificate, issuer, now) {
                // One list is enough to say so, and any other enough to say no.
                Err(REVOKED) => return Err(REVOKED),
                checked if outcome.is_err() => outcome = checked,
                _ => {}
            }
        }
        outcome
    }
}

impl Crl {
    fn parse(der: &[u8]) -> Option<Crl> {
        let signed = Signed::read(der)?;
        let (_, parsed) = CertificateRevocationList::from_der(der).ok()?;
        if !signed.has_one_algorithm {
            return None;
        }
        let list = &parsed.tbs_cert_list;
        let mut revoked: Vec<_> =
            list.revoked_certificates.iter().map(|entry| significant(entry.raw_serial())).collect();
        revoked.sort();
        let entries = list.revoked_certificates.iter().flat_map(|entry| entry.extensions());
        let is_partial = list.extensions().iter().chain(entries).any(|it| it.critical);
        Some(Crl {
            issuer: canonical(&list.issuer),
            tbs: signed.tbs.to_vec(),
            algorithm: Algorithm::read(&parsed.signature_algorithm),
            signature: signed.signature.to_vec(),
            this_update: list.this_update.timestamp(),
            next_update: list.next_update.map(|time| time.timestamp()),
            revoked,
            is_partial,
        })
    }

    fn check(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        now: i64,
    ) -> Result<(), Refusal> {
        if self.is_partial {
            return Err(PARTIAL);
        }
        let may_sign = issuer.usage.is_none_or(|usage| usage.crl_sign);
        if !may_sign || issuer.key.verify(self.algorithm, &self.tbs, &self.signature).is_err() {
            return Err(NOT_SIGNED);
        }
        if self.revoked.binary_search(&certificate.serial).is_ok() {
            return Err(REVOKED);
        }
        if now < self.this_update {
            return Err(NOT_YET);
        }
        if self.next_update.is_some_and(|next| now > next) {
            return Err(EXPIRED);
        }
        Ok(())
    }
}
