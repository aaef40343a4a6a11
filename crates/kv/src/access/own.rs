//! The statements by which tables by key ask: of one key, and of many, for which a port is asked in one request.

use vaquita_client::{Buffered, Columns, Connection, Error, Parameter, Statement};

use super::asking::Row;
use super::{Access, Asked, Found, literal};
use crate::knowledge::Planned;
use crate::plan::Reason;
use crate::select::KeySelect;
use crate::shape::Values;

/// The most keys of one request, so that neither side waits for the other to read. The limit is our own.
const MAX_KEYS: usize = 100;

/// Rows that a port gave, each with the place of its key.
pub(crate) type Given = Vec<(Vec<usize>, Buffered)>;

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
        let Some(select) = KeySelect::parse(sql, connection.session().dialect()) else {
            return Ok(Some(given));
        };
        for keys in keys.chunks(MAX_KEYS) {
            if planned.in_vain.leaves_out() {
                break;
            }
            let asked = keys.iter().filter_map(|(place, key)| {
                let mut values = select.values();
                values.bind(key.iter().map(literal)).then_some((*place, values))
            });
            let asked: Vec<_> = asked.collect();
            let Some(rows) = self.ask_for(connection, sql, planned, &asked) else { break };
            self.answer(connection, sql, planned, &asked, &rows, &mut given)?;
        }
        Ok(Some(given))
    }

    /// Makes results of the connection of what a port gave.
    fn answer(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
        planned: &Planned,
        asked: &[(usize, Values<'_>)],
        rows: &[Row],
        given: &mut Given,
    ) -> Result<(), Error> {
        let mut whole = Vec::with_capacity(rows.len());
        for (place, given) in rows {
            let row = match planned.way.row(given) {
                Ok(row) if !planned.proof.is_done() => {
                    let Some((_, values)) = asked.iter().find(|(at, _)| at == place) else {
                        continue;
                    };
                    self.compare(connection, sql, *values, planned, given, &row)?.map(|()| row)
                }
                row => row,
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
