//! The class `mysqli_result`: a result of either kind, buffered or read as it is fetched, and what it knows of its rows.

use super::link::Link;
use super::link::Status;
use super::report::EARLIER_STATEMENT;
use crate::convert::{Format, Shape};
use crate::session::Session;
use crate::session::rows::Rows;
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, is_pending, plain_warning, throw_error, warning};
use crate::zend::iterator::{Iterate, iterator_object};
use crate::zend::object::{Class, ClassSlot, Object};
use crate::zend::property::{Property, Reading};
use crate::zend::slot::Slot;
use crate::zend::version;
use core::cell::{Cell, OnceCell};
use core::ops::Deref;
use std::rc::Rc;
use vaquita_client::Connection;
use vaquita_client::panic_point;

/// `MYSQLI_STORE_RESULT`: the whole result is received at once.
pub(super) const STORE_RESULT: i64 = 0;
/// `MYSQLI_USE_RESULT`: rows are received as they are fetched.
pub(super) const USE_RESULT: i64 = 1;

/// An object of class `mysqli_result`.
pub(crate) struct ResultSet {
    /// Empty until the constructor, or the call that made the object, has a result to put in.
    open: OnceCell<Open>,
    is_freed: Cell<bool>,
}

/// A result, once there is one.
pub(crate) struct Open {
    rows: Rows,
    /// What `fetch_field` gives next.
    pub(super) current_field: Cell<usize>,
}

impl Deref for Open {
    type Target = Rows;

    fn deref(&self) -> &Rows {
        &self.rows
    }
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for ResultSet {
    fn new() -> ResultSet {
        ResultSet { open: OnceCell::new(), is_freed: Cell::new(false) }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    const PROPERTIES: &'static [Property<ResultSet>] = &[
        property("current_field", |result, reading| {
            let open = readable(result, reading.quiet)?;
            reading.slot.long(i64::try_from(open.current_field.get()).unwrap_or(i64::MAX));
            Ok(())
        }),
        property("field_count", |result, reading| {
            let open = readable(result, reading.quiet)?;
            reading.slot.long(open.field_count());
            Ok(())
        }),
        property("lengths", |result, reading| {
            let open = allowed(result, reading.quiet)?;
            // The slot holds NULL already.
            open.write_lengths(reading.slot);
            Ok(())
        }),
        property("num_rows", |result, reading| {
            let open = readable(result, reading.quiet)?;
            reading.slot.unsigned(open.row_count());
            Ok(())
        }),
        property("type", |result, reading| {
            let open = allowed(result, reading.quiet)?;
            reading.slot.long(if open.is_buffered() { STORE_RESULT } else { USE_RESULT });
            Ok(())
        }),
    ];
}

const fn property(
    name: &'static str,
    read: fn(Object<'_, ResultSet>, Reading<'_>) -> Outcome,
) -> Property<ResultSet> {
    Property { name, read, write: None }
}

impl ResultSet {
    /// The result, unless it was freed or never opened.
    fn get(&self) -> Option<&Open> {
        if self.is_freed.get() { None } else { self.open.get() }
    }

