//! The local files that a query names: what its LOAD DATA LOCAL INFILE and LOAD XML LOCAL INFILE statements ask for.

use std::collections::VecDeque;

use crate::tokens::{Dialect, Token, Tokens, unescape};

/// A word that no query with such a statement is without.
const KEYWORD: &[u8] = b"INFILE";

/// The names that a query has for local files, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(VecDeque<Name>);

#[derive(Clone, Debug)]
struct Name {
    bytes: Vec<u8>,
    /// Whether the server may pass the statement over, because an executable comment has a part of it.
    is_optional: bool,
}

impl Names {
    /// Reads a query, which may have several statements.
    pub(super) fn of(sql: &[u8], dialect: Dialect) -> Self {
        let mut names = VecDeque::new();
        if !sql.windows(KEYWORD.len()).any(|window| window.eq_ignore_ascii_case(KEYWORD)) {
            return Names(names);
        }
        let mut tokens = Tokens::new(sql, dialect);
        let mut place = Place::Start;
        let mut is_optional = false;
        while let Some(token) = tokens.next() {
            if place == Place::Start {
                is_optional = false;
            }
            is_optional |= tokens.is_conditional();
            if let (Place::Name, Token::Text { quote, body }) = (place, token) {
                names.push_back(Name { bytes: unescape(quote, body, dialect), is_optional });
            }
            place = place.after(token);
        }
        Names(names)
    }

    /// Whether the query names this file next; then the name is used up, and so are those before it.
    pub(crate) fn take(&mut self, asked: &[u8]) -> bool {
        for (position, name) in self.0.iter().enumerate() {
            if name.bytes == asked {
                self.0.drain(..=position);
                return true;
            }
            if !name.is_optional {
                break;
            }
        }
        false
    }
}

/// How far a statement has come on its way to a local file's name.
///
/// <https://dev.mysql.com/doc/refman/8.0/en/load-data.html>, <https://mariadb.com/docs/server/reference/sql-statements/administrative-sql-statements/set-commands/set-statement>
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing has come.
    Start,
    /// SET.
    Set,
    /// SET STATEMENT and what it sets, up to FOR.
    SetStatement,
    /// LOAD.
    Load,
    /// LOAD DATA or LOAD XML, also with LOW_PRIORITY, CONCURRENT or FROM.
    Kind,
    /// LOCAL.
    Local,
    /// INFILE: the name is next.
    Name,
    /// It is something else, or the name was there.
    Rest,
}

