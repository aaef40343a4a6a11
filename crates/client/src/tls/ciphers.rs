//! Cipher strings: OpenSSL's words for what rustls has.
//!
//! As in OpenSSL the words choose among the suites of TLS 1.2, and those of TLS 1.3 stay; but if a word is the name of one of TLS
//! 1.3's, only the named ones do. Order does not matter: rustls has its own.

use rustls::crypto::aws_lc_rs::cipher_suite as suite;
use rustls::{CipherSuite, SupportedCipherSuite};

/// The suites that there are, by OpenSSL's names; those of TLS 1.3 first.
const SUITES: [(&str, SupportedCipherSuite); 9] = [
    ("TLS_AES_256_GCM_SHA384", suite::TLS13_AES_256_GCM_SHA384),
    ("TLS_AES_128_GCM_SHA256", suite::TLS13_AES_128_GCM_SHA256),
    ("TLS_CHACHA20_POLY1305_SHA256", suite::TLS13_CHACHA20_POLY1305_SHA256),
    ("ECDHE-ECDSA-AES256-GCM-SHA384", suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384),
    ("ECDHE-ECDSA-AES128-GCM-SHA256", suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256),
    ("ECDHE-ECDSA-CHACHA20-POLY1305", suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256),
    ("ECDHE-RSA-AES256-GCM-SHA384", suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384),
    ("ECDHE-RSA-AES128-GCM-SHA256", suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256),
    ("ECDHE-RSA-CHACHA20-POLY1305", suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256),
];

/// Words for all suites that there are: each is ephemeral, authenticated and strong.
const EVERYTHING: [&str; 11] = [
    "DEFAULT",
    "COMPLEMENTOFDEFAULT",
    "ALL",
    "HIGH",
    "ECDHE",
    "EECDH",
    "kECDHE",
    "kEECDH",
    "AEAD",
    "TLSv1.2",
    "FIPS",
];

/// The parts that names of suites and groups of them are made of, in OpenSSL: such a word is understood, whether or not it
/// chooses something here.
const PARTS: &str = " 3DES ADH AECDH AES AES128 AES128CCM AES128CCM8 AES256 AES256CCM AES256CCM8 AESCCM AESCCM8 AESGCM ARIA \
    ARIA128 ARIA256 ARIAGCM CAMELLIA CAMELLIA128 CAMELLIA256 CBC CBC3 CCM CCM8 CHACHA20 COMPLEMENTOFALL DES DH DHE DSS ECDH \
    ECDHE ECDHEPSK ECDSA EDH EECDH EXP EXPORT GCM IDEA LOW MD5 MEDIUM NULL POLY1305 PSK RC2 RC4 RSA RSAPSK SEED SHA SHA1 \
    SHA256 SHA384 SRP SSLv3 TLSv1 TLSv1.0 aDSS aECDSA aNULL aPSK aRSA aSRP eNULL kDHE kDHEPSK kECDHEPSK kEDH kPSK kRSA kRSAPSK \
    kSRP SUITEB128 SUITEB128ONLY SUITEB192 ";

/// What a cipher string comes to.
#[derive(Debug)]
pub(super) struct Ciphers {
    pub(super) suites: Vec<SupportedCipherSuite>,
    /// OpenSSL's security level, which is about certificates too.
    level: u8,
}

/// The security level of OpenSSL as Debian builds it.
const DEFAULT_LEVEL: u8 = 2;

impl Ciphers {
    /// All suites.
    pub(super) fn all() -> Ciphers {
        Ciphers { suites: SUITES.map(|(_, suite)| suite).to_vec(), level: DEFAULT_LEVEL }
    }

    /// What the words choose.
    ///
    /// # Errors
    /// No word is understood, or there is nothing left; says what is possible.
    pub(super) fn parse(string: &str) -> Result<Ciphers, String> {
        let mut chosen = [false; SUITES.len()];
        let mut banned = chosen;
        let mut level = DEFAULT_LEVEL;
        let mut is_tls13_named = false;
        // Whether OpenSSL would have a suite, be it one that is not here.
        let mut is_any_left = false;
        let mut is_all_banned = false;
        for word in string.split([':', ',', ';', ' ']).filter(|word| !word.is_empty()) {
            if let Some((_, number)) = word.split_once("@SECLEVEL=") {
                level = number.parse().ok().filter(|level| *level <= 5).unwrap_or(level);
            }
            let word = word.split_once('@').map_or(word, |(word, _)| word);
            let (sign, name) = match word.split_at_checked(1) {
                Some((sign @ ("!" | "-" | "+"), name)) => (sign, name),
                _ => ("", word),
            };
            is_all_banned |= (sign, name) == ("!", "ALL");
            is_any_left = match (sign, name) {
                ("-" | "!", "ALL") => false,
                ("", name) if is_known(name) => !is_all_banned,
                _ => is_any_left,
            };
            is_tls13_named |=
                sign.is_empty() && SUITES.iter().any(|it| is_tls13(it) && it.0 == name);
            let slots = chosen.iter_mut().zip(&mut banned).zip(&SUITES);
            for ((is_chosen, is_banned), _) in slots.filter(|(_, suite)| is_meant(name, suite)) {
                *is_banned |= sign == "!";
                *is_chosen = match sign {
                    "" => !*is_banned,
                    "+" => *is_chosen,
                    _ => false,
                };
            }
        }
        let slots = SUITES.iter().zip(chosen).zip(banned);
        let stays = |((suite, is_chosen), is_banned): ((&Named, bool), bool)| {
            let is_in = if is_tls13(suite) && !is_tls13_named { !is_banned } else { is_chosen };
            is_in.then_some(suite.1)
        };
        let suites: Vec<_> = slots.filter_map(stays).collect();
        if !is_any_left || suites.is_empty() {
            let names = SUITES.map(|(name, _)| name).join(", ");
            return Err(format!("no cipher is possible by '{string}'; there are: {names}"));
        }
        Ok(Ciphers { suites, level })
    }

