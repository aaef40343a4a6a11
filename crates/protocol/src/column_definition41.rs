//! What a result set says about one of its columns.

use crate::malformed::Malformed;
use crate::reader::{NULL_VALUE, Reader, span};

/// A column's type; one that is not named here passes through.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/field__types_8h.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnType(pub u8);

#[expect(missing_docs, reason = "the names are the documentation's own")]
impl ColumnType {
    pub const DECIMAL: Self = Self(0x00);
    pub const TINY: Self = Self(0x01);
    pub const SHORT: Self = Self(0x02);
    pub const LONG: Self = Self(0x03);
    pub const FLOAT: Self = Self(0x04);
    pub const DOUBLE: Self = Self(0x05);
    pub const NULL: Self = Self(0x06);
    pub const TIMESTAMP: Self = Self(0x07);
    pub const LONGLONG: Self = Self(0x08);
    pub const INT24: Self = Self(0x09);
    pub const DATE: Self = Self(0x0A);
    pub const TIME: Self = Self(0x0B);
    pub const DATETIME: Self = Self(0x0C);
    pub const YEAR: Self = Self(0x0D);
    pub const NEWDATE: Self = Self(0x0E);
    pub const VARCHAR: Self = Self(0x0F);
    pub const BIT: Self = Self(0x10);
    pub const VECTOR: Self = Self(0xF2);
    pub const JSON: Self = Self(0xF5);
    pub const NEWDECIMAL: Self = Self(0xF6);
    pub const ENUM: Self = Self(0xF7);
    pub const SET: Self = Self(0xF8);
    pub const TINY_BLOB: Self = Self(0xF9);
    pub const MEDIUM_BLOB: Self = Self(0xFA);
    pub const LONG_BLOB: Self = Self(0xFB);
    pub const BLOB: Self = Self(0xFC);
    pub const VAR_STRING: Self = Self(0xFD);
    pub const STRING: Self = Self(0xFE);
    pub const GEOMETRY: Self = Self(0xFF);
}

/// A column's flags.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__column__definition__flags.html>
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnFlags(pub u16);

#[expect(missing_docs, reason = "the names are the documentation's own")]
impl ColumnFlags {
    pub const NOT_NULL: Self = Self(1);
    pub const PRI_KEY: Self = Self(1 << 1);
    pub const UNIQUE_KEY: Self = Self(1 << 2);
    pub const MULTIPLE_KEY: Self = Self(1 << 3);
    pub const BLOB: Self = Self(1 << 4);
    pub const UNSIGNED: Self = Self(1 << 5);
    pub const ZEROFILL: Self = Self(1 << 6);
    pub const BINARY: Self = Self(1 << 7);
    pub const ENUM: Self = Self(1 << 8);
    pub const AUTO_INCREMENT: Self = Self(1 << 9);
    pub const TIMESTAMP: Self = Self(1 << 10);
    pub const SET: Self = Self(1 << 11);
    pub const NO_DEFAULT_VALUE: Self = Self(1 << 12);
    pub const ON_UPDATE_NOW: Self = Self(1 << 13);
    pub const PART_KEY: Self = Self(1 << 14);
    pub const NUM: Self = Self(1 << 15);

    /// Whether all flags of `other` are in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One column of a result set: its names in one body, and where each begins.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html>
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDefinition41 {
    /// The six names, one after the other.
    body: Box<[u8]>,
    /// Where each of them ends in the body.
    ends: [usize; NAMES.len()],
    /// The collation id of the values; 63 for binary ones.
    pub charset: u16,
    /// The longest possible value in bytes.
    pub length: u32,
    /// The type.
    pub column_type: ColumnType,
    /// The flags.
    pub flags: ColumnFlags,
    /// Digits after the point; 0x1F for those that have no fixed number.
    pub decimals: u8,
}

/// The names of a definition, in the order they are sent in.
const NAMES: [&str; 6] = ["catalog", "schema", "table", "org_table", "name", "org_name"];
/// What the length of the fields of fixed length must be.
const FIXED_LENGTH: u64 = 0x0C;

impl ColumnDefinition41 {
    /// Reads a definition.
    ///
    /// # Errors
    /// The payload is something else, or is cut, or has a default value, which only the answer to COM_FIELD_LIST has.
    pub fn parse(payload: &[u8]) -> Result<Self, Malformed> {
        let mut reader = Reader::new("ColumnDefinition41", payload);
        let mut body = Vec::with_capacity(payload.len());
        let mut ends = [0; NAMES.len()];
        for (end, field) in ends.iter_mut().zip(NAMES) {
            body.extend_from_slice(reader.lenenc_bytes(field)?);
            *end = body.len();
        }
        if reader.lenenc_int("length of fixed length fields")? != FIXED_LENGTH {
            return Err(reader.malformed("length of fixed length fields"));
        }
        let charset = reader.u16("character_set")?;
        let length = reader.u32("column_length")?;
        let column_type = ColumnType(reader.u8("type")?);
        let flags = ColumnFlags(reader.u16("flags")?);
        let decimals = reader.u8("decimals")?;
        reader.u16("reserved")?;
        if matches!(reader.peek(), Some(0 | NULL_VALUE)) {
            reader.u8("default value")?;
        }
        reader.end("default value")?;
        let body = body.into_boxed_slice();
        Ok(ColumnDefinition41 { body, ends, charset, length, column_type, flags, decimals })
    }

