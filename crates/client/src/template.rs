//! The placeholders of a statement that is to be prepared, `?` or `:name`, and what becomes of them: an array has several.
//!
//! They are found as the server reads the statement ([`crate::tokens`]), so that what stands in a string, a comment or a quoted name is none.
//! Should the server read it otherwise all the same, it counts other placeholders than are sent, and refuses: no value ever stands in the text.

use std::collections::HashSet;

use crate::tokens::{Dialect, Token, Tokens};

/// A placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder<'a> {
    /// Without its colon; `None`: it is a `?`.
    pub name: Option<&'a [u8]>,
    /// Where it begins in the text, in bytes.
    start: usize,
    end: usize,
}

/// The placeholders of a statement, in order. Nothing is allocated.
#[derive(Clone, Debug)]
pub struct Placeholders<'a> {
    tokens: Tokens<'a>,
    text: &'a [u8],
}

impl<'a> Placeholders<'a> {
    /// Those of this text, which a server would read so ([`crate::Session::dialect`]).
    pub fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Placeholders { tokens: Tokens::new(text, dialect), text }
    }

    fn offset(&self) -> usize {
        self.text.len() - self.tokens.rest().len()
    }
}

impl<'a> Iterator for Placeholders<'a> {
    type Item = Placeholder<'a>;

    fn next(&mut self) -> Option<Placeholder<'a>> {
        loop {
            match self.tokens.next()? {
                Token::Symbol(b'?') => {
                    let end = self.offset();
                    return Some(Placeholder { name: None, start: end - 1, end });
                }
                Token::Symbol(b':') => {
                    let start = self.offset() - 1;
                    let is_name =
                        |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | 0x80..);
                    if !self.tokens.rest().first().is_some_and(is_name) {
                        continue;
                    }
                    if let Some(Token::Word(name)) = self.tokens.next() {
                        return Some(Placeholder { name: Some(name), start, end: self.offset() });
                    }
                }
                _ => {}
            }
        }
    }
}

/// The first of these names that no placeholder has.
pub fn unknown_name<'n>(
    text: &[u8],
    dialect: Dialect,
    mut names: impl Iterator<Item = &'n [u8]>,
) -> Option<&'n [u8]> {
    let known: HashSet<&[u8]> =
        Placeholders::new(text, dialect).filter_map(|placeholder| placeholder.name).collect();
    names.find(|name| !known.contains(name))
}

/// How many values stand in the place of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    Value,
    /// So many with commas, as `IN (?)` takes them.
    List(usize),
    /// So many rows of so many values, each in parentheses, as `VALUES ?` takes them.
    Rows(usize, usize),
}

impl Shape {
    /// How many values that are.
    pub fn values(self) -> usize {
        match self {
            Shape::Value => 1,
            Shape::List(values) => values,
            Shape::Rows(rows, values) => rows.saturating_mul(values),
        }
    }

    fn write(self, text: &mut Vec<u8>) {
        let list = |text: &mut Vec<u8>, values: usize| {
            for number in 0..values {
                text.extend_from_slice(if number > 0 { b", ?" } else { b"?" });
            }
        };
        match self {
            Shape::Value => text.push(b'?'),
            Shape::List(values) => list(text, values),
            Shape::Rows(rows, values) => {
                for number in 0..rows {
                    text.extend_from_slice(if number > 0 { b"), (" } else { b"(" });
                    list(text, values);
                }
                text.push(b')');
            }
        }
    }
}

/// The text with a `?` for each value; the shapes are those of its placeholders, in order.
pub fn expand(text: &[u8], dialect: Dialect, shapes: &[Shape]) -> Vec<u8> {
    let marks: usize = shapes.iter().map(|shape| shape.values()).sum();
    let mut expanded = Vec::with_capacity(text.len() + 4 * marks);
    let mut done = 0;
    for (placeholder, shape) in Placeholders::new(text, dialect).zip(shapes) {
        expanded.extend_from_slice(text.get(done..placeholder.start).unwrap_or_default());
        shape.write(&mut expanded);
        done = placeholder.end;
    }
    expanded.extend_from_slice(text.get(done..).unwrap_or_default());
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Charset;

    fn dialect(charset: &str, no_backslash_escapes: bool) -> Dialect {
        let encoding = Charset::by_name(charset.as_bytes()).unwrap().encoding;
        Dialect { encoding, no_backslash_escapes }
    }

    fn check_in(dialect: Dialect, text: &[u8], expected: &[&[u8]]) {
        let found: Vec<&[u8]> =
            Placeholders::new(text, dialect).map(|it| &text[it.start..it.end]).collect();
        assert_eq!(found, expected, "{}", text.escape_ascii());
    }

    fn check(text: &str, expected: &[&str]) {
        let expected: Vec<&[u8]> = expected.iter().map(|it| it.as_bytes()).collect();
        check_in(dialect("utf8mb4", false), text.as_bytes(), &expected);
    }

    #[test]
    fn placeholders_stand_in_the_text_only() {
        check("SELECT ?, :a, :b_1, :é", &["?", ":a", ":b_1", ":é"]);
        check("'?' \"?\" `?` ':a' \":a\" `:a` ?", &["?"]);
        check(r"'\'?' :a '\\' ?", &[":a", "?"]);
        check("'''?' ?", &["?"]);
        check("# ? :a\n? -- :b\n?", &["?", "?"]);
        check("--? :a", &["?", ":a"]);
        check("/* ? :a */ ? /* :b", &["?"]);
        check("/*! ? */", &["?"]);
        check("SELECT @a := 1, @b:=@c, :1, a :: b, : d", &[]);
        check("SELECT a->'$.b', x:y", &[":y"]);
        check("IN(:ids)", &[":ids"]);
        check("", &[]);
        check_in(dialect("latin1", true), br"'\' ?", &[b"?"]);
        check_in(dialect("gbk", false), b"'\xBF\\' ?", &[b"?"]);
    }

    #[test]
    fn a_name_without_a_placeholder_is_found() {
        let unknown = |text: &str, names: &[&'static str]| {
            let names = names.iter().map(|name| name.as_bytes());
            unknown_name(text.as_bytes(), dialect("utf8mb4", false), names)
        };
        assert_eq!(unknown("SELECT :a, ?, ':c', :b, :a", &["b", "a"]), None);
        assert_eq!(unknown("SELECT :a, ?, ':c', :b, :a", &["a", "c", "d"]), Some(&b"c"[..]));
    }

    #[test]
    fn an_array_has_a_placeholder_for_each_value() {
        let check = |text: &str, shapes: &[Shape], expected: &str| {
            let expanded = expand(text.as_bytes(), dialect("utf8mb4", false), shapes);
            assert_eq!(String::from_utf8(expanded).unwrap(), expected);
        };
        check("SELECT 1", &[], "SELECT 1");
        check("a = ? AND b IN (?)", &[Shape::Value, Shape::List(3)], "a = ? AND b IN (?, ?, ?)");
        check(":a, ':a', :b;", &[Shape::List(1), Shape::Value], "?, ':a', ?;");
        check("VALUES ?", &[Shape::Rows(2, 3)], "VALUES (?, ?, ?), (?, ?, ?)");
        check("VALUES :rows", &[Shape::Rows(1, 1)], "VALUES (?)");
        assert_eq!(Shape::Rows(usize::MAX, 2).values(), usize::MAX);
    }
}
