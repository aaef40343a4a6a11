//! Finding rows: one by a prepared SELECT, many by one that has the server look up each key of a JSON array.
//!
//! Which row belongs to which key is the server's to say, for it alone knows what is equal by a collation: so each comes with its key's number. What
//! a JSON_TABLE would cut or change (MariaDB does, with a warning) is asked for alone, and so are a few keys, and all on a server without JSON_TABLE.

use vaquita_client::{Connection, Data, Error, Parameter};

use super::error::TableError;
use super::found::Found;
use super::key::{Fit, KeyValue, Part};
use super::{KeyedTable, bound, is_none};
use crate::access::Access;
use crate::plan::has_ascii;

/// From so many keys on one statement for all is faster than one for each, sent at once: measured, `docs/kv.md`.
const TOGETHER: usize = 5;

/// The most keys of one statement, and the most bytes: far below the least `max_allowed_packet`. The limits are our own.
const MAX_KEYS: usize = 1000;
const MAX_JSON_BYTES: usize = 256 << 10;

/// ER_PARSE_ERROR: a server before MySQL 8.0.4 or MariaDB 10.6 knows no JSON_TABLE, nor does one whose version is somebody else's.
const PARSE_ERROR: u16 = 1064;

/// ER_KEY_DOES_NOT_EXITS: the index is invisible (MySQL) or ignored (MariaDB), so that no statement may name it.
const NO_SUCH_INDEX: u16 = 1176;

/// ER_CANT_AGGREGATE_2COLLATIONS, ER_CANNOT_CONVERT_STRING, and what MySQL 8.0.32 says instead: the column does not have a character of the text.
const FOREIGN: [u16; 3] = [1267, 3854, 3988];

/// Keys that are asked for together: their places, and the array that they are.
#[derive(Debug, Default)]
struct Group {
    keys: Vec<usize>,
    json: Vec<u8>,
}

