//! Opening a socket to where a server listens: TCP or a unix socket, before a deadline.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;
use std::time::Instant;

use socket2::{Domain, SockAddr, Socket, Type};

use crate::options::Address;
use crate::transport::{name_timeout, time_until};

/// The longest path of a unix socket: `sun_path` of unix(7), less its NUL.
const MAX_SOCKET_PATH_BYTES: usize = 107;

/// Opens a socket to an address; each address that a name has is tried in turn.
pub(crate) fn dial(address: &Address, deadline: Option<Instant>) -> io::Result<Socket> {
    match address {
        Address::Tcp { host, port } => connect_tcp(host, *port, deadline),
        Address::Unix(path) => connect_unix(path, deadline),
    }
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
