//! The basic types in the other direction: appended to a byte vector.

/// Appends an `int<lenenc>`.
pub fn put_lenenc_int(out: &mut Vec<u8>, value: u64) {
    let bytes = value.to_le_bytes();
    let (mark, length) = match value {
        0..=250 => (None, 1),
        251..=0xFFFF => (Some(0xFC), 2),
        0x1_0000..=0xFF_FFFF => (Some(0xFD), 3),
        _ => (Some(0xFE), 8),
    };
    out.extend(mark.into_iter().chain(bytes.into_iter().take(length)));
}

/// Appends a `string<lenenc>`.
pub fn put_lenenc_bytes(out: &mut Vec<u8>, value: &[u8]) {
    put_lenenc_int(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// Appends a `string<NUL>`; the value ends at its own first NUL if it has one.
pub fn put_null_terminated(out: &mut Vec<u8>, value: &[u8]) {
    out.extend(value.iter().take_while(|&&byte| byte != 0));
    out.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::Reader;

    #[test]
    fn lenenc_int_comes_back() {
        for value in [0, 250, 251, 252, 0xFFFF, 0x1_0000, 0xFF_FFFF, 0x100_0000, u64::MAX] {
            let mut out = Vec::new();
            put_lenenc_int(&mut out, value);
            let mut reader = Reader::new("test", &out);
            assert_eq!(reader.lenenc_int("n"), Ok(value));
            assert!(reader.is_empty());
        }
    }
}
