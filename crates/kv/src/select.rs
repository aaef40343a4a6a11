//! Statements that ask for a row by its key: `SELECT a, b FROM [db.]t [[AS] x] WHERE key = literal [AND key2 = literal] [LIMIT 1][;]`.
//!
//! This says what such a statement looks like, not whether a server takes it: a name may be no column's, an unquoted one a reserved word.
//! Whoever wants to answer it without the server has had the server answer one of the same shape before.

use std::borrow::Cow;

use vaquita_client::{Dialect, Token, Tokens, unescape};

use crate::decimal::decimal;
use crate::shape::Values;

/// The most columns that an index is asked for by; InnoDB has no index of more (its limit is 16), and few have more than four.
pub const MAX_CONDITIONS: usize = 4;

/// Longer statements are not looked at.
const MAX_STATEMENT_BYTES: usize = 16 << 10;

/// What a key is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal<'a> {
    /// A text between single quotes, with its escapes.
    Text(&'a [u8]),
    /// A whole number without a sign or zeros in front, or one with a minus.
    Integer {
        /// Whether there is a minus.
        is_negative: bool,
        /// Its digits.
        digits: &'a [u8],
    },
    /// A parameter of a prepared statement.
    Parameter,
    /// What was given for one: a text as it is.
    Bytes(&'a [u8]),
    /// What was given for one: a number.
    Number(i128),
}

/// Up to here all whole numbers are floating point numbers too: a server compares texts with numbers as such.
const MOST_EXACT: u64 = 1 << 53;

impl<'a> Literal<'a> {
    /// What a text between quotes stands for; `None` of anything else.
    pub fn text(self, dialect: Dialect) -> Option<Cow<'a, [u8]>> {
        let body = match self {
            Literal::Text(body) => body,
            Literal::Bytes(bytes) => return Some(Cow::Borrowed(bytes)),
            _ => return None,
        };
        let is_escaped = body.iter().any(|byte| matches!(byte, b'\\' | b'\''));
        Some(if is_escaped {
            Cow::Owned(unescape(b'\'', body, dialect))
        } else {
            Cow::Borrowed(body)
        })
    }

    /// The whole number that it is, or that a server takes it for where it compares it with whole numbers.
    pub(crate) fn whole_number(self, dialect: Dialect) -> Option<i128> {
        let (is_negative, digits, most) = match self {
            Literal::Number(number) => return Some(number),
            Literal::Integer { is_negative, digits } => {
                (is_negative, Cow::Borrowed(digits), u64::MAX)
            }
            text => {
                let text = text.text(dialect)?;
                let digits = text.strip_prefix(b"-").unwrap_or(&text);
                (digits.len() < text.len(), Cow::Owned(digits.to_vec()), MOST_EXACT)
            }
        };
        let number = decimal(&digits).filter(|number| *number <= most && is_canonical(&digits))?;
        Some(if is_negative { -i128::from(number) } else { i128::from(number) })
    }
}

/// That a column has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition<'a> {
    /// The name of the table, or its alias, that stands before the column's.
    pub qualifier: Option<&'a [u8]>,
    /// The column's name.
    pub column: &'a [u8],
    /// The value.
    pub value: Literal<'a>,
}

/// A statement of that form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySelect<'a> {
    /// The database, where one stands before the table.
    pub database: Option<&'a [u8]>,
    /// The table.
    pub table: &'a [u8],
    /// The table's other name.
    pub alias: Option<&'a [u8]>,
    conditions: [Option<Condition<'a>>; MAX_CONDITIONS],
}

impl<'a> KeySelect<'a> {
    /// The statement, if it has that form; else, with few exceptions, it is known at the first token that has another one.
    pub fn parse(sql: &'a [u8], dialect: Dialect) -> Option<KeySelect<'a>> {
        if !may_be_by_key(sql) {
            return None;
        }
        let mut reader = Reader::new(sql, dialect);
        let select = reader.select()?;
        (reader.next.is_none() && reader.tokens.is_plain()).then_some(select)
    }

    /// The conditions, as they stand there.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition<'a>> {
        self.conditions.iter().flatten()
    }

