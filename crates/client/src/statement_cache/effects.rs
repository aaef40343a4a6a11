//! What statements do to what others mean.
//!
//! Lists of what is harmless, not of what harms: a statement that is not known here may have changed anything.

use vaquita_protocol::Command;

use crate::reuse::only_sets;
use crate::tokens::{Dialect, FirstWord, Token, Tokens};

/// What a command does to what other statements mean, those that were prepared before it among them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effect {
    /// They mean what they meant.
    #[default]
    Nothing,
    /// The same, but transactions may be of another kind from now on.
    Transactions,
    /// The same, but the next transaction may be of another kind.
    NextTransaction,
    /// Another database may be the current one.
    OtherDatabase,
    /// Variables of the session may have other values, or another role is the current one.
    Settings,
    /// Tables that others see may be others, or rights to them.
    Tables,
    /// Tables are locked.
    Locks,
    /// They are not any more.
    Unlocks,
    /// The same text may mean something else: temporary tables, variables, whatever.
    Anything,
    /// The session ends, and all that was prepared with it.
    End,
}

/// Words that a statement begins with which changes tables that others see, or rights, unless it says that a table is temporary.
const OF_TABLES: [&[u8]; 12] = [
    b"CREATE",
    b"ALTER",
    b"DROP",
    b"RENAME",
    b"TRUNCATE",
    b"GRANT",
    b"REVOKE",
    b"ANALYZE",
    b"OPTIMIZE",
    b"REPAIR",
    b"CHECK",
    b"LOAD",
];

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
            Command::Query(sql) if is_several && may_be_several(sql) => Effect::Anything,
            Command::Query(sql) => Effect::of_statement(sql, dialect),
            Command::InitDb(_) => Effect::OtherDatabase,
            // A server that refuses another user has ended the session by then, too.
            Command::ChangeUser(_) | Command::ResetConnection => Effect::End,
            // What a prepared statement does is known since it was prepared.
            _ => Effect::Nothing,
        }
    }

    /// Whether it can't be asked for afterwards.
    pub(crate) fn is_to_be_seen(self) -> bool {
        matches!(self, Effect::NextTransaction | Effect::Locks | Effect::Anything)
    }

    /// What running a statement does.
    pub fn of_statement(sql: &[u8], dialect: Dialect) -> Effect {
        if begins_as_most(sql) {
            return Effect::Nothing;
        }
        let mut tokens = Tokens::new(sql, dialect);
        let FirstWord::Word(first) = tokens.first_word() else { return Effect::Anything };
        let is = |word: &[u8]| first.eq_ignore_ascii_case(word);
        if is(b"SET") {
            let of_transactions = sets_transactions_only(tokens.clone());
            let sets = || only_sets(sql) && !is_for_next_transaction(tokens);
            return of_transactions
                .unwrap_or_else(|| if sets() { Effect::Settings } else { Effect::Anything });
        }
        if is(b"START") {
            let names_access = !names_no_access(&tokens);
            return match tokens.next() {
                Some(Token::Word(word)) if !word.eq_ignore_ascii_case(b"TRANSACTION") => {
                    Effect::Anything
                }
                Some(Token::Word(_)) if names_access => Effect::Settings,
                Some(Token::Word(_)) => Effect::Nothing,
                _ => Effect::Anything,
            };
        }
        if is(b"BEGIN") {
            // MariaDB's BEGIN NOT ATOMIC runs any other.
            return if tokens.next().is_none() { Effect::Nothing } else { Effect::Anything };
        }
        if HARMLESS.into_iter().any(is) {
            return Effect::Nothing;
        }
        match [&b"USE"[..], b"LOCK", b"UNLOCK"].into_iter().position(is) {
            Some(0) => return Effect::OtherDatabase,
            Some(1) => return Effect::Locks,
            // UNLOCK INSTANCE leaves tables locked.
            Some(_)
                if tokens.any(|token| is_word(token, b"TABLES") || is_word(token, b"TABLE")) =>
            {
                return Effect::Unlocks;
            }
            _ => {}
        }
        let is_temporary = |token| is_word(token, b"TEMPORARY");
        let is_of_tables =
            OF_TABLES.into_iter().any(is) && !tokens.any(is_temporary) && tokens.is_plain();
        if is_of_tables { Effect::Tables } else { Effect::Anything }
    }

    /// Whether a text that was prepared before it means something else behind it, or may.
    pub(crate) fn changes_meaning(self) -> bool {
        !matches!(self, Effect::Nothing | Effect::Transactions | Effect::NextTransaction)
    }
}

fn is_word(token: Token<'_>, expected: &[u8]) -> bool {
    matches!(token, Token::Word(word) if word.eq_ignore_ascii_case(expected))
}

