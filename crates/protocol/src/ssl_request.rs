//! The client's wish to go on in TLS, before it says who it is.

use crate::capabilities::Capabilities;

/// The beginning of a [`HandshakeResponse41`](crate::HandshakeResponse41), up to where the user's name would stand: after it the
/// TLS handshake begins.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_ssl_request.html>
#[derive(Clone, Copy, Debug)]
pub struct SslRequest {
    /// The flags of this connection, with [`Capabilities::SSL`].
    pub capabilities: Capabilities,
    /// The longest payload the client takes.
    pub max_packet_size: u32,
    /// The collation id of the connection's character set.
    pub character_set: u8,
}

impl SslRequest {
    /// Appends the payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.capabilities.low().to_le_bytes());
        out.extend_from_slice(&self.max_packet_size.to_le_bytes());
        out.push(self.character_set);
        out.extend_from_slice(&[0; 19]);
        // The filler's last four bytes: zero for MySQL, the extended flags for MariaDB.
        out.extend_from_slice(&self.capabilities.extended().to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::hex;

    /// What MariaDB 10.11.19 took before a TLS handshake.
    const TO_MARIADB_10_11_19: &str =
        "85aa1a00000000c0080000000000000000000000000000000000000000000000";

    #[test]
    fn the_fields_stand_as_the_server_reads_them() {
        let request = SslRequest {
            capabilities: Capabilities::from_bits(0x001A_AA85),
            max_packet_size: 0xC000_0000,
            character_set: 8,
        };
        assert!(request.capabilities.contains(Capabilities::SSL));
        let mut out = Vec::new();
        request.encode(&mut out);
        assert_eq!(out, hex(TO_MARIADB_10_11_19));
    }
}
