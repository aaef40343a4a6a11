//! Bytes to and from a server: TCP or a unix socket, in plain or by TLS, with timeouts kept by the kernel.

use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use socket2::Socket;

use crate::dial::dial;
use crate::error::Error;
use crate::options::Address;
use crate::tls;
use crate::watch::Watch;
use crate::wire::{ByteStream, Wire};

/// Who may read what is sent, from everybody to nobody but the server that was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privacy {
    /// Whoever sits between.
    Open,
    /// Nobody who only listens; but who answers was not verified, or only by its CA.
    Encrypted,
    /// Nobody between, for it never leaves this machine: a unix socket.
    Local,
    /// Nobody but a server whose certificate and name were verified; or both, TLS and a unix socket.
    Verified,
}

impl Privacy {
    /// Whether nobody between can read along.
    pub(crate) const fn is_private(self) -> bool {
        match self {
            Privacy::Open => false,
            Privacy::Encrypted | Privacy::Local | Privacy::Verified => true,
        }
    }

    /// Whether it is private by TLS, which is all that the server can tell.
    pub(crate) const fn is_encrypted(self) -> bool {
        match self {
            Privacy::Open | Privacy::Local => false,
            Privacy::Encrypted | Privacy::Verified => true,
        }
    }

    /// Whether it is private, and the peer is known to be the server that was meant.
    pub(crate) const fn is_with_known_peer(self) -> bool {
        match self {
            Privacy::Open | Privacy::Encrypted => false,
            Privacy::Local | Privacy::Verified => true,
        }
    }
}

/// The way to a server.
#[derive(Debug)]
pub(crate) struct Transport {
    wire: TimedWire,
    is_unix: bool,
    tls: Option<Box<tls::Session>>,
    /// What went through it, TLS's own not counted.
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
}

impl Transport {
    /// Connects; `peer` as [`dial`] has it.
    pub(crate) fn connect(
        address: &Address,
        peer: Option<SocketAddr>,
        deadline: Option<Instant>,
    ) -> Result<Self, Error> {
        let socket = dial(address, peer, deadline).map_err(Error::connect)?;
        Ok(Transport::new(Wire::Socket(socket), address, deadline))
    }

    /// The stream that stands in the place of a socket to this address.
    pub(crate) fn over(stream: Box<dyn ByteStream>, address: &Address) -> Self {
        Transport::new(Wire::Stream(stream), address, None)
    }

    fn new(wire: Wire, address: &Address, deadline: Option<Instant>) -> Self {
        Transport {
            wire: TimedWire {
                wire: Some(wire),
                deadline,
                watch: None,
                read_timeout: None,
                write_timeout: None,
            },
            is_unix: matches!(address, Address::Unix(_)),
            tls: None,
            bytes_sent: 0,
            bytes_received: 0,
        }
    }

    /// Goes on in TLS.
    ///
    /// # Errors
    /// [`Error::Tls`]: whatever goes wrong before both sides have a session.
    pub(crate) fn start_tls(&mut self, setup: tls::Setup) -> Result<(), Error> {
        self.tls = Some(Box::new(tls::Session::establish(setup, &mut self.wire)?));
        Ok(())
    }

    /// Who may read what is sent.
    pub(crate) fn privacy(&self) -> Privacy {
        match &self.tls {
            Some(tls) if tls.is_verified() || self.is_unix => Privacy::Verified,
            Some(_) => Privacy::Encrypted,
            None if self.is_unix => Privacy::Local,
            None => Privacy::Open,
        }
    }

    /// The server has the statement that is watched, and waits for a file.
    pub(crate) fn note_read(&mut self) {
        if let Some(watch) = &mut self.wire.watch {
            watch.note_read();
        }
    }

    /// The socket, if it is one.
    pub(crate) fn socket(&self) -> Option<&Socket> {
        match self.wire.wire.as_ref()? {
            Wire::Socket(socket) => Some(socket),
            Wire::Stream(_) => None,
        }
    }

