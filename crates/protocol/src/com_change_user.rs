//! The body of COM_CHANGE_USER.

use crate::capabilities::Capabilities;
use crate::handshake_response41::put_attributes;
use crate::writer::put_null_terminated;

/// The most that a length, a NUL or a number takes.
const MAX_LENGTH_BYTES: usize = 9;

/// Who the user is from now on; what follows is an authentication as in the connection phase.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_change_user.html>
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ComChangeUser<'a> {
    /// The flags of the connection; they decide which fields are sent.
    pub capabilities: Capabilities,
    /// The user's name.
    pub username: &'a [u8],
    /// What the authentication plugin made of the password. One of more than 255 bytes can't be sent and is left out: the server asks
    /// for it by an AuthSwitchRequest, as all of them do here anyway.
    pub auth_response: &'a [u8],
    /// The database to use; empty for none.
    pub database: &'a [u8],
    /// The collation id of the connection's character set.
    pub character_set: u16,
    /// The authentication plugin, sent with [`Capabilities::PLUGIN_AUTH`].
    pub client_plugin_name: &'a [u8],
    /// Connection attributes, sent with [`Capabilities::CONNECT_ATTRS`].
    pub attributes: &'a [(Vec<u8>, Vec<u8>)],
}

impl ComChangeUser<'_> {
    /// Appends what follows the command's byte.
    ///
    /// The answer may be the password: room is made for all at once, so that none of it stays where a shorter buffer was.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(self.most_bytes());
        put_null_terminated(out, self.username);
        let length = u8::try_from(self.auth_response.len()).unwrap_or(0);
        out.push(length);
        out.extend(self.auth_response.iter().take(length.into()));
        put_null_terminated(out, self.database);
        out.extend_from_slice(&self.character_set.to_le_bytes());
        if self.capabilities.contains(Capabilities::PLUGIN_AUTH) {
            put_null_terminated(out, self.client_plugin_name);
        }
        if self.capabilities.contains(Capabilities::CONNECT_ATTRS) {
            put_attributes(out, self.attributes);
        }
    }

    /// How long the body is at the most.
    fn most_bytes(&self) -> usize {
        let length = |text: &[u8]| text.len() + MAX_LENGTH_BYTES;
        let attributes = self.attributes.iter().map(|(name, value)| length(name) + length(value));
        let texts = [self.username, self.auth_response, self.database, self.client_plugin_name];
        texts.into_iter().map(length).chain(attributes).sum::<usize>() + 2 * MAX_LENGTH_BYTES
    }
}

impl std::fmt::Debug for ComChangeUser<'_> {
    /// The user and the database only: the rest may be a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ComChangeUser")
            .field("username", &String::from_utf8_lossy(self.username))
            .field("database", &String::from_utf8_lossy(self.database))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(body: ComChangeUser<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        body.encode(&mut out);
        out
    }

    #[test]
    fn the_fields_stand_as_the_servers_read_them() {
        let attributes = [(b"_client_name".to_vec(), b"mysqlnd".to_vec())];
        let body = ComChangeUser {
            capabilities: Capabilities::from_bits(0x001A_A285),
            username: b"ada",
            auth_response: &[7; 20],
            database: b"mysql",
            character_set: 28,
            client_plugin_name: b"mysql_native_password",
            attributes: &attributes,
        };
        // MariaDB 10.11.19 and MySQL 8.0.33 took a body of this shape.
        let expected = [
            &b"ada\0\x14"[..],
            &[7; 20],
            b"mysql\0\x1C\0mysql_native_password\0\x15\x0C_client_name\x07mysqlnd",
        ]
        .concat();
        assert_eq!(encode(body), expected);
        let bare = ComChangeUser { capabilities: Capabilities::PROTOCOL_41, ..body };
        assert_eq!(encode(bare).len(), b"ada\0\x14".len() + 20 + b"mysql\0\x1C\0".len());
        let long = ComChangeUser { auth_response: &[7; 256], ..body };
        assert!(encode(long).starts_with(b"ada\0\0mysql\0"));
        let shown = format!("{body:?}");
        assert!(shown.contains("ada") && !shown.contains('7'), "{shown}");
    }

    #[test]
    fn a_buffer_has_room_for_all_before_the_answer_is_in_it() {
        let attributes = vec![(vec![b'n'; 300], vec![b'v'; 70_000]); 20];
        let text = [7; 200];
        let body = ComChangeUser {
            capabilities: Capabilities::PLUGIN_AUTH | Capabilities::CONNECT_ATTRS,
            username: &text,
            auth_response: &text,
            database: &text,
            character_set: 28,
            client_plugin_name: &text,
            attributes: &attributes,
        };
        assert!(encode(body).len() <= body.most_bytes());
        let bare = ComChangeUser { attributes: &[], username: b"", database: b"", ..body };
        assert!(encode(bare).len() <= bare.most_bytes());
    }
}
