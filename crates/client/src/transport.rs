//! Bytes to and from a server: TCP or a unix socket, in plain or by TLS, with timeouts kept by the kernel.

use std::io::{self, IoSlice};
use std::net::{Shutdown, SocketAddr};
use std::time::{Duration, Instant};

use socket2::Socket;

use crate::agreed::TlsSession;
use crate::clock::Connecting;
use crate::dial::dial;
use crate::error::Error;
use crate::host_links::HostLink;
use crate::options::Address;
use crate::timed_wire::TimedWire;
use crate::tls;
use crate::waits::Event;
use crate::watch::Watch;
use crate::wire::{ByteStream, Wire};
use crate::write_queue::WriteQueue;

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

/// The way to a server: bytes, without what they mean. A [`crate::Connection`] has one; so has whoever speaks another protocol.
#[derive(Debug)]
pub struct Transport {
    wire: TimedWire,
    is_unix: bool,
    tls: Option<Box<tls::Session>>,
    /// What is to leave in one piece; it is counted as sent.
    gathered: Option<Vec<u8>>,
    /// What went through it, TLS's own not counted.
    pub(crate) bytes_sent: u64,
    pub(crate) bytes_received: u64,
    /// What the socket counts as on this machine, as long as it is open.
    link: Option<HostLink>,
}

impl Transport {
    /// Connects: to `peer`, or to the first of the address's hosts that answers. What is read and written before
    /// [`Transport::set_timeouts`] has to be done until the deadline.
    ///
    /// # Errors
    /// [`Error::Io`]: nobody answers.
    pub fn connect(
        address: &Address,
        peer: Option<SocketAddr>,
        deadline: Option<Instant>,
    ) -> Result<Self, Error> {
        Transport::connect_timed(address, peer, deadline, &mut Connecting::new(None))
    }

    /// Does as [`Transport::connect`], and says how far it has come.
    pub(crate) fn connect_timed(
        address: &Address,
        peer: Option<SocketAddr>,
        deadline: Option<Instant>,
        connecting: &mut Connecting,
    ) -> Result<Self, Error> {
        let socket = dial(address, peer, deadline, connecting).map_err(Error::connect)?;
        connecting.goes_on(true, Event::Auth);
        Ok(Transport::new(Wire::Socket(socket), address, deadline))
    }

    /// The stream that stands in the place of a socket to this address.
    pub fn over(stream: Box<dyn ByteStream>, address: &Address) -> Self {
        Transport::new(Wire::Stream(stream), address, None)
    }

    fn new(wire: Wire, address: &Address, deadline: Option<Instant>) -> Self {
        Transport {
            wire: TimedWire::new(wire, deadline),
            is_unix: matches!(address, Address::Unix(_)),
            tls: None,
            gathered: None,
            bytes_sent: 0,
            bytes_received: 0,
            link: None,
        }
    }

    /// Counts as this link from now on.
    pub(crate) fn hold(&mut self, link: Option<HostLink>) {
        self.link = link;
    }

    /// What it counts as, which it does no more.
    pub(crate) fn take_link(&mut self) -> Option<HostLink> {
        self.link.take()
    }

    /// Lets go of the socket, for another one that counts in its place.
    pub(crate) fn close_for_another(&mut self) -> Option<HostLink> {
        let link = self.take_link();
        self.close();
        link
    }

    /// Goes on in TLS.
    ///
    /// # Errors
    /// [`Error::Tls`]: whatever goes wrong before both sides have a session.
    pub(crate) fn start_tls(&mut self, setup: tls::Setup) -> Result<(), Error> {
        self.tls = Some(Box::new(tls::Session::establish(setup, &mut self.wire)?));
        Ok(())
    }

