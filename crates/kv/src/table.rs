//! What a server says of a table: its columns and the indexes that find one row.

use vaquita_client::{Connection, QueryResponse};

use crate::error::Error;

/// A base table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The database.
    pub database: Box<[u8]>,
    /// The table.
    pub name: Box<[u8]>,
    /// The storage engine, in the server's spelling.
    pub engine: Box<[u8]>,
    /// Its columns, in their order.
    pub columns: Box<[Column]>,
    /// The indexes of which no two rows have the same key, NULL apart.
    pub indexes: Box<[UniqueIndex]>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: Box<[u8]>,
    /// What its values are.
    pub kind: Kind,
    /// Whether there may be none.
    pub is_nullable: bool,
    /// Whether another number is made of 0 (AUTO_INCREMENT).
    pub makes_numbers: bool,
}

/// What the values of a column are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole numbers.
    Integer {
        /// How many bytes one takes: 1, 2, 3, 4 or 8.
        bytes: u8,
        /// Whether none is below zero.
        is_unsigned: bool,
        /// Whether they are filled up with zeros.
        is_filled: bool,
    },
    /// Characters.
    Text {
        /// CHAR, of which blanks at the end are none, or VARCHAR and TEXT.
        is_fixed: bool,
        /// The most characters.
        most: u64,
        /// The character set.
        charset: Box<[u8]>,
        /// The collation.
        collation: Box<[u8]>,
    },
    /// Bytes.
    Bytes {
        /// BINARY, which is filled up, or VARBINARY and BLOB.
        is_fixed: bool,
        /// The most bytes.
        most: u64,
    },
    /// Anything else.
    Other {
        /// The character set; empty where there is none.
        charset: Box<[u8]>,
    },
    /// What a session's settings decide upon: TIMESTAMP by its time zone, what is computed when it is read by any.
    OfSession,
}

/// An index that finds one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UniqueIndex {
    /// Its name; of the primary key, `PRIMARY`.
    pub name: Box<[u8]>,
    /// The columns, in their order, by their place among the table's. None: it is of parts of columns, or of expressions.
    pub columns: Option<Box<[usize]>>,
}

/// A row as it came: each value NULL or bytes.
pub(crate) type Row = Box<[Option<Box<[u8]>>]>;

impl Table {
    /// What the server says of a table; `None` if there is no base table of that name, or this user may not see it.
    ///
    /// # Errors
    /// [`Error::Lost`]: the connection's.
    pub fn read(
        connection: &mut Connection,
        database: &[u8],
        name: &[u8],
    ) -> Result<Option<Table>, Error> {
        let mut of_table = b" WHERE TABLE_SCHEMA = '".to_vec();
        connection.escape_into(database, &mut of_table);
        of_table.extend_from_slice(b"' AND TABLE_NAME = '");
        connection.escape_into(name, &mut of_table);
        of_table.push(b'\'');
        let mut ask =
            |what: &[u8], behind: &[u8]| rows(connection, &[what, &of_table, behind].concat());
        let tables = ask(
            b"SELECT ENGINE FROM information_schema.TABLES",
            b" AND TABLE_TYPE = 'BASE TABLE'",
        )?;
        let columns = ask(
            b"SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_SET_NAME, COLLATION_NAME, EXTRA \
              FROM information_schema.COLUMNS",
            b" ORDER BY ORDINAL_POSITION",
        )?;
        let parts = ask(
            b"SELECT INDEX_NAME, COLUMN_NAME, SUB_PART FROM information_schema.STATISTICS",
            b" AND NON_UNIQUE = 0 AND INDEX_TYPE = 'BTREE' ORDER BY INDEX_NAME, SEQ_IN_INDEX",
        )?;
        let [table] = &*tables else { return Ok(None) };
        let columns: Box<[Column]> = columns.iter().map(Column::of).collect();
        let (database, name) = (database.into(), name.into());
        let indexes = indexes(&parts, &columns);
        Ok(Some(Table { database, name, engine: value(table, 0).into(), columns, indexes }))
    }

    /// The column of this name, whatever its case.
    pub fn column(&self, name: &[u8]) -> Option<(usize, &Column)> {
        self.columns.iter().enumerate().find(|(_, column)| is_same_name(&column.name, name))
    }

    /// Whether a unique index is of these columns and no others, in whatever order.
    pub(crate) fn has_unique(&self, names: &[Box<[u8]>]) -> bool {
        let places: Option<Vec<usize>> =
            names.iter().map(|name| self.column(name).map(|(place, _)| place)).collect();
        let Some(places) = places else { return false };
        let indexes = self.indexes.iter().filter_map(|index| index.columns.as_deref());
        let mut of_them = indexes.filter(|index| index.len() == places.len());
        of_them.any(|index| index.iter().all(|place| places.contains(place)))
    }
}

