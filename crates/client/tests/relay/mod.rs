//! A relay between a client and a real server, which counts what they say, and cuts it off, holds it back or delays it where a test says so.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

use socket2::{Domain, SockAddr, Socket, Type};
use vaquita_client::{Address, ConnectOptions};

/// How long a test waits for what must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the client to the server.
    Requests,
    /// From the server to the client.
    Replies,
}

/// How a connection ends that is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Close,
    /// By RST, so that the client may lose what it has not read. On a unix socket there is no such thing.
    Reset,
}

/// What goes one way, on all connections together.
#[derive(Debug, Default)]
struct Way {
    /// How many bytes have been let through, and how many of them are on the other side already.
    bytes: u64,
    written: u64,
    /// What is to be cut, and how many bytes pass before.
    cut: Option<(u64, Cut)>,
    /// How many bytes may still pass; `None`: all.
    allowed: Option<u64>,
    /// The longest write.
    piece: Option<usize>,
    /// How long each byte is on its way.
    delay: Duration,
}

#[derive(Debug, Default)]
struct State {
    ways: [Way; 2],
    has_cut: bool,
    /// How many connections there were, and how many of them have ended.
    begun: usize,
    ended: usize,
    links: Vec<Weak<Link>>,
}

#[derive(Debug)]
struct Shared {
    target: SockAddr,
    domain: Domain,
    state: Mutex<State>,
    changed: Condvar,
}

/// The two sockets of a connection.
#[derive(Debug)]
struct Link {
    client: Socket,
    server: Socket,
    has_ended: AtomicBool,
}

/// A relay. It ends, with its connections, when it is dropped.
#[derive(Debug)]
pub(crate) struct Relay {
    address: Address,
    listener: Arc<Socket>,
    shared: Arc<Shared>,
}

