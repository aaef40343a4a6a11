//! The connection to a key-value port that all of a thread's connections to a server share.
//!
//! Whoever reads by a port holds a lock that keeps others from changing the table, as long as the connection lives. So it is closed when the
//! request is over, before an own statement that changes tables, after a short life even if it is used ([`Port::memcached`] connects again), and
//! soon if it is not: a thread of its own sees to that, because the script may be asleep.

use std::collections::HashMap;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use vaquita_client::{Address, Process};

use crate::error::Error;
use crate::handler_socket::{HandlerSocket, HandlerSocketPlan, IndexId};
use crate::idle;
use crate::link::Timeouts;
use crate::memcached::Memcached;

/// Connecting, and each request. A port that is slower than this is no help; nobody sets it.
const TIMEOUTS: Timeouts =
    Timeouts { connect: Duration::from_millis(250), request: Duration::from_millis(500) };

/// How long a port is left alone that does not answer, or not as it should.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a connection stays open that nobody uses.
pub(crate) const MAX_IDLE: Duration = Duration::from_millis(100);

/// How often the lock of a connection is tried: for some 60 ms.
const MAX_TRIES: u32 = 1000;

/// What the rows of a request may have together: more than a hundred of the longest that may answer a statement, and little enough for each process
/// of a machine to receive it at once.
const MAX_ROWS_BYTES: usize = 16 << 20;

/// How many indexes are open on a connection before another one takes its place.
const MAX_INDEXES: usize = 64;

/// A port, and the connection to it if there is one.
#[derive(Debug)]
pub(crate) struct Port {
    /// That of the connection, if that can be known without a system call each time. A child of it may have a link to the server from it, but not this.
    process: Option<Process>,
    process_id: u32,
    address: Address,
    /// How long a connection lives at the most.
    max_life: Duration,
    link: Mutex<Option<Link>>,
    /// Until when it is left alone.
    paused_until: Mutex<Option<Instant>>,
}

#[derive(Debug)]
struct Link {
    open: Open,
    opened_at: Instant,
    used_at: Instant,
}

#[derive(Debug)]
enum Open {
    Memcached(Box<Memcached>),
    HandlerSocket(Box<HandlerSocket>, HashMap<u64, IndexId>),
}

impl Port {
    pub(crate) fn new(address: Address, max_life: Duration) -> Port {
        Port {
            process: Process::this().ok(),
            process_id: process::id(),
            address,
            max_life,
            link: Mutex::new(None),
            paused_until: Mutex::new(None),
        }
    }

    /// Closes the connection, if there is one.
    pub(crate) fn close(&self) {
        if let Some(mut link) = self.link() {
            *link = None;
        }
    }

    /// Closes the connection if nobody has used it for a while; whether there is still one.
    pub(crate) fn close_if_idle(&self) -> bool {
        let Some(mut link) = self.link() else { return true };
        if link.as_ref().is_some_and(|link| link.used_at.elapsed() >= MAX_IDLE) {
            *link = None;
        }
        link.is_some()
    }

    /// Has a request made of memcached; after an error the connection is closed.
    pub(crate) fn memcached<R>(
        self: &Arc<Self>,
        now: Instant,
        request: impl FnOnce(&mut Memcached) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut kept = self.link().ok_or(Error::OutOfSync)?;
        let is_usable = |open: &Open| matches!(open, Open::Memcached(_));
        let connect = || {
            let mut connected = Memcached::connect(&self.address, TIMEOUTS)?;
            connected.limit(MAX_ROWS_BYTES);
            Ok(Open::Memcached(Box::new(connected)))
        };
        let link = self.usable(&mut kept, now, is_usable, connect)?;
        let Open::Memcached(memcached) = &mut link.open else { return Err(Error::OutOfSync) };
        let done = request(memcached);
        if !memcached.is_ready() {
            *kept = None;
        }
        done.inspect_err(|error| self.pause_after(error))
    }

