//! Certificate revocation lists: which certificates their CA has taken back.
//!
//! Where there is a file of lists, each certificate of a chain needs one from its issuer, the last one from itself: signed by it, and
//! of now. So a missing or an expired list refuses all that its CA signed, as `--ssl-crl` of MySQL's own clients does. The
//! newest list decides that holds now.

use rustls_pki_types::CertificateRevocationListDer;
use rustls_pki_types::pem::PemObject;
use x509_parser::asn1_rs::{FromDer, oid};
use x509_parser::oid_registry::OID_X509_EXT_ISSUER_DISTRIBUTION_POINT;
use x509_parser::revocation_list::{CertificateRevocationList, RevokedCertificate};
use x509_parser::x509::ReasonCode;

use super::certificate::significant;
use super::name::canonical;
use super::signature::Algorithm;
use super::signed::Signed;
use super::{Certificate, Refusal};

const MISSING: Refusal = Refusal("there is no CRL of a certificate's issuer");
const EXPIRED: Refusal = Refusal("the CRL of a certificate's issuer has expired");
const NOT_YET: Refusal = Refusal("the CRL of a certificate's issuer is not valid yet");
const NOT_SIGNED: Refusal = Refusal("the CRL of a certificate's issuer is not signed by it");
const WEAK: Refusal =
    Refusal("the CRL of a certificate's issuer is signed in a way that is too weak");
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
    /// Whether it may not be about all certificates of its issuer, or about others': it says for what it is, or of what it is the
    /// change, or has a critical extension that is not known.
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
        strength: u32,
        now: i64,
    ) -> Result<(), Refusal> {
        let mut refusal = MISSING;
        let mut newest: Option<&Crl> = None;
        for crl in self.0.iter().filter(|crl| crl.issuer == certificate.issuer) {
            match crl.check(issuer, strength, now) {
                Ok(()) if newest.is_none_or(|newest| newest.this_update < crl.this_update) => {
                    newest = Some(crl);
                }
                Ok(()) => {}
                Err(why) => refusal = why,
            }
        }
        let newest = newest.ok_or(refusal)?;
        let is_revoked = newest.revoked.binary_search(&certificate.serial).is_ok();
        if is_revoked { Err(REVOKED) } else { Ok(()) }
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
        let entries = list.revoked_certificates.iter().filter(|entry| !is_taken_back(entry));
        let mut revoked: Vec<_> = entries.map(|entry| significant(entry.raw_serial())).collect();
        revoked.sort();
        let entries = list.revoked_certificates.iter().flat_map(|entry| entry.extensions());
        let scopes = [OID_X509_EXT_ISSUER_DISTRIBUTION_POINT, oid!(2.5.29.27)];
        let is_partial = list
            .extensions()
            .iter()
            .chain(entries)
            .any(|it| it.critical || scopes.contains(&it.oid));
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

    /// Whether it may be believed what the list says.
    fn check(&self, issuer: &Certificate, strength: u32, now: i64) -> Result<(), Refusal> {
        if self.is_partial {
            return Err(PARTIAL);
        }
        if self.algorithm.strength() < strength {
            return Err(WEAK);
        }
        let may_sign = issuer.usage.is_none_or(|usage| usage.crl_sign);
        if !may_sign || issuer.key.verify(self.algorithm, &self.tbs, &self.signature).is_err() {
            return Err(NOT_SIGNED);
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

/// Whether it says that the certificate, which was on hold, holds again.
fn is_taken_back(entry: &RevokedCertificate<'_>) -> bool {
    entry.reason_code().is_some_and(|(_, reason)| reason == ReasonCode::RemoveFromCRL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Policy, Trust};

    /// When all but what says otherwise holds.
    const NOW: i64 = 1_900_000_000;

    /// As `openssl verify -crl_check_all`, but that it takes lists of changes and those that are signed with SHA-1.
    #[test]
    fn the_newest_list_that_holds_decides() {
        let pem = include_bytes!("crl.pem");
        let certificates = Certificate::parse_pem(pem);
        let lists: Vec<_> =
            CertificateRevocationListDer::pem_slice_iter(pem).map(Result::unwrap).collect();
        let check =
            |leaf: usize, chosen: &[usize], strength: u32, expected: Result<(), Refusal>| {
                let policy = Policy {
                    trust: Trust::new(certificates.clone(), &[]),
                    crls: Crls::parse(chosen.iter().map(|list| lists[*list].as_ref())),
                    strength,
                    host: None,
                };
                let verified = policy.verify(&certificates[leaf].der, [].into_iter(), NOW);
                assert_eq!(verified, expected, "{leaf} by {chosen:?}");
                let turned: Vec<_> = chosen.iter().rev().copied().collect();
                let crls = Crls::parse(turned.iter().map(|list| lists[*list].as_ref()));
                let verified =
                    Policy { crls, ..policy }.verify(&certificates[leaf].der, [].into_iter(), NOW);
                assert_eq!(verified.is_ok(), expected.is_ok(), "{leaf} by {turned:?}");
            };
        let (server, own) = (1, 2);
        check(server, &[0], 112, Ok(()));
        check(server, &[1], 112, Err(REVOKED));
        check(server, &[0, 2], 112, Err(REVOKED));
        check(server, &[1, 3], 112, Ok(()));
        check(server, &[4], 112, Err(EXPIRED));
        check(server, &[0, 4], 112, Ok(()));
        check(server, &[5], 112, Err(NOT_YET));
        check(server, &[1, 5], 112, Err(REVOKED));
        check(server, &[6], 112, Ok(()));
        check(server, &[7], 112, Err(REVOKED));
        check(server, &[8], 112, Err(PARTIAL));
        check(server, &[0, 8], 112, Ok(()));
        check(server, &[9], 112, Err(PARTIAL));
        check(server, &[10], 112, Err(NOT_SIGNED));
        check(server, &[0, 10], 112, Ok(()));
        check(server, &[11], 112, Err(WEAK));
        check(server, &[11], 0, Ok(()));
        check(server, &[12], 112, Err(REVOKED));
        check(server, &[13], 112, Err(MISSING));
        check(own, &[0], 112, Err(MISSING));
        check(own, &[0, 13], 112, Ok(()));
        check(own, &[14], 112, Err(REVOKED));
    }
}
