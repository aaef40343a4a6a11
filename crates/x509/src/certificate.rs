//! A certificate: what of it decides whether it is believed.

use x509_parser::asn1_rs::{FromDer, Oid, oid};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{GeneralName, ParsedExtension, X509Extension};
use x509_parser::oid_registry as oids;
use x509_parser::x509::{X509Name, X509Version};

use super::constraints::{AltName, Constraints};
use super::name::{canonical, host_names};
use super::signature::{Algorithm, PublicKey};
use super::signed::Signed;

/// The most extensions of a certificate, each of which is compared with all others; honest ones have ten or so.
const MAX_EXTENSIONS: usize = 100;

/// A certificate.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub(super) der: Vec<u8>,
    /// The signed part.
    pub(super) tbs: Vec<u8>,
    pub(super) signature: Vec<u8>,
    pub(super) algorithm: Algorithm,
    pub(super) key: PublicKey,
    pub(super) key_der: Vec<u8>,
    /// Names are in canonical form.
    pub(super) subject: Vec<u8>,
    pub(super) issuer: Vec<u8>,
    pub(super) serial: Vec<u8>,
    /// Seconds of Unix time.
    pub(super) not_before: i64,
    pub(super) not_after: i64,
    pub(super) is_version_1: bool,
    pub(super) usage: Option<Usage>,
    /// Whether the extended key usage, if there is one, names servers.
    pub(super) is_for_servers: Option<bool>,
    /// Whether the Netscape type, if there is one, names servers, and whether it names a CA of such.
    pub(super) netscape: Option<(bool, bool)>,
    /// Whether it is a CA, and how many CAs may stand between it and a server.
    pub(super) basic: Option<(bool, Option<u32>)>,
    pub(super) subject_key_id: Option<Vec<u8>>,
    pub(super) authority: Authority,
    pub(super) alt_names: Vec<AltName>,
    pub(super) common_name: Option<Vec<u8>>,
    /// Those of all common names that could be a host's; `None`: one can't be read.
    pub(super) host_names: Option<Vec<Vec<u8>>>,
    pub(super) emails: bool,
    pub(super) constraints: Option<Constraints>,
    /// Whether who knows it said so for servers: then no chain need go on from it.
    pub(super) is_anchor: bool,
    /// Why it is believed in no case.
    pub(super) flaw: Option<&'static str>,
}

/// What the key may be used for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    pub(super) for_tls: bool,
    pub(super) cert_sign: bool,
    pub(super) crl_sign: bool,
}

/// How a certificate names its issuer besides by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Authority {
    key_id: Option<Vec<u8>>,
    issuer: Option<Vec<u8>>,
    serial: Option<Vec<u8>>,
}

impl Certificate {
    /// Reads a certificate; `None`: it is none.
    pub fn parse(der: &[u8]) -> Option<Certificate> {
        let signed = Signed::read(der)?;
        let (_, parsed) = X509Certificate::from_der(der).ok()?;
        let tbs = &parsed.tbs_certificate;
        let mut certificate = Certificate {
            der: der.to_vec(),
            tbs: signed.tbs.to_vec(),
            signature: signed.signature.to_vec(),
            algorithm: Algorithm::read(&parsed.signature_algorithm),
            key: PublicKey::read(&tbs.subject_pki),
            key_der: tbs.subject_pki.raw.to_vec(),
            subject: canonical(&tbs.subject),
            issuer: canonical(&tbs.issuer),
            serial: significant(tbs.raw_serial()),
            not_before: tbs.validity.not_before.timestamp(),
            not_after: tbs.validity.not_after.timestamp(),
            is_version_1: tbs.version == X509Version::V1,
            usage: None,
            is_for_servers: None,
            netscape: None,
            basic: None,
            subject_key_id: None,
            authority: Authority::default(),
            alt_names: Vec::new(),
            common_name: first_common_name(&tbs.subject),
            host_names: host_names(&tbs.subject),
            emails: tbs.subject.iter_email().next().is_some(),
            constraints: None,
            is_anchor: false,
            flaw: None,
        };
        if !signed.has_one_algorithm {
            certificate.flaw = Some("a certificate names two algorithms of its signature");
        }
        let extensions = tbs.extensions();
        if extensions.len() > MAX_EXTENSIONS {
            return None;
        }
        for (index, extension) in extensions.iter().enumerate() {
            if extensions.iter().take(index).any(|other| other.oid == extension.oid) {
                certificate.flaw = Some("a certificate has an extension twice");
            }
            certificate.read(extension);
        }
        Some(certificate)
    }

