//! What a statement looks at that the one before it has left, and what it leaves itself: warnings, ROW_COUNT(), FOUND_ROWS().
//!
//! A list of what is known, measured on MySQL 5.6.14, 8.0.33 and MariaDB 10.11: anything else may look at everything.

use crate::reuse::BEFORE_PARENTHESIS;
use crate::tokens::{Dialect, FirstWord, Token, Tokens};

/// A longer statement is not looked at.
const MAX_READ_BYTES: usize = 16 << 10;

/// What a statement looks at and leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing is looked at, all is left anew: a SELECT of columns. One that names no table leaves warnings, on MySQL 5.6 and MariaDB.
    Select,
    /// The same, but it looks at warnings or ROW_COUNT().
    SelectOfStatement,
    /// Nothing is looked at, all is left anew but FOUND_ROWS(): an INSERT, a REPLACE or a DELETE that reads no other rows.
    Write,
    /// Nothing is looked at, FOUND_ROWS() stays and ROW_COUNT() does not; warnings do on some servers: a SET, a COMMIT, a USE.
    Setting,
    /// As a write, but an UPDATE, which leaves FOUND_ROWS() anew on some servers.
    Update,
    /// Warnings or ROW_COUNT() are looked at: FOUND_ROWS() stays.
    Statement,
    /// FOUND_ROWS() is looked at.
    FoundRows,
    /// Nothing is looked at; what is left depends.
    Other,
    /// Anything, or it is not known what.
    #[default]
    Any,
}

/// More words behind which a parenthesis calls nothing that looks: what is no function, and the functions of servers that are used most.
const FUNCTIONS: [&[u8]; 47] = [
    b"VALUES",
    b"VALUE",
    b"SET",
    b"COUNT",
    b"SUM",
    b"MIN",
    b"MAX",
    b"AVG",
    b"NOW",
    b"UNIX_TIMESTAMP",
    b"FROM_UNIXTIME",
    b"CONCAT",
    b"CONCAT_WS",
    b"GROUP_CONCAT",
    b"COALESCE",
    b"IFNULL",
    b"NULLIF",
    b"IF",
    b"LENGTH",
    b"CHAR_LENGTH",
    b"LOWER",
    b"UPPER",
    b"SUBSTRING",
    b"SUBSTR",
    b"LEFT",
    b"RIGHT",
    b"TRIM",
    b"REPLACE",
    b"LOCATE",
    b"DATE",
    b"DATE_FORMAT",
    b"YEAR",
    b"MONTH",
    b"DAY",
    b"DATEDIFF",
    b"CURDATE",
    b"ROUND",
    b"FLOOR",
    b"ABS",
    b"RAND",
    b"MD5",
    b"CAST",
    b"LAST_INSERT_ID",
    b"JSON_TABLE",
    b"COLUMNS",
    b"VARCHAR",
    b"UNHEX",
];

/// Words that other statements begin with that look at nothing.
const OTHERS: [&[u8]; 6] = [b"SHOW", b"LOCK", b"UNLOCK", b"DESCRIBE", b"DESC", b"EXPLAIN"];

/// Those of them that give no rows and leave FOUND_ROWS() as it is.
const SETTINGS: [&[u8]; 7] =
    [b"SET", b"COMMIT", b"ROLLBACK", b"START", b"BEGIN", b"SAVEPOINT", b"USE"];

/// Words that name what the statement before has left, FOUND_ROWS() apart.
const OF_STATEMENT: [&[u8]; 6] =
    [b"ROW_COUNT", b"WARNING_COUNT", b"ERROR_COUNT", b"WARNINGS", b"ERRORS", b"DIAGNOSTICS"];

impl Look {
    /// What a statement looks at.
    pub(crate) fn at(sql: &[u8], dialect: Dialect) -> Look {
        if sql.len() > MAX_READ_BYTES {
            return Look::Any;
        }
        let mut tokens = Tokens::new(sql, dialect);
        let FirstWord::Word(first) = tokens.first_word() else { return Look::Any };
        let is = |word: &[u8]| first.eq_ignore_ascii_case(word);
        let mut look = if is(b"SELECT") {
            Look::Select
        } else if is(b"INSERT") || is(b"REPLACE") || is(b"DELETE") {
            Look::Write
        } else if is(b"UPDATE") {
            Look::Update
        } else if SETTINGS.into_iter().any(is) {
            Look::Setting
        } else if OTHERS.into_iter().any(is) {
            Look::Other
        } else {
            Look::Any
        };
        let may_show = is(b"SHOW") || is(b"GET");
        let mut seen = Seen::default();
        for token in tokens.by_ref() {
            seen.token(token, matches!(look, Look::Write | Look::Update | Look::Setting));
        }
        if !tokens.is_plain() || seen.has_several {
            return Look::Any;
        }
        if seen.of_found_rows {
            return Look::FoundRows;
        }
        if seen.of_statement {
            look = match look {
                Look::Select if !seen.calls => Look::SelectOfStatement,
                _ if may_show => Look::Statement,
                _ => Look::Any,
            };
        }
        match look {
            Look::Select if !seen.names_table => Look::Any,
            Look::Select | Look::Other | Look::Setting if seen.calls => Look::Any,
            Look::Write | Look::Update | Look::Setting if seen.reads_rows => Look::Any,
            look => look,
        }
    }
}

