//! The second connection that kills a query, on the server that runs it.

use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::options::ConnectOptions;
use crate::server_identity::Identity;
use crate::watch::{Stop, Stopped};

/// How long the connection that kills may take in all.
pub(crate) const KILLER_TIMEOUT: Duration = Duration::from_secs(5);

/// Kills the query of one connection over another.
#[derive(Debug)]
pub(crate) struct Killer {
    options: ConnectOptions,
    /// The victim's; `None`: its server did not tell, so nothing can be killed.
    victim: Option<Identity>,
}

impl Stop for Killer {
    fn stop(&self, is_answered: &dyn Fn() -> bool) -> Result<Stopped, String> {
        let begun = Instant::now();
        let victim = self.victim.as_ref().ok_or("the server does not tell which one it is")?;
        let mut killer = Connection::connect(&self.options)
            .map_err(|error| format!("no second connection: {error}"))?;
        let left = KILLER_TIMEOUT.saturating_sub(begun.elapsed());
        killer.stream.transport().finish_within(Some(left));
        killer.ask().map_err(|error| error.to_string())?;
        let reached = killer.server_side.identity.as_ref();
        if !reached.is_some_and(|reached| reached.is_same_server(victim)) {
            return Err("a second connection reached another server".to_owned());
        }
        if is_answered() {
            return Ok(Stopped::No);
        }
        let sql = format!("KILL QUERY {}", victim.connection_id);
        killer.run_own(sql.as_bytes()).map_err(|error| error.to_string())?;
        Ok(Stopped::Yes)
    }
}

impl Connection {
    /// What would kill this connection's query.
    pub(crate) fn killer(&self) -> Killer {
        Killer { options: self.killer_options(), victim: self.server_side.identity.clone() }
    }

    fn killer_options(&self) -> ConnectOptions {
        ConnectOptions {
            database: None,
            init_commands: Vec::new(),
            connect_timeout: Some(KILLER_TIMEOUT),
            read_timeout: Some(KILLER_TIMEOUT),
            write_timeout: Some(KILLER_TIMEOUT),
            query_timeout: None,
            ..(*self.options).clone()
        }
    }
}