impl Relay {
    /// A relay to this server, which is reached as the server is: by TCP or by a unix socket.
    pub(crate) fn to(server: &Address) -> Relay {
        let (domain, target) = match server {
            Address::Tcp { host, port } => {
                let found = (&**host, *port).to_socket_addrs().unwrap().next().unwrap();
                (Domain::for_address(found), SockAddr::from(found))
            }
            Address::Unix(path) => (Domain::UNIX, SockAddr::unix(path).unwrap()),
        };
        let listener = Socket::new(domain, Type::STREAM, None).unwrap();
        let address = match server {
            Address::Tcp { .. } => {
                listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
                let port = listener.local_addr().unwrap().as_socket().unwrap().port();
                Address::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port }
            }
            Address::Unix(_) => {
                let path = own_path();
                listener.bind(&SockAddr::unix(&path).unwrap()).unwrap();
                Address::Unix(path)
            }
        };
        listener.listen(16).unwrap();
        let listener = Arc::new(listener);
        let shared =
            Arc::new(Shared { target, domain, state: Mutex::default(), changed: Condvar::new() });
        let (own, accepting) = (Arc::clone(&shared), Arc::clone(&listener));
        thread::spawn(move || {
            while let Ok((client, _)) = accepting.accept() {
                let _ = own.join(client);
            }
        });
        Relay { address, listener, shared }
    }

    /// The same options, by way of the relay.
    pub(crate) fn options(&self, options: &ConnectOptions) -> ConnectOptions {
        ConnectOptions { address: self.address.clone(), ..options.clone() }
    }

    /// Cuts the connection whose byte would be the one after this many.
    pub(crate) fn cut_after(&self, direction: Direction, bytes: u64, cut: Cut) {
        let mut state = self.state();
        state.has_cut = false;
        state.ways[direction as usize].cut = Some((bytes, cut));
    }

    /// Cuts nothing any more; whether something was cut since [`Relay::cut_after`].
    pub(crate) fn has_cut(&self) -> bool {
        let mut state = self.state();
        state.ways.iter_mut().for_each(|way| way.cut = None);
        std::mem::take(&mut state.has_cut)
    }

    /// Lets so many bytes pass, and keeps the others until [`Relay::pass`].
    pub(crate) fn hold_after(&self, direction: Direction, bytes: u64) {
        self.state().ways[direction as usize].allowed = Some(bytes);
    }

    /// Whether bytes are kept, of which none has passed that was too much.
    pub(crate) fn is_held(&self, direction: Direction) -> bool {
        self.state().ways[direction as usize].allowed == Some(0)
    }

    /// Lets everything pass again.
    pub(crate) fn pass(&self, direction: Direction) {
        self.state().ways[direction as usize].allowed = None;
        self.shared.changed.notify_all();
    }

    /// Lets every byte pass in a write of its own.
    pub(crate) fn byte_by_byte(&self, direction: Direction) {
        self.state().ways[direction as usize].piece = Some(1);
    }

    /// Lets everything be on its way for so long.
    pub(crate) fn delay(&self, direction: Direction, time: Duration) {
        self.state().ways[direction as usize].delay = time;
    }

    /// How many bytes have been let through: all that the other side has, and perhaps some that it is about to have.
    pub(crate) fn bytes(&self, direction: Direction) -> u64 {
        self.state().ways[direction as usize].bytes
    }

    /// Waits until so many bytes are on the other side.
    pub(crate) fn until_bytes(&self, direction: Direction, bytes: u64) {
        self.until("the bytes", |state| state.ways[direction as usize].written >= bytes);
    }

    /// How many connections have been made.
    pub(crate) fn connections(&self) -> usize {
        self.state().begun
    }

    /// Waits until so many connections have ended, and their clients can know it.
    pub(crate) fn until_ended(&self, connections: usize) {
        self.until("the end of a connection", |state| state.ended >= connections);
    }

    /// Ends all connections, and lets nobody connect any more.
    pub(crate) fn go_down(&self) {
        let _ = self.listener.shutdown(Shutdown::Both);
        if let Address::Unix(path) = &self.address {
            let _ = fs::remove_file(path);
        }
        let links: Vec<_> = self.state().links.drain(..).collect();
        let links = links.iter().filter_map(Weak::upgrade);
        links.for_each(|link| self.shared.end(&link, Cut::Close));
    }

    fn until(&self, what: &str, is_so: impl Fn(&State) -> bool) {
        let (state, waited) = self
            .shared
            .changed
            .wait_timeout_while(self.state(), PATIENCE, |state| !is_so(state))
            .unwrap();
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

/// What may be done with bytes that are on their way.
enum Verdict {
    Pass(usize),
    Cut(Cut),
    TooLate,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // After a test has failed, the relay still has to end.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a client to the server.
    fn join(self: &Arc<Self>, client: Socket) -> io::Result<()> {
        let server = Socket::new(self.domain, Type::STREAM, None)?;
        server.connect(&self.target)?;
        if self.domain != Domain::UNIX {
            client.set_tcp_nodelay(true)?;
            server.set_tcp_nodelay(true)?;
        }
        let link = Arc::new(Link { client, server, has_ended: AtomicBool::new(false) });
        let mut state = self.state();
        state.begun += 1;
        state.links.retain(|link| link.strong_count() > 0);
        state.links.push(Arc::downgrade(&link));
        drop(state);
        for direction in [Direction::Requests, Direction::Replies] {
            let (shared, link) = (Arc::clone(self), Arc::clone(&link));
            thread::spawn(move || shared.pump(&link, direction));
        }
        Ok(())
    }

    /// Moves bytes one way until there are no more.
    fn pump(self: &Arc<Self>, link: &Arc<Link>, direction: Direction) {
        let (arrived, arrivals) = channel();
        let (shared, own) = (Arc::clone(self), Arc::clone(link));
        let writer = thread::spawn(move || shared.write_all(&own, direction, &arrivals));
        let mut from = match direction {
            Direction::Requests => &link.client,
            Direction::Replies => &link.server,
        };
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            if arrived.send((Instant::now(), buffer[..length].to_vec())).is_err() {
                break;
            }
        }
        drop(arrived);
        let _ = writer.join();
        // Neither side closes in one direction only.
        self.end(link, Cut::Close);
    }

    fn write_all(
        &self,
        link: &Link,
        direction: Direction,
        arrivals: &Receiver<(Instant, Vec<u8>)>,
    ) {
        let mut to = match direction {
            Direction::Requests => &link.server,
            Direction::Replies => &link.client,
        };
        while let Ok((arrived, bytes)) = arrivals.recv() {
            let delay = self.state().ways[direction as usize].delay;
            thread::sleep((arrived + delay).saturating_duration_since(Instant::now()));
            let mut bytes = VecDeque::from(bytes);
            while !bytes.is_empty() {
                match self.judge(link, direction, bytes.len()) {
                    Verdict::Pass(length) => {
                        let piece: Vec<u8> = bytes.drain(..length).collect();
                        if to.write_all(&piece).is_err() {
                            return;
                        }
                        self.state().ways[direction as usize].written += length as u64;
                        self.changed.notify_all();
                    }
                    Verdict::Cut(cut) => return self.end(link, cut),
                    Verdict::TooLate => return,
                }
            }
        }
    }

    /// What is to be done with so many bytes; waits while they are held back.
    fn judge(&self, link: &Link, direction: Direction, length: usize) -> Verdict {
        let mut state = self.state();
        loop {
            if link.has_ended.load(Ordering::Relaxed) {
                return Verdict::TooLate;
            }
            let way = &mut state.ways[direction as usize];
            let until_cut = way.cut.map_or(u64::MAX, |(bytes, _)| bytes);
            if let Some((0, cut)) = way.cut {
                way.cut = None;
                state.has_cut = true;
                return Verdict::Cut(cut);
            }
            let most = until_cut.min(way.allowed.unwrap_or(u64::MAX));
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            let length = length.min(most).min(way.piece.unwrap_or(usize::MAX));
            if length > 0 {
                way.bytes += length as u64;
                if let Some((bytes, _)) = &mut way.cut {
                    *bytes -= length as u64;
                }
                if let Some(bytes) = &mut way.allowed {
                    *bytes -= length as u64;
                }
                return Verdict::Pass(length);
            }
            state = self.changed.wait(state).unwrap();
        }
    }

    /// Ends a connection on both sides.
    fn end(&self, link: &Link, cut: Cut) {
        let mut state = self.state();
        if link.has_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let _ = link.server.shutdown(Shutdown::Both);
        match cut {
            Cut::Close => {
                let _ = link.client.shutdown(Shutdown::Both);
            }
            Cut::Reset => {
                // Without lingering, closing is a reset; this only wakes who reads here.
                let _ = link.client.set_linger(Some(Duration::ZERO));
                let _ = link.client.shutdown(Shutdown::Read);
            }
        }
        state.ended += 1;
        self.changed.notify_all();
    }
}

fn own_path() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("vaquita-relay-{}-{number}", process::id()))
}
