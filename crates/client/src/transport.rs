//! Bytes to and from a server: TCP or a unix socket, with timeouts kept by the kernel.

use std::io::{self, IoSlice, Read};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::time::{Duration, Instant};

use socket2::{Domain, SockAddr, Socket, Type};

use crate::error::Error;
use crate::options::Address;

/// The longest path of a unix socket: `sun_path` of unix(7), less its NUL.
const MAX_SOCKET_PATH_BYTES: usize = 107;

/// An open socket.
///
/// Timeouts are SO_RCVTIMEO and SO_SNDTIMEO, so that a read is one system call; a timeout comes back as `TimedOut`.
#[derive(Debug)]
pub(crate) struct Transport {
    /// `None` once it was closed. Closing is letting go: a forked parent or child that has the socket too keeps it.
    socket: Option<Socket>,
    is_unix: bool,
    /// While connecting: when all of it must be done. Then each read and write may take only the time that is left.
    deadline: Option<Instant>,
}

impl Transport {
    /// Connects; each address that a name has is tried in turn.
    pub(crate) fn connect(address: &Address, deadline: Option<Instant>) -> Result<Self, Error> {
        let socket = match address {
            Address::Tcp { host, port } => connect_tcp(host, *port, deadline),
            Address::Unix(path) => connect_unix(path, deadline),
        };
        let socket = socket.map_err(Error::connect)?;
        Ok(Transport {
            socket: Some(socket),
            is_unix: matches!(address, Address::Unix(_)),
            deadline,
        })
    }

    /// Whether what is sent stays on this machine: whoever listens at the other end, nobody between can.
    pub(crate) fn is_private(&self) -> bool {
        self.is_unix
    }

    /// From now on each read and write has its own time.
    pub(crate) fn end_connection_phase(
        &mut self,
        read_timeout: Option<Duration>,
        write_timeout: Option<Duration>,
    ) -> Result<(), Error> {
        self.deadline = None;
        let set = self.socket().and_then(|socket| {
            socket.set_read_timeout(read_timeout)?;
            socket.set_write_timeout(write_timeout)
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
            let mut socket = self.socket()?;
            if let Some(left) = self.time_left()? {
                socket.set_read_timeout(Some(left))?;
            }
            match socket.read(buffer) {
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

    fn write_once(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let socket = self.socket()?;
        if let Some(left) = self.time_left()? {
            socket.set_write_timeout(Some(left))?;
        }
        socket.send_vectored_with_flags(slices, libc::MSG_NOSIGNAL)
    }

    /// Lets go of the socket.
    pub(crate) fn close(&mut self) {
        self.socket = None;
    }

    fn socket(&self) -> io::Result<&Socket> {
        self.socket.as_ref().ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    fn time_left(&self) -> io::Result<Option<Duration>> {
        self.deadline.map(time_until).transpose()
    }
}

fn time_until(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    // A timeout of zero would mean none.
    if left < Duration::from_millis(1) { Err(timed_out()) } else { Ok(left) }
}

fn connect_tcp(host: &str, port: u16, deadline: Option<Instant>) -> io::Result<Socket> {
    let addresses = (host, port).to_socket_addrs().map_err(|error| {
        let text = error.to_string();
        let reason = text.rsplit(": ").next().unwrap_or_default();
        io::Error::other(format!("getaddrinfo for {host} failed: {reason}"))
    })?;
    let mut last = io::Error::other(format!("getaddrinfo for {host} failed: no address"));
    for address in addresses {
        match connect_address(address, deadline) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn connect_address(address: SocketAddr, deadline: Option<Instant>) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    match deadline {
        Some(deadline) => socket.connect_timeout(&address.into(), time_until(deadline)?),
        None => connect_retrying(&socket, &address.into()),
    }
    .map_err(name_timeout)?;
    socket.set_tcp_nodelay(true)?;
    socket.set_keepalive(true)?;
    Ok(socket)
}

fn connect_unix(path: &Path, deadline: Option<Instant>) -> io::Result<Socket> {
    let address = SockAddr::unix(path).map_err(|_| {
        let (path, limit) = (path.display(), MAX_SOCKET_PATH_BYTES);
        io::Error::other(format!("the socket's path is longer than {limit} bytes: {path}"))
    })?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    if let Some(deadline) = deadline {
        // On Linux a blocking connect to a full backlog waits as long as a write may take.
        socket.set_write_timeout(Some(time_until(deadline)?))?;
    }
    connect_retrying(&socket, &address)?;
    Ok(socket)
}

/// Connects, whatever signals come in between.
fn connect_retrying(socket: &Socket, address: &SockAddr) -> io::Result<()> {
    loop {
        match socket.connect(address) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The attempt that a signal interrupted went on, and came through.
            Err(error) if error.raw_os_error() == Some(libc::EISCONN) => return Ok(()),
            connected => return connected.map_err(name_timeout),
        }
    }
}

fn timed_out() -> io::Error {
    io::Error::from_raw_os_error(libc::ETIMEDOUT)
}

/// The kernel reports the end of SO_RCVTIMEO as EAGAIN, and socket2 that of connecting without a number.
fn name_timeout(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => timed_out(),
        _ => error,
    }
}
