//! Success, and what it changed.

use crate::capabilities::Capabilities;
use crate::malformed::Malformed;
use crate::panic_point::panic_point;
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
        panic_point("protocol/ok_packet");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    /// MariaDB 10.11.19 and MySQL 8.0.33, after an UPDATE.
    const UPDATED: &str = "0002000200000028526f7773206d6174636865643a203220204368616e6765643a203220205761726e696e67733a2030";
    /// MariaDB 10.11.19 and MySQL 8.0.33, after an INSERT.
    const INSERTED: &str = "00020102000000265265636f7264733a203220204475706c6963617465733a203020205761726e696e67733a2030";
    /// MariaDB 10.11.19 and MySQL 8.0.33, after a ping.
    const PINGED: &str = "00000002000000";
    /// MariaDB 10.11.19 and MySQL 8.0.33 with SESSION_TRACK, after COM_INIT_DB.
    const TRACKED: &str = "000000024000000008010605 6d7973716c";

    fn parse(payload: &[u8]) -> Result<OkPacket<'_>, Malformed> {
        OkPacket::parse(payload, Capabilities::SESSION_TRACK)
    }

    #[test]
    fn the_fields_are_found() {
        let payload = hex(UPDATED);
        let ok = parse(&payload).unwrap();
        assert_eq!((ok.affected_rows, ok.last_insert_id, ok.warnings), (2, 0, 0));
        assert_eq!(ok.info, b"Rows matched: 2  Changed: 2  Warnings: 0");
        let payload = hex(INSERTED);
        let ok = parse(&payload).unwrap();
        assert_eq!((ok.affected_rows, ok.last_insert_id), (2, 1));
        assert_eq!(ok.status, StatusFlags::AUTOCOMMIT);
        let payload = hex(TRACKED);
        let ok = parse(&payload).unwrap();
        assert_eq!((ok.info, ok.session_state), (&b""[..], &b"\x01\x06\x05mysql"[..]));
        assert!(OkPacket::parse(&payload, Capabilities::NONE).unwrap().session_state.is_empty());
    }

    #[test]
    fn a_cut_packet_is_none() {
        // The fields up to the warnings are always there; the rest is left out when it is empty.
        let fixed = hex(PINGED).len();
        for packet in [UPDATED, INSERTED, PINGED] {
            check_prefixes(&hex(packet), parse, |length| length == fixed);
        }
        check_prefixes(&hex(TRACKED), parse, |length| length == fixed || length == fixed + 1);
    }

    #[test]
    fn an_info_may_not_reach_beyond_the_packet() {
        for packet in [
            "0000000200000005 41",
            "00000002000000fc",
            "00000002000000feffffffffffffffff",
            "00000002000000fb",
        ] {
            assert_eq!(parse(&hex(packet)).unwrap_err().field, "info");
        }
    }

    #[test]
    fn another_packet_is_none() {
        let mut payload = hex(PINGED);
        payload[0] = 1;
        assert_eq!(parse(&payload).unwrap_err().field, "header");
    }
}
