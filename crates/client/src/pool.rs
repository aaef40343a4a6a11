//! Connections that outlive their users: kept while nobody needs them, and handed on in a fresh session.

use std::time::{Duration, Instant};
use std::{mem, process};

use crate::connection::Connection;
use crate::error::Error;
use crate::options::ConnectOptions;
use crate::own::Own;
use crate::reuse::PasswordDigest;
use crate::state::State;
use crate::statistics::Statistics;

/// What somebody who has a persistent connection gives back with it.
#[derive(Debug)]
pub struct Lease {
    /// The process in which it was leased.
    process: u32,
}

/// How connections are kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct PoolLimits {
    /// The most connections that may be idle; `None`: any number. The one that was idle for longest makes room.
    pub max_idle: Option<usize>,
    /// How long a connection may be idle. The server is told, so that it ends those of processes that sleep.
    pub idle_timeout: Option<Duration>,
    /// How old a connection may become, less up to a tenth, so that those made at once do not end at once.
    pub max_lifetime: Option<Duration>,
    /// What is done to find out whether a connection still lives.
    pub check: PoolCheck,
    /// Whether giving back a connection takes until the server has ended the session, its transaction and its locks, each read within the
    /// read timeout: a round trip, or what else the next user would wait for.
    pub awaits_end: bool,
}

impl PoolLimits {
    fn have_times(&self) -> bool {
        self.idle_timeout.is_some() || self.max_lifetime.is_some()
    }

    /// Whether a connection that is idle since then may be handed on; if not, that is counted.
    pub fn admit(&self, connection: &Connection, since: Instant, stats: &mut PoolStats) -> bool {
        if !self.have_times() {
            return true;
        }
        let now = Instant::now();
        let is_idle = self.idle_timeout.is_some_and(|most| now.duration_since(since) >= most);
        let is_old = self.max_lifetime.is_some_and(|most| connection.is_older_than(most, now));
        stats.evicted_as_idle += u64::from(is_idle);
        stats.evicted_as_old += u64::from(is_old && !is_idle);
        !is_idle && !is_old
    }
}

/// What is done to find out whether an idle connection still lives, when it is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PoolCheck {
    /// Nothing: its first command finds out.
    None,
    /// What has come from the server is looked at, without waiting.
    #[default]
    Peek,
    /// The server is asked: a round trip.
    Ping,
}

/// What became of the connections of a pool since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Users who got an idle connection.
    pub hits: u64,
    /// Users for whom there was none.
    pub misses: u64,
    /// Sessions that were begun anew for the next user.
    pub resets: u64,
    /// Connections that turned out to be dead, as they were given back or up to the first command of their new user.
    pub replaced: u64,
    /// Connections that were closed to make room.
    pub evicted_for_room: u64,
    /// Connections that were idle for too long.
    pub evicted_as_idle: u64,
    /// Connections that were too old.
    pub evicted_as_old: u64,
    /// Connections whose session was in a state that can't be wiped out when they were given back.
    pub evicted_as_spoilt: u64,
}

impl PoolStats {
    /// Wipes out what the user of a connection left ([`Connection::release`]), and counts what became of it; whether it may be handed on.
    pub fn release(&mut self, connection: &mut Connection, limits: &PoolLimits) -> bool {
        let mut is_released = connection.release(limits.idle_timeout);
        if is_released && limits.awaits_end {
            is_released = connection.await_release();
            self.replaced += u64::from(!is_released);
        }
        let counts = connection.take_reuse_counts();
        self.resets += counts.resets;
        self.replaced += counts.replaced;
        let is_alive = !matches!(connection.state(), State::Broken | State::QuitSent);
        self.evicted_as_spoilt += u64::from(is_alive && !is_released);
        is_released
    }
}

/// An idle connection. Its password is not kept.
#[derive(Debug)]
struct Idle {
    connection: Box<Connection>,
    since: Instant,
}

/// The persistent connections of one thread: those that are idle, and how many are leased. They are made with
/// [`ConnectOptions::is_persistent`]; others are closed when they are given back.
///
/// A connection is handed on, in a fresh session, only to somebody who asks with equal [`ConnectOptions`], the password among them, but for
/// the database, the character set and the query timeout: those are restored. A forked child lets go of the connections of its
/// parent without a byte.
///
/// Dropping it closes the idle connections.
#[derive(Debug)]
pub struct Pool {
    /// Those given back last stand last.
    idle: Vec<Idle>,
    /// The process whose connections these are.
    process: u32,
    leased: usize,
    stats: PoolStats,
    /// What was counted of connections while nobody used them.
    spent: Statistics,
}

impl Default for Pool {
    fn default() -> Self {
        Pool {
            idle: Vec::new(),
            process: process::id(),
            leased: 0,
            stats: PoolStats::default(),
            spent: Statistics::default(),
        }
    }
}

impl Pool {
    /// Takes the connection that was given back last of those that fit; `None`: there is none that lives.
    ///
    /// No waiting I/O happens but where [`Connection::resume`] says so.
    pub fn take(
        &mut self,
        options: &ConnectOptions,
        limits: &PoolLimits,
    ) -> Option<Box<Connection>> {
        self.leave_parents();
        self.expire(limits);
        let password = PasswordDigest::of(&options.password);
        while let Some(place) = self.place(options, &password) {
            let mut connection = self.idle.remove(place).connection;
            match connection.resume_for(options, limits.check) {
                Ok(()) => {
                    self.stats.hits += 1;
                    return Some(connection);
                }
                Err(error) => {
                    self.stats.replaced += 1;
                    self.end(connection);
                    // What it refuses, such as a database that is not there, it would refuse on the others, too.
                    if matches!(error, Error::Server { .. }) {
                        break;
                    }
                }
            }
        }
        self.stats.misses += 1;
        None
    }

