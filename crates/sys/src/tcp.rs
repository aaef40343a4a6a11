//! What the kernel knows of a TCP connection (TCP_INFO).

use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

/// How long bytes take to the peer and back, of one TCP connection, by the kernel's own measuring of segments and their acknowledgements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoundTrips {
    /// The smoothed estimate (`tcpi_rtt`).
    pub estimated: Duration,
    /// The shortest one of late (`tcpi_min_rtt`); `None` from a kernel older than 4.6.
    pub shortest: Option<Duration>,
}

/// `struct tcp_info` of linux/tcp.h as words: each kernel appends to it, and tells how far it has filled it.
const WORDS: usize = 64;
const RTT: usize = 17;
const MIN_RTT: usize = 37;

/// How long bytes take to the peer of a socket and back.
///
/// # Errors
/// It is no TCP socket.
pub fn round_trips(socket: impl AsFd) -> io::Result<RoundTrips> {
    let mut words = [0_u32; WORDS];
    let mut filled_bytes = libc::socklen_t::try_from(mem::size_of_val(&words)).unwrap_or(0);
    // SAFETY: the descriptor is borrowed and so open; `words` is writable for `filled_bytes` bytes, any bytes are valid u32s, and the kernel
    // writes no more than that.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            words.as_mut_ptr().cast(),
            &raw mut filled_bytes,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let filled = filled_bytes as usize / mem::size_of::<u32>();
    let word = |at: usize| words.get(at).filter(|_| at < filled).copied();
    let microseconds = |it: u32| Duration::from_micros(it.into());
    let shortest = word(MIN_RTT).filter(|it| *it != u32::MAX);
    Ok(RoundTrips {
        estimated: microseconds(word(RTT).unwrap_or(0)),
        shortest: shortest.map(microseconds),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::os::unix::net::UnixStream;

    #[test]
    fn the_loopback_is_near_and_a_unix_socket_has_no_tcp() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (mut far, _) = listener.accept().unwrap();
        for _ in 0..3 {
            near.write_all(b"x").unwrap();
            far.read_exact(&mut [0]).unwrap();
            far.write_all(b"y").unwrap();
            near.read_exact(&mut [0]).unwrap();
        }
        let trips = round_trips(&near).unwrap();
        assert!(trips.estimated > Duration::ZERO && trips.estimated < Duration::from_secs(1));
        assert!(trips.shortest.is_none_or(|it| it <= trips.estimated * 2), "{trips:?}");
        let (one, _other) = UnixStream::pair().unwrap();
        assert!(round_trips(&one).is_err());
    }
}
