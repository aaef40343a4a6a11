//! The class `mysqli_stmt`: a prepared statement's state, and what it asks of its session.

use super::bound_query::Expansion;
use super::link::Link;
use super::link::Status;
use super::report;
use super::statement_property;
use crate::session::Session;
use crate::session::failure::{Failed, LastError, OUT_OF_SYNC};
use crate::session::rows::Rows;
use crate::statistics::Key;
use crate::zend::call::Call;
use crate::zend::error::{Outcome, throw_error};
use crate::zend::guarded::Guarded;
use crate::zend::held::Held;
use crate::zend::object::{Class, ClassSlot, Object};
use crate::zend::property::Property;
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

/// A statement that the server has prepared.
pub(super) struct OnServer {
    pub(super) prepared: Prepared,
    /// The columns of its last run, or those that are known before it.
    pub(super) columns: Columns,
}

/// An object of class `mysqli_stmt`.
pub(crate) struct Statement {
    /// That of the link it was made with.
    session: OnceCell<Rc<Session>>,
    /// Which of the session's connections it is for.
    generation: Cell<u64>,
    pub(super) status: Cell<Status>,
    pub(super) phase: Cell<Phase>,
    pub(super) on_server: Guarded<Option<OnServer>>,
    /// Its text, for the report of a missing index; kept only where that may be asked for.
    pub(super) text: Guarded<Vec<u8>>,
    /// The statement of `Vaquita\query`.
    pub(super) expansion: Guarded<Expansion>,
    pub(super) error: LastError,
    pub(super) said: Cell<Said>,
    /// Whether there are columns and perhaps rows: since it was prepared, or since a run had some.
    pub(super) has_result: Cell<bool>,
    pub(super) rows: Guarded<Option<Rows>>,
    /// Whether its columns can be told: as in stock not any more when rows were freed, and when a run was tried.
    pub(super) tells_columns: Cell<bool>,
    /// How often it ran since it was prepared.
    pub(super) runs: Cell<u64>,
    pub(super) wants_cursor: Cell<bool>,
    /// Whether the last run's rows are behind a cursor.
    pub(super) has_cursor: Cell<bool>,
    /// Whether they were to be: without one they are stored before the first is fetched.
    pub(super) lacks_cursor: Cell<bool>,
    pub(super) updates_max_length: Cell<bool>,
    /// The letters of `bind_param`.
    pub(super) types: Guarded<Vec<u8>>,
    /// Which parameters `send_long_data` has sent for the next run.
    pub(super) sent: Guarded<Vec<bool>>,
    /// The variables of `bind_param`.
    pub(super) parameters: Held,
    /// How often their types changed.
    pub(super) retypings: Cell<u64>,
    /// The variables of `bind_result`.
    pub(super) results: Held,
    /// Values on their way from or to those variables.
    pub(super) values: Held,
    /// How many rows came so far as there.
    pub(super) fetches: Cell<u64>,
}

static CLASS: ClassSlot = ClassSlot::new();

impl Class for Statement {
    fn new() -> Statement {
        Statement {
            session: OnceCell::new(),
            generation: Cell::new(0),
            status: Cell::new(Status::Closed),
            phase: Cell::new(Phase::Initialised),
            on_server: Guarded::new(None),
            text: Guarded::new(Vec::new()),
            expansion: Guarded::new(Expansion::default()),
            error: LastError::none(),
            said: Cell::new(Said::default()),
            has_result: Cell::new(false),
            rows: Guarded::new(None),
            tells_columns: Cell::new(false),
            runs: Cell::new(0),
            wants_cursor: Cell::new(false),
            has_cursor: Cell::new(false),
            lacks_cursor: Cell::new(false),
            updates_max_length: Cell::new(false),
            types: Guarded::new(Vec::new()),
            sent: Guarded::new(Vec::new()),
            parameters: Held::nothing(),
            retypings: Cell::new(0),
            results: Held::nothing(),
            values: Held::nothing(),
            fetches: Cell::new(0),
        }
    }

