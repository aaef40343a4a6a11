//! Writing rows by their keys. Each call changes one row, or nothing.
//!
//! A key is written only if its columns hold it as it is: without a strict `sql_mode` the server would cut it, and write to another key's row. Nor
//! is INSERT ... ON DUPLICATE KEY UPDATE used, for it writes to whatever row any unique index finds.
//!
//! A refused statement that may have run is not run again: a trigger may have written before, where no rollback goes.

use vaquita_client::{Capabilities, Connection, Error, Parameter};

use super::error::TableError;
use super::key::{Fit, KeyValue, Part};
use super::statements::Does;
use super::{KeyedTable, bound, is_none};
use crate::table::{Column, Kind, is_same_name};

/// ER_DUP_ENTRY: a unique index has a row of that key.
const DUPLICATE: u16 = 1062;

/// A value that is written: its column, and the value. A text is bytes where the column has those.
pub type Written<'a> = (&'a [u8], Parameter<'a>);

impl KeyedTable {
    /// Has these columns of the row of a key have these values; the row is made if there is none, with the other columns' defaults.
    ///
    /// # Errors
    /// [`TableError::KeyLength`], [`TableError::KeyValue`], [`TableError::Column`], [`TableError::Sql`]: 1062 where another unique index has such a
    /// row, a trigger says so, or somebody else has made the row and deleted it meanwhile.
    pub fn set(
        &mut self,
        connection: &mut Connection,
        key: &[KeyValue<'_>],
        values: &[Written<'_>],
    ) -> Result<(), TableError> {
        let key = self.key_to_write(connection, key)?;
        if self.update(connection, &key, values)? {
            return Ok(());
        }
        match self.insert(connection, &key, values) {
            // Somebody else may have made the row in between. One that the INSERT itself has left, by a trigger's 1062, is not to be changed.
            Err(error) if is_duplicate(&error) && self.undoes => {
                if self.update(connection, &key, values)? { Ok(()) } else { Err(error) }
            }
            inserted => inserted,
        }
    }

    /// Makes a row of a key; false, and nothing is changed, if there is one.
    ///
    /// # Errors
    /// As [`KeyedTable::set`].
    pub fn add(
        &mut self,
        connection: &mut Connection,
        key: &[KeyValue<'_>],
        values: &[Written<'_>],
    ) -> Result<bool, TableError> {
        let key = self.key_to_write(connection, key)?;
        match self.insert(connection, &key, values) {
            Err(error) if is_duplicate(&error) => {
                let (sql, bound) = (self.texts.is_there(), bound(&key));
                let rows = self.statements.run(connection, &sql, &bound, Does::Read)?;
                if rows.is_some_and(|rows| rows.rows() > 0) { Ok(false) } else { Err(error) }
            }
            inserted => inserted.map(|()| true),
        }
    }

    /// Has these columns of the row of a key have these values; false if there is none. A row that has them already counts.
    ///
    /// # Errors
    /// As [`KeyedTable::set`], but for [`TableError::KeyValue`].
    pub fn replace(
        &mut self,
        connection: &mut Connection,
        key: &[KeyValue<'_>],
        values: &[Written<'_>],
    ) -> Result<bool, TableError> {
        let key = self.parts_of_one(connection, key)?;
        if is_none(&key) {
            return Ok(false);
        }
        self.update(connection, &key, values)
    }

    /// Deletes the row of a key; false if there is none.
    ///
    /// # Errors
    /// [`TableError::KeyLength`], [`TableError::Sql`].
    pub fn delete(
        &mut self,
        connection: &mut Connection,
        key: &[KeyValue<'_>],
    ) -> Result<bool, TableError> {
        let key = self.parts_of_one(connection, key)?;
        if is_none(&key) {
            return Ok(false);
        }
        let sql = self.texts.delete();
        self.statements.run(connection, &sql, &bound(&key), Does::Write)?;
        Ok(connection.session().affected_rows > 0)
    }

    /// A key that its columns hold as it is.
    fn key_to_write<'k>(
        &self,
        connection: &Connection,
        key: &[KeyValue<'k>],
    ) -> Result<Vec<(Part<'k>, Fit)>, TableError> {
        let key = self.parts_of_one(connection, key)?;
        for (column, (part, fit)) in self.key.iter().zip(&key) {
            let is_made = column.makes_numbers && part.is_zero();
            if *fit != Fit::Whole || is_made {
                return Err(TableError::KeyValue(column.name.clone()));
            }
        }
        Ok(key)
    }

    /// Changes the row of a key; false if there is none.
    fn update(
        &mut self,
        connection: &mut Connection,
        key: &[(Part<'_>, Fit)],
        values: &[Written<'_>],
    ) -> Result<bool, TableError> {
        let (columns, mut bound_all) = self.written(values)?;
        bound_all.extend(bound(key));
        let sql = self.texts.update(&self.key, &columns);
        self.statements.run(connection, &sql, &bound_all, Does::Write)?;
        Ok(has_matched(connection))
    }

    fn insert(
        &mut self,
        connection: &mut Connection,
        key: &[(Part<'_>, Fit)],
        values: &[Written<'_>],
    ) -> Result<(), TableError> {
        let (columns, written) = self.written(values)?;
        let mut bound_all = bound(key);
        bound_all.extend(written);
        let sql = self.texts.insert(&self.key, &columns);
        self.statements.run(connection, &sql, &bound_all, Does::Write).map(|_| ())
    }

    /// The columns that are written, and what is bound for each.
    fn written<'v>(
        &self,
        values: &[Written<'v>],
    ) -> Result<(Vec<&Column>, Vec<Parameter<'v>>), TableError> {
        let mut columns = Vec::with_capacity(values.len());
        let mut bound = Vec::with_capacity(values.len());
        for (name, value) in values {
            let column = self.others.iter().find(|column| is_same_name(&column.name, name));
            let column = column.ok_or_else(|| TableError::Column((*name).into()))?;
            bound.push(match (&column.kind, *value) {
                (Kind::Bytes { .. }, Parameter::Text(data)) => Parameter::Blob(data),
                (_, value) => value,
            });
            columns.push(column);
        }
        Ok((columns, bound))
    }
}

/// Whether the last UPDATE has found a row, changed or not: `Rows matched: 1  Changed: 0  Warnings: 0`, in any language. Where the server knows
/// beforehand that there is none it does not say so.
fn has_matched(connection: &Connection) -> bool {
    let session = connection.session();
    if connection.capabilities().contains(Capabilities::FOUND_ROWS) || session.affected_rows > 0 {
        return session.affected_rows > 0;
    }
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let mut numbers = session.info.split(|byte| !is_digit(byte)).filter(|it| !it.is_empty());
    numbers.next().is_some_and(|matched| matched.iter().any(|digit| *digit != b'0'))
}

fn is_duplicate(error: &TableError) -> bool {
    matches!(error, TableError::Sql(Error::Server { code: DUPLICATE, .. }))
}
