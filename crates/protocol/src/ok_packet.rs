//! Success, and what it changed.

use crate::capabilities::Capabilities;
use crate::malformed::Malformed;
use crate::reader::Reader;
use crate::status_flags::StatusFlags;

/// The first byte of an OK packet.
pub const OK_HEADER: u8 = 0x00;
/// The first byte of an OK packet that ends a result set, with [`Capabilities::DEPRECATE_EOF`].
pub const OK_AS_EOF_HEADER: u8 = 0xFE;

/// The end of a command without a result set.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_ok_packet.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OkPacket<'a> {
    /// Rows that the statement changed, or found with [`Capabilities::FOUND_ROWS`].
    pub affected_rows: u64,
    /// The last AUTO_INCREMENT value that the statement made, or 0.
    pub last_insert_id: u64,
    /// The session's status.
    pub status: StatusFlags,
    /// How many warnings SHOW WARNINGS would give.
    pub warnings: u16,
    /// A text for humans, such as `Rows matched: 1  Changed: 1  Warnings: 0`.
    pub info: &'a [u8],
    /// Session state changes, with [`Capabilities::SESSION_TRACK`].
    pub session_state: &'a [u8],
}

impl<'a> OkPacket<'a> {
    /// Reads the packet, which may begin with either of its headers.
    ///
    /// The documentation gives `info` as `string<EOF>` without SESSION_TRACK; all servers send `string<lenenc>` and leave it
    /// out when it is empty. Bytes after the last field are not looked at.
    ///
    /// # Errors
    /// The payload is something else, or is cut.
    pub fn parse(payload: &'a [u8], capabilities: Capabilities) -> Result<Self, Malformed> {
        let mut reader = Reader::new("OK_Packet", payload);
        if !matches!(reader.u8("header")?, OK_HEADER | OK_AS_EOF_HEADER) {
            return Err(reader.malformed("header"));
        }
        let affected_rows = reader.lenenc_int("affected_rows")?;
        let last_insert_id = reader.lenenc_int("last_insert_id")?;
        let status = StatusFlags::from_bits(reader.u16("status_flags")?);
        let warnings = reader.u16("warnings")?;
        let info = if reader.is_empty() { &[][..] } else { reader.lenenc_bytes("info")? };
        let has_session_state = capabilities.contains(Capabilities::SESSION_TRACK)
            && status.contains(StatusFlags::SESSION_STATE_CHANGED)
            && !reader.is_empty();
        let session_state =
            if has_session_state { reader.lenenc_bytes("session state info")? } else { &[] };
        Ok(OkPacket { affected_rows, last_insert_id, status, warnings, info, session_state })
    }
}
