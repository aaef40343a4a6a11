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

/// Words that an operand stands behind, never an operator: a sign there belongs to a number.
const BEFORE_OPERANDS: [&[u8]; 27] = [
    b"SELECT",
    b"DISTINCT",
    b"ALL",
    b"WHERE",
    b"HAVING",
    b"ON",
    b"AND",
    b"OR",
    b"XOR",
    b"NOT",
    b"BETWEEN",
    b"IN",
    b"LIKE",
    b"REGEXP",
    b"RLIKE",
    b"DIV",
    b"MOD",
    b"CASE",
    b"WHEN",
    b"THEN",
    b"ELSE",
    b"BY",
    b"INTERVAL",
    b"DEFAULT",
    b"LIMIT",
    b"RETURN",
    b"SET",
];

/// The parts of a query.
#[derive(Clone, Debug)]
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
            let dot_end = end(word) + 1;
            let continues =
                |it: &[u8]| is_number(it) || (is_exponent(it) && it.as_ptr().addr() == dot_end);
            let Some(fraction) = self.next_word_if(continues) else { return };
            word = fraction;
        }
        let is_open = word.last().is_some_and(|last| last.eq_ignore_ascii_case(&b'e'));
        let is_decimal = !word.starts_with(b"0x") && !word.starts_with(b"0X");
        let is_sign = matches!(self.tokens.peek(), Some(Token::Symbol(b'+' | b'-')));
        if is_open && is_decimal && is_sign {
            self.tokens.next();
            self.next_word_if(is_number);
        }
    }

    fn next_word_if(&mut self, is_wanted: impl Fn(&[u8]) -> bool) -> Option<&'a [u8]> {
        match self.tokens.next_if(|token| matches!(token, Token::Word(word) if is_wanted(word))) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Whether this word says of what character set, or of what kind, the text or the number behind it is. If so, it takes all but its last token.
    fn introduces(&mut self, word: &[u8]) -> bool {
        let is_of_charset = word.first() == Some(&b'_');
        match self.tokens.peek() {
            Some(Token::Text { body, .. }) => {
                is_of_charset || (is_kind(word) && is_adjacent(word, body))
            }
            Some(Token::Word(value)) if is_of_charset && is_bits(value) => true,
            Some(Token::Word(kind)) if is_of_charset && is_kind(kind) => {
                let kind = *kind;
                let mut ahead = self.tokens.clone();
                ahead.next();
                let Some(Token::Text { body, .. }) = ahead.peek() else { return false };
                if !is_adjacent(kind, body) {
                    return false;
                }
                self.tokens = ahead;
                true
            }
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
        self.begins_value = match part {
            Part::Symbol(symbol) => symbol != b')',
            Part::Word(word) => is_one_of(word, &BEFORE_OPERANDS),
            Part::Semicolon => true,
            Part::Name(_) | Part::Value => false,
        };
        Some(part)
    }
}

/// Whether a word is one of these, in whatever case.
pub(super) fn is_one_of(word: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Whether nothing but a quote stands between a word and what is quoted.
pub(super) fn is_adjacent(word: &[u8], body: &[u8]) -> bool {
    end(word) + 1 == body.as_ptr().addr()
}

fn end(word: &[u8]) -> usize {
    word.as_ptr_range().end.addr()
}

/// Whether it says of what kind a text is that it touches.
pub(super) fn is_kind(word: &[u8]) -> bool {
    matches!(word, [b'x' | b'X' | b'b' | b'B' | b'n' | b'N'])
}

/// Whether it is a number by its bits.
fn is_bits(word: &[u8]) -> bool {
    matches!(word, [b'0', b'x' | b'X' | b'b' | b'B', ..])
}

/// Whether it is what stands behind the dot of a number without a fraction; its sign, if it has one, stands behind it.
fn is_exponent(word: &[u8]) -> bool {
    matches!(word, [b'e' | b'E', digits @ ..] if digits.iter().all(u8::is_ascii_digit))
}

/// Whether a word is a number, or a name that begins as one does.
fn is_number(word: &[u8]) -> bool {
    word.first().is_some_and(u8::is_ascii_digit)
}
