//! Failure, and why.

use crate::malformed::Malformed;
use crate::panic_point::panic_point;
use crate::reader::{ERR_HEADER, Reader};

/// The server's refusal.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_err_packet.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrPacket<'a> {
    /// The server's error number, never 0.
    pub code: u16,
    /// The SQLSTATE; a server that refuses before the handshake sends none.
    pub sqlstate: Option<[u8; 5]>,
    /// The text, in the connection's character set.
    pub message: &'a [u8],
}

impl<'a> ErrPacket<'a> {
    /// Whether a payload is an ERR packet; no other packet begins like one.
    pub fn is_err(payload: &[u8]) -> bool {
        payload.first() == Some(&ERR_HEADER)
    }

    /// Reads the packet, with a SQLSTATE or without.
    ///
    /// # Errors
    /// The payload is something else, is cut, or has the error number 0.
    pub fn parse(payload: &'a [u8]) -> Result<Self, Malformed> {
        panic_point("protocol/err_packet");
        let mut reader = Reader::new("ERR_Packet", payload);
        if reader.u8("header")? != ERR_HEADER {
            return Err(reader.malformed("header"));
        }
        let code = reader.u16("error_code")?;
        if code == 0 {
            return Err(reader.malformed("error_code"));
        }
        let mut sqlstate = None;
        if reader.peek() == Some(b'#') {
            reader.u8("sql_state_marker")?;
            sqlstate = Some(reader.array("sql_state")?);
        }
        Ok(ErrPacket { code, sqlstate, message: reader.rest() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    /// MariaDB 10.11.19 and MySQL 8.0.33, for a table that is not there.
    const NO_SUCH_TABLE: &str = "ff7a042334325330325461626c652027766171756974612e6e6f5f737563685f7461626c652720646f65736e2774206578697374";

    #[test]
    fn the_server_refuses() {
        let payload = hex(NO_SUCH_TABLE);
        let err = ErrPacket::parse(&payload).unwrap();
        assert_eq!((err.code, err.sqlstate), (1146, Some(*b"42S02")));
        assert_eq!(err.message, b"Table 'vaquita.no_such_table' doesn't exist");
        // The text may have any length, and without a SQLSTATE begin right after the number.
        let sqlstate = 3..b"\xFF\x7A\x04#42S02".len();
        check_prefixes(&payload, ErrPacket::parse, |length| {
            length >= sqlstate.start && !(sqlstate.start + 1..sqlstate.end).contains(&length)
        });
    }

    #[test]
    fn before_the_handshake_there_is_no_sqlstate() {
        let err = ErrPacket::parse(b"\xFF\x10\x04Too many connections").unwrap();
        assert_eq!(
            (err.code, err.sqlstate, err.message),
            (1040, None, &b"Too many connections"[..])
        );
    }

    #[test]
    fn an_error_without_a_number_is_none() {
        assert_eq!(ErrPacket::parse(b"\xFF\0\0#00000fine").unwrap_err().field, "error_code");
    }
}
