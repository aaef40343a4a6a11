//! Commands sent before the ones before them are answered, and their replies.

use super::{MAX_ANSWER_BYTES, PacketStream, Span};
use crate::error::Error;

/// The sequence ids of the first packet of a reply: they count on from the packets that the command took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplyIds {
    packet: u8,
    compressed: u8,
}

impl PacketStream {
    /// Sends a command whose reply comes behind those that are still owed.
    pub(crate) fn write_behind(&mut self, code: u8, body: &[u8]) -> Result<(), Error> {
        self.begin_exchange();
        self.count_command(code);
        self.clock.begin(code, body, self.counted.packets_received, &self.out);
        self.write_counted(code, body)
    }

    /// Receives the reply to a command that others were sent behind: one packet. Where reading does not wait and not all of it
    /// has come, it can be received again.
    pub(crate) fn receive_owed(&mut self) -> Result<Span, Error> {
        let packets = self.counted.packets_received;
        self.expect_reply();
        let received = self.receive(MAX_ANSWER_BYTES);
        match &received {
            Ok(_) => self.has_answered(),
            Err(error) if error.is_not_here_yet() => self.counted.packets_received = packets,
            Err(_) => {}
        }
        received
    }

    /// The next packet is the first of the reply to a command of one packet.
    pub(crate) fn expect_reply(&mut self) {
        self.expect_reply_to(ReplyIds { packet: 1, compressed: 1 });
    }

    /// The ids of the reply to the command that was sent last.
    pub(crate) fn reply_ids(&self) -> ReplyIds {
        let compressed = self.compression.as_ref().map_or(0, |it| it.sequence_id());
        ReplyIds { packet: self.sequence_id, compressed }
    }

    /// The next packet is the first of the reply with these ids.
    pub(crate) fn expect_reply_to(&mut self, ids: ReplyIds) {
        if !self.has_received() {
            self.clock.tell_reply(&self.out);
            self.clock.expect_reply();
        }
        self.sequence_id = ids.packet;
        if let Some(compression) = &mut self.compression {
            compression.expect_reply(ids.compressed);
        }
    }

    /// Asks whether a server is there that has nothing to say.
    ///
    /// # Errors
    /// [`Error::is_not_here_yet`] if it is, where reading does not wait; else it has closed, or said goodbye or nonsense.
    pub(crate) fn receive_nothing(&mut self) -> Result<(), Error> {
        self.refuse_leftovers()?;
        self.fill(1)?;
        self.refuse_leftovers()
    }
}
