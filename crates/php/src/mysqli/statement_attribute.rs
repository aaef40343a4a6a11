//! The attributes of a prepared statement, which `attr_set` sets and `attr_get` tells.

use super::link::Status;
use super::statement::Statement;
use crate::zend::call::Call;
use crate::zend::error::Outcome;
use crate::zend::version;
use vaquita_client::codes;

/// What an attribute is about.
#[derive(Clone, Copy)]
enum Attribute {
    UpdateMaxLength,
    CursorType,
    PrefetchRows,
}

fn attribute(call: &Call<'_>, number: i64) -> Outcome<Attribute> {
    match number {
        0 => Ok(Attribute::UpdateMaxLength),
        1 => Ok(Attribute::CursorType),
        2 if !version::is_at_least(804) => Ok(Attribute::PrefetchRows),
        _ if version::is_at_least(804) => {
            let what = c"must be either MYSQLI_STMT_ATTR_UPDATE_MAX_LENGTH or MYSQLI_STMT_ATTR_CURSOR_TYPE";
            Err(call.value_error(1, what))
        }
        _ => Err(call.value_error(
            1,
            c"must be one of MYSQLI_STMT_ATTR_UPDATE_MAX_LENGTH, MYSQLI_STMT_ATTR_PREFETCH_ROWS, or STMT_ATTR_CURSOR_TYPE",
        )),
    }
}

/// `mysqli_stmt_attr_set`.
pub(crate) fn attr_set(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(2, 2)?;
    let number = call.long()?;
    let value = call.long()?;
    let statement = Statement::of(object, Status::Valid)?;
    let supported = match (attribute(call, number)?, value) {
        (Attribute::UpdateMaxLength, 0 | 1) => {
            statement.updates_max_length.set(value == 1);
            true
        }
        (Attribute::UpdateMaxLength, _) => {
            let what = c"must be 0 or 1 for attribute MYSQLI_STMT_ATTR_UPDATE_MAX_LENGTH";
            return Err(call.value_error(2, what));
        }
        (Attribute::CursorType, 0 | 1) => {
            statement.wants_cursor.set(value == 1);
            true
        }
        (Attribute::CursorType, 2 | 4) if !version::is_at_least(804) => false,
        (Attribute::CursorType, _) => {
            let what = c"must be one of the MYSQLI_CURSOR_TYPE_* constants for attribute MYSQLI_STMT_ATTR_CURSOR_TYPE";
            return Err(call.value_error(2, what));
        }
        (Attribute::PrefetchRows, ..1) => {
            let what = c"must be greater than 0 for attribute MYSQLI_STMT_ATTR_PREFETCH_ROWS";
            return Err(call.value_error(2, what));
        }
        (Attribute::PrefetchRows, value) => value == 1,
    };
    if !supported {
        statement.fail(codes::NOT_IMPLEMENTED, b"Not implemented");
        statement.error.report()?;
    }
    call.returns().bool(supported);
    Ok(())
}

/// `mysqli_stmt_attr_get`.
pub(crate) fn attr_get(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(1, 1)?;
    let number = call.long()?;
    let statement = Statement::of(object, Status::Valid)?;
    let value = match attribute(call, number)? {
        Attribute::UpdateMaxLength => statement.updates_max_length.get().into(),
        Attribute::CursorType => statement.wants_cursor.get().into(),
        Attribute::PrefetchRows => 1,
    };
    call.returns().long(value);
    Ok(())
}
