//! How many values of a result became PHP values, by the types of their columns.
//!
//! A row costs two additions here, and a NULL one: the rest is worked out when somebody wants to know.

use super::Key;
use core::cell::Cell;
use vaquita_client::{ColumnType, Row};

/// The longest value whose length takes a single byte: <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_dt_integers.html>.
const MAX_SHORT_BYTES: usize = 250;

fn add(cell: &Cell<u64>, number: usize) {
    cell.set(cell.get() + number as u64);
}

/// What is counted of a whole result.
#[derive(Default)]
pub(crate) struct RowTally {
    rows: Cell<u64>,
    /// The bytes of those rows, as they came.
    bytes: Cell<u64>,
    /// Those of them that are parts of lengths, beyond the first of each length.
    length_bytes: Cell<u64>,
    /// NULLs of columns that were fetched alone, and the bytes of others.
    lone_nulls: Cell<u64>,
    lone_bytes: Cell<u64>,
}

/// What is counted of a column.
pub(crate) struct ColumnTally {
    key: Key,
    /// Whether a length stands before each value.
    has_lengths: bool,
    /// How many values were NULL.
    nulls: Cell<u64>,
    /// How many other values were fetched alone.
    lone: Cell<u64>,
}

impl ColumnTally {
    pub(crate) fn of(column_type: ColumnType, is_binary: bool) -> ColumnTally {
        let (text, binary) = keys(column_type);
        ColumnTally {
            key: if is_binary { binary } else { text },
            has_lengths: !is_binary || !is_fixed(column_type),
            nulls: Cell::new(0),
            lone: Cell::new(0),
        }
    }

    /// Begins to count anew.
    pub(crate) fn forget(&self) {
        self.nulls.set(0);
        self.lone.set(0);
    }

    /// A value of a row is NULL.
    #[inline]
    pub(crate) fn null(&self) {
        add(&self.nulls, 1);
    }
}

impl RowTally {
    /// A row is written whole; its NULLs are told one by one.
    #[inline]
    pub(crate) fn row(&self, row: Row<'_>) {
        let bytes = row.payload_bytes();
        add(&self.rows, 1);
        add(&self.bytes, bytes);
        if bytes > MAX_SHORT_BYTES {
            self.long_row(row);
        }
    }

    /// Some of its values may be longer than a byte can say.
    #[inline(never)]
    fn long_row(&self, row: Row<'_>) {
        let more: usize = row.values().flatten().map(|value| more_length_bytes(value.len())).sum();
        add(&self.length_bytes, more);
    }

    /// A single value is written.
    pub(crate) fn lone_value(&self, column: &ColumnTally, value: Option<&[u8]>) {
        match value {
            Some(value) => {
                add(&column.lone, 1);
                add(&self.lone_bytes, value.len());
            }
            None => add(&self.lone_nulls, 1),
        }
    }

    /// Begins to count anew.
    pub(crate) fn forget(&self) {
        let RowTally { rows, bytes, length_bytes, lone_nulls, lone_bytes } = self;
        [rows, bytes, length_bytes, lone_nulls, lone_bytes].iter().for_each(|number| number.set(0));
    }

    /// Tells what was counted.
    pub(crate) fn tell<'a>(
        &self,
        is_binary: bool,
        columns: impl ExactSizeIterator<Item = &'a ColumnTally>,
        mut tell: impl FnMut(Key, u64),
    ) {
        let rows = self.rows.get();
        let (null, data) = if is_binary {
            (Key::proto_binary_fetched_null, Key::bytes_received_real_data_ps)
        } else {
            (Key::proto_text_fetched_null, Key::bytes_received_real_data_normal)
        };
        let mut nulls = 0;
        // A text row has a byte for each NULL; a binary one a header and a bitmap.
        let mut overhead = self.length_bytes.get();
        if is_binary {
            overhead += rows * (1 + (columns.len() as u64 + 2).div_ceil(8));
        }
        for column in columns {
            let values = rows.saturating_sub(column.nulls.get());
            nulls += column.nulls.get();
            overhead += if is_binary { values * u64::from(column.has_lengths) } else { rows };
            tell(column.key, values + column.lone.get());
        }
        tell(null, nulls + self.lone_nulls.get());
        tell(data, self.bytes.get().saturating_sub(overhead) + self.lone_bytes.get());
    }
}

