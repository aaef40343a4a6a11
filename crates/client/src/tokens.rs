//! The words and quoted texts of a statement, as the servers' lexers find them: no more than it takes to tell which files it names, whether
//! it is harmless, and whether it asks for a row by its key.

use vaquita_protocol::Encoding;

/// How a server reads statements: what decides where a quoted text ends.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// How bytes are characters, in the client's character set.
    pub encoding: Encoding,
    /// The `sql_mode` of this name.
    pub no_backslash_escapes: bool,
}

/// What a statement is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// A keyword, a name without quotes, a number.
    Word(&'a [u8]),
    /// What stands between single or double quotes, with its escapes.
    Text {
        /// The quote.
        quote: u8,
        /// What stands between the quotes.
        body: &'a [u8],
    },
    /// A name between backticks: what stands between them, where one of its own is doubled.
    Name(&'a [u8]),
    /// The end of a statement.
    Semicolon,
    /// Anything else: one byte.
    Symbol(u8),
}

/// What of a statement a server may read otherwise than it is read here; what comes later in the list is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// Nothing.
    Nothing,
    /// A hint, which some servers take for a comment.
    Hint,
    /// A text or a comment has no end.
    NoEnd,
    /// A server may pass over something that has quotes in it: an executable comment, or such a hint.
    Conditional,
}

/// What a statement begins with, behind parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstWord<'a> {
    /// A word that every server reads.
    Word(&'a [u8]),
    /// Nothing is in it.
    Nothing,
    /// Something else, or what a server may pass over.
    Unknown,
}

/// The tokens of a query, without comments.
///
/// What stands in an executable comment (`/*! */`, `/*M! */`) counts as if it were executed.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    rest: &'a [u8],
    dialect: Dialect,
    is_conditional: bool,
    doubt: Doubt,
}

impl<'a> Tokens<'a> {
    /// Those of a query.
    pub fn new(sql: &'a [u8], dialect: Dialect) -> Self {
        Tokens { rest: sql, dialect, is_conditional: false, doubt: Doubt::Nothing }
    }

    /// Whether up to the last token every comment was nothing but that, neither executable nor a hint, and all had an end that were to have one.
    pub fn is_plain(&self) -> bool {
        self.doubt == Doubt::Nothing
    }

    /// The worst that was met up to the last token.
    pub(crate) fn doubt(&self) -> Doubt {
        self.doubt
    }

    /// What stands behind the last token.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whether the last token stands in an executable comment, so that a server may have passed it over.
    pub(crate) fn is_conditional(&self) -> bool {
        self.is_conditional
    }

    /// Takes what a statement begins with.
    pub(crate) fn first_word(&mut self) -> FirstWord<'a> {
        loop {
            match self.next() {
                Some(Token::Symbol(b'(')) => {}
                Some(Token::Word(word)) if !self.is_conditional => return FirstWord::Word(word),
                Some(_) => return FirstWord::Unknown,
                None => return FirstWord::Nothing,
            }
        }
    }

    /// Takes what is quoted, up to the quote; `None`: there is no end.
    fn quoted(&mut self, quote: u8) -> Option<&'a [u8]> {
        let body = self.rest;
        let mut pieces = Pieces { rest: body, quote, dialect: self.dialect };
        loop {
            pieces.skip_plain();
            match pieces.next() {
                Some(Piece::End) => {
                    self.rest = pieces.rest;
                    let length = body.len() - self.rest.len() - 1;
                    return body.get(..length);
                }
                Some(_) => {}
                None => {
                    self.rest = &[];
                    return None;
                }
            }
        }
    }

    /// Takes a word that begins here, if one does.
    #[inline]
    fn word(&mut self) -> Option<&'a [u8]> {
        let from = self.rest;
        let mut length = 0;
        loop {
            let rest = from.get(length..)?;
            length += rest.iter().take_while(|byte| is_of_word(**byte)).count();
            match from.get(length..)? {
                // No character of several bytes begins with one of ASCII, in any character set that statements may have.
                rest @ [0x80..=0xFF, ..] => {
                    let several = self.dialect.encoding.multi_byte_length(rest);
                    length += several.unwrap_or(1).min(rest.len());
                }
                rest => {
                    self.rest = rest;
                    return from.get(..length).filter(|word| !word.is_empty());
                }
            }
        }
    }

    /// Whether there is such an end.
    fn skip_past(&mut self, end: &[u8]) -> bool {
        let at = self.rest.windows(end.len()).position(|window| window == end);
        self.rest = at.and_then(|at| self.rest.get(at + end.len()..)).unwrap_or_default();
        at.is_some()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if let Some(word) = self.word() {
                return Some(Token::Word(word));
            }
            match self.rest {
                [] => return None,
                [b'\t'..=b'\r' | b' ', after @ ..] => self.rest = after,
                [b'#', ..] | [b'-', b'-'] | [b'-', b'-', 0..=b' ' | 0x7F, ..] => {
                    self.skip_past(b"\n");
                }
                [b'/', b'*', b'!', after @ ..] | [b'/', b'*', b'M', b'!', after @ ..] => {
                    self.is_conditional = true;
                    self.doubt = Doubt::Conditional;
                    // The version from which on it is executed.
                    let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    self.rest = after.get(digits..).unwrap_or_default();
                }
                [b'/', b'*', after @ ..] => {
                    self.rest = after;
                    let has_end = self.skip_past(b"*/");
                    let doubt = doubt_of_comment(after, self.rest, has_end);
                    self.doubt = self.doubt.max(doubt);
                }
                [b'*', b'/', after @ ..] if self.is_conditional => {
                    self.is_conditional = false;
                    self.rest = after;
                }
                [quote @ (b'\'' | b'"' | b'`'), after @ ..] => {
                    self.rest = after;
                    let Some(body) = self.quoted(*quote) else {
                        self.doubt = self.doubt.max(Doubt::NoEnd);
                        return None;
                    };
                    return Some(match quote {
                        b'`' => Token::Name(body),
                        quote => Token::Text { quote: *quote, body },
                    });
                }
                [b';', after @ ..] => {
                    self.rest = after;
                    return Some(Token::Semicolon);
                }
                [symbol, after @ ..] => {
                    self.rest = after;
                    return Some(Token::Symbol(*symbol));
                }
            }
        }
    }
}

