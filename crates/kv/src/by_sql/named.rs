//! A table by its name: what it consists of is asked when it is needed, and anew when it may be something else.

use std::time::{Duration, Instant};

use vaquita_client::{Connection, Error, Own, QueryResponse};

use super::KeyedTable;
use super::error::TableError;
use super::texts::quoted;
use crate::error::Error as PortError;
use crate::plan::has_ascii;
use crate::table::{Table, rows, value};
use crate::watch::Watch;

/// A table that somebody has named, which may not be there.
#[derive(Debug)]
pub struct NamedTable {
    /// `None`: the one that is current when the table is first used.
    database: Option<Box<[u8]>>,
    name: Box<[u8]>,
    index: Box<[u8]>,
    columns: Option<Box<[Box<[u8]>]>>,
    max_stale: Duration,
    known: Option<Known>,
}

/// What is known of it.
#[derive(Debug)]
struct Known {
    table: Table,
    keyed: KeyedTable,
    /// When it was asked; `None`: it is to be asked anew.
    asked_at: Option<Instant>,
    /// How often tables had been changed before.
    changes: u64,
    /// The session that has prepared its statements.
    session: (u64, u64, u64),
    /// How many other tables this one was before.
    version: u64,
}

impl NamedTable {
    /// The table of a text like `t`, `d.t` or `` `d`.`t` ``, by this unique index, of which these columns are asked for; `None` of them: all. It
    /// is asked anew after `max_stale`. No table: the text is none of that kind.
    pub fn new<'c>(
        text: &[u8],
        columns: Option<impl Iterator<Item = &'c [u8]>>,
        index: &[u8],
        max_stale: Duration,
    ) -> Option<NamedTable> {
        let (first, rest) = name(text)?;
        let (database, table) = match rest.split_first() {
            None => (None, first),
            Some((b'.', rest)) => match name(rest)? {
                (second, []) => (Some(first), second),
                _ => return None,
            },
            Some(_) => return None,
        };
        let columns = columns.map(|names| names.map(Into::into).collect());
        let index = index.into();
        Some(NamedTable { database, name: table, index, columns, max_stale, known: None })
    }

    /// The table as it is now in this session, which has the number `connected`.
    ///
    /// # Errors
    /// [`TableError::Table`], [`TableError::Sql`]: also where there is nothing of that name; as [`KeyedTable::new`].
    pub fn of(
        &mut self,
        connection: &mut Connection,
        watch: &Watch,
        connected: u64,
    ) -> Result<&mut KeyedTable, TableError> {
        let (now, changes) = (Instant::now(), watch.table_changes());
        let session = (connected, watch.number(), watch.ends());
        if let Some(known) = self.known.as_mut().filter(|known| known.session != session) {
            known.session = session;
            known.keyed.forget();
            known.asked_at = None;
        }
        let is_fresh = |known: &Known| {
            let is_young = |at| now.saturating_duration_since(at) < self.max_stale;
            known.changes == changes && known.asked_at.is_some_and(is_young)
        };
        if !self.known.as_ref().is_some_and(is_fresh) {
            let table = self.ask(connection)?;
            let before = self.version();
            let same = self.known.take_if(|known| known.table == table);
            self.close(connection);
            let (keyed, version) = match same {
                Some(known) => (known.keyed, before),
                None => (self.keyed(&table)?, before + 1),
            };
            let asked_at = Some(now);
            self.known = Some(Known { table, keyed, asked_at, changes, session, version });
        }
        match &mut self.known {
            Some(known) => Ok(&mut known.keyed),
            None => Err(Error::OutOfSync.into()),
        }
    }

    /// Another number whenever the table is another one than before.
    pub fn version(&self) -> u64 {
        self.known.as_ref().map_or(0, |known| known.version)
    }

    /// Has it asked anew when it is used next.
    pub fn refresh(&mut self) {
        if let Some(known) = &mut self.known {
            known.asked_at = None;
        }
    }

    /// Has the server forget what was prepared, in the session that this was last used in.
    pub fn close(&mut self, connection: &mut Connection) {
        if let Some(mut known) = self.known.take() {
            known.keyed.close(connection);
        }
    }

    fn keyed(&self, table: &Table) -> Result<KeyedTable, TableError> {
        let columns: Vec<&[u8]> = match &self.columns {
            Some(columns) => columns.iter().map(|name| &**name).collect(),
            None => table.columns.iter().map(|column| &*column.name).collect(),
        };
        KeyedTable::new(table, &self.index, Some(&columns))
    }

    fn ask(&mut self, connection: &mut Connection) -> Result<Table, TableError> {
        let charset = connection.session().character_set_client.name.as_bytes();
        let is_ascii =
            self.name.is_ascii() && self.database.as_ref().is_none_or(|it| it.is_ascii());
        if !is_ascii && !has_ascii(charset) {
            return Err(TableError::Charset);
        }
        let asked = connection.apart(|connection| {
            if self.database.is_none() {
                let said = rows(connection, b"SELECT DATABASE()")?;
                let current = said.first().map_or(&b""[..], |row| value(row, 0));
                self.database = Some(current.into()).filter(|_| !current.is_empty());
            }
            let Some(database) = &self.database else { return Ok(None) };
            if connection.may_hold_tables() && is_temporary(connection, &self.quoted())? {
                return Ok(None);
            }
            Table::read(connection, database, &self.name)
        });
        match asked {
            Ok(Some(table)) => Ok(table),
            Ok(None) => Err(self.why_not(connection)?),
            Err(PortError::Lost(error)) => Err(error.into()),
            Err(_) => Err(Error::Unsupported("what the server says of a table").into()),
        }
    }

    /// Why there is no such base table: what the server says to who reads from it.
    fn why_not(&self, connection: &mut Connection) -> Result<TableError, Error> {
        let sql = [b"SELECT 1 FROM ", &*self.quoted(), b" LIMIT 0"].concat();
        connection.by_itself(Own::KeyValue, |it| it.send_query(&sql))?;
        if let QueryResponse::ResultSet(_) = connection.read_query_response()? {
            connection.store_result()?;
        }
        Ok(TableError::Table(self.name.clone()))
    }

    /// Its name as it stands in statements.
    fn quoted(&self) -> Vec<u8> {
        let database = self.database.iter().flat_map(|name| [quoted(name), b".".to_vec()].concat());
        database.chain(quoted(&self.name)).collect()
    }
}