    /// Whether something was received that nobody has read.
    pub(crate) fn has_received(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.has_received())
    }

    /// From now on all reads and writes together have this time.
    pub(crate) fn finish_within(&mut self, time: Option<Duration>) {
        self.wire.deadline = time.and_then(|time| Instant::now().checked_add(time));
    }

    /// From now on each read and write has its own time.
    pub(crate) fn end_connection_phase(
        &mut self,
        read_timeout: Option<Duration>,
        write_timeout: Option<Duration>,
    ) -> Result<(), Error> {
        self.wire.deadline = None;
        let set = self.wire.wire().and_then(|wire| {
            wire.set_read_timeout(read_timeout)?;
            wire.set_write_timeout(write_timeout)
        });
        set.map_err(|error| Error::lost(error, true))
    }

    /// Sets or takes away the limit of queries; nothing that has one is waited for now.
    pub(crate) fn set_watch(
        &mut self,
        watch: Option<Watch>,
        read_timeout: Option<Duration>,
        write_timeout: Option<Duration>,
    ) {
        self.wire.watch = watch.map(Box::new);
        self.wire.read_timeout = read_timeout;
        self.wire.write_timeout = write_timeout;
    }

    /// A query is being sent, or its next result is due: its time begins.
    #[inline]
    pub(crate) fn begin_watch(&mut self) {
        if let Some(watch) = &mut self.wire.watch {
            watch.begin();
        }
    }

    /// No query is waited for any more; whether the server may still have to notice that one was stopped.
    #[inline]
    pub(crate) fn end_watch(&mut self) -> Result<bool, Error> {
        let Some(watch) = &mut self.wire.watch else { return Ok(false) };
        let (was_on, lingers) = watch.end();
        if was_on {
            let read_timeout = self.wire.read_timeout;
            let set = self.wire.wire().and_then(|wire| wire.set_read_timeout(read_timeout));
            set.map_err(|error| Error::lost(error, true))?;
        }
        Ok(lingers)
    }

    /// What an error is, knowing whether a query was stopped.
    pub(crate) fn explain(&self, error: Error) -> Error {
        match &self.wire.watch {
            Some(watch) => watch.explain(error),
            None => error,
        }
    }

    /// Reads at least one byte.
    ///
    /// # Errors
    /// The system's error, `TimedOut`, or `UnexpectedEof` when the server has closed.
    #[inline]
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.tls {
            None => self.wire.read(buffer),
            Some(tls) => tls.read(&mut self.wire, buffer),
        };
        if let Ok(bytes) = read {
            self.bytes_received += bytes as u64;
        }
        read
    }

    /// Writes all bytes of all slices, in one system call if the kernel takes them.
    ///
    /// # Errors
    /// The system's error or `TimedOut`, and whether nothing was sent.
    pub(crate) fn write(&mut self, slices: &mut [IoSlice<'_>]) -> Result<(), Error> {
        let bytes: usize = slices.iter().map(|slice| slice.len()).sum();
        match &mut self.tls {
            None => self.wire.write(slices),
            Some(tls) => tls.write(&mut self.wire, slices),
        }
        .inspect(|()| self.bytes_sent += bytes as u64)
    }

    /// Lets go of the socket without a byte: somebody else goes on with it.
    pub(crate) fn abandon(&mut self) {
        self.tls = None;
        self.wire.wire = None;
    }

    /// Lets go of the socket.
    pub(crate) fn close(&mut self) {
        if let Some(mut tls) = self.tls.take() {
            tls.close(&mut self.wire);
        }
        self.wire.wire = None;
    }
}

/// What is open, and until when.
///
/// Timeouts are SO_RCVTIMEO and SO_SNDTIMEO, so that a read is one system call; a timeout comes back as `TimedOut`.
#[derive(Debug)]
pub(crate) struct TimedWire {
    /// `None` once it was closed. Closing is letting go: a forked parent or child that has the socket too keeps it.
    wire: Option<Wire>,
    /// While connecting: when all of it must be done. Then each read and write may take only the time that is left.
    deadline: Option<Instant>,
    /// The limit of queries, if there is one; how long a read or a write may take besides.
    watch: Option<Box<Watch>>,
    read_timeout: Option<Duration>,
    write_timeout: Option<Duration>,
}

impl TimedWire {
    /// Reads at least one byte.
    #[inline]
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(left) = self.watch.as_ref().and_then(|watch| watch.time_left()) {
            return self.read_watched(buffer, left);
        }
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

    /// Reads at least one byte while a query's time runs; when that is up, the query is stopped, and its end is waited for.
    ///
    /// This stands below TLS and whatever else packets go through, so that nothing above has to go on in mid-packet.
    #[cold]
    fn read_watched(&mut self, buffer: &mut [u8], mut left: Duration) -> io::Result<usize> {
        loop {
            let begun = Instant::now();
            let time = self.read_timeout.map_or(left, |limit| limit.min(left));
            let wire = self.wire()?;
            wire.set_read_timeout(Some(time))?;
            let read = wire.read(buffer).map_err(name_timeout);
            let Some(watch) = &mut self.watch else { return read };
            watch.spend(begun.elapsed());
            match read {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => {
                    watch.was_read()?;
                    return Ok(length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    let wire = self.wire.as_ref();
                    watch.timed_out(&|| wire.is_some_and(Wire::is_readable))?;
                }
                Err(error) => return Err(error),
            }
            left = watch.time_left().ok_or_else(timed_out)?;
        }
    }

    /// Writes all bytes of all slices.
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
        if let Some(left) = self.watch.as_ref().and_then(|watch| watch.time_left()) {
            return self.write_watched(slices, left);
        }
        let left = self.time_left()?;
        let wire = self.wire()?;
        if left.is_some() {
            wire.set_write_timeout(left)?;
        }
        wire.write_vectored(slices)
    }

    /// Writes some of the bytes while a query's time runs; when that is up there is nothing that could be stopped yet.
    ///
    /// Most queries are taken at once, without another system call. For the others the time is kept here: the kernel would begin anew
    /// for each part that it takes.
    fn write_watched(&mut self, slices: &[IoSlice<'_>], mut left: Duration) -> io::Result<usize> {
        loop {
            let time = self.write_timeout.map_or(left, |limit| limit.min(left));
            let wire = self.wire()?;
            match wire.write_vectored_at_once(slices).map_err(name_timeout) {
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                written => return written,
            }
            let begun = Instant::now();
            let waited = wire.wait_writable(time);
            let Some(watch) = &mut self.watch else { return Err(timed_out()) };
            watch.spend(begun.elapsed());
            match waited {
                Ok(true) => {}
                Ok(false) => watch.timed_out_in_writing()?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            left = watch.time_left().ok_or_else(timed_out)?;
        }
    }

    /// Writes what is taken at once: for last words, which nobody waits for.
    pub(crate) fn write_without_waiting(&mut self, bytes: &[u8]) {
        if let Some(wire) = &mut self.wire {
            wire.write_without_waiting(bytes);
        }
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

pub(crate) fn timed_out() -> io::Error {
    io::Error::from_raw_os_error(libc::ETIMEDOUT)
}

/// The kernel reports the end of SO_RCVTIMEO as EAGAIN, and socket2 that of connecting without a number.
pub(crate) fn name_timeout(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => timed_out(),
        _ => error,
    }
}
