//! Chains of certificates: how one is built from a server's certificate to a known CA, and what is asked of each link.

use std::sync::Arc;

use super::host::matches_host;
use super::signature::KeyKind;
use super::{Certificate, Crls, Refusal, Trust};

/// The longest chain, from the server's certificate to the CA: PHP's streams allow a depth of 9.
const MAX_CHAIN: usize = 10;

/// How many signatures are checked for one server; what a hostile one can cost. Honest chains take two to four.
const MAX_SIGNATURES: usize = 64;

/// How many certificates besides its own are looked at of those that a server sends.
const MAX_PRESENTED: usize = 32;

pub(super) const UNREADABLE: Refusal = Refusal("the server's certificate can't be read");
const OTHER_HOST: Refusal = Refusal("the server's certificate is for another host");
const UNKNOWN_ISSUER: Refusal = Refusal("the server's certificate is not signed by a known CA");
const SELF_SIGNED: Refusal =
    Refusal("the server's certificate is self-signed, and not among the known ones");
const SELF_SIGNED_CA: Refusal = Refusal("the server's certificate leads to a CA that is not known");
const TOO_LONG: Refusal = Refusal("the chain of certificates is too long");
const TOO_MUCH: Refusal = Refusal("the server's certificates take too much work to verify");

/// By what certificates are judged.
#[derive(Debug)]
pub struct Policy {
    /// The CAs that are believed.
    pub trust: Trust,
    /// Their revocation lists, if each of them must have one.
    pub crls: Option<Crls>,
    /// The least strength of keys and hashes, in bits of a symmetric key.
    pub strength: u32,
    /// Whom the certificate must be for: a name or an address; `None`: anybody.
    pub host: Option<String>,
}

impl Policy {
    /// Whether a server is believed: there is a chain from its certificate, which stands first, to a known CA at which nothing is wrong.
    /// The others are the intermediate CAs that it sent along, in any order; `now` is in seconds of Unix time.
    ///
    /// # Errors
    /// What is wrong with the chain that came farthest.
    pub fn verify<'a>(
        &self,
        leaf: &[u8],
        presented: impl Iterator<Item = &'a [u8]>,
        now: i64,
    ) -> Result<(), Refusal> {
        let leaf = Certificate::parse(leaf).ok_or(UNREADABLE)?;
        let is_for_host = self.host.as_deref().is_none_or(|host| matches_host(&leaf, host));
        let presented = presented.take(MAX_PRESENTED).filter_map(Certificate::parse);
        let mut search = Search {
            policy: self,
            presented: presented.map(Arc::new).collect(),
            now,
            signatures: 0,
            refusal: UNKNOWN_ISSUER,
            rank: 0,
        };
        if !search.extend(&mut vec![Arc::new(leaf)], false) {
            return Err(search.refusal);
        }
        if is_for_host { Ok(()) } else { Err(OTHER_HOST) }
    }
}

struct Search<'a> {
    policy: &'a Policy,
    presented: Vec<Arc<Certificate>>,
    now: i64,
    signatures: usize,
    refusal: Refusal,
    rank: u8,
}

