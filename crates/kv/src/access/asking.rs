//! A port is asked, and what it gives becomes the statement's answer.

use std::sync::Arc;
use std::time::Instant;

use vaquita_client::{Connection, Error};

use super::{Access, Asked, Found};
use crate::knowledge::{Planned, Way};
use crate::plan::Reason;
use crate::shape::Values;

impl Access {
    /// Asks the port for a statement's row, if there is a plan for these values.
    pub(super) fn ask_port(
        &mut self,
        connection: &mut Connection,
        asked: Asked<'_>,
        values: &Values<'_>,
        planned: &Planned,
    ) -> Result<Found, Error> {
        let dialect = connection.session().dialect();
        let columns = &planned.columns;
        let now = Instant::now();
        let mut given: Vec<Option<Vec<u8>>> = Vec::new();
        // Looked at while the port is at work.
        let mut is_quiet = false;
        let reply = match &planned.way {
            Way::Memcached(plan) => {
                let Some(value) = values.all().first() else { return self.refuse(Reason::Form) };
                let key = match plan.put_key(*value, dialect, &mut self.key) {
                    Ok(key) => key,
                    Err(reason) => return self.refuse(reason),
                };
                if self.advising.is_some() {
                    return Ok(self.left_to_server());
                }
                self.counts.ask();
                self.port.memcached(now, |port| {
                    port.send_get(&[key])?;
                    is_quiet = connection.is_quiet();
                    port.read_values(&[key], |_, _, value| given.push(Some(value.to_vec())))?;
                    Ok((!given.is_empty()).then_some(()))
                })
            }
            Way::HandlerSocket(id, plan, secret) => {
                let key = match plan.key(values.all(), dialect) {
                    Ok(key) => key,
                    Err(reason) => return self.refuse(reason),
                };
                if self.advising.is_some() {
                    return Ok(self.left_to_server());
                }
                let key: Vec<_> = key.iter().map(|value| Some(&**value)).collect();
                self.counts.ask();
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
            Ok(Some(())) => {}
            Ok(None) => {
                self.counts.misses += 1;
                return self.refuse(Reason::Miss);
            }
            Err(_) => {
                self.counts.errors += 1;
                return self.refuse(Reason::Port);
            }
        }
        let given: Vec<_> = given.iter().map(Option::as_deref).collect();
        let row = match &planned.way {
            Way::Memcached(plan) => plan.row(given.first().copied().flatten().unwrap_or_default()),
            Way::HandlerSocket(_, plan, _) => plan.check(&given).map(|()| given),
        };
        let answered = row.and_then(|row| {
            let row = std::iter::once(&row[..]);
            let is_answered =
                is_quiet && connection.answer_rows(columns, asked.given.is_some(), row) == 1;
            if is_answered { Ok(()) } else { Err(Reason::Row) }
        });
        match answered {
            Ok(()) => {
                self.counts.answered += 1;
                Ok(Found::Answered(Arc::clone(columns)))
            }
            Err(reason) => self.refuse(reason),
        }
    }
}
