//! The second connection that kills a query, on the server that runs it. It is not counted among the links of this machine: a query has
//! to be stopped where there are as many as may be, too.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::options::ConnectOptions;
use crate::own::Own;
use crate::server_identity::Identity;
use crate::statistics::Statistics;
use crate::watch::{Stop, Stopped};

/// How long the connection that kills may take in all.
pub(crate) const KILLER_TIMEOUT: Duration = Duration::from_secs(5);

/// What killers have counted: they work below the connection that they help, which tells of it.
#[derive(Clone, Default)]
pub(crate) struct Spent(Arc<Mutex<Statistics>>);

impl Spent {
    /// Nobody panics while counting.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Statistics> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Spent {
    /// The connection's own counters are not shown either.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Spent")
    }
}

/// Kills the query of one connection over another.
#[derive(Debug)]
pub(crate) struct Killer {
    options: ConnectOptions,
    /// Where the victim's server was found: its name may lead elsewhere by now.
    peer: Option<SocketAddr>,
    /// The victim's; `None`: its server did not tell, so nothing can be killed.
    victim: Option<Identity>,
    /// Where it is counted what killing took.
    spent: Spent,
}

impl Stop for Killer {
    fn stop(&self, is_answered: &dyn Fn() -> bool) -> Result<Stopped, String> {
        let victim = self.victim.as_ref().ok_or("the server does not tell which one it is")?;
        let mut spent = Statistics::default();
        let stopped = self.stop_counting(victim, is_answered, &mut spent);
        spent.killers = spent.attempts;
        self.spent.lock().add(&spent);
        stopped
    }
}

impl Killer {
    fn stop_counting(
        &self,
        victim: &Identity,
        is_answered: &dyn Fn() -> bool,
        spent: &mut Statistics,
    ) -> Result<Stopped, String> {
        let begun = Instant::now();
        let mut killer = Connection::connect_to(self.peer, &self.options, spent)
            .map_err(|error| format!("no second connection: {error}"))?;
        let stopped = killer.stop_other(begun, victim, is_answered);
        killer.by_itself(Own::Quit, Connection::close);
        spent.add(&killer.counted());
        stopped
    }
}

impl Connection {
    fn stop_other(
        &mut self,
        begun: Instant,
        victim: &Identity,
        is_answered: &dyn Fn() -> bool,
    ) -> Result<Stopped, String> {
        let left = KILLER_TIMEOUT.saturating_sub(begun.elapsed());
        self.stream.transport().finish_within(Some(left));
        self.ask().map_err(|error| error.to_string())?;
        let reached = self.server_side.identity.as_ref();
        if !reached.is_some_and(|reached| reached.is_same_server(victim)) {
            return Err("a second connection reached another server".to_owned());
        }
        if is_answered() {
            return Ok(Stopped::No);
        }
        let sql = format!("KILL QUERY {}", victim.connection_id);
        self.run_own(Own::KillQuery, sql.as_bytes()).map_err(|error| error.to_string())?;
        Ok(Stopped::Yes)
    }

    /// What would kill this connection's query.
    pub(crate) fn killer(&self) -> Killer {
        Killer {
            options: self.killer_options(),
            peer: self.stream.socket().and_then(|it| it.peer_addr().ok()?.as_socket()),
            victim: self.server_side.identity.clone(),
            spent: self.server_side.killers.clone(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Address;
    use std::thread;
    use vaquita_fake_server::packets::early_err;
    use vaquita_fake_server::{Address as Place, Delivery, Listener, Script};

    #[test]
    fn a_kill_goes_where_the_query_went_whatever_the_name_says_by_then() {
        let listener = Arc::new(Listener::tcp().unwrap());
        let Place::Tcp(place) = listener.address() else { unreachable!() };
        let address = |host: &str| Address::Tcp { host: host.to_owned(), port: place.port() };
        let limit = Instant::now() + 4 * KILLER_TIMEOUT;
        let serve = |script: Script| {
            let listener = Arc::clone(&listener);
            thread::spawn(move || listener.serve(&script, Delivery::WHOLE, limit).unwrap())
        };
        let serving = serve(Script::logged_in());
        let mut victim = Connection::connect(&ConnectOptions::new(address("127.0.0.1"))).unwrap();
        victim.options.address = address("name.invalid");
        let row = [&b"7"[..], b"1700000000", b"a-uuid"].map(<[u8]>::to_vec);
        victim.server_side.identity = Identity::parse(&row);
        let refusing = serve(Script::new().send(early_err(1040, "Too many connections")).close());
        let reason = victim.killer().stop(&|| false).unwrap_err();
        assert!(reason.contains("Too many connections"), "{reason}");
        refusing.join().unwrap();
        drop(victim);
        serving.join().unwrap();
    }
}
