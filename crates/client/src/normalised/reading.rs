//! Whether a server finds the same texts in a statement as we do, and whether it names a secret.
//!
//! Where a text ends may hang on what is not known: whether a server executes a comment, or which `sql_mode` an earlier statement of the same
//! query has set. And a quote that an application has forgotten to escape makes words of what was meant as a text: behind it all is exchanged, texts
//! with what is between them, so that words touch quotes, or stand behind texts where SQL has none. No statement that a server takes looks like that, but
//! for a few that give a text a name without AS.

use super::parts::{is_adjacent, is_kind, is_one_of};
use crate::tokens::{Dialect, Doubt, Token, Tokens};

/// Words that may stand behind a text, or touch the quote before it.
pub(super) const BESIDE_TEXTS: &[&[u8]] = &[
    // Of conditions and values.
    b"AND",
    b"OR",
    b"XOR",
    b"NOT",
    b"IS",
    b"IN",
    b"LIKE",
    b"REGEXP",
    b"RLIKE",
    b"SOUNDS",
    b"ESCAPE",
    b"BETWEEN",
    b"DIV",
    b"MOD",
    b"MEMBER",
    b"COLLATE",
    b"CASE",
    b"WHEN",
    b"THEN",
    b"ELSE",
    b"END",
    b"BINARY",
    b"DATE",
    b"TIME",
    b"TIMESTAMP",
    b"INTERVAL",
    b"USING",
    b"SEPARATOR",
    b"DEFAULT",
    b"NULL",
    // Units of time.
    b"MICROSECOND",
    b"SECOND",
    b"MINUTE",
    b"HOUR",
    b"DAY",
    b"WEEK",
    b"MONTH",
    b"QUARTER",
    b"YEAR",
    b"D",
    b"T",
    b"TS",
    b"MINUTE_SECOND",
    b"HOUR_MINUTE",
    b"HOUR_SECOND",
    b"DAY_HOUR",
    b"DAY_MINUTE",
    b"DAY_SECOND",
    b"YEAR_MONTH",
    // Of queries and what changes rows.
    b"SELECT",
    b"AS",
    b"FROM",
    b"WHERE",
    b"GROUP",
    b"HAVING",
    b"ORDER",
    b"BY",
    b"ASC",
    b"DESC",
    b"LIMIT",
    b"UNION",
    b"EXCEPT",
    b"INTERSECT",
    b"INTO",
    b"FOR",
    b"LOCK",
    b"ON",
    b"WITH",
    b"VALUES",
    b"VALUE",
    b"SET",
    b"RETURNING",
    b"COLUMNS",
    b"EMPTY",
    b"ERROR",
    b"PATH",
    // Of files.
    b"REPLACE",
    b"IGNORE",
    b"FIELDS",
    b"LINES",
    b"TERMINATED",
    b"ENCLOSED",
    b"ESCAPED",
    b"OPTIONALLY",
    b"STARTING",
    b"CHARACTER",
    b"CHARSET",
    // Of tables and accounts.
    b"COMMENT",
    b"AFTER",
    b"FIRST",
    b"UNIQUE",
    b"PRIMARY",
    b"KEY",
    b"CHECK",
    b"ENGINE",
    b"AUTO_INCREMENT",
    b"PARTITION",
    b"IDENTIFIED",
    b"VIA",
    b"REQUIRE",
    b"ISSUER",
    b"SUBJECT",
    b"CIPHER",
    b"ACCOUNT",
    b"PASSWORD",
    b"RETAIN",
    b"ATTRIBUTE",
    b"TO",
];

/// What names secrets, or what makes use of them, in lower case.
const SECRETS: [&[u8]; 13] = [
    b"passw",
    b"passphrase",
    b"user_pass",
    b"pwd",
    b"secret",
    b"sst_auth",
    b"identified",
    b"encrypt",
    b"decrypt",
    // ENCODE and DECODE, and what makes a key of a password.
    b"encode(",
    b"decode(",
    b"kdf(",
    b"mysql://",
];

/// Statements behind which another `sql_mode` or character set may hold.
const SETTING: [&[u8]; 2] = [b"SET", b"EXECUTE"];

/// Whether the server finds the same texts and words, in a statement whose end may be missing.
pub(super) fn is_read_alike(sql: &[u8], dialect: Dialect, is_whole: bool) -> bool {
    let mut tokens = Tokens::new(sql, dialect);
    let (mut last, mut sets) = (None, false);
    for token in tokens.by_ref() {
        let begins = matches!(last, None | Some(Token::Semicolon));
        let is_certain = match (last, token) {
            (Some(Token::Semicolon), _) if sets => false,
            (Some(Token::Text { .. }), Token::Word(word)) => is_one_of(word, BESIDE_TEXTS),
            (Some(Token::Word(word)), Token::Text { body, .. }) if is_adjacent(word, body) => {
                is_kind(word) || word.starts_with(b"_") || is_one_of(word, BESIDE_TEXTS)
            }
            (Some(Token::Text { quote: b'\'', .. }), Token::Symbol(b'.' | b'(' | b'?')) => false,
            // Outside of a text it is none of SQL's, but in `\N`.
            (_, Token::Symbol(b'\\')) => false,
            // Nor do people name things so.
            (_, Token::Name(name)) => !name.contains(&b'\''),
            // MySQL 9 has texts between such words.
            (_, Token::Word([b'$', ..])) => false,
            _ => true,
        };
        if !is_certain {
            return false;
        }
        sets |= begins && matches!(token, Token::Word(word) if is_one_of(word, &SETTING));
        last = Some(token);
    }
    tokens.doubt() <= if is_whole { Doubt::Hint } else { Doubt::NoEnd }
}

/// Whether a statement may have a password, or a key, among its literals; one too many is told.
pub fn names_secret(sql: &[u8]) -> bool {
    let is_at = |rest: &[u8]| {
        let begins =
            |it: &&[u8]| rest.get(..it.len()).is_some_and(|at| at.eq_ignore_ascii_case(it));
        SECRETS.iter().any(begins)
    };
    (0..sql.len()).any(|start| sql.get(start..).is_some_and(is_at))
}
