//! What a statement has in common with those that differ from it in their literals only: a text without any.
//!
//! Of a SELECT that reads one table that is all but its literals and comments, of any other statement its first word.

use vaquita_client::{Dialect, Encoding, Part, Parts, Tokens};

/// The longest shape; a longer one is that of its first word.
const MAX_BYTES: usize = 1000;

/// Any that has ASCII: a first word is the same in all.
const ANY: Dialect = Dialect { encoding: Encoding::SingleByte, no_backslash_escapes: false };

/// Words that stand before a parenthesis that is none of a function's.
const KEYWORDS: [&[u8]; 12] = [
    b"IN", b"AND", b"OR", b"NOT", b"XOR", b"WHERE", b"HAVING", b"SELECT", b"BY", b"THEN", b"WHEN",
    b"ELSE",
];

/// Words of a SELECT that reads more than a table, or does more than read.
const OF_SEVERAL: [&[u8]; 8] =
    [b"SELECT", b"JOIN", b"STRAIGHT_JOIN", b"UNION", b"EXCEPT", b"INTERSECT", b"INTO", b"DUAL"];

/// Words that the list of tables ends at.
const BEHIND_TABLES: [&[u8]; 9] =
    [b"WHERE", b"GROUP", b"HAVING", b"ORDER", b"LIMIT", b"WINDOW", b"FOR", b"LOCK", b"PROCEDURE"];

/// Writes the shape of a statement, and nothing else. Without a `dialect` it is not known how the server has read it.
pub(super) fn put_shape(sql: &[u8], dialect: Option<Dialect>, shape: &mut Vec<u8>) {
    shape.clear();
    if let Some(dialect) = dialect
        && is_read_alike(sql, dialect)
        && reads_one_table(Parts::new(sql, dialect))
    {
        let mut writer = Writer { shape, last: None };
        writer.put_all(Parts::new(sql, dialect));
        if shape.len() <= MAX_BYTES {
            return;
        }
        shape.clear();
    }
    let mut words =
        Parts::new(sql, dialect.unwrap_or(ANY)).skip_while(|it| *it == Part::Symbol(b'('));
    match words.next() {
        Some(Part::Word(word)) if word.len() < 20 && word.iter().all(u8::is_ascii_alphabetic) => {
            shape.extend(word.iter().map(u8::to_ascii_uppercase));
        }
        _ => shape.extend_from_slice(b"(other)"),
    }
}

/// Whether the server finds the same texts and words: it may have passed over what stands in an executable comment, quotes and all; and where a text
/// has no end here, it has one there, for the statement has succeeded.
fn is_read_alike(sql: &[u8], dialect: Dialect) -> bool {
    let mut tokens = Tokens::new(sql, dialect);
    tokens.by_ref().for_each(drop);
    tokens.is_plain()
}

fn is_one(word: &[u8], of: &[&[u8]]) -> bool {
    of.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Whether this is a SELECT from one table, as far as its words tell.
fn reads_one_table(mut parts: Parts<'_>) -> bool {
    if !matches!(parts.next(), Some(Part::Word(word)) if is_one(word, &[b"SELECT"])) {
        return false;
    }
    let (mut depth, mut has_table, mut is_at_tables) = (0_usize, false, false);
    while let Some(part) = parts.next() {
        match part {
            Part::Symbol(b'(') => depth += 1,
            Part::Symbol(b')') => depth = depth.saturating_sub(1),
            Part::Symbol(b',') if depth == 0 && is_at_tables => return false,
            Part::Word(word) if is_one(word, &OF_SEVERAL) => return false,
            Part::Word(word) if depth == 0 && is_one(word, &[b"FROM"]) => {
                let table = parts.next();
                let is_dual = matches!(table, Some(Part::Word(word)) if is_one(word, &[b"DUAL"]));
                if has_table || is_dual || !matches!(table, Some(Part::Word(_) | Part::Name(_))) {
                    return false;
                }
                (has_table, is_at_tables) = (true, true);
            }
            Part::Word(word) if depth == 0 && is_one(word, &BEHIND_TABLES) => is_at_tables = false,
            Part::Semicolon => return has_table && parts.next().is_none(),
            _ => {}
        }
    }
    has_table
}

struct Writer<'a, 's> {
    shape: &'s mut Vec<u8>,
    last: Option<Part<'a>>,
}

impl<'a> Writer<'a, '_> {
    fn put_all(&mut self, parts: Parts<'a>) {
        let mut parts = parts.take_while(|it| *it != Part::Semicolon).peekable();
        while let Some(part) = parts.next() {
            if self.shape.len() > MAX_BYTES {
                return;
            }
            let is_list = part == Part::Symbol(b'(')
                && matches!(self.last, Some(Part::Word(word)) if is_one(word, &[b"IN"]));
            self.put(part);
            if !is_list || parts.next_if_eq(&Part::Value).is_none() {
                continue;
            }
            // However long it is.
            self.put(Part::Value);
            self.shape.extend_from_slice(b", ...");
            while parts.next_if_eq(&Part::Symbol(b',')).is_some() {
                if parts.next_if_eq(&Part::Value).is_none() {
                    self.put(Part::Symbol(b','));
                    break;
                }
            }
        }
    }

    fn put(&mut self, part: Part<'a>) {
        if self.last.is_some_and(|last| is_apart(last, part)) {
            self.shape.push(b' ');
        }
        match part {
            Part::Word(word) => self.shape.extend_from_slice(word),
            Part::Name(name) => {
                self.shape.push(b'`');
                self.shape.extend_from_slice(name);
                self.shape.push(b'`');
            }
            Part::Value => self.shape.push(b'?'),
            Part::Semicolon => self.shape.push(b';'),
            Part::Symbol(symbol) => self.shape.push(symbol),
        }
        self.last = Some(part);
    }
}

