//! Bytes on their way out that nobody waits for: they go when the socket takes them, also while something is read.

use std::io::{self, IoSlice};

use crate::wire::Wire;

/// What is to be written, and how far that has come.
#[derive(Debug, Default)]
pub(crate) struct WriteQueue {
    /// From `start` on it is still to be written.
    bytes: Vec<u8>,
    start: usize,
    /// How many bytes were ever put in, and how many of them were written.
    queued: u64,
    written: u64,
    /// Why nothing can be written any more.
    failure: Option<io::Error>,
}

impl WriteQueue {
    /// Adds bytes at the end.
    pub(crate) fn push(&mut self, slices: &[IoSlice<'_>]) {
        self.queued += slices.iter().map(|slice| slice.len() as u64).sum::<u64>();
        if self.failure.is_none() {
            slices.iter().for_each(|slice| self.bytes.extend_from_slice(slice));
        }
    }

    /// What waits.
    pub(crate) fn rest(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or_default()
    }

    /// How many bytes wait.
    pub(crate) fn len(&self) -> usize {
        self.rest().len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes were ever put in: where the next one stands.
    pub(crate) fn queued(&self) -> u64 {
        self.queued
    }

    /// Whether a byte behind this place went out.
    pub(crate) fn has_passed(&self, place: u64) -> bool {
        self.written > place
    }

    /// Writes what is taken at once. A failure is kept: what has come from the server before is still to be read.
    pub(crate) fn write_some(&mut self, wire: &mut Wire) {
        while !self.is_empty() {
            match wire.write_vectored_at_once(&[IoSlice::new(self.rest())]) {
                Ok(length) => {
                    self.start += length;
                    self.written += length as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => {
                    self.failure = Some(error);
                    self.start = self.bytes.len();
                }
            }
        }
        if self.is_empty() {
            self.bytes.clear();
            self.start = 0;
        } else if self.start > self.bytes.len() / 2 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
    }

    /// Why not everything was written, if so.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    fn pair() -> (Wire, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Wire::Socket(OwnedFd::from(ours).into()), theirs)
    }

    #[test]
    fn what_is_not_taken_waits_and_goes_in_order() {
        let (mut wire, mut peer) = pair();
        let mut queue = WriteQueue::default();
        let bytes: Vec<u8> = (0..=250).cycle().take(3 << 20).collect();
        queue.push(&[IoSlice::new(&bytes[..7]), IoSlice::new(&bytes[7..])]);
        queue.write_some(&mut wire);
        assert!(!queue.is_empty() && queue.has_passed(0) && !queue.has_passed(queue.queued() - 1));
        let mut received = vec![0; bytes.len()];
        let mut length = 0;
        while length < bytes.len() {
            length += peer.read(&mut received[length..]).unwrap();
            queue.write_some(&mut wire);
        }
        assert!(received == bytes && queue.is_empty() && queue.take_failure().is_none());
        assert!(queue.has_passed(queue.queued() - 1) && !queue.has_passed(queue.queued()));
    }

    #[test]
    fn a_failure_is_kept_and_what_follows_counts_as_not_written() {
        let (mut wire, peer) = pair();
        drop(peer);
        let mut queue = WriteQueue::default();
        queue.push(&[IoSlice::new(b"one")]);
        queue.write_some(&mut wire);
        let place = queue.queued();
        queue.push(&[IoSlice::new(b"two")]);
        queue.write_some(&mut wire);
        assert!(queue.is_empty() && !queue.has_passed(0) && !queue.has_passed(place));
        assert_eq!(queue.take_failure().unwrap().kind(), io::ErrorKind::BrokenPipe);
    }
}
