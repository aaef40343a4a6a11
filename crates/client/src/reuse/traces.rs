//! What a command may leave behind in a session that a reset does not take away.

use vaquita_protocol::Command;

use crate::statement_cache::Effect;
use crate::tokens::{Dialect, FirstWord, Token, Tokens};

/// How much of a statement is read before it counts as one that leaves everything.
const MAX_READ_BYTES: usize = 1 << 10;

/// What a session may have been left with since it was fresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traces {
    /// It was used: variables, locks, a transaction, temporary tables, prepared statements, or only what the last statement said.
    pub(crate) is_used: bool,
    /// Another role: COM_RESET_CONNECTION and COM_CHANGE_USER leave it, on MariaDB as on MySQL.
    pub(crate) has_role: bool,
    /// Another database that the server may not have told of.
    pub(crate) has_database: bool,
    /// What nothing takes away but the session's end.
    pub(crate) is_indelible: bool,
    /// An id for the next row, which MySQL 5.6 keeps when another logs in.
    pub(crate) has_insert_id: bool,
    /// A procedure may have been called, which may have prepared a transaction.
    pub(crate) has_called: bool,
    /// Temporary tables, locks, another kind of transaction: what an onlooker would have had to see.
    pub(crate) has_unseen: bool,
}

/// Words that a statement begins with which can't change the database, nor run another that does. Functions, triggers and procedures may
/// not either (error 1314), but what procedures put together may.
const KEEPS_DATABASE: [&[u8]; 24] = [
    b"SELECT",
    b"INSERT",
    b"UPDATE",
    b"DELETE",
    b"REPLACE",
    b"SET",
    b"SHOW",
    b"COMMIT",
    b"ROLLBACK",
    b"START",
    b"BEGIN",
    b"WITH",
    b"VALUES",
    b"DO",
    b"SAVEPOINT",
    b"RELEASE",
    b"LOCK",
    b"UNLOCK",
    b"CREATE",
    b"TRUNCATE",
    b"DESCRIBE",
    b"DESC",
    b"EXPLAIN",
    b"LOAD",
];

/// Words that a statement begins with which leaves nothing that an onlooker would have to see.
const FREQUENT: [&[u8]; 8] =
    [b"SELECT", b"INSERT", b"UPDATE", b"DELETE", b"REPLACE", b"SHOW", b"COMMIT", b"ROLLBACK"];

/// What a SET names whose effect nothing undoes: the profiles of statements, which MariaDB keeps, MySQL's resource groups, and what its
/// optimizer wrote down of the last statements.
const INDELIBLE: [&[u8]; 3] = [b"profiling", b"resource", b"optimizer_trace"];
const INSERT_ID: &[u8] = b"insert_id";

/// The words of XA PREPARE. A reset of MariaDB's takes such a transaction from the session, but not from InnoDB's side of it: whoever writes next
/// there gets error 1031, and locks stay for ever (measured on 10.11).
const XA_PREPARE: [&[u8]; 2] = [b"XA", b"PREPARE"];

impl Traces {
    const ALL: Traces = Traces {
        is_used: true,
        has_role: true,
        has_database: true,
        has_unseen: true,
        ..Traces::NONE
    };
    const NONE: Traces = Traces {
        is_used: false,
        has_role: false,
        has_database: false,
        is_indelible: false,
        has_insert_id: false,
        has_called: false,
        has_unseen: false,
    };

    /// Notes a command that is about to be sent; with `is_several` the server takes several statements in one query.
    #[inline]
    pub(crate) fn note(&mut self, command: &Command<'_>, dialect: Dialect, is_several: bool) {
        self.add(Traces::of(command, dialect, is_several));
    }

    /// Notes only whether a command may leave what an onlooker would have to see.
    #[cold]
    pub(crate) fn note_unseen(
        &mut self,
        command: &Command<'_>,
        dialect: Dialect,
        is_several: bool,
    ) {
        self.has_unseen |= Traces::of(command, dialect, is_several).has_unseen;
    }

    /// What is left when another user has logged in on the same connection: the role, also one that the first had from the beginning.
    pub(crate) fn after_log_in(self) -> Traces {
        let rest = Traces { has_called: false, has_unseen: false, ..self };
        Traces { is_used: true, has_role: true, has_database: false, ..rest }
    }

    fn add(&mut self, other: Traces) {
        self.is_used |= other.is_used;
        self.has_role |= other.has_role;
        self.has_database |= other.has_database;
        self.is_indelible |= other.is_indelible;
        self.has_insert_id |= other.has_insert_id;
        self.has_called |= other.has_called;
        self.has_unseen |= other.has_unseen;
    }

