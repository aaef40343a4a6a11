//! A relay between a client and a real server, which counts what they say, and cuts it off, holds it back or delays it where a test says so.
//!
//! What a test asks for holds for all connections together: bytes are counted from when it is asked. [`commands`] takes it as lines of text.

pub mod commands;
mod link;
mod pace;

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{env, fs, process, thread};

use socket2::{Domain, SockAddr, Socket, Type};

use crate::listener::Address;
use link::{Link, Shared, State};
pub use pace::Pace;

/// How long a test waits for what must come.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    Requests,
    /// From the server to the client.
    Replies,
}

impl Direction {
    /// Both.
    pub const ALL: [Direction; 2] = [Direction::Requests, Direction::Replies];
}

/// How a connection ends that is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Both sides see the other's end.
    Close,
    /// By RST, so that the client may lose what it has not read. On a unix socket there is no such thing.
    Reset,
    /// Whoever gets what goes this way sees the end of it; the other way stays open.
    Half,
    /// Nothing comes any more, whichever way, not even an end.
    Silence,
    /// As [`Cut::Silence`], until one side goes: the other is then told.
    Hold,
}

/// A relay. It ends, with its connections, when it is dropped.
#[derive(Debug)]
pub struct Relay {
    address: Address,
    listener: Arc<Socket>,
    shared: Arc<Shared>,
}

impl Relay {
    /// A relay to this server, which is reached as the server is: by TCP or by a unix socket.
    ///
    /// # Errors
    /// The system's.
    pub fn to(server: &Address) -> io::Result<Relay> {
        let (domain, target) = match server {
            Address::Tcp(address) => (Domain::for_address(*address), SockAddr::from(*address)),
            Address::Unix(path) => (Domain::UNIX, SockAddr::unix(path)?),
        };
        let listener = match server {
            Address::Tcp(_) => Socket::new(Domain::IPV4, Type::STREAM, None)?,
            Address::Unix(_) => Socket::new(Domain::UNIX, Type::STREAM, None)?,
        };
        let address = match server {
            Address::Tcp(_) => {
                listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
                let bound = listener.local_addr()?.as_socket();
                Address::Tcp(bound.ok_or(io::ErrorKind::AddrNotAvailable)?)
            }
            Address::Unix(_) => {
                let path = own_path();
                listener.bind(&SockAddr::unix(&path)?)?;
                Address::Unix(path)
            }
        };
        listener.listen(16)?;
        let listener = Arc::new(listener);
        let shared =
            Arc::new(Shared { target, domain, state: Mutex::default(), changed: Condvar::new() });
        let (own, accepting) = (Arc::clone(&shared), Arc::clone(&listener));
        thread::spawn(move || {
            while let Ok((client, _)) = accepting.accept() {
                // A client whose server is away sees its connection closed.
                let _ = own.join(client);
            }
        });
        Ok(Relay { address, listener, shared })
    }

    /// Where a client finds it.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Cuts the connection whose byte would be the one after this many.
    pub fn cut_after(&self, direction: Direction, bytes: u64, cut: Cut) {
        let mut state = self.state();
        state.has_cut = false;
        state.way(direction).cut = Some((bytes, cut));
    }

    /// Cuts nothing any more; whether something was cut since [`Relay::cut_after`].
    pub fn has_cut(&self) -> bool {
        let mut state = self.state();
        for direction in Direction::ALL {
            state.way(direction).cut = None;
        }
        std::mem::take(&mut state.has_cut)
    }

    /// Waits, however long it takes, until so many connections were held by a cut.
    pub fn await_hold(&self, holds: usize) {
        let waiting = |state: &mut State| state.holds < holds;
        drop(self.shared.changed.wait_while(self.state(), waiting));
    }

    /// Ends the connections that were cut and have not ended, and lets everything pass as it comes.
    pub fn calm(&self) {
        let mut state = self.state();
        for direction in Direction::ALL {
            let way = state.way(direction);
            (way.cut, way.allowed, way.pace) = (None, None, Pace::default());
        }
        let links: Vec<Arc<Link>> = state.living().filter(|link| link.is_cut()).collect();
        drop(state);
        links.iter().for_each(|link| self.shared.end(link, Cut::Close));
        self.shared.changed.notify_all();
    }

    /// Lets so many bytes pass, and keeps the others until [`Relay::pass`].
    pub fn hold_after(&self, direction: Direction, bytes: u64) {
        self.state().way(direction).allowed = Some(bytes);
    }

    /// Whether bytes are kept, of which none has passed that was too much.
    pub fn is_held(&self, direction: Direction) -> bool {
        self.state().way(direction).allowed == Some(0)
    }

    /// Lets everything pass again.
    pub fn pass(&self, direction: Direction) {
        self.state().way(direction).allowed = None;
        self.shared.changed.notify_all();
    }

    /// Has bytes go at this pace.
    pub fn pace(&self, direction: Direction, pace: Pace) {
        self.state().way(direction).pace = pace;
    }

    /// How many bytes have been let through: all that the other side has, and perhaps some that it is about to have.
    pub fn bytes(&self, direction: Direction) -> u64 {
        self.state().way(direction).bytes
    }

    /// Waits until so many bytes are on the other side.
    ///
    /// # Panics
    /// If they are not within [`PATIENCE`].
    pub fn until_bytes(&self, direction: Direction, bytes: u64) {
        self.until("the bytes", |state| state.way(direction).written >= bytes);
    }

    /// How many connections have been made.
    pub fn connections(&self) -> usize {
        self.state().begun
    }

    /// Waits until so many connections have ended, and their clients can know it.
    ///
    /// # Panics
    /// If they have not within [`PATIENCE`].
    pub fn until_ended(&self, connections: usize) {
        self.until("the end of a connection", |state| state.ended >= connections);
    }

    /// Ends all connections, and lets nobody connect any more.
    pub fn go_down(&self) {
        let _ = self.listener.shutdown(Shutdown::Both);
        if let Address::Unix(path) = &self.address {
            let _ = fs::remove_file(path);
        }
        let links: Vec<Arc<Link>> = self.state().living().collect();
        links.iter().for_each(|link| self.shared.end(link, Cut::Close));
    }

    fn until(&self, what: &str, is_so: impl Fn(&mut State) -> bool) {
        let waiting = |state: &mut State| !is_so(state);
        let waited = self.shared.changed.wait_timeout_while(self.state(), PATIENCE, waiting);
        let (state, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        assert!(!waited.timed_out(), "waited in vain for {what}: {state:?}");
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.go_down();
    }
}

fn own_path() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("vaquita-relay-{}-{number}", process::id()))
}
