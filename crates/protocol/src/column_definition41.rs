//! What a result set says about one of its columns.

use std::fmt;
use std::sync::Arc;

use crate::malformed::Malformed;
use crate::packet_header::PACKET_HEADER_BYTES;
use crate::panic_point::panic_point;
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

    /// Whether values of this type are whole numbers of a fixed length.
    pub const fn is_integer(self) -> bool {
        matches!(
            self,
            Self::TINY | Self::SHORT | Self::LONG | Self::INT24 | Self::LONGLONG | Self::YEAR
        )
    }
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

/// One column of a result set. Its names stay in the block in which the definitions of its result came.
///
/// <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_com_query_response_text_resultset_column_definition.html>
#[derive(Clone)]
pub struct ColumnDefinition41 {
    block: Arc<[u8]>,
    /// Where the definition begins in the block.
    offset: u32,
    /// Where the six names stand in it.
    names: [Name; NAMES.len()],
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

/// Where a name stands in its definition: the longest ones have 256 characters.
#[derive(Clone, Copy, Debug)]
struct Name {
    start: u16,
    end: u16,
}

/// The names of a definition, in the order they are sent in.
const NAMES: [&str; 6] = ["catalog", "schema", "table", "org_table", "name", "org_name"];
/// What the length of the fields of fixed length must be.
const FIXED_LENGTH: u64 = 0x0C;
const PACKET: &str = "ColumnDefinition41";

impl ColumnDefinition41 {
    /// Reads a definition.
    ///
    /// # Errors
    /// The payload is something else, or is cut, or has a default value, which only the answer to COM_FIELD_LIST has; or its names have
    /// 64 KiB.
    pub fn parse(payload: &[u8]) -> Result<Self, Malformed> {
        Ok(Fields::parse(payload, 0)?.of(&payload.into()))
    }

    fn name_at(&self, name: Name) -> &[u8] {
        let offset = self.offset as usize;
        span(&self.block, offset + usize::from(name.start), offset + usize::from(name.end))
    }

    /// The catalog: always `def`.
    pub fn catalog(&self) -> &[u8] {
        let [catalog, ..] = self.names;
        self.name_at(catalog)
    }

    /// The schema (database) of the table.
    pub fn schema(&self) -> &[u8] {
        let [_, schema, ..] = self.names;
        self.name_at(schema)
    }

    /// The table, by its alias if it has one.
    pub fn table(&self) -> &[u8] {
        let [_, _, table, ..] = self.names;
        self.name_at(table)
    }

    /// The table's own name; empty for an expression.
    pub fn org_table(&self) -> &[u8] {
        let [.., org_table, _, _] = self.names;
        self.name_at(org_table)
    }

    /// The column, by its alias if it has one.
    pub fn name(&self) -> &[u8] {
        let [.., name, _] = self.names;
        self.name_at(name)
    }

    /// The column's own name; empty for an expression.
    pub fn org_name(&self) -> &[u8] {
        let [.., org_name] = self.names;
        self.name_at(org_name)
    }

    /// How long the block is that it shares with the other definitions of its result.
    pub fn block_bytes(&self) -> usize {
        self.block.len()
    }

    /// All that it says.
    fn fields(&self) -> ([&[u8]; NAMES.len()], u16, u32, ColumnType, ColumnFlags, u8) {
        let names = self.names.map(|name| self.name_at(name));
        (names, self.charset, self.length, self.column_type, self.flags, self.decimals)
    }
}

impl PartialEq for ColumnDefinition41 {
    fn eq(&self, other: &Self) -> bool {
        self.fields() == other.fields()
    }
}

impl Eq for ColumnDefinition41 {}

impl fmt::Debug for ColumnDefinition41 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ColumnDefinition41").field(&self.fields()).finish()
    }
}

/// What a definition says, its names still to be found in a block.
#[derive(Clone, Copy, Debug)]
struct Fields {
    offset: u32,
    names: [Name; NAMES.len()],
    charset: u16,
    length: u32,
    column_type: ColumnType,
    flags: ColumnFlags,
    decimals: u8,
}

