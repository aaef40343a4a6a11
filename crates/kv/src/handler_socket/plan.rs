//! Whether a statement that asks for a row by its key is answered by HandlerSocket as it is by SQL, and how.
//!
//! HandlerSocket gives every type as SQL does, but its threads have settings of their own: no character set but the column's, the server's time zone
//! and `sql_mode`. It cuts keys to what the column holds. Opening a view ends the connection at best, so that a plan is made of what
//! [`Table::read`] says is a table.

use vaquita_client::Dialect;

use super::OpenIndex;
use crate::plan::{KeyKind, Origin, Reason, has_ascii};
use crate::select::{KeySelect, Literal};
use crate::table::{Kind, Table};

/// How statements of one shape are answered by a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    database: Box<[u8]>,
    table: Box<[u8]>,
    index: Box<[u8]>,
    /// For each column of the index, the place of its condition, and what its value must be.
    key: Box<[(usize, KeyKind)]>,
    /// The columns of the result, and of each whether only ASCII is the same in both character sets.
    columns: Box<[(Box<[u8]>, bool)]>,
}

impl Plan {
    /// How such a statement is answered, of which the server says that its columns come from there; `charset` is the character set of the client
    /// and of results.
    ///
    /// # Errors
    /// Why it is not.
    pub fn new(
        table: &Table,
        select: &KeySelect<'_>,
        origins: &[Origin<'_>],
        charset: &[u8],
    ) -> Result<Plan, Reason> {
        if *table.name != *select.table {
            return Err(Reason::Table);
        }
        let mut asked = Vec::new();
        for condition in select.conditions() {
            let (place, _) = table.column(condition.column).ok_or(Reason::KeyColumn)?;
            asked.push(place);
        }
        // Each column of the index has one condition, and there are no others.
        let of_index = |columns: &[usize]| -> Option<Vec<usize>> {
            let found = columns.iter().map(|column| asked.iter().position(|it| it == column));
            found.collect::<Option<Vec<usize>>>().filter(|found| found.len() == asked.len())
        };
        let found = table.indexes.iter().find_map(|index| {
            let columns = index.columns.as_deref()?;
            Some((index, columns, of_index(columns)?))
        });
        let (index, columns, conditions) = found.ok_or(Reason::KeyColumn)?;
        let kind = |(column, condition): (&usize, usize)| {
            let column = table.columns.get(*column).ok_or(Reason::KeyColumn)?;
            Ok((condition, KeyKind::of(column, charset).ok_or(Reason::KeyKind)?))
        };
        let key = columns.iter().zip(conditions).map(kind).collect::<Result<_, _>>()?;
        let column = |origin: &Origin<'_>| {
            let (_, column) = table
                .column(origin.column)
                .filter(|_| *origin.table == *table.name)
                .ok_or(Reason::Column)?;
            let of = match &column.kind {
                Kind::Text { is_fixed: false, charset, .. } | Kind::Other { charset } => &**charset,
                Kind::Bytes { .. } | Kind::Integer { .. } => b"",
                // With PAD_CHAR_TO_FULL_LENGTH a CHAR has its blanks.
                Kind::Text { .. } | Kind::OfSession => return Err(Reason::ColumnKind),
            };
            let is_known = of.is_empty() || (has_ascii(of) && has_ascii(charset));
            if !is_known {
                return Err(Reason::ColumnKind);
            }
            Ok((column.name.clone(), !of.is_empty() && of != charset))
        };
        let columns: Box<[_]> = origins.iter().map(column).collect::<Result<_, _>>()?;
        if columns.is_empty() {
            return Err(Reason::Column);
        }
        let [database, table, index] =
            [&table.database, &table.name, &index.name].map(Clone::clone);
        Ok(Plan { database, table, index, key, columns })
    }

    /// Has `open` open what is needed: it gives back what it was given for it.
    pub fn open<R>(&self, open: impl FnOnce(&OpenIndex<'_>) -> R) -> R {
        let columns: Vec<&[u8]> = self.columns.iter().map(|(name, _)| &**name).collect();
        let (database, table, index) = (&self.database, &self.table, &self.index);
        open(&OpenIndex { database, table, index, columns: &columns })
    }

    /// The key of a statement of this shape that asks for these values: one for each column of the index.
    ///
    /// # Errors
    /// Why there is none.
    pub fn key(&self, values: &[Literal<'_>], dialect: Dialect) -> Result<Vec<Vec<u8>>, Reason> {
        let value = |&(place, kind): &(usize, KeyKind)| {
            let literal = *values.get(place).ok_or(Reason::KeyColumn)?;
            let mut value = Vec::new();
            kind.put(literal, dialect, &mut value)?;
            Ok(value)
        };
        self.key.iter().map(value).collect()
    }

    /// Whether a row that the port gave is the row of the result.
    ///
    /// # Errors
    /// Why SQL has to be asked after all.
    pub fn check(&self, row: &[Option<&[u8]>]) -> Result<(), Reason> {
        let is_other = |(value, (_, only_ascii)): (&Option<&[u8]>, &(_, bool))| {
            *only_ascii && value.is_some_and(|value| !value.is_ascii())
        };
        if row.iter().zip(&self.columns).any(is_other) { Err(Reason::Charset) } else { Ok(()) }
    }
}