    /// The least strength of keys and hashes at this level, in bits: OpenSSL's `SSL_CTX_set_security_level`.
    pub(super) fn strength(&self) -> u32 {
        match self.level {
            0 => 0,
            1 => 80,
            2 => 112,
            3 => 128,
            4 => 192,
            _ => 256,
        }
    }
}

type Named = (&'static str, SupportedCipherSuite);

fn is_tls13(named: &Named) -> bool {
    matches!(named.1, SupportedCipherSuite::Tls13(_))
}

/// Whether it is a word of OpenSSL's, be it for what is not there.
fn is_known(name: &str) -> bool {
    let is_part = |part: &str| PARTS.contains(&format!(" {part} "));
    SUITES.iter().any(|(other, _)| *other == name)
        || EVERYTHING.contains(&name)
        || name.split(['-', '+']).all(is_part)
}

/// Whether a name, or names joined by `+`, stand for the suite.
fn is_meant(name: &str, named: &Named) -> bool {
    if is_tls13(named) || SUITES.iter().any(|(other, _)| *other == name) {
        return named.0 == name;
    }
    let has = |part: &str| named.0.split('-').any(|other| other == part);
    name.split('+').all(|word| match word {
        "aRSA" | "RSA" => has("RSA"),
        "aECDSA" | "ECDSA" => has("ECDSA"),
        "AES" => has("AES128") || has("AES256"),
        "AESGCM" => has("GCM"),
        "AES128" | "AES256" | "CHACHA20" => has(word),
        "SHA256" => matches!(
            named.1.suite(),
            CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
                | CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
        ),
        "SHA384" => has("SHA384"),
        _ => EVERYTHING.contains(&word),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(string: &str, expected: &[&str]) {
        let mut suites = Ciphers::parse(string).unwrap().suites;
        let names: Vec<_> = SUITES
            .iter()
            .filter(|(_, suite)| suites.iter().any(|other| other.suite() == suite.suite()))
            .map(|(name, _)| *name)
            .collect();
        suites.clear();
        assert_eq!(names, expected, "{string}");
    }

    const TLS13: [&str; 3] =
        ["TLS_AES_256_GCM_SHA384", "TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"];

    fn with_tls13<'a>(tls12: &[&'a str]) -> Vec<&'a str> {
        TLS13.iter().chain(tls12).copied().collect()
    }

    #[test]
    fn words_choose_suites() {
        check("DEFAULT", &SUITES.map(|(name, _)| name));
        check("HIGH:!aNULL:!MD5", &SUITES.map(|(name, _)| name));
        check("ECDHE-RSA-AES128-GCM-SHA256", &with_tls13(&["ECDHE-RSA-AES128-GCM-SHA256"]));
        check("TLS_AES_128_GCM_SHA256", &["TLS_AES_128_GCM_SHA256"]);
        check("ECDHE+AES256:!aRSA", &with_tls13(&["ECDHE-ECDSA-AES256-GCM-SHA384"]));
        check(
            "ALL:-CHACHA20:!AES128",
            &with_tls13(&["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"]),
        );
        // Names of suites that only OpenSSL has leave TLS 1.3.
        check("DHE-RSA-AES256-SHA:AES128-SHA", &TLS13);
        check(
            "TLS_AES_128_GCM_SHA256,ECDHE-RSA-AES128-GCM-SHA256",
            &["TLS_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
        );
    }

    #[test]
    fn what_chooses_nothing_is_an_error_that_says_what_there_is() {
        for string in [
            "nonsense",
            "",
            ":",
            "AES128-NONSENSE",
            "-ALL",
            "!ALL",
            "+ALL",
            "!aNULL",
            "HIGH:-ALL",
            "!ALL:HIGH",
        ] {
            let error = Ciphers::parse(string).unwrap_err();
            assert!(error.contains("TLS_AES_256_GCM_SHA384"), "{error}");
        }
    }

    #[test]
    fn what_is_chosen_after_all_went_stays() {
        check("-ALL:ECDHE-RSA-AES128-GCM-SHA256", &with_tls13(&["ECDHE-RSA-AES128-GCM-SHA256"]));
    }

    #[test]
    fn levels_are_read() {
        assert_eq!(Ciphers::parse("DEFAULT").unwrap().strength(), 112);
        assert_eq!(Ciphers::parse("DEFAULT@SECLEVEL=1").unwrap().strength(), 80);
        assert_eq!(Ciphers::parse("HIGH:@SECLEVEL=0").unwrap().strength(), 0);
    }
}
