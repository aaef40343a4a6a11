//! Which statements a server may answer by asking for a file. It takes what it receives next for that file, so nothing may be sent behind one.

use crate::tokens::{Dialect, FirstWord, Token, Tokens};

/// Words that a statement begins with in answer to which no server asks for a file. Functions, triggers and events can't either.
const NEVER_ASK: [&[u8]; 34] = [
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
    b"TABLE",
    b"DO",
    b"USE",
    b"SAVEPOINT",
    b"RELEASE",
    b"LOCK",
    b"UNLOCK",
    b"CREATE",
    b"ALTER",
    b"DROP",
    b"RENAME",
    b"TRUNCATE",
    b"DESCRIBE",
    b"DESC",
    b"EXPLAIN",
    b"PREPARE",
    b"DEALLOCATE",
    b"GRANT",
    b"REVOKE",
    b"KILL",
    b"HANDLER",
];

/// Those that run statements which may ask on MariaDB, where LOAD DATA can be prepared.
const RUN_PREPARED: [&[u8]; 2] = [b"CALL", b"EXECUTE"];

/// Whether a server may ask for a file in answer to this query; with `is_several` it takes several statements in one.
pub(crate) fn may_ask(sql: &[u8], dialect: Dialect, is_several: bool, is_mariadb: bool) -> bool {
    let mut tokens = Tokens::new(sql, dialect);
    let first = match tokens.first_word() {
        FirstWord::Word(word) => word,
        // It is refused.
        FirstWord::Nothing => return false,
        FirstWord::Unknown => return true,
    };
    let is = |keyword: &&[u8]| first.eq_ignore_ascii_case(keyword);
    if is(&&b"SET"[..]) {
        // SET STATEMENT runs any other.
        let second = tokens.next();
        if matches!(second, Some(Token::Word(word)) if word.eq_ignore_ascii_case(b"STATEMENT")) {
            return true;
        }
    } else if is(&&b"BEGIN"[..]) && tokens.next().is_some() {
        // MariaDB's BEGIN NOT ATOMIC runs any other.
        return true;
    }
    let never_asks = NEVER_ASK.iter().any(is) || (!is_mariadb && RUN_PREPARED.iter().any(is));
    !never_asks || (is_several && sql.contains(&b';'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Charset;

    fn check(sql: &str, is_several: bool, [on_mysql, on_mariadb]: [bool; 2]) {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        let asks = |is_mariadb| may_ask(sql.as_bytes(), dialect, is_several, is_mariadb);
        assert_eq!([asks(false), asks(true)], [on_mysql, on_mariadb], "{sql}");
    }

    #[test]
    fn what_can_ask_for_a_file_is_known_by_how_it_begins() {
        for sql in [
            "LOAD DATA LOCAL INFILE 'x' INTO TABLE t",
            " -- \n/* */ load xml local infile 'x' INTO TABLE t",
            "/*!50000 LOAD */ DATA LOCAL INFILE 'x' INTO TABLE t",
            "/*! SELECT */ 1",
            "SET STATEMENT max_statement_time = 1 FOR LOAD DATA LOCAL INFILE 'x' INTO TABLE t",
            "BEGIN NOT ATOMIC EXECUTE IMMEDIATE 'LOAD'; END",
            "XA START 'a'",
            "`LOAD`",
            "nonsense",
        ] {
            check(sql, false, [true, true]);
        }
        check("CALL p()", false, [false, true]);
        check("execute s", false, [false, true]);
        for sql in
            ["SELECT 'LOAD'", "(SELECT 1)", "insert into t values (1)", "BEGIN", "", "SET a = 1"]
        {
            check(sql, false, [false, false]);
            check(sql, true, [false, false]);
        }
        let several = "SELECT 1; LOAD DATA LOCAL INFILE 'x' INTO TABLE t";
        check(several, false, [false, false]);
        check(several, true, [true, true]);
    }
}
