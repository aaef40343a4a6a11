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
