//! The server's wish for another authentication plugin.

use crate::malformed::Malformed;
use crate::reader::Reader;

/// The first byte of this packet.
pub const AUTH_SWITCH_HEADER: u8 = 0xFE;

/// The request to go on with another plugin.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_auth_switch_request.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthSwitchRequest<'a> {
    /// The plugin's name; empty in the one-byte request of servers before 4.1, which means `mysql_old_password`.
    pub plugin_name: &'a [u8],
    /// The plugin's data as it came: MySQL's plugins end it with a NUL, MariaDB's do not, and random bytes may end with one.
    pub auth_plugin_data: &'a [u8],
}

impl<'a> AuthSwitchRequest<'a> {
    /// Reads the request.
    ///
    /// # Errors
    /// The payload is something else, or the name has no end.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new("AuthSwitchRequest", payload);
        if reader.u8("status tag")? != AUTH_SWITCH_HEADER {
            return Err(reader.malformed("status tag"));
        }
        if reader.is_empty() {
            return Ok(AuthSwitchRequest { plugin_name: &[], auth_plugin_data: &[] });
        }
        let plugin_name = reader.null_terminated("plugin name")?;
        Ok(AuthSwitchRequest { plugin_name, auth_plugin_data: reader.rest() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    const MYSQL_8_0_33: &str =
        "fe6d7973716c5f6e61746976655f70617373776f7264004c477d34517219123776071b6f452939093a530900";

    /// Random bytes alone: what looks like an end of them is none.
    const MARIADB_11_8_6: &str =
        "fe706172736563003fc5decf71638664b421ab2c12d91d06fd892b3001d9ef18700f2254126d72b4";

    #[test]
    fn mariadb_asks_for_another_plugin() {
        let payload = hex(MARIADB_11_8_6);
        let request = AuthSwitchRequest::parse(&payload).unwrap();
        assert_eq!((request.plugin_name, request.auth_plugin_data.len()), (&b"parsec"[..], 32));
        let ends_with_nul = [&payload[..payload.len() - 1], &[0]].concat();
        let request = AuthSwitchRequest::parse(&ends_with_nul).unwrap();
        assert_eq!(request.auth_plugin_data.len(), 32);
    }

    #[test]
    fn mysql_asks_for_another_plugin() {
        let payload = hex(MYSQL_8_0_33);
        let request = AuthSwitchRequest::parse(&payload).unwrap();
        assert_eq!(request.plugin_name, b"mysql_native_password");
        assert_eq!(request.auth_plugin_data, b"LG}4Qr\x19\x127v\x07\x1BoE)9\x09:S\x09\0");
        // One byte alone asks for the oldest plugin of all, and the data may have any length.
        let data = b"\xFEmysql_native_password\0".len();
        check_prefixes(&payload, AuthSwitchRequest::parse, |length| length == 1 || length >= data);
    }

    #[test]
    fn another_packet_is_none() {
        assert_eq!(AuthSwitchRequest::parse(b"\xFFname\0data").unwrap_err().field, "status tag");
    }
}