/// What `/*` leaves in doubt: the text from behind it, and what stands behind the comment's end.
fn doubt_of_comment(from: &[u8], rest: &[u8], has_end: bool) -> Doubt {
    let comment = from.get(..from.len() - rest.len()).unwrap_or(from);
    let is_quote = |byte: &u8| matches!(byte, b'\'' | b'"' | b'`');
    match (comment.starts_with(b"+"), has_end) {
        (true, _) if comment.iter().any(is_quote) => Doubt::Conditional,
        (_, false) => Doubt::NoEnd,
        (true, true) => Doubt::Hint,
        (false, true) => Doubt::Nothing,
    }
}

/// Whether a byte of ASCII is a word's, for each byte.
static IS_OF_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let (mut rest, mut byte) = (table.as_mut_slice(), 0_u8);
    while let [first, after @ ..] = rest {
        *first = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        byte = byte.wrapping_add(1);
        rest = after;
    }
    table
};

#[inline]
fn is_of_word(byte: u8) -> bool {
    IS_OF_WORD.get(usize::from(byte)).copied().unwrap_or_default()
}

/// A piece of what stands between quotes.
enum Piece<'a> {
    /// Bytes that stand for themselves: one, or a character of several.
    Plain(&'a [u8]),
    /// A backslash and the byte behind it.
    Escape(u8),
    /// The quote, doubled.
    Quote,
    /// The quote that ends it.
    End,
}

struct Pieces<'a> {
    rest: &'a [u8],
    quote: u8,
    dialect: Dialect,
}

impl Pieces<'_> {
    /// Passes over what stands for itself, as far as that can be told byte by byte.
    #[inline]
    fn skip_plain(&mut self) {
        let is_bytewise = matches!(
            self.dialect.encoding,
            Encoding::SingleByte | Encoding::Utf8mb3 | Encoding::Utf8mb4
        );
        let is_plain =
            |byte: &&u8| **byte != self.quote && **byte != b'\\' && (is_bytewise || **byte < 0x80);
        let plain = self.rest.iter().take_while(is_plain).count();
        self.rest = self.rest.get(plain..).unwrap_or_default();
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let length = self.dialect.encoding.multi_byte_length(self.rest);
        if let Some((character, after)) = length.and_then(|at| self.rest.split_at_checked(at)) {
            self.rest = after;
            return Some(Piece::Plain(character));
        }
        let escapes = !self.dialect.no_backslash_escapes && self.quote != b'`';
        let (piece, after) = match self.rest {
            [] => return None,
            [b'\\', escaped, after @ ..] if escapes => (Piece::Escape(*escaped), after),
            [first, second, after @ ..] if *first == self.quote && *second == self.quote => {
                (Piece::Quote, after)
            }
            [byte, after @ ..] if *byte == self.quote => (Piece::End, after),
            [_, after @ ..] => (Piece::Plain(self.rest.get(..1).unwrap_or_default()), after),
        };
        self.rest = after;
        Some(piece)
    }
}