    /// The catalog: always `def`.
    pub fn catalog(&self) -> &[u8] {
        let [catalog, ..] = self.ends;
        span(&self.body, 0, catalog)
    }

    /// The schema (database) of the table.
    pub fn schema(&self) -> &[u8] {
        let [catalog, schema, ..] = self.ends;
        span(&self.body, catalog, schema)
    }

    /// The table, by its alias if it has one.
    pub fn table(&self) -> &[u8] {
        let [_, schema, table, ..] = self.ends;
        span(&self.body, schema, table)
    }

    /// The table's own name; empty for an expression.
    pub fn org_table(&self) -> &[u8] {
        let [_, _, table, org_table, ..] = self.ends;
        span(&self.body, table, org_table)
    }

    /// The column, by its alias if it has one.
    pub fn name(&self) -> &[u8] {
        let [.., org_table, name, _] = self.ends;
        span(&self.body, org_table, name)
    }

    /// The column's own name; empty for an expression.
    pub fn org_name(&self) -> &[u8] {
        let [.., name, org_name] = self.ends;
        span(&self.body, name, org_name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};

    const MARIADB_10_11_19: &str =
        "03646566077661717569746101610174016401640c3f0009000000f60000030000";
    const MYSQL_8_0_33: &str = "03646566077661717569746101610174017301730cff0028000000fd0000000000";
    const MYSQL_8_0_33_EXPRESSION: &str =
        "0364656600000010524550454154282778272c2033303029000cff00b0040000fd00001f0000";

    #[test]
    fn the_fields_are_found() {
        let decimal = ColumnDefinition41::parse(&hex(MARIADB_10_11_19)).unwrap();
        assert_eq!(decimal.catalog(), b"def");
        assert_eq!(decimal.schema(), b"vaquita");
        assert_eq!((decimal.table(), decimal.org_table()), (&b"a"[..], &b"t"[..]));
        assert_eq!((decimal.name(), decimal.org_name()), (&b"d"[..], &b"d"[..]));
        assert_eq!((decimal.charset, decimal.length, decimal.decimals), (63, 9, 3));
        assert_eq!((decimal.column_type, decimal.flags), (ColumnType::NEWDECIMAL, ColumnFlags(0)));
        let string = ColumnDefinition41::parse(&hex(MYSQL_8_0_33)).unwrap();
        assert_eq!((string.charset, string.length), (255, 40));
        assert_eq!(string.column_type, ColumnType::VAR_STRING);
        let expression = ColumnDefinition41::parse(&hex(MYSQL_8_0_33_EXPRESSION)).unwrap();
        assert_eq!(expression.name(), b"REPEAT('x', 300)");
        assert!(expression.schema().is_empty() && expression.org_name().is_empty());
    }

    #[test]
    fn a_cut_definition_is_none() {
        for packet in [MARIADB_10_11_19, MYSQL_8_0_33, MYSQL_8_0_33_EXPRESSION] {
            check_prefixes(&hex(packet), ColumnDefinition41::parse, |_| false);
        }
    }

    #[test]
    fn nothing_follows_the_fields_of_fixed_length() {
        let check = |end: &[u8], expected: bool| {
            let payload = [&hex(MYSQL_8_0_33)[..], end].concat();
            assert_eq!(ColumnDefinition41::parse(&payload).is_ok(), expected, "{end:02x?}");
        };
        check(b"", true);
        check(b"\0", true);
        check(b"\xFB", true);
        check(b"\x01x", false);
        check(b"\0\0", false);
    }

    #[test]
    fn an_unknown_type_passes() {
        let mut payload = hex(MYSQL_8_0_33);
        let at = payload.len() - 6;
        assert_eq!(payload[at], ColumnType::VAR_STRING.0);
        payload[at] = 0xA7;
        assert_eq!(ColumnDefinition41::parse(&payload).unwrap().column_type, ColumnType(0xA7));
    }
}
