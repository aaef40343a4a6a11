//! What a prepared statement tells of itself: its properties, and the functions that tell the same.

use super::link::Status;
use super::statement::{Statement, only_argument};
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, throw_error};
use crate::zend::object::Object;
use crate::zend::property::{Property, Reading};
use crate::zend::slot::Slot;
use vaquita_client::UNKNOWN_ROWS;

/// The properties of the class.
pub(super) const ALL: &[Property<Statement>] = &[
    property("affected_rows", |statement, reading| {
        allowed(statement, &reading, Status::Valid)?;
        write_affected_rows(statement.state(), reading.slot);
        Ok(())
    }),
    property("insert_id", |statement, reading| {
        open(statement, &reading, Status::Valid)?;
        reading.slot.unsigned(statement.said.get().insert_id);
        Ok(())
    }),
    property("num_rows", |statement, reading| {
        open(statement, &reading, Status::Valid)?;
        reading.slot.unsigned(statement.row_count());
        Ok(())
    }),
    property("param_count", |statement, reading| {
        open(statement, &reading, Status::Valid)?;
        reading.slot.long(statement.param_count().into());
        Ok(())
    }),
    property("field_count", |statement, reading| {
        open(statement, &reading, Status::Valid)?;
        reading.slot.long(statement.field_count_as_long());
        Ok(())
    }),
    property("errno", |statement, reading| {
        open(statement, &reading, Status::Initialised)?;
        reading.slot.long(statement.error.errno().into());
        Ok(())
    }),
    property("error", |statement, reading| {
        open(statement, &reading, Status::Initialised)?;
        statement.error.write_text(reading.slot);
        Ok(())
    }),
    property("error_list", |statement, reading| {
        allowed(statement, &reading, Status::Initialised)?;
        statement.error.write_list(reading.slot);
        Ok(())
    }),
    property("sqlstate", |statement, reading| {
        open(statement, &reading, Status::Initialised)?;
        reading.slot.bytes(&statement.error.sqlstate());
        Ok(())
    }),
    property("id", |statement, reading| {
        allowed(statement, &reading, Status::Valid)?;
        reading.slot.long(statement.id().into());
        Ok(())
    }),
];

type Read = fn(Object<'_, Statement>, Reading<'_>) -> Outcome;

const fn property(name: &'static str, read: Read) -> Property<Statement> {
    Property { name, read, write: None }
}

/// Lets a property be read from `least` on; a closed statement has another message.
fn open(statement: Object<'_, Statement>, reading: &Reading<'_>, least: Status) -> Outcome {
    match statement.status.get() {
        Status::Closed if reading.quiet => Err(Thrown),
        Status::Closed => Err(throw_error(&[statement.class_name(), b" object is already closed"])),
        _ => allowed(statement, reading, least),
    }
}

/// Lets a property be read from `least` on.
fn allowed(statement: Object<'_, Statement>, reading: &Reading<'_>, least: Status) -> Outcome {
    match statement.status.get() >= least {
        true => Ok(()),
        false if reading.quiet => Err(Thrown),
        false => Err(throw_error(&[b"Property access is not allowed yet"])),
    }
}

fn write_affected_rows(statement: &Statement, slot: Slot<'_>) {
    match statement.said.get().affected_rows {
        UNKNOWN_ROWS => slot.long(-1),
        rows => slot.unsigned(rows),
    }
}

/// `mysqli_stmt_affected_rows`.
pub(crate) fn affected_rows(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    write_affected_rows(statement, call.returns());
    Ok(())
}

/// `mysqli_stmt_insert_id`.
pub(crate) fn insert_id(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    call.returns().unsigned(statement.said.get().insert_id);
    Ok(())
}

/// `mysqli_stmt_num_rows`.
pub(crate) fn num_rows(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    call.returns().unsigned(statement.row_count());
    Ok(())
}

/// `mysqli_stmt_param_count`.
pub(crate) fn param_count(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    call.returns().long(statement.param_count().into());
    Ok(())
}

/// `mysqli_stmt_field_count`.
pub(crate) fn field_count(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    call.returns().long(statement.field_count_as_long());
    Ok(())
}

/// `mysqli_stmt_errno`.
pub(crate) fn errno(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Initialised)?;
    call.returns().long(statement.error.errno().into());
    Ok(())
}

/// `mysqli_stmt_error`.
pub(crate) fn error(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Initialised)?;
    statement.error.write_text(call.returns());
    Ok(())
}

/// `mysqli_stmt_error_list`.
pub(crate) fn error_list(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Initialised)?;
    statement.error.write_list(call.returns());
    Ok(())
}

/// `mysqli_stmt_sqlstate`.
pub(crate) fn sqlstate(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    call.returns().bytes(&statement.error.sqlstate());
    Ok(())
}
