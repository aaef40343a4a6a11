//! What a statement has in common with those that differ from it in their literals only: a text without any.
//!
//! Of a SELECT that reads one table that is all but its literals and comments, of any other statement its first word.

use vaquita_client::{Dialect, Normalised, Part, Parts, put_first_word, put_normalised};

/// Words of a SELECT that reads more than a table, or does more than read.
const OF_SEVERAL: [&[u8]; 8] =
    [b"SELECT", b"JOIN", b"STRAIGHT_JOIN", b"UNION", b"EXCEPT", b"INTERSECT", b"INTO", b"DUAL"];

/// Words that the list of tables ends at.
const BEHIND_TABLES: [&[u8]; 9] =
    [b"WHERE", b"GROUP", b"HAVING", b"ORDER", b"LIMIT", b"WINDOW", b"FOR", b"LOCK", b"PROCEDURE"];

/// Writes the shape of a statement, and nothing else. Without a `dialect` it is not known how the server has read it.
pub(super) fn put_shape(sql: &[u8], dialect: Option<Dialect>, shape: &mut Vec<u8>) {
    shape.clear();
    let is_of_one_table = dialect.is_some_and(|dialect| reads_one_table(Parts::new(sql, dialect)));
    if !is_of_one_table || put_normalised(sql, dialect, shape) != Normalised::Whole {
        shape.clear();
        put_first_word(sql, shape);
    }
}

