//! Whether a certificate is for the host that was meant: the rules of PHP's streams, which stock's are.

use std::net::IpAddr;

use super::Certificate;
use super::constraints::AltName;

/// Whether one of the alternative names is the host's; or the common name, if none of them could have been (RFC 6125, 6.4.4).
pub(super) fn matches_host(certificate: &Certificate, host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let address: Option<IpAddr> = host.parse().ok();
    let by_name = |name: &[u8]| match address {
        Some(_) => name.eq_ignore_ascii_case(host.as_bytes()),
        None => matches_wildcard(name, host.as_bytes()),
    };
    let by_alt_name = |name: &AltName| match (name, address) {
        (AltName::Dns(name), _) => by_name(name.strip_suffix(b".").unwrap_or(name)),
        (AltName::Ip(bytes), Some(IpAddr::V4(address))) => bytes[..] == address.octets(),
        (AltName::Ip(bytes), Some(IpAddr::V6(address))) => bytes[..] == address.octets(),
        _ => false,
    };
    !host.is_empty()
        && (certificate.alt_names.iter().any(by_alt_name)
            || host_of_last_resort(certificate).is_some_and(by_name))
}

/// The common name, where it may be the host's.
pub(super) fn host_of_last_resort(certificate: &Certificate) -> Option<&[u8]> {
    let is_host = |name: &AltName| matches!(name, AltName::Dns(_) | AltName::Uri);
    let has_hosts = certificate.alt_names.iter().any(is_host);
    certificate.common_name.as_deref().filter(|_| !has_hosts)
}

/// Whether a name with at most one `*`, which stands in its first label and for no dot, is the host's.
fn matches_wildcard(name: &[u8], host: &[u8]) -> bool {
    if name.contains(&0) {
        return false;
    }
    if name.eq_ignore_ascii_case(host) {
        return true;
    }
    let mut parts = name.splitn(2, |byte| *byte == b'*');
    let (Some(before), Some(after)) = (parts.next(), parts.next()) else { return false };
    let Some(wild_bytes) = host.len().checked_sub(before.len() + after.len()) else { return false };
    let (front, rest) = host.split_at_checked(before.len()).unwrap_or_default();
    let (wild, back) = rest.split_at_checked(wild_bytes).unwrap_or_default();
    !before.contains(&b'.')
        && front.eq_ignore_ascii_case(before)
        && back.eq_ignore_ascii_case(after)
        && !wild.contains(&b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_stands_for_a_part_of_the_first_label() {
        for (name, host, expected) in [
            ("db.example.org", "DB.Example.ORG", true),
            ("*.example.org", "db.example.org", true),
            ("*.example.org", "a.db.example.org", false),
            ("*.example.org", "example.org", false),
            ("*.example.org", ".example.org", true),
            ("d*.example.org", "db.example.org", true),
            ("d*b.example.org", "db.example.org", true),
            ("db*b.example.org", "db.example.org", false),
            ("x*.example.org", "db.example.org", false),
            ("db.*.org", "db.example.org", false),
            ("*.*.org", "db.example.org", false),
            ("*", "localhost", true),
            ("*", "db.example.org", false),
            ("db.example.org\0.evil", "db.example.org", false),
            ("", "db", false),
        ] {
            let matched = matches_wildcard(name.as_bytes(), host.as_bytes());
            assert_eq!(matched, expected, "{name} for {host}");
        }
    }
}
