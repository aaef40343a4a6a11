//! Further data of an authentication plugin.

use crate::auth_switch_request::AUTH_SWITCH_HEADER;
use crate::malformed::Malformed;
use crate::ok_packet::OK_HEADER;
use crate::reader::{ERR_HEADER, Reader};

/// The first byte of this packet.
pub const AUTH_MORE_DATA_HEADER: u8 = 0x01;

/// What a plugin on the server has to say to its like on the client.
///
/// Older MariaDBs send it without the first byte, unless its own first byte could be taken for another packet's.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_connection_phase_packets_protocol_auth_more_data.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthMoreData<'a> {
    /// The plugin's data.
    pub data: &'a [u8],
}

impl<'a> AuthMoreData<'a> {
    /// Reads the data.
    ///
    /// # Errors
    /// The payload is empty, or another packet of the connection phase.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new("AuthMoreData", payload);
        match reader.u8("status tag")? {
            AUTH_MORE_DATA_HEADER => Ok(AuthMoreData { data: reader.rest() }),
            OK_HEADER | AUTH_SWITCH_HEADER | ERR_HEADER => Err(reader.malformed("status tag")),
            _ => Ok(AuthMoreData { data: payload }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    #[test]
    fn mariadb_10_11_19_asks_bare_questions() {
        let payload = hex("0450617373776f72643a20");
        assert_eq!(AuthMoreData::parse(&payload), Ok(AuthMoreData { data: b"\x04Password: " }));
        check_prefixes(&payload, AuthMoreData::parse, |length| length >= 1);
        for header in [0x00, 0xFE, 0xFF] {
            assert!(AuthMoreData::parse(&[header, b'x']).is_err());
        }
    }

    #[test]
    fn mariadb_11_8_6_tells_the_salt_of_parsec() {
        let payload = hex("015000cdccbe5ad7f3082dc6b2e59b93f948cd23d5");
        let data = hex("5000cdccbe5ad7f3082dc6b2e59b93f948cd23d5");
        assert_eq!(AuthMoreData::parse(&payload), Ok(AuthMoreData { data: &data }));
        check_prefixes(&payload, AuthMoreData::parse, |length| length >= 1);
    }

    #[test]
    fn mysql_8_0_33_says_how_to_go_on() {
        // "Fast authentication succeeded" and "perform full authentication" of caching_sha2_password.
        for (packet, data) in [("0103", 3), ("0104", 4)] {
            let payload = hex(packet);
            assert_eq!(AuthMoreData::parse(&payload), Ok(AuthMoreData { data: &[data] }));
            check_prefixes(&payload, AuthMoreData::parse, |length| length >= 1);
        }
    }
}
