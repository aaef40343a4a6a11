//! The first packet of an answer to COM_QUERY.

use crate::capabilities::Capabilities;
use crate::err_packet::ErrPacket;
use crate::malformed::Malformed;
use crate::ok_packet::{OK_HEADER, OkPacket};
use crate::reader::{ERR_HEADER, NULL_VALUE, Reader};

/// The most columns that a result set may have.
///
/// Tables end at 4096 columns, but a select list does not: MariaDB 10.11 answers one of 70,000. So this limit is our own: above any real
/// query, and low enough for a script to have an object made of each without getting far beyond a usual memory_limit.
pub const MAX_COLUMNS: u32 = 1 << 17;

/// How errors call the packet, also where it is an OK packet.
const PACKET: &str = "COM_QUERY Response";

/// What an answer to COM_QUERY begins with.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComQueryResponse<'a> {
    /// Done, no rows.
    Ok(OkPacket<'a>),
    /// Refused.
    Err(ErrPacket<'a>),
    /// The server wants this file of the client.
    LocalInfileRequest(&'a [u8]),
    /// A result set of this many columns follows; never 0.
    ColumnCount(u32),
}

impl<'a> ComQueryResponse<'a> {
    /// Reads the packet.
    ///
    /// # Errors
    /// The payload is none of the four, or counts more than [`MAX_COLUMNS`] columns.
    pub fn parse(payload: &'a [u8], capabilities: Capabilities) -> Result<Self, Malformed> {
        let mut reader = Reader::new(PACKET, payload);
        match reader.peek() {
            Some(OK_HEADER) => OkPacket::parse(payload, capabilities)
                .map(Self::Ok)
                .map_err(|malformed| Malformed { packet: PACKET, ..malformed }),
            Some(ERR_HEADER) => ErrPacket::parse(payload).map(Self::Err),
            Some(NULL_VALUE) => {
                reader.u8("header")?;
                Ok(Self::LocalInfileRequest(reader.rest()))
            }
            _ => {
                let count = reader.lenenc_int("column_count")?;
                reader.end("column_count")?;
                match u32::try_from(count) {
                    Ok(count @ 1..=MAX_COLUMNS) => Ok(Self::ColumnCount(count)),
                    _ => Err(reader.malformed("column_count")),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    fn parse(payload: &[u8]) -> Result<ComQueryResponse<'_>, Malformed> {
        ComQueryResponse::parse(payload, Capabilities::NONE)
    }

    #[test]
    fn the_first_byte_decides() {
        // All of them are those of MariaDB 10.11.19 and MySQL 8.0.33.
        assert!(matches!(parse(&hex("00000002000000")), Ok(ComQueryResponse::Ok(_))));
        assert!(matches!(parse(&hex("ff7a04233432533032")), Ok(ComQueryResponse::Err(_))));
        assert_eq!(parse(&hex("03")), Ok(ComQueryResponse::ColumnCount(3)));
        let request = hex("fb2f6e6f2f737563682f66696c65");
        assert_eq!(parse(&request), Ok(ComQueryResponse::LocalInfileRequest(b"/no/such/file")));
        check_prefixes(&request, parse, |length| length >= 1);
        check_prefixes(&hex("fd701101"), parse, |_| false);
    }

    #[test]
    fn a_column_count_is_bounded() {
        let check = |packet: &str, expected: Option<u32>| {
            let count = match parse(&hex(packet)) {
                Ok(ComQueryResponse::ColumnCount(count)) => Some(count),
                _ => None,
            };
            assert_eq!(count, expected, "{packet}");
        };
        check("fa", Some(250));
        check("fc0010", Some(4096));
        check("fd701101", Some(70_000));
        check("fd000002", Some(MAX_COLUMNS));
        check("fd010002", None);
        check("fe0000000000010000", None); // 2^40
        check("feffffffffffffffff", None); // 2^64-1
        check("fc0000", None);
        check("fd000000", None);
        check("fe0000000000000000", None);
        check("", None);
        check("0100", None);
        check("fe00002200", None); // an EOF packet
    }
}
