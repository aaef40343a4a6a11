//! The server's side of a dialogue as a stream of bytes: no socket, no thread, no time.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What comes when the server has nothing more to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// It has closed.
    Closed,
    /// It says nothing, until the client gives up waiting: [`io::ErrorKind::TimedOut`].
    Waiting,
}

/// Says what a server says: its first turn at once, each other one when the client has said something.
///
/// What the client says is not looked at. A client that reads when it is its own turn meets the [`Silence`], as it would if it
/// waited for a server that waits for it.
#[derive(Debug)]
pub struct Replay {
    bytes: Vec<u8>,
    /// Where each turn ends in the bytes, from the one that comes next on.
    ends: std::vec::IntoIter<usize>,
    /// The bytes up to here were said.
    said: usize,
    read: usize,
    longest_read: usize,
    silence: Silence,
    was_spoken_to: bool,
    read_bytes: Arc<AtomicUsize>,
}

impl Replay {
    /// A server that says these turns.
    pub fn new<T: AsRef<[u8]>>(turns: impl IntoIterator<Item = T>) -> Self {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for turn in turns {
            bytes.extend_from_slice(turn.as_ref());
            ends.push(bytes.len());
        }
        Replay {
            bytes,
            ends: ends.into_iter(),
            said: 0,
            read: 0,
            longest_read: usize::MAX,
            silence: Silence::Closed,
            was_spoken_to: true,
            read_bytes: Arc::default(),
        }
    }

    /// No read gives more than one byte.
    #[must_use]
    pub fn byte_by_byte(self) -> Self {
        Replay { longest_read: 1, ..self }
    }

    /// The server says only this many bytes in all.
    #[must_use]
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.bytes.truncate(bytes);
        self
    }

    /// What comes at the end.
    #[must_use]
    pub fn then(self, silence: Silence) -> Self {
        Replay { silence, ..self }
    }

    /// How many bytes the client has read; it counts on when the stream is the client's.
    pub fn read_bytes(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.read_bytes)
    }
}

impl Read for Replay {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.was_spoken_to) {
            self.said = self.ends.next().unwrap_or(self.said).min(self.bytes.len());
        }
        let ready = self.bytes.get(self.read..self.said).unwrap_or_default();
        let ready = ready.get(..self.longest_read).unwrap_or(ready);
        let length = io::Read::read(&mut &*ready, buffer)?;
        self.read += length;
        self.read_bytes.store(self.read, Ordering::Relaxed);
        if length == 0 && self.silence == Silence::Waiting {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(length)
    }
}

impl Write for Replay {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.was_spoken_to = true;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(replay: &mut Replay) -> Vec<u8> {
        let mut buffer = [0; 8];
        let length = replay.read(&mut buffer).unwrap();
        buffer[..length].to_vec()
    }

    #[test]
    fn each_turn_comes_when_it_is_due() {
        let mut replay = Replay::new([&b"one"[..], b"two", b"three"]);
        let count = replay.read_bytes();
        assert_eq!(read(&mut replay), b"one");
        assert_eq!(read(&mut replay), b"");
        replay.write_all(b"a").unwrap();
        replay.write_all(b"b").unwrap();
        assert_eq!(read(&mut replay), b"two");
        assert_eq!(read(&mut replay), b"");
        replay.write_all(b"c").unwrap();
        assert_eq!(read(&mut replay), b"three");
        assert_eq!(count.load(Ordering::Relaxed), 11);
    }

    #[test]
    fn what_nobody_read_stays_in_front() {
        let mut replay = Replay::new([&b"one"[..], b"two"]).byte_by_byte();
        assert_eq!(read(&mut replay), b"o");
        replay.write_all(b"a").unwrap();
        let rest: Vec<u8> = (0..6).flat_map(|_| read(&mut replay)).collect();
        assert_eq!(rest, b"netwo");
    }

    #[test]
    fn the_end_is_a_close_or_a_wait() {
        let mut replay = Replay::new([b"one"]).cut_after(1);
        assert_eq!((read(&mut replay), read(&mut replay)), (b"o".to_vec(), vec![]));
        let mut replay = Replay::new([b"one"]).cut_after(0).then(Silence::Waiting);
        assert_eq!(replay.read(&mut [0; 8]).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