    /// What the conditions ask for, in their order.
    pub fn values(&self) -> Values<'a> {
        let mut values = Values::none();
        self.conditions().for_each(|condition| {
            values.push(condition.value);
        });
        values
    }

    /// Appends to `shape` what this statement has in common with those that only ask for other values.
    ///
    /// `sql` is the text that it was read from.
    pub fn put_shape(&self, sql: &[u8], shape: &mut Vec<u8>) {
        let mut begin = 0;
        for Condition { value, .. } in self.conditions() {
            let (literal, kind) = match value {
                Literal::Text(body) => (body, b's'),
                Literal::Integer { is_negative: false, digits } => (digits, b'u'),
                Literal::Integer { is_negative: true, digits } => (digits, b'i'),
                Literal::Parameter | Literal::Bytes(_) | Literal::Number(_) => continue,
            };
            // It is a part of the text.
            let at = literal.as_ptr().addr() - sql.as_ptr().addr();
            shape.extend_from_slice(sql.get(begin..at).unwrap_or_default());
            // No text has this byte outside of quotes, or it would not be of that form.
            shape.extend([0, kind]);
            begin = at + literal.len();
        }
        shape.extend_from_slice(sql.get(begin..).unwrap_or_default());
    }
}

/// Goes through the tokens, one ahead.
struct Reader<'a> {
    tokens: Tokens<'a>,
    next: Option<Token<'a>>,
}

impl<'a> Reader<'a> {
    fn new(sql: &'a [u8], dialect: Dialect) -> Self {
        let mut tokens = Tokens::new(sql, dialect);
        let next = tokens.next();
        Reader { tokens, next }
    }

    fn take(&mut self) -> Option<Token<'a>> {
        std::mem::replace(&mut self.next, self.tokens.next())
    }

    /// Takes this word, whatever its case.
    #[inline]
    fn word(&mut self, word: &[u8]) -> bool {
        let is_there = matches!(self.next, Some(Token::Word(it)) if it.eq_ignore_ascii_case(word));
        if is_there {
            self.take();
        }
        is_there
    }

    #[inline]
    fn symbol(&mut self, symbol: u8) -> bool {
        let is_there = self.next == Some(Token::Symbol(symbol));
        if is_there {
            self.take();
        }
        is_there
    }

    /// Takes a name.
    #[inline]
    fn name(&mut self) -> Option<&'a [u8]> {
        let name = match self.next? {
            // One that begins with a digit may be a number.
            Token::Word(word) if !word.first()?.is_ascii_digit() && !is_value(word) => word,
            Token::Name(name) if !name.contains(&b'`') => name,
            _ => return None,
        };
        self.take();
        Some(name)
    }

    /// Takes a name, and another one before it where a dot is between them.
    #[inline]
    fn qualified(&mut self) -> Option<(Option<&'a [u8]>, &'a [u8])> {
        let first = self.name()?;
        if self.symbol(b'.') { Some((Some(first), self.name()?)) } else { Some((None, first)) }
    }

    fn select(&mut self) -> Option<KeySelect<'a>> {
        if !self.word(b"SELECT") {
            return None;
        }
        self.columns()?;
        if !self.word(b"FROM") {
            return None;
        }
        let (database, table) = self.qualified()?;
        let mut alias = None;
        if self.word(b"AS") {
            alias = Some(self.name()?);
        }
        if !self.word(b"WHERE") {
            if alias.is_some() {
                return None;
            }
            alias = Some(self.name()?);
            if !self.word(b"WHERE") {
                return None;
            }
        }
        let mut conditions = [None; MAX_CONDITIONS];
        for condition in &mut conditions {
            *condition = Some(self.condition()?);
            if !self.word(b"AND") {
                break;
            }
        }
        if self.word(b"LIMIT") && !self.word(b"1") {
            return None;
        }
        if self.next == Some(Token::Semicolon) {
            self.take();
        }
        Some(KeySelect { database, table, alias, conditions })
    }

    /// Takes what is selected: all columns, or some, each perhaps by another name.
    fn columns(&mut self) -> Option<()> {
        if self.symbol(b'*') {
            return Some(());
        }
        loop {
            self.qualified()?;
            if self.word(b"AS") {
                self.name()?;
            }
            if !self.symbol(b',') {
                return Some(());
            }
        }
    }

    fn condition(&mut self) -> Option<Condition<'a>> {
        let (qualifier, column) = self.qualified()?;
        if !self.symbol(b'=') {
            return None;
        }
        let is_negative = self.symbol(b'-');
        let value = match self.take()? {
            Token::Text { quote: b'\'', body } if !is_negative => Literal::Text(body),
            Token::Symbol(b'?') if !is_negative => Literal::Parameter,
            Token::Word(digits) if is_canonical(digits) => Literal::Integer { is_negative, digits },
            _ => return None,
        };
        Some(Condition { qualifier, column, value })
    }
}

