//! The class `mysqli_stmt`: a prepared statement from its making to its end, and what it knows of itself.

use super::failure::{Failed, LastError};

use super::link::Link;
use super::report;
use super::rows::Rows;
use super::session::{Session, Status};
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, throw_error};
use crate::zend::guarded::Guarded;
use crate::zend::held::Held;
use crate::zend::object::{Class, ClassSlot, Object, make};
use crate::zend::property::{Property, Reading};
use crate::zend::slot::Slot;
use core::cell::{Cell, OnceCell};
use std::rc::Rc;
use vaquita_client::{Columns, Statement as Prepared, StatusFlags, UNKNOWN_ROWS, codes};

/// How far a statement's run has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// It is not prepared, or that failed.
    Initialised,
    /// It can run.
    Prepared,
    /// It ran, and has no rows.
    Executed,
    /// It ran; nobody has said yet how its rows are to be read.
    Waiting,
    /// Its rows were stored.
    Stored,
    /// Its rows are being fetched.
    Fetching,
}

/// When the server is told that a statement is not needed any more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goodbye {
    /// At once, which forgets the link's error and number of rows, as stock does.
    Now,
    /// With the next command.
    Later,
}

/// What the server said of the last run.
#[derive(Clone, Copy, Default)]
pub(super) struct Said {
    pub(super) affected_rows: u64,
    pub(super) insert_id: u64,
    pub(super) warnings: u16,
    pub(super) status: StatusFlags,
}

/// A statement that the server has prepared on one of the session's connections.
pub(super) struct OnServer {
    pub(super) generation: u64,
    pub(super) prepared: Prepared,
    /// The columns of its last run, or those that are known before it.
    pub(super) columns: Columns,
}

/// An object of class `mysqli_stmt`.
pub(crate) struct Statement {
    /// That of the link it was made with.
    session: OnceCell<Rc<Session>>,
    pub(super) status: Cell<Status>,
    pub(super) phase: Cell<Phase>,
    pub(super) on_server: Guarded<Option<OnServer>>,
    /// Its text, for the report of a missing index; kept only where that may be asked for.
    text: Guarded<Vec<u8>>,
    pub(super) error: LastError,
    pub(super) said: Cell<Said>,
    /// Whether there are columns and perhaps rows: since it was prepared, or since a run had some.
    pub(super) has_result: Cell<bool>,
    pub(super) rows: Guarded<Option<Rows>>,
    pub(super) wants_cursor: Cell<bool>,
    /// Whether the last run's rows are behind a cursor.
    pub(super) has_cursor: Cell<bool>,
    updates_max_length: Cell<bool>,
    /// The letters of `bind_param`.
    pub(super) types: Guarded<Vec<u8>>,
    /// Which parameters `send_long_data` has sent for the next run.
    pub(super) sent: Guarded<Vec<bool>>,
    /// The variables of `bind_param`.
    pub(super) parameters: Held,
    /// The variables of `bind_result`.
    pub(super) results: Held,
    /// Values on their way from or to those variables.
    pub(super) values: Held,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Statement {
    fn new() -> Statement {
        Statement {
            session: OnceCell::new(),
            status: Cell::new(Status::Closed),
            phase: Cell::new(Phase::Initialised),
            on_server: Guarded::new(None),
            text: Guarded::new(Vec::new()),
            error: LastError::none(),
            said: Cell::new(Said::default()),
            has_result: Cell::new(false),
            rows: Guarded::new(None),
            wants_cursor: Cell::new(false),
            has_cursor: Cell::new(false),
            updates_max_length: Cell::new(false),
            types: Guarded::new(Vec::new()),
            sent: Guarded::new(Vec::new()),
            parameters: Held::nothing(),
            results: Held::nothing(),
            values: Held::nothing(),
        }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    fn held(&self) -> [Option<&Held>; 3] {
        [Some(&self.parameters), Some(&self.results), Some(&self.values)]
    }

    const PROPERTIES: &'static [Property<Statement>] = &[
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
}

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

impl Statement {
    /// The statement that a call is about, if it has come as far as `least`; else throws what is wrong.
    pub(super) fn of<'a>(object: Object<'a, Statement>, least: Status) -> Outcome<&'a Statement> {
        match object.status.get() {
            Status::Closed => {
                Err(throw_error(&[object.class_name(), b" object is already closed"]))
            }
            status if status < least => {
                Err(throw_error(&[object.class_name(), b" object is not fully initialized"]))
            }
            _ => Ok(object.state()),
        }
    }

