//! Packets that are compared with some that came before, and received at once if they are the same.

use vaquita_protocol::packet_header::PACKET_HEADER_BYTES;
use vaquita_protocol::reader::span;

use super::{PacketStream, Span};

impl PacketStream {
    /// Whether the next bytes are those of these packets, the number of the first one included.
    pub(crate) fn is_next(&self, packets: &[u8]) -> bool {
        // A number is the last byte of a header.
        let received = span(&self.buffer, self.start, self.end);
        received.starts_with(packets)
            && packets.get(PACKET_HEADER_BYTES - 1) == Some(&self.sequence_id)
    }

    /// Receives definitions of columns that [`PacketStream::is_next`] has found: so many, and so many bytes.
    pub(crate) fn take_definitions(&mut self, count: u32, bytes: usize) {
        self.start += bytes;
        let [low, ..] = count.to_le_bytes();
        self.sequence_id = self.sequence_id.wrapping_add(low);
        self.counted.packets_received += u64::from(count);
        self.counted.column_definition.count += u64::from(count);
        self.counted.column_definition.bytes += bytes as u64;
    }

    /// The packet of a payload that was received last, with its header; none that was put together.
    pub(crate) fn packet(&self, payload: Span) -> &[u8] {
        span(&self.buffer, payload.start - PACKET_HEADER_BYTES, payload.end)
    }
}