/// Whether a text may have that form, by a look at a few of its bytes: most others are known by them.
pub fn may_be_by_key(sql: &[u8]) -> bool {
    // What may stand there at the end: a literal, a semicolon, blanks, a comment.
    let can_end = |last: &u8| {
        last.is_ascii_digit()
            || last.is_ascii_whitespace()
            || matches!(last, b'\'' | b'?' | b';' | b'/')
    };
    let begins = |first: &u8| {
        matches!(first, b'S' | b's' | b'/' | b'-' | b'#') || first.is_ascii_whitespace()
    };
    if sql.len() > MAX_STATEMENT_BYTES
        || !sql.first().is_some_and(begins)
        || !sql.last().is_some_and(can_end)
    {
        return false;
    }
    // Nothing is called; a parenthesis may only stand in a literal, or in a comment or a name, of which nothing is known then.
    let first = memchr::memchr3(b'(', b'\'', b'=', sql);
    first.and_then(|at| sql.get(at)).is_some_and(|byte| *byte != b'(')
}

/// Whether these are the digits of a number as it is written without need: no zeros in front.
fn is_canonical(digits: &[u8]) -> bool {
    let begins = digits == b"0" || digits.first().is_some_and(|first| *first != b'0');
    begins && digits.len() <= 20 && digits.iter().all(u8::is_ascii_digit)
}

/// Whether a word without quotes is no name, but a value.
///
/// <https://dev.mysql.com/doc/refman/8.0/en/keywords.html>, <https://mariadb.com/kb/en/reserved-words/>
fn is_value(word: &[u8]) -> bool {
    const VALUES: [&str; 16] = [
        "CURRENT_DATE",
        "CURRENT_ROLE",
        "CURRENT_TIME",
        "CURRENT_TIMESTAMP",
        "CURRENT_USER",
        "DEFAULT",
        "FALSE",
        "LOCALTIME",
        "LOCALTIMESTAMP",
        "NULL",
        "ROWNUM",
        "SYSDATE",
        "TRUE",
        "UTC_DATE",
        "UTC_TIME",
        "UTC_TIMESTAMP",
    ];
    let begins = matches!(
        word.first(),
        Some(
            b'C' | b'D'
                | b'F'
                | b'L'
                | b'N'
                | b'R'
                | b'S'
                | b'T'
                | b'U'
                | b'c'
                | b'd'
                | b'f'
                | b'l'
                | b'n'
                | b'r'
                | b's'
                | b't'
                | b'u'
        )
    );
    begins && VALUES.iter().any(|value| word.eq_ignore_ascii_case(value.as_bytes()))
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "what fails here is a failed test")]
mod tests {
    use super::*;
    use vaquita_client::Charset;

    fn dialect(charset: &str) -> Dialect {
        let encoding = Charset::by_name(charset.as_bytes()).unwrap().encoding;
        Dialect { encoding, no_backslash_escapes: false }
    }

    fn shown(name: &[u8]) -> String {
        name.escape_ascii().to_string()
    }

