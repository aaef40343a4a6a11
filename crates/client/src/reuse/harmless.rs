//! Which queries can't write: those that may be sent before it is known what became of the session, and be repeated on another one.
//!
//! A list of what is harmless, not of what harms: a word or a sign that is not known here counts as one that writes.

use vaquita_protocol::Encoding;

use crate::tokens::{Dialect, Token, Tokens};

/// A longer query is not looked at.
const MAX_READ_BYTES: usize = 4 << 10;

/// Words behind which a parenthesis calls nothing.
pub(crate) const BEFORE_PARENTHESIS: [&[u8]; 27] = [
    b"SELECT",
    b"FROM",
    b"WHERE",
    b"AND",
    b"OR",
    b"XOR",
    b"NOT",
    b"IN",
    b"ON",
    b"USING",
    b"BETWEEN",
    b"LIKE",
    b"BY",
    b"HAVING",
    b"JOIN",
    b"UNION",
    b"ALL",
    b"DISTINCT",
    b"ANY",
    b"SOME",
    b"AS",
    b"WHEN",
    b"THEN",
    b"ELSE",
    b"CASE",
    b"ASC",
    b"DESC",
];

/// Words that are, or may be, more than a name or a part of a plain SELECT: what locks, writes elsewhere, counts on, or is a function without
/// parentheses.
const NOT_HARMLESS: [&[u8]; 22] = [
    b"INTO",
    b"FOR",
    b"LOCK",
    b"PROCEDURE",
    b"NEXT",
    b"PREVIOUS",
    b"NEXTVAL",
    b"CURRVAL",
    b"LASTVAL",
    b"SETVAL",
    b"RETURNING",
    b"OUTFILE",
    b"DUMPFILE",
    b"CURRENT_USER",
    b"CURRENT_ROLE",
    b"CURRENT_DATE",
    b"CURRENT_TIME",
    b"CURRENT_TIMESTAMP",
    b"LOCALTIME",
    b"LOCALTIMESTAMP",
    b"SYSDATE",
    b"ROWNUM",
];

/// Functions without parentheses, whatever follows this.
const UTC_FUNCTIONS: &[u8] = b"UTC_";

/// Whether a query is a SELECT of literals and plain columns.
///
/// That a view may hide a function is not seen from here: [`super::views`].
pub(crate) fn cannot_write(sql: &[u8], dialect: Dialect) -> bool {
    // Comments may be executed.
    let has_comment =
        || sql.windows(2).any(|pair| matches!(pair, b"/*" | b"--")) || sql.contains(&b'#');
    // What double quotes and backslashes mean depends on sql_mode.
    let is_ambiguous = || sql.contains(&b'"') && sql.contains(&b'\\');
    if sql.len() > MAX_READ_BYTES || has_comment() || is_ambiguous() {
        return false;
    }
    let mut tokens = Tokens::new(sql, dialect);
    let is = |word: &[u8], words: &[&[u8]]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
    // In latin1 and others a byte beyond ASCII may be a space, and so end a word that is read on here.
    let is_utf8 = matches!(dialect.encoding, Encoding::Utf8mb3 | Encoding::Utf8mb4);
    if !matches!(tokens.next(), Some(Token::Word(word)) if is(word, &[b"SELECT"])) {
        return false;
    }
    let mut may_be_called = false;
    for token in tokens {
        may_be_called = match token {
            Token::Word(word) if !is_utf8 && !word.is_ascii() => return false,
            Token::Word(word) if is(word, &NOT_HARMLESS) => return false,
            Token::Word(word)
                if word.get(..UTC_FUNCTIONS.len()).is_some_and(|it| is(it, &[UTC_FUNCTIONS])) =>
            {
                return false;
            }
            Token::Word(word) => !is(word, &BEFORE_PARENTHESIS),
            // Between double quotes stands a name, if sql_mode says so.
            Token::Name(_) | Token::Text { .. } => true,
            Token::Symbol(b'(') if may_be_called => return false,
            Token::Symbol(
                b'(' | b')' | b',' | b'.' | b'*' | b'=' | b'<' | b'>' | b'!' | b'+' | b'-' | b'/'
                | b'%' | b'?',
            ) => false,
            Token::Symbol(_) | Token::Semicolon => return false,
        };
    }
    true
}

/// Words of a SET that does more than to set something in the session, or sets it for others.
const NOT_ONLY_SET: [&[u8]; 8] = [
    b"PASSWORD",
    b"STATEMENT",
    b"RESOURCE",
    b"GLOBAL",
    b"PERSIST",
    b"PERSIST_ONLY",
    b"SELECT",
    b"CASE",
];

