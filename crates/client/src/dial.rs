//! Opening a socket to where a server listens: TCP or a unix socket, before a deadline.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, SockAddr, Socket, Type};

use crate::clock::Connecting;
use crate::look_up::look_up;
use crate::options::Address;
use crate::timed_wire::{name_timeout, time_until};
use crate::waits::Event;

/// The longest path of a unix socket: `sun_path` of unix(7), less its NUL.
const MAX_SOCKET_PATH_BYTES: usize = 107;

/// How long an address is tried alone before the next one is tried beside it.
///
/// Source: the Connection Attempt Delay of RFC 8305, section 5.
const HEAD_START: Duration = Duration::from_millis(250);

/// How many addresses of a name are tried; the rest would hardly be reached within a timeout.
const MAX_ADDRESSES: usize = 16;

/// Opens a socket to an address. The addresses that a name has are tried beside each other, each after a head start of the one before;
/// or `peer` is the one that is meant.
pub(crate) fn dial(
    address: &Address,
    peer: Option<SocketAddr>,
    deadline: Option<Instant>,
    connecting: &mut Connecting,
) -> io::Result<Socket> {
    let (host, port) = match address {
        Address::Tcp { host, port } => (host, *port),
        Address::Unix(path) => {
            connecting.goes_on(false, Event::Connect);
            return connect_unix(path, deadline);
        }
    };
    let addresses = peer.map_or_else(|| look_up(host, port, deadline), |peer| Ok(vec![peer]))?;
    let is_name = peer.is_none() && host.parse::<IpAddr>().is_err();
    connecting.goes_on(is_name, Event::Connect);
    let socket = match &*alternating(addresses) {
        [] => return Err(io::Error::other(format!("getaddrinfo for {host} failed: no address"))),
        [only] => connect_address(*only, deadline)?,
        several => Race::default().run(several, deadline)?,
    };
    socket.set_tcp_nodelay(true)?;
    socket.set_keepalive(true)?;
    Ok(socket)
}

/// Addresses in the resolver's order, but with the families in turns: where one of them leads nowhere, the other one comes second.
fn alternating(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let (v6, v4): (Vec<_>, Vec<_>) =
        addresses.into_iter().enumerate().partition(|(_, it)| it.is_ipv6());
    let v6_is_first = v6.first().is_some_and(|(place, _)| *place == 0);
    let (first, second) = if v6_is_first { (v6, v4) } else { (v4, v6) };
    let turns = |family: Vec<(usize, SocketAddr)>, offset| {
        family.into_iter().enumerate().map(move |(turn, (_, address))| (2 * turn + offset, address))
    };
    let mut turns: Vec<_> = turns(first, 0).chain(turns(second, 1)).collect();
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, address)| address).take(MAX_ADDRESSES).collect()
}

/// Attempts to connect, of which the first to succeed wins; the others are closed.
#[derive(Default)]
struct Race {
    running: Vec<Socket>,
    /// Why an attempt failed, the latest one; better to know than that others did not answer in time.
    last_error: Option<io::Error>,
}

impl Race {
    fn run(&mut self, addresses: &[SocketAddr], deadline: Option<Instant>) -> io::Result<Socket> {
        let mut waiting = addresses.iter();
        let mut next_start = Instant::now();
        loop {
            let now = Instant::now();
            if (self.running.is_empty() || now >= next_start)
                && let Some(address) = waiting.next()
            {
                next_start = now + HEAD_START;
                if let Some(connected) = self.start(*address) {
                    return Ok(connected);
                }
                continue;
            }
            if self.running.is_empty() {
                return Err(self.error());
            }
            let left = match deadline.map(time_until).transpose() {
                Ok(left) => left,
                Err(timed_out) => return Err(self.last_error.take().unwrap_or(timed_out)),
            };
            let next = (waiting.len() > 0).then(|| next_start.saturating_duration_since(now));
            let wait = [left, next].into_iter().flatten().min();
            if let Some(connected) = self.wait(wait)? {
                return Ok(connected);
            }
        }
    }

    /// Starts an attempt; a socket if it succeeded at once.
    fn start(&mut self, address: SocketAddr) -> Option<Socket> {
        let started = Socket::new(Domain::for_address(address), Type::STREAM, None);
        let started = started.and_then(|socket| {
            socket.set_nonblocking(true)?;
            match socket.connect(&address.into()) {
                Ok(()) => settled(socket).map(Some),
                Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {
                    self.running.push(socket);
                    Ok(None)
                }
                Err(error) => Err(error),
            }
        });
        started.unwrap_or_else(|error| {
            self.last_error = Some(name_timeout(error));
            None
        })
    }

