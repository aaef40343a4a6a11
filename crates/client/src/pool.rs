//! Connections that outlive their users: kept while nobody needs them, and handed on in a fresh session.

use crate::connection::Connection;
use crate::error::Error;
use crate::handshake::choose_charset;
use crate::options::ConnectOptions;
use crate::state::State;

/// What somebody who has a persistent connection gives back with it.
#[derive(Debug)]
pub struct Lease {
    options: Box<ConnectOptions>,
    /// The process in which it was leased.
    process: u32,
    rolls_back: bool,
}

/// The persistent connections of one thread: those that are idle, and how many are leased.
///
/// A connection is handed on only to somebody who asks with equal [`ConnectOptions`], the password among them, for whom it begins a
/// fresh session as the user of these options. A forked child lets go of the connections of its parent without a byte.
///
/// Dropping it closes the idle connections.
#[derive(Debug)]
pub struct Pool {
    idle: Vec<(Box<ConnectOptions>, Connection)>,
    /// The process whose connections these are.
    process: u32,
    leased: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { idle: Vec::new(), process: std::process::id(), leased: 0 }
    }
}

impl Pool {
    /// Takes the connection that was given back last of those made with these options, and begins a fresh session on it; `None`: there is
    /// none, or it turned out to be dead and is gone.
    ///
    /// COM_CHANGE_USER ends the transaction, the locks, the temporary tables, the variables and the prepared statements of the last user; the
    /// character set, the limit of queries and whether several statements may come at once are as on a new connection, and the init
    /// commands are run. All but these has `connect_timeout`, as connecting has.
    pub fn take(&mut self, options: &ConnectOptions) -> Option<Connection> {
        self.leave_parents();
        let place = self.idle.iter().rposition(|(made_with, _)| **made_with == *options)?;
        let (_, mut connection) = self.idle.remove(place);
        match connection.renew(options) {
            Ok(()) => Some(connection),
            Err(_) => None,
        }
    }

    /// Notes that a connection, new or taken, is in use, and will be given back. `rolls_back`: its transaction is to end then, and not
    /// only when it is handed on.
    pub fn lease(&mut self, options: &ConnectOptions, rolls_back: bool) -> Lease {
        self.leased += 1;
        Lease { options: Box::new(options.clone()), process: std::process::id(), rolls_back }
    }

    /// Takes a connection back, if it still is there. One that is not ready for a command is closed: nobody knows how much is still to come.
    pub fn give(&mut self, lease: Lease, connection: Option<Connection>) {
        self.leave_parents();
        self.leased = self.leased.saturating_sub(1);
        let Some(mut connection) = connection else { return };
        if lease.process != self.process {
            connection.abandon();
            return;
        }
        let roll_back = |connection: &mut Connection| connection.run_own(b"ROLLBACK");
        if lease.rolls_back && connection.within_connect_timeout(roll_back).is_err() {
            return;
        }
        if connection.state() == State::Ready {
            self.idle.push((lease.options, connection));
        }
    }

    /// How many connections are in use.
    pub fn leased(&self) -> usize {
        self.leased
    }

    /// How many connections wait for somebody to use them.
    pub fn idle(&self) -> usize {
        self.idle.len()
    }

    /// Closes the idle connections.
    pub fn clear(&mut self) {
        self.leave_parents();
        self.idle.clear();
    }

    /// After a fork the idle connections are the parent's, which goes on using them.
    fn leave_parents(&mut self) {
        let process = std::process::id();
        if self.process != process {
            self.process = process;
            for (_, mut connection) in self.idle.drain(..) {
                connection.abandon();
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Connection {
    /// Makes of a used connection what a new one with these options would be. On an error it is not to be used any more.
    fn renew(&mut self, options: &ConnectOptions) -> Result<(), Error> {
        self.stream.transport().finish_within(options.connect_timeout);
        if self.query_timeout() != options.query_timeout {
            self.set_query_timeout(options.query_timeout)?;
        }
        // COM_CHANGE_USER leaves this as it is.
        if self.multi_statements() {
            self.set_multi_statements(false)?;
        }
        self.allows_local_infile = false;
        (self.charset, self.collation_id) =
            choose_charset(options.charset, self.greeting.character_set);
        let database = options.database.as_deref().unwrap_or_default();
        self.change_user(&options.user, &options.password, database)?;
        self.end_connection_phase(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Address;
    use vaquita_fake_server::{Address as At, Delivery, FakeServer, Script};

    /// What the server receives at the end, when `act` has a pool with an idle connection, and a lease with a connection.
    fn last_words(act: fn(&mut Pool, Lease, Connection)) -> [Vec<u8>; 2] {
        let mut pool = Pool::default();
        let serve = || FakeServer::unix(Script::logged_in(), Delivery::WHOLE).unwrap();
        let servers = [serve(), serve()];
        let [idle, leased] = [0, 1].map(|index: usize| {
            let At::Unix(path) = servers.get(index).unwrap().address() else { unreachable!() };
            let options = ConnectOptions::new(Address::Unix(path.clone()));
            let connection = Connection::connect(&options).unwrap();
            (pool.lease(&options, index == 1), connection)
        });
        pool.give(idle.0, Some(idle.1));
        act(&mut pool, leased.0, leased.1);
        drop(pool);
        servers.map(|server| server.finish().unwrap().rest)
    }

    #[test]
    fn a_child_says_nothing_on_the_connections_of_its_parent() {
        let goodbye = b"\x01\0\0\0\x01".to_vec();
        let in_the_parent = last_words(|pool, lease, connection| {
            pool.clear();
            drop((lease, connection));
        });
        assert_eq!(in_the_parent, [goodbye.clone(), goodbye.clone()]);
        let in_a_child = last_words(|pool, lease, connection| {
            pool.process = 0;
            pool.give(Lease { process: 0, ..lease }, Some(connection));
            assert_eq!((pool.idle(), pool.leased()), (0, 0));
        });
        assert_eq!(in_a_child, [Vec::new(), Vec::new()]);
        let of_a_new_pool_in_a_child = last_words(|pool, lease, connection| {
            pool.process = 0;
            assert!(pool.take(&lease.options).is_none());
            drop(connection);
        });
        assert_eq!(of_a_new_pool_in_a_child, [Vec::new(), goodbye]);
    }
}
