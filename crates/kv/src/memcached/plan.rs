//! Whether a statement that asks for a row by its key is answered by MySQL's memcached plugin as it is by SQL, and how.
//!
//! What the plugin gives of a column is not always what SQL gives, and of some it crashes the server; so this is a list of what was measured to be the
//! same, on MySQL 8.0.33 and 5.6.14 (`tests/server_plans.rs`). All else is a reason to ask by SQL.

use vaquita_client::Dialect;

use super::key::Key;
use super::mapping::{Container, Mapping};
use crate::plan::{KeyKind, Origin, Reason, has_ascii};
use crate::select::{Condition, KeySelect, Literal};
use crate::table::{Column, Kind, Table};

/// How statements of one shape are answered by a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What stands before each key.
    prefix: Box<[u8]>,
    key: KeyKind,
    separator: Box<[u8]>,
    /// How many values the port gives.
    values: usize,
    /// For each column of the result its place among them, and whether only ASCII is the same in both character sets.
    columns: Box<[(usize, bool)]>,
}

impl Plan {
    /// How such a statement is answered, of which the server says that its columns come from there, and that its table is this one. `charset` is the
    /// character set of the client and of results. `allows_dirty`: what is not committed may be given.
    ///
    /// # Errors
    /// Why it is not.
    pub fn new(
        mapping: &Mapping,
        table: &Table,
        select: &KeySelect<'_>,
        origins: &[Origin<'_>],
        charset: &[u8],
        allows_dirty: bool,
    ) -> Result<Plan, Reason> {
        if !allows_dirty && (mapping.isolation == 0 || mapping.reads_a_look != 1) {
            return Err(Reason::Isolation);
        }
        if !mapping.is_of_innodb {
            return Err(Reason::Cache);
        }
        if *table.name != *select.table {
            return Err(Reason::Table);
        }
        let container = mapping.of(&table.database, &table.name).ok_or(Reason::Table)?;
        // The port takes what stands before the first delimiter for the name.
        let delimiter = &*mapping.delimiter;
        let is_in_name =
            container.name.windows(delimiter.len().max(1)).any(|part| part == delimiter);
        if delimiter.is_empty() || is_in_name {
            return Err(Reason::Table);
        }
        if *table.engine != *b"InnoDB" {
            return Err(Reason::Table);
        }
        let mut conditions = select.conditions();
        let (Some(condition), None) = (conditions.next(), conditions.next()) else {
            return Err(Reason::KeyColumn);
        };
        let key = key_column(container, table, condition)?;
        let is_known = match key.kind {
            Kind::Integer { bytes, is_unsigned, .. } => {
                is_known_integer(bytes, is_unsigned, mapping.is_old)
            }
            Kind::Text { .. } => true,
            _ => false,
        };
        let key = KeyKind::of(key, charset).filter(|_| is_known).ok_or(Reason::KeyKind)?;
        let is_one = container.values.len() == 1;
        if !is_one && mapping.separator.is_empty() {
            return Err(Reason::Separator);
        }
        let column = |origin: &Origin<'_>| {
            if origin.table != select.table {
                return Err(Reason::Column);
            }
            let place = container.place_of(origin.column).ok_or(Reason::Column)?;
            let (_, column) = table.column(origin.column).ok_or(Reason::Column)?;
            only_ascii(column, charset, mapping.is_old).map(|only_ascii| (place, only_ascii))
        };
        let columns: Box<[_]> = origins.iter().map(column).collect::<Result<_, _>>()?;
        if columns.is_empty() {
            return Err(Reason::Column);
        }
        let prefix = [b"@@", &*container.name, &mapping.delimiter].concat().into();
        let separator = mapping.separator.clone();
        Ok(Plan { prefix, key, separator, values: container.values.len(), columns })
    }

