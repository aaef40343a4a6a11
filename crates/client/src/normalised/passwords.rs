//! Where a password is to stand in a statement, and whether a literal stands there.
//!
//! Servers take literals only; but who has forgotten the quotes has sent it all the same, and then it reads as words, names and signs.

use super::parts::{Part, is_one_of};
use super::reading::BESIDE_TEXTS;

/// Words of statements that set passwords.
const SETTING: &[&[u8]] = &[b"SET", b"CREATE", b"ALTER", b"GRANT", b"CHANGE", b"START"];

/// Those of them in which a password may stand right behind the word for it; elsewhere that may be a column's name.
const DIRECT: &[&[u8]] = &[b"SET", b"GRANT", b"CHANGE", b"START"];

/// What begins a statement about a server and its options.
const MAKING: &[&[u8]] = &[b"CREATE", b"ALTER"];

/// What says how an account is `IDENTIFIED`.
const HOW: &[&[u8]] = &[b"BY", b"WITH", b"VIA"];

/// What a password stands behind where an account is told how it is `IDENTIFIED`.
const OF_ACCOUNTS: &[&[u8]] = &[b"BY", b"AS", b"USING", b"REPLACE"];

/// Words behind which a password is still to come.
const BEFORE_PASSWORDS: &[&[u8]] = &[b"PASSWORD", b"OLD_PASSWORD", b"TO"];

/// Words that may stand in a password's place, and are none.
const NO_PASSWORDS: &[&[u8]] = &[
    b"RANDOM", b"NULL", b"FOR", b"EXPIRE", b"HISTORY", b"REUSE", b"REQUIRE", b"AND", b"OR",
    b"WITH", b"ACCOUNT",
];

/// What may stand next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Anything,
    Password,
    /// What ends a password: one without quotes may go on.
    End,
}

/// Follows a statement.
pub(super) struct Passwords<'a> {
    first: Option<Part<'a>>,
    /// Whether it is about servers, whose options have no signs between them and their values.
    is_of_server: bool,
    /// Whether the last word was IDENTIFIED: a column may have that name.
    is_identified: bool,
    /// Whether it said how an account is.
    is_of_account: bool,
    /// Whether a word has named a password, of which nothing has been said yet.
    is_named: bool,
    next: Next,
}

impl<'a> Passwords<'a> {
    pub(super) fn new() -> Self {
        let next = Next::Anything;
        let (is_of_server, is_of_account) = (false, false);
        let (is_identified, is_named) = (false, false);
        Passwords { first: None, is_of_server, is_identified, is_of_account, is_named, next }
    }

    /// Takes the next part of the statement; false: it may be a password, or a part of one.
    pub(super) fn take(&mut self, part: Part<'a>) -> bool {
        if part == Part::Semicolon {
            *self = Passwords::new();
            return true;
        }
        let next = std::mem::replace(&mut self.next, Next::Anything);
        match (next, part) {
            (Next::Anything, _) => {}
            (Next::Password, Part::Value) => self.next = Next::End,
            (Next::Password, Part::Symbol(b'(' | b'=' | b':')) => self.next = Next::Password,
            (Next::Password, Part::Symbol(b')' | b',')) => {}
            (Next::Password, Part::Word(word)) if is_one_of(word, BEFORE_PASSWORDS) => {
                self.next = Next::Password;
            }
            (Next::Password, Part::Word(word)) if is_one_of(word, NO_PASSWORDS) => {}
            (Next::End, Part::Symbol(b')' | b',')) => {}
            (Next::End, Part::Word(word)) if is_one_of(word, BESIDE_TEXTS) => {}
            (Next::Password | Next::End, _) => return false,
        }
        self.note(part);
        self.first = self.first.or(Some(part).filter(|it| *it != Part::Symbol(b'(')));
        true
    }

    fn note(&mut self, part: Part<'a>) {
        let is_identified = std::mem::replace(&mut self.is_identified, false);
        match part {
            Part::Word(word) if word.eq_ignore_ascii_case(b"IDENTIFIED") => {
                self.is_identified = true;
            }
            Part::Word(word) if is_identified && is_one_of(word, HOW) => {
                self.is_of_account = true;
                if word.eq_ignore_ascii_case(b"BY") {
                    self.next = Next::Password;
                }
            }
            Part::Word(word) if self.is_of_account && is_one_of(word, OF_ACCOUNTS) => {
                self.next = Next::Password;
            }
            // Plugins have such names, too.
            Part::Word(word) if self.is_of_account && !is_one_of(word, BEFORE_PASSWORDS) => {}
            Part::Word(word) if names_password(word) => {
                self.is_named = true;
                let is_direct = self.is_of_account || self.is_of_server || self.begins_with(DIRECT);
                // `=` may come later: SET PASSWORD FOR.
                if is_direct {
                    self.next = Next::Password;
                }
            }
            Part::Word(word) if word.eq_ignore_ascii_case(b"SERVER") => {
                self.is_of_server |= self.begins_with(MAKING);
            }
            Part::Symbol(b'=') if self.is_named && self.begins_with(SETTING) => {
                self.next = Next::Password;
            }
            Part::Symbol(b',' | b')') => self.is_named = false,
            _ => {}
        }
    }

    fn begins_with(&self, words: &[&[u8]]) -> bool {
        matches!(self.first, Some(Part::Word(word)) if is_one_of(word, words))
    }
}

/// Whether a word says that a password comes: alone, or as a variable's or an option's name.
fn names_password(word: &[u8]) -> bool {
    [&b"PASSWORD"[..], b"SST_AUTH"].iter().any(|name| {
        let end = word.len().saturating_sub(name.len());
        word.get(end..).is_some_and(|it| it.eq_ignore_ascii_case(name))
    })
}