/// What was seen of a statement so far.
#[derive(Default)]
struct Seen {
    of_found_rows: bool,
    of_statement: bool,
    /// Something is called that nobody knows.
    calls: bool,
    /// Rows of other tables are read.
    reads_rows: bool,
    names_table: bool,
    has_several: bool,
    may_be_called: bool,
    ends: bool,
}

impl Seen {
    fn token(&mut self, token: Token<'_>, is_write: bool) {
        self.has_several |= self.ends;
        let is_any =
            |word: &[u8], words: &[&[u8]]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
        let mut may_be_called = false;
        match token {
            Token::Word(word) | Token::Name(word) => {
                self.of_found_rows |= is_any(word, &[b"FOUND_ROWS"]);
                self.of_statement |= is_any(word, &OF_STATEMENT);
                self.names_table |= is_any(word, &[b"FROM"]);
                self.reads_rows |= is_write
                    && is_any(word, &[b"SELECT", b"JOIN", b"TABLE", b"RETURNING", b"USING"]);
                self.calls |= is_any(word, &[b"INTO", b"PROCEDURE"]) && !is_write;
                may_be_called = !is_any(word, &BEFORE_PARENTHESIS) && !is_any(word, &FUNCTIONS);
            }
            Token::Text { .. } => may_be_called = true,
            // What a write calls is its trigger's or its values': see the documentation.
            Token::Symbol(b'(') => self.calls |= self.may_be_called,
            Token::Semicolon => self.ends = true,
            Token::Symbol(_) => {}
        }
        self.may_be_called = may_be_called;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Charset;

    #[test]
    fn what_is_not_known_may_look_at_anything() {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        for (sql, expected) in [
            ("SELECT a FROM t WHERE b = 1", Look::Select),
            ("SELECT COUNT(*), MAX(a) FROM t WHERE b IN (1, 2);", Look::Select),
            ("SELECT f(a) FROM t", Look::Any),
            ("SELECT `count`(*) FROM t", Look::Select),
            (
                "SELECT a FROM JSON_TABLE(?, '$' COLUMNS (k VARCHAR(9) PATH '$')) AS j JOIN t ON UNHEX(k)",
                Look::Select,
            ),
            ("SELECT a INTO @b FROM t", Look::Any),
            ("SELECT 1; SELECT 2", Look::Any),
            ("SELECT /*! FOUND_ROWS() */ 1", Look::Any),
            ("SELECT FOUND_ROWS()", Look::FoundRows),
            ("select found_rows () + row_count()", Look::FoundRows),
            ("SELECT ROW_COUNT()", Look::Any),
            ("SELECT @@warning_count", Look::SelectOfStatement),
            ("SELECT 1", Look::Any),
            ("SHOW WARNINGS", Look::Statement),
            ("SHOW COUNT(*) ERRORS", Look::Statement),
            ("GET DIAGNOSTICS @a = NUMBER", Look::Statement),
            ("SHOW TABLES", Look::Other),
            ("SHOW CREATE TABLE f", Look::Other),
            ("SET @a = f()", Look::Any),
            ("INSERT INTO t (a) VALUES (1)", Look::Write),
            ("REPLACE t SET a = 1", Look::Write),
            ("INSERT INTO t SELECT 1", Look::Any),
            ("INSERT INTO t VALUES (FOUND_ROWS())", Look::FoundRows),
            ("INSERT INTO t VALUES (ROW_COUNT())", Look::Any),
            ("INSERT INTO t (a) VALUES (1) RETURNING a", Look::Any),
            ("DELETE FROM t WHERE a = 1", Look::Write),
            ("DELETE t FROM t JOIN u ON t.a = u.a", Look::Any),
            ("UPDATE t SET a = 1 WHERE b = 2", Look::Update),
            ("UPDATE t SET a = (SELECT 1)", Look::Any),
            ("UPDATE t, u SET t.a = u.a", Look::Update),
            ("SET @a = 1", Look::Setting),
            ("SET @a = (SELECT 1)", Look::Any),
            ("SET @a = @@warning_count", Look::Any),
            ("CALL p()", Look::Any),
            ("COMMIT", Look::Setting),
            ("USE d", Look::Setting),
            ("ALTER TABLE t ADD a INT", Look::Any),
            ("", Look::Any),
        ] {
            assert_eq!(Look::at(sql.as_bytes(), dialect), expected, "{sql}");
        }
    }
}
