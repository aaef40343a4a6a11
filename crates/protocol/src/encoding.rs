//! How the characters of each multi-byte character set are laid out: what escaping has to know.

/// The layout of a character set's characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// One byte a character.
    SingleByte,
    /// UTF-8 up to three bytes (`utf8`, `utf8mb3`).
    Utf8mb3,
    /// UTF-8 up to four bytes.
    Utf8mb4,
    /// Big5.
    Big5,
    /// Shift-JIS (`sjis`, `cp932`).
    Sjis,
    /// EUC-KR.
    EucKr,
    /// EUC-JP (`ujis`, `eucjpms`).
    EucJp,
    /// GB 2312.
    Gb2312,
    /// GBK.
    Gbk,
    /// GB 18030.
    Gb18030,
    /// Two bytes a character.
    Ucs2,
    /// UTF-16, high byte first.
    Utf16,
    /// UTF-16, low byte first.
    Utf16le,
    /// Four bytes a character.
    Utf32,
}

impl Encoding {
    /// The length of the valid multi-byte character that `bytes` begins with, or `None` if it begins with none
    /// (a single byte, an invalid one, or a cut character).
    pub fn multi_byte_length(self, bytes: &[u8]) -> Option<usize> {
        let valid = match (self, bytes) {
            (Encoding::SingleByte, _) | (_, []) => None,
            (Encoding::Utf8mb3, _) => utf8_length(bytes).filter(|&length| length <= 3),
            (Encoding::Utf8mb4, _) => utf8_length(bytes),
            (Encoding::Big5, [0xA1..=0xF9, 0x40..=0x7E | 0xA1..=0xFE, ..])
            | (Encoding::Sjis, [0x81..=0x9F | 0xE0..=0xFC, 0x40..=0x7E | 0x80..=0xFC, ..])
            | (Encoding::EucKr, [0x80..=0xFF, 0xA1..=0xFE, ..])
            | (Encoding::EucJp, [0xA1..=0xFE, 0xA1..=0xFE, ..] | [0x8E, 0xA1..=0xDF, ..])
            | (Encoding::Gb2312, [0xA1..=0xF7, 0xA1..=0xFE, ..])
            | (Encoding::Gbk | Encoding::Gb18030, [0x81..=0xFE, 0x40..=0x7E | 0x80..=0xFE, ..])
            | (Encoding::Ucs2, [_, _, ..]) => Some(2),
            (Encoding::EucJp, [0x8F, 0xA1..=0xFE, 0xA1..=0xFE, ..]) => Some(3),
            (Encoding::Gb18030, [0x81..=0xFE, 0x30..=0x39, 0x81..=0xFE, 0x30..=0x39, ..]) => {
                Some(4)
            }
            (Encoding::Utf16, [0xD8..=0xDB, _, 0xDC..=0xDF, _, ..])
            | (Encoding::Utf16le, [_, 0xD8..=0xDB, _, 0xDC..=0xDF, ..]) => Some(4),
            (Encoding::Utf16, [0x00..=0xD7 | 0xE0..=0xFF, _, ..])
            | (Encoding::Utf16le, [_, 0x00..=0xD7 | 0xE0..=0xFF, ..]) => Some(2),
            (Encoding::Utf32, [_, _, _, _, ..]) => Some(4),
            _ => None,
        };
        valid.filter(|&length| length > 1)
    }

    /// Whether no byte of a multi-byte character looks like ASCII, a quote or a backslash for example.
    pub const fn is_ascii_safe(self) -> bool {
        !matches!(
            self,
            Encoding::Big5
                | Encoding::Sjis
                | Encoding::Gbk
                | Encoding::Gb18030
                | Encoding::Ucs2
                | Encoding::Utf16
                | Encoding::Utf16le
                | Encoding::Utf32
        )
    }

    /// Whether a byte that begins no valid character may, with whatever follows, be taken for the head of one.
    ///
    /// Such a byte must not stay in front of a backslash, because a server might join the two.
    pub const fn is_dangerous_head(self, byte: u8) -> bool {
        match self {
            // No backslash (0x5C) is ever the second byte of a character of UTF-8, valid or not.
            Encoding::SingleByte | Encoding::Utf8mb3 | Encoding::Utf8mb4 => false,
            Encoding::Big5 => matches!(byte, 0xA1..=0xF9),
            Encoding::Sjis => matches!(byte, 0x81..=0x9F | 0xE0..=0xFC),
            Encoding::EucKr => matches!(byte, 0xA1..=0xFE),
            Encoding::EucJp => matches!(byte, 0xA1..=0xFE | 0x8E | 0x8F),
            Encoding::Gb2312 => matches!(byte, 0xA1..=0xF7),
            Encoding::Gbk | Encoding::Gb18030 => matches!(byte, 0x81..=0xFE),
            Encoding::Ucs2 | Encoding::Utf16 | Encoding::Utf16le | Encoding::Utf32 => true,
        }
    }
}