impl Search<'_> {
    /// Looks for the rest of a chain; whether there is a good one. From a known CA on only known ones are asked.
    fn extend(&mut self, chain: &mut Vec<Arc<Certificate>>, is_known: bool) -> bool {
        let Some(last) = chain.last().cloned() else { return false };
        if last.is_self_signed() || is_known && last.is_anchor {
            if is_known || self.policy.trust.knows(&last) {
                let checked = self.check(chain);
                return checked.map_err(|refusal| self.refuse(3, refusal)).is_ok();
            }
            self.refuse(1, if chain.len() == 1 { SELF_SIGNED } else { SELF_SIGNED_CA });
            return false;
        }
        let known = self.policy.trust.of_name(&last.issuer).into_iter().map(|ca| (ca, true));
        let presented = if is_known { Vec::new() } else { self.presented.clone() };
        let candidates = known.chain(presented.into_iter().map(|ca| (ca, false)));
        for (candidate, is_known) in candidates {
            let is_repeated = chain.iter().any(|other| other.der == candidate.der);
            if is_repeated || !last.names_as_issuer(&candidate) {
                continue;
            }
            if chain.len() == MAX_CHAIN {
                self.refuse(2, TOO_LONG);
                return false;
            }
            if self.signatures == MAX_SIGNATURES {
                self.refuse(4, TOO_MUCH);
                return false;
            }
            self.signatures += 1;
            if let Err(refusal) = candidate.key.verify(last.algorithm, &last.tbs, &last.signature) {
                self.refuse(2, refusal);
                continue;
            }
            chain.push(candidate);
            if self.extend(chain, is_known) {
                return true;
            }
            chain.pop();
        }
        false
    }

    /// Notes why a chain is none, if no other came as far.
    fn refuse(&mut self, rank: u8, refusal: Refusal) {
        if rank > self.rank {
            self.rank = rank;
            self.refusal = refusal;
        }
    }

    /// What is asked of a whole chain, whose signatures are right.
    fn check(&self, chain: &[Arc<Certificate>]) -> Result<(), Refusal> {
        // CAs that did not issue themselves, between the server and the link that is looked at.
        let mut cas_below = 0;
        for (index, certificate) in chain.iter().enumerate() {
            let is_leaf = index == 0;
            check_use(certificate, is_leaf, index + 1 == chain.len())?;
            if let Some((_, Some(limit))) = certificate.basic
                && index > 1
                && cas_below > limit
            {
                return Err(Refusal("a CA may not have as many CAs below it"));
            }
            if !is_leaf && !certificate.is_self_issued() {
                cas_below += 1;
            }
            self.check_strength(certificate, index + 1 == chain.len())?;
            self.check_time(certificate)?;
            if is_leaf || index + 1 == chain.len() || !certificate.is_self_issued() {
                let above = chain.iter().skip(index + 1);
                for constraints in above.filter_map(|ca| ca.constraints.as_ref()) {
                    constraints.allow(certificate, is_leaf)?;
                }
            }
        }
        let Some(crls) = &self.policy.crls else { return Ok(()) };
        // The last one is its own issuer, or there is no list of its.
        let issuers = chain.iter().skip(1).chain(chain.last());
        let (strength, now) = (self.policy.strength, self.now);
        chain.iter().zip(issuers).try_for_each(|(it, issuer)| crls.check(it, issuer, strength, now))
    }

    fn check_strength(&self, certificate: &Certificate, is_last: bool) -> Result<(), Refusal> {
        if certificate.key.kind == KeyKind::Unknown {
            return Err(Refusal("a certificate's key is of a kind that is not supported here"));
        }
        if certificate.key.strength() < self.policy.strength {
            return Err(Refusal("a certificate's key is too weak"));
        }
        // Nobody relies on the signature of what is known itself.
        if !is_last && certificate.algorithm.strength() < self.policy.strength {
            return Err(Refusal("a certificate's signature is of a kind that is too weak"));
        }
        Ok(())
    }

    fn check_time(&self, certificate: &Certificate) -> Result<(), Refusal> {
        if self.now < certificate.not_before {
            return Err(Refusal("a certificate is not valid yet"));
        }
        if self.now > certificate.not_after {
            return Err(Refusal("a certificate has expired"));
        }
        Ok(())
    }
}

/// Whether a certificate may be what it is in the chain: a server's, or that of a CA of servers.
fn check_use(certificate: &Certificate, is_leaf: bool, is_last: bool) -> Result<(), Refusal> {
    if let Some(flaw) = certificate.flaw {
        return Err(Refusal(flaw));
    }
    if certificate.is_for_servers == Some(false) {
        return Err(Refusal("a certificate is not for servers by its extended key usage"));
    }
    if is_leaf {
        if certificate.netscape.is_some_and(|(is_server, _)| !is_server) {
            return Err(Refusal(
                "the server's certificate is not for servers by its Netscape type",
            ));
        }
        if certificate.usage.is_some_and(|usage| !usage.for_tls) {
            return Err(Refusal("the server's certificate is not for TLS by its key usage"));
        }
    } else if !(certificate.is_ca() && (is_last || certificate.basic.is_some())) {
        // Old ways to be a CA are for what is known itself.
        return Err(Refusal("a certificate was signed by one that is no CA's"));
    }
    Ok(())
}
