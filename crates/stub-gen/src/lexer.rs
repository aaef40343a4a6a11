//! Cuts a stub into tokens: the part of PHP's syntax that stubs are written in.

use crate::StubError;

/// A token, where it stands in the text, and on which line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'s> {
    pub(crate) kind: Kind<'s>,
    pub(crate) line: usize,
    /// Offsets in the stub's text.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind<'s> {
    /// A keyword or a name, with backslashes if it is qualified.
    Word(&'s str),
    /// `$name`, without the dollar.
    Variable(&'s str),
    /// An integer without its sign, in decimal or as 0x....
    Number(&'s str),
    /// What stands between the quotes of a string; it has no escapes.
    Text(&'s str),
    /// Punctuation: one character, `...` or `#[`.
    Symbol(&'s str),
    /// What a `//` comment at the end of a declaration says.
    Note(&'s str),
    /// The end of the stub.
    End,
}

/// All tokens of a stub, after its `<?php`, closed by an `End`. Comments are left out, but for those at the end of a line.
pub(crate) fn tokens(stub: &str) -> Result<Vec<Token<'_>>, StubError> {
    let mut lexer = Lexer { text: stub, position: 0, line: 1 };
    if lexer.take_prefix("<?php").is_none() {
        return Err(StubError::new(1, "a stub begins with <?php"));
    }
    let mut tokens: Vec<Token<'_>> = Vec::new();
    loop {
        lexer.skip_space_and_blocks()?;
        let (line, start) = (lexer.line, lexer.position);
        let kind = lexer.next_kind()?;
        let end = lexer.position;
        if matches!(kind, Kind::Note(_)) && tokens.last().is_none_or(|last| last.line != line) {
            continue;
        }
        tokens.push(Token { kind, line, start, end });
        if kind == Kind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'s> {
    text: &'s str,
    position: usize,
    line: usize,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        self.text.get(self.position..).unwrap_or_default()
    }

    /// Goes `bytes` on; returns what it went over.
    fn take(&mut self, bytes: usize) -> &'s str {
        let taken = self.rest().get(..bytes).unwrap_or_default();
        self.position += taken.len();
        self.line += taken.matches('\n').count();
        taken
    }

    fn take_prefix(&mut self, prefix: &str) -> Option<&'s str> {
        self.rest().starts_with(prefix).then(|| self.take(prefix.len()))
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        self.take(rest.find(|c| !belongs(c)).unwrap_or(rest.len()))
    }

    fn error(&self, message: impl Into<String>) -> StubError {
        StubError::new(self.line, message)
    }

    fn skip_space_and_blocks(&mut self) -> Result<(), StubError> {
        loop {
            self.take_while(char::is_whitespace);
            if !self.rest().starts_with("/*") {
                return Ok(());
            }
            let length = self
                .rest()
                .find("*/")
                .ok_or_else(|| self.error("a comment begins with /* and never ends"))?;
            self.take(length + 2);
        }
    }

    fn next_kind(&mut self) -> Result<Kind<'s>, StubError> {
        let Some(first) = self.rest().chars().next() else {
            return Ok(Kind::End);
        };
        if self.take_prefix("//").is_some() {
            return Ok(Kind::Note(self.take_while(|c| c != '\n').trim()));
        }
        for symbol in ["...", "#["] {
            if let Some(symbol) = self.take_prefix(symbol) {
                return Ok(Kind::Symbol(symbol));
            }
        }
        Ok(match first {
            '$' => {
                self.take(1);
                let name = self.take_while(in_name);
                if name.is_empty() {
                    return Err(self.error("a $ without a name"));
                }
                Kind::Variable(name)
            }
            '"' | '\'' => Kind::Text(self.quoted(first)?),
            '0'..='9' => Kind::Number(self.take_while(in_name)),
            c if in_name(c) || c == '\\' => {
                Kind::Word(self.take_while(|c| in_name(c) || c == '\\'))
            }
            '(' | ')' | '{' | '}' | '[' | ']' | ',' | ';' | ':' | '=' | '|' | '?' | '&' | '-' => {
                Kind::Symbol(self.take(1))
            }
            other => return Err(self.error(format!("{other:?} has no meaning in a stub"))),
        })
    }

    fn quoted(&mut self, quote: char) -> Result<&'s str, StubError> {
        self.take(1);
        let text = self.take_while(|c| c != quote && c != '\\' && c != '\n');
        if !self.rest().starts_with(quote) {
            return Err(self.error("a string ends on its line and has no backslash"));
        }
        self.take(1);
        Ok(text)
    }
}

fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::{Kind, tokens};

    fn kinds(stub: &str) -> Vec<Kind<'_>> {
        tokens(stub).expect("the stub is cut into tokens").iter().map(|token| token.kind).collect()
    }

    #[test]
    fn each_kind_is_known() {
        let found = kinds("<?php f(\\A\\B &...$x = -0x1f, \"s\"); #[");
        use Kind::{End, Number, Symbol, Text, Variable, Word};
        let expected = [
            Word("f"),
            Symbol("("),
            Word("\\A\\B"),
            Symbol("&"),
            Symbol("..."),
            Variable("x"),
            Symbol("="),
            Symbol("-"),
            Number("0x1f"),
            Symbol(","),
            Text("s"),
            Symbol(")"),
            Symbol(";"),
            Symbol("#["),
            End,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_a_comment_behind_something_is_a_note() {
        let found = kinds("<?php\n// alone\n/* block\n */ x; // deprecated\n  // alone\n");
        let expected = [Kind::Word("x"), Kind::Symbol(";"), Kind::Note("deprecated"), Kind::End];
        assert_eq!(found, expected);
    }

    #[test]
    fn errors_name_the_line() {
        for (stub, line) in [
            ("function f() {}", 1),
            ("<?php\n@", 2),
            ("<?php\n\n'abc", 3),
            ("<?php\n/* never", 2),
            ("<?php\n$ ", 2),
        ] {
            assert_eq!(tokens(stub).map_err(|error| error.line), Err(line), "{stub}");
        }
    }
}
