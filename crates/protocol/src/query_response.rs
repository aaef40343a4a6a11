//! The first packet of an answer to COM_QUERY.

use crate::capabilities::Capabilities;
use crate::err_packet::ErrPacket;
use crate::malformed::Malformed;
use crate::ok_packet::{OK_HEADER, OkPacket};
use crate::reader::{ERR_HEADER, NULL_VALUE, Reader};

/// The most columns that a result set may have.
///
/// Tables end at 4096 columns, but a select list does not: MariaDB 10.11 answers one of 70,000. So this limit is our own: far above
/// any real query, far below what could exhaust memory before its column definitions have arrived.
pub const MAX_COLUMNS: u32 = 1 << 20;

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
        let mut reader = Reader::new("COM_QUERY Response", payload);
        match reader.peek() {
            Some(OK_HEADER) => OkPacket::parse(payload, capabilities).map(Self::Ok),
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