    /// Has a request made of HandlerSocket, with the index of this plan open, whose number is `id`.
    pub(crate) fn handler_socket<R>(
        self: &Arc<Self>,
        now: Instant,
        secret: &[u8],
        (id, plan): (u64, &HandlerSocketPlan),
        request: impl FnOnce(&mut HandlerSocket, IndexId) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let mut kept = self.link().ok_or(Error::OutOfSync)?;
        let is_usable = |open: &Open| matches!(open, Open::HandlerSocket(_, indexes) if indexes.len() < MAX_INDEXES || indexes.contains_key(&id));
        let connect = || {
            let mut connected = HandlerSocket::connect(&self.address, TIMEOUTS, Some(secret))?;
            connected.limit(MAX_ROWS_BYTES);
            Ok(Open::HandlerSocket(Box::new(connected), HashMap::new()))
        };
        let link = self.usable(&mut kept, now, is_usable, connect)?;
        let Open::HandlerSocket(socket, indexes) = &mut link.open else {
            return Err(Error::OutOfSync);
        };
        let index = match indexes.get(&id) {
            Some(index) => Ok(*index),
            None => plan.open(|open| socket.open_index(open)),
        };
        let done = index.and_then(|index| {
            indexes.insert(id, index);
            request(socket, index)
        });
        if !socket.is_ready() {
            *kept = None;
        }
        done.inspect_err(|error| self.pause_after(error))
    }

    /// The connection that there is, if it can be used, or a new one.
    fn usable<'a>(
        self: &Arc<Self>,
        kept: &'a mut Option<Link>,
        now: Instant,
        is_usable: impl Fn(&Open) -> bool,
        connect: impl FnOnce() -> Result<Open, Error>,
    ) -> Result<&'a mut Link, Error> {
        let is_young = |link: &Link| now.saturating_duration_since(link.opened_at) < self.max_life;
        if !kept.as_ref().is_some_and(|link| is_young(link) && is_usable(&link.open)) {
            *kept = None;
            let open = self.connecting(connect)?;
            *kept = Some(Link { open, opened_at: now, used_at: now });
            idle::watch(self);
        }
        let link = kept.as_mut().ok_or(Error::OutOfSync)?;
        link.used_at = now;
        Ok(link)
    }

    fn connecting<R>(&self, connect: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
        let mut paused_until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        if paused_until.is_some_and(|until| Instant::now() < until) {
            return Err(Error::OutOfSync);
        }
        *paused_until = None;
        connect().inspect_err(|_| *paused_until = Instant::now().checked_add(PAUSE))
    }

    /// One that has closed its connection may have been made anew; of any other each statement would wait as long.
    fn pause_after(&self, error: &Error) {
        if !error.is_end() {
            let mut paused_until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
            *paused_until = Instant::now().checked_add(PAUSE);
        }
    }

    fn is_of_this_process(&self) -> bool {
        match (self.process, Process::this()) {
            (Some(process), Ok(this)) => process == this,
            _ => self.process_id == process::id(),
        }
    }

    /// Of one thread, but that another one looks at it for a moment now and then. `None`: it is a parent's of this process, whose other thread
    /// may have been at it as this one came to be.
    fn link(&self) -> Option<MutexGuard<'_, Option<Link>>> {
        if !self.is_of_this_process() {
            return None;
        }
        for _ in 0..MAX_TRIES {
            match self.link.try_lock() {
                Ok(link) => return Some(link),
                Err(TryLockError::Poisoned(link)) => return Some(link.into_inner()),
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_micros(10)),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_child_has_nothing_from_its_parents_port() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let address = Address::Tcp { host: "127.0.0.1".into(), port };
        let mut port = Port::new(address, Duration::MAX);
        assert!(port.process.is_some() && port.is_of_this_process());
        (port.process, port.process_id) = (None, process::id() + 1);
        let asked = Arc::new(port).memcached(Instant::now(), |_| Ok(()));
        assert!(matches!(asked, Err(Error::OutOfSync)));
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "nobody has connected");
    }
}