fn is_one(word: &[u8], of: &[&[u8]]) -> bool {
    of.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Whether this is a SELECT from one table, as far as its words tell.
fn reads_one_table(mut parts: Parts<'_>) -> bool {
    if !matches!(parts.next(), Some(Part::Word(word)) if is_one(word, &[b"SELECT"])) {
        return false;
    }
    let (mut depth, mut has_table, mut is_at_tables) = (0_usize, false, false);
    while let Some(part) = parts.next() {
        match part {
            Part::Symbol(b'(') => depth += 1,
            Part::Symbol(b')') => depth = depth.saturating_sub(1),
            Part::Symbol(b',') if depth == 0 && is_at_tables => return false,
            Part::Word(word) if is_one(word, &OF_SEVERAL) => return false,
            Part::Word(word) if depth == 0 && is_one(word, &[b"FROM"]) => {
                let table = parts.next();
                let is_dual = matches!(table, Some(Part::Word(word)) if is_one(word, &[b"DUAL"]));
                if has_table || is_dual || !matches!(table, Some(Part::Word(_) | Part::Name(_))) {
                    return false;
                }
                (has_table, is_at_tables) = (true, true);
            }
            Part::Word(word) if depth == 0 && is_one(word, &BEHIND_TABLES) => is_at_tables = false,
            Part::Semicolon => return has_table && parts.next().is_none(),
            _ => {}
        }
    }
    has_table
}

#[cfg(test)]
mod tests {
    use super::*;
    use vaquita_client::Charset;

    fn check(sql: &str, expected: &str) {
        let dialect =
            Dialect { encoding: Charset::utf8mb4().encoding, no_backslash_escapes: false };
        let mut shape = Vec::new();
        put_shape(sql.as_bytes(), Some(dialect), &mut shape);
        assert_eq!(String::from_utf8_lossy(&shape), expected, "{sql}");
    }

    #[test]
    fn what_the_server_may_read_otherwise_is_its_first_word() {
        for sql in [
            "SELECT a FROM t /*!99999 don't */ WHERE k = 'secret'",
            "SELECT a FROM t /*M!999999 don't */ WHERE k = 'secret' /*! it's */",
            "SELECT a FROM t WHERE k = 'x\\' AND b = 'secret'",
            "SELECT a FROM t WHERE k = 'never ends",
        ] {
            check(sql, "SELECT");
        }
        let mut shape = Vec::new();
        put_shape(b"( select a FROM t WHERE k = 'secret'", None, &mut shape);
        assert_eq!(shape, b"SELECT");
    }

    #[test]
    fn literals_are_question_marks() {
        check("SELECT a FROM t WHERE k = 1", "SELECT a FROM t WHERE k = ?");
        check(
            "select a,b from `d`.`t` where k='it''s \\'';",
            "select a, b from `d`.`t` where k = ?",
        );
        check(
            "SELECT t.* FROM t WHERE a=-1.5e-3 AND b = .5",
            "SELECT t.* FROM t WHERE a = ? AND b = ?",
        );
        check("SELECT a FROM t WHERE a=0x1e-5", "SELECT a FROM t WHERE a = ? - ?");
        check(
            "SELECT a FROM t WHERE k = x'41' OR k = _utf8mb4 'a' 'b'",
            "SELECT a FROM t WHERE k = ? OR k = ?",
        );
        check(
            "SELECT a FROM t WHERE k = \"secret\" AND d > DATE '2020-01-01'",
            "SELECT a FROM t WHERE k = ? AND d > DATE ?",
        );
        check("SELECT a FROM t /* secret */ WHERE k = ? -- secret", "SELECT a FROM t WHERE k = ?");
        check(
            "SELECT COUNT(*), MAX( a ) FROM t x WHERE a<>1 LIMIT 20,10",
            "SELECT COUNT(*), MAX(a) FROM t x WHERE a <> ? LIMIT ?, ?",
        );
        check("SELECT a+1 FROM t WHERE b - 1 = @v", "SELECT a + ? FROM t WHERE b - ? = @v");
        check("SELECT é FROM `ü` WHERE k = 'ä'", "SELECT é FROM `ü` WHERE k = ?");
        check("SELECT n 'x' FROM t", "SELECT n ? FROM t");
    }

    #[test]
    fn lists_of_any_length_are_one() {
        for list in ["1", "1,2", "'a', 'b' , 'c'", "-1, +2.5, ?, _latin1'x'"] {
            check(
                &format!("SELECT a FROM t WHERE k IN ({list}) AND b = 1"),
                "SELECT a FROM t WHERE k IN (?, ...) AND b = ?",
            );
        }
        let long = vec!["12345"; 5000].join(",");
        check(
            &format!("SELECT a FROM t WHERE k in({long})"),
            "SELECT a FROM t WHERE k in (?, ...)",
        );
        check("SELECT a FROM t WHERE k IN (1, b, 2)", "SELECT a FROM t WHERE k IN (?, ..., b, ?)");
        check("SELECT a FROM t WHERE k IN (b)", "SELECT a FROM t WHERE k IN (b)");
    }

    #[test]
    fn all_else_is_its_first_word() {
        for (sql, expected) in [
            ("insert into t values ('secret')", "INSERT"),
            ("SELECT 1", "SELECT"),
            ("SELECT 1 FROM DUAL", "SELECT"),
            ("(SELECT a FROM t) UNION (SELECT 'secret')", "SELECT"),
            ("SELECT a FROM t, u", "SELECT"),
            ("SELECT a FROM t x, u", "SELECT"),
            ("SELECT a FROM t JOIN u ON a = b", "SELECT"),
            ("SELECT a FROM (t)", "SELECT"),
            ("SELECT a FROM t WHERE k = (SELECT 1)", "SELECT"),
            ("SELECT a FROM t WHERE k = 1; SELECT 'secret'", "SELECT"),
            ("SELECT a INTO @v FROM t", "SELECT"),
            ("SELECT EXTRACT(YEAR FROM '2020-01-01')", "SELECT"),
            ("'secret'", "(other)"),
            ("s3cret", "(other)"),
            ("", "(other)"),
        ] {
            check(sql, expected);
        }
        check(&format!("SELECT {} FROM t", vec!["a"; 2000].join(",")), "SELECT");
        check(
            "SELECT EXTRACT(YEAR FROM a) FROM t USE INDEX (i, j) GROUP BY a, b",
            "SELECT EXTRACT(YEAR FROM a) FROM t USE INDEX(i, j) GROUP BY a, b",
        );
    }
}