/// Whether a blank is between two parts.
fn is_apart(one: Part<'_>, next: Part<'_>) -> bool {
    match (one, next) {
        (Part::Symbol(b'(' | b'.' | b'@' | b':'), _) | (_, Part::Symbol(b')' | b',' | b'.')) => {
            false
        }
        (Part::Word(word), Part::Symbol(b'(')) => is_one(word, &KEYWORDS),
        (Part::Name(_), Part::Symbol(b'(')) => false,
        (Part::Symbol(one), Part::Symbol(next)) => !(is_of_operator(one) && is_of_operator(next)),
        _ => true,
    }
}

fn is_of_operator(symbol: u8) -> bool {
    matches!(symbol, b'<' | b'>' | b'=' | b'!' | b'|' | b'&' | b':')
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_client::Charset;

    fn check(sql: &str, expected: &str) {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        let mut shape = Vec::new();
        put_shape(sql.as_bytes(), Some(dialect), &mut shape);
        assert_eq!(String::from_utf8_lossy(&shape), expected, "{sql}");
    }

    #[test]
    fn what_the_server_may_read_otherwise_is_its_first_word() {
        for sql in [
            "SELECT a FROM t /*!99999 don't */ WHERE k = 'secret'",
            "SELECT a FROM t /*M!999999 don't */ WHERE k = 'secret' /*! it's */",
            "SELECT a FROM t WHERE k = 'x\\' AND b = 'secret'",
            "SELECT a FROM t WHERE k = 'never ends",
        ] {
            check(sql, "SELECT");
        }
        let mut shape = Vec::new();
        put_shape(b"( select a FROM t WHERE k = 'secret'", None, &mut shape);
        assert_eq!(shape, b"SELECT");
    }

    #[test]
    fn literals_are_question_marks() {
        check("SELECT a FROM t WHERE k = 1", "SELECT a FROM t WHERE k = ?");
        check(
            "select a,b from `d`.`t` where k='it''s \\'';",
            "select a, b from `d`.`t` where k = ?",
        );
        check(
            "SELECT t.* FROM t WHERE a=-1.5e-3 AND b = .5",
            "SELECT t.* FROM t WHERE a = ? AND b = ?",
        );
        check("SELECT a FROM t WHERE a=0x1e-5", "SELECT a FROM t WHERE a = ? - ?");
        check(
            "SELECT a FROM t WHERE k = x'41' OR k = _utf8mb4 'a' 'b'",
            "SELECT a FROM t WHERE k = ? OR k = ?",
        );
        check(
            "SELECT a FROM t WHERE k = \"secret\" AND d > DATE '2020-01-01'",
            "SELECT a FROM t WHERE k = ? AND d > DATE ?",
        );
        check("SELECT a FROM t /* secret */ WHERE k = ? -- secret", "SELECT a FROM t WHERE k = ?");
        check(
            "SELECT COUNT(*), MAX( a ) FROM t x WHERE a<>1 LIMIT 20,10",
            "SELECT COUNT(*), MAX(a) FROM t x WHERE a <> ? LIMIT ?, ?",
        );
        check("SELECT a+1 FROM t WHERE b - 1 = @v", "SELECT a + ? FROM t WHERE b - ? = @v");
        check("SELECT é FROM `ü` WHERE k = 'ä'", "SELECT é FROM `ü` WHERE k = ?");
        check("SELECT n 'x' FROM t", "SELECT n ? FROM t");
    }

    #[test]
    fn lists_of_any_length_are_one() {
        for list in ["1", "1,2", "'a', 'b' , 'c'", "-1, +2.5, ?, _latin1'x'"] {
            check(
                &format!("SELECT a FROM t WHERE k IN ({list}) AND b = 1"),
                "SELECT a FROM t WHERE k IN (?, ...) AND b = ?",
            );
        }
        let long = vec!["12345"; 5000].join(",");
        check(
            &format!("SELECT a FROM t WHERE k in({long})"),
            "SELECT a FROM t WHERE k in (?, ...)",
        );
        check("SELECT a FROM t WHERE k IN (1, b, 2)", "SELECT a FROM t WHERE k IN (?, ..., b, ?)");
        check("SELECT a FROM t WHERE k IN (b)", "SELECT a FROM t WHERE k IN (b)");
    }

    #[test]
    fn all_else_is_its_first_word() {
        for (sql, expected) in [
            ("insert into t values ('secret')", "INSERT"),
            ("SELECT 1", "SELECT"),
            ("SELECT 1 FROM DUAL", "SELECT"),
            ("(SELECT a FROM t) UNION (SELECT 'secret')", "SELECT"),
            ("SELECT a FROM t, u", "SELECT"),
            ("SELECT a FROM t x, u", "SELECT"),
            ("SELECT a FROM t JOIN u ON a = b", "SELECT"),
            ("SELECT a FROM (t)", "SELECT"),
            ("SELECT a FROM t WHERE k = (SELECT 1)", "SELECT"),
            ("SELECT a FROM t WHERE k = 1; SELECT 'secret'", "SELECT"),
            ("SELECT a INTO @v FROM t", "SELECT"),
            ("SELECT EXTRACT(YEAR FROM '2020-01-01')", "SELECT"),
            ("'secret'", "(other)"),
            ("s3cret", "(other)"),
            ("", "(other)"),
        ] {
            check(sql, expected);
        }
        check(&format!("SELECT {} FROM t", vec!["a"; 2000].join(",")), "SELECT");
        check(
            "SELECT EXTRACT(YEAR FROM a) FROM t USE INDEX (i, j) GROUP BY a, b",
            "SELECT EXTRACT(YEAR FROM a) FROM t USE INDEX(i, j) GROUP BY a, b",
        );
    }
}
