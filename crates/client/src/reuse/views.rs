//! What a SELECT's own words don't show: a view may call a function that writes. So before one is sent once more, the server is asked whether any of its
//! words is a view's name.

use crate::connection::Connection;
use crate::own::Own;
use crate::tokens::{Dialect, Token, Tokens};

/// Words behind which a table's name, or a view's, may stand: `SELECT 1 UNION TABLE v` is MySQL's.
const READING: [&[u8]; 2] = [b"FROM", b"TABLE"];

/// The names that a query may read from, whatever they are: all of its words. `None`: it is not known how the server reads them.
fn names(sql: &[u8], dialect: Dialect) -> Option<Vec<&[u8]>> {
    // Between double quotes stands a name, if sql_mode says so.
    if sql.contains(&b'"') {
        return None;
    }
    let mut names = Vec::new();
    for token in Tokens::new(sql, dialect) {
        match token {
            Token::Name(name) if name.contains(&b'`') => return None,
            Token::Word(name) | Token::Name(name) => names.push(name),
            Token::Text { .. } | Token::Semicolon | Token::Symbol(_) => {}
        }
    }
    let reads = |name: &&[u8]| READING.iter().any(|it| name.eq_ignore_ascii_case(it));
    Some(if names.iter().any(reads) { names } else { Vec::new() })
}

impl Connection {
    /// Whether the server says that a query reads from no view. A view by one of its words counts, in whatever database.
    pub(super) fn reads_no_view(&mut self, sql: &[u8]) -> bool {
        let Some(names) = names(sql, self.session.dialect()) else { return false };
        if names.is_empty() {
            return true;
        }
        let mut question = b"SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_TYPE = 'VIEW' AND TABLE_NAME IN (".to_vec();
        for (place, name) in names.into_iter().enumerate() {
            question.extend_from_slice(if place == 0 { b"'" } else { b", '" });
            self.escape_into(name, &mut question);
            question.push(b'\'');
        }
        question.push(b')');
        let mut count = Vec::new();
        let asked = self.within_connect_timeout(|it| {
            count = it.only_row(Own::Views, &question)?;
            Ok(())
        });
        asked.is_ok() && count == [b"0"]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_protocol::Encoding;

    #[test]
    fn each_word_may_be_a_name() {
        let dialect = Dialect { encoding: Encoding::SingleByte, no_backslash_escapes: false };
        let check = |sql: &str, expected: Option<&[&str]>| {
            let found = names(sql.as_bytes(), dialect);
            let expected =
                expected.map(|it| it.iter().map(|name| name.as_bytes()).collect::<Vec<_>>());
            assert_eq!(found, expected, "{sql}");
        };
        check("SELECT 1", Some(&[]));
        check("SELECT 'FROM'", Some(&[]));
        check(
            "select a from d.`t u`, v WHERE x = 'y'",
            Some(&["select", "a", "from", "d", "t u", "v", "WHERE", "x"]),
        );
        check("SELECT 1 UNION TABLE v", Some(&["SELECT", "1", "UNION", "TABLE", "v"]));
        check("SELECT a FROM \"v\"", None);
        check("SELECT a FROM `v``w`", None);
    }
}
