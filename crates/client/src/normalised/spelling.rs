//! How the parts of a statement are spelled: one blank or none between them, and lists of any length alike.

use std::iter::Peekable;

use super::parts::{Part, Parts, is_one_of};
use super::passwords::Passwords;

/// Words that stand before a parenthesis that is none of a function's.
const KEYWORDS: [&[u8]; 23] = [
    b"IN", b"AND", b"OR", b"NOT", b"XOR", b"WHERE", b"HAVING", b"SELECT", b"BY", b"THEN", b"WHEN",
    b"ELSE", b"VALUES", b"VALUE", b"ON", b"USING", b"FROM", b"JOIN", b"AS", b"ALL", b"UNION",
    b"OVER", b"EXISTS",
];

/// Writes parts, up to a length.
pub(super) struct Spelling<'a, 's> {
    out: &'s mut Vec<u8>,
    end: usize,
    last: Option<Part<'a>>,
    passwords: Passwords<'a>,
}

impl<'a, 's> Spelling<'a, 's> {
    /// Appends to `out`, which becomes no longer than `end`.
    pub(super) fn new(out: &'s mut Vec<u8>, end: usize) -> Self {
        Spelling { out, end, last: None, passwords: Passwords::new() }
    }

    /// Whether there was more than there is room for; `None`: what stands in a password's place is no literal.
    pub(super) fn put_all(mut self, parts: Parts<'a>) -> Option<bool> {
        let mut parts = parts.peekable();
        let (mut depth, mut row) = (0_usize, None);
        while let Some(part) = parts.next() {
            if part == Part::Semicolon && parts.peek().is_none() {
                break;
            }
            if !self.passwords.take(part) {
                return None;
            }
            let list = self.last.filter(|_| part == Part::Symbol(b'('));
            if !self.put(part) {
                return Some(true);
            }
            match part {
                Part::Symbol(b'(') => depth += 1,
                Part::Symbol(b')') => {
                    depth = depth.saturating_sub(1);
                    if row.take_if(|row| *row == depth).is_some() && skip_rows(&mut parts) {
                        self.put_more();
                    }
                }
                _ => {}
            }
            match list {
                list if is_word(list, &[b"IN"]) => {
                    if parts.peek() == Some(&Part::Symbol(b'(')) {
                        row = Some(depth);
                    } else if parts.next_if_eq(&Part::Value).is_some() {
                        self.put(Part::Value);
                        self.put_more();
                        if skip_values(&mut parts) {
                            self.put(Part::Symbol(b','));
                        }
                    }
                }
                list if is_word(list, &[b"VALUES", b"VALUE"]) => row = Some(depth - 1),
                _ => {}
            }
        }
        Some(false)
    }

    /// Writes a part, if there is room for it.
    fn put(&mut self, part: Part<'a>) -> bool {
        let start = self.out.len();
        if self.last.is_some_and(|last| is_apart(last, part)) {
            self.out.push(b' ');
        }
        match part {
            Part::Word(word) => self.out.extend_from_slice(word),
            Part::Name(name) => {
                self.out.push(b'`');
                self.out.extend_from_slice(name);
                self.out.push(b'`');
            }
            Part::Value => self.out.push(b'?'),
            Part::Semicolon => self.out.push(b';'),
            Part::Symbol(symbol) => self.out.push(symbol),
        }
        if self.out.len() > self.end {
            self.out.truncate(start);
            return false;
        }
        self.last = Some(part);
        true
    }

    /// Says that there may be more of a list, or of rows.
    fn put_more(&mut self) {
        self.out.extend_from_slice(b", ...");
    }
}

fn is_word(part: Option<Part<'_>>, words: &[&[u8]]) -> bool {
    matches!(part, Some(Part::Word(word)) if is_one_of(word, words))
}

/// Passes over further values of a list; whether something else comes, behind a comma.
fn skip_values(parts: &mut Peekable<Parts<'_>>) -> bool {
    while parts.next_if_eq(&Part::Symbol(b',')).is_some() {
        if parts.next_if_eq(&Part::Value).is_none() {
            return true;
        }
    }
    false
}

/// Passes over further rows in parentheses; whether there were any.
fn skip_rows(parts: &mut Peekable<Parts<'_>>) -> bool {
    let mut were_there = false;
    loop {
        let mut ahead = parts.clone();
        let is_row =
            ahead.next() == Some(Part::Symbol(b',')) && ahead.next() == Some(Part::Symbol(b'('));
        if !is_row {
            return were_there;
        }
        let mut depth = 1_usize;
        while depth > 0 {
            match ahead.next() {
                Some(Part::Symbol(b'(')) => depth += 1,
                Some(Part::Symbol(b')')) => depth -= 1,
                Some(_) => {}
                None => break,
            }
        }
        *parts = ahead;
        were_there = true;
    }
}

/// Whether a blank is between two parts.
fn is_apart(one: Part<'_>, next: Part<'_>) -> bool {
    match (one, next) {
        (Part::Symbol(b'(' | b'.' | b'@' | b':'), _)
        | (_, Part::Symbol(b')' | b',' | b'.') | Part::Semicolon)
        | (Part::Name(_) | Part::Value, Part::Symbol(b'@')) => false,
        (Part::Word(word), Part::Symbol(b'(')) => is_one_of(word, &KEYWORDS),
        (Part::Name(_), Part::Symbol(b'(')) => false,
        (Part::Symbol(one), Part::Symbol(next)) => !(is_of_operator(one) && is_of_operator(next)),
        _ => true,
    }
}

fn is_of_operator(symbol: u8) -> bool {
    matches!(symbol, b'<' | b'>' | b'=' | b'!' | b'|' | b'&' | b':' | b'-')
}
