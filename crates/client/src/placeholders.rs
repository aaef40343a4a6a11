//! Where a statement's text has placeholders (`?`, `:name`), as MySQL reads quotes and comments.

/// What a piece of a statement's text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text, a literal, a quoted name or a comment.
    Text,
    /// A placeholder with a name, such as `:id`.
    Named,
    /// A placeholder without one: `?`.
    Positional,
}

/// The piece that a text begins with, and how long it is in bytes; `None`: the text is empty.
///
/// Quotes end at their like, but for one that is doubled; inside of `'` and `"` a backslash goes before anything. Comments begin with `#`,
/// with `--` and white space, or stand between `/*` and `*/`, or the end. A quote that does not end is text, then whatever follows.
///
/// <https://dev.mysql.com/doc/refman/8.0/en/comments.html>
pub fn next_piece(text: &[u8]) -> Option<(Piece, usize)> {
    let (first, rest) = text.split_first()?;
    let text_of = |bytes: Option<usize>| Some((Piece::Text, bytes.map_or(1, |bytes| bytes + 1)));
    match first {
        b'"' | b'\'' => text_of(quoted(rest, *first, true)),
        b'`' => text_of(quoted(rest, *first, false)),
        b'/' => text_of(block_comment(rest)),
        b'#' => text_of(Some(line(rest))),
        b'-' => match rest {
            [b'-', b' ' | b'\t' | b'\x0B' | b'\x0C' | b'\r', ..] => text_of(Some(line(rest))),
            _ => text_of(None),
        },
        b':' | b'?' => {
            let same = rest.iter().take_while(|byte| *byte == first).count();
            let name = rest.iter().take_while(|byte| is_of_name(**byte)).count();
            Some(match first {
                _ if same > 0 => (Piece::Text, same + 1),
                b'?' => (Piece::Positional, 1),
                _ if name > 0 => (Piece::Named, name + 1),
                _ => (Piece::Text, 1),
            })
        }
        _ => text_of(Some(rest.iter().take_while(|byte| !is_special(**byte)).count())),
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a piece may begin with it.
fn is_special(byte: u8) -> bool {
    matches!(byte, b':' | b'?' | b'"' | b'\'' | b'`' | b'/' | b'#' | b'-')
}

/// How long the rest of a quoted text is, with its last quote; `None`: there is none.
fn quoted(rest: &[u8], quote: u8, escapes: bool) -> Option<usize> {
    // What goes on after a doubled quote, but does not end, ended with the first of the two.
    let mut end = None;
    let mut bytes = rest.iter().enumerate();
    while let Some((index, byte)) = bytes.next() {
        if *byte == b'\\' && escapes {
            bytes.next();
        } else if *byte == quote {
            end = Some(index + 1);
            if rest.get(index + 1) != Some(&quote) {
                break;
            }
            bytes.next();
        }
    }
    end
}

/// How long the rest of a comment in `/*` and `*/` is; `None`: it is none.
fn block_comment(rest: &[u8]) -> Option<usize> {
    let inside = rest.strip_prefix(b"*")?;
    let end = inside.windows(2).position(|pair| pair == b"*/");
    Some(end.map_or(rest.len(), |index| index + 3))
}

/// How long the rest of a line is.
fn line(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| **byte != b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::{Piece, next_piece};

    fn check(mut text: &str, expected: &[&str]) {
        let mut placeholders = Vec::new();
        while let Some((piece, bytes)) = next_piece(text.as_bytes()) {
            let (head, rest) = text.split_at(bytes);
            if piece != Piece::Text {
                placeholders.push(head);
            }
            text = rest;
        }
        assert_eq!(placeholders, expected);
    }

    #[test]
    fn placeholders_stand_in_the_text_only() {
        check("SELECT ?, :a, :b_1", &["?", ":a", ":b_1"]);
        check("'?' \"?\" `?` ?", &["?"]);
        check(r"'\'?' ?", &["?"]);
        check(r"`\\` ?", &["?"]);
        check("'''?' ```?` \"\"\"?\" :x", &[":x"]);
        check("a::b ?? ?:x", &["?", ":x"]);
        check("# ? 'x\n?", &["?"]);
        check("-- ? \n?", &["?"]);
        check("--?", &["?"]);
        check("/* ? ** ?*/ ? /* ?", &["?"]);
        check("? /* :a *", &["?"]);
        check("/*/ ? */ :y", &[":y"]);
        check("'? :z", &["?", ":z"]);
        check("'?'' :z", &[":z"]);
        check(r"'?''? ''\'\", &[]);
        check("1 - 2 / 3 : ?", &["?"]);
        check("", &[]);
    }
}
