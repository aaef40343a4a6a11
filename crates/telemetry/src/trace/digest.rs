//! The digest of a statement: what its lines, and those of other processes, are found by.

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
