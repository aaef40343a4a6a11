//! The shape of a statement, known by a look at each of its bytes: what it has in common with those that only ask for other values.
//!
//! Of most statements it is what [`KeySelect::put_shape`] says once they were read; here it takes a tenth of the time, and nothing is understood. Of a
//! text in which quotes may mean something else (comments, backslashes, other quotes) nothing is said.
//!
//! [`KeySelect::put_shape`]: crate::KeySelect::put_shape

use crate::select::{Literal, MAX_CONDITIONS};

/// The values of a statement, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    all: [Literal<'a>; MAX_CONDITIONS],
    count: usize,
}

impl<'a> Values<'a> {
    pub(crate) const fn none() -> Values<'a> {
        Values { all: [Literal::Parameter; MAX_CONDITIONS], count: 0 }
    }

    /// Adds one; false: there are too many.
    pub(crate) fn push(&mut self, value: Literal<'a>) -> bool {
        let place = self.all.get_mut(self.count);
        let has_room = place.is_some();
        if let Some(place) = place {
            *place = value;
            self.count += 1;
        }
        has_room
    }

    /// All of them.
    pub fn all(&self) -> &[Literal<'a>] {
        self.all.get(..self.count).unwrap_or_default()
    }

    /// Puts what was given in the place of each parameter; false: there is more or less.
    pub(crate) fn bind(&mut self, mut given: impl Iterator<Item = Literal<'a>>) -> bool {
        for value in self.all.iter_mut().take(self.count) {
            if *value == Literal::Parameter {
                let Some(given) = given.next() else { return false };
                *value = given;
            }
        }
        given.next().is_none()
    }
}

/// What a byte is to the shape of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Blank,
    Equals,
    Minus,
    Digit,
    Quote,
    Backtick,
    Parameter,
    /// From here on quotes may mean something else, or it is no text of a statement.
    Stop,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "there are 256")]
        #[expect(
            clippy::indexing_slicing,
            reason = "there are 256, and this runs when it is compiled"
        )]
        {
            classes[byte] = match byte as u8 {
                b' ' | b'\t'..=b'\r' => Class::Blank,
                b'=' => Class::Equals,
                b'-' => Class::Minus,
                b'0'..=b'9' => Class::Digit,
                b'\'' => Class::Quote,
                b'`' => Class::Backtick,
                b'?' => Class::Parameter,
                0 | b'\\' | b'"' | b'#' | b'/' => Class::Stop,
                _ => Class::Other,
            };
        }
        byte += 1;
    }
    classes
};

