//! What statements do to what others mean, and which of them are worth keeping.
//!
//! Lists of what is harmless, not of what harms: a statement that is not known here may have changed anything.

use vaquita_protocol::Command;

use crate::tokens::{Dialect, FirstWord, Token, Tokens};

/// A longer text is not kept. The limit is our own: a text stays in memory as long as its statement.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// What a command does to the statements that were prepared before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Effect {
    /// They mean what they meant.
    #[default]
    Nothing,
    /// Another database may be the current one.
    OtherDatabase,
    /// The same text may mean something else: tables, variables, whatever.
    Anything,
    /// The session ends, and they with it.
    End,
}

/// Words that a statement begins with which leaves tables, databases and the session's variables as they are. That a function or a trigger
/// which it calls may SET one is not seen from here.
const HARMLESS: [&[u8]; 16] = [
    b"SELECT",
    b"INSERT",
    b"UPDATE",
    b"DELETE",
    b"REPLACE",
    b"WITH",
    b"VALUES",
    b"DO",
    b"SHOW",
    b"DESCRIBE",
    b"DESC",
    b"EXPLAIN",
    b"COMMIT",
    b"ROLLBACK",
    b"SAVEPOINT",
    b"RELEASE",
];

/// Words that a statement begins with which is run again and again.
const KEPT: [&[u8]; 6] = [b"SELECT", b"INSERT", b"UPDATE", b"DELETE", b"REPLACE", b"WITH"];

impl Effect {
    /// What a command does; with `is_several` the server takes several statements in one query.
    pub(crate) fn of(command: &Command<'_>, dialect: Dialect, is_several: bool) -> Effect {
        match command {
            Command::Query(sql) if is_several && sql.contains(&b';') => Effect::Anything,
            Command::Query(sql) => Effect::of_statement(sql, dialect),
            Command::InitDb(_) => Effect::OtherDatabase,
            Command::ChangeUser(_) | Command::ResetConnection => Effect::End,
            // What a prepared statement does is known since it was prepared.
            _ => Effect::Nothing,
        }
    }