    /// How it is encrypted.
    pub(crate) fn tls_session(&self) -> Option<TlsSession> {
        self.tls.as_ref().map(|tls| tls.agreed())
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

    /// Whether reading from the socket would not wait; of a stream that is none this is not known, so it is said.
    pub fn is_readable(&self) -> bool {
        match &self.wire.wire {
            Some(wire @ Wire::Socket(_)) => wire.is_readable(),
            _ => true,
        }
    }

    /// The system calls that read, and those that wrote.
    pub(crate) fn system_calls(&self) -> (u64, u64) {
        (self.wire.reads, self.wire.writes)
    }

    /// Goes on counting them from other numbers.
    pub(crate) fn set_system_calls(&mut self, reads: u64, writes: u64) {
        (self.wire.reads, self.wire.writes) = (reads, writes);
    }

    /// From now on all reads and writes together have this time.
    pub(crate) fn finish_within(&mut self, time: Option<Duration>) {
        self.wire.deadline = time.and_then(|time| Instant::now().checked_add(time));
    }

    /// From now on each read and write has its own time.
    ///
    /// # Errors
    /// [`Error::Io`]: it is closed.
    pub fn set_timeouts(
        &mut self,
        read_timeout: Option<Duration>,
        write_timeout: Option<Duration>,
    ) -> Result<(), Error> {
        self.wire.deadline = None;
        let set = self.wire.set_timeouts(read_timeout, write_timeout);
        set.map_err(|error| Error::lost(error, true))
    }

    /// Sets or takes away the limit of queries; nothing that has one is waited for now.
    pub(crate) fn set_watch(&mut self, watch: Option<Watch>) {
        self.wire.watch = watch.map(Box::new);
    }

    /// A query is being sent, or its next result is due: its time begins.
    #[inline]
    pub(crate) fn begin_watch(&mut self) {
        if let Some(watch) = &mut self.wire.watch {
            watch.begin();
        }
    }

    /// The time of a query that was sent before begins; whether others were sent behind it.
    #[inline]
    pub(crate) fn begin_watch_in_pipeline(&mut self, is_followed: bool) {
        if let Some(watch) = &mut self.wire.watch {
            watch.set_followed(is_followed);
            watch.begin();
        }
    }

    /// No query is waited for any more; whether the server may still have to notice that one was stopped.
    #[inline]
    pub(crate) fn end_watch(&mut self) -> Result<bool, Error> {
        let Some(watch) = &mut self.wire.watch else { return Ok(false) };
        watch.set_followed(false);
        let (was_on, lingers) = watch.end();
        if was_on {
            self.wire.reset_read_timeout().map_err(|error| Error::lost(error, true))?;
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
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
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
    pub fn write(&mut self, slices: &mut [IoSlice<'_>]) -> Result<(), Error> {
        let bytes: usize = slices.iter().map(|slice| slice.len()).sum();
        if let Some(gathered) = &mut self.gathered {
            slices.iter().for_each(|slice| gathered.extend_from_slice(slice));
        } else {
            self.write_now(slices)?;
        }
        self.bytes_sent += bytes as u64;
        Ok(())
    }

    #[inline]
    fn write_now(&mut self, slices: &mut [IoSlice<'_>]) -> Result<(), Error> {
        match &mut self.tls {
            None => self.wire.write(slices),
            Some(tls) => tls.write(&mut self.wire, slices),
        }
    }

    /// Whether reads and writes wait; those that do not say `WouldBlock` where they would.
    pub(crate) fn set_waiting(&mut self, waits: bool) {
        self.wire.waits = waits;
    }

    /// From now on nobody waits for what is written: it goes when the server takes it, at the latest while something is read.
    pub(crate) fn begin_queue(&mut self) {
        self.wire.queue = Some(Box::default());
    }

    /// How far what was written that way has come.
    pub(crate) fn queue(&self) -> Option<&WriteQueue> {
        self.wire.queue.as_deref()
    }

    /// Writes of it what is taken at once.
    pub(crate) fn write_queued(&mut self) {
        self.wire.write_queued();
    }

    /// Waits for what is written again, and for what is still in the queue.
    ///
    /// # Errors
    /// As [`Transport::write`], also of what was written before.
    pub(crate) fn end_queue(&mut self) -> Result<(), Error> {
        self.wire.end_queue()
    }

    /// Forgets what is in the queue, of a connection that is of no use any more.
    pub(crate) fn drop_queue(&mut self) {
        self.wire.queue = None;
    }

    /// Keeps what is written from now on.
    pub(crate) fn gather(&mut self) {
        self.gathered = Some(Vec::new());
    }

    /// Writes what was kept, without waiting.
    ///
    /// # Errors
    /// As [`Transport::write`], and if not all of it was taken at once.
    pub(crate) fn send_gathered(&mut self) -> Result<(), Error> {
        let gathered = self.gathered.take().unwrap_or_default();
        self.set_waiting(false);
        let sent = self.write_now(&mut [IoSlice::new(&gathered)]);
        self.set_waiting(true);
        sent.inspect_err(|error| {
            if error.nothing_sent() {
                self.bytes_sent = self.bytes_sent.saturating_sub(gathered.len() as u64);
            }
        })
    }

    /// Lets go of the socket without a byte: somebody else goes on with it.
    pub(crate) fn abandon(&mut self) {
        self.tls = None;
        self.wire.wire = None;
        self.link = None;
    }

    /// Has the other side see the end, even where another process has the socket, too: a child of this one, or its parent.
    pub fn hang_up(&mut self) {
        if let Some(socket) = self.socket() {
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.close();
    }

    /// Lets go of the socket.
    pub fn close(&mut self) {
        if let Some(mut tls) = self.tls.take() {
            tls.close(&mut self.wire);
        }
        self.wire.wire = None;
        self.link = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;

    #[test]
    fn who_hangs_up_ends_it_for_all_who_have_the_socket() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let address = Address::Tcp { host: "127.0.0.1".to_owned(), port };
        let mut transport = Transport::connect(&address, None, None).unwrap();
        let (mut other_side, _) = listener.accept().unwrap();
        let childs = transport.socket().unwrap().try_clone().unwrap();
        transport.hang_up();
        assert_eq!(other_side.read(&mut [0]).unwrap(), 0);
        drop(childs);
    }
}