    /// Where it leads, in short, and the shape; "-" if it has another form.
    fn read(sql: &[u8]) -> (String, Vec<u8>) {
        let Some(select) = KeySelect::parse(sql, dialect("utf8mb4")) else {
            return ("-".to_owned(), Vec::new());
        };
        let mut said = String::new();
        said.extend(select.database.map(|database| shown(database) + "."));
        said += &shown(select.table);
        said.extend(select.alias.map(|alias| format!(" {}", shown(alias))));
        for Condition { qualifier, column, value } in select.conditions() {
            let qualifier = qualifier.map(|it| shown(it) + ".").unwrap_or_default();
            let value = match value {
                Literal::Text(_) => {
                    format!("'{}'", shown(&value.text(dialect("utf8mb4")).unwrap()))
                }
                Literal::Integer { is_negative, digits } => {
                    format!("{}{}", if *is_negative { "-" } else { "" }, shown(digits))
                }
                Literal::Parameter => "?".to_owned(),
                Literal::Bytes(_) | Literal::Number(_) => {
                    panic!("of parameters, which a text has not")
                }
            };
            said += &format!(" | {qualifier}{} {value}", shown(column));
        }
        let mut shape = Vec::new();
        select.put_shape(sql, &mut shape);
        (said, shape)
    }

    fn check(sql: &str, expected: &str) {
        assert_eq!(read(sql.as_bytes()).0, expected, "{sql}");
    }

    #[test]
    fn statements_of_that_form_are_read() {
        check("SELECT a FROM t WHERE k = 1", "t | k 1");
        check(" select a,b , c from d . t where k='x' ;", "d.t | k 'x'");
        check("SELECT * FROM `t` AS `x` WHERE `x`.`k` = -12 LIMIT 1;", "t x | x.k -12");
        check("SELECT x.a AS b, `c` FROM t x WHERE k = ? AND j = ?", "t x | k ? | j ?");
        check("SELECT a FROM t WHERE k = 'it''s \\'\\n'", "t | k 'it\\'s \\'\\n'");
        check("/* a */ SELECT a -- b\n FROM t # c\n WHERE k /**/ = 0", "t | k 0");
        check("SELECT `true` FROM t WHERE `null` = ''", "t | null ''");
        check("SELECT a FROM t WHERE a=1 AND b=2 AND c=3 AND d=4", "t | a 1 | b 2 | c 3 | d 4");
        check("SELECT é FROM ü WHERE ö = 'ä'", "\\xc3\\xbc | \\xc3\\xb6 '\\xc3\\xa4'");
        let long = format!("SELECT a FROM t WHERE k = '{}'", "x".repeat(17_000));
        check(&long, "-");
    }

