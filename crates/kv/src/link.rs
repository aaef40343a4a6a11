//! A socket to a key-value port: lines and counted bytes, each request within its time.
//!
//! It is of the process that has opened it. One that this has made by a fork only lets go of it; and it hangs up, for a child would keep the
//! connection open, and tables locked.

use std::io::IoSlice;
use std::ops::Range;
use std::process;
use std::time::{Duration, Instant};

use vaquita_client::{Address, ByteStream, Transport};

use crate::error::Error;

/// What is received at once.
const READ_BYTES: usize = 16 << 10;

/// How large a buffer stays from one request to the next.
const KEPT_BYTES: usize = 256 << 10;

/// The most that the replies to one request may have, unless it is limited further. No server gives more in a column: max_allowed_packet ends there.
pub(crate) const MAX_BYTES: usize = 1 << 30;

/// How long connecting, and each request, may take.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// Connecting.
    pub connect: Duration,
    /// A request, from its first byte to its reply's last.
    pub request: Duration,
}

/// A socket, what came through it and was not looked at yet, and how many replies are due.
#[derive(Debug)]
pub(crate) struct Link {
    transport: Transport,
    process: u32,
    /// `received` of it, from `start` on, was not looked at yet.
    buffer: Vec<u8>,
    received: Range<usize>,
    /// The most that the replies to one request may have, and what they still may.
    most: usize,
    left: usize,
    timeout: Duration,
    deadline: Option<Instant>,
    due: usize,
    is_broken: bool,
}

impl Link {
    /// Connects.
    pub(crate) fn connect(address: &Address, timeouts: Timeouts) -> Result<Link, Error> {
        let deadline = Instant::now().checked_add(timeouts.connect);
        let transport = Transport::connect(address, None, deadline).map_err(Error::Lost)?;
        Link::new(transport, timeouts.request)
    }

    /// Goes over a stream that stands in the place of a socket.
    pub(crate) fn over(
        stream: Box<dyn ByteStream>,
        address: &Address,
        timeout: Duration,
    ) -> Result<Link, Error> {
        Link::new(Transport::over(stream, address), timeout)
    }

    fn new(mut transport: Transport, timeout: Duration) -> Result<Link, Error> {
        transport.set_timeouts(Some(timeout), Some(timeout)).map_err(Error::Lost)?;
        let (buffer, received) = (Vec::new(), 0..0);
        let process = process::id();
        let (deadline, due, is_broken) = (None, 0, false);
        let (most, left) = (MAX_BYTES, 0);
        Ok(Link {
            transport,
            process,
            buffer,
            received,
            most,
            left,
            timeout,
            deadline,
            due,
            is_broken,
        })
    }

    /// The most that the replies to one request may have.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Has the replies to each request to come have no more.
    pub(crate) fn limit(&mut self, most: usize) {
        self.most = most;
    }

    /// Whether another request may be made: all replies were read, and nothing else came.
    pub(crate) fn is_ready(&self) -> bool {
        !self.is_broken && self.due == 0 && self.received.is_empty()
    }

    /// Whether it is ready, and nobody has closed it or sent anything since.
    pub(crate) fn is_alive(&self) -> bool {
        self.is_ready() && !self.transport.is_readable()
    }

    /// Makes requests, to which so many replies are due.
    pub(crate) fn send(&mut self, requests: &[u8], replies: usize) -> Result<(), Error> {
        if !self.is_ready() {
            return Err(Error::OutOfSync);
        }
        self.deadline = Instant::now().checked_add(self.timeout);
        (self.due, self.left) = (replies, self.most);
        let sent = self.transport.write(&mut [IoSlice::new(requests)]);
        sent.map_err(|error| self.give_up(Error::Lost(error)))
    }

    /// A reply was read to its end.
    pub(crate) fn end_reply(&mut self) -> Result<(), Error> {
        self.due = self.due.checked_sub(1).ok_or(Error::OutOfSync)?;
        if self.due == 0 && !self.received.is_empty() {
            return Err(self.give_up(Error::Malformed("more than was asked for")));
        }
        if self.received.is_empty() && self.buffer.len() > KEPT_BYTES {
            (self.buffer, self.received) = (Vec::new(), 0..0);
        }
        Ok(())
    }

