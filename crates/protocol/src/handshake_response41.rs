//! The client's answer to the greeting.

use crate::capabilities::Capabilities;
use crate::ssl_request::SslRequest;
use crate::writer::{put_lenenc_bytes, put_null_terminated};

/// Who the client is, what it wants, and the first data of the authentication.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_handshake_response.html>
#[derive(Clone, Copy)]
pub struct HandshakeResponse41<'a> {
    /// The flags of this connection; they decide which fields are sent.
    pub capabilities: Capabilities,
    /// The longest payload the client takes.
    pub max_packet_size: u32,
    /// The collation id of the connection's character set.
    pub character_set: u8,
    /// The user's name.
    pub username: &'a [u8],
    /// What the authentication plugin made of the password; at most
    /// [`HandshakeResponse41::MAX_SHORT_AUTH_RESPONSE_BYTES`] unless [`Capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA`] is set.
    pub auth_response: &'a [u8],
    /// The database to use, sent with [`Capabilities::CONNECT_WITH_DB`].
    pub database: &'a [u8],
    /// The authentication plugin, sent with [`Capabilities::PLUGIN_AUTH`].
    pub client_plugin_name: &'a [u8],
    /// Connection attributes, sent with [`Capabilities::CONNECT_ATTRS`].
    pub attributes: &'a [(Vec<u8>, Vec<u8>)],
    /// The level at which the server is to compress, sent with [`Capabilities::ZSTD_COMPRESSION`]: 1 to 22.
    pub zstd_compression_level: u8,
}

impl HandshakeResponse41<'_> {
    /// The longest [`HandshakeResponse41::auth_response`] without [`Capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA`].
    pub const MAX_SHORT_AUTH_RESPONSE_BYTES: usize = 255;

    /// Appends the payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let has = |flag| self.capabilities.contains(flag);
        let Self { capabilities, max_packet_size, character_set, .. } = *self;
        SslRequest { capabilities, max_packet_size, character_set }.encode(out);
        put_null_terminated(out, self.username);
        if has(Capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA) {
            put_lenenc_bytes(out, self.auth_response);
        } else {
            let length = u8::try_from(self.auth_response.len()).unwrap_or(u8::MAX);
            out.push(length);
            out.extend(self.auth_response.iter().take(length.into()));
        }
        if has(Capabilities::CONNECT_WITH_DB) {
            put_null_terminated(out, self.database);
        }
        if has(Capabilities::PLUGIN_AUTH) {
            put_null_terminated(out, self.client_plugin_name);
        }
        if has(Capabilities::CONNECT_ATTRS) {
            put_attributes(out, self.attributes);
        }
        if has(Capabilities::ZSTD_COMPRESSION) {
            out.push(self.zstd_compression_level);
        }
    }
}

/// Appends connection attributes.
pub(crate) fn put_attributes(out: &mut Vec<u8>, attributes: &[(Vec<u8>, Vec<u8>)]) {
    let mut all = Vec::new();
    for (name, value) in attributes {
        put_lenenc_bytes(&mut all, name);
        put_lenenc_bytes(&mut all, value);
    }
    put_lenenc_bytes(out, &all);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::hex;

    /// What MySQL 8.0.33 took.
    const TO_MYSQL_8_0_33: &str =
        "8da21a00000000c0ff00000000000000000000000000000000000000000000007661717368610020
        65f22041abf371c3d2d3f97039042cd864404c04e1659852e3049852a501cec27661717569746100
        63616368696e675f736861325f70617373776f726400150c5f636c69656e745f6e616d65076d7973716c6e64";

    /// What MySQL 8.0.33 took from a client that asks for zstd.
    const ZSTD_TO_MYSQL_8_0_33: &str =
        "85a21a04000000c0ff0000000000000000000000000000000000000000000000766171756974610020
        72c30b83832d8d4e7147af2a33bcb75cb3c463c1efbfe54013ab6d2289854f30
        63616368696e675f736861325f70617373776f726400150c5f636c69656e745f6e616d65076d7973716c6e6403";

    fn response<'a>(
        attributes: &'a [(Vec<u8>, Vec<u8>)],
        auth_response: &'a [u8],
    ) -> HandshakeResponse41<'a> {
        HandshakeResponse41 {
            capabilities: Capabilities::from_bits(0x001A_A28D),
            max_packet_size: 0xC000_0000,
            character_set: 255,
            username: b"vaqsha",
            auth_response,
            database: b"vaquita",
            client_plugin_name: b"caching_sha2_password",
            attributes,
            zstd_compression_level: 3,
        }
    }

    #[test]
    fn the_fields_stand_as_the_server_reads_them() {
        let attributes = [(b"_client_name".to_vec(), b"mysqlnd".to_vec())];
        let scramble = hex("65f22041abf371c3d2d3f97039042cd864404c04e1659852e3049852a501cec2");
        let mut out = Vec::new();
        response(&attributes, &scramble).encode(&mut out);
        assert_eq!(out, hex(TO_MYSQL_8_0_33));
    }

    #[test]
    fn the_level_of_zstd_is_the_last_byte() {
        let attributes = [(b"_client_name".to_vec(), b"mysqlnd".to_vec())];
        let scramble = hex("72c30b83832d8d4e7147af2a33bcb75cb3c463c1efbfe54013ab6d2289854f30");
        let mut out = Vec::new();
        let capabilities = Capabilities::from_bits(0x041A_A285);
        HandshakeResponse41 {
            capabilities,
            username: b"vaquita",
            ..response(&attributes, &scramble)
        }
        .encode(&mut out);
        assert_eq!(out, hex(ZSTD_TO_MYSQL_8_0_33));
    }

    #[test]
    fn a_field_is_sent_with_its_flag_only() {
        let bare =
            HandshakeResponse41 { capabilities: Capabilities::PROTOCOL_41, ..response(&[], b"x") };
        let mut out = Vec::new();
        bare.encode(&mut out);
        assert_eq!(out.len(), 32 + b"vaqsha\0".len() + b"\x01x".len());
        let long = [b'y'; 300];
        let lenenc = HandshakeResponse41 {
            capabilities: Capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA,
            ..response(&[], &long)
        };
        let mut out = Vec::new();
        lenenc.encode(&mut out);
        assert_eq!(out.len(), 32 + b"vaqsha\0".len() + 3 + long.len());
    }

    #[test]
    fn a_nul_in_a_name_adds_no_field() {
        let mut out = Vec::new();
        HandshakeResponse41 { username: b"a\0b", ..response(&[], b"") }.encode(&mut out);
        assert!(out[32..].starts_with(b"a\0\0vaquita\0"));
    }
}