    /// What running a statement does.
    pub(crate) fn of_statement(sql: &[u8], dialect: Dialect) -> Effect {
        let mut tokens = Tokens::new(sql, dialect);
        let FirstWord::Word(first) = tokens.first_word() else { return Effect::Anything };
        let is = |word: &[u8]| first.eq_ignore_ascii_case(word);
        let is_harmless = if is(b"SET") {
            sets_transactions_only(tokens)
        } else if is(b"START") {
            matches!(tokens.next(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(b"TRANSACTION"))
        } else if is(b"BEGIN") {
            // MariaDB's BEGIN NOT ATOMIC runs any other.
            tokens.next().is_none()
        } else {
            HARMLESS.into_iter().any(is)
        };
        match is_harmless {
            true => Effect::Nothing,
            false if is(b"USE") => Effect::OtherDatabase,
            false => Effect::Anything,
        }
    }
}

/// Whether a statement is one to be kept: it is likely to be prepared again, and means the same then as long as nothing has had an
/// [`Effect`].
pub(crate) fn is_kept(sql: &[u8], dialect: Dialect) -> bool {
    // Of a variable MySQL keeps the type that it had when the statement was prepared; a comment may be executed.
    let is_plain = || !sql.contains(&b'@') && !sql.windows(2).any(|pair| pair == b"/*");
    let is_kept_word = |first: FirstWord<'_>| matches!(first, FirstWord::Word(word) if KEPT.iter().any(|it| word.eq_ignore_ascii_case(it)));
    sql.len() <= MAX_TEXT_BYTES
        && is_kept_word(Tokens::new(sql, dialect).first_word())
        && is_plain()
}

/// Whether a statement's columns may be more or fewer when another session has changed a table.
pub(crate) fn may_have_other_columns(sql: &[u8]) -> bool {
    sql.contains(&b'*') || sql.get(..4).is_none_or(|first| first.eq_ignore_ascii_case(b"WITH"))
}

/// Whether the rest of a SET says only what transactions are like: `autocommit = 0`, `TRANSACTION ...`.
fn sets_transactions_only(mut tokens: Tokens<'_>) -> bool {
    let is = |token: Option<Token<'_>>, expected: &[u8]| matches!(token, Some(Token::Word(word)) if word.eq_ignore_ascii_case(expected));
    let first = tokens.next();
    if is(first, b"AUTOCOMMIT") {
        return tokens.next() == Some(Token::Symbol(b'='))
            && matches!(tokens.next(), Some(Token::Word(b"0" | b"1")))
            && tokens.next().is_none();
    }
    let first = if is(first, b"SESSION") { tokens.next() } else { first };
    is(first, b"TRANSACTION") && tokens.all(|token| matches!(token, Token::Word(_)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::{Charset, ComChangeUser};

    fn dialect() -> Dialect {
        Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false }
    }

    #[test]
    fn what_is_not_known_may_have_changed_anything() {
        let check = |sql: &str, expected| {
            assert_eq!(Effect::of_statement(sql.as_bytes(), dialect()), expected, "{sql}");
        };
        for sql in [
            "SELECT 1",
            "(select 1) union (select 2)",
            "/* a comment */ INSERT INTO t VALUES (1)",
            "with a as (select 1) select * from a",
            "START TRANSACTION READ ONLY",
            "BEGIN",
            "COMMIT AND CHAIN",
            "ROLLBACK TO SAVEPOINT a",
            "SET AUTOCOMMIT=0",
            "set autocommit = 1",
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SET SESSION TRANSACTION READ WRITE",
            "SHOW WARNINGS",
            "DESC t",
            "EXPLAIN SELECT 1",
        ] {
            check(sql, Effect::Nothing);
        }
        for sql in [
            "",
            "(",
            "# a comment",
            "SET sql_mode = ''",
            "SET NAMES latin1",
            "SET autocommit = 1, sql_mode = ''",
            "SET autocommit = f()",
            "SET autocommit = 0 /*! , sql_mode = '' */",
            "SET SESSION TRANSACTION READ WRITE, sql_mode = ''",
            "SET @a = 1",
            "SET ROLE r",
            "SET STATEMENT sql_mode = '' FOR SELECT 1",
            "CREATE TEMPORARY TABLE t (a INT)",
            "ALTER TABLE t ADD b INT",
            "DROP DATABASE d",
            "RENAME TABLE t TO u",
            "TRUNCATE t",
            "CALL p()",
            "EXECUTE s",
            "PREPARE s FROM 'SELECT 1'",
            "BEGIN NOT ATOMIC USE x; END",
            "START SLAVE",
            "LOCK TABLES t READ",
            "FLUSH TABLES",
            "HANDLER t OPEN",
            "/*! USE x */",
            "/*!99999 SELECT */ USE x",
        ] {
            check(sql, Effect::Anything);
        }
        check("USE x", Effect::OtherDatabase);
        check("use `x`", Effect::OtherDatabase);
    }

    #[test]
    fn commands_have_effects_too() {
        let check = |command: Command<'_>, is_several, expected| {
            assert_eq!(Effect::of(&command, dialect(), is_several), expected, "{command:?}");
        };
        let several = Command::Query(b"SELECT 1; SET sql_mode = ''");
        check(several, true, Effect::Anything);
        check(Command::Query(b"SELECT 1;"), false, Effect::Nothing);
        check(Command::InitDb(b"x"), false, Effect::OtherDatabase);
        check(Command::ResetConnection, false, Effect::End);
        let user = ComChangeUser {
            capabilities: vaquita_protocol::Capabilities::NONE,
            username: b"",
            auth_response: b"",
            database: b"",
            character_set: 45,
            client_plugin_name: b"",
            attributes: &[],
        };
        check(Command::ChangeUser(user), false, Effect::End);
        check(Command::Ping, false, Effect::Nothing);
        check(Command::StmtPrepare(b"SET sql_mode = ''"), false, Effect::Nothing);
    }

    #[test]
    fn what_may_mean_something_else_next_time_is_not_kept() {
        for (sql, expected) in [
            ("SELECT * FROM t WHERE id = ?", true),
            ("(SELECT 1)", true),
            ("-- a comment\nINSERT INTO t VALUES (?)", true),
            ("SELECT @a", false),
            ("SELECT @@sql_mode", false),
            ("SELECT 1 INTO @a", false),
            ("SELECT /*! STRAIGHT_JOIN */ 1", false),
            ("CALL p(?)", false),
            ("SET @a = ?", false),
            ("SHOW TABLES", false),
            ("", false),
        ] {
            assert_eq!(is_kept(sql.as_bytes(), dialect()), expected, "{sql}");
        }
        let long = format!("SELECT '{}'", "x".repeat(MAX_TEXT_BYTES));
        assert!(!is_kept(long.as_bytes(), dialect()));
    }

    #[test]
    fn only_wildcards_have_other_columns() {
        for (sql, expected) in [
            ("SELECT * FROM t", true),
            ("SELECT a, b FROM t", false),
            ("WITH a AS (SELECT 1) TABLE a", true),
            ("", true),
        ] {
            assert_eq!(may_have_other_columns(sql.as_bytes()), expected, "{sql}");
        }
    }
}
