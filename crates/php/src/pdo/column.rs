//! What PDO is told of a result's columns.

use super::{PARAM_INT, PARAM_STR};
use crate::zend::array::{List, Map};
use crate::zend::name;
use crate::zend::pdo::Running;
use crate::zend::slot::Slot;
use crate::zend::string::Str;
use crate::zend::version;
use vaquita_client::{ColumnFlags, ColumnType, Columns};

/// Tells PDO of all columns. `names_tables`: the name of each begins with that of its table.
pub(super) fn describe(columns: &Columns, running: Running<'_>, names_tables: bool) {
    for (number, column) in columns.iter().enumerate() {
        let name = if names_tables {
            Str::concat(&[column.table(), b".", column.name()])
        } else {
            name::of_many(column.name())
        };
        running.describe(number, name, column.length, column.decimals);
    }
}

/// Writes what is known of a column; false: there is no such column.
pub(super) fn write_meta(columns: &Columns, number: usize, slot: Slot<'_>) -> bool {
    let Some(column) = columns.get(number) else { return false };
    let mut meta = Map::new(slot, 4);
    if let Some(name) = type_name(column.column_type) {
        meta.insert_named(b"native_type").bytes(name);
    }
    meta.insert_named(b"pdo_type").long(pdo_type(column.column_type).into());
    let mut flags = List::new(meta.insert_named(b"flags"), 0);
    for (flag, name) in FLAGS {
        if column.flags.contains(*flag) {
            flags.push().bytes(name);
        }
    }
    meta.insert_named(b"table").bytes(column.table());
    true
}

/// The flags that PDO has words for, in its order.
const FLAGS: &[(ColumnFlags, &[u8])] = &[
    (ColumnFlags::NOT_NULL, b"not_null"),
    (ColumnFlags::PRI_KEY, b"primary_key"),
    (ColumnFlags::MULTIPLE_KEY, b"multiple_key"),
    (ColumnFlags::UNIQUE_KEY, b"unique_key"),
    (ColumnFlags::BLOB, b"blob"),
];

fn pdo_type(column_type: ColumnType) -> u32 {
    match column_type {
        ColumnType::BIT
        | ColumnType::YEAR
        | ColumnType::TINY
        | ColumnType::SHORT
        | ColumnType::INT24
        | ColumnType::LONG
        | ColumnType::LONGLONG => PARAM_INT,
        _ => PARAM_STR,
    }
}

/// The type's name, where PHP's version has one for it.
fn type_name(column_type: ColumnType) -> Option<&'static [u8]> {
    Some(match column_type {
        ColumnType::STRING => b"STRING",
        ColumnType::VAR_STRING => b"VAR_STRING",
        ColumnType::TINY => b"TINY",
        ColumnType::BIT => b"BIT",
        ColumnType::SHORT => b"SHORT",
        ColumnType::LONG => b"LONG",
        ColumnType::LONGLONG => b"LONGLONG",
        ColumnType::INT24 => b"INT24",
        ColumnType::FLOAT => b"FLOAT",
        ColumnType::DOUBLE => b"DOUBLE",
        ColumnType::DECIMAL => b"DECIMAL",
        ColumnType::NEWDECIMAL => b"NEWDECIMAL",
        ColumnType::GEOMETRY => b"GEOMETRY",
        ColumnType::TIMESTAMP => b"TIMESTAMP",
        ColumnType::YEAR => b"YEAR",
        ColumnType::SET => b"SET",
        ColumnType::ENUM => b"ENUM",
        ColumnType::DATE => b"DATE",
        ColumnType::NEWDATE => b"NEWDATE",
        ColumnType::TIME => b"TIME",
        ColumnType::DATETIME => b"DATETIME",
        ColumnType::TINY_BLOB => b"TINY_BLOB",
        ColumnType::MEDIUM_BLOB => b"MEDIUM_BLOB",
        ColumnType::LONG_BLOB => b"LONG_BLOB",
        ColumnType::BLOB => b"BLOB",
        ColumnType::NULL => b"NULL",
        ColumnType::JSON if version::is_at_least(804) => b"JSON",
        ColumnType::VECTOR if version::is_at_least(804) => b"VECTOR",
        _ => return None,
    })
}
