//! Where the fake server listens, and how it takes clients one after the other.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Instant;

use socket2::{Domain, SockAddr, Socket, Type};

use crate::delivery::Delivery;
use crate::player::play;
use crate::recording::Recording;
use crate::script::Script;
use crate::timed::{name_timeout, time_until};

/// Where a client finds the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A port of this machine's loopback.
    Tcp(SocketAddr),
    /// A unix socket.
    Unix(PathBuf),
}

/// A server that has no client yet. A unix socket's file goes with it.
#[derive(Debug)]
pub struct Listener {
    socket: Socket,
    address: Address,
}

impl Listener {
    /// Listens on a free port.
    ///
    /// # Errors
    /// The system's.
    pub fn tcp() -> io::Result<Self> {
        Listener::tcp_on(Ipv4Addr::LOCALHOST.into())
    }

    /// Listens on a free port of this address, which is one of the machine's.
    ///
    /// # Errors
    /// The system's.
    pub fn tcp_on(ip: IpAddr) -> io::Result<Self> {
        let address = SocketAddr::from((ip, 0));
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.bind(&address.into())?;
        socket.listen(16)?;
        let address = socket.local_addr()?.as_socket().ok_or(io::ErrorKind::AddrNotAvailable)?;
        Ok(Listener { socket, address: Address::Tcp(address) })
    }

    /// Listens on a unix socket at this path, where nothing may be yet.
    ///
    /// # Errors
    /// The system's.
    pub fn unix(path: &Path) -> io::Result<Self> {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.bind(&SockAddr::unix(path)?)?;
        let listener = Listener { socket, address: Address::Unix(path.to_owned()) };
        listener.socket.listen(16)?;
        Ok(listener)
    }

    /// Where a client finds the server.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Takes one client and plays the script; all of it ends at the deadline.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`] if no client came; the system's.
    pub fn serve(
        &self,
        script: &Script,
        delivery: Delivery,
        deadline: Instant,
    ) -> io::Result<Recording> {
        Ok(play(&self.accept(deadline)?, script, delivery, deadline))
    }

    /// Takes one client before the deadline.
    pub(crate) fn accept(&self, deadline: Instant) -> io::Result<Socket> {
        // On Linux the limit of reads is that of accept too.
        self.socket.set_read_timeout(Some(time_until(deadline)?))?;
        let (socket, _) = self.socket.accept().map_err(name_timeout)?;
        if matches!(self.address, Address::Tcp(_)) {
            socket.set_tcp_nodelay(true)?;
        }
        Ok(socket)
    }

    /// Ends the wait for a client.
    pub(crate) fn stop(&self) {
        let _ = self.socket.shutdown(Shutdown::Both);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Address::Unix(path) = &self.address {
            let _ = fs::remove_file(path);
        }
    }
}
