//! The error of a table by key, by who is at fault.

use std::fmt;

/// Why a call failed. Of all but [`TableError::Sql`] nothing was sent.
#[derive(Debug)]
#[non_exhaustive]
pub enum TableError {
    /// The connection's error, or the server's.
    Sql(vaquita_client::Error),
    /// The table has no such index, or one of parts of columns or expressions.
    Index(Box<[u8]>),
    /// There are keys here of whole numbers, texts and bytes only; this column of the index is of another kind.
    KeyKind(Box<[u8]>),
    /// There is no base table of this name: it is a view, or a temporary one.
    Table(Box<[u8]>),
    /// The table has no such column.
    Unknown(Box<[u8]>),
    /// The table has no such column, or it is one of the key.
    Column(Box<[u8]>),
    /// A key by names that lacks this column.
    KeyName(Box<[u8]>),
    /// A key of more or fewer values than the index has columns.
    KeyLength {
        /// How many columns the index has.
        expected: usize,
        /// How many values there were.
        given: usize,
    },
    /// A row that is written with this key might get another one: the value for this column is none that the column holds as it is.
    KeyValue(Box<[u8]>),
    /// A name that is not of ASCII, in a connection of a character set in which it may be read in several ways.
    Charset,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        match self {
            TableError::Sql(error) => error.fmt(f),
            TableError::Index(name) => {
                write!(f, "no unique index {} of whole columns", shown(name))
            }
            TableError::KeyKind(name) => {
                write!(
                    f,
                    "the column {} is neither of whole numbers, nor of texts or bytes",
                    shown(name)
                )
            }
            TableError::Table(name) => write!(f, "{} is no base table", shown(name)),
            TableError::Unknown(name) => write!(f, "no column {}", shown(name)),
            TableError::KeyName(name) => write!(f, "it has a value for the column {}", shown(name)),
            TableError::Column(name) => write!(f, "no column {} besides the key", shown(name)),
            TableError::KeyLength { expected, given } => {
                write!(f, "it has {expected} values, not {given}")
            }
            TableError::KeyValue(name) => {
                write!(f, "the column {} does not hold this value of the key as it is", shown(name))
            }
            TableError::Charset => f.write_str(
                "a name that is not ASCII, in a character set that is not known well enough",
            ),
        }
    }
}

impl std::error::Error for TableError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TableError::Sql(error) => Some(error),
            _ => None,
        }
    }
}

impl From<vaquita_client::Error> for TableError {
    fn from(error: vaquita_client::Error) -> TableError {
        TableError::Sql(error)
    }
}
