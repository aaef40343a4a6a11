//! Making a value safe inside the quotes of a string literal.

use vaquita_protocol::{Charset, Encoding};

/// The value with everything escaped that could end or change a quoted string literal.
///
/// With `no_backslash_escapes` (that `sql_mode`) quotes are doubled; otherwise backslashes are put in front. Multi-byte characters of
/// `charset`, which must be the connection's, pass as a whole, even if one of their bytes looks like a quote or a backslash.
pub fn escape(charset: &Charset, no_backslash_escapes: bool, value: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    escape_into(charset, no_backslash_escapes, value, &mut out);
    out
}

/// Appends a value as [`escape`] makes it.
pub(crate) fn escape_into(
    charset: &Charset,
    no_backslash_escapes: bool,
    value: &[u8],
    out: &mut Vec<u8>,
) {
    out.reserve(value.len() + value.len() / 8 + 2);
    let encoding = charset.encoding;
    // Which bytes, where a character may begin, are neither escaped nor the beginning of one whose end might be.
    match encoding {
        Encoding::Ucs2 | Encoding::Utf16 | Encoding::Utf16le | Encoding::Utf32 => {
            escape_all_but(|_| false, encoding, no_backslash_escapes, value, out);
        }
        // No byte of a longer character looks like another, and none that begins one wrongly joins what follows.
        Encoding::SingleByte | Encoding::Utf8mb3 | Encoding::Utf8mb4 => {
            let is_plain = |byte| !matches!(byte, 0 | b'\n' | b'\r' | 0x1A | b'"' | b'\'' | b'\\');
            escape_all_but(is_plain, encoding, no_backslash_escapes, value, out);
        }
        _ => {
            let is_plain =
                |byte| matches!(byte, b' '..=b'~' if !matches!(byte, b'"' | b'\'' | b'\\'));
            escape_all_but(is_plain, encoding, no_backslash_escapes, value, out);
        }
    }
}

#[inline]
fn escape_all_but(
    is_plain: impl Fn(u8) -> bool,
    encoding: Encoding,
    no_backslash_escapes: bool,
    value: &[u8],
    escaped: &mut Vec<u8>,
) {
    let mut rest = value;
    loop {
        let plain_bytes = rest.iter().take_while(|byte| is_plain(**byte)).count();
        let (plain, special) = rest.split_at_checked(plain_bytes).unwrap_or_default();
        escaped.extend_from_slice(plain);
        rest = special;
        let [byte, after @ ..] = rest else { return };
        if let Some((character, after)) =
            encoding.multi_byte_length(rest).and_then(|length| rest.split_at_checked(length))
        {
            escaped.extend_from_slice(character);
            rest = after;
            continue;
        }
        rest = after;
        if no_backslash_escapes {
            if *byte == b'\'' {
                escaped.push(b'\'');
            }
            escaped.push(*byte);
            continue;
        }
        let letter = match byte {
            _ if encoding.is_dangerous_head(*byte) => Some(*byte),
            0 => Some(b'0'),
            b'\n' => Some(b'n'),
            b'\r' => Some(b'r'),
            b'\\' | b'\'' | b'"' => Some(*byte),
            0x1A => Some(b'Z'),
            _ => None,
        };
        if letter.is_some() {
            escaped.push(b'\\');
        }
        escaped.push(letter.unwrap_or(*byte));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(charset: &str, no_backslash_escapes: bool, value: &[u8], expected: &[u8]) {
        let charset = Charset::by_name(charset.as_bytes()).unwrap();
        let escaped = escape(charset, no_backslash_escapes, value);
        assert_eq!(escaped, expected, "{} {value:02x?} {escaped:02x?}", charset.name);
    }

    #[test]
    fn backslashes_go_in_front() {
        check("latin1", false, b"", b"");
        check("latin1", false, b"plain %_`\t", b"plain %_`\t");
        check("latin1", false, b"'\"\\\0\n\r\x1A", b"\\'\\\"\\\\\\0\\n\\r\\Z");
        check("latin1", false, b"\xBF'", b"\xBF\\'");
        check("utf8mb4", false, "né'".as_bytes(), "né\\'".as_bytes());
        check("utf8mb4", false, b"\xE9'", b"\xE9\\'");
    }

    #[test]
    fn quotes_are_doubled() {
        check("latin1", true, b"'\"\\\0\n", b"''\"\\\0\n");
        check("gbk", true, b"\xBF\\'", b"\xBF\\''");
        check("gbk", true, b"\xBF'", b"\xBF''");
    }

    #[test]
    fn a_character_that_ends_in_a_backslash_is_whole() {
        check("gbk", false, b"\xBF\\'", b"\xBF\\\\'");
        check("big5", false, b"\xA5\\", b"\xA5\\");
        check("sjis", false, b"\x95\\", b"\x95\\");
    }

    #[test]
    fn a_lone_head_joins_no_backslash() {
        // Without the first backslash, the head and the second one would be a character, and the quote would end the literal.
        for charset in ["gbk", "big5", "sjis", "cp932", "gb18030"] {
            check(charset, false, b"\xE1'", b"\\\xE1\\'");
        }
    }

    #[test]
    fn what_is_plain_needs_no_second_look() {
        let names = [
            "latin1", "ascii", "utf8mb3", "utf8mb4", "big5", "sjis", "cp932", "euckr", "ujis",
            "gb2312", "gbk", "gb18030", "ucs2", "utf16", "utf16le", "utf32",
        ];
        for charset in names.map(|name| Charset::by_name(name.as_bytes()).unwrap()) {
            for value in (0..=u16::MAX).map(|value| [&value.to_be_bytes()[..], b"'"].concat()) {
                for mode in [false, true] {
                    let mut slow = Vec::new();
                    escape_all_but(|_| false, charset.encoding, mode, &value, &mut slow);
                    assert_eq!(
                        escape(charset, mode, &value),
                        slow,
                        "{} {value:02x?}",
                        charset.name
                    );
                }
            }
        }
    }
}