/// Appends a statement's shape to `shape`, and gives its values; `None`: that takes reading it.
pub(crate) fn put_shape<'a>(sql: &'a [u8], shape: &mut Vec<u8>) -> Option<Values<'a>> {
    let mut values = Values::none();
    // Up to where it was copied, and what stood last before this byte, blanks apart.
    let (mut copied, mut before, mut at) = (0, Class::Other, 0);
    while let Some(byte) = sql.get(at) {
        let class = CLASSES.get(usize::from(*byte)).copied().unwrap_or(Class::Stop);
        let literal_bytes = match class {
            Class::Other | Class::Equals => 0,
            Class::Blank => {
                at += 1;
                continue;
            }
            Class::Stop => return None,
            Class::Minus if before == Class::Equals => 0,
            Class::Minus => return None,
            Class::Parameter => {
                if !values.push(Literal::Parameter) {
                    return None;
                }
                0
            }
            // A name, which is part of the shape; one that has a backtick itself is two here, and no statement is by such a key.
            Class::Backtick => {
                let name = sql.get(at + 1..)?;
                memchr::memchr(b'`', name)? + 1
            }
            Class::Quote => {
                let body = sql.get(at + 1..)?;
                let length = memchr::memchr2(b'\'', b'\\', body)?;
                let body = body.get(..length)?;
                let rest = sql.get(at + 1 + length..)?;
                // A backslash, or a quote in the text.
                if !rest.starts_with(b"'")
                    || rest.starts_with(b"''")
                    || !values.push(Literal::Text(body))
                {
                    return None;
                }
                shape.extend_from_slice(sql.get(copied..=at)?);
                shape.extend([0, b's']);
                copied = at + 1 + length;
                length + 1
            }
            Class::Digit if matches!(before, Class::Equals | Class::Minus) => {
                let digits = sql.get(at..)?;
                let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let digits = digits.get(..length)?;
                let is_negative = before == Class::Minus;
                let is_canonical =
                    digits.len() <= 20 && (digits == b"0" || !digits.starts_with(b"0"));
                if !is_canonical || !values.push(Literal::Integer { is_negative, digits }) {
                    return None;
                }
                shape.extend_from_slice(sql.get(copied..at)?);
                shape.extend([0, if is_negative { b'i' } else { b'u' }]);
                copied = at + length;
                length - 1
            }
            Class::Digit => 0,
        };
        before = class;
        at += 1 + literal_bytes;
    }
    shape.extend_from_slice(sql.get(copied..)?);
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::KeySelect;
    use vaquita_client::{Charset, Dialect};

    fn dialect() -> Dialect {
        Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false }
    }

    /// Whether a look says of a statement what reading it says; `None`: it says nothing.
    fn agrees(sql: &str) -> Option<bool> {
        let mut looked = Vec::new();
        let values = put_shape(sql.as_bytes(), &mut looked)?;
        let select = KeySelect::parse(sql.as_bytes(), dialect())?;
        let mut read = Vec::new();
        select.put_shape(sql.as_bytes(), &mut read);
        let all: Vec<_> = select.conditions().map(|condition| condition.value).collect();
        Some(looked == read && values.all() == all)
    }

    #[test]
    fn a_look_says_what_reading_says() {
        for sql in [
            "SELECT a FROM t WHERE k = 'one'",
            "SELECT a, b2 FROM t2 WHERE k1 = 'one' AND k2= 5 and k3 =-7 LIMIT 1;",
            "select  *\nfrom d.t as x where\tx.k=''",
            "SELECT a FROM t WHERE k = ? AND l = ?",
            "SELECT a FROM t WHERE k = - 0",
            "SELECT a FROM t WHERE k = 'é😀'",
            "select * from `t` where `k` = ? limit 1",
            "SELECT `it's = 5`, `b'c = 7`, `\"?` FROM `d`.`t` WHERE `k-1`=5 AND `l`='`'",
        ] {
            assert_eq!(agrees(sql), Some(true), "{sql}");
        }
        for sql in [
            "SELECT a FROM t WHERE k = 'it''s'",
            "SELECT a FROM t WHERE k = 'a\\'b'",
            "SELECT a FROM t WHERE k = \"a\"",
            "SELECT `a FROM t WHERE k = 'a'",
            "SELECT a /* 'x' */ FROM t WHERE k = 'a'",
            "SELECT a FROM t WHERE k = 'a' -- 'x'",
            "SELECT a FROM t WHERE k = 'a' # 'x'",
            "SELECT a FROM t WHERE k = 007",
            "SELECT a FROM t WHERE k = 123456789012345678901",
            "SELECT a FROM t WHERE k = 'a",
            "SELECT a FROM t WHERE k = --5",
            "SELECT a FROM t WHERE a = 1 AND b = 2 AND c = 3 AND d = 4 AND e = 5",
        ] {
            assert_eq!(put_shape(sql.as_bytes(), &mut Vec::new()).map(|_| ()), None, "{sql}");
        }
    }

    #[test]
    fn statements_of_one_shape_are_all_by_key_or_none() {
        // Pieces of statements, put together by chance.
        let pieces = [
            "SELECT ", "a", ", ", "b2 ", "FROM ", "t", " WHERE ", "k", " = ", "=", "'x'", "'y z'",
            "''", "5", "0", "12", "-", " ", "1", "e5", ".5", "x'1F'", "N'a'", " AND ", " LIMIT 1",
            " LIMIT 2", ";", "?", "*", ".", "AS x ", "0x1F", "--", "/**/", "\"q\"", "\\", "(",
            "`k`", "`", "`'`",
        ];
        let mut random = 88_172_645_463_325_252_u64;
        let mut next = |most: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random % most as u64).unwrap()
        };
        let mut of_shapes: std::collections::HashMap<Vec<u8>, (bool, String)> =
            std::collections::HashMap::new();
        let (mut by_key, mut same) = (0, 0);
        for _ in 0..200_000 {
            let mut sql = String::new();
            // Half of them begin well.
            if next(2) == 0 {
                sql += "SELECT a FROM t WHERE k = ";
            }
            for _ in 0..next(6) {
                sql += pieces[next(pieces.len())];
            }
            let mut shape = Vec::new();
            if put_shape(sql.as_bytes(), &mut shape).is_none() {
                continue;
            }
            let is_by_key = KeySelect::parse(sql.as_bytes(), dialect()).is_some();
            assert_eq!(agrees(&sql), is_by_key.then_some(true), "{sql}");
            by_key += usize::from(is_by_key);
            let (other_is, other) = of_shapes.entry(shape).or_insert((is_by_key, sql.clone()));
            same += usize::from(*other != sql);
            assert_eq!(*other_is, is_by_key, "{sql} and {other}");
        }
        assert!(by_key > 1000 && same > 1000, "{by_key} {same}");
    }
}
