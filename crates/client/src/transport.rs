//! Bytes to and from a server: TCP or a unix socket, with timeouts kept by the kernel.

use std::io::{self, IoSlice};
use std::time::{Duration, Instant};

use crate::dial::dial;
use crate::error::Error;
use crate::options::Address;
use crate::wire::{ByteStream, Wire};

/// Who may read what is sent, from everybody to nobody but the server that was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Whoever sits between.
    Open,
    /// Nobody between, for it never leaves this machine: a unix socket.
    Local,
}

/// An open socket.
///
/// Timeouts are SO_RCVTIMEO and SO_SNDTIMEO, so that a read is one system call; a timeout comes back as `TimedOut`.
#[derive(Debug)]
pub(crate) struct Transport {
    /// `None` once it was closed. Closing is letting go: a forked parent or child that has the socket too keeps it.
    wire: Option<Wire>,
    is_unix: bool,
    /// While connecting: when all of it must be done. Then each read and write may take only the time that is left.
    deadline: Option<Instant>,
}

impl Transport {
    /// Connects.
    pub(crate) fn connect(address: &Address, deadline: Option<Instant>) -> Result<Self, Error> {
        let socket = dial(address, deadline).map_err(Error::connect)?;
        Ok(Transport::new(Wire::Socket(socket), address, deadline))
    }

    /// The stream that stands in the place of a socket to this address.
    pub(crate) fn over(stream: Box<dyn ByteStream>, address: &Address) -> Self {
        Transport::new(Wire::Stream(stream), address, None)
    }

    fn new(wire: Wire, address: &Address, deadline: Option<Instant>) -> Self {
        Transport { wire: Some(wire), is_unix: matches!(address, Address::Unix(_)), deadline }
    }

    /// Who may read what is sent.
    pub(crate) fn privacy(&self) -> Privacy {
        if self.is_unix { Privacy::Local } else { Privacy::Open }
    }

    /// From now on each read and write has its own time.
    pub(crate) fn end_connection_phase(
        &mut self,
        read_timeout: Option<Duration>,
        write_timeout: Option<Duration>,
    ) -> Result<(), Error> {
        self.deadline = None;
        let set = self.wire().and_then(|wire| {
            wire.set_read_timeout(read_timeout)?;
            wire.set_write_timeout(write_timeout)
        });
        set.map_err(|error| Error::lost(error, true))
    }

    /// Reads at least one byte.
    ///
    /// # Errors
    /// The system's error, `TimedOut`, or `UnexpectedEof` when the server has closed.
    #[inline]
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.time_left()?;
            let wire = self.wire()?;
            if left.is_some() {
                wire.set_read_timeout(left)?;
            }
            match wire.read(buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => return Ok(length),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(name_timeout(error)),
            }
        }
    }

    /// Writes all bytes of all slices, in one system call if the kernel takes them.
    ///
    /// # Errors
    /// The system's error or `TimedOut`, and whether nothing was sent.
    pub(crate) fn write(&mut self, mut slices: &mut [IoSlice<'_>]) -> Result<(), Error> {
        let mut nothing_sent = true;
        // Empty slices go, so that the end is the end.
        IoSlice::advance_slices(&mut slices, 0);
        while !slices.is_empty() {
            match self.write_once(slices) {
                Ok(length) => {
                    nothing_sent = false;
                    IoSlice::advance_slices(&mut slices, length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::lost(name_timeout(error), nothing_sent)),
            }
        }
        Ok(())
    }

    fn write_once(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let left = self.time_left()?;
        let wire = self.wire()?;
        if left.is_some() {
            wire.set_write_timeout(left)?;
        }
        wire.write_vectored(slices)
    }

    /// Lets go of the socket.
    pub(crate) fn close(&mut self) {
        self.wire = None;
    }

    fn wire(&mut self) -> io::Result<&mut Wire> {
        self.wire.as_mut().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn time_left(&self) -> io::Result<Option<Duration>> {
        self.deadline.map(time_until).transpose()
    }
}

pub(crate) fn time_until(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    // A timeout of zero would mean none.
    if left < Duration::from_millis(1) { Err(timed_out()) } else { Ok(left) }
}

fn timed_out() -> io::Error {
    io::Error::from_raw_os_error(libc::ETIMEDOUT)
}

/// The kernel reports the end of SO_RCVTIMEO as EAGAIN, and socket2 that of connecting without a number.
pub(crate) fn name_timeout(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => timed_out(),
        _ => error,
    }
}