impl Place {
    fn after(self, token: Token<'_>) -> Place {
        let word = match token {
            Token::Semicolon => return Place::Start,
            Token::Word(word) => word,
            Token::Text { .. } | Token::Name(_) | Token::Symbol(_) => &[],
        };
        let is = |keywords: &[&[u8]]| keywords.iter().any(|it| word.eq_ignore_ascii_case(it));
        match self {
            Place::Start if is(&[b"LOAD"]) => Place::Load,
            Place::Start if is(&[b"SET"]) => Place::Set,
            Place::Set if is(&[b"STATEMENT"]) => Place::SetStatement,
            Place::SetStatement if is(&[b"FOR"]) => Place::Start,
            Place::SetStatement => Place::SetStatement,
            Place::Load if is(&[b"DATA", b"XML"]) => Place::Kind,
            Place::Kind if is(&[b"LOW_PRIORITY", b"CONCURRENT", b"FROM"]) => Place::Kind,
            Place::Kind if is(&[b"LOCAL"]) => Place::Local,
            Place::Local if is(&[KEYWORD]) => Place::Name,
            _ => Place::Rest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Charset;

    fn names_in(charset: &str, no_backslash_escapes: bool, sql: &[u8]) -> Names {
        let encoding = Charset::by_name(charset.as_bytes()).unwrap().encoding;
        Names::of(sql, Dialect { encoding, no_backslash_escapes })
    }

    fn check(sql: &str, expected: &[&str]) {
        let names = names_in("utf8mb4", false, sql.as_bytes());
        let names: Vec<_> =
            names.0.iter().map(|name| String::from_utf8_lossy(&name.bytes)).collect();
        assert_eq!(names, expected, "{sql}");
    }

    #[test]
    fn statements_that_name_a_file() {
        check("LOAD DATA LOCAL INFILE '/a' INTO TABLE t", &["/a"]);
        check("load data local infile \"/a\" into table t", &["/a"]);
        check("LOAD DATA LOW_PRIORITY LOCAL INFILE '/a'", &["/a"]);
        check("LOAD XML CONCURRENT LOCAL INFILE '/a'", &["/a"]);
        check("LOAD DATA FROM LOCAL INFILE '/a'", &["/a"]);
        check(" /* x */ LOAD-- y\n DATA/**/LOCAL#\nINFILE'/a'", &["/a"]);
        check("LOAD DATA LOCAL INFILE '/it''s'", &["/it's"]);
        check("LOAD DATA LOCAL INFILE ''", &[""]);
        check("/*!40000 LOAD DATA LOCAL INFILE '/a' */", &["/a"]);
        check("SET STATEMENT max_statement_time = 1 FOR LOAD DATA LOCAL INFILE '/a'", &["/a"]);
        check(
            "SELECT 1; LOAD DATA LOCAL INFILE '/a'; ; LOAD XML LOCAL INFILE '/b';",
            &["/a", "/b"],
        );
    }

    #[test]
    fn statements_that_name_none() {
        check("", &[]);
        check("SELECT 1", &[]);
        check("SELECT 'LOAD DATA LOCAL INFILE ''/a'''", &[]);
        check("SELECT \"; LOAD DATA LOCAL INFILE '/a'\"", &[]);
        check("SELECT `; LOAD DATA LOCAL INFILE '/a'`", &[]);
        check("-- ; LOAD DATA LOCAL INFILE '/a'", &[]);
        check("/* LOAD DATA LOCAL INFILE '/a' */ SELECT 1", &[]);
        check("SELECT 1 LOAD DATA LOCAL INFILE '/a'", &[]);
        check("EXPLAIN LOAD DATA LOCAL INFILE '/a'", &[]);
        check("PREPARE s FROM 'LOAD DATA LOCAL INFILE \\'/a\\''", &[]);
        check("LOAD DATA INFILE '/a'", &[]);
        check("LOAD DATA LOCAL INFILE /a", &[]);
        check("LOAD DATA LOCAL INFILE @a", &[]);
        check("LOAD DATA LOCAL INFILE x'2f61'", &[]);
        check("LOAD DATA LOCAL INFILE _utf8'/a'", &[]);
        check("LOAD DATA LOCAL INFILE `/a`", &[]);
        check("LOAD DATA LOCAL 'INFILE' '/a'", &[]);
        check("LOAD 'DATA' LOCAL INFILE '/a'", &[]);
        check("LOAD DATA LOCAL INFILE; '/a'", &[]);
        check("LOAD DATA LOCAL INFILE '/a", &[]);
        check("SET STATEMENT a = 'x FOR LOAD DATA LOCAL INFILE \"/a\"'", &[]);
        // What a user typed, escaped: no text may end early in it.
        check("INSERT INTO t VALUES ('x\\'; LOAD DATA LOCAL INFILE \\'/a\\' ')", &[]);
        check("INSERT INTO t VALUES ('x''; LOAD DATA LOCAL INFILE ''/a'' ')", &[]);
    }

    #[test]
    fn a_name_is_read_as_the_server_reads_it() {
        let check = |charset: &str, no_backslash_escapes: bool, text: &[u8], expected: &[u8]| {
            let sql = [b"LOAD DATA LOCAL INFILE ", text].concat();
            let mut names = names_in(charset, no_backslash_escapes, &sql);
            assert!(names.take(expected), "{text:02x?} {names:02x?}");
        };
        check("latin1", false, b"'a\\\\b'", b"a\\b");
        check("latin1", true, b"'a\\\\b'", b"a\\\\b");
        check("latin1", true, b"'a\\'", b"a\\");
        check("latin1", false, b"'a\\%\\_'", b"a\\%\\_");
        check("gbk", false, b"'\xBF\\a'", b"\xBF\\a");
        check("latin1", false, b"'\xBF\\a'", b"\xBFa");
        check("utf8mb4", false, "'caf\u{e9}'".as_bytes(), "caf\u{e9}".as_bytes());
        check("utf8mb4", false, b"'caf\xE9'", b"caf\xE9");
        check("utf8mb4", false, b"'a\\0b'", b"a\0b");
    }

    #[test]
    fn each_name_is_used_once_and_in_order() {
        let two = b"LOAD DATA LOCAL INFILE '/a' INTO TABLE t; LOAD DATA LOCAL INFILE '/b'";
        let mut names = names_in("utf8mb4", false, two);
        assert!(
            !names.take(b"/b") && !names.take(b"/A") && !names.take(b"/a/") && !names.take(b"")
        );
        assert!(names.take(b"/a") && !names.take(b"/a"));
        assert!(names.take(b"/b") && !names.take(b"/b"));
        // The server may pass over what stands in an executable comment.
        let optional = b"/*!99999 LOAD DATA LOCAL INFILE '/a' INTO TABLE t */; LOAD DATA LOCAL INFILE '/b'; LOAD DATA /*!LOCAL*/ INFILE '/c'; LOAD DATA LOCAL INFILE '/d'";
        let mut names = names_in("utf8mb4", false, optional);
        assert!(!names.take(b"/c") && names.take(b"/b") && !names.take(b"/a"));
        assert!(names.take(b"/d") && !names.take(b"/c"));
    }
}