    /// The result of the object that a call is about; else throws.
    pub(crate) fn of(object: Object<'_, ResultSet>) -> Outcome<&Open> {
        readable(object, false)
    }
}

impl Drop for ResultSet {
    fn drop(&mut self) {
        if let Some(open) = self.get() {
            open.session.count(Key::explicit_free_result, 1);
        }
    }
}

fn readable(result: Object<'_, ResultSet>, quiet: bool) -> Outcome<&Open> {
    match result.state().get() {
        Some(open) => Ok(open),
        None if quiet => Err(Thrown),
        None => Err(throw_error(&[result.class_name(), b" object is already closed"])),
    }
}

fn allowed(result: Object<'_, ResultSet>, quiet: bool) -> Outcome<&Open> {
    match result.state().get() {
        Some(open) => Ok(open),
        None if quiet => Err(Thrown),
        None => Err(throw_error(&[b"Property access is not allowed yet"])),
    }
}

/// Whether the session has a result that nobody has fetched yet.
pub(super) fn can_open(session: &Session) -> bool {
    session.has_announced()
}

/// Puts the session's announced result into a new object; false: receiving it failed, the session has the error.
pub(super) fn open(result: &ResultSet, session: &Rc<Session>, unbuffered: bool) -> bool {
    let Some(columns) = session.take_announced() else {
        return false;
    };
    session.count(if unbuffered { Key::unbuffered_sets } else { Key::buffered_sets }, 1);
    // A further result of a statement may be taken over its link.
    let is_binary = session.look(Connection::has_binary_rows).unwrap_or(false);
    let format = if is_binary { Format::Binary } else { Format::Text };
    let rows = if unbuffered {
        session.error.clear();
        Rows::unbuffered(session, columns, format)
    } else {
        match session.store() {
            Ok(stored) => {
                session.count(Key::rows_buffered_from_client_normal, stored.rows());
                Rows::buffered(session, columns, format, stored)
            }
            Err(_) => return false,
        }
    };
    fill(result, rows)
}

/// Puts rows into a new object.
pub(super) fn fill(result: &ResultSet, rows: Rows) -> bool {
    result.open.set(Open { rows, current_field: Cell::new(0) }).is_ok()
}

/// `mysqli_result::__construct`.
pub(crate) fn construct(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(1, 2)?;
    let link = call.object::<Link>()?;
    let mode = call.long_or(STORE_RESULT)?;
    let session = Link::session(link, Status::Valid)?;
    if mode != STORE_RESULT && mode != USE_RESULT {
        return Err(call.value_error(2, c"must be either MYSQLI_STORE_RESULT or MYSQLI_USE_RESULT"));
    }
    if object.state().open.get().is_some() {
        return Err(throw_error(&[object.class_name(), b" object has a result already"]));
    }
    if !open(object.state(), &link.state().session, mode == USE_RESULT) {
        return session.error.report();
    }
    session.report_index(EARLIER_STATEMENT)
}

/// The result that a call without further arguments is about.
pub(super) fn only_argument<'a>(call: &mut Call<'a>) -> Outcome<&'a Open> {
    let object = call.receiver::<ResultSet>(0, 0)?;
    ResultSet::of(object)
}

/// `mysqli_fetch_lengths`.
pub(crate) fn fetch_lengths(call: &mut Call<'_>) -> Outcome {
    let open = only_argument(call)?;
    if !open.write_lengths(call.returns()) {
        call.returns().bool(false);
    }
    Ok(())
}

/// `mysqli_data_seek`.
pub(crate) fn data_seek(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(1, 1)?;
    let offset = call.long()?;
    let Ok(row) = u64::try_from(offset) else {
        return Err(call.value_error(1, c"must be greater than or equal to 0"));
    };
    let open = ResultSet::of(object)?;
    if !open.is_buffered() {
        let name: &[u8] =
            if call.is_method() { b"mysqli_result::data_seek" } else { b"mysqli_data_seek" };
        return Err(throw_error(&[name, b"() cannot be used in MYSQLI_USE_RESULT mode"]));
    }
    let is_inside = open.seek(row);
    call.returns().bool(is_inside);
    Ok(())
}

/// `mysqli_num_rows`.
pub(crate) fn num_rows(call: &mut Call<'_>) -> Outcome {
    let open = only_argument(call)?;
    if !open.is_buffered() && !open.has_ended() {
        return Err(throw_error(&[b"mysqli_num_rows() cannot be used in MYSQLI_USE_RESULT mode"]));
    }
    call.returns().unsigned(open.row_count());
    Ok(())
}

/// `mysqli_num_fields`.
pub(crate) fn num_fields(call: &mut Call<'_>) -> Outcome {
    let open = only_argument(call)?;
    call.returns().long(open.field_count());
    Ok(())
}

/// `mysqli_free_result`.
pub(crate) fn free_result(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<ResultSet>(0, 0)?;
    let open = ResultSet::of(object)?;
    open.session.count(Key::explicit_free_result, 1);
    open.free();
    object.is_freed.set(true);
    Ok(())
}

/// `mysqli_result::getIterator`.
pub(crate) fn get_iterator(call: &mut Call<'_>) -> Outcome {
    call.arity(0, 0)?;
    iterator_object(call);
    Ok(())
}

/// As stock: since PHP 8.4 without the function in which the walk happens to be.
fn warn_of_second_walk() {
    let what = b"Data fetched with MYSQLI_USE_RESULT can be iterated only once";
    if version::is_at_least(804) {
        plain_warning(&[what]);
    } else {
        warning(&[what]);
    }
}

impl Iterate for ResultSet {
    fn rewind(object: Object<'_, ResultSet>) -> Outcome<bool> {
        let open = ResultSet::of(object)?;
        if open.is_buffered() {
            open.rewind();
        } else if open.has_ended() {
            warn_of_second_walk();
            return if is_pending() { Err(Thrown) } else { Ok(false) };
        }
        Ok(true)
    }

    fn next(object: Object<'_, ResultSet>, _number: i64, slot: Slot<'_>) -> Outcome {
        panic_point("php/mysqli/result");
        ResultSet::of(object)?.fetch_recycled(Shape::Map, slot)
    }
}
