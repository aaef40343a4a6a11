//! A relay's connections: bytes that wait until they may go on, and how a connection ends.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use socket2::{Domain, SockAddr, Socket};

use super::pace::{Pace, Paced};
use super::{Cut, Direction};

/// What is read at once.
const BUFFER_BYTES: usize = 64 << 10;
/// How many such reads wait at the most; then whoever sends has to wait, as on a network.
const BUFFERS: usize = 16;

/// What goes one way, on all connections together.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// How many bytes have been let through, and how many of them are on the other side already.
    pub(super) bytes: u64,
    pub(super) written: u64,
    /// What is to be cut, and how many bytes pass before.
    pub(super) cut: Option<(u64, Cut)>,
    /// How many bytes may still pass; `None`: all.
    pub(super) allowed: Option<u64>,
    pub(super) pace: Pace,
}

#[derive(Debug, Default)]
pub(super) struct State {
    requests: Way,
    replies: Way,
    pub(super) has_cut: bool,
    /// How many cuts were [`Cut::Hold`].
    pub(super) holds: usize,
    /// How many connections there were, and how many of them have ended.
    pub(super) begun: usize,
    pub(super) ended: usize,
    links: Vec<Weak<Link>>,
}

impl State {
    pub(super) fn way(&mut self, direction: Direction) -> &mut Way {
        match direction {
            Direction::Requests => &mut self.requests,
            Direction::Replies => &mut self.replies,
        }
    }

    /// The connections that may not have ended.
    pub(super) fn living(&self) -> impl Iterator<Item = Arc<Link>> {
        self.links.iter().filter_map(Weak::upgrade)
    }
}

/// What all threads of a relay know.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) target: SockAddr,
    pub(super) domain: Domain,
    pub(super) state: Mutex<State>,
    pub(super) changed: Condvar,
}

/// The two sockets of a connection.
#[derive(Debug)]
pub(super) struct Link {
    client: Socket,
    server: Socket,
    has_ended: AtomicBool,
    /// One side has gone.
    is_left: AtomicBool,
    /// How it was cut, unless that ended it.
    is_silent: AtomicBool,
    is_held: AtomicBool,
    is_half: AtomicBool,
}

impl Link {
    /// Whether it was cut, and has not ended by that.
    pub(super) fn is_cut(&self) -> bool {
        [&self.is_silent, &self.is_held, &self.is_half].iter().any(|it| it.load(Ordering::Relaxed))
    }

    fn ends(&self, direction: Direction) -> (&Socket, &Socket) {
        match direction {
            Direction::Requests => (&self.client, &self.server),
            Direction::Replies => (&self.server, &self.client),
        }
    }
}

/// What may be done with bytes that are on their way.
enum Verdict {
    Pass(usize),
    Cut(Cut),
    TooLate,
}

impl Shared {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // After a test has failed, the relay still has to end.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a client to the server.
    pub(super) fn join(self: &Arc<Self>, client: Socket) -> io::Result<()> {
        let server = Socket::new(self.domain, socket2::Type::STREAM, None)?;
        server.connect(&self.target)?;
        if self.domain != Domain::UNIX {
            client.set_tcp_nodelay(true)?;
            server.set_tcp_nodelay(true)?;
        }
        let not = || AtomicBool::new(false);
        let link = Arc::new(Link {
            client,
            server,
            has_ended: not(),
            is_left: not(),
            is_silent: not(),
            is_held: not(),
            is_half: not(),
        });
        let mut state = self.state();
        state.begun += 1;
        state.links.retain(|link| link.strong_count() > 0);
        state.links.push(Arc::downgrade(&link));
        drop(state);
        for direction in Direction::ALL {
            let (shared, link) = (Arc::clone(self), Arc::clone(&link));
            thread::spawn(move || shared.pump(&link, direction));
        }
        Ok(())
    }