/// Whether a text begins with one of the words that most begin with: harmless ones, known without reading on.
fn begins_as_most(sql: &[u8]) -> bool {
    let Some((word, rest)) = sql.split_at_checked(6) else { return false };
    let ends = rest.first().is_some_and(u8::is_ascii_whitespace);
    ends && [&b"SELECT"[..], b"INSERT", b"UPDATE", b"DELETE"]
        .iter()
        .any(|it| word.eq_ignore_ascii_case(it))
}

/// Whether a text may have several statements: something stands behind a semicolon.
fn may_be_several(sql: &[u8]) -> bool {
    let sql = sql.trim_ascii_end();
    sql.strip_suffix(b";").unwrap_or(sql).contains(&b';')
}

/// What the rest of a SET does if it says only what transactions are like: `autocommit = 0`, `TRANSACTION ...`.
fn sets_transactions_only(mut tokens: Tokens<'_>) -> Option<Effect> {
    let is = |token: Option<Token<'_>>, expected| token.is_some_and(|it| is_word(it, expected));
    let first = tokens.next();
    if is(first, b"AUTOCOMMIT") {
        let is_it = tokens.next() == Some(Token::Symbol(b'='))
            && matches!(tokens.next(), Some(Token::Word(b"0" | b"1")))
            && tokens.next().is_none();
        return is_it.then_some(Effect::Transactions);
    }
    let is_of_session = is(first, b"SESSION");
    let first = if is_of_session { tokens.next() } else { first };
    let is_it = is(first, b"TRANSACTION")
        && names_no_access(&tokens)
        && tokens.all(|token| matches!(token, Token::Word(_)));
    let effect = if is_of_session { Effect::Transactions } else { Effect::NextTransaction };
    is_it.then_some(effect)
}

/// Whether the rest of a SET says what the next transaction is like, and only that one: `TRANSACTION ...`, `@@transaction_isolation = ...`.
fn is_for_next_transaction(tokens: Tokens<'_>) -> bool {
    const NAMES: [&[u8]; 4] =
        [b"tx_isolation", b"tx_read_only", b"transaction_isolation", b"transaction_read_only"];
    let is_name = |word: &[u8]| NAMES.iter().any(|name| word.eq_ignore_ascii_case(name));
    let mut signs = 0;
    tokens.enumerate().any(|(place, token)| {
        let of_next = match token {
            Token::Word(word) if place == 0 => word.eq_ignore_ascii_case(b"TRANSACTION"),
            Token::Word(word) | Token::Name(word) => signs == 2 && is_name(word),
            _ => false,
        };
        signs = if token == Token::Symbol(b'@') { signs + 1 } else { 0 };
        of_next
    })
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
            "SHOW WARNINGS",
            "DESC t",
            "EXPLAIN SELECT 1",
        ] {
            check(sql, Effect::Nothing);
        }
        for sql in [
            "SET AUTOCOMMIT=0",
            "set autocommit = 1",
            "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        ] {
            check(sql, Effect::Transactions);
        }
        check("SET TRANSACTION ISOLATION LEVEL READ COMMITTED", Effect::NextTransaction);
        for sql in [
            "SET sql_mode = ''",
            "SET NAMES latin1",
            "SET autocommit = 1, sql_mode = ''",
            "SET @a = 1",
            "SET ROLE r",
            "SET @@session.transaction_isolation = 'SERIALIZABLE'",
            "SET transaction_isolation = 'SERIALIZABLE'",
            "START TRANSACTION READ ONLY",
            "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ WRITE",
        ] {
            check(sql, Effect::Settings);
        }
        for sql in [
            "ALTER TABLE t ADD b INT",
            "DROP DATABASE d",
            "RENAME TABLE t TO u",
            "TRUNCATE t",
            "create table t (`temporary` int comment 'temporary')",
            "REVOKE SELECT ON t FROM u",
            "LOAD DATA INFILE 'x' INTO TABLE t",
        ] {
            check(sql, Effect::Tables);
        }
        check("LOCK TABLES t READ", Effect::Locks);
        check("UNLOCK TABLES", Effect::Unlocks);
        for sql in [
            "",
            "(",
            "# a comment",
            "SET autocommit = f()",
            "SET autocommit = 0 /*! , sql_mode = '' */",
            "SET TRANSACTION READ ONLY",
            "SET @@transaction_isolation = 'SERIALIZABLE'",
            "SET @a = 1, @@`tx_read_only` = 1",
            "SET SESSION TRANSACTION READ WRITE, sql_mode = f()",
            "SET STATEMENT sql_mode = '' FOR SELECT 1",
            "CREATE TEMPORARY TABLE t (a INT)",
            "DROP /* a */ TEMPORARY TABLE t",
            "CREATE /*! TEMPORARY */ TABLE t (a INT)",
            "CALL p()",
            "EXECUTE s",
            "PREPARE s FROM 'SELECT 1'",
            "BEGIN NOT ATOMIC USE x; END",
            "START SLAVE",
            "FLUSH TABLES",
            "HANDLER t OPEN",
            "UNLOCK INSTANCE",
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
        check(Command::Query(b"SELECT 1; "), true, Effect::Nothing);
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
