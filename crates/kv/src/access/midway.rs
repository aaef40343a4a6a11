//! A port that is chosen in the middle of a session: what was before may matter, and whether there is a port is asked at once.

use std::time::Instant;

use vaquita_client::{Connection, Error};

use super::Access;
use crate::memcached::Mapping;
use crate::server::Server;

impl Access {
    /// Takes the place of another one, or of none, behind statements that perhaps nobody has looked at: if those may have left temporary tables,
    /// locks, or another kind of transaction, nothing is asked of a port as long as the session lives.
    pub fn take_over(&mut self, connection: &Connection, before: Option<&Access>) {
        // With what the server has told of behind the last statement.
        let was_in_doubt =
            before.is_some_and(|before| before.standing.changes(connection.session()).is_err());
        if was_in_doubt || connection.may_hold_tables() {
            self.standing.doubt();
        }
    }

    /// Asks what the server has besides SQL, unless that is known, and keeps it for [`Access::plugin`]; whether there is anything.
    ///
    /// # Errors
    /// The connection's.
    pub fn look_for_port(&mut self, connection: &mut Connection) -> Result<bool, Error> {
        // Where it can't be known what the session is like no port is asked, but there may be one.
        let changes = self.standing.changes(connection.session()).unwrap_or_default();
        self.ask_state(connection, changes)?;
        let Some((_, _, state)) = &self.state else { return Ok(false) };
        let asked = self.apart(connection, |connection| {
            let mut knowledge = self.knowledge.borrow_mut();
            knowledge.refresh(connection, state, Instant::now(), self.settings.max_stale)
        });
        if let Err(crate::Error::Lost(error)) = asked {
            return Err(error);
        }
        connection.restore_found_rows();
        self.plugin = match self.knowledge.borrow().server(state) {
            Server::Memcached(mapping) => Some(Box::new(mapping.clone())),
            _ => None,
        };
        Ok(!self.port_name().is_empty())
    }

    /// What the memcached plugin was told when [`Access::look_for_port`] looked, if there is one.
    pub fn plugin(&self) -> Option<&Mapping> {
        self.plugin.as_deref()
    }
}
