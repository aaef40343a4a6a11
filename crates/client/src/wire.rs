//! What a server's bytes come through: a socket, or whatever stands in its place.

use std::fmt::Debug;
use std::io::{self, IoSlice, Read, Write};
use std::mem::MaybeUninit;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvFlags, recv};
use socket2::Socket;

use crate::watch::MIN_TIME;

/// A stream of bytes to and from a server that stands in the place of a socket ([`crate::Connection::over`]).
///
/// Reading nothing means that the server has closed. Timeouts are the stream's own affair: it says `TimedOut`.
pub trait ByteStream: Read + Write + Debug + Send {}

impl<S: Read + Write + Debug + Send> ByteStream for S {}

/// To the kernel no time at all is no limit.
fn at_least_some(timeout: Option<Duration>) -> Option<Duration> {
    timeout.map(|timeout| timeout.max(MIN_TIME))
}

/// What would not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) can_read: bool,
    pub(crate) can_write: bool,
}

#[derive(Debug)]
pub(crate) enum Wire {
    Socket(Socket),
    Stream(Box<dyn ByteStream>),
}

impl Wire {
    pub(crate) fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Wire::Socket(socket) => socket.set_read_timeout(at_least_some(timeout)),
            Wire::Stream(_) => Ok(()),
        }
    }

    pub(crate) fn set_write_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Wire::Socket(socket) => socket.set_write_timeout(at_least_some(timeout)),
            Wire::Stream(_) => Ok(()),
        }
    }

    #[inline]
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Wire::Socket(socket) => socket.read(buffer),
            Wire::Stream(stream) => stream.read(buffer),
        }
    }

    /// Reads what is there; if that is nothing, says `WouldBlock`. A stream that is no socket says so always.
    pub(crate) fn read_at_once(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = match self {
                Wire::Socket(socket) => recv(&*socket, &mut *buffer, RecvFlags::DONTWAIT),
                Wire::Stream(_) => return Err(io::ErrorKind::WouldBlock.into()),
            };
            match read {
                Ok((length, _)) => return Ok(length),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Whether reading would not wait; a stream that is no socket does not tell.
    pub(crate) fn is_readable(&self) -> bool {
        let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
        match self {
            Wire::Socket(socket) => {
                let peeked = socket.recv_with_flags(&mut [MaybeUninit::uninit()], flags);
                peeked.map_or_else(|error| error.kind() != io::ErrorKind::WouldBlock, |_| true)
            }
            Wire::Stream(_) => false,
        }
    }

    /// Writes some of the bytes, in one system call; no signal comes of a server that is gone.
    pub(crate) fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Wire::Socket(socket) => socket.send_vectored_with_flags(slices, libc::MSG_NOSIGNAL),
            Wire::Stream(stream) => match stream.write_vectored(slices)? {
                0 => Err(io::ErrorKind::WriteZero.into()),
                length => Ok(length),
            },
        }
    }

    /// Writes what is taken at once; if that is nothing, says `WouldBlock`. A stream that is no socket takes its own time.
    pub(crate) fn write_vectored_at_once(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let flags = libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT;
        match self {
            Wire::Socket(socket) => socket.send_vectored_with_flags(slices, flags),
            Wire::Stream(_) => self.write_vectored(slices),
        }
    }

    /// Waits until something can be written, or it is known why not; false: not within this time. A stream that is no socket has waited.
    pub(crate) fn wait_writable(&self, time: Duration) -> io::Result<bool> {
        let Wire::Socket(socket) = self else { return Ok(false) };
        // Longer than any date: for ever.
        let time = Timespec::try_from(time).ok();
        let ready = poll(&mut [PollFd::new(socket, PollFlags::OUT)], time.as_ref())?;
        Ok(ready > 0)
    }

    /// Waits until something can be read or written, or it is known why not; neither, if that takes longer than this time or a signal came.
    /// Of a stream that is no socket it is not known: it can be written to, in its own time.
    pub(crate) fn wait_ready(&self, time: Option<Duration>) -> io::Result<Ready> {
        let Wire::Socket(socket) = self else {
            return Ok(Ready { can_read: false, can_write: true });
        };
        // Longer than any date: for ever.
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        let mut polled = [PollFd::new(socket, PollFlags::IN | PollFlags::OUT)];
        match poll(&mut polled, time.as_ref()) {
            Err(rustix::io::Errno::INTR) => return Ok(Ready { can_read: false, can_write: false }),
            polled => polled?,
        };
        let [polled] = polled;
        let events = polled.revents();
        let can_write = events.contains(PollFlags::OUT);
        // A hang-up is read, behind whatever came before it.
        Ok(Ready { can_read: events.intersects(PollFlags::OUT.complement()), can_write })
    }

    /// Writes what is taken at once, whatever comes of it.
    pub(crate) fn write_without_waiting(&mut self, bytes: &[u8]) {
        let _ = match self {
            Wire::Socket(socket) => {
                socket.send_with_flags(bytes, libc::MSG_NOSIGNAL | libc::MSG_DONTWAIT)
            }
            Wire::Stream(stream) => stream.write(bytes),
        };
    }
}