    fn read(&mut self, extension: &X509Extension<'_>) {
        if extension.critical && !may_be_critical(&extension.oid) {
            self.flaw = Some("a certificate has a critical extension that is not known here");
        }
        if [PROXY, ADDRESSES, NUMBERS].contains(&extension.oid) {
            self.flaw = Some("a certificate is of a kind that is not supported here");
        }
        match extension.parsed_extension() {
            ParsedExtension::KeyUsage(usage) => {
                self.usage = Some(Usage {
                    for_tls: usage.digital_signature()
                        || usage.key_encipherment()
                        || usage.key_agreement(),
                    cert_sign: usage.key_cert_sign(),
                    crl_sign: usage.crl_sign(),
                });
            }
            ParsedExtension::ExtendedKeyUsage(usage) => {
                // "Server gated cryptography", Netscape's and Microsoft's, counts as being a server.
                let gated = [oid!(2.16.840.1.113730.4.1), oid!(1.3.6.1.4.1.311.10.3.3)];
                let is_gated = usage.other.iter().any(|oid| gated.contains(oid));
                self.is_for_servers = Some(usage.server_auth || is_gated);
            }
            ParsedExtension::NSCertType(kind) => {
                self.netscape = Some((kind.ssl_server(), kind.ssl_ca()));
            }
            ParsedExtension::BasicConstraints(basic) => {
                self.basic = Some((basic.ca, basic.path_len_constraint));
            }
            ParsedExtension::SubjectKeyIdentifier(id) => self.subject_key_id = Some(id.0.to_vec()),
            ParsedExtension::AuthorityKeyIdentifier(id) => {
                let issuers = id.authority_cert_issuer.iter().flatten();
                let issuer = issuers.filter_map(|name| match name {
                    GeneralName::DirectoryName(name) => Some(canonical(name)),
                    _ => None,
                });
                self.authority = Authority {
                    key_id: id.key_identifier.as_ref().map(|id| id.0.to_vec()),
                    issuer: issuer.take(1).next(),
                    serial: id.authority_cert_serial.map(significant),
                };
            }
            ParsedExtension::SubjectAlternativeName(names) => {
                self.alt_names = names.general_names.iter().map(AltName::read).collect();
            }
            ParsedExtension::NameConstraints(_) => {
                self.constraints = Constraints::read(extension.value);
                if self.constraints.is_none() {
                    self.flaw = Some("a CA has name constraints that can't be read");
                }
            }
            ParsedExtension::ParseError { .. } if is_deciding(extension) => {
                self.flaw = Some("a certificate has an extension that can't be read");
            }
            _ => {}
        }
    }

    /// The certificate in DER.
    pub fn as_der(&self) -> &[u8] {
        &self.der
    }

    /// The public key as it stands there: a SubjectPublicKeyInfo in DER.
    pub fn public_key(&self) -> &[u8] {
        &self.key_der
    }

    /// Whether it is the same certificate.
    pub(super) fn is_same(&self, other: &Certificate) -> bool {
        self.der == other.der
    }

    /// Whether it names itself as its issuer.
    pub(super) fn is_self_issued(&self) -> bool {
        self.subject == self.issuer
    }

    /// Whether it says that its own key signed it.
    pub(super) fn is_self_signed(&self) -> bool {
        self.is_self_issued() && self.authority.fits(self) && self.algorithm.fits(self.key.kind)
    }

    /// Whether, by what both say, `issuer` signed it.
    pub(super) fn names_as_issuer(&self, issuer: &Certificate) -> bool {
        self.issuer == issuer.subject
            && self.authority.fits(issuer)
            && self.algorithm.fits(issuer.key.kind)
            && issuer.usage.is_none_or(|usage| usage.cert_sign)
    }

    /// Whether it may sign others: OpenSSL's `X509_check_ca`.
    pub(super) fn is_ca(&self) -> bool {
        match (self.usage, self.basic) {
            (Some(Usage { cert_sign: false, .. }), _) => false,
            (_, Some((is_ca, _))) => is_ca,
            // Roots of before there were extensions.
            _ if self.is_version_1 && self.is_self_signed() => true,
            (Some(_), None) => true,
            (None, None) => self.netscape.is_some_and(|(_, is_ca)| is_ca),
        }
    }
}

/// The proxy certificates of RFC 3820, which nobody takes who does not ask for them.
const PROXY: Oid<'static> = oid!(1.3.6.1.5.5.7.1.14);
/// The addresses and the networks of RFC 3779, which each CA above would have to have as well. They are for routers.
const ADDRESSES: Oid<'static> = oid!(1.3.6.1.5.5.7.1.7);
const NUMBERS: Oid<'static> = oid!(1.3.6.1.5.5.7.1.8);

