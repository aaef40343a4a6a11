//! How the bytes of a script are sent: in which pieces, how late, and how many of them.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use crate::timed::Timed;

/// How the bytes of a script are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The longest write.
    piece_bytes: NonZeroUsize,
    /// The time before each write but the first.
    pause: Duration,
    /// How many bytes are sent before the server closes in the midst of the script.
    cut: Option<u64>,
}

impl Delivery {
    /// All that is sent without waiting for the client, in one write.
    pub const WHOLE: Delivery =
        Delivery { piece_bytes: NonZeroUsize::MAX, pause: Duration::ZERO, cut: None };

    /// One byte per write.
    pub const ONE_BYTE: Delivery = Delivery { piece_bytes: NonZeroUsize::MIN, ..Delivery::WHOLE };

    /// Writes of at most this length.
    pub const fn pieces(piece_bytes: NonZeroUsize) -> Delivery {
        Delivery { piece_bytes, ..Delivery::WHOLE }
    }

    /// Three bytes per write, and this long between two writes.
    pub const fn delayed(pause: Duration) -> Delivery {
        let Some(piece_bytes) = NonZeroUsize::new(3) else { return Delivery::WHOLE };
        Delivery { piece_bytes, pause, ..Delivery::WHOLE }
    }

    /// The same, but the server closes where it would send the byte after these; if there is none, nothing changes.
    #[must_use]
    pub const fn cut_after(self, bytes: u64) -> Delivery {
        Delivery { cut: Some(bytes), ..self }
    }
}

/// Writes to a socket as a delivery says; a cut is a write of nothing, so [`io::ErrorKind::WriteZero`] for callers of `write_all`.
pub(crate) struct Delivering<'a> {
    socket: Timed<'a>,
    delivery: Delivery,
    pub(crate) sent_bytes: u64,
}

impl<'a> Delivering<'a> {
    pub(crate) fn new(socket: Timed<'a>, delivery: Delivery) -> Self {
        Delivering { socket, delivery, sent_bytes: 0 }
    }
}

impl Write for Delivering<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Delivery { piece_bytes, pause, cut } = self.delivery;
        let left = cut.map_or(u64::MAX, |cut| cut.saturating_sub(self.sent_bytes));
        let length = piece_bytes.get().min(usize::try_from(left).unwrap_or(usize::MAX));
        let piece = bytes.get(..length).unwrap_or(bytes);
        if piece.is_empty() {
            return Ok(0);
        }
        if self.sent_bytes > 0 && !pause.is_zero() {
            thread::sleep(pause.min(self.socket.time_left()?));
        }
        let written = self.socket.write(piece)?;
        self.sent_bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use socket2::Socket;
    use std::os::unix::net::UnixStream;
    use std::time::Instant;

    #[test]
    fn a_write_is_no_longer_than_its_piece() {
        let (socket, _peer) = UnixStream::pair().unwrap();
        let socket = Socket::from(std::os::fd::OwnedFd::from(socket));
        let deadline = Instant::now() + Duration::from_secs(20);
        let check = |delivery: Delivery, expected: &[usize]| {
            let mut delivering = Delivering::new(Timed::new(&socket, deadline), delivery);
            let lengths = expected.iter().map(|_| delivering.write(b"abcdefg").unwrap());
            assert_eq!(lengths.collect::<Vec<_>>(), expected, "{delivery:?}");
        };
        check(Delivery::WHOLE, &[7, 7]);
        check(Delivery::ONE_BYTE, &[1, 1]);
        check(Delivery::pieces(NonZeroUsize::MIN.saturating_add(4)), &[5, 5]);
        check(Delivery::WHOLE.cut_after(9), &[7, 2, 0, 0]);
        check(Delivery::ONE_BYTE.cut_after(2), &[1, 1, 0]);
        let begun = Instant::now();
        check(Delivery::delayed(Duration::from_millis(20)), &[3, 3, 3]);
        assert!(begun.elapsed() >= Duration::from_millis(40));
    }
}
