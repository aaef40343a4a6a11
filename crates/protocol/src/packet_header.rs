//! The four bytes in front of every packet.

/// The longest payload of one packet; a longer one is split, and one of exactly this length is followed by an empty packet.
///
/// Source: <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html>
pub const MAX_PACKET_PAYLOAD_BYTES: usize = 0xFF_FFFF;

/// The length of a header.
pub const PACKET_HEADER_BYTES: usize = 4;

/// A packet's header.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketHeader {
    /// `payload_length`, at most [`MAX_PACKET_PAYLOAD_BYTES`].
    pub payload_length: u32,
    /// `sequence_id`, which begins at 0 with each command and wraps.
    pub sequence_id: u8,
}

impl PacketHeader {
    /// Reads a header; each of its values is possible.
    pub const fn parse([a, b, c, sequence_id]: [u8; PACKET_HEADER_BYTES]) -> Self {
        PacketHeader { payload_length: u32::from_le_bytes([a, b, c, 0]), sequence_id }
    }

    /// The header's bytes.
    pub const fn encode(self) -> [u8; PACKET_HEADER_BYTES] {
        let [a, b, c, _] = self.payload_length.to_le_bytes();
        [a, b, c, self.sequence_id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        let header = PacketHeader { payload_length: 0xFF_FFFE, sequence_id: 255 };
        assert_eq!(header.encode(), [0xFE, 0xFF, 0xFF, 0xFF]);
        assert_eq!(PacketHeader::parse(header.encode()), header);
    }
}