    /// Its session; `None` before it belongs to a link.
    pub(super) fn session(&self) -> Option<&Rc<Session>> {
        self.session.get()
    }

    pub(super) fn begin(&self, link: &Link) {
        let _ = self.session.set(Rc::clone(&link.session));
        self.status.set(Status::Initialised);
    }

    fn look<R>(&self, default: R, look: impl FnOnce(&OnServer) -> R) -> R {
        self.on_server
            .peek(|on_server| on_server.as_ref().map(look))
            .ok()
            .flatten()
            .unwrap_or(default)
    }

    pub(super) fn id(&self) -> u32 {
        self.look(0, |it| it.prepared.id())
    }

    pub(super) fn generation(&self) -> u64 {
        self.look(0, |it| it.generation)
    }

    pub(super) fn param_count(&self) -> u16 {
        self.look(0, |it| it.prepared.params())
    }

    pub(super) fn field_count(&self) -> usize {
        self.look(0, |it| it.columns.len())
    }

    fn field_count_as_long(&self) -> i64 {
        i64::try_from(self.field_count()).unwrap_or(i64::MAX)
    }

    pub(super) fn columns(&self) -> Option<Columns> {
        self.look(None, |it| Some(it.columns.clone()))
    }

    fn row_count(&self) -> u64 {
        self.rows.peek(|rows| rows.as_ref().map_or(0, Rows::row_count)).unwrap_or(0)
    }

    /// Records an error of the statement alone.
    pub(super) fn fail(&self, errno: u16, message: &[u8]) -> Failed {
        self.error.set(errno, *b"HY000", message.to_vec());
        Failed
    }

    /// The call does not fit what the statement is in the middle of.
    pub(super) fn fail_out_of_sync(&self) -> Failed {
        let message = b"Commands out of sync; you can't run this command now";
        self.fail(codes::COMMANDS_OUT_OF_SYNC, message)
    }

    /// Passes on what the session came to; its error is the statement's, too.
    pub(super) fn settle<R>(
        &self,
        session: &Session,
        result: Result<R, Failed>,
    ) -> Result<R, Failed> {
        if result.is_err() {
            self.error.put(session.error.copy());
        }
        result
    }

    /// Has the server prepare it, in place of what was prepared before.
    pub(super) fn prepare(&self, sql: &[u8]) -> Result<(), Failed> {
        let Some(session) = self.session() else {
            return Err(self.fail_out_of_sync());
        };
        self.error.clear();
        self.forget(Goodbye::Now);
        self.said.set(Said { affected_rows: UNKNOWN_ROWS, ..Said::default() });
        let prepared = self.settle(session, session.prepare(sql))?;
        self.said.set(Said::default());
        self.has_result.set(!prepared.columns().is_empty());
        let columns = prepared.columns().clone();
        let on_server = OnServer { generation: session.generation(), prepared, columns };
        let _ = self.on_server.with(|it| *it = Some(on_server));
        let _ = self.text.with(|text| {
            text.clear();
            if report::reports_index() {
                text.extend_from_slice(sql);
            }
        });
        self.phase.set(Phase::Prepared);
        Ok(())
    }

    /// Reads what is left of its last run, so that the connection can be used again.
    pub(super) fn flush(&self) {
        let Some(session) = self.session() else { return };
        if self.phase.get() == Phase::Waiting {
            self.phase.set(Phase::Fetching);
            if !self.has_cursor.get() {
                session.skip(self.generation());
            }
        }
        let _ = self.rows.peek(|rows| {
            if let Some(rows) = rows {
                rows.skip();
            }
        });
        while self.phase.get() > Phase::Prepared
            && session.is_result_pending()
            && session.next_executed(self.generation()).is_ok()
        {
            session.skip(self.generation());
        }
    }

    /// Has the server forget it, with all that belongs to it but the variables.
    pub(super) fn forget(&self, goodbye: Goodbye) {
        if self.phase.get() > Phase::Initialised {
            self.flush();
        }
        let _ = self.rows.with(|rows| drop(rows.take()));
        let on_server = self.on_server.with(Option::take).ok().flatten();
        if let (Some(session), Some(it)) = (self.session(), on_server) {
            session.close_statement(it.generation, &it.prepared, goodbye == Goodbye::Later);
        }
        let _ = self.sent.with(Vec::clear);
        self.has_result.set(false);
        self.has_cursor.set(false);
        self.phase.set(Phase::Initialised);
    }

    /// Lets go of the variables; user code may run.
    fn release_variables(&self) {
        self.parameters.clear();
        self.results.clear();
        self.values.clear();
    }

