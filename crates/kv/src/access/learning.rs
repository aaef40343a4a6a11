//! What is asked of the server, and what its answers tell: what a session is like, what a table is, which columns a shape has.

use std::rc::Rc;
use std::time::Instant;

use vaquita_client::{Columns, Connection, Dialect, Error};

use super::{Access, Found};
use crate::knowledge::Verdict;
use crate::plan::Reason;
use crate::select::KeySelect;
use crate::state::State;

impl Access {
    /// Asks the server what has to be known of a session and a table; so the statement itself goes there, too.
    pub(super) fn ask(
        &mut self,
        connection: &mut Connection,
        select: &KeySelect<'_>,
        changes: u64,
        now: Instant,
    ) -> Result<Found, Error> {
        if self.state.as_ref().is_none_or(|(at, ..)| *at != changes) {
            self.ask_state(connection, changes)?;
        }
        match self.verdict(now).as_deref() {
            Some(Err(reason)) => self.refuse(*reason),
            Some(Ok(_)) => Ok(self.left_to_server()),
            None => self.look(connection, select, now),
        }
    }

    /// The verdict upon the shape at hand in a session as this one is.
    pub(super) fn verdict(&mut self, now: Instant) -> Option<Rc<Verdict>> {
        let (_, number, state) = self.state.as_ref()?;
        if let Some(reason) = state.reason {
            return Some(Rc::new(Err(reason)));
        }
        let number = *number;
        self.set_state(number);
        self.knowledge.borrow().verdict(&self.shape, now, self.settings.max_stale)
    }

    pub(super) fn set_state(&mut self, number: u32) {
        self.shape.iter_mut().zip(number.to_le_bytes()).for_each(|(to, from)| *to = from);
    }

    pub(super) fn ask_state(
        &mut self,
        connection: &mut Connection,
        changes: u64,
    ) -> Result<(), Error> {
        self.state = None;
        let asked = self.apart(connection, State::ask);
        let state = match asked {
            Ok(state) => state,
            Err(crate::Error::Lost(error))
                if connection.state() != vaquita_client::State::Ready =>
            {
                return Err(error);
            }
            Err(_) => State::unknown(),
        };
        let number = self.knowledge.borrow_mut().number_of(&state);
        self.state = Some((changes, number, state));
        Ok(())
    }

    /// Asks the server what has to be known of a table.
    pub(super) fn look(
        &mut self,
        connection: &mut Connection,
        select: &KeySelect<'_>,
        now: Instant,
    ) -> Result<Found, Error> {
        let Some((_, _, state)) = &self.state else { return self.refuse(Reason::Settings) };
        let mut knowledge = self.knowledge.borrow_mut();
        let looked = self.apart(connection, |connection| {
            knowledge.refresh(connection, state, now, self.settings.max_stale)?;
            let looked = knowledge.look(connection, select, state, &self.settings.tables)?;
            if looked.is_err() && self.advising.is_some() {
                let _ = knowledge.look_at_table(connection, select, state)?;
            }
            Ok(looked)
        });
        match looked {
            Ok(Ok(())) => Ok(Found::ToLearn),
            Ok(Err(reason)) => {
                knowledge.refuse(&self.shape, reason);
                drop(knowledge);
                self.refuse(reason)
            }
            Err(crate::Error::Lost(error)) => Err(error),
            Err(_) => {
                drop(knowledge);
                self.refuse(Reason::Port)
            }
        }
    }

    /// A statement that went to the server has these columns.
    pub(super) fn succeeded(
        &mut self,
        found: &Found,
        sql: &[u8],
        dialect: Dialect,
        columns: &Columns,
    ) {
        match found {
            Found::ToSee => {
                self.set_state(0);
                self.knowledge.borrow_mut().see(&self.shape);
            }
            Found::ToLearn => self.learn(sql, dialect, columns),
            Found::Answered(_) | Found::Server | Found::ToPort(_) => {}
        }
    }

    pub(super) fn learn(&mut self, sql: &[u8], dialect: Dialect, columns: &Columns) {
        let Some(select) = KeySelect::parse(sql, dialect) else { return };
        let Some((_, _, state)) = &self.state else { return };
        let dirty = self.settings.allows_dirty;
        let mut knowledge = self.knowledge.borrow_mut();
        match knowledge.learn(&self.shape, &select, state, columns, dirty) {
            Ok(()) => {
                self.counts.learnt += 1;
                self.counts.eligible += 1;
            }
            Err(reason) => self.counts.refuse(reason),
        }
    }

    /// Asks something of the server without telling it to whoever looks on.
    pub(super) fn apart<R>(
        &self,
        connection: &mut Connection,
        ask: impl FnOnce(&mut Connection) -> R,
    ) -> R {
        let said = connection.apart(ask);
        self.standing.accept_told(connection.session());
        said
    }
}