/// Whether a statement is a SET of things of the session to literals and names, so that nobody notices when it runs.
pub(crate) fn only_sets(sql: &[u8]) -> bool {
    let dialect = Dialect { encoding: Encoding::SingleByte, no_backslash_escapes: false };
    let is = |word: &[u8], words: &[&[u8]]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
    let has_comment = sql.windows(2).any(|pair| pair == b"/*");
    let mut tokens = Tokens::new(sql, dialect);
    if has_comment || !matches!(tokens.next(), Some(Token::Word(word)) if is(word, &[b"SET"])) {
        return false;
    }
    let mut is_second = true;
    tokens.all(|token| {
        let is_second = std::mem::take(&mut is_second);
        match token {
            Token::Word(word) => !(is(word, &NOT_ONLY_SET) || is_second && is(word, &[b"DEFAULT"])),
            Token::Text { .. } | Token::Name(_) => true,
            Token::Symbol(symbol) => matches!(symbol, b'@' | b'=' | b':' | b',' | b'.' | b'-'),
            Token::Semicolon => false,
        }
    })
}

/// Whether a statement may set how long the server waits for the session.
pub(crate) fn names_wait_timeout(sql: &[u8]) -> bool {
    let name = b"wait_timeout";
    sql.windows(name.len()).any(|it| it.eq_ignore_ascii_case(name)) || !only_sets(sql)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Charset;

    fn check(sql: &str, expected: bool) {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        assert_eq!(cannot_write(sql.as_bytes(), dialect), expected, "{sql}");
    }

    #[test]
    fn literals_and_plain_columns_are_harmless() {
        for sql in [
            "SELECT 1",
            "select 'a', NULL, 1.5 + 2",
            "SELECT * FROM t WHERE id = 5 AND (a IN (1, 2) OR b LIKE 'x%') ORDER BY c DESC LIMIT 10",
            "SELECT t.`a` AS b FROM db.t JOIN u ON (t.id = u.id) WHERE NOT (a = 1)",
            "SELECT a FROM (SELECT b FROM t) x UNION ALL (SELECT c FROM u)",
            "SELECT 'a syntax error",
            "SELECT a FROM t WHERE b IN (?, ?)",
        ] {
            check(sql, true);
        }
    }

    #[test]
    fn a_set_of_literals_may_run_at_any_time() {
        for (sql, expected) in [
            ("SET autocommit = 0", true),
            (
                "SET NAMES utf8mb4 COLLATE 'utf8mb4_bin', @a := -1, @@session.sql_mode = DEFAULT",
                true,
            ),
            ("SET TRANSACTION ISOLATION LEVEL READ COMMITTED", true),
            ("SET ROLE r", true),
            ("SET @a = NOW()", false),
            ("SET @a = (SELECT 1)", false),
            ("SET GLOBAL a = 1", false),
            ("SET @@global.a = 1", false),
            ("SET PASSWORD = 'x'", false),
            ("SET DEFAULT ROLE r TO u", false),
            ("SET STATEMENT a = 1 FOR DELETE FROM t", false),
            ("SET @a = 1; DELETE FROM t", false),
            ("SET @a = 1 /*! , GLOBAL b = 1 */", false),
            ("INSERT INTO t VALUES (1)", false),
            ("", false),
        ] {
            assert_eq!(only_sets(sql.as_bytes()), expected, "{sql}");
        }
    }

    #[test]
    fn whatever_calls_locks_or_writes_counts_as_a_write() {
        for sql in [
            "",
            "INSERT INTO t VALUES (1)",
            "SELECT f()",
            "SELECT f ()",
            "SELECT `f`(1)",
            "SELECT \"f\"(1)",
            "SELECT db.f(1)",
            "SELECT COUNT(*) FROM t",
            "SELECT a INTO @b FROM t",
            "SELECT a FROM t INTO OUTFILE 'x'",
            "SELECT a FROM t FOR UPDATE",
            "SELECT a FROM t LOCK IN SHARE MODE",
            "SELECT @a := 1",
            "SELECT @@a",
            "SELECT NEXT VALUE FOR s",
            "SELECT s.nextval",
            "SELECT a FROM t PROCEDURE ANALYSE",
            "SELECT 1; DELETE FROM t",
            "SELECT 1;",
            "SELECT 1 /*! INTO @a */",
            "SELECT 1 AS \"a\\\", f() AS \"b\"",
            "SELECT 1 -- x",
            "SELECT 1 # x",
            "SELECT CURRENT_USER",
            "SELECT utc_timestamp",
            "SELECT {fn f}",
            "(SELECT 1)",
            "WITH x AS (SELECT 1) SELECT * FROM x",
            "VALUES (1)",
            "SHOW TABLES",
        ] {
            check(sql, false);
        }
        check(&format!("SELECT '{}'", "x".repeat(MAX_READ_BYTES)), false);
    }

    #[test]
    fn what_may_be_a_space_ends_what_is_known() {
        for (charset, sql, expected) in [
            ("latin1", &b"SELECT 1\xA0INTO\xA0OUTFILE 'x'"[..], false),
            ("latin1", b"SELECT a FROM\xA0v", false),
            ("latin1", b"SELECT '\xA0', `\xA0` FROM t", true),
            ("gbk", b"SELECT a FROM \xD6\xD0", false),
            ("utf8mb4", "SELECT a FROM \u{e4}".as_bytes(), true),
        ] {
            let encoding = Charset::by_name(charset.as_bytes()).unwrap().encoding;
            let dialect = Dialect { encoding, no_backslash_escapes: false };
            assert_eq!(cannot_write(sql, dialect), expected, "{charset}: {}", sql.escape_ascii());
        }
    }
}
