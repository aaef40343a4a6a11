//! Golden packets: the helpers of the tests at the bottom of each packet's file.
//!
//! The packets were captured between this driver and real servers, MariaDB 10.11.19 and MySQL 8.0.33, and stand there as hex
//! of the payload, without the header.

use crate::malformed::Malformed;
use crate::reader::span;

/// The bytes that hex digits stand for; blanks and line ends don't count.
pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let digits: Vec<u8> = digits
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .map(|digit| u8::try_from(digit).unwrap())
        .collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// Shows that the packet parses and that each of its prefixes is an error, but for the lengths that the format itself allows.
pub(crate) fn check_prefixes<'a, T>(
    payload: &'a [u8],
    parse: impl Fn(&'a [u8]) -> Result<T, Malformed>,
    is_legal: impl Fn(usize) -> bool,
) {
    assert!(parse(payload).is_ok(), "the golden packet itself");
    for length in 0..payload.len() {
        assert_eq!(
            parse(span(payload, 0, length)).is_ok(),
            is_legal(length),
            "the first {length} bytes"
        );
    }
}
