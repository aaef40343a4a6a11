//! The server's greeting.

use crate::capabilities::Capabilities;
use crate::malformed::Malformed;
use crate::reader::Reader;
use crate::status_flags::StatusFlags;

/// The first byte of this packet.
pub const PROTOCOL_VERSION: u8 = 10;

/// The first packet on a connection: who the server is and what it offers.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_v10.html>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandshakeV10<'a> {
    /// The server's version as sent; MariaDB before 11 puts `5.5.5-` in front.
    pub server_version: &'a [u8],
    /// The connection's id.
    pub thread_id: u32,
    /// Both parts of the authentication data as they came; the plugins of today's servers end it with a NUL.
    pub auth_plugin_data: Vec<u8>,
    /// What the server can do.
    pub capabilities: Capabilities,
    /// The low byte of the server's default collation id.
    pub character_set: u8,
    /// The session's status.
    pub status: StatusFlags,
    /// The plugin that `auth_plugin_data` is for; empty if the server has no plugins.
    pub auth_plugin_name: &'a [u8],
}

impl<'a> HandshakeV10<'a> {
    const NAME: &'static str = "HandshakeV10";
    /// What MariaDB before 11 puts in front of its version, for old replicas of MySQL.
    const REPLICATION_PREFIX: &'static [u8] = b"5.5.5-";
    /// The length of the first part of the authentication data.
    const FIRST_PART_BYTES: usize = 8;
    /// The least length of its second part, with the NUL at its end.
    const SECOND_PART_BYTES: usize = 13;