    fn class() -> &'static ClassSlot {
        &CLASS
    }

    fn held(&self) -> [Option<&Held>; 3] {
        [Some(&self.parameters), Some(&self.results), Some(&self.values)]
    }

    const PROPERTIES: &'static [Property<Statement>] = statement_property::ALL;
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
        self.generation.set(link.session.generation());
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

    /// Whether its link still has the connection that it was made for; any other does not know it.
    pub(super) fn is_of(&self, session: &Session) -> bool {
        self.generation.get() == session.generation()
    }

    pub(super) fn param_count(&self) -> u16 {
        self.look(0, |it| it.prepared.params())
    }

    pub(super) fn field_count(&self) -> usize {
        self.look(0, |it| it.columns.len())
    }

    /// Has its columns told as they are now, before its first run: where a statement that was kept is used again, another session may have
    /// changed them. With `counts_only` it matters only how many there are.
    pub(super) fn refresh_columns(&self, counts_only: bool) {
        if self.phase.get() != Phase::Prepared || self.runs.get() > 0 {
            return;
        }
        let Some(session) = self.session().filter(|session| self.is_of(session)) else { return };
        let described = self.on_server.peek(|it| {
            it.as_ref().and_then(|it| session.describe_statement(&it.prepared, counts_only))
        });
        if let Ok(Some(columns)) = described {
            let _ = self.on_server.with(|it| it.as_mut().map(|it| it.columns = columns));
        }
    }

    pub(super) fn field_count_as_long(&self) -> i64 {
        self.refresh_columns(true);
        i64::try_from(self.field_count()).unwrap_or(i64::MAX)
    }

    pub(super) fn columns(&self) -> Option<Columns> {
        self.look(None, |it| Some(it.columns.clone()))
    }

    /// Counts something of its connection.
    pub(super) fn count(&self, key: Key) {
        if let Some(session) = self.session() {
            session.count(key, 1);
        }
    }

    pub(super) fn row_count(&self) -> u64 {
        self.rows.peek(|rows| rows.as_ref().map_or(0, |rows| rows.row_count())).unwrap_or(0)
    }

    /// Records an error of the statement alone.
    pub(super) fn fail(&self, errno: u16, message: &[u8]) -> Failed {
        self.error.set(errno, *b"HY000", message.to_vec());
        Failed
    }

    /// The call does not fit what the statement is in the middle of.
    pub(super) fn fail_out_of_sync(&self) -> Failed {
        self.fail(codes::COMMANDS_OUT_OF_SYNC, OUT_OF_SYNC)
    }

    /// Passes on what its own connection came to; the error is the statement's, too.
    pub(super) fn settle<R>(
        &self,
        session: &Session,
        result: Result<R, Failed>,
    ) -> Result<R, Failed> {
        result.inspect_err(|_| self.error.append(session.error.copy()))
    }

    /// Has its session do something with it, if that still has its connection.
    pub(super) fn ask<R>(
        &self,
        work: impl FnOnce(&Rc<Session>, &OnServer) -> Result<R, Failed>,
    ) -> Result<R, Failed> {
        let Some(session) = self.session() else {
            return Err(self.fail_out_of_sync());
        };
        if !self.is_of(session) {
            return Err(self.error.set_absence());
        }
        let asked = self.on_server.peek(|it| it.as_ref().map(|it| work(session, it)));
        match asked {
            Ok(Some(result)) => self.settle(session, result),
            _ => Err(self.fail_out_of_sync()),
        }
    }

    /// Reports the last run if the server found no good index for it and the report mode asks for that.
    pub(super) fn report_index(&self) -> Outcome {
        if !report::reports_index() {
            return Ok(());
        }
        // The report may run user code: the text is PHP's while it does.
        let text = self.text.peek(|text| match text.as_slice() {
            b"" => Str::new(UNKNOWN_TEXT),
            known => Str::new(known),
        });
        let Ok(text) = text else { return Ok(()) };
        let status = self.said.get().status;
        let no_good_index = status.contains(StatusFlags::NO_GOOD_INDEX_USED);
        let no_index = status.contains(StatusFlags::NO_INDEX_USED);
        let reported = report::report_index(no_good_index, no_index, text.bytes());
        text.release();
        reported
    }
}

/// As stock calls a statement that was prepared when nobody asked for reports.
const UNKNOWN_TEXT: &[u8] = b"(null)";

/// The statement that a call without further arguments is about.
pub(super) fn only_argument<'a>(call: &mut Call<'a>, least: Status) -> Outcome<&'a Statement> {
    let object = call.receiver::<Statement>(0, 0)?;
    Statement::of(object, least)
}
