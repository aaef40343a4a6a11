//! The end of a list of columns or rows.

use crate::malformed::Malformed;
use crate::reader::Reader;
use crate::status_flags::StatusFlags;

/// The first byte of this packet.
pub const EOF_HEADER: u8 = 0xFE;
/// A payload that begins with [`EOF_HEADER`] and is at least this long is a row whose first value has 16 MiB or more.
const MIN_LONG_ROW_BYTES: usize = 9;

/// The end of column definitions or of rows, without [`crate::Capabilities::DEPRECATE_EOF`].
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_eof_packet.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EofPacket {
    /// How many warnings SHOW WARNINGS would give.
    pub warnings: u16,
    /// The session's status.
    pub status: StatusFlags,
}

impl EofPacket {
    /// Whether a payload is meant as an EOF packet.
    pub fn is_eof(payload: &[u8]) -> bool {
        payload.first() == Some(&EOF_HEADER) && payload.len() < MIN_LONG_ROW_BYTES
    }

    /// The payload.
    pub fn encode(self) -> [u8; 5] {
        let [warnings, more_warnings] = self.warnings.to_le_bytes();
        let [status, more_status] = self.status.bits().to_le_bytes();
        [EOF_HEADER, warnings, more_warnings, status, more_status]
    }

    /// Reads the packet.
    ///
    /// # Errors
    /// The payload is something else, or has another length.
    pub fn parse(payload: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new("EOF_Packet", payload);
        if reader.u8("header")? != EOF_HEADER {
            return Err(reader.malformed("header"));
        }
        let warnings = reader.u16("warnings")?;
        let status = StatusFlags::from_bits(reader.u16("status_flags")?);
        reader.end("end")?;
        Ok(EofPacket { warnings, status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    #[test]
    fn the_rows_end() {
        // MariaDB 10.11.19 and MySQL 8.0.33, after rows found without an index.
        let payload = hex("fe00002200");
        let eof = EofPacket::parse(&payload).unwrap();
        assert_eq!((eof.warnings, eof.status.bits()), (0, 0x22));
        check_prefixes(&payload, EofPacket::parse, |_| false);
        assert!(EofPacket::is_eof(&payload));
        assert_eq!(eof.encode(), payload[..]);
    }

    #[test]
    fn a_long_row_is_no_end() {
        assert!(!EofPacket::is_eof(&[EOF_HEADER, 0, 0, 0, 1, 0, 0, 0, 0]));
        assert!(EofPacket::is_eof(&[EOF_HEADER, 0, 0, 2, 0, 0]));
        assert!(EofPacket::parse(&[EOF_HEADER, 0, 0, 2, 0, 0]).is_err());
    }
}
