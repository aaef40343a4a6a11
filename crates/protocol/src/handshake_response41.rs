//! The client's answer to the greeting.

use crate::capabilities::Capabilities;
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
    /// What the authentication plugin made of the password; at most 255 bytes unless
    /// [`Capabilities::PLUGIN_AUTH_LENENC_CLIENT_DATA`] is set.
    pub auth_response: &'a [u8],
    /// The database to use, sent with [`Capabilities::CONNECT_WITH_DB`].
    pub database: &'a [u8],
    /// The authentication plugin, sent with [`Capabilities::PLUGIN_AUTH`].
    pub client_plugin_name: &'a [u8],
    /// Connection attributes, sent with [`Capabilities::CONNECT_ATTRS`].
    pub attributes: &'a [(Vec<u8>, Vec<u8>)],
}

impl HandshakeResponse41<'_> {
    /// Appends the payload.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let has = |flag| self.capabilities.contains(flag);
        out.extend_from_slice(&self.capabilities.low().to_le_bytes());
        out.extend_from_slice(&self.max_packet_size.to_le_bytes());
        out.push(self.character_set);
        out.extend_from_slice(&[0; 19]);
        // The filler's last four bytes: zero for MySQL, the extended flags for MariaDB.
        out.extend_from_slice(&self.capabilities.extended().to_le_bytes());
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
            let mut attributes = Vec::new();
            for (name, value) in self.attributes {
                put_lenenc_bytes(&mut attributes, name);
                put_lenenc_bytes(&mut attributes, value);
            }
            put_lenenc_bytes(out, &attributes);
        }
    }
}
