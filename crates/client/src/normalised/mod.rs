//! What a statement has in common with those that differ from it in their literals only: a text without any, which may be shown and counted.

mod parts;
mod passwords;
mod reading;
mod spelling;

pub use parts::{Part, Parts};
pub use reading::names_secret;

use vaquita_protocol::Encoding;

use crate::tokens::Dialect;
use parts::is_one_of;
use reading::is_read_alike;
use spelling::Spelling;

/// The longest normalised text, but for what says that it is cut.
const MAX_BYTES: usize = 1000;

/// Any that has ASCII: a first word is the same in all.
const ANY: Dialect = Dialect { encoding: Encoding::SingleByte, no_backslash_escapes: false };

/// How much of a statement its normalised text shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normalised {
    /// All but literals and comments.
    Whole,
    /// Its beginning; `...` stands behind it.
    Beginning,
    /// Its first word, or `(other)`: it is not known what of the rest is a literal.
    FirstWord,
}

/// Appends a statement without literals and comments: `SELECT a FROM t WHERE k = ? AND n IN (?, ...)`.
///
/// A value is a `?`, with its sign and what says of which kind it is; `IN` and `VALUES` show the first of their values or rows, then `...`; words, which
/// keep their case, and signs have at most one blank between them. What stands in double quotes is a value, though with ANSI_QUOTES it is a name.
///
/// Nothing of a literal is left: where the server may find texts elsewhere than they are found here, as behind an executable comment or a quote
/// that was not escaped, and where `dialect` is not known, it is [`put_first_word`] that appends.
pub fn put_normalised(sql: &[u8], dialect: Option<Dialect>, out: &mut Vec<u8>) -> Normalised {
    put(sql, true, dialect, out)
}

/// Appends the same of a statement of which only the beginning is known, wherever that ends.
pub fn put_normalised_beginning(
    sql: &[u8],
    dialect: Option<Dialect>,
    out: &mut Vec<u8>,
) -> Normalised {
    put(sql, false, dialect, out)
}

fn put(sql: &[u8], is_whole: bool, dialect: Option<Dialect>, out: &mut Vec<u8>) -> Normalised {
    let start = out.len();
    if let Some(dialect) = dialect
        && first_word(sql).is_some()
        && is_read_alike(sql, dialect, is_whole)
        && let Some(is_long) =
            Spelling::new(out, start + MAX_BYTES).put_all(Parts::new(sql, dialect))
    {
        if is_whole && !is_long {
            return Normalised::Whole;
        }
        out.extend_from_slice(b" ...");
        return Normalised::Beginning;
    }
    out.truncate(start);
    put_first_word(sql, out);
    Normalised::FirstWord
}

/// Appends the first word of a statement in capitals; `(other)` if there is none that could be a command's.
pub fn put_first_word(sql: &[u8], out: &mut Vec<u8>) {
    match first_word(sql) {
        Some(word) => out.extend(word.iter().map(u8::to_ascii_uppercase)),
        None => out.extend_from_slice(b"(other)"),
    }
}

/// Whether a statement leaves how others are read as it was; not known of all that do.
pub(crate) fn keeps_dialect(sql: &[u8]) -> bool {
    const KEEPING: [&[u8]; 7] =
        [b"SELECT", b"INSERT", b"REPLACE", b"UPDATE", b"DELETE", b"WITH", b"DO"];
    first_word(sql).is_some_and(|word| is_one_of(word, &KEEPING))
}

fn first_word(sql: &[u8]) -> Option<&[u8]> {
    let mut parts = Parts::new(sql, ANY).skip_while(|it| *it == Part::Symbol(b'('));
    let Some(Part::Word(word)) = parts.next() else { return None };
    let is_command = word.len() < 20 && word.iter().all(u8::is_ascii_alphabetic);
    is_command.then_some(word)
}

#[cfg(test)]
mod tests;
