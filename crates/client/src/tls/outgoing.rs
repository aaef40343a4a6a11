//! Records on their way out, until they are sent in one write.

use std::io::IoSlice;

use crate::error::Error;
use crate::timed_wire::TimedWire;

/// What encryption adds to a record, at the most: header, nonce, content type, tag. A key update may come before it.
pub(super) const RECORD_OVERHEAD_BYTES: usize = 256;

/// Records on their way out.
#[derive(Default)]
pub(super) struct Outgoing {
    buffer: Vec<u8>,
    pub(super) length: usize,
}

impl Outgoing {
    /// Room behind what stands there, for at least so many bytes.
    pub(super) fn room(&mut self, length: usize) -> &mut [u8] {
        let length = length.max(RECORD_OVERHEAD_BYTES);
        if self.buffer.len() - self.length < length {
            self.buffer.resize(self.length + length, 0);
        }
        self.buffer.get_mut(self.length..).unwrap_or_default()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.length).unwrap_or_default()
    }

    pub(super) fn send(&mut self, wire: &mut TimedWire) -> Result<(), Error> {
        let sent = wire.write(&mut [IoSlice::new(self.bytes())]);
        self.length = 0;
        sent
    }
}