/// The length of the UTF-8 character at the beginning, 1 for ASCII.
fn utf8_length(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [0x00..=0x7F, ..] => Some(1),
        [0xC2..=0xDF, 0x80..=0xBF, ..] => Some(2),
        [0xE0, 0xA0..=0xBF, 0x80..=0xBF, ..] | [0xE1..=0xEF, 0x80..=0xBF, 0x80..=0xBF, ..] => {
            Some(3)
        }
        [0xF0, 0x90..=0xBF, 0x80..=0xBF, 0x80..=0xBF, ..]
        | [0xF1..=0xF3, 0x80..=0xBF, 0x80..=0xBF, 0x80..=0xBF, ..]
        | [0xF4, 0x80..=0x8F, 0x80..=0xBF, 0x80..=0xBF, ..] => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_characters_are_recognised() {
        let check = |encoding: Encoding, bytes: &[u8], expected: Option<usize>| {
            assert_eq!(encoding.multi_byte_length(bytes), expected, "{encoding:?} {bytes:02x?}");
        };
        check(Encoding::SingleByte, b"\xE9'", None);
        check(Encoding::Utf8mb4, b"a", None);
        check(Encoding::Utf8mb4, "é'".as_bytes(), Some(2));
        check(Encoding::Utf8mb4, "€'".as_bytes(), Some(3));
        check(Encoding::Utf8mb4, "🦈'".as_bytes(), Some(4));
        check(Encoding::Utf8mb3, "🦈'".as_bytes(), None);
        check(Encoding::Utf8mb4, b"\xC0\xA7", None); // an overlong quote
        check(Encoding::Utf8mb4, b"\xED\xA0\x80", Some(3)); // half of a pair, which the servers take
        check(Encoding::Utf8mb4, b"\xF4\x90\x80\x80", None);
        check(Encoding::Utf8mb4, b"\xE2\x82", None);
        check(Encoding::Gbk, b"\xBF\x5C'", Some(2));
        check(Encoding::Gbk, b"\xBF'", None);
        check(Encoding::Gbk, b"\xBF", None);
        check(Encoding::Big5, b"\xA5\x5C", Some(2));
        check(Encoding::Sjis, b"\x95\x5C", Some(2));
        check(Encoding::Sjis, b"\xB1'", None); // a half-width katakana: one byte
        check(Encoding::EucJp, b"\x8F\xA1\xA1", Some(3));
        check(Encoding::EucJp, b"\x8E\xA1", Some(2));
        check(Encoding::Gb18030, b"\x81\x30\x81\x30", Some(4));
        check(Encoding::Gb18030, b"\x81\x30\x81", None);
        check(Encoding::Gb18030, b"\x81\x5C", Some(2));
        check(Encoding::Ucs2, b"\0'", Some(2));
        check(Encoding::Ucs2, b"'", None);
        check(Encoding::Utf16, b"\xD8\x3E\xDD\x88", Some(4));
        check(Encoding::Utf16, b"\xDC\0", None);
        check(Encoding::Utf16le, b"\x3E\xD8\x88\xDD", Some(4));
        check(Encoding::Utf32, b"\0\0\0'", Some(4));
    }

    #[test]
    fn no_head_swallows_a_backslash() {
        // Wherever a head and a backslash make a character, that head alone must be escaped.
        for encoding in [
            Encoding::Utf8mb3,
            Encoding::Utf8mb4,
            Encoding::Big5,
            Encoding::Sjis,
            Encoding::EucKr,
            Encoding::EucJp,
            Encoding::Gb2312,
            Encoding::Gbk,
            Encoding::Gb18030,
        ] {
            for head in 0..=255 {
                let joined = encoding.multi_byte_length(&[head, b'\\']).is_some();
                assert!(!joined || encoding.is_dangerous_head(head), "{encoding:?} {head:02x}");
            }
        }
    }
}