    /// Where the connection stands that fits best: one that has the database already.
    fn place(&self, options: &ConnectOptions, password: &PasswordDigest) -> Option<usize> {
        let fitting = |is_home: bool| {
            self.idle.iter().rposition(|idle| {
                let made_with = idle.connection.options();
                (!is_home || made_with.database == options.database)
                    && made_with.is_same_session(options)
                    && idle.connection.has_password(password)
            })
        };
        fitting(true).or_else(|| fitting(false))
    }

    /// Notes that a connection, new or taken, is in use, and will be given back. [`Pool::take`] was asked for one before, in this process.
    pub fn lease(&mut self) -> Lease {
        self.leased += 1;
        Lease { process: self.process }
    }

    /// Takes a connection back, if it still is there: what its user left is wiped out at once, without waiting ([`Connection::release`]). One of
    /// which nobody knows how much is still to come is closed.
    pub fn give(&mut self, lease: Lease, connection: Option<Box<Connection>>, limits: &PoolLimits) {
        self.leave_parents();
        self.leased = self.leased.saturating_sub(1);
        let Some(mut connection) = connection else { return };
        if lease.process != self.process {
            connection.abandon();
            return;
        }
        if self.stats.release(&mut connection, limits) {
            connection.forget_password();
            self.spent.add(&connection.counted());
            connection.set_counted(Statistics::default());
            self.idle.push(Idle { connection, since: Instant::now() });
            self.expire(limits);
        } else {
            self.end(connection);
        }
    }

    /// Closes a connection; what it has said meanwhile is heard, so that it counts.
    fn end(&mut self, mut connection: Box<Connection>) {
        connection.hear();
        connection.by_itself(Own::Quit, Connection::close);
        self.spent.add(&connection.counted());
    }

    /// What was counted of connections while nobody used them, since this was last asked: as they were given back, and as they ended.
    pub fn take_spent(&mut self) -> Statistics {
        mem::take(&mut self.spent)
    }

    /// Closes what has been idle for too long, is too old, or is too much.
    fn expire(&mut self, limits: &PoolLimits) {
        let mut ended = Vec::new();
        if limits.have_times() {
            let stats = &mut self.stats;
            let refused = |it: &mut Idle| !limits.admit(&it.connection, it.since, stats);
            ended.extend(self.idle.extract_if(.., refused));
        }
        let room = limits.max_idle.unwrap_or(usize::MAX);
        let too_many = self.idle.len().saturating_sub(room);
        self.stats.evicted_for_room += too_many as u64;
        ended.extend(self.idle.drain(..too_many));
        ended.into_iter().for_each(|it| self.end(it.connection));
    }

    /// How many connections are in use.
    pub fn leased(&self) -> usize {
        self.leased
    }

    /// How many connections wait for somebody to use them.
    pub fn idle(&self) -> usize {
        self.idle.len()
    }

    /// What became of its connections, and is to be counted with them of others.
    pub fn stats_mut(&mut self) -> &mut PoolStats {
        &mut self.stats
    }

    /// What became of its connections.
    pub fn stats(&self) -> PoolStats {
        self.stats
    }

    /// Closes the idle connections.
    pub fn clear(&mut self) {
        self.leave_parents();
        self.idle.clear();
    }

    /// After a fork the idle connections are the parent's, which goes on using them.
    fn leave_parents(&mut self) {
        let process = process::id();
        if self.process != process {
            self.process = process;
            for mut idle in self.idle.drain(..) {
                idle.connection.abandon();
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Address;
    use vaquita_fake_server::{Address as At, Delivery, FakeServer, Script};

    /// What the server receives at the end, when `act` has a pool with an idle connection, and a lease with a connection.
    fn last_words(act: fn(&mut Pool, Lease, Box<Connection>)) -> [Vec<u8>; 2] {
        let mut pool = Pool::default();
        let serve = || FakeServer::unix(Script::logged_in(), Delivery::WHOLE).unwrap();
        let servers = [serve(), serve()];
        let [idle, leased] = servers.each_ref().map(|server| {
            let At::Unix(path) = server.address() else { unreachable!() };
            let address = Address::Unix(path.clone());
            let options = ConnectOptions { is_persistent: true, ..ConnectOptions::new(address) };
            let connection = Connection::connect(&options).unwrap();
            (pool.lease(), Box::new(connection))
        });
        pool.give(idle.0, Some(idle.1), &PoolLimits::default());
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
        let in_a_child = last_words(|pool, _, connection| {
            pool.process = 0;
            pool.give(Lease { process: 0 }, Some(connection), &PoolLimits::default());
            assert_eq!((pool.idle(), pool.leased()), (0, 0));
        });
        assert_eq!(in_a_child, [Vec::new(), Vec::new()]);
        let of_a_new_pool_in_a_child = last_words(|pool, lease, connection| {
            pool.process = 0;
            assert!(pool.take(connection.options(), &PoolLimits::default()).is_none());
            drop((lease, connection));
        });
        assert_eq!(of_a_new_pool_in_a_child, [Vec::new(), goodbye]);
    }
}
