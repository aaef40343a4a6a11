//! The statements by which tables by key ask: of one key, and of many, for which a port is asked in one request.

use std::time::Instant;

use vaquita_client::{Buffered, Columns, Connection, Error, Parameter, Statement};

use super::{Access, Asked, Found, literal};
use crate::knowledge::{Planned, Way};
use crate::memcached::Key;
use crate::plan::Reason;
use crate::select::KeySelect;
use crate::shape::Values;

/// The most keys of one request, so that neither side waits for the other to read. The limit is our own.
const MAX_KEYS: usize = 100;

/// Rows that a port gave, each with the place of its key.
pub(crate) type Given = Vec<(Vec<usize>, Buffered)>;

/// What a port gave, and for which key.
type Row = (usize, Vec<Option<Vec<u8>>>);

impl Access {
    /// As [`Access::execute`], of a statement that means the same whenever it was prepared, and has always run with parameters of the same types.
    pub(crate) fn execute_own(
        &mut self,
        connection: &mut Connection,
        statement: &Statement,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Columns>, Error> {
        self.executing = Found::Server;
        let Some((sql, _)) = statement.text() else { return Ok(None) };
        self.run(connection, Asked { sql, given: Some(parameters) })
    }

    /// Rows of a statement that has always run with parameters of the same types, run with those of each key. Those that are not given are to be
    /// asked of the server. `None`: all of them, and the first as [`Access::execute_own`] would, so that it becomes known what such a row is.
    ///
    /// # Errors
    /// The connection failed.
    pub(crate) fn execute_many(
        &mut self,
        connection: &mut Connection,
        statement: &Statement,
        keys: &[(usize, Vec<Parameter<'_>>)],
    ) -> Result<Option<Given>, Error> {
        let (Some((sql, _)), Some((_, first))) = (statement.text(), keys.first()) else {
            return Ok(Some(Given::new()));
        };
        let mut values = Values::none();
        let verdict = match self.way(connection, Asked { sql, given: Some(first) }, &mut values)? {
            // No port is asked.
            Found::ToPort(_) if self.is_advising() => return Ok(Some(Given::new())),
            Found::ToPort(verdict) => verdict,
            found @ (Found::ToSee | Found::ToLearn) => {
                self.executing = found;
                return Ok(None);
            }
            Found::Server | Found::Answered(_) => return Ok(Some(Given::new())),
        };
        let mut given = Given::new();
        let Ok(planned) = &*verdict else { return Ok(Some(given)) };
        for keys in keys.chunks(MAX_KEYS) {
            if !connection.is_quiet() || planned.in_vain.leaves_out() {
                break;
            }
            let rows = match self.ask_for(connection, sql, planned, keys) {
                Ok(rows) => rows,
                Err(_) => {
                    self.counts.errors += 1;
                    self.counts.refuse(Reason::Port);
                    break;
                }
            };
            self.answer(connection, sql, planned, keys, &rows, &mut given)?;
        }
        Ok(Some(given))
    }

    /// Asks the port.
    fn ask_for(
        &mut self,
        connection: &Connection,
        sql: &[u8],
        planned: &Planned,
        keys: &[(usize, Vec<Parameter<'_>>)],
    ) -> Result<Vec<Row>, crate::Error> {
        let dialect = connection.session().dialect();
        let Some(select) = KeySelect::parse(sql, dialect) else { return Ok(Vec::new()) };
        let asked = keys.iter().filter_map(|(place, key)| {
            let mut values = select.values();
            values.bind(key.iter().map(literal)).then_some((*place, values))
        });
        let (now, counts, mut rows) = (Instant::now(), &mut self.counts, Vec::new());
        match &planned.way {
            Way::Memcached(plan) => {
                let mut sent: Vec<(usize, Vec<u8>)> = Vec::with_capacity(keys.len());
                for (place, values) in asked {
                    let Some(value) = values.all().first() else { continue };
                    let mut bytes = Vec::new();
                    match plan.put_key(*value, dialect, &mut bytes).map(|_| ()) {
                        Ok(()) => sent.push((place, bytes)),
                        Err(reason) => counts.refuse(reason),
                    }
                }
                let keys = sent.iter().map(|(_, bytes)| Key::new(bytes));
                let keys: Vec<Key<'_>> = keys.collect::<Result<_, _>>()?;
                keys.iter().for_each(|_| counts.ask());
                self.port.memcached(now, |port| {
                    port.send_get(&keys)?;
                    port.read_values(&keys, |at, _, value| {
                        if let Some((place, _)) = sent.get(at) {
                            rows.push((*place, vec![Some(value.to_vec())]));
                        }
                    })
                })?;
                let misses = keys.len().saturating_sub(rows.len());
                counts.misses += misses as u64;
            }
            Way::HandlerSocket(id, plan, secret) => {
                let mut sent: Vec<(usize, Vec<Vec<u8>>)> = Vec::with_capacity(keys.len());
                for (place, values) in asked {
                    match plan.key(values.all(), dialect) {
                        Ok(key) => sent.push((place, key)),
                        Err(reason) => counts.refuse(reason),
                    }
                }
                let keys: Vec<Vec<Option<&[u8]>>> = sent
                    .iter()
                    .map(|(_, key)| key.iter().map(|value| Some(&**value)).collect())
                    .collect();
                let keys: Vec<&[Option<&[u8]>]> = keys.iter().map(Vec::as_slice).collect();
                keys.iter().for_each(|_| counts.ask());
                self.port.handler_socket(now, secret, (*id, plan), |port, index| {
                    port.send_find(index, &keys, 1)?;
                    for (place, _) in &sent {
                        port.read_rows(index, |given| {
                            let row = given.iter().map(|it| it.as_deref().map(<[u8]>::to_vec));
                            rows.push((*place, row.collect()));
                        })?;
                    }
                    Ok(())
                })?;
                let misses = keys.len().saturating_sub(rows.len());
                counts.misses += misses as u64;
            }
        }
        Ok(rows)
    }

    /// Makes results of the connection of what a port gave.
    fn answer(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
        planned: &Planned,
        keys: &[(usize, Vec<Parameter<'_>>)],
        rows: &[Row],
        given: &mut Given,
    ) -> Result<(), Error> {
        let mut whole: Vec<(usize, Vec<Option<&[u8]>>)> = Vec::with_capacity(rows.len());
        for (place, given) in rows {
            let of_port: Vec<Option<&[u8]>> = given.iter().map(Option::as_deref).collect();
            let row = match planned.way.row(of_port) {
                Ok(row) if planned.proof.is_done() => Ok(row),
                Ok(row) => {
                    let key = keys.iter().find(|(at, _)| at == place).map(|(_, key)| &**key);
                    let values = values(connection, sql, key.unwrap_or_default());
                    self.compare(connection, sql, &values, planned, given, &row)?.map(|()| row)
                }
                Err(reason) => Err(reason),
            };
            match row {
                Ok(row) => whole.push((*place, row)),
                Err(reason) => self.counts.refuse(reason),
            }
        }
        let before = self.counts.answered;
        let mut left = &whole[..];
        while !left.is_empty() {
            let rows = left.iter().map(|(_, row)| &row[..]);
            let answered = connection.answer_rows(&planned.columns, true, rows);
            if answered > 0 {
                let places = left.iter().take(answered).map(|(place, _)| *place).collect();
                given.push((places, connection.store_result()?));
                self.counts.answered += answered as u64;
            } else {
                self.counts.refuse(Reason::Row);
            }
            left = left.get(answered.max(1)..).unwrap_or_default();
        }
        if self.counts.answered > before {
            planned.in_vain.end();
        } else if !whole.is_empty() {
            planned.in_vain.add();
        }
        Ok(())
    }
}

/// The values that a statement asks for with a key.
fn values<'v>(connection: &Connection, sql: &'v [u8], key: &[Parameter<'v>]) -> Values<'v> {
    let select = KeySelect::parse(sql, connection.session().dialect());
    let mut values = select.map_or(Values::none(), |select| select.values());
    values.bind(key.iter().map(literal));
    values
}
