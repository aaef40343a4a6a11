//! A socket whose reads and writes all end at one point in time.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use socket2::Socket;

/// A socket with a deadline; when it has passed, everything is [`io::ErrorKind::TimedOut`].
#[derive(Clone, Copy)]
pub(crate) struct Timed<'a> {
    socket: &'a Socket,
    deadline: Instant,
}

impl<'a> Timed<'a> {
    pub(crate) fn new(socket: &'a Socket, deadline: Instant) -> Self {
        Timed { socket, deadline }
    }

    /// Ends one direction; the other side may have closed already.
    pub(crate) fn shutdown(&self, how: Shutdown) {
        let _ = self.socket.shutdown(how);
    }

    pub(crate) fn time_left(&self) -> io::Result<Duration> {
        time_until(self.deadline)
    }
}

/// The time until a deadline, never zero, which would mean no limit to the system.
pub(crate) fn time_until(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left < Duration::from_millis(1) { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// The system says EAGAIN when a limit has passed.
pub(crate) fn name_timeout(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.time_left()?))?;
        let mut socket = self.socket;
        socket.read(buffer).map_err(name_timeout)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.time_left()?))?;
        self.socket.send(bytes).map_err(name_timeout)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
