//! Which statements are kept: those of a shape that means the same however often they have run.
//!
//! A grammar of what is kept, not a list of what is not: the commonest of what applications prepare. Each `?` is compared with a column
//! or stored in one; so what it is follows from the column, and not from the value that came first (MariaDB keeps the decimals
//! that `-?` had then, and what `ORDER BY ?` meant; MySQL what `IN (?, ?)` was compared as, and what `LIMIT ?` was converted from). Nothing is called but aggregates of a column, no query is in another one, and
//! no sign is there that a character set or an `sql_mode` would read in another way. Measured: `server_statement_cache/shapes.rs`.

use crate::tokens::{Dialect, Token, Tokens};

/// A longer text is not kept. The limit is our own: a text stays in memory as long as its statement.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// How deep conditions may be nested.
const MAX_DEPTH: u8 = 32;

/// Words that may stand where a column may, and are none.
const NOT_COLUMNS: [&[u8]; 19] = [
    b"NULL",
    b"TRUE",
    b"FALSE",
    b"UNKNOWN",
    b"DEFAULT",
    b"NOT",
    b"CURRENT_DATE",
    b"CURRENT_TIME",
    b"CURRENT_TIMESTAMP",
    b"CURRENT_USER",
    b"CURRENT_ROLE",
    b"LOCALTIME",
    b"LOCALTIMESTAMP",
    b"UTC_DATE",
    b"UTC_TIME",
    b"UTC_TIMESTAMP",
    b"SYSDATE",
    b"ROWNUM",
    b"NEXT",
];

/// Words that end what may have an alias, and are none.
const NOT_ALIASES: [&[u8]; 18] = [
    b"AS", b"FROM", b"WHERE", b"ORDER", b"GROUP", b"LIMIT", b"FOR", b"LOCK", b"SET", b"ON",
    b"USING", b"JOIN", b"INNER", b"CROSS", b"LEFT", b"RIGHT", b"NATURAL", b"INTO",
];

const AGGREGATES: [&[u8]; 5] = [b"COUNT", b"SUM", b"MIN", b"MAX", b"AVG"];

/// Whether a statement is one to be kept: it means the same when it is prepared again, as long as nothing has had an
/// [`Effect`](super::Effect), and whatever it ran with on a server that keeps no types.
pub(super) fn is_kept(sql: &[u8], dialect: Dialect) -> bool {
    let is_read_in_one_way = || {
        sql.iter().all(|byte| byte.is_ascii() && !matches!(byte, b'"' | b'\\' | b'#' | b'@'))
            && !sql.windows(2).any(|pair| matches!(pair, b"/*" | b"--"))
    };
    sql.len() <= MAX_TEXT_BYTES
        && is_read_in_one_way()
        && Reader::new(Tokens::new(sql, dialect)).statement().is_some()
}

/// Whether a statement that is kept has more or fewer columns when another session has changed a table.
pub(super) fn may_have_other_columns(sql: &[u8]) -> bool {
    sql.contains(&b'*')
}

fn is(word: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Reads a statement from its beginning; what is `None` is of no such shape.
#[derive(Clone)]
struct Reader<'a> {
    /// The token that comes next.
    next: Option<Token<'a>>,
    /// Those behind it.
    tokens: Tokens<'a>,
}

impl<'a> Reader<'a> {
    fn new(mut tokens: Tokens<'a>) -> Self {
        Reader { next: tokens.next(), tokens }
    }

