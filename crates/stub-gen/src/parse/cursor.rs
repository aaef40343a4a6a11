//! The place in the tokens that parsing has reached, and the small steps from it.

use crate::StubError;
use crate::lexer::{Kind, Token};
use crate::note::{self, Note, Word};

/// A place in a stub's tokens.
pub(super) struct Cursor<'s> {
    text: &'s str,
    tokens: &'s [Token<'s>],
    last: Token<'s>,
}

impl<'s> Cursor<'s> {
    pub(super) fn new(text: &'s str, tokens: &'s [Token<'s>]) -> Self {
        let last = Token { kind: Kind::End, line: 1, start: 0, end: 0 };
        Self { text, tokens, last }
    }

    /// The next token; the last one, `End`, for ever.
    pub(super) fn peek(&self) -> Token<'s> {
        self.tokens.first().copied().unwrap_or(self.last)
    }

    pub(super) fn next(&mut self) -> Token<'s> {
        if let Some((first, rest)) = self.tokens.split_first() {
            self.last = *first;
            self.tokens = rest;
        }
        self.last
    }

    /// The stub's text from the start of one token to the end of another.
    pub(super) fn source(&self, first: Token<'s>, last: Token<'s>) -> &'s str {
        self.text.get(first.start..last.end).unwrap_or_default()
    }

    /// The token that was taken last.
    pub(super) fn previous(&self) -> Token<'s> {
        self.last
    }

    pub(super) fn take(&mut self, kind: Kind<'_>) -> bool {
        let is_next = self.peek().kind == kind;
        if is_next {
            self.next();
        }
        is_next
    }

    pub(super) fn symbol(&mut self, symbol: &str) -> Result<(), StubError> {
        if self.take(Kind::Symbol(symbol)) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{symbol}`")))
        }
    }

    pub(super) fn word(&mut self, word: &str) -> Result<(), StubError> {
        if self.take(Kind::Word(word)) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    pub(super) fn name(&mut self, what: &str) -> Result<&'s str, StubError> {
        match self.peek().kind {
            Kind::Word(name) => {
                self.next();
                Ok(name)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(super) fn variable(&mut self) -> Result<&'s str, StubError> {
        match self.peek().kind {
            Kind::Variable(name) => {
                self.next();
                Ok(name)
            }
            _ => Err(self.expected("a $name")),
        }
    }

    /// The note behind the token that was taken last, empty if there is none.
    pub(super) fn note(&mut self, allowed: &[Word]) -> Result<Note, StubError> {
        let token = self.peek();
        match token.kind {
            Kind::Note(text) if token.line == self.last.line => {
                self.next();
                note::read(text, token.line, allowed)
            }
            _ => Ok(Note::default()),
        }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> StubError {
        StubError::new(self.peek().line, message)
    }

    /// The error that something else stands where `what` belongs.
    pub(super) fn expected(&self, what: &str) -> StubError {
        let token = self.peek();
        let found = match token.kind {
            Kind::End => "the end of the stub".to_owned(),
            _ => format!("`{}`", self.source(token, token)),
        };
        self.error(format!("expected {what}, found {found}"))
    }
}
