//! Rows of a table by their keys, over an ordinary connection: where there is no port for that, and to write them.
//!
//! All is asked by prepared statements, so no value ever stands in a text, and rows are the same however many are asked for. Many keys go in one
//! statement, as one JSON array; `docs/kv.md` has the figures.

mod error;
mod find;
mod found;
mod key;
mod named;
mod statements;
mod texts;
mod write;

pub use error::TableError;
pub use found::Found;
pub use key::KeyValue;
pub use named::NamedTable;
pub use statements::Does;
pub use write::Written;

use vaquita_client::{Connection, Parameter};

use crate::table::{Column, Kind, Table};
use key::{Fit, Part};
use statements::Statements;
use texts::Texts;

/// A table whose rows are found and written by their keys: by the primary key, or another unique index.
///
/// It knows what [`Table::read`] has said, and holds prepared statements of one connection's session: [`KeyedTable::forget`] says that the
/// session has ended. Keys are lists of values, one for each column of the index.
#[derive(Debug)]
pub struct KeyedTable {
    key: Box<[Column]>,
    /// The columns besides the key.
    others: Box<[Column]>,
    /// How many of them are asked for.
    values: usize,
    texts: Texts,
    statements: Statements,
    /// Whether an INSERT that fails leaves nothing in it.
    undoes: bool,
}

impl KeyedTable {
    /// A table, by a unique index of whole columns (of the primary key, `PRIMARY`), and the columns that are asked for, in their order; `None`: all
    /// but those of the key.
    ///
    /// # Errors
    /// [`TableError::Index`], [`TableError::KeyKind`], [`TableError::Unknown`].
    pub fn new(
        table: &Table,
        index: &[u8],
        columns: Option<&[&[u8]]>,
    ) -> Result<KeyedTable, TableError> {
        let index = table
            .indexes
            .iter()
            .find(|it| it.name.eq_ignore_ascii_case(index))
            .ok_or_else(|| TableError::Index(index.into()))?;
        let no_index = || TableError::Index(index.name.clone());
        let places = index.columns.as_deref().ok_or_else(no_index)?;
        let key: Box<[Column]> = places
            .iter()
            .map(|place| table.columns.get(*place).cloned().ok_or_else(no_index))
            .collect::<Result<_, _>>()?;
        let is_key = |kind: &Kind| {
            matches!(kind, Kind::Integer { .. } | Kind::Text { .. } | Kind::Bytes { .. })
        };
        if let Some(column) = key.iter().find(|column| !is_key(&column.kind)) {
            return Err(TableError::KeyKind(column.name.clone()));
        }
        let others: Box<[Column]> = (0..)
            .zip(&table.columns)
            .filter(|(place, _)| !places.contains(place))
            .map(|(_, column)| column.clone())
            .collect();
        let find = |name: &&[u8]| {
            let found = table.column(name).map(|(_, column)| column);
            found.ok_or_else(|| TableError::Unknown((*name).into()))
        };
        let values: Vec<&Column> = match columns {
            None => others.iter().collect(),
            Some(names) => names.iter().map(find).collect::<Result<_, _>>()?,
        };
        let texts = Texts::new(table, index, &key, &values);
        let (values, statements) = (values.len(), Statements::default());
        let undoes = table.engine.eq_ignore_ascii_case(b"InnoDB");
        Ok(KeyedTable { key, others, values, texts, statements, undoes })
    }

    /// How many values a key has.
    pub fn key_length(&self) -> usize {
        self.key.len()
    }

    /// The columns of a key, in their order.
    pub fn key_columns(&self) -> impl Iterator<Item = &[u8]> {
        self.key.iter().map(|column| &*column.name)
    }

    /// The session has ended: its prepared statements are gone. A server that is asked for one all the same says so, and gets it anew; but another
    /// one might stand in its place.
    pub fn forget(&mut self) {
        self.statements.forget_all();
    }

    /// Has the server forget the prepared statements.
    pub fn close(&mut self, connection: &mut Connection) {
        self.statements.close_all(connection);
    }

    /// The parts of keys that stand one behind the other, and of each what becomes of it.
    fn parts<'k>(
        &self,
        connection: &Connection,
        keys: &[KeyValue<'k>],
    ) -> Result<Vec<(Part<'k>, Fit)>, TableError> {
        if !keys.len().is_multiple_of(self.key.len()) {
            let given = keys.len() % self.key.len();
            return Err(TableError::KeyLength { expected: self.key.len(), given });
        }
        let session = connection.session();
        let client = session.character_set_client.name;
        let is_converted = session.character_set_connection.name != client;
        let part = |(value, column): (&KeyValue<'k>, &Column)| {
            match Part::of(*value, column, client.as_bytes()) {
                // The server makes another text of it before it looks at the column.
                (Part::Text(text), Fit::Whole) if is_converted && !text.is_ascii() => {
                    (Part::Text(text), Fit::AskServer)
                }
                part => part,
            }
        };
        Ok(keys.iter().zip(self.key.iter().cycle()).map(part).collect())
    }

    /// The parts of one key.
    fn parts_of_one<'k>(
        &self,
        connection: &Connection,
        key: &[KeyValue<'k>],
    ) -> Result<Vec<(Part<'k>, Fit)>, TableError> {
        if key.len() == self.key.len() {
            return self.parts(connection, key);
        }
        Err(TableError::KeyLength { expected: self.key.len(), given: key.len() })
    }
}

/// What is bound for a key.
fn bound<'p>(parts: &'p [(Part<'_>, Fit)]) -> Vec<Parameter<'p>> {
    parts.iter().map(|(part, _)| part.parameter()).collect()
}

/// Whether no row has a key.
fn is_none(parts: &[(Part<'_>, Fit)]) -> bool {
    parts.iter().any(|(_, fit)| *fit == Fit::None)
}