    #[test]
    fn near_misses_are_none() {
        for sql in [
            "",
            "SELECT",
            "SELECT 1",
            "SELECT a FROM t",
            "SELECT a FROM t WHERE",
            "SELECT a FROM t WHERE k",
            "SELECT a FROM t WHERE k =",
            "SELECT a FROM t WHERE k = 1 AND",
            "SELECT a, FROM t WHERE k = 1 x",
            "SELECT a b FROM t WHERE k = 1",
            "SELECT DISTINCT a FROM t WHERE k = 1",
            "SELECT COUNT(*) FROM t WHERE k = 1",
            "SELECT t.* FROM t WHERE k = 1",
            "SELECT *, a FROM t WHERE k = 1",
            "SELECT a FROM t, u WHERE k = 1",
            "SELECT a FROM t JOIN u WHERE k = 1",
            "SELECT a FROM d.t.u WHERE k = 1",
            "SELECT a FROM (t) WHERE k = 1",
            "SELECT a FROM t WHERE (k = 1)",
            "SELECT a FROM t WHERE k = 1 OR j = 2",
            "SELECT a FROM t WHERE NOT k = 1",
            "SELECT a FROM t WHERE k <> 1",
            "SELECT a FROM t WHERE k = 1 = 1",
            "SELECT a FROM t WHERE k = 1 + 1",
            "SELECT a FROM t WHERE k = 1.5",
            "SELECT a FROM t WHERE k = 1e5",
            "SELECT a FROM t WHERE k = 01",
            "SELECT a FROM t WHERE k = +1",
            "SELECT a FROM t WHERE k = --1",
            "SELECT a FROM t WHERE k = - 'a'",
            "SELECT a FROM t WHERE k = 0x41",
            "SELECT a FROM t WHERE k = x'41'",
            "SELECT a FROM t WHERE k = _utf8'a'",
            "SELECT a FROM t WHERE k = N'a'",
            "SELECT a FROM t WHERE k = DATE '2020-01-01'",
            "SELECT a FROM t WHERE k = \"a\"",
            "SELECT a FROM t WHERE k = 'a' 'b'",
            "SELECT a FROM t WHERE k = 'a' COLLATE utf8mb4_bin",
            "SELECT a FROM t WHERE k = j",
            "SELECT a FROM t WHERE k = @v",
            "SELECT a FROM t WHERE k = :name",
            "SELECT a FROM t WHERE 1 = k",
            "SELECT a FROM t WHERE true = 1",
            "SELECT a FROM t WHERE Current_User = 'x'",
            "SELECT NULL FROM t WHERE k = 1",
            "SELECT a FROM t WHERE `k``` = 1",
            "SELECT a FROM t WHERE k = 1 LIMIT 2",
            "SELECT a FROM t WHERE k = 1 LIMIT 1, 1",
            "SELECT a FROM t WHERE k = 1 LIMIT 1 OFFSET 0",
            "SELECT a FROM t WHERE k = 1 FOR UPDATE",
            "SELECT a FROM t WHERE k = 1 ORDER BY a",
            "SELECT a FROM t WHERE k = 1; SELECT 1",
            "SELECT a FROM t WHERE k = 1;;",
            "SELECT a INTO @v FROM t WHERE k = 1",
            "SELECT a FROM t PARTITION (p) WHERE k = 1",
            "SELECT /*+ SET_VAR(sql_mode = '') */ a FROM t WHERE k = 1",
            "SELECT /*! SQL_NO_CACHE */ a FROM t WHERE k = 1",
            "SELECT a FROM t WHERE k = 1 /*! OR 1 */",
            "SELECT a FROM t WHERE k = 1 /*M! OR 1 */",
            "SELECT a FROM t WHERE k = 1 /* never ends",
            "SELECT a FROM t WHERE k = 'never ends",
            "SELECT a FROM t WHERE k = 1 'never ends",
            "SELECT a FROM t WHERE k = 1 `never ends",
            "SELECT a FROM t WHERE k = 1\0",
            "INSERT INTO t VALUES (1)",
            "SELECT a FROM t WHERE a=1 AND b=2 AND c=3 AND d=4 AND e=5",
        ] {
            check(sql, "-");
        }
    }

    #[test]
    fn shapes_differ_where_more_than_values_does() {
        let shape = |sql: &str| {
            let (_, shape) = read(sql.as_bytes());
            assert!(!shape.is_empty(), "{sql}");
            shape
        };
        let same = [
            ["SELECT a FROM t WHERE k = 1", "SELECT a FROM t WHERE k = 234"],
            ["SELECT a FROM t WHERE k = ''", "SELECT a FROM t WHERE k = 'it''s'"],
            ["SELECT a FROM t WHERE k=-1 AND j='x'", "SELECT a FROM t WHERE k=-9 AND j='-9'"],
        ];
        for [one, other] in same {
            assert_eq!(shape(one), shape(other), "{one}");
        }
        let different = [
            "SELECT a FROM t WHERE k = 1",
            "SELECT a FROM t WHERE k = '1'",
            "SELECT a FROM t WHERE k = -1",
            "SELECT a FROM t WHERE k = ?",
            "SELECT a FROM t WHERE k = 1 LIMIT 1",
            "SELECT a FROM t WHERE K = 1",
            "SELECT a FROM t WHERE k = 1 AND j = 1",
        ];
        let shapes: std::collections::BTreeSet<_> =
            different.iter().map(|sql| shape(sql)).collect();
        assert_eq!(shapes.len(), different.len());
    }

    #[test]
    fn quotes_end_where_the_charset_says() {
        // The second byte looks like a backslash: in GBK it is a character's, in latin1 it escapes the quote.
        let sql = b"SELECT a FROM t WHERE k = '\xBF\\'";
        let read = |charset| KeySelect::parse(sql, dialect(charset)).is_some();
        assert!(read("gbk") && !read("latin1"));
    }
}
