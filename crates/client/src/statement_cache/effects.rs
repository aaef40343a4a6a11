//! What statements do to what others mean.
//!
//! Lists of what is harmless, not of what harms: a statement that is not known here may have changed anything.

use vaquita_protocol::Command;

use crate::tokens::{Dialect, FirstWord, Token, Tokens};

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

impl Effect {
    /// What a command does; with `is_several` the server takes several statements in one query.
    pub(crate) fn of(command: &Command<'_>, dialect: Dialect, is_several: bool) -> Effect {
        match command {
            Command::Query(sql) if is_several && sql.contains(&b';') => Effect::Anything,
            Command::Query(sql) => Effect::of_statement(sql, dialect),
            Command::InitDb(_) => Effect::OtherDatabase,
            // A server that refuses another user has ended the session by then, too.
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
            names_no_access(&tokens)
                && matches!(tokens.next(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(b"TRANSACTION"))
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
    is(first, b"TRANSACTION")
        && names_no_access(&tokens)
        && tokens.all(|token| matches!(token, Token::Word(_)))
}

/// Whether a statement about transactions leaves open whether they may write: else others are refused that were not, or the other way round.
fn names_no_access(tokens: &Tokens<'_>) -> bool {
    let names = |token| matches!(token, Token::Word(word) if word.eq_ignore_ascii_case(b"ONLY") || word.eq_ignore_ascii_case(b"WRITE"));
    !tokens.clone().any(names)
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
            "START TRANSACTION WITH CONSISTENT SNAPSHOT",
            "BEGIN",
            "COMMIT AND CHAIN",
            "ROLLBACK TO SAVEPOINT a",
            "SET AUTOCOMMIT=0",
            "set autocommit = 1",
            "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
            "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
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
            "START TRANSACTION READ ONLY",
            "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ WRITE",
            "SET TRANSACTION READ ONLY",
            "SET SESSION TRANSACTION READ WRITE",
            "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE, sql_mode = ''",
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
}
