//! Packets that nobody has sent, put where received ones stand.

use vaquita_protocol::PacketHeader;

use super::PacketStream;

impl PacketStream {
    /// Puts packets there as if they had come after the first one of a reply. Nothing else may stand there, and there has to be room:
    /// the read buffer never has less than [`super::READ_BUFFER_BYTES`].
    pub(crate) fn put_received<'p>(&mut self, payloads: impl Iterator<Item = &'p [u8]>) {
        debug_assert!(self.start == self.end, "what the server said comes first");
        self.expect_reply();
        (self.start, self.end) = (0, 0);
        let mut sequence_id = self.sequence_id;
        for payload in payloads {
            let payload_length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
            let header = PacketHeader { payload_length, sequence_id }.encode();
            sequence_id = sequence_id.wrapping_add(1);
            for bytes in [&header[..], payload] {
                let room = self.buffer.room(self.end, bytes.len());
                debug_assert!(room.len() == bytes.len(), "it fits");
                room.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                self.end += bytes.len();
            }
        }
        self.buffer.grow_to(self.end);
    }
}
