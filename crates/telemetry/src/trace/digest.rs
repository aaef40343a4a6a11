//! The digest of a statement: what its lines, and those of other processes, are found by.

use vaquita_client::{Dialect, put_normalised, put_normalised_beginning};

/// How much of a statement is looked at: so its digest is the same whether it was kept for a while or not.
pub(super) const MAX_STATEMENT_BYTES: usize = 8 << 10;

/// Appends a statement without literals, as its digest is made from it.
pub fn put_digested(sql: &[u8], dialect: Option<Dialect>, out: &mut Vec<u8>) {
    match sql.get(..MAX_STATEMENT_BYTES).filter(|begin| begin.len() < sql.len()) {
        Some(begin) => put_normalised_beginning(begin, dialect, out),
        None => put_normalised(sql, dialect, out),
    };
}

/// The 64-bit FNV-1a hash of a normalised statement: the same in each process and each version, and easily computed elsewhere.
///
/// <https://www.rfc-editor.org/rfc/rfc9923.html>
pub fn digest(normalised: &[u8]) -> u64 {
    const OFFSET_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01B3;
    normalised.iter().fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_published_hash() {
        // The vectors of the document.
        assert_eq!(digest(b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(digest(b"a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(digest(b"foobar"), 0x8594_4171_F739_67E8);
    }
}