    /// Takes a token of which this holds, if it comes next.
    fn take(&mut self, holds: impl FnOnce(Token<'a>) -> bool) -> bool {
        let is_taken = self.next.is_some_and(holds);
        if is_taken {
            self.next = self.tokens.next();
        }
        is_taken
    }

    fn word(&mut self, expected: &[u8]) -> bool {
        self.take(|it| matches!(it, Token::Word(word) if word.eq_ignore_ascii_case(expected)))
    }

    fn one_of(&mut self, expected: &[&[u8]]) -> bool {
        self.take(|it| matches!(it, Token::Word(word) if is(word, expected)))
    }

    fn symbol(&mut self, expected: u8) -> bool {
        self.take(|it| it == Token::Symbol(expected))
    }

    fn statement(mut self) -> Option<()> {
        if self.word(b"SELECT") {
            self.select()?;
        } else if self.one_of(&[b"INSERT", b"REPLACE"]) {
            self.insert()?;
        } else if self.word(b"UPDATE") {
            self.update()?;
        } else if self.word(b"DELETE") {
            self.word(b"FROM").then_some(())?;
            self.table()?;
            self.which_rows()?;
        } else {
            return None;
        }
        self.next.is_none().then_some(())
    }

    fn select(&mut self) -> Option<()> {
        self.word(b"DISTINCT");
        self.list(Reader::selected)?;
        if self.word(b"FROM") {
            self.list(Reader::tables)?;
            self.which_rows()?;
            if self.word(b"FOR") {
                self.word(b"UPDATE").then_some(())?;
            }
        }
        Some(())
    }

    fn insert(&mut self) -> Option<()> {
        self.word(b"IGNORE");
        self.word(b"INTO");
        self.name()?;
        if self.symbol(b'.') {
            self.name()?;
        }
        if self.symbol(b'(') && !self.symbol(b')') {
            self.list(Reader::column)?;
            self.symbol(b')').then_some(())?;
        }
        self.one_of(&[b"VALUES", b"VALUE"]).then_some(())?;
        self.list(|it| {
            it.symbol(b'(').then_some(())?;
            if !it.symbol(b')') {
                it.list(Reader::stored)?;
                it.symbol(b')').then_some(())?;
            }
            Some(())
        })
    }

    fn update(&mut self) -> Option<()> {
        self.table()?;
        self.word(b"SET").then_some(())?;
        self.list(|it| {
            it.column()?;
            it.symbol(b'=').then_some(())?;
            it.stored()
        })?;
        self.which_rows()
    }

    /// `WHERE ... ORDER BY ... LIMIT ...`, or nothing.
    fn which_rows(&mut self) -> Option<()> {
        if self.word(b"WHERE") {
            self.condition(0)?;
        }
        if self.word(b"ORDER") {
            self.word(b"BY").then_some(())?;
            self.list(|it| {
                it.column()?;
                it.one_of(&[b"ASC", b"DESC"]);
                Some(())
            })?;
        }
        if self.word(b"LIMIT") {
            self.digits()?;
            if self.symbol(b',') || self.word(b"OFFSET") {
                self.digits()?;
            }
        }
        Some(())
    }

    /// One of these, or several with commas between them.
    fn list(&mut self, one: impl Fn(&mut Self) -> Option<()>) -> Option<()> {
        loop {
            one(self)?;
            if !self.symbol(b',') {
                return Some(());
            }
        }
    }

    fn name(&mut self) -> Option<()> {
        let is_name = |token| match token {
            Token::Name(_) => true,
            Token::Word(word) => {
                word.first().is_some_and(|it| !it.is_ascii_digit()) && !is(word, &NOT_COLUMNS)
            }
            _ => false,
        };
        self.take(is_name).then_some(())
    }

    /// `a`, `t.a` or `d.t.a`.
    fn column(&mut self) -> Option<()> {
        self.name()?;
        while self.symbol(b'.') {
            self.name()?;
        }
        Some(())
    }

    fn alias(&mut self) -> Option<()> {
        if self.word(b"AS") {
            return self.name();
        }
        let is_alias = match self.next {
            Some(Token::Word(word)) => !is(word, &NOT_ALIASES),
            token => matches!(token, Some(Token::Name(_))),
        };
        if is_alias { self.name() } else { Some(()) }
    }

    /// A column, all of them, an aggregate of one, or a literal.
    fn selected(&mut self) -> Option<()> {
        if self.symbol(b'*') {
            return Some(());
        }
        let mut as_aggregate = self.clone();
        if as_aggregate.one_of(&AGGREGATES) && as_aggregate.symbol(b'(') {
            *self = as_aggregate;
            if !self.symbol(b'*') {
                self.column()?;
            }
            self.symbol(b')').then_some(())?;
        } else if self.literal().is_none() {
            self.name()?;
            while self.symbol(b'.') {
                if self.symbol(b'*') {
                    return Some(());
                }
                self.name()?;
            }
        }
        self.alias()
    }

    fn table(&mut self) -> Option<()> {
        self.name()?;
        if self.symbol(b'.') {
            self.name()?;
        }
        self.alias()
    }

    /// A table, and what is joined to it by columns.
    fn tables(&mut self) -> Option<()> {
        self.table()?;
        loop {
            let is_outer = self.one_of(&[b"LEFT", b"RIGHT"]);
            if is_outer {
                self.word(b"OUTER");
            }
            let is_named = is_outer || self.one_of(&[b"INNER", b"CROSS"]);
            if !self.word(b"JOIN") {
                return (!is_named).then_some(());
            }
            self.table()?;
            if self.word(b"ON") {
                self.condition(0)?;
            }
        }
    }

    /// Comparisons of columns, with AND and OR between them.
    fn condition(&mut self, depth: u8) -> Option<()> {
        loop {
            if self.symbol(b'(') {
                (depth < MAX_DEPTH).then_some(())?;
                self.condition(depth + 1)?;
                self.symbol(b')').then_some(())?;
            } else {
                self.column()?;
                self.comparison()?;
            }
            if !self.one_of(&[b"AND", b"OR"]) {
                return Some(());
            }
        }
    }

    /// What a column is compared with.
    fn comparison(&mut self) -> Option<()> {
        if self.word(b"IS") {
            self.word(b"NOT");
            return self.word(b"NULL").then_some(());
        }
        let is_negated = self.word(b"NOT");
        if self.word(b"LIKE") {
            return self.value();
        }
        (!is_negated && self.comparison_sign()).then_some(())?;
        self.value()
    }

    /// One of `=`, `<`, `>`, `<=`, `>=`, `<>`, `!=` and `<=>`; what is `=!` here negates what follows.
    fn comparison_sign(&mut self) -> bool {
        if self.symbol(b'!') {
            return self.symbol(b'=');
        }
        let is_less = self.symbol(b'<');
        let is_more = self.symbol(b'>');
        let is_equal = (!is_less || !is_more) && self.symbol(b'=');
        if is_less && is_equal {
            self.symbol(b'>');
        }
        is_less || is_more || is_equal
    }

    /// A parameter, a literal or a column.
    fn value(&mut self) -> Option<()> {
        if self.symbol(b'?') { Some(()) } else { self.literal().or_else(|| self.column()) }
    }

    /// What is stored in a column.
    fn stored(&mut self) -> Option<()> {
        if self.one_of(&[b"NULL", b"DEFAULT"]) { Some(()) } else { self.value() }
    }

    fn digits(&mut self) -> Option<()> {
        self.take(|it| matches!(it, Token::Word(word) if word.iter().all(u8::is_ascii_digit)))
            .then_some(())
    }

    /// A text or a number.
    fn literal(&mut self) -> Option<()> {
        if self.take(|it| matches!(it, Token::Text { quote: b'\'', .. })) {
            return Some(());
        }
        if self.symbol(b'-') {
            self.digits()?;
        } else if self.digits().is_none() {
            return None;
        }
        if self.symbol(b'.') { self.digits() } else { Some(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Charset;

    fn check(sql: &str, expected: bool) {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        assert_eq!(is_kept(sql.as_bytes(), dialect), expected, "{sql}");
    }

    #[test]
    fn what_applications_prepare_is_kept() {
        for sql in [
            "SELECT 1",
            "select 'a' as b, -1.5, t.c from t",
            "select * from `users` where `users`.`id` = ? limit 1",
            "SELECT t0.id AS id_1, t0.name AS name_2 FROM user t0 WHERE t0.id = ?",
            "select count(*) as aggregate from `posts` where `user_id` = ? and `draft` <> ?",
            "SELECT MAX(a), b.* FROM d.t AS b WHERE a >= ? AND (b LIKE ? OR c IS NOT NULL)",
            "SELECT a FROM t WHERE a != 3 OR c NOT LIKE 'x%' OR d <=> ? OR e <> 1 OR f <= 2 OR g < -3",
            "SELECT a FROM t, u WHERE t.a = u.a ORDER BY t.a DESC, u.b LIMIT 10 OFFSET 20",
            "select a.x from a inner join b on a.id = b.a_id left join c on (c.id = b.c_id) where b.y > ?",
            "SELECT a FROM t WHERE a = ? FOR UPDATE",
            "SELECT DISTINCT a FROM t LIMIT 5, 1",
            "insert into `t` (`a`, `b`) values (?, ?), (?, NULL)",
            "INSERT INTO d.t VALUES (?, DEFAULT, 'x', -5)",
            "INSERT IGNORE INTO t () VALUES ()",
            "REPLACE INTO t (a) VALUES (?)",
            "update `t` set `a` = ?, `b` = NULL where `id` = ?",
            "UPDATE t SET a = b ORDER BY c LIMIT 1",
            "delete from `t` where `a` = ? and `b` < ?",
            "DELETE FROM t",
        ] {
            check(sql, true);
        }
    }

    #[test]
    fn a_parameter_that_the_first_run_may_decide_about_is_not() {
        for sql in [
            "SELECT ?",
            "SELECT a, ? FROM t",
            "SELECT -? FROM t",
            "SELECT COALESCE(?, a) FROM t",
            "SELECT a FROM t ORDER BY ?",
            "SELECT a FROM t GROUP BY ?",
            "SELECT a FROM t WHERE ? = a",
            "SELECT a FROM t WHERE a = -?",
            "SELECT a FROM t WHERE a = ? + 1",
            "SELECT a FROM t WHERE a + 1 = ?",
            "SELECT a FROM t WHERE a = ? COLLATE utf8mb4_bin",
            "SELECT a FROM t WHERE a = DATE ?",
            "SELECT a FROM t WHERE a = (?)",
            "SELECT a FROM t WHERE LOWER(a) = ?",
            "SELECT a FROM t WHERE a = LOWER(?)",
            "SELECT a FROM t WHERE a IN (?, ?)",
            "SELECT a FROM t WHERE a BETWEEN ? AND ?",
            "SELECT a FROM t WHERE (a, b) IN ((?, ?))",
            "SELECT a FROM t WHERE 5 = ?",
            "SELECT a FROM t WHERE NULL = ?",
            "SELECT a FROM t WHERE CURRENT_DATE > ?",
            "SELECT a FROM t WHERE NOT a = ?",
            "SELECT a FROM t WHERE a = ? = ?",
            "SELECT a FROM t WHERE a = !?",
            "SELECT a FROM t WHERE a != !?",
            "SELECT a FROM t WHERE a > < ?",
            "SELECT a FROM t WHERE a = ? XOR b = ?",
            "SELECT a FROM t WHERE a NOT = ?",
            "SELECT a FROM t WHERE a IN (SELECT b FROM u WHERE c = ?)",
            "SELECT a FROM t WHERE a = ? UNION SELECT ?",
            "SELECT a FROM t HAVING a = ?",
            "SELECT a FROM t LIMIT ?",
            "SELECT a FROM t LIMIT 1 OFFSET ?",
            "INSERT INTO t VALUES (? + 1)",
            "INSERT INTO t VALUES (?) ON DUPLICATE KEY UPDATE a = ?",
            "INSERT INTO t SELECT ?",
            "UPDATE t SET a = a + ?",
            "UPDATE t SET a = COALESCE(?, a)",
            "UPDATE t, u SET t.a = ?",
            "DELETE t FROM t JOIN u WHERE u.a = ?",
        ] {
            check(sql, false);
        }
    }

    #[test]
    fn what_may_mean_something_else_next_time_is_not() {
        for sql in [
            "",
            "SELECT",
            "SELECT a FROM t;",
            "SELECT a FROM t WHERE",
            "SELECT a FROM t WHERE a = ? AND",
            "SELECT @a",
            "SELECT @@sql_mode",
            "SELECT NOW()",
            "SELECT f(a) FROM t",
            "SELECT CURRENT_USER",
            "SELECT NEXT VALUE FOR s",
            "SELECT a INTO @a FROM t",
            "SELECT a FROM t INTO OUTFILE 'x'",
            "SELECT a FROM (SELECT 1 AS a) b",
            "SELECT a FROM t NATURAL JOIN u",
            "SELECT a FROM t FOR SYSTEM_TIME AS OF ?",
            "SELECT /*! STRAIGHT_JOIN */ 1",
            "SELECT 1 -- a",
            "SELECT 1 # a",
            "SELECT \"a\"",
            "SELECT 'a\\'b'",
            "SELECT 'é'",
            "SELECT 'a' || 'b'",
            "SELECT 1 / 3",
            "(SELECT 1)",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "CALL p(?)",
            "SET @a = ?",
            "SHOW TABLES",
        ] {
            check(sql, false);
        }
        check(&format!("SELECT '{}'", "x".repeat(MAX_TEXT_BYTES)), false);
        let nested =
            |depth| format!("DELETE FROM t WHERE {}a = 1{}", "(".repeat(depth), ")".repeat(depth));
        check(&nested(usize::from(MAX_DEPTH)), true);
        check(&nested(5_000), false);
    }

    #[test]
    fn only_wildcards_have_other_columns() {
        assert!(may_have_other_columns(b"SELECT * FROM t"));
        assert!(!may_have_other_columns(b"SELECT a, b FROM t"));
    }
}