    fn of(command: &Command<'_>, dialect: Dialect, is_several: bool) -> Traces {
        let nothing = Traces::NONE;
        match command {
            Command::Quit | Command::Ping | Command::Statistics | Command::SetOption(_) => nothing,
            // What is to be done about these two is known where they are answered.
            Command::ResetConnection | Command::ChangeUser(_) => nothing,
            Command::Query(sql) | Command::StmtPrepare(sql) => {
                if is_several && sql.contains(&b';') {
                    return Traces::all_of(sql);
                }
                Traces::of_statement(sql, dialect)
            }
            Command::InitDb(_) => Traces { is_used: true, has_database: true, ..nothing },
            // What runs now was looked at when it was prepared.
            _ => Traces { is_used: true, ..nothing },
        }
    }

    /// Of a statement that may do anything.
    pub(crate) fn all_of(sql: &[u8]) -> Traces {
        let mut traces = Traces::ALL;
        let mut is_xa_prepare = [false; 2];
        let words = sql.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'));
        // Between two signs stands an empty one.
        for word in words.filter(|word| word.len() > 1) {
            traces.is_indelible |= INDELIBLE.iter().any(|it| it.eq_ignore_ascii_case(word));
            traces.has_insert_id |= INSERT_ID.eq_ignore_ascii_case(word);
            traces.has_called |= b"CALL".eq_ignore_ascii_case(word);
            for (is_there, part) in is_xa_prepare.iter_mut().zip(XA_PREPARE) {
                *is_there |= part.eq_ignore_ascii_case(word);
            }
        }
        traces.is_indelible |= is_xa_prepare == [true; 2];
        traces
    }

    fn of_statement(sql: &[u8], dialect: Dialect) -> Traces {
        let mut tokens = Tokens::new(sql.get(..MAX_READ_BYTES).unwrap_or(sql), dialect);
        let FirstWord::Word(first) = tokens.first_word() else { return Traces::all_of(sql) };
        let is = |keyword: &[u8]| first.eq_ignore_ascii_case(keyword);
        let is_frequent = || FREQUENT.into_iter().any(is);
        let has_unseen = || !is_frequent() && Effect::of_statement(sql, dialect).is_to_be_seen();
        if !KEEPS_DATABASE.into_iter().any(is) {
            return Traces { has_unseen: has_unseen(), ..Traces::all_of(sql) };
        }
        // What double quotes and backslashes mean depends on sql_mode.
        let is_read_in_one_way = || !(sql.contains(&b'"') && sql.contains(&b'\\'));
        let is_whole = || sql.len() <= MAX_READ_BYTES && is_read_in_one_way();
        let has_role = if is(b"SELECT") {
            // Nothing is called.
            !(is_whole() && tokens.all(is_literal))
        } else if is(b"SET") {
            match tokens.next() {
                // SET STATEMENT runs any other.
                Some(Token::Word(word)) if word.eq_ignore_ascii_case(b"STATEMENT") => {
                    return Traces::all_of(sql);
                }
                Some(Token::Word(word)) if word.eq_ignore_ascii_case(b"NAMES") => {
                    !(is_whole()
                        && tokens.all(|it| matches!(it, Token::Word(_) | Token::Text { .. })))
                }
                _ => true,
            }
        } else if is(b"BEGIN") {
            // MariaDB's BEGIN NOT ATOMIC runs any other.
            if tokens.next().is_some() {
                return Traces::all_of(sql);
            }
            false
        } else {
            true
        };
        let set = if is(b"SET") { Traces::all_of(sql) } else { Traces::NONE };
        let has_unseen = has_unseen();
        Traces { is_used: true, has_role, has_database: false, has_unseen, ..set }
    }
}

/// Whether a command is worth being looked at for what an onlooker would have to see: all but the most frequent statements, by their first letters.
#[inline]
pub(crate) fn may_leave_unseen(command: &Command<'_>, is_several: bool) -> bool {
    let (Command::Query(sql) | Command::StmtPrepare(sql)) = command else { return false };
    is_several
        || !matches!(
            sql,
            [b'S' | b's', b'E' | b'e', b'L' | b'l', ..]
                | [b'I' | b'i' | b'U' | b'u', ..]
                | [b'D' | b'd' | b'R' | b'r', b'E' | b'e', ..]
        )
}