    /// Reports the last run if the server found no good index for it and the report mode asks for that.
    pub(super) fn report_index(&self) -> Outcome {
        if !report::reports_index() {
            return Ok(());
        }
        // The report may run user code: the text is PHP's while it does.
        let text = self.text.peek(|text| crate::zend::string::Str::new(text));
        let status = self.said.get().status;
        let no_good_index = status.contains(StatusFlags::NO_GOOD_INDEX_USED);
        let no_index = status.contains(StatusFlags::NO_INDEX_USED);
        text.map_or(Ok(()), |text| report::report_index(no_good_index, no_index, text.bytes()))
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        self.forget(Goodbye::Now);
    }
}

fn write_affected_rows(statement: &Statement, slot: Slot<'_>) {
    match statement.said.get().affected_rows {
        UNKNOWN_ROWS => slot.long(-1),
        rows => slot.unsigned(rows),
    }
}

/// The statement that a call without further arguments is about.
pub(super) fn only_argument<'a>(call: &mut Call<'a>, least: Status) -> Outcome<&'a Statement> {
    let object = call.receiver::<Statement>(0, 0)?;
    Statement::of(object, least)
}

/// `mysqli_stmt_init`.
pub(crate) fn init(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(0, 0)?;
    Link::session(link, Status::Valid)?;
    make::<Statement>(call.returns()).begin(link.state());
    Ok(())
}

/// `mysqli_stmt::__construct`.
pub(crate) fn construct(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(1, 2)?;
    let link = call.object::<Link>()?;
    let sql = call.optional_bytes()?;
    Link::session(link, Status::Valid)?;
    if object.session().is_some() {
        return Err(throw_error(&[object.class_name(), b" object has a link already"]));
    }
    object.begin(link.state());
    let Some(sql) = sql else { return Ok(()) };
    if object.prepare(sql).is_err() {
        return object.error.report();
    }
    object.status.set(Status::Valid);
    Ok(())
}

/// `mysqli_prepare`: an object, or false.
pub(crate) fn prepare_on_link(call: &mut Call<'_>) -> Outcome {
    let link = call.receiver::<Link>(1, 1)?;
    let sql = call.bytes()?;
    let session = Link::session(link, Status::Valid)?;
    let statement = make::<Statement>(call.returns());
    statement.begin(link.state());
    if statement.prepare(sql).is_err() {
        call.drop_returned();
        call.returns().bool(false);
        return session.error.report();
    }
    statement.status.set(Status::Valid);
    Ok(())
}

/// `mysqli_stmt_prepare`.
pub(crate) fn prepare(call: &mut Call<'_>) -> Outcome {
    let object = call.receiver::<Statement>(1, 1)?;
    let sql = call.bytes()?;
    let statement = Statement::of(object, Status::Initialised)?;
    let prepared = statement.prepare(sql).is_ok();
    if prepared {
        statement.status.set(Status::Valid);
    } else {
        statement.error.report()?;
    }
    // What was bound belongs to the statement of before.
    statement.release_variables();
    call.returns().bool(prepared);
    Ok(())
}

/// `mysqli_stmt_close`.
pub(crate) fn close(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    statement.forget(Goodbye::Now);
    statement.status.set(Status::Closed);
    statement.release_variables();
    call.returns().bool(true);
    Ok(())
}

/// `mysqli_stmt_reset`; as in stock no failure is reported.
pub(crate) fn reset(call: &mut Call<'_>) -> Outcome {
    let statement = only_argument(call, Status::Valid)?;
    let mut done = true;
    if let (Some(session), true) = (statement.session(), statement.phase.get() > Phase::Initialised)
    {
        statement.error.clear();
        session.error.clear();
        let _ = statement.sent.with(Vec::clear);
        statement.flush();
        let reset = statement.on_server.peek(|it| {
            it.as_ref().map_or(Ok(()), |it| session.reset_statement(it.generation, &it.prepared))
        });
        done = statement.settle(session, reset.unwrap_or(Err(Failed))).is_ok();
        statement.said.set(session.last(Said::default(), Said::of));
    }
    call.returns().bool(done);
    Ok(())
}

impl Said {
    pub(super) fn of(session: &vaquita_client::Session) -> Said {
        Said {
            affected_rows: session.affected_rows,
            insert_id: session.last_insert_id,
            warnings: session.warnings,
            status: session.status,
        }
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
        2 => Ok(Attribute::PrefetchRows),
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
        (Attribute::CursorType, 2 | 4) => false,
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