impl Column {
    fn of(row: &Row) -> Column {
        let [name, data_type, column_type, is_nullable, most, charset, collation, extra] =
            [0, 1, 2, 3, 4, 5, 6, 7].map(|place| value(row, place));
        let most = std::str::from_utf8(most).ok().and_then(|most| most.parse().ok()).unwrap_or(0);
        let has = |word: &[u8]| column_type.split(|byte| *byte == b' ').any(|it| it == word);
        let integer = |bytes| Kind::Integer {
            bytes,
            is_unsigned: has(b"unsigned"),
            is_filled: has(b"zerofill"),
        };
        let text = |is_fixed| Kind::Text {
            is_fixed,
            most,
            charset: charset.into(),
            collation: collation.into(),
        };
        let extra = extra.to_ascii_uppercase();
        let is_computed = extra.starts_with(b"VIRTUAL");
        let kind = match data_type {
            b"timestamp" => Kind::OfSession,
            _ if is_computed => Kind::OfSession,
            b"tinyint" => integer(1),
            b"smallint" => integer(2),
            b"mediumint" => integer(3),
            b"int" => integer(4),
            b"bigint" => integer(8),
            b"char" => text(true),
            b"varchar" | b"tinytext" | b"text" | b"mediumtext" | b"longtext" => text(false),
            b"binary" => Kind::Bytes { is_fixed: true, most },
            b"varbinary" | b"tinyblob" | b"blob" | b"mediumblob" | b"longblob" => {
                Kind::Bytes { is_fixed: false, most }
            }
            _ => Kind::Other { charset: charset.into() },
        };
        Column {
            name: name.into(),
            kind,
            is_nullable: is_nullable == b"YES",
            makes_numbers: extra.starts_with(b"AUTO_INCREMENT"),
        }
    }
}

/// The indexes whose parts these are.
fn indexes(parts: &[Row], columns: &[Column]) -> Box<[UniqueIndex]> {
    let of_one = parts.chunk_by(|one, next| value(one, 0) == value(next, 0));
    let index = |parts: &[Row]| {
        let place = |part: &Row| {
            let is_whole = part.get(2).is_some_and(Option::is_none);
            let found = columns.iter().position(|column| *column.name == *value(part, 1));
            found.filter(|_| is_whole)
        };
        let name = parts.first().map_or(&b""[..], |part| value(part, 0)).into();
        UniqueIndex { name, columns: parts.iter().map(place).collect() }
    };
    of_one.map(index).collect()
}

/// A value; of NULL no bytes.
pub(crate) fn value(row: &Row, place: usize) -> &[u8] {
    row.get(place).and_then(|value| value.as_deref()).unwrap_or_default()
}

/// Whether two names of columns are the same to a server, of names of ASCII; others have to be spelled as they are.
pub(crate) fn is_same_name(one: &[u8], other: &[u8]) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// How many rows are read of what a server tells of itself; no more are asked for, nor taken from who sends more. A table has 4,096 columns at
/// the most, and each part of an index is looked for among them.
const MAX_ROWS: usize = 10_000;

/// What they may take in all, many times what is said of the largest table. What is stored is bounded as any result, but short values take many
/// times as much apart: so no more than this are taken apart.
const MAX_BYTES: usize = 32 << 20;

/// What a value takes besides its bytes: its place in its row, and what there is around a short one.
const VALUE_BYTES: usize = 64;

/// The rows of a query.
pub(crate) fn rows(connection: &mut Connection, sql: &[u8]) -> Result<Box<[Row]>, Error> {
    let lost = Error::Lost;
    // Without a limit of its own that of the session counts (sql_select_limit).
    let limit = format!(" LIMIT {MAX_ROWS}");
    connection.send_query(&[sql, limit.as_bytes()].concat()).map_err(lost)?;
    if !matches!(connection.read_query_response().map_err(lost)?, QueryResponse::ResultSet(_)) {
        return Ok(Box::default());
    }
    let mut stored = connection.store_result().map_err(lost)?;
    let (mut rows, mut left) = (Vec::new(), MAX_BYTES);
    while rows.len() < MAX_ROWS
        && let Some(row) = stored.next_row()
    {
        let bytes = row.values().map(|value| VALUE_BYTES + value.map_or(0, <[u8]>::len)).sum();
        let Some(rest) = left.checked_sub(bytes) else { break };
        left = rest;
        rows.push(row.values().map(|value| value.map(Into::into)).collect());
    }
    Ok(rows.into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "what fails here is a failed test")]
mod tests {
    use super::*;
    use vaquita_client::{Address, ColumnType, ConnectOptions};
    use vaquita_fake_server::packets::{AUTOCOMMIT, column, column_count, eof, row};
    use vaquita_fake_server::{Delivery, FakeServer, Script};

    /// How many rows are taken of a server that says so many, each of so many short values.
    fn taken(says: usize, columns: usize) -> usize {
        let payloads = [column_count(columns as u64)]
            .into_iter()
            .chain((0..columns).map(|_| column("c", ColumnType::VAR_STRING)))
            .chain([eof(AUTOCOMMIT)])
            .chain((0..says).map(|_| row(&vec![Some(&b"x"[..]); columns])))
            .chain([eof(AUTOCOMMIT)]);
        let script = Script::queried().send_all(payloads).expect_packet();
        let server = FakeServer::unix(script, Delivery::WHOLE).unwrap();
        let vaquita_fake_server::Address::Unix(path) = server.address() else { unreachable!() };
        let options = ConnectOptions::new(Address::Unix(path.clone()));
        let mut connection = Connection::connect(&options).unwrap();
        rows(&mut connection, b"SELECT 1").unwrap().len()
    }

    #[test]
    fn no_more_is_taken_apart_than_a_table_needs() {
        assert_eq!(taken(100, 8), 100);
        assert_eq!(taken(MAX_ROWS + 100, 3), MAX_ROWS);
        let wide = MAX_BYTES / (2000 * (VALUE_BYTES + 1));
        assert_eq!(taken(wide + 100, 2000), wide);
    }
}