/// Whether this is a literal, or stands between literals.
fn is_literal(token: Token<'_>) -> bool {
    match token {
        Token::Word(word) => {
            word.first().is_some_and(u8::is_ascii_digit)
                || [&b"NULL"[..], b"TRUE", b"FALSE"].iter().any(|it| word.eq_ignore_ascii_case(it))
        }
        Token::Text { .. } => true,
        Token::Symbol(symbol) => matches!(symbol, b',' | b'.' | b'-' | b'+'),
        Token::Name(_) | Token::Semicolon => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Charset;

    /// Which of use, role and database a query may leave, by their first letters.
    fn check(sql: &str, expected: &str) {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        let traces = Traces::of(&Command::Query(sql.as_bytes()), dialect, true);
        let shown: String = [
            (traces.is_used, 'u'),
            (traces.has_role, 'r'),
            (traces.has_database, 'd'),
            (traces.is_indelible, 'i'),
        ]
        .into_iter()
        .filter_map(|(has, letter)| has.then_some(letter))
        .collect();
        assert_eq!(shown, expected, "{sql}");
    }

    #[test]
    fn what_an_onlooker_would_have_to_see_is_known() {
        for (sql, expected) in [
            ("SELECT a FROM t", false),
            ("INSERT INTO t VALUES (1)", false),
            ("SET NAMES utf8mb4", false),
            ("SET autocommit = 0", false),
            ("SET TRANSACTION READ ONLY", true),
            ("USE d", false),
            ("CREATE TABLE t (a INT)", false),
            ("CREATE TEMPORARY TABLE t (a INT)", true),
            ("DROP TABLE t", false),
            ("LOCK TABLES t READ", true),
            ("CALL p()", true),
            ("SELECT 1; CREATE TEMPORARY TABLE t (a INT)", true),
        ] {
            let dialect =
                Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
            let command = Command::Query(sql.as_bytes());
            let traces = Traces::of(&command, dialect, true);
            assert_eq!(traces.has_unseen, expected, "{sql}");
            assert!(may_leave_unseen(&command, sql.contains(';')) || !expected, "{sql}");
        }
    }

    #[test]
    fn a_role_is_excluded_only_where_nothing_is_called() {
        for sql in [
            "SELECT 1",
            "select -1.5, 'a', NULL",
            "SET NAMES utf8mb4",
            "set names 'utf8mb4' collate utf8mb4_bin",
            "BEGIN",
        ] {
            check(sql, "u");
        }
        for sql in [
            "SELECT f()",
            "SELECT a FROM t",
            "SELECT @a",
            "SET ROLE r",
            "SET @a = f()",
            "SET NAMES utf8mb4, ROLE r",
            "INSERT INTO t VALUES (1)",
            "(SELECT 1) UNION (SELECT f())",
            "SELECT 1 \"a\\\", f() \"1\"",
            "COMMIT",
        ] {
            check(sql, "ur");
        }
    }

    #[test]
    fn what_is_not_known_may_leave_anything() {
        for sql in [
            "",
            "USE x",
            "CALL p()",
            "EXECUTE s",
            "EXECUTE IMMEDIATE 'USE x'",
            "PREPARE s FROM 'USE x'",
            "DROP DATABASE x",
            "BEGIN NOT ATOMIC USE x; END",
            "SET STATEMENT max_statement_time = 1 FOR USE x",
            "SELECT 1; USE x",
            "/*! USE x */",
            "/*!99999 SELECT */ USE x",
            "# a comment",
            "HANDLER t OPEN",
            "\u{e9} 1",
        ] {
            check(sql, "urd");
        }
        check("/* a comment */ SELECT 1", "u");
        check(&format!("SELECT '{}'", "x".repeat(MAX_READ_BYTES)), "ur");
    }

    #[test]
    fn what_nothing_undoes_is_seen() {
        check("SET @a = 1, @@PROFILING = 1", "uri");
        check("set resource group x", "uri");
        check("SET optimizer_trace = 'enabled=on'", "uri");
        check(&format!("SET @a = '{}', profiling = 1", "x".repeat(MAX_READ_BYTES)), "uri");
        check(&format!("/* {} */ SET profiling = 1", "x".repeat(MAX_READ_BYTES)), "urdi");
        check("SELECT 1; SET profiling = 1", "urdi");
        check("SELECT 'profiling'", "u");
        check("xa prepare 'x'", "urdi");
        check("EXECUTE IMMEDIATE 'XA PREPARE ''x'''", "urdi");
        check("XA START 'x'", "urd");
        let insert_id = |sql: &[u8]| Traces::all_of(sql).has_insert_id;
        let called = |sql: &[u8]| Traces::all_of(sql).has_called;
        assert!(called(b"call p()") && called(b"PREPARE s FROM 'CALL p()'") && !called(b"USE x"));
        assert!(insert_id(b"SET @@insert_id=5") && !insert_id(b"SET @a = LAST_INSERT_ID()"));
    }

    #[test]
    fn commands_that_ask_nothing_of_the_session_leave_nothing() {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        let mut traces = Traces::default();
        for command in [Command::Ping, Command::Statistics] {
            traces.note(&command, dialect, false);
        }
        assert_eq!(traces, Traces::default());
        traces.note(&Command::InitDb(b"x"), dialect, false);
        assert!(traces.is_used && traces.has_database && !traces.has_role);
        traces.note(&Command::Query(b"DO f()"), dialect, false);
        assert_eq!(traces, Traces { has_unseen: false, ..Traces::ALL });
        traces.note(&Command::Query(b"SET profiling = 1"), dialect, false);
        assert!(traces.is_indelible);
    }
}
