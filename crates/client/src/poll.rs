//! Waiting for several connections at once, until one of them has something to read.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll as poll_sockets};

use crate::connection::Connection;
use crate::state::State;

/// A connection as [`poll`] needs it: its socket, and whether something was received already.
///
/// It does not borrow the connection, and says nothing of what happens there later.
#[derive(Debug)]
pub struct Pollable {
    socket: OwnedFd,
    has_received: bool,
}

impl Connection {
    /// Whether something is due from the server.
    pub fn is_answer_due(&self) -> bool {
        match self.state {
            State::Ready | State::QuitSent | State::Broken => false,
            State::QuerySent
            | State::SendingLoadData
            | State::FetchingData
            | State::NextResultPending => true,
        }
    }

    /// The connection for [`poll`]; `None` if it has no socket, or not any more.
    ///
    /// # Errors
    /// The system has no descriptor left.
    pub fn pollable(&self) -> io::Result<Option<Pollable>> {
        let Some(socket) = self.stream.socket() else { return Ok(None) };
        let socket = socket.as_fd().try_clone_to_owned()?;
        Ok(Some(Pollable { socket, has_received: self.stream.has_received() }))
    }
}

/// Which of the connections of a [`poll`] are ready, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polled {
    /// Those that have something to read, or were closed.
    pub read: Vec<bool>,
    /// Those in an exceptional state, which no server of today brings about.
    pub error: Vec<bool>,
}

/// Waits until one of the first connections can be read from, or one of the second is in an exceptional state, but not longer than this.
///
/// # Errors
/// The system's, also `Interrupted` by a signal.
pub fn poll(read: &[Pollable], error: &[Pollable], timeout: Duration) -> io::Result<Polled> {
    let has_received = read.iter().any(|it| it.has_received);
    let timeout = if has_received { Duration::ZERO } else { timeout };
    // Longer than any date: for ever.
    let timeout = Timespec::try_from(timeout).ok();
    let mut sockets: Vec<PollFd<'_>> = read
        .iter()
        .map(|it| PollFd::new(&it.socket, PollFlags::IN))
        .chain(error.iter().map(|it| PollFd::new(&it.socket, PollFlags::PRI)))
        .collect();
    poll_sockets(&mut sockets, timeout.as_ref())?;
    let mut events = sockets.iter().map(PollFd::revents);
    let ended = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    let read = read
        .iter()
        .zip(events.by_ref())
        .map(|(it, events)| it.has_received || events.intersects(PollFlags::IN | ended))
        .collect();
    let error = events.map(|events| events.contains(PollFlags::PRI)).collect();
    Ok(Polled { read, error })
}