    /// Waits until an attempt comes to an end; a socket if it succeeded.
    fn wait(&mut self, wait: Option<Duration>) -> io::Result<Option<Socket>> {
        let wait = wait.map(Timespec::try_from).transpose().map_err(io::Error::other)?;
        let polled = |socket| PollFd::new(socket, PollFlags::OUT);
        let mut polled: Vec<_> = self.running.iter().map(polled).collect();
        match poll(&mut polled, wait.as_ref()) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let ended: Vec<bool> = polled.iter().map(|it| !it.revents().is_empty()).collect();
        let mut ended = ended.into_iter();
        let has_ended = |_: &mut Socket| ended.next().unwrap_or_default();
        for socket in self.running.extract_if(.., has_ended) {
            match socket.take_error() {
                Ok(None) => return settled(socket).map(Some),
                Ok(Some(error)) | Err(error) => self.last_error = Some(name_timeout(error)),
            }
        }
        Ok(None)
    }

    fn error(&mut self) -> io::Error {
        self.last_error.take().unwrap_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

/// A connected socket as all others are: calls wait.
fn settled(socket: Socket) -> io::Result<Socket> {
    socket.set_nonblocking(false)?;
    Ok(socket)
}

fn connect_address(address: SocketAddr, deadline: Option<Instant>) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    match deadline {
        Some(deadline) => socket.connect_timeout(&address.into(), time_until(deadline)?),
        None => connect_retrying(&socket, &address.into(), None),
    }
    .map_err(name_timeout)?;
    Ok(socket)
}

fn connect_unix(path: &Path, deadline: Option<Instant>) -> io::Result<Socket> {
    let address = SockAddr::unix(path).map_err(|_| {
        let (path, limit) = (path.display(), MAX_SOCKET_PATH_BYTES);
        io::Error::other(format!("the socket's path is longer than {limit} bytes: {path}"))
    })?;
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    connect_retrying(&socket, &address, deadline)?;
    Ok(socket)
}

/// Connects, whatever signals come in between.
fn connect_retrying(
    socket: &Socket,
    address: &SockAddr,
    deadline: Option<Instant>,
) -> io::Result<()> {
    loop {
        if let Some(deadline) = deadline {
            // On Linux a blocking connect to a full backlog waits as long as a write may take.
            socket.set_write_timeout(Some(time_until(deadline)?))?;
        }
        match socket.connect(address) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // The attempt that a signal interrupted went on, and came through.
            Err(error) if error.raw_os_error() == Some(libc::EISCONN) => return Ok(()),
            connected => return connected.map_err(name_timeout),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

    fn listener() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    /// An address that answers nothing: its queue is full of connections that nobody takes.
    fn black_hole() -> (Vec<Socket>, SocketAddr) {
        let hole = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        hole.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
        hole.listen(0).unwrap();
        let address = hole.local_addr().unwrap().as_socket().unwrap();
        let mut sockets = vec![hole];
        for _ in 0..4 {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.set_nonblocking(true).unwrap();
            let _ = socket.connect(&address.into());
            sockets.push(socket);
        }
        (sockets, address)
    }

    fn refused() -> SocketAddr {
        listener().1
    }

    fn race(addresses: &[SocketAddr], patience: Duration) -> io::Result<SocketAddr> {
        let mut socket = Race::default().run(addresses, Some(Instant::now() + patience))?;
        // Calls wait, as on every socket.
        let wait = Duration::from_millis(20);
        let begun = Instant::now();
        socket.set_read_timeout(Some(wait))?;
        assert!(socket.read(&mut [0]).is_err() && begun.elapsed() >= wait / 2);
        Ok(socket.peer_addr()?.as_socket().unwrap())
    }

    const PATIENCE: Duration = Duration::from_secs(20);

    #[test]
    fn a_dead_address_does_not_hold_up_the_next() {
        let (_hole, dead) = black_hole();
        let (_listener, alive) = listener();
        let begun = Instant::now();
        assert_eq!(race(&[dead, alive], PATIENCE).unwrap(), alive);
        eprintln!("a dead first address cost {:?}", begun.elapsed());
        assert_eq!(race(&[dead, refused(), dead, alive], PATIENCE).unwrap(), alive);
        assert_eq!(race(&[alive, dead], PATIENCE).unwrap(), alive);
        assert!(begun.elapsed() < PATIENCE / 2);
    }

    #[test]
    fn an_error_is_better_than_no_answer() {
        let (_hole, dead) = black_hole();
        let refused_by_all = race(&[refused(), refused()], PATIENCE).unwrap_err();
        assert_eq!(refused_by_all.kind(), io::ErrorKind::ConnectionRefused);
        let soon = Duration::from_millis(600);
        for addresses in [[dead, refused()], [refused(), dead]] {
            let error = race(&addresses, soon).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused, "{error}");
        }
        let error = race(&[dead, dead], soon).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ETIMEDOUT), "{error}");
    }

    #[test]
    fn families_take_turns_and_are_bounded() {
        let v4 = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let v6 = |port| SocketAddr::from((Ipv6Addr::LOCALHOST, port));
        let given = [v6(1), v6(2), v6(3), v4(4), v4(5)];
        assert_eq!(alternating(given.to_vec()), [v6(1), v4(4), v6(2), v4(5), v6(3)]);
        let given = [v4(1), v4(2), v6(3)];
        assert_eq!(alternating(given.to_vec()), [v4(1), v6(3), v4(2)]);
        assert_eq!(alternating((0..100).map(v4).collect()).len(), MAX_ADDRESSES);
    }
}
