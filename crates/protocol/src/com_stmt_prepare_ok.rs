//! The first packet of an answer to COM_STMT_PREPARE.

use crate::malformed::Malformed;
use crate::reader::Reader;

/// A statement is prepared; the definitions of its parameters and of its columns follow.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_prepare.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComStmtPrepareOk {
    /// The statement's number in this session.
    pub statement_id: u32,
    /// How many columns its result has; 0: it has none, or nobody knows before it runs.
    pub columns: u16,
    /// How many `?` it has.
    pub params: u16,
    /// How many warnings SHOW WARNINGS would give.
    pub warnings: u16,
}

impl ComStmtPrepareOk {
    /// Reads the packet.
    ///
    /// # Errors
    /// The payload is something else, or has another length.
    pub fn parse(payload: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new("COM_STMT_PREPARE_OK", payload);
        if reader.u8("status")? != 0 {
            return Err(reader.malformed("status"));
        }
        let statement_id = reader.u32("statement_id")?;
        let columns = reader.u16("num_columns")?;
        let params = reader.u16("num_params")?;
        reader.u8("reserved_1")?;
        let warnings = reader.u16("warning_count")?;
        reader.end("end")?;
        Ok(ComStmtPrepareOk { statement_id, columns, params, warnings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    #[test]
    fn a_statement_is_prepared() {
        // MariaDB 10.11.19 and MySQL 8.0.33: the second statement of a session, of two parameters and three columns.
        let payload = hex("00 02000000 0300 0200 00 0000");
        let ok = ComStmtPrepareOk::parse(&payload).unwrap();
        assert_eq!((ok.statement_id, ok.columns, ok.params, ok.warnings), (2, 3, 2, 0));
        check_prefixes(&payload, ComStmtPrepareOk::parse, |_| false);
        assert!(ComStmtPrepareOk::parse(&[&payload[..], &[0]].concat()).is_err());
        assert!(ComStmtPrepareOk::parse(&hex("01 02000000 0300 0200 00 0000")).is_err());
    }
}
