//! A port is asked, and what it gives becomes the statement's answer.

use std::sync::Arc;
use std::time::Instant;

use vaquita_client::{Connection, Error};

use super::{Access, Asked, Found};
use crate::counts::Counts;
use crate::knowledge::{Planned, Way};
use crate::plan::Reason;
use crate::shape::Values;

/// What a port gave of one row.
pub(super) struct Given {
    pub(super) values: Vec<Option<Vec<u8>>>,
    /// Whether the server has said nothing meanwhile.
    is_quiet: bool,
}

impl Access {
    /// Asks the port for a statement's row, if there is a plan for these values.
    pub(super) fn ask_port(
        &mut self,
        connection: &mut Connection,
        asked: Asked<'_>,
        values: &Values<'_>,
        planned: &Planned,
    ) -> Result<Found, Error> {
        if planned.in_vain.leaves_out() {
            return self.refuse(Reason::Row);
        }
        let given = match self.ask_for_row(connection, values, planned, Counts::ask) {
            Ok(Some(given)) => given,
            Ok(None) => return Ok(self.left_to_server()),
            Err(reason) => return self.refuse(reason),
        };
        let of_port: Vec<_> = given.values.iter().map(Option::as_deref).collect();
        let row = match planned.way.row(of_port) {
            Ok(row) => row,
            Err(reason) => return self.refuse(reason),
        };
        if !given.is_quiet {
            return self.refuse(Reason::Row);
        }
        if !planned.proof.is_done() {
            let compared =
                self.compare(connection, asked.sql, values, planned, &given.values, &row)?;
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
        Ok(Found::Answered(Arc::clone(columns)))
    }

    /// What the port gives for these values; `None`: there is a plan for them, and no port is asked.
    #[inline]
    pub(super) fn ask_for_row(
        &mut self,
        connection: &mut Connection,
        values: &Values<'_>,
        planned: &Planned,
        count: fn(&mut Counts),
    ) -> Result<Option<Given>, Reason> {
        let dialect = connection.session().dialect();
        let now = Instant::now();
        let mut given = Vec::new();
        // Looked at while the port is at work.
        let mut is_quiet = false;
        let reply = match &planned.way {
            Way::Memcached(plan) => {
                let value = values.all().first().ok_or(Reason::Form)?;
                let key = plan.put_key(*value, dialect, &mut self.key)?;
                if self.advising.is_some() {
                    return Ok(None);
                }
                count(&mut self.counts);
                self.port.memcached(now, |port| {
                    port.send_get(&[key])?;
                    is_quiet = connection.is_quiet();
                    port.read_values(&[key], |_, _, value| given.push(Some(value.to_vec())))?;
                    Ok((!given.is_empty()).then_some(()))
                })
            }
            Way::HandlerSocket(id, plan, secret) => {
                let key = plan.key(values.all(), dialect)?;
                if self.advising.is_some() {
                    return Ok(None);
                }
                let key: Vec<_> = key.iter().map(|value| Some(&**value)).collect();
                count(&mut self.counts);
                self.port.handler_socket(now, secret, (*id, plan), |port, index| {
                    let mut found = None;
                    port.send_find(index, &[&key], 1)?;
                    is_quiet = connection.is_quiet();
                    port.read_rows(index, |row| {
                        found = Some(());
                        given.extend(row.iter().map(|value| value.as_deref().map(<[u8]>::to_vec)));
                    })?;
                    Ok(found)
                })
            }
        };
        match reply {
            Ok(Some(())) => Ok(Some(Given { values: given, is_quiet })),
            Ok(None) => {
                self.counts.misses += 1;
                Err(Reason::Miss)
            }
            Err(_) => {
                self.counts.errors += 1;
                Err(Reason::Port)
            }
        }
    }
}

impl Way {
    /// The values of a row of the result, of what the port gave for it.
    pub(super) fn row<'v>(
        &self,
        given: Vec<Option<&'v [u8]>>,
    ) -> Result<Vec<Option<&'v [u8]>>, Reason> {
        match self {
            Way::Memcached(plan) => plan.row(given.first().copied().flatten().unwrap_or_default()),
            Way::HandlerSocket(_, plan, _) => plan.check(&given).map(|()| given),
        }
    }
}