/// Whether it is an extension that may be critical: OpenSSL's `X509_supported_extension`, which lacks the key identifiers.
fn may_be_critical(oid: &Oid<'_>) -> bool {
    [
        oids::OID_X509_EXT_CERT_TYPE,
        oids::OID_X509_EXT_KEY_USAGE,
        oids::OID_X509_EXT_SUBJECT_ALT_NAME,
        oids::OID_X509_EXT_BASIC_CONSTRAINTS,
        oids::OID_X509_EXT_CERTIFICATE_POLICIES,
        oids::OID_X509_EXT_CRL_DISTRIBUTION_POINTS,
        oids::OID_X509_EXT_EXTENDED_KEY_USAGE,
        // "OCSP no check", of those who answer by OCSP.
        oid!(1.3.6.1.5.5.7.48.1.5),
        oids::OID_X509_EXT_POLICY_CONSTRAINTS,
        oids::OID_X509_EXT_NAME_CONSTRAINTS,
        oids::OID_X509_EXT_POLICY_MAPPINGS,
        oids::OID_X509_EXT_INHIBIT_ANY_POLICY,
    ]
    .contains(oid)
}

/// Whether it is an extension whose content decides: one of these that can't be read spoils the certificate.
fn is_deciding(extension: &X509Extension<'_>) -> bool {
    extension.critical
        || [
            oids::OID_X509_EXT_KEY_USAGE,
            oids::OID_X509_EXT_EXTENDED_KEY_USAGE,
            oids::OID_X509_EXT_BASIC_CONSTRAINTS,
            oids::OID_X509_EXT_NAME_CONSTRAINTS,
            oids::OID_X509_EXT_SUBJECT_ALT_NAME,
            oids::OID_X509_EXT_SUBJECT_KEY_IDENTIFIER,
            oids::OID_X509_EXT_AUTHORITY_KEY_IDENTIFIER,
            oids::OID_X509_EXT_CRL_DISTRIBUTION_POINTS,
            oids::OID_X509_EXT_CERT_TYPE,
        ]
        .contains(&extension.oid)
}

impl Authority {
    /// Whether this may be the issuer; what is not said fits.
    fn fits(&self, issuer: &Certificate) -> bool {
        let differs = |said: &Option<Vec<u8>>, is: Option<&Vec<u8>>| matches!((said, is), (Some(said), Some(is)) if said != is);
        !differs(&self.key_id, issuer.subject_key_id.as_ref())
            && !differs(&self.serial, Some(&issuer.serial))
            && !differs(&self.issuer, Some(&issuer.issuer))
    }
}

/// A number without leading zeros.
pub(super) fn significant(number: &[u8]) -> Vec<u8> {
    number.iter().skip_while(|byte| **byte == 0).copied().collect()
}

fn first_common_name(name: &X509Name<'_>) -> Option<Vec<u8>> {
    name.iter_common_name().next().map(|name| name.as_slice().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEQUENCE: u8 = 0x30;

    /// A value of DER.
    fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let body = parts.concat();
        let length = u32::try_from(body.len()).unwrap();
        [&[tag, 0x84][..], &length.to_be_bytes(), &body].concat()
    }

    /// A certificate with so many extensions, none of them known, and a signature that is none.
    fn with_extensions(count: u8) -> Vec<u8> {
        let ed25519 = der(SEQUENCE, &[&[6, 3, 0x2B, 0x65, 0x70]]);
        let name = der(SEQUENCE, &[]);
        let date = b"\x17\x0D200101000000Z";
        let extension = |number| der(SEQUENCE, &[&[6, 3, 0x2A, 3, number], &[4, 0]]);
        let extensions: Vec<_> = (0..count).map(extension).collect();
        let extensions: Vec<_> = extensions.iter().map(Vec::as_slice).collect();
        let tbs = der(
            SEQUENCE,
            &[
                &[0xA0, 3, 2, 1, 2], // version 3
                &[2, 1, 1],          // serial
                &ed25519,
                &name,
                &der(SEQUENCE, &[date, date]),
                &name,
                &der(SEQUENCE, &[&ed25519, &[3, 1, 0]]),
                &der(0xA3, &[&der(SEQUENCE, &extensions)]),
            ],
        );
        der(SEQUENCE, &[&tbs, &ed25519, &[3, 1, 0]])
    }

    #[test]
    fn extensions_are_bounded() {
        let certificate = Certificate::parse(&with_extensions(100)).unwrap();
        assert_eq!(certificate.flaw, None);
        assert!(Certificate::parse(&with_extensions(101)).is_none());
    }
}