    /// Nothing more comes of it.
    pub(crate) fn give_up(&mut self, error: Error) -> Error {
        self.is_broken = true;
        self.end();
        error
    }

    /// The next line, up to its LF, and that not; at most so many bytes.
    pub(crate) fn line(&mut self, most: usize) -> Result<Range<usize>, Error> {
        self.expect_reply()?;
        let mut searched = 0;
        loop {
            let unread = self.bytes(self.received.clone());
            let new = unread.get(searched..).unwrap_or_default();
            if let Some(at) = memchr::memchr(b'\n', new) {
                let (start, end) = (self.received.start, self.received.start + searched + at);
                self.received.start = end + 1;
                return Ok(start..end);
            }
            searched = unread.len();
            if searched > most {
                return Err(self.give_up(Error::Malformed("a line without an end")));
            }
            self.receive()?;
        }
    }

    /// The next bytes, so many.
    pub(crate) fn counted(&mut self, bytes: usize) -> Result<Range<usize>, Error> {
        self.expect_reply()?;
        while self.received.len() < bytes {
            self.receive()?;
        }
        let start = self.received.start;
        self.received.start += bytes;
        Ok(start..start + bytes)
    }

    /// What stands there, until more is received.
    pub(crate) fn bytes(&self, place: Range<usize>) -> &[u8] {
        self.buffer.get(place).unwrap_or_default()
    }

    fn end(&mut self) {
        if self.process == process::id() {
            self.transport.hang_up();
        } else {
            self.transport.close();
        }
    }

    fn expect_reply(&self) -> Result<(), Error> {
        if self.is_broken || self.due == 0 { Err(Error::OutOfSync) } else { Ok(()) }
    }

    /// Receives more; the buffer grows with what has come, whatever was announced.
    fn receive(&mut self) -> Result<(), Error> {
        if self.left == 0 {
            return Err(self.give_up(Error::Malformed("more than a reply may have")));
        }
        if self.deadline.is_some_and(|it| it <= Instant::now()) {
            let late = vaquita_client::Error::lost(std::io::ErrorKind::TimedOut.into(), false);
            return Err(self.give_up(Error::Lost(late)));
        }
        let length = self.received.len();
        if self.received.start > 0 {
            self.buffer.copy_within(self.received.clone(), 0);
            self.received = 0..length;
        }
        let room = READ_BYTES.max(length);
        if self.buffer.len() < length + room / 2 {
            self.buffer.resize(length + room, 0);
        }
        let free = self.buffer.get_mut(length..).unwrap_or_default();
        match self.transport.read(free) {
            Ok(bytes) => {
                self.received.end += bytes;
                self.left = self.left.saturating_sub(bytes);
                Ok(())
            }
            Err(error) => {
                let lost = vaquita_client::Error::lost(error, false);
                Err(self.give_up(Error::Lost(lost)))
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "what fails here is a failed test")]
mod tests {
    use super::*;
    use vaquita_fake_server::Replay;

    #[test]
    fn all_replies_to_a_request_have_one_limit() {
        let line = [&[b'x'; 29][..], b"\n"].concat();
        let replay = Replay::new([line.repeat(3), line.repeat(4)]).byte_by_byte();
        let address = Address::Unix("nowhere".into());
        let mut link = Link::over(Box::new(replay), &address, Duration::from_secs(5)).unwrap();
        link.limit(90);
        for lines in [3, 4] {
            link.send(b"?", lines).unwrap();
            for _ in 0..3 {
                link.line(1000).unwrap();
                link.end_reply().unwrap();
            }
        }
        let error = link.line(1000).unwrap_err();
        assert!(matches!(error, Error::Malformed("more than a reply may have")), "{error}");
        assert!(!link.is_ready());
    }
}