    /// Moves bytes one way until there are no more.
    fn pump(self: &Arc<Self>, link: &Arc<Link>, direction: Direction) {
        let (arrived, arrivals) = sync_channel(BUFFERS);
        let (shared, own) = (Arc::clone(self), Arc::clone(link));
        let writer = thread::spawn(move || shared.write_all(&own, direction, &arrivals));
        let mut from = link.ends(direction).0;
        let mut buffer = vec![0; BUFFER_BYTES];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let bytes = buffer.get(..length).unwrap_or_default().to_vec();
            if arrived.send((Instant::now(), bytes)).is_err() {
                break;
            }
        }
        link.is_left.store(true, Ordering::Relaxed);
        // Not between a look at it and the wait that follows.
        drop(self.state());
        self.changed.notify_all();
        drop(arrived);
        let _ = writer.join();
        let mut state = self.state();
        while link.is_silent.load(Ordering::Relaxed) && !link.has_ended.load(Ordering::Relaxed) {
            state = self.wait(state);
        }
        drop(state);
        // Neither side closes in one direction only.
        self.end(link, Cut::Close);
    }

    fn write_all(
        &self,
        link: &Link,
        direction: Direction,
        arrivals: &Receiver<(Instant, Vec<u8>)>,
    ) {
        let mut to = link.ends(direction).1;
        let mut paced = Paced::default();
        while let Ok((arrived, bytes)) = arrivals.recv() {
            let pace = self.state().way(direction).pace;
            let mut bytes = VecDeque::from(bytes);
            thread::sleep((arrived + pace.delay).saturating_duration_since(Instant::now()));
            if !pace.gathering.is_zero() {
                thread::sleep(pace.gathering);
                bytes.extend(arrivals.try_iter().flat_map(|(_, bytes)| bytes));
            }
            while !bytes.is_empty() {
                let pace = self.state().way(direction).pace;
                let piece = paced.piece(&pace, bytes.len());
                match self.judge(link, direction, piece) {
                    Verdict::Pass(length) => {
                        let piece: Vec<u8> = bytes.drain(..length).collect();
                        if to.write_all(&piece).is_err() {
                            return;
                        }
                        self.state().way(direction).written += length as u64;
                        self.changed.notify_all();
                        thread::sleep(paced.pause(&pace, length));
                    }
                    Verdict::Cut(Cut::Half) => {
                        let _ = to.shutdown(Shutdown::Write);
                        // The rest is lost.
                        while arrivals.recv().is_ok() {}
                        return;
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
            if link.is_held.load(Ordering::Relaxed) && link.is_left.load(Ordering::Relaxed) {
                return Verdict::Cut(Cut::Close);
            }
            let (silent, held) = (&link.is_silent, &link.is_held);
            if silent.load(Ordering::Relaxed) || held.load(Ordering::Relaxed) {
                state = self.wait(state);
                continue;
            }
            let way = state.way(direction);
            if let Some((0, cut)) = way.cut {
                way.cut = None;
                state.has_cut = true;
                state.holds += usize::from(cut == Cut::Hold);
                self.changed.notify_all();
                match cut {
                    Cut::Silence => link.is_silent.store(true, Ordering::Relaxed),
                    Cut::Hold => link.is_held.store(true, Ordering::Relaxed),
                    Cut::Half => {
                        link.is_half.store(true, Ordering::Relaxed);
                        return Verdict::Cut(cut);
                    }
                    Cut::Close | Cut::Reset => return Verdict::Cut(cut),
                }
                continue;
            }
            let until_cut = way.cut.map_or(u64::MAX, |(bytes, _)| bytes);
            let most = until_cut.min(way.allowed.unwrap_or(u64::MAX));
            let length = length.min(usize::try_from(most).unwrap_or(usize::MAX));
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
            state = self.wait(state);
        }
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a connection on both sides.
    pub(super) fn end(&self, link: &Link, cut: Cut) {
        let mut state = self.state();
        if link.has_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let _ = link.server.shutdown(Shutdown::Both);
        if cut == Cut::Reset {
            // Without lingering, closing is a reset; this only wakes who reads here.
            let _ = link.client.set_linger(Some(Duration::ZERO));
            let _ = link.client.shutdown(Shutdown::Read);
        } else {
            let _ = link.client.shutdown(Shutdown::Both);
        }
        state.ended += 1;
        self.changed.notify_all();
    }
}
