//! Failure, and why.

use crate::malformed::Malformed;
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
