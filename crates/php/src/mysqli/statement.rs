//! The class `mysqli_stmt`: a prepared statement from its making to its end, and what it knows of itself.

use super::link::Link;
use super::link::Status;
use super::report;
use crate::session::Session;
use crate::session::failure::{Failed, LastError};
use crate::session::rows::Rows;
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, Thrown, throw_error};
use crate::zend::guarded::Guarded;
use crate::zend::held::Held;
use crate::zend::object::{Class, ClassSlot, Object};
use crate::zend::property::{Property, Reading};
use crate::zend::slot::Slot;
use crate::zend::string::Str;
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

/// What the server said of the last run.
#[derive(Clone, Copy, Default)]
pub(super) struct Said {
    pub(super) affected_rows: u64,
    pub(super) insert_id: u64,
    pub(super) warnings: u16,
    pub(super) status: StatusFlags,
}

impl Said {
    /// That nothing is known.
    pub(super) fn nothing() -> Said {
        Said { affected_rows: UNKNOWN_ROWS, ..Said::default() }
    }

    pub(super) fn of(session: &vaquita_client::Session) -> Said {
        Said {
            affected_rows: session.affected_rows,
            insert_id: session.last_insert_id,
            warnings: session.warnings,
            status: session.status,
        }
    }
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
    /// Tells it from all others of this thread.
    pub(super) number: u64,
    pub(super) status: Cell<Status>,
    pub(super) phase: Cell<Phase>,
    pub(super) on_server: Guarded<Option<OnServer>>,
    /// Its text, for the report of a missing index; kept only where that may be asked for.
    pub(super) text: Guarded<Vec<u8>>,
    pub(super) error: LastError,
    pub(super) said: Cell<Said>,
    /// Whether there are columns and perhaps rows: since it was prepared, or since a run had some.
    pub(super) has_result: Cell<bool>,
    pub(super) rows: Guarded<Option<Rows>>,
    /// How often it ran since it was prepared.
    pub(super) runs: Cell<u64>,
    pub(super) wants_cursor: Cell<bool>,
    /// Whether the last run's rows are behind a cursor.
    pub(super) has_cursor: Cell<bool>,
    pub(super) updates_max_length: Cell<bool>,
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

thread_local! {
    /// How many statements there were.
    static LAST_NUMBER: Cell<u64> = const { Cell::new(0) };
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Statement {
    fn new() -> Statement {
        Statement {
            session: OnceCell::new(),
            number: LAST_NUMBER.replace(LAST_NUMBER.get() + 1) + 1,
            status: Cell::new(Status::Closed),
            phase: Cell::new(Phase::Initialised),
            on_server: Guarded::new(None),
            text: Guarded::new(Vec::new()),
            error: LastError::none(),
            said: Cell::new(Said::default()),
            has_result: Cell::new(false),
            rows: Guarded::new(None),
            runs: Cell::new(0),
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

    /// Whether its link still has the connection that it was prepared on; one that was never prepared belongs to any.
    pub(super) fn is_of(&self, session: &Session) -> bool {
        self.look(true, |it| it.generation == session.generation())
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

    /// Looks at its rows, if it has some.
    pub(super) fn look_at_rows(&self, look: impl FnOnce(&Rows)) {
        let _ = self.rows.peek(|rows| rows.as_ref().map(look));
    }

    /// Counts something of its connection.
    pub(super) fn count(&self, key: Key) {
        if let Some(session) = self.session() {
            session.count(key, 1);
        }
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
            if self.is_of(session) {
                self.error.append(session.error.copy());
            } else {
                self.error.set_absence();
            }
        }
        result
    }

    /// Reports the last run if the server found no good index for it and the report mode asks for that.
    pub(super) fn report_index(&self) -> Outcome {
        if !report::reports_index() {
            return Ok(());
        }
        // The report may run user code: the text is PHP's while it does.
        let Ok(text) = self.text.peek(|text| Str::new(text)) else { return Ok(()) };
        let status = self.said.get().status;
        let no_good_index = status.contains(StatusFlags::NO_GOOD_INDEX_USED);
        let no_index = status.contains(StatusFlags::NO_INDEX_USED);
        let reported = report::report_index(no_good_index, no_index, text.bytes());
        text.release();
        reported
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
