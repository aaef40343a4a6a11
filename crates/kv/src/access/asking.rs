//! A port is asked for one key or for many, and what it gives for one becomes the statement's answer.

use std::time::Instant;

use vaquita_client::{Connection, Error};

use super::{Access, Asked, Found};
use crate::counts::Counts;
use crate::knowledge::{Planned, Way};
use crate::memcached::Key;
use crate::plan::Reason;
use crate::shape::Values;

/// A row that a port gave, with the place of its key among those that were asked for.
pub(super) type Row = (usize, Vec<Option<Vec<u8>>>);

/// What a port gave.
pub(super) struct Given {
    pub(super) rows: Vec<Row>,
    /// For how many keys it was asked.
    asked: usize,
}

impl Access {
    /// Asks the port for a statement's row, if there is a plan for these values.
    pub(super) fn ask_port(
        &mut self,
        connection: &mut Connection,
        asked: Asked<'_>,
        values: Values<'_>,
        planned: &Planned,
    ) -> Result<Found, Error> {
        if planned.in_vain.leaves_out() {
            return self.refuse(Reason::Row);
        }
        let rows = self.ask_for(connection, asked.sql, planned, &[(0, values)]).unwrap_or_default();
        let Some((_, given)) = rows.first() else { return Ok(Found::Server) };
        let row = match planned.way.row(given) {
            Ok(row) => row,
            Err(reason) => return self.refuse(reason),
        };
        if !planned.proof.is_done() {
            let compared = self.compare(connection, asked.sql, values, planned, given, &row)?;
            if let Err(reason) = compared {
                return self.refuse(reason);
            }
        }
        let (columns, rows) = (&planned.columns, std::iter::once(&row[..]));
        if connection.answer_rows(columns, asked.given.is_some(), rows) == 0 {
            planned.in_vain.add();
            return self.refuse(Reason::Row);
        }
        if planned.proof.is_done() {
            planned.in_vain.end();
        }
        self.counts.answered += 1;
        Ok(Found::Answered(columns.clone()))
    }

    /// Asks the port for keys, in one request: the rows that it has. What it is not asked for, or does not have, is counted. `None`: it failed, or
    /// the server has something to say.
    pub(super) fn ask_for(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
        planned: &Planned,
        keys: &[(usize, Values<'_>)],
    ) -> Option<Vec<Row>> {
        let given = match self.given(connection, sql, planned, keys, Counts::ask) {
            Ok(given) => given,
            Err(reason) => {
                self.counts.refuse(reason);
                return None;
            }
        };
        for _ in given.rows.len()..given.asked {
            self.counts.misses += 1;
            self.counts.refuse(Reason::Miss);
        }
        Some(given.rows)
    }

    /// What the port gives for keys, in one request. What it is not asked for is counted.
    ///
    /// # Errors
    /// Why all of them go to the server.
    pub(super) fn given(
        &mut self,
        connection: &mut Connection,
        sql: &[u8],
        planned: &Planned,
        keys: &[(usize, Values<'_>)],
        count: fn(&mut Counts),
    ) -> Result<Given, Reason> {
        let dialect = connection.session().dialect();
        let now = Instant::now();
        // Looked at while the port is at work.
        let mut is_quiet = false;
        let mut rows = Vec::with_capacity(keys.len());
        let (asked, reply) = match &planned.way {
            Way::Memcached(plan) => {
                let sent = self.sent(keys, count, |values| {
                    let mut bytes = Vec::new();
                    let value = values.all().first().ok_or(Reason::Form)?;
                    plan.put_key(*value, dialect, &mut bytes)?;
                    Ok(bytes)
                });
                if sent.is_empty() {
                    return Ok(Given { rows, asked: 0 });
                }
                let ask = self.port.memcached(now, |port| {
                    let keys = sent.iter().map(|(_, bytes)| Key::new(bytes));
                    let keys: Vec<Key<'_>> = keys.collect::<Result<_, _>>()?;
                    port.send_get(&keys)?;
                    is_quiet = connection.is_quiet();
                    port.read_values(&keys, |at, _, value| {
                        if let Some((place, _)) = sent.get(at) {
                            rows.push((*place, vec![Some(value.to_vec())]));
                        }
                    })
                });
                (sent.len(), ask)
            }
            Way::HandlerSocket(id, plan, secret) => {
                let sent = self.sent(keys, count, |values| plan.key(values.all(), dialect));
                if sent.is_empty() {
                    return Ok(Given { rows, asked: 0 });
                }
                let keys: Vec<Vec<Option<&[u8]>>> = sent
                    .iter()
                    .map(|(_, key)| key.iter().map(|value| Some(&**value)).collect())
                    .collect();
                let keys: Vec<&[Option<&[u8]>]> = keys.iter().map(Vec::as_slice).collect();
                let ask = self.port.handler_socket(now, secret, (*id, plan), |port, index| {
                    port.send_find(index, &keys, 1)?;
                    is_quiet = connection.is_quiet();
                    for (place, _) in &sent {
                        port.read_rows(index, |given| {
                            let row = given.iter().map(|it| it.as_deref().map(<[u8]>::to_vec));
                            rows.push((*place, row.collect()));
                        })?;
                    }
                    Ok(())
                });
                (sent.len(), ask)
            }
        };
        if connection.tells_waits() {
            connection.tell_of_asking(sql, now.elapsed(), reply.is_err());
        }
        match reply {
            Err(_) => {
                self.counts.errors += 1;
                Err(Reason::Port)
            }
            Ok(()) if !is_quiet => Err(Reason::Row),
            Ok(()) => Ok(Given { rows, asked }),
        }
    }

    /// The keys that the port is asked for, as its protocol has them: none where that is only for advice.
    fn sent<K>(
        &mut self,
        keys: &[(usize, Values<'_>)],
        count: fn(&mut Counts),
        key: impl Fn(&Values<'_>) -> Result<K, Reason>,
    ) -> Vec<(usize, K)> {
        let mut sent = Vec::with_capacity(keys.len());
        for (place, values) in keys {
            match key(values) {
                Ok(_) if self.is_advising() => self.counts.eligible += 1,
                Ok(key) => {
                    count(&mut self.counts);
                    sent.push((*place, key));
                }
                Err(reason) => self.counts.refuse(reason),
            }
        }
        sent
    }
}

impl Way {
    /// A row of the result, of what the port gave for it.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn row<'r>(
        &self,
        given: &'r [Option<Vec<u8>>],
    ) -> Result<Vec<Option<&'r [u8]>>, Reason> {
        let values: Vec<Option<&[u8]>> = given.iter().map(Option::as_deref).collect();
        match self {
            Way::Memcached(plan) => plan.row(values.first().copied().flatten().unwrap_or_default()),
            Way::HandlerSocket(_, plan, _) => plan.check(&values).map(|()| values),
        }
    }
}
