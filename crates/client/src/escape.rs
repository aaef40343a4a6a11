//! Making a value safe inside the quotes of a string literal.

use vaquita_protocol::Charset;

/// The value with everything escaped that could end or change a quoted string literal.
///
/// With `no_backslash_escapes` (that `sql_mode`) quotes are doubled; otherwise backslashes are put in front. Multi-byte characters of
/// `charset`, which must be the connection's, pass as a whole, even if one of their bytes looks like a quote or a backslash.
pub fn escape(charset: &Charset, no_backslash_escapes: bool, value: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(value.len() + value.len() / 8 + 2);
    let mut rest = value;
    while let [byte, after @ ..] = rest {
        if let Some((character, after)) = charset
            .encoding
            .multi_byte_length(rest)
            .and_then(|length| rest.split_at_checked(length))
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
            _ if charset.encoding.is_dangerous_head(*byte) => Some(*byte),
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
    escaped
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
}