impl KeyedTable {
    /// The row of one key, if there is one.
    ///
    /// # Errors
    /// [`TableError::KeyLength`], [`TableError::Sql`].
    pub fn get(
        &mut self,
        connection: &mut Connection,
        key: &[KeyValue<'_>],
    ) -> Result<Found, TableError> {
        self.get_by(connection, None, key)
    }

    /// The same, from the connection's port where that is known to give SQL's answer.
    ///
    /// # Errors
    /// As [`KeyedTable::get`].
    pub fn get_by(
        &mut self,
        connection: &mut Connection,
        mut access: Option<&mut Access>,
        key: &[KeyValue<'_>],
    ) -> Result<Found, TableError> {
        let parts = self.parts_of_one(connection, key)?;
        let mut found = Found::none(1, self.values);
        if is_none(&parts) {
            return Ok(found);
        }
        let (sql, key) = (&self.texts.select, bound(&parts));
        if let Some(access) = &mut access {
            let statement = self.statements.hold(connection, sql)?;
            if access.execute_own(connection, statement, &key)?.is_some() {
                found.add_one(0, connection.store_result()?);
                return Ok(found);
            }
        }
        let rows = match self.statements.read(connection, sql, &key) {
            Err(TableError::Sql(error)) if is_foreign(&error, &parts) => return Ok(found),
            read => read?,
        };
        if let Some(access) = access {
            let statement = self.statements.hold(connection, sql)?;
            access.executed(connection, statement, Some(rows.columns()));
        }
        found.add_one(0, rows);
        Ok(found)
    }

    /// The rows of keys, which stand one behind the other. A key may come several times.
    ///
    /// They are read in one statement of the session, or in several: without a transaction, each row is of its own moment.
    ///
    /// # Errors
    /// [`TableError::KeyLength`], [`TableError::Sql`]: the first error of any.
    pub fn get_many(
        &mut self,
        connection: &mut Connection,
        keys: &[KeyValue<'_>],
    ) -> Result<Found, TableError> {
        self.get_many_by(connection, None, keys)
    }

    /// The same, from the connection's port where that is known to give SQL's answers.
    ///
    /// # Errors
    /// As [`KeyedTable::get_many`].
    pub fn get_many_by(
        &mut self,
        connection: &mut Connection,
        access: Option<&mut Access>,
        keys: &[KeyValue<'_>],
    ) -> Result<Found, TableError> {
        let parts = self.parts(connection, keys)?;
        let keys: Vec<&[(Part<'_>, Fit)]> = parts.chunks(self.key.len()).collect();
        let mut found = Found::none(keys.len(), self.values);
        if let Some(access) = access {
            self.ask_port(connection, access, &keys, &mut found)?;
        }
        match self.ask_server(connection, &keys, &mut found) {
            Err(TableError::Sql(Error::Server { code: PARSE_ERROR | NO_SUCH_INDEX, .. }))
                if self.texts.select_many.take().is_some() =>
            {
                self.ask_server(connection, &keys, &mut found)?;
            }
            asked => asked?,
        }
        Ok(found)
    }

    /// Asks the server for those keys whose rows are not known.
    fn ask_server(
        &mut self,
        connection: &mut Connection,
        keys: &[&[(Part<'_>, Fit)]],
        found: &mut Found,
    ) -> Result<(), TableError> {
        let (groups, alone) = self.grouped(connection, keys, found);
        let many = self.texts.select_many.as_deref().unwrap_or_default();
        let of_group = |group| -> (&[u8], Vec<Parameter<'_>>) {
            let Group { json, .. }: &Group = group;
            (many, vec![Parameter::Text(Data::Bytes(json))])
        };
        let of_one = |place: &usize| {
            let key = keys.get(*place).copied().unwrap_or_default();
            (&*self.texts.select, bound(key))
        };
        let commands: Vec<_> =
            groups.iter().map(of_group).chain(alone.iter().map(of_one)).collect();
        let results = match &*commands {
            [] => return Ok(()),
            [(sql, parameters)] => match self.statements.read(connection, sql, parameters) {
                Err(TableError::Sql(error)) => vec![Err(error)],
                read => vec![Ok(read?)],
            },
            several => self.statements.run_all(connection, several)?,
        };
        let mut results = results.into_iter();
        for (group, result) in groups.iter().zip(&mut results) {
            found.add_many(&group.keys, result?);
        }
        for (place, result) in alone.iter().zip(&mut results) {
            let key = keys.get(*place).copied().unwrap_or_default();
            match result {
                Err(error) if is_foreign(&error, key) => {}
                result => found.add_one(*place, result?),
            }
        }
        Ok(())
    }

    /// Asks the port for those keys that it can be asked for.
    fn ask_port(
        &mut self,
        connection: &mut Connection,
        access: &mut Access,
        keys: &[&[(Part<'_>, Fit)]],
        found: &mut Found,
    ) -> Result<(), TableError> {
        let asked = keys.iter().enumerate().filter(|(_, key)| !is_none(key));
        let asked: Vec<_> = asked.map(|(place, key)| (place, bound(key))).collect();
        let Some((place, key)) = asked.first() else { return Ok(()) };
        let sql = &self.texts.select;
        let statement = self.statements.hold(connection, sql)?;
        if let Some(given) = access.execute_many(connection, statement, &asked)? {
            given.into_iter().for_each(|(places, result)| found.add_each(&places, result));
            return Ok(());
        }
        let rows = match self.statements.read(connection, sql, key) {
            // It is asked for once more, with the others.
            Err(TableError::Sql(Error::Server { code, .. })) if FOREIGN.contains(&code) => {
                return Ok(());
            }
            read => read?,
        };
        let statement = self.statements.hold(connection, sql)?;
        access.executed(connection, statement, Some(rows.columns()));
        found.add_one(*place, rows);
        Ok(())
    }

    /// Which keys are asked for together, and which alone.
    fn grouped(
        &self,
        connection: &Connection,
        keys: &[&[(Part<'_>, Fit)]],
        found: &Found,
    ) -> (Vec<Group>, Vec<usize>) {
        let charset = connection.session().character_set_client.name.as_bytes();
        let is_plain = has_ascii(charset);
        let (mut together, mut alone) = (Vec::new(), Vec::new());
        for (place, key) in keys.iter().enumerate() {
            let is_text = || key.iter().any(|(part, _)| matches!(part, Part::Text(_)));
            if is_none(key) || found.has(place) {
                continue;
            } else if key.iter().all(|(_, fit)| *fit == Fit::Whole) && (is_plain || !is_text()) {
                together.push(place);
            } else {
                alone.push(place);
            }
        }
        if together.len() < TOGETHER || !self.knows_json_table(connection) {
            alone.append(&mut together);
        }
        let mut groups: Vec<Group> = Vec::new();
        for place in together {
            let is_full =
                |group: &Group| group.keys.len() >= MAX_KEYS || group.json.len() >= MAX_JSON_BYTES;
            if groups.last().is_none_or(is_full) {
                groups.push(Group::default());
            }
            let key = keys.get(place).copied().unwrap_or_default();
            if let Some(group) = groups.last_mut() {
                group.add(place, key);
            }
        }
        groups.iter_mut().for_each(|group| group.json.push(b']'));
        (groups, alone)
    }

    /// Whether the server is likely to take the statement for many keys.
    fn knows_json_table(&self, connection: &Connection) -> bool {
        let least = if connection.is_mariadb() { 100_600 } else { 80_004 };
        self.texts.select_many.is_some() && connection.server_version_number() >= least
    }
}

/// Whether this says that no row has a key, of which that was not known.
fn is_foreign(error: &Error, key: &[(Part<'_>, Fit)]) -> bool {
    key.iter().any(|(_, fit)| *fit == Fit::AskServer)
        && matches!(error, Error::Server { code, .. } if FOREIGN.contains(code))
}

impl Group {
    fn add(&mut self, place: usize, key: &[(Part<'_>, Fit)]) {
        self.json.push(if self.keys.is_empty() { b'[' } else { b',' });
        self.keys.push(place);
        if let [(part, _)] = key {
            return part.put_json(&mut self.json);
        }
        for ((part, _), number) in key.iter().zip(0..) {
            self.json.push(if number == 0 { b'[' } else { b',' });
            part.put_json(&mut self.json);
        }
        self.json.push(b']');
    }
}