impl Fields {
    /// Reads a payload that stands so far behind the beginning of its block.
    fn parse(payload: &[u8], offset: usize) -> Result<Self, Malformed> {
        panic_point("protocol/column_definition41");
        let mut reader = Reader::new(PACKET, payload);
        let mut names = [Name { start: 0, end: 0 }; NAMES.len()];
        for (name, field) in names.iter_mut().zip(NAMES) {
            let length = reader.lenenc_bytes(field)?.len();
            let end = payload.len() - reader.len();
            let place = |at| u16::try_from(at).map_err(|_| reader.malformed(field));
            *name = Name { start: place(end - length)?, end: place(end)? };
        }
        let offset = u32::try_from(offset).map_err(|_| reader.malformed("offset"))?;
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
        Ok(Fields { offset, names, charset, length, column_type, flags, decimals })
    }

    fn of(self, block: &Arc<[u8]>) -> ColumnDefinition41 {
        let Fields { offset, names, charset, length, column_type, flags, decimals } = self;
        let block = Arc::clone(block);
        ColumnDefinition41 { block, offset, names, charset, length, column_type, flags, decimals }
    }
}

/// The definitions of one result while they arrive: their packets one behind the other, in a block that they share in the end.
#[derive(Debug, Default)]
pub struct ColumnDefinitions {
    block: Vec<u8>,
    fields: Vec<Fields>,
}

impl ColumnDefinitions {
    /// The memory that is kept from one result for the next, in bytes of packets and in columns.
    const MAX_KEPT: (usize, usize) = (16 << 10, 256);

    /// Begins anew.
    pub fn clear(&mut self) {
        self.block.clear();
        self.fields.clear();
        self.block.shrink_to(Self::MAX_KEPT.0);
        self.fields.shrink_to(Self::MAX_KEPT.1);
    }

    /// Adds a definition, as its packet came, with the header.
    ///
    /// # Errors
    /// As [`ColumnDefinition41::parse`].
    pub fn push(&mut self, packet: &[u8]) -> Result<(), Malformed> {
        let (header, payload) = packet
            .split_first_chunk::<PACKET_HEADER_BYTES>()
            .ok_or(Malformed::new(PACKET, "header"))?;
        self.fields.push(Fields::parse(payload, self.block.len() + header.len())?);
        self.block.extend_from_slice(packet);
        Ok(())
    }

    /// The packets so far.
    pub fn packets(&self) -> &[u8] {
        &self.block
    }

    /// The definitions, and the block of their packets.
    pub fn share(&self) -> (Arc<[ColumnDefinition41]>, Arc<[u8]>) {
        let block = Arc::from(&*self.block);
        (self.fields.iter().map(|fields| fields.of(&block)).collect(), block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::{check_prefixes, hex};
    use crate::packet_header::PacketHeader;

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
    fn definitions_share_a_block() {
        let mut arriving = ColumnDefinitions::default();
        for _ in 0..2 {
            arriving.clear();
            let mut packets = Vec::new();
            for (sequence_id, packet) in (2..).zip([MARIADB_10_11_19, MYSQL_8_0_33_EXPRESSION]) {
                let payload = hex(packet);
                let payload_length = u32::try_from(payload.len()).unwrap();
                let header = PacketHeader { payload_length, sequence_id };
                let packet = [&header.encode()[..], &payload].concat();
                arriving.push(&packet).unwrap();
                packets.extend_from_slice(&packet);
            }
            assert_eq!(arriving.packets(), packets);
            let (columns, block) = arriving.share();
            assert_eq!(*block, *packets);
            let alone = [MARIADB_10_11_19, MYSQL_8_0_33_EXPRESSION]
                .map(|packet| ColumnDefinition41::parse(&hex(packet)).unwrap());
            assert_eq!(*columns, alone);
            assert_ne!(columns[0], columns[1]);
            assert_eq!(columns[1].name(), b"REPEAT('x', 300)");
        }
        arriving.push(b"\x01\0\0\x04x").unwrap_err();
        arriving.push(b"\x01\0").unwrap_err();
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
    fn a_name_ends_within_64_kib() {
        let definition = |name_bytes: usize| {
            let mut payload = hex("03646566000000fd");
            payload.extend_from_slice(&u32::try_from(name_bytes).unwrap().to_le_bytes()[..3]);
            payload.resize(payload.len() + name_bytes, b'x');
            payload.extend_from_slice(&hex("000cff00b0040000fd00001f0000"));
            ColumnDefinition41::parse(&payload)
        };
        assert_eq!(definition(0xFFFF - 12).unwrap().name().len(), 0xFFFF - 12);
        assert_eq!(definition(0xFFFF - 11).unwrap_err().field, "org_name");
        assert_eq!(definition(0xFFFF).unwrap_err().field, "name");
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
