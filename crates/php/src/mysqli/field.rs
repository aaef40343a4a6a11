//! What a result says of its columns: `mysqli_fetch_field` and its like.

use super::result::{Open, ResultSet};
use crate::zend::array::{List, Plain};
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::slot::Slot;
use vaquita_client::{ColumnDefinition41, ColumnFlags, ColumnType};

/// Writes the object that describes a column.
fn write_field(column: &ColumnDefinition41, slot: Slot<'_>) {
    let mut field = Plain::new(slot);
    field.bytes("name", column.name());
    field.bytes("orgname", column.org_name());
    field.bytes("table", column.table());
    field.bytes("orgtable", column.org_table());
    // The default value is sent for COM_FIELD_LIST only, which is gone.
    field.bytes("def", b"");
    field.bytes("db", column.schema());
    field.bytes("catalog", b"def");
    field.long("max_length", 0);
    field.long("length", column.length.into());
    field.long("charsetnr", column.charset.into());
    field.long("flags", flags(column));
    field.long("type", column.column_type.0.into());
    field.long("decimals", column.decimals.into());
}

/// The column's flags, with the one that clients add themselves: `MYSQLI_NUM_FLAG` for numbers, by the type's code.
fn flags(column: &ColumnDefinition41) -> i64 {
    let is_number = match column.column_type {
        // The two lengths of a TIMESTAMP that was shown as a number, before MySQL 4.1.
        ColumnType::TIMESTAMP => matches!(column.length, 8 | 14),
        ColumnType::YEAR => true,
        ColumnType(code) => code <= ColumnType::INT24.0,
    };
    i64::from(column.flags.0 | if is_number { ColumnFlags::NUM.0 } else { 0 })
}

/// The index of the column that a number names; else throws.
fn index(call: &Call<'_>, open: &Open, number: i64) -> Outcome<usize> {
    match usize::try_from(number) {
        Ok(index) if index < open.columns.len() => Ok(index),
        _ => {
            Err(call.value_error(1, c"must be less than the number of fields for this result set"))
        }
    }
}

/// Reads the number of a column.
fn number(call: &mut Call<'_>) -> Outcome<i64> {
    let number = call.long()?;
    if number < 0 {
        return Err(call.value_error(1, c"must be greater than or equal to 0"));
    }
    Ok(number)
}

/// `mysqli_fetch_field`.
pub(crate) fn fetch_field(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(0, 0)?;
    let open = ResultSet::of(object)?;
    let current = open.current_field.get();
    match open.columns.get(current) {
        Some(column) => {
            open.current_field.set(current + 1);
            write_field(column, call.returns());
        }
        None => call.returns().bool(false),
    }
    Ok(())
}

/// `mysqli_fetch_fields`.
pub(crate) fn fetch_fields(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(0, 0)?;
    let open = ResultSet::of(object)?;
    let mut list = List::new(call.returns(), u32::try_from(open.columns.len()).unwrap_or(0));
    for column in open.columns.iter() {
        write_field(column, list.push());
    }
    Ok(())
}

/// `mysqli_fetch_field_direct`.
pub(crate) fn fetch_field_direct(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(1, 1)?;
    let number = number(call)?;
    let open = ResultSet::of(object)?;
    let index = index(call, open, number)?;
    if let Some(column) = open.columns.get(index) {
        write_field(column, call.returns());
    }
    Ok(())
}

/// `mysqli_field_seek`.
pub(crate) fn field_seek(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(1, 1)?;
    let number = number(call)?;
    let open = ResultSet::of(object)?;
    let index = index(call, open, number)?;
    open.current_field.set(index);
    call.returns().bool(true);
    Ok(())
}

/// `mysqli_field_tell`.
pub(crate) fn field_tell(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(0, 0)?;
    let open = ResultSet::of(object)?;
    call.returns().long(i64::try_from(open.current_field.get()).unwrap_or(i64::MAX));
    Ok(())
}
