//! Packets to the server: commands, and what else belongs to an exchange; long payloads in several.

use std::io::IoSlice;

use vaquita_protocol::PacketHeader;
use vaquita_protocol::packet_header::MAX_PACKET_PAYLOAD_BYTES;
use vaquita_protocol::panic_point;
use vaquita_sys::Block;
use zeroize::Zeroize;

use super::{PacketStream, READ_BUFFER_BYTES};
use crate::error::Error;

/// Up to this length a payload is copied behind its header and sent from one piece; beyond it the kernel gathers the pieces.
const MAX_COPIED_WRITE_BYTES: usize = 8 << 10;

impl PacketStream {
    /// Sends a command: its byte and its body, as one payload with sequence id 0.
    pub(crate) fn write_command(&mut self, code: u8, body: &[u8]) -> Result<(), Error> {
        panic_point("client/packet_stream");
        self.refuse_leftovers()?;
        self.begin_exchange();
        self.count_command(code);
        self.clock.begin(code, body, self.counted.packets_received, &self.out);
        if self.buffer.capacity() > READ_BUFFER_BYTES && self.start == self.end {
            self.buffer = Block::zeroed(READ_BUFFER_BYTES);
            (self.start, self.end) = (0, 0);
        }
        self.read_far_ahead();
        self.long.clear();
        self.write_counted(code, body)
    }

    /// Sends a command to which there is no answer, whatever the server was in the middle of saying.
    pub(crate) fn write_goodbye(&mut self, code: u8, body: &[u8]) -> Result<(), Error> {
        self.begin_exchange();
        self.count_command(code);
        self.clock.keep_aside(&self.out);
        self.clock.begin_unanswered(code, body, self.counted.packets_received);
        self.write_counted(code, body)
    }

    /// Writes a command, which has been counted; if nothing of it could be sent it does not count.
    pub(super) fn write_counted(&mut self, code: u8, body: &[u8]) -> Result<(), Error> {
        self.write(&[code], body).inspect_err(|error| {
            if error.nothing_sent() {
                self.discount_command(code, 0);
            }
        })
    }

    /// Sends the next packet of an exchange.
    pub(crate) fn write_packet(&mut self, payload: &[u8]) -> Result<(), Error> {
        self.clock.keep_aside(&self.out);
        self.clock.expect_reply();
        self.latest = None; // the server has asked for this: it has the command
        self.write(&[], payload)
    }

    /// Sends the next packet of an exchange, which has a password in it: no copy is kept.
    pub(crate) fn write_secret_packet(&mut self, payload: &[u8]) -> Result<(), Error> {
        let written = self.write_packet(payload);
        self.wipe_written();
        written
    }

    /// Wipes out what is kept of the packet that was written last.
    pub(crate) fn wipe_written(&mut self) {
        self.out.zeroize();
    }

    pub(super) fn write(&mut self, head: &[u8], body: &[u8]) -> Result<(), Error> {
        let before = self.before_write();
        let written = self.write_parts(head, body);
        if let Some(before) = before {
            self.note_written(before, written.is_err());
        }
        written
    }

    #[inline]
    fn write_parts(&mut self, head: &[u8], body: &[u8]) -> Result<(), Error> {
        let mut head = head;
        let mut rest = body;
        let mut nothing_sent = true;
        loop {
            let room = MAX_PACKET_PAYLOAD_BYTES - head.len();
            let (part, after) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            let length = head.len() + part.len();
            let sent = self.write_part(head, part, length);
            sent.map_err(|error| error.after_partial_write(nothing_sent))?;
            nothing_sent = false;
            if length < MAX_PACKET_PAYLOAD_BYTES {
                return Ok(());
            }
            head = &[];
            rest = after;
        }
    }

    fn write_part(&mut self, head: &[u8], part: &[u8], length: usize) -> Result<(), Error> {
        let payload_length = u32::try_from(length).map_err(|_| Error::TooLarge)?;
        let header = PacketHeader { payload_length, sequence_id: self.sequence_id };
        self.sequence_id = self.sequence_id.wrapping_add(1);
        self.counted.packets_sent += 1;
        self.out.clear();
        self.out.extend_from_slice(&header.encode());
        self.out.extend_from_slice(head);
        if let Some(compression) = &mut self.compression {
            let written = compression.write(&mut self.transport, [&self.out, part]);
            self.keep_beginning(head, part);
            return written;
        }
        if length <= MAX_COPIED_WRITE_BYTES {
            self.out.extend_from_slice(part);
            return self.transport.write(&mut [IoSlice::new(&self.out)]);
        }
        let written = self.transport.write(&mut [IoSlice::new(&self.out), IoSlice::new(part)]);
        self.keep_beginning(head, part);
        written
    }

    /// Has the beginning of a command stand where all of a small one does: somebody may want to know what was slow.
    fn keep_beginning(&mut self, head: &[u8], part: &[u8]) {
        if !head.is_empty() {
            self.out.extend(part.iter().take(MAX_COPIED_WRITE_BYTES + 1));
        }
    }
}