/// How many bytes the length before a value of so many bytes takes, beyond the first.
fn more_length_bytes(bytes: usize) -> usize {
    match bytes {
        bytes if bytes <= MAX_SHORT_BYTES => 0,
        bytes if bytes <= 0xFFFF => 2,
        bytes if bytes <= 0xFF_FFFF => 3,
        _ => 8,
    }
}

/// Whether values of this type have no length before them in the binary protocol.
fn is_fixed(column_type: ColumnType) -> bool {
    matches!(
        column_type,
        ColumnType::NULL
            | ColumnType::TINY
            | ColumnType::SHORT
            | ColumnType::YEAR
            | ColumnType::INT24
            | ColumnType::LONG
            | ColumnType::LONGLONG
            | ColumnType::FLOAT
            | ColumnType::DOUBLE
    )
}

/// The counters of a type's values in the text and in the binary protocol; there is none for JSON as text.
fn keys(column_type: ColumnType) -> (Key, Key) {
    match column_type {
        ColumnType::NULL => (Key::proto_text_fetched_null, Key::proto_binary_fetched_null),
        ColumnType::BIT => (Key::proto_text_fetched_bit, Key::proto_binary_fetched_bit),
        ColumnType::TINY => (Key::proto_text_fetched_tinyint, Key::proto_binary_fetched_tinyint),
        ColumnType::SHORT => (Key::proto_text_fetched_short, Key::proto_binary_fetched_short),
        ColumnType::INT24 => (Key::proto_text_fetched_int24, Key::proto_binary_fetched_int24),
        ColumnType::LONG => (Key::proto_text_fetched_int, Key::proto_binary_fetched_int),
        ColumnType::LONGLONG => (Key::proto_text_fetched_bigint, Key::proto_binary_fetched_bigint),
        ColumnType::DECIMAL | ColumnType::NEWDECIMAL => {
            (Key::proto_text_fetched_decimal, Key::proto_binary_fetched_decimal)
        }
        ColumnType::FLOAT => (Key::proto_text_fetched_float, Key::proto_binary_fetched_float),
        ColumnType::DOUBLE => (Key::proto_text_fetched_double, Key::proto_binary_fetched_double),
        ColumnType::DATE | ColumnType::NEWDATE => {
            (Key::proto_text_fetched_date, Key::proto_binary_fetched_date)
        }
        ColumnType::YEAR => (Key::proto_text_fetched_year, Key::proto_binary_fetched_year),
        ColumnType::TIME => (Key::proto_text_fetched_time, Key::proto_binary_fetched_time),
        ColumnType::DATETIME => {
            (Key::proto_text_fetched_datetime, Key::proto_binary_fetched_datetime)
        }
        ColumnType::TIMESTAMP => {
            (Key::proto_text_fetched_timestamp, Key::proto_binary_fetched_timestamp)
        }
        ColumnType::VARCHAR | ColumnType::VAR_STRING | ColumnType::STRING => {
            (Key::proto_text_fetched_string, Key::proto_binary_fetched_string)
        }
        ColumnType::JSON => (Key::proto_text_fetched_other, Key::proto_binary_fetched_json),
        ColumnType::TINY_BLOB
        | ColumnType::MEDIUM_BLOB
        | ColumnType::LONG_BLOB
        | ColumnType::BLOB => (Key::proto_text_fetched_blob, Key::proto_binary_fetched_blob),
        ColumnType::ENUM => (Key::proto_text_fetched_enum, Key::proto_binary_fetched_enum),
        ColumnType::SET => (Key::proto_text_fetched_set, Key::proto_binary_fetched_set),
        ColumnType::GEOMETRY => {
            (Key::proto_text_fetched_geometry, Key::proto_binary_fetched_geometry)
        }
        _ => (Key::proto_text_fetched_other, Key::proto_binary_fetched_other),
    }
}
