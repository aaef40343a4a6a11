//! A statement as words, names, symbols and values, where it does not matter which values.

use std::iter::Peekable;

use crate::tokens::{Dialect, Token, Tokens};

/// What a statement is made of, without its literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A keyword, or a name without quotes.
    Word(&'a [u8]),
    /// A name between backticks.
    Name(&'a [u8]),
    /// A text, a number or a parameter.
    Value,
    /// The end of a statement.
    Semicolon,
    /// Anything else: one byte.
    Symbol(u8),
}

/// The parts of a query.
pub struct Parts<'a> {
    tokens: Peekable<Tokens<'a>>,
    /// Whether a sign or a dot that stands here belongs to the number behind it.
    begins_value: bool,
}

impl<'a> Parts<'a> {
    /// Those of a query.
    pub fn new(sql: &'a [u8], dialect: Dialect) -> Self {
        Parts { tokens: Tokens::new(sql, dialect).peekable(), begins_value: true }
    }

    fn is_number_next(&mut self) -> bool {
        matches!(self.tokens.peek(), Some(Token::Word(word)) if is_number(word))
    }

    /// Takes what belongs to a number whose first word is this one: the digits behind a dot, an exponent.
    fn take_number(&mut self, mut word: &'a [u8]) {
        if self.tokens.peek() == Some(&Token::Symbol(b'.')) {
            self.tokens.next();
            let Some(fraction) = self.next_number() else { return };
            word = fraction;
        }
        let is_open = word.last().is_some_and(|last| last.eq_ignore_ascii_case(&b'e'));
        let is_decimal = !word.starts_with(b"0x") && !word.starts_with(b"0X");
        let is_sign = matches!(self.tokens.peek(), Some(Token::Symbol(b'+' | b'-')));
        if is_open && is_decimal && is_sign {
            self.tokens.next();
            self.next_number();
        }
    }

    fn next_number(&mut self) -> Option<&'a [u8]> {
        match self.tokens.next_if(|token| matches!(token, Token::Word(word) if is_number(word))) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Whether a text comes whose character set, or whose kind, this word is.
    fn introduces(&mut self, word: &[u8]) -> bool {
        let Some(Token::Text { body, .. }) = self.tokens.peek() else { return false };
        let is_adjacent = word.as_ptr().addr() + word.len() + 1 == body.as_ptr().addr();
        match word {
            [b'_', ..] => true,
            [b'x' | b'X' | b'b' | b'B' | b'n' | b'N'] => is_adjacent,
            _ => false,
        }
    }

    fn part(&mut self) -> Option<Part<'a>> {
        match self.tokens.next()? {
            Token::Symbol(b'+' | b'-' | b'.') if self.begins_value && self.is_number_next() => {}
            Token::Word(word) if is_number(word) => {
                self.take_number(word);
                return Some(Part::Value);
            }
            Token::Word(word) if self.introduces(word) => {}
            Token::Word(word) => return Some(Part::Word(word)),
            Token::Name(name) => return Some(Part::Name(name)),
            Token::Text { .. } | Token::Symbol(b'?') => return Some(Part::Value),
            Token::Semicolon => return Some(Part::Semicolon),
            Token::Symbol(symbol) => return Some(Part::Symbol(symbol)),
        }
        // Its rest: what the sign, the dot or the word stands before.
        if let Some(Token::Word(word)) = self.tokens.next() {
            self.take_number(word);
        }
        Some(Part::Value)
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let part = self.part()?;
        if part == Part::Value {
            // Texts beside each other are one.
            while self.tokens.next_if(|it| matches!(it, Token::Text { .. })).is_some() {}
        }
        self.begins_value = matches!(part, Part::Symbol(symbol) if symbol != b')');
        Some(part)
    }
}

/// Whether a word is a number, or a name that begins as one does.
fn is_number(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_digit)
}