/// Whether the session has a temporary table of this name: it hides the other one, of which `information_schema` tells.
fn is_temporary(connection: &mut Connection, name: &[u8]) -> Result<bool, PortError> {
    let sql = [b"SHOW CREATE TABLE ", name].concat();
    let sent = connection.by_itself(Own::TemporaryTable, |it| it.send_query(&sql));
    sent.map_err(PortError::Lost)?;
    match connection.read_query_response() {
        Ok(QueryResponse::ResultSet(_)) => {}
        // Whoever may not see how it was made has not made it.
        Ok(_) | Err(Error::Server { .. }) => return Ok(false),
        Err(error) => return Err(PortError::Lost(error)),
    }
    let made = connection.store_result().map_err(PortError::Lost)?;
    let text = made.row(0).and_then(|row| row.values().nth(1)?);
    Ok(text.is_some_and(|text| text.starts_with(b"CREATE TEMPORARY TABLE")))
}

/// The name that a text begins with, and what is behind it.
fn name(text: &[u8]) -> Option<(Box<[u8]>, &[u8])> {
    let Some(mut rest) = text.strip_prefix(b"`") else {
        let end = text.iter().position(|byte| matches!(byte, b'.' | b'`')).unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end)?;
        return (!name.is_empty()).then(|| (name.into(), rest));
    };
    let mut name = Vec::new();
    loop {
        let end = rest.iter().position(|byte| *byte == b'`')?;
        name.extend_from_slice(rest.get(..end)?);
        rest = rest.get(end + 1..)?;
        match rest.strip_prefix(b"`") {
            Some(behind) => {
                name.push(b'`');
                rest = behind;
            }
            None => return (!name.is_empty()).then(|| (name.into(), rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let check = |text: &str, expected: Option<(Option<&str>, &str)>| {
            let none = None::<std::iter::Empty<&[u8]>>;
            let named = NamedTable::new(text.as_bytes(), none, b"PRIMARY", Duration::ZERO);
            let shown = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
            let found = named.map(|it| (it.database.as_deref().map(shown), shown(&it.name)));
            let expected = expected.map(|(of, name)| (of.map(str::to_owned), name.to_owned()));
            assert_eq!(found, expected, "{text}");
        };
        check("t", Some((None, "t")));
        check("d.t", Some((Some("d"), "t")));
        check("`d.e`.`t``u`", Some((Some("d.e"), "t`u")));
        check("d.`t`", Some((Some("d"), "t")));
        check("a b-c", Some((None, "a b-c")));
        for none in ["", ".", "d.", ".t", "a.b.c", "`", "``", "`a", "`a`b", "a`b`", "`a`.", "a..b"]
        {
            check(none, None);
        }
    }
}