    /// Makes the key that is sent for a value.
    ///
    /// # Errors
    /// Why none is.
    pub fn put_key<'a>(
        &self,
        value: Literal<'_>,
        dialect: Dialect,
        sent: &'a mut Vec<u8>,
    ) -> Result<Key<'a>, Reason> {
        sent.clear();
        sent.extend_from_slice(&self.prefix);
        let text = self.key.put(value, dialect, sent)?;
        // MySQL 8.0 takes some of these for a range; of nothing it makes nothing.
        if matches!(text, [] | [b'@' | b'<' | b'>', ..]) {
            return Err(Reason::KeyBytes);
        }
        Key::new(sent).map_err(|_| Reason::KeyBytes)
    }

    /// The columns of the result, of what the port gave.
    ///
    /// # Errors
    /// Why SQL has to be asked after all.
    pub fn row<'v>(&self, given: &'v [u8]) -> Result<Vec<Option<&'v [u8]>>, Reason> {
        let mut row = Vec::with_capacity(self.columns.len());
        for &(place, only_ascii) in &self.columns {
            let value = if self.values == 1 { Some(given) } else { self.part(given, place) };
            let value = value.ok_or(Reason::Separator)?;
            if only_ascii && !value.is_ascii() {
                return Err(Reason::Charset);
            }
            row.push(Some(value));
        }
        Ok(row)
    }

    /// The places of the result's columns among the values that the port gives, and how many it gives.
    pub(crate) fn places(&self) -> (Box<[usize]>, usize) {
        (self.columns.iter().map(|(place, _)| *place).collect(), self.values)
    }

    /// All values that the port gave, if there are as many as there should be.
    pub(crate) fn values<'v>(&self, given: &'v [u8]) -> Vec<&'v [u8]> {
        if self.values == 1 {
            return vec![given];
        }
        (0..self.values).map_while(|place| self.part(given, place)).collect()
    }

    /// One of several values; `None` if there are more or fewer than there should be.
    fn part<'v>(&self, given: &'v [u8], place: usize) -> Option<&'v [u8]> {
        let mut parts = 0;
        let (mut begin, mut found) = (0, None);
        loop {
            let rest = given.get(begin..)?;
            let length = rest.windows(self.separator.len()).position(|it| *it == *self.separator);
            if parts == place {
                found = rest.get(..length.unwrap_or(rest.len()));
            }
            parts += 1;
            match length {
                Some(length) => begin += length + self.separator.len(),
                None => return found.filter(|_| parts == self.values),
            }
        }
    }
}

/// The column that is the port's key, if it is asked for.
fn key_column<'t>(
    container: &Container,
    table: &'t Table,
    condition: &Condition<'_>,
) -> Result<&'t Column, Reason> {
    let [name] = &*container.key else { return Err(Reason::KeyColumn) };
    let (place, key) = table.column(name).ok_or(Reason::KeyColumn)?;
    let is_asked_for = table.column(condition.column).is_some_and(|(asked, _)| asked == place);
    let index = table.indexes.iter().find(|index| index.name == container.index);
    let is_its_own = index.is_some_and(|index| index.columns.as_deref() == Some(&[place]));
    if is_asked_for && is_its_own { Ok(key) } else { Err(Reason::KeyColumn) }
}

/// Whether of what the port gives of a column only ASCII is what SQL gives.
fn only_ascii(column: &Column, results: &[u8], is_old: bool) -> Result<bool, Reason> {
    let only_ascii = match &column.kind {
        Kind::Text { is_fixed: false, charset, .. } if has_ascii(charset) && has_ascii(results) => {
            **charset != *results
        }
        Kind::Bytes { .. } => false,
        Kind::Integer { bytes, is_unsigned, is_filled: false }
            if is_known_integer(*bytes, *is_unsigned, is_old) =>
        {
            false
        }
        _ => return Err(Reason::ColumnKind),
    };
    if column.is_nullable { Err(Reason::Null) } else { Ok(only_ascii) }
}

/// Whether whole numbers of so many bytes are what they are in SQL. MySQL 5.6 was seen to crash of others.
fn is_known_integer(bytes: u8, is_unsigned: bool, is_old: bool) -> bool {
    if is_old { bytes == 4 && !is_unsigned } else { matches!(bytes, 1 | 2 | 4 | 8) }
}