    /// Reads the greeting.
    ///
    /// # Errors
    /// The payload is not a greeting of protocol version 10 with the fields of 4.1.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new(Self::NAME, payload);
        if reader.u8("protocol version")? != PROTOCOL_VERSION {
            return Err(reader.malformed("protocol version"));
        }
        let server_version = reader.null_terminated("server version")?;
        let thread_id = reader.u32("thread id")?;
        let first_part = reader.bytes(Self::FIRST_PART_BYTES, "auth-plugin-data-part-1")?;
        reader.u8("filler")?;
        let capabilities_1 = reader.u16("capability_flags_1")?;
        let character_set = reader.u8("character_set")?;
        let status = StatusFlags::from_bits(reader.u16("status_flags")?);
        let capabilities_2 = reader.u16("capability_flags_2")?;
        let auth_plugin_data_length = usize::from(reader.u8("auth_plugin_data_len")?);
        reader.bytes(6, "reserved")?;
        let extended = reader.u32("reserved")?;
        let low = u64::from(capabilities_1) | u64::from(capabilities_2) << 16;
        let mut capabilities = Capabilities::from_bits(low);
        if !capabilities.contains(Capabilities::LONG_PASSWORD) {
            // Only MariaDB leaves that bit unset, and then these four bytes are its extended flags.
            capabilities |= Capabilities::from_bits(u64::from(extended) << 32);
        }
        let second_part_length = auth_plugin_data_length
            .saturating_sub(Self::FIRST_PART_BYTES)
            .max(Self::SECOND_PART_BYTES);
        let second_part = reader.bytes(second_part_length, "auth-plugin-data-part-2")?;
        let auth_plugin_data = [first_part, second_part].concat();
        let mut auth_plugin_name = &[][..];
        if capabilities.contains(Capabilities::PLUGIN_AUTH) {
            // MySQL 5.5.7 to 5.5.9 and 5.6.0 to 5.6.1 left out the NUL (bug 59453).
            let mut named = reader;
            auth_plugin_name = match named.null_terminated("auth_plugin_name") {
                Ok(name) => name,
                Err(_) if !reader.is_empty() => reader.rest(),
                Err(malformed) => return Err(malformed),
            };
        }
        Ok(HandshakeV10 {
            server_version,
            thread_id,
            auth_plugin_data,
            capabilities,
            character_set,
            status,
            auth_plugin_name,
        })
    }

    /// The version as users know it, without MariaDB's `5.5.5-`.
    pub fn plain_server_version(&self) -> &'a [u8] {
        self.server_version.strip_prefix(Self::REPLICATION_PREFIX).unwrap_or(self.server_version)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    const MARIADB_10_11_19: &str = "0a352e352e352d31302e31312e31392d4d6172696144422d302b64656231327531009e0000003b7a76636d7a3c5900
        fef7080200ff81150000000000001d0000002d737b32255f32792c6e6739006d7973716c5f6e61746976655f70617373776f726400";
    const MYSQL_8_0_33: &str = "0a382e302e333300ba000000696f04037a68165000ffffff0200ffdf15000000000000000000006a3a747c53721942
        08784f130063616368696e675f736861325f70617373776f726400";

    /// Calendar versions and those of MariaDB with and without what old replicas need.
    #[test]
    fn a_version_is_any_text() {
        for (version, plain) in [
            ("26.1.0", "26.1.0"),
            ("12.3.1-MariaDB", "12.3.1-MariaDB"),
            ("5.5.5-12.0.2-MariaDB", "12.0.2-MariaDB"),
            ("", ""),
        ] {
            let golden = hex(MYSQL_8_0_33);
            let rest = golden.strip_prefix(b"\x0a8.0.33").unwrap();
            let payload = [b"\x0a", version.as_bytes(), rest].concat();
            let handshake = HandshakeV10::parse(&payload).unwrap();
            assert_eq!(handshake.server_version, version.as_bytes());
            assert_eq!(handshake.plain_server_version(), plain.as_bytes());
            assert_eq!(handshake.thread_id, HandshakeV10::parse(&golden).unwrap().thread_id);
        }
    }

    #[test]
    fn mariadb_greets() {
        let payload = hex(MARIADB_10_11_19);
        let handshake = HandshakeV10::parse(&payload).unwrap();
        assert_eq!(handshake.server_version, b"5.5.5-10.11.19-MariaDB-0+deb12u1");
        assert_eq!(handshake.plain_server_version(), b"10.11.19-MariaDB-0+deb12u1");
        assert_eq!(handshake.thread_id, 158);
        assert_eq!(handshake.auth_plugin_data, b";zvcmz<Y-s{2%_2y,ng9\0");
        assert_eq!(handshake.capabilities.bits(), 0x1D_81FF_F7FE);
        assert_eq!((handshake.character_set, handshake.status), (8, StatusFlags::AUTOCOMMIT));
        assert_eq!(handshake.auth_plugin_name, b"mysql_native_password");
    }

    #[test]
    fn mysql_greets() {
        let payload = hex(MYSQL_8_0_33);
        let handshake = HandshakeV10::parse(&payload).unwrap();
        assert_eq!(handshake.plain_server_version(), b"8.0.33");
        assert_eq!(handshake.thread_id, 186);
        assert_eq!(handshake.auth_plugin_data, b"io\x04\x03zh\x16Pj:t|Sr\x19B\x08xO\x13\0");
        assert_eq!(handshake.capabilities.bits(), 0xDFFF_FFFF);
        assert_eq!(handshake.character_set, 255);
        assert_eq!(handshake.auth_plugin_name, b"caching_sha2_password");
    }

    #[test]
    fn a_cut_greeting_is_none() {
        for packet in [MARIADB_10_11_19, MYSQL_8_0_33] {
            let payload = hex(packet);
            // The plugin's name may end with the packet, because old servers left out its NUL.
            let name =
                payload.len() - HandshakeV10::parse(&payload).unwrap().auth_plugin_name.len();
            check_prefixes(&payload, HandshakeV10::parse, |length| length >= name);
        }
    }

    #[test]
    fn another_protocol_version_is_refused() {
        let mut payload = hex(MYSQL_8_0_33);
        payload[0] = 9;
        assert_eq!(HandshakeV10::parse(&payload).unwrap_err().field, "protocol version");
    }

    /// Whatever length is told, the second part has thirteen bytes at least.
    #[test]
    fn the_nonce_is_never_shorter_than_its_plugins_need() {
        for told in [0, 1, 8, 20] {
            let mut payload = hex(MYSQL_8_0_33);
            let at = payload.len() - b"caching_sha2_password\0".len() - 13 - 10 - 1;
            assert_eq!(payload[at], 21);
            payload[at] = told;
            let handshake = HandshakeV10::parse(&payload).unwrap();
            assert_eq!(handshake.auth_plugin_data, b"io\x04\x03zh\x16Pj:t|Sr\x19B\x08xO\x13\0");
            assert_eq!(handshake.auth_plugin_name, b"caching_sha2_password");
        }
    }
}
