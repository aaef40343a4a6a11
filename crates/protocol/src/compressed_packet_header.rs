//! The seven bytes in front of every compressed packet.

/// The length of a header.
pub const COMPRESSED_PACKET_HEADER_BYTES: usize = 7;

/// The longest payload of a compressed packet, before and after compression: three bytes hold each length.
///
/// Source: <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression_packet.html>
pub const MAX_COMPRESSED_PACKET_PAYLOAD_BYTES: usize = 0xFF_FFFF;

/// Below this length a payload is sent as it is: compressed it would hardly be shorter.
///
/// Source: MIN_COMPRESS_LENGTH of <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression_packet.html>
pub const MIN_COMPRESS_LENGTH: usize = 50;

/// A compressed packet's header. Its payload is any part of the stream of packets, so a packet may begin in one and end in another.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_compression_packet.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressedPacketHeader {
    /// The length of the payload that follows.
    pub compressed_length: u32,
    /// The compressed sequence id, which begins at 0 with each command and wraps. It is not that of the packets inside.
    pub sequence_id: u8,
    /// The length of the payload before compression; 0: it is not compressed.
    pub uncompressed_length: u32,
}

impl CompressedPacketHeader {
    /// Reads a header; each of its values is possible.
    pub const fn parse(
        [a, b, c, sequence_id, x, y, z]: [u8; COMPRESSED_PACKET_HEADER_BYTES],
    ) -> Self {
        CompressedPacketHeader {
            compressed_length: u32::from_le_bytes([a, b, c, 0]),
            sequence_id,
            uncompressed_length: u32::from_le_bytes([x, y, z, 0]),
        }
    }

    /// The header's bytes.
    pub const fn encode(self) -> [u8; COMPRESSED_PACKET_HEADER_BYTES] {
        let [a, b, c, _] = self.compressed_length.to_le_bytes();
        let [x, y, z, _] = self.uncompressed_length.to_le_bytes();
        [a, b, c, self.sequence_id, x, y, z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::hex;

    /// OK to a ping, from both MariaDB 10.11.19 and MySQL 8.0.33: too short to be compressed.
    const OK: &str = "0b000001000000 0700000100000002000000";
    /// A result set from MariaDB 10.11.19, by zlib: four packets of 223 bytes.
    const MARIADB_10_11_19_ZLIB: &str = "4c000001df0000 789c636460606494676060624e494d636060e02cc82f2ac8cf2c4e2d66e0e160580014f9cbc0
        a0cec0c0cac0c0fc0fa88c61210303cb82b2c4c2d2cc924485c14a035dcb0a762d00fd9a488f";
    /// The same from MySQL 8.0.33, by zstd.
    const MYSQL_8_0_33_ZSTD: &str = "50000001df0000 28b52ffd20df3d020072840f1ac0a731adaa2a3efeeb4c8496b4d1145db4aa326e7ccb659352
        a6e7bffd1d12b21223290cf0cdf94f7f1fbdf3b9fc083be5166b076bc15f2842f311e26301005e1955a0";

    #[test]
    fn a_header_stands_as_servers_send_it() {
        let check = |packet: &str, uncompressed_length: u32| {
            let packet = hex(packet);
            let (header, payload) = packet.split_first_chunk().unwrap();
            let parsed = CompressedPacketHeader::parse(*header);
            let compressed_length = u32::try_from(payload.len()).unwrap();
            let expected =
                CompressedPacketHeader { compressed_length, sequence_id: 1, uncompressed_length };
            assert_eq!(parsed, expected);
            assert_eq!(parsed.encode(), *header);
        };
        check(OK, 0);
        check(MARIADB_10_11_19_ZLIB, 223);
        check(MYSQL_8_0_33_ZSTD, 223);
    }

    #[test]
    fn lengths_have_three_bytes() {
        let header = CompressedPacketHeader {
            compressed_length: 0xFF_FFFE,
            sequence_id: 255,
            uncompressed_length: 0xFF_FFFF,
        };
        assert_eq!(header.encode(), [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
        assert_eq!(CompressedPacketHeader::parse(header.encode()), header);
    }
}
