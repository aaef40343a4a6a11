//! What plans have in common: why SQL is asked, and which literals are keys.

use std::io::Write;

use vaquita_client::Dialect;

use crate::select::Literal;
use crate::table::{Column, Kind};

/// Why SQL is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The statement does not ask for a row by its key.
    Form,
    /// It is the first of its shape that has succeeded: not worth asking for.
    First,
    /// A transaction is open, or autocommit is off.
    Transaction,
    /// Tables are locked.
    Locks,
    /// It is not known what the session is like: a statement may have made a temporary table, or the connection is about to be taken over.
    Session,
    /// A setting of the session makes another answer of it.
    Settings,
    /// The statement was prepared when the session was another one.
    Prepared,
    /// The user may not read the whole table.
    Rights,
    /// There is no port, or it does not answer.
    Port,
    /// The port has no such row.
    Miss,
    /// The port's row was not the server's.
    Differs,
    /// The row is too long, or has values that are not made of their text.
    Row,
    /// The port may give what is not committed, or is not there any more.
    Isolation,
    /// The port answers from a cache.
    Cache,
    /// It answers from no such table.
    Table,
    /// What is asked for is another column than the port's key, or several are.
    KeyColumn,
    /// The port's key is of a kind that it does not find as SQL does.
    KeyKind,
    /// The key is no value of the column's own kind.
    KeyValue,
    /// The protocol can't carry the key.
    KeyBytes,
    /// A column is wanted that the port does not give.
    Column,
    /// A column is wanted of which the port gives other bytes than SQL.
    ColumnKind,
    /// A column is wanted that may be NULL, which the port does not tell from an empty text.
    Null,
    /// What the port gives can be read in several ways.
    Separator,
    /// A value has characters that SQL would give in another character set, or the session has several.
    Charset,
}

impl Reason {
    /// All of them.
    pub const ALL: [Reason; 24] = [
        Reason::Form,
        Reason::First,
        Reason::Transaction,
        Reason::Locks,
        Reason::Session,
        Reason::Settings,
        Reason::Prepared,
        Reason::Rights,
        Reason::Port,
        Reason::Miss,
        Reason::Differs,
        Reason::Row,
        Reason::Isolation,
        Reason::Cache,
        Reason::Table,
        Reason::KeyColumn,
        Reason::KeyKind,
        Reason::KeyValue,
        Reason::KeyBytes,
        Reason::Column,
        Reason::ColumnKind,
        Reason::Null,
        Reason::Separator,
        Reason::Charset,
    ];

    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Form => "form",
            Reason::First => "first",
            Reason::Transaction => "transaction",
            Reason::Locks => "locks",
            Reason::Session => "session",
            Reason::Settings => "settings",
            Reason::Prepared => "prepared",
            Reason::Rights => "rights",
            Reason::Port => "port",
            Reason::Miss => "miss",
            Reason::Differs => "differs",
            Reason::Row => "row",
            Reason::Isolation => "isolation",
            Reason::Cache => "cache",
            Reason::Table => "table",
            Reason::KeyColumn => "key_column",
            Reason::KeyKind => "key_kind",
            Reason::KeyValue => "key_value",
            Reason::KeyBytes => "key_bytes",
            Reason::Column => "column",
            Reason::ColumnKind => "column_kind",
            Reason::Null => "null",
            Reason::Separator => "separator",
            Reason::Charset => "charset",
        }
    }
}

/// How many there were of each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reasons([u64; Reason::ALL.len()]);

impl Reasons {
    pub(crate) const fn new() -> Self {
        Reasons([0; Reason::ALL.len()])
    }

    pub(crate) fn add(&mut self, reason: Reason, count: u64) {
        let place = Reason::ALL.iter().position(|it| *it == reason);
        if let Some(sum) = place.and_then(|place| self.0.get_mut(place)) {
            *sum += count;
        }
    }

    /// Those that there were.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        Reason::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }
}

/// Where a column of the result comes from, as the server says in its definition; empty where it is no column's.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The table.
    pub table: &'a [u8],
    /// The column.
    pub column: &'a [u8],
}

/// What a key must be, so that a port finds the row that SQL finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyKind {
    /// A number in this range.
    Integer { least: i128, most: i128 },
    /// A text of no more characters, of UTF-8 or else ASCII.
    Text { most: u64, is_utf8: bool },
}

impl KeyKind {
    /// That of a column, where the client's character set is this one; `None`: a port might not find what SQL finds.
    pub(crate) fn of(column: &Column, client: &[u8]) -> Option<KeyKind> {
        match &column.kind {
            Kind::Integer { bytes, is_unsigned, is_filled: false } => {
                let bits = u32::from(*bytes) * 8;
                let (least, most) = if *is_unsigned {
                    (0, (1_i128 << bits) - 1)
                } else {
                    (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
                };
                Some(KeyKind::Integer { least, most })
            }
            // Whether blanks at the end of a CHAR count depends on sql_mode and collation.
            Kind::Text { is_fixed: false, most, charset, .. }
                if has_ascii(charset) && has_ascii(client) =>
            {
                let is_utf8 = **charset == *b"utf8mb4" && client == b"utf8mb4";
                Some(KeyKind::Text { most: *most, is_utf8 })
            }
            _ => None,
        }
    }

    /// Appends the key that a literal is, and gives it back.
    ///
    /// # Errors
    /// [`Reason::KeyValue`]: SQL would have to make a value of the column's of it first.
    pub(crate) fn put<'a>(
        self,
        value: Literal<'_>,
        dialect: Dialect,
        sent: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], Reason> {
        let begin = sent.len();
        match (self, value) {
            (KeyKind::Integer { least, most }, literal) => {
                let number = literal.whole_number(dialect).ok_or(Reason::KeyValue)?;
                if !(least..=most).contains(&number) {
                    return Err(Reason::KeyValue);
                }
                let _ = write!(sent, "{number}");
            }
            (KeyKind::Text { most, is_utf8 }, Literal::Text(_) | Literal::Bytes(_)) => {
                let text = value.text(dialect).ok_or(Reason::KeyValue)?;
                let text = std::str::from_utf8(&text).ok().filter(|it| is_utf8 || it.is_ascii());
                // There is an sql_mode in which an empty text is NULL.
                let text = text.filter(|it| !it.is_empty() && it.chars().count() as u64 <= most);
                sent.extend_from_slice(text.ok_or(Reason::KeyValue)?.as_bytes());
            }
            (KeyKind::Text { .. }, _) => return Err(Reason::KeyValue),
        }
        Ok(sent.get(begin..).unwrap_or_default())
    }
}

/// Whether the bytes of ASCII are its characters in a character set, and nothing else is.
pub(crate) fn has_ascii(charset: &[u8]) -> bool {
    matches!(charset, b"utf8mb4" | b"utf8mb3" | b"utf8" | b"latin1" | b"ascii")
}
