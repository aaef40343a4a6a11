//! A prepared statement's run, with its parameters.

use crate::column_definition41::ColumnType;
use crate::writer::put_lenenc_bytes;

/// Set in a parameter's type where its integer has no sign.
const UNSIGNED: u8 = 0x80;
/// What stands before the parameters, and the flag that their types follow.
const MOST_HEAD_BYTES: usize = 10;
/// How often a statement is to run; nothing else was ever defined.
const ITERATIONS: u32 = 1;

/// What is bound to one `?`. The type goes to the server whatever the value is: a change of it may have the statement prepared again there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parameter<'a> {
    /// NULL of no type.
    Null,
    /// An integer of one byte: a truth value.
    Tiny(i8),
    /// An integer with a sign, or NULL.
    Integer(Option<i64>),
    /// An integer without a sign, or NULL.
    Unsigned(Option<u64>),
    /// A floating point number, or NULL.
    Double(Option<f64>),
    /// A string in the connection's character set.
    Text(Data<'a>),
    /// Bytes without a character set.
    Blob(Data<'a>),
}

/// The bytes of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data<'a> {
    /// NULL.
    Null,
    /// These.
    Bytes(&'a [u8]),
    /// Those that went before, by COM_STMT_SEND_LONG_DATA.
    Sent,
}

impl Parameter<'_> {
    /// The type as it goes to the server; of NULL, whatever its type, that of NULL.
    pub const fn type_and_null(&self) -> [u8; 2] {
        if self.is_null() { Parameter::Null.wire_type() } else { self.wire_type() }
    }

    const fn wire_type(&self) -> [u8; 2] {
        let (column_type, flag) = match self {
            Parameter::Null => (ColumnType::NULL, 0),
            Parameter::Tiny(_) => (ColumnType::TINY, 0),
            Parameter::Integer(_) => (ColumnType::LONGLONG, 0),
            Parameter::Unsigned(_) => (ColumnType::LONGLONG, UNSIGNED),
            Parameter::Double(_) => (ColumnType::DOUBLE, 0),
            Parameter::Text(_) => (ColumnType::VAR_STRING, 0),
            Parameter::Blob(_) => (ColumnType::LONG_BLOB, 0),
        };
        [column_type.0, flag]
    }

    const fn is_null(&self) -> bool {
        matches!(
            self,
            Parameter::Null
                | Parameter::Integer(None)
                | Parameter::Unsigned(None)
                | Parameter::Double(None)
                | Parameter::Text(Data::Null)
                | Parameter::Blob(Data::Null)
        )
    }

    /// What it takes at the most: its type, its bit among the NULLs, its length and itself.
    const fn most_bytes(&self) -> usize {
        match self {
            Parameter::Text(Data::Bytes(bytes)) | Parameter::Blob(Data::Bytes(bytes)) => {
                12 + bytes.len()
            }
            _ => 12,
        }
    }

    fn put_value(&self, out: &mut Vec<u8>) {
        match *self {
            Parameter::Tiny(number) => out.extend_from_slice(&number.to_le_bytes()),
            Parameter::Integer(Some(number)) => out.extend_from_slice(&number.to_le_bytes()),
            Parameter::Unsigned(Some(number)) => out.extend_from_slice(&number.to_le_bytes()),
            Parameter::Double(Some(number)) => out.extend_from_slice(&number.to_le_bytes()),
            Parameter::Text(Data::Bytes(bytes)) | Parameter::Blob(Data::Bytes(bytes)) => {
                put_lenenc_bytes(out, bytes);
            }
            Parameter::Text(Data::Null | Data::Sent)
            | Parameter::Blob(Data::Null | Data::Sent)
            | Parameter::Null
            | Parameter::Integer(None)
            | Parameter::Unsigned(None)
            | Parameter::Double(None) => {}
        }
    }
}

/// COM_STMT_EXECUTE: one run of a prepared statement.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_stmt_execute.html>
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComStmtExecute<'a> {
    /// Which statement.
    pub statement_id: u32,
    /// Whether the rows stay at the server, behind a read-only cursor, until they are fetched.
    pub opens_cursor: bool,
    /// One for each `?`.
    pub parameters: &'a [Parameter<'a>],
}

impl ComStmtExecute<'_> {
    /// How long the command's body is at the most, in bytes.
    pub fn most_bytes(&self) -> usize {
        MOST_HEAD_BYTES + self.parameters.iter().map(Parameter::most_bytes).sum::<usize>()
    }

    /// Appends the command's body.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.reserve(self.most_bytes());
        out.extend_from_slice(&self.statement_id.to_le_bytes());
        out.push(self.opens_cursor.into());
        out.extend_from_slice(&ITERATIONS.to_le_bytes());
        if self.parameters.is_empty() {
            return;
        }
        for eight in self.parameters.chunks(8) {
            let bits =
                eight.iter().zip(0..).map(|(parameter, bit)| u8::from(parameter.is_null()) << bit);
            out.push(bits.fold(0, |byte, bit| byte | bit));
        }
        out.push(1); // new-params-bind-flag: the types follow
        for parameter in self.parameters {
            out.extend_from_slice(&parameter.wire_type());
        }
        for parameter in self.parameters {
            parameter.put_value(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::hex;

    fn check(parameters: &[Parameter<'_>], expected: &str) {
        let mut out = Vec::new();
        ComStmtExecute { statement_id: 2, opens_cursor: false, parameters }.encode(&mut out);
        assert_eq!(out, hex(expected), "{parameters:?}");
    }

    #[test]
    fn the_bytes_are_those_the_servers_took() {
        check(&[], "02000000 00 01000000");
        check(
            &[Parameter::Integer(Some(-2)), Parameter::Text(Data::Bytes(b"abc"))],
            "02000000 00 01000000 00 01 0800 fd00 feffffffffffffff 03616263",
        );
        check(
            &[
                Parameter::Double(Some(1.5)),
                Parameter::Blob(Data::Sent),
                Parameter::Unsigned(Some(1)),
            ],
            "02000000 00 01000000 00 01 0500 fb00 0880 000000000000f83f 0100000000000000",
        );
        let mut out = Vec::new();
        ComStmtExecute { statement_id: 1, opens_cursor: true, parameters: &[] }.encode(&mut out);
        assert_eq!(out, hex("01000000 01 01000000"));
    }

    #[test]
    fn a_null_has_a_bit_and_a_type_and_no_value() {
        let mut nine = [Parameter::Text(Data::Bytes(b"")); 9];
        nine[0] = Parameter::Integer(None);
        nine[8] = Parameter::Blob(Data::Null);
        check(
            &nine,
            "02000000 00 01000000 0101 01 0800 fd00 fd00 fd00 fd00 fd00 fd00 fd00 fb00 00000000000000",
        );
    }
}