/// The bytes that a quoted text stands for.
///
/// <https://dev.mysql.com/doc/refman/8.0/en/string-literals.html>
pub fn unescape(quote: u8, body: &[u8], dialect: Dialect) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(body.len());
    for piece in (Pieces { rest: body, quote, dialect }) {
        match piece {
            Piece::Plain(plain) => bytes.extend_from_slice(plain),
            Piece::Quote | Piece::End => bytes.push(quote),
            Piece::Escape(byte) => {
                // Of the wildcards' escapes the backslash stays.
                if matches!(byte, b'%' | b'_') {
                    bytes.push(b'\\');
                }
                bytes.push(match byte {
                    b'0' => 0,
                    b'b' => 8,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'Z' => 0x1A,
                    other => other,
                });
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Charset;

    fn dialect(charset: &str, no_backslash_escapes: bool) -> Dialect {
        let encoding = Charset::by_name(charset.as_bytes()).unwrap().encoding;
        Dialect { encoding, no_backslash_escapes }
    }

    /// The tokens in short: words as they are, texts unescaped in brackets, `.` for what has no meaning here.
    fn check_in(dialect: Dialect, sql: &[u8], expected: &[u8]) {
        let tokens: Vec<Vec<u8>> = Tokens::new(sql, dialect)
            .map(|token| match token {
                Token::Word(word) => word.to_vec(),
                Token::Text { quote, body } => {
                    [b"[", &unescape(quote, body, dialect)[..], b"]"].concat()
                }
                Token::Semicolon => b";".to_vec(),
                Token::Name(_) | Token::Symbol(_) => b".".to_vec(),
            })
            .collect();
        let found = tokens.join(&b' ');
        assert_eq!(found.escape_ascii().to_string(), expected.escape_ascii().to_string());
    }

    fn check(sql: &str, expected: &str) {
        check_in(dialect("utf8mb4", false), sql.as_bytes(), expected.as_bytes());
    }

    #[test]
    fn comments_are_nothing() {
        check("a/* b */c", "a c");
        check("a /* ' */ 'b'", "a [b]");
        check("a -- ' b\nc", "a c");
        check("a --\n'b'", "a [b]");
        check("a --", "a");
        check("a--b", "a . . b");
        check("a # ' b\nc", "a c");
        check("a /* never ends", "a");
        check("a /*/ b */ c", "a c");
        check("a */ b", "a . . b");
    }

    #[test]
    fn executable_comments_are_executed() {
        check("/*! a */ b", "a b");
        check("/*!40000 a */ b", "a b");
        check("/*!080000a*/ b", "a b");
        check("/*M!100100 a /* ; */ ; */ b", "a ; b");
        let mut tokens = Tokens::new(b"a /*!40000 b */ c", dialect("utf8mb4", false));
        let mut conditional = Vec::new();
        while tokens.next().is_some() {
            conditional.push(tokens.is_conditional());
        }
        assert_eq!(conditional, [false, true, false]);
    }

    #[test]
    fn a_statement_begins_with_a_word_that_every_server_reads() {
        for (sql, expected) in [
            ("select 1", FirstWord::Word(b"select")),
            ("/* a */ ((SELECT 1))", FirstWord::Word(b"SELECT")),
            ("", FirstWord::Nothing),
            ("(-- a", FirstWord::Nothing),
            ("/*!50000 SELECT */ 1", FirstWord::Unknown),
            ("`a`", FirstWord::Unknown),
            (";", FirstWord::Unknown),
        ] {
            let first = Tokens::new(sql.as_bytes(), dialect("utf8mb4", false)).first_word();
            assert_eq!(first, expected, "{sql}");
        }
    }

    #[test]
    fn quotes_end_where_the_servers_end_them() {
        check("'a' \"b\" `c`", "[a] [b] .");
        check("'a''b' \"c\"\"d\" `e``f` g", "[a'b] [c\"d] . g");
        check("'a\\'b' c", "[a'b] c");
        check("'a\\\\' b", "[a\\] b");
        check("'a\"b' \"c'd\"", "[a\"b] [c'd]");
        check("`a\\` b", ". b");
        check("a 'never ends", "a");
        check("a 'never ends\\'", "a");
        check("'\\0\\b\\n\\r\\t\\Z\\%\\_\\x\\\"'", "[\0\u{8}\n\r\t\u{1A}\\%\\_x\"]");
        check("@'a' N'b' x'c' @`d`", ". [a] N [b] x [c] . .");
        check_in(dialect("latin1", true), b"'a\\' b 'c\\\\''d'", b"[a\\] b [c\\\\'d]");
    }

    #[test]
    fn characters_of_several_bytes_are_whole() {
        // The second byte of each looks like a backslash or a backtick.
        check_in(dialect("gbk", false), b"'\xBF\\' a", b"[\xBF\\] a");
        check_in(dialect("latin1", false), b"'\xBF\\' a' b", b"[\xBF' a] b");
        check_in(dialect("sjis", false), b"`\x83` a` b", b". b");
        check_in(dialect("big5", false), b"\xA5`a 'b'", b"\xA5`a [b]");
        // A backslash escapes one byte; what comes next is looked at on its own.
        check_in(dialect("gbk", false), b"'\\\xBF\\' a' b", b"[\xBF' a] b");
    }
}
